// SPDX-License-Identifier: Apache-2.0

// Peers measures this project and what it is compared with, side by side: the
// same expressions in expr, Starlark and Lua, and the same documents in yaml.v3
// and goccy/go-yaml.
//
//	go run -C bench/peers .             print the tables of a new measurement
//	go run -C bench/peers . -update     record it too, and write README and plot
//	go run -C bench/peers . -recorded   write README and plot of the recorded one
//	go run -C bench/peers . -smoke      tiny sizes, to see that everything works
//	go run -C bench/peers . -targets    the targets of the project, pass or fail
//
// It is a module of its own, so that the peers are no dependencies of the
// program. All engines run in turn, and every one is held to the right result
// before it is measured.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// docSizes are the sizes of documents, in bytes.
var docSizes = []int{100_000, 1_000_000, 10_000_000, 100_000_000}

// root is the folder of the repository, from that of this package.
const root = "../.."

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "peers:", err)
		}
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	testing.Init() // the flags of benchmarks, which interleave sets
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	update := flags.Bool("update", false, "measure, record the results, and write README and plot")
	recorded := flags.Bool("recorded", false, "write README and plot of the recorded results")
	smoke := flags.Bool("smoke", false, "measure tiny sizes once and write nothing")
	targets := flags.Bool("targets", false, "measure the targets of the project; the exit status is 1 if one is missed")
	only := flags.String("only", "", "`regexp` of the targets to measure")
	rounds := flags.Int("rounds", 7, "how often every engine runs")
	largest := flags.Int("max", docSizes[len(docSizes)-1], "largest document in `bytes`")
	set := flags.String("write-set", "", "used by -targets: write the `family` with the size -n to the folder -out")
	n := flags.Int("n", 1, "for -write-set")
	dir := flags.String("out", ".", "for -write-set")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %s", flags.Arg(0))
	}
	switch {
	case *set != "":
		return writeSet(*set, *n, *dir)
	case *targets:
		return runTargets(*rounds, *only, out)
	case *recorded:
		all, err := readResults(resultsFile)
		if err != nil {
			return err
		}
		return publish(all)
	}
	p := plan{rounds: *rounds, time: 50 * time.Millisecond, verbose: true}
	for _, size := range docSizes {
		if size <= *largest {
			p.sizes = append(p.sizes, size)
		}
	}
	if *smoke {
		p = plan{rounds: 1, time: time.Millisecond, sizes: []int{1000}}
	}
	all, err := exprSamples(p)
	if err != nil {
		return err
	}
	docs, err := docSamples(p)
	if err != nil {
		return err
	}
	all = append(all, docs...)
	if *update {
		if err := writeResults(resultsFile, all); err != nil {
			return err
		}
		if err := publish(all); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, markdown(all))
	return err
}

// publish writes what is shown of results.
func publish(all []sample) error {
	if err := drawPlot(filepath.Join(root, "docs", "speed.svg"), all); err != nil {
		return err
	}
	return updateReadme(filepath.Join(root, "README.md"), markdown(all))
}
