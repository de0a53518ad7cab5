// SPDX-License-Identifier: Apache-2.0

// Compare tells whether this tree is slower than a base commit.
//
//	go run ./bench/compare                  uncommitted changes against HEAD
//	go run ./bench/compare -base REV        this tree against REV
//	go run ./bench/compare OLD NEW          two recorded results of go test -bench
//
// It builds the benchmarks of both, the base in a git worktree in a temporary
// folder, and runs each benchmark in turn, so that a machine whose speed drifts
// slows both. Times and memory are medians, compared by the Mann-Whitney U test;
// where benchmarks report processor time, that stands for time. A change
// counts as a regression if it is significant and beyond the threshold, and if
// it shows again when the benchmark is measured a second time. Everything else
// that benchmarks report is an exact counter, of which any increase is a
// regression.
//
// The exit status is 1 for a regression, and 2 if nothing could be compared.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// defaultBench are the benchmarks that a comparison runs if it is not told
// others: all phases of all families at the smallest size, and expressions.
const defaultBench = "Spiff/.*/n=1000$|Expr|Compile|Parse"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The table is written when all is cleaned up: a reader that closes the
	// pipe ends this process.
	var table bytes.Buffer
	regressed, err := run(ctx, os.Args[1:], &table)
	stop()
	if _, e := table.WriteTo(os.Stdout); err == nil {
		err = e
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(2)
	case regressed:
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (regressed bool, err error) {
	var lim limits
	var m measurement
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), "usage: compare [flags]            this tree against -base\n       compare [flags] OLD NEW    recorded results\n")
		flags.PrintDefaults()
	}
	flags.Float64Var(&lim.time, "threshold", 10, "how many percent of `time` are accepted")
	flags.Float64Var(&lim.memory, "memory", 2, "how many percent of B/op and allocs/op are accepted")
	// A comparison makes some four hundred tests, so one in twenty would be
	// wrong too often.
	flags.Float64Var(&lim.alpha, "alpha", 0.01, "level of significance")
	flags.StringVar(&m.base, "base", "HEAD", "`commit` to compare with")
	flags.StringVar(&m.bench, "bench", defaultBench, "benchmarks to run, as go test -bench takes them")
	flags.IntVar(&m.count, "count", 8, "how often each side runs")
	flags.DurationVar(&m.time, "benchtime", 20*time.Millisecond, "how long a benchmark runs each time")
	flags.StringVar(&m.keep, "keep", "", "`folder` for the results, base.txt and tree.txt")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	switch flags.NArg() {
	case 0:
		return compareTrees(ctx, m, lim, out)
	case 2:
		old, err := readResults(flags.Arg(0))
		if err != nil {
			return false, err
		}
		new, err := readResults(flags.Arg(1))
		if err != nil {
			return false, err
		}
		c := compareResults(old, new, lim)
		c.print(out, flags.Arg(0), flags.Arg(1))
		return len(c.regressions()) > 0, c.empty()
	}
	return false, errors.New("expected no argument, or two files of results")
}
