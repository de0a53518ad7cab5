// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
)

var mergeCommand = command{
	name:    "merge",
	aliases: []string{"m"},
	args:    "[--partial] [--dialect NAME] [-o FILE] [--sandbox] TEMPLATE [STUB...]",
	short:   "merge a template with stubs and print the manifest",
	long: `
Merges TEMPLATE with the STUBs, of which the rightmost is evaluated first, and
prints the result as YAML. One of the files may be "-", the standard input.
If a node cannot be resolved, nothing is printed and the exit status is 1.`,
	flags: func(f *pflag.FlagSet) {
		f.StringP("output", "o", "", "write the manifest to `FILE`, wholly or not at all")
		f.Bool("stats", false, "print exact counts of the work done to standard error")
		f.Bool("partial", false, "print unresolved nodes as expressions instead of failing")
		f.String("dialect", spiff.Dialects()[0].Name, "how strings are escaped and lambdas printed: "+strings.Join(dialectNames(), ", "))
	},
	limited: true,
	merges:  true,
	run:     runMerge,
}

func runMerge(e *env, flags *pflag.FlagSet) error {
	names := flags.Args()
	if len(names) == 0 {
		return usageError{"a template is required"}
	}
	partial, _ := flags.GetBool("partial")
	name, _ := flags.GetString("dialect")
	at := slices.Index(dialectNames(), name)
	if at < 0 {
		return usageError{fmt.Sprintf("unknown dialect %q, there are %s", name, strings.Join(dialectNames(), ", "))}
	}
	if err := stdinOnce(names); err != nil {
		return err
	}
	docs, err := loadAll(e, names)
	if err != nil {
		return err
	}
	opt := spiff.Options{Partial: partial, Dialect: spiff.Dialects()[at], Files: e.files(), Limits: e.limits, Policy: e.policy}
	if count, _ := flags.GetBool("stats"); count {
		defer printStats(e, &opt)()
	}
	r, err := spiff.Merge(docs[0], docs[1:], opt)
	var u *spiff.Unresolved
	if errors.As(err, &u) {
		fmt.Fprint(e.stderr, "error generating manifest: ")
		u.Write(e.stderr)
		return errReported
	}
	if err != nil {
		return err
	}
	out, err := r.Append(nil)
	if err != nil {
		return fmt.Errorf("error writing manifest: %s", placed(err))
	}
	to, _ := flags.GetString("output")
	if err := writeOutput(e, to, out); err != nil {
		return fmt.Errorf("error writing manifest: %w", err)
	}
	return nil
}

func dialectNames() (names []string) {
	for _, d := range spiff.Dialects() {
		names = append(names, d.Name)
	}
	return names
}

// stdinOnce fails if the standard input is named more than once.
func stdinOnce(names []string) error {
	if i := slices.Index(names, "-"); i >= 0 && slices.Contains(names[i+1:], "-") {
		return errors.New("stdin cannot be used twice")
	}
	return nil
}

// loadAll reads a template and its stubs, all at once, and prints the warnings
// in the order of the files. The first file that cannot be read is the error.
func loadAll(e *env, names []string) ([]*spiff.Document, error) {
	docs, errs := make([]*spiff.Document, len(names)), make([]error, len(names))
	var wg sync.WaitGroup
	for i, n := range names {
		role := "stub"
		if i == 0 {
			role = "template"
		}
		wg.Go(func() { docs[i], errs[i] = read(e, n, role) })
	}
	wg.Wait()
	for i, d := range docs {
		if errs[i] != nil {
			return nil, errs[i]
		}
		warn(e, d)
	}
	return docs, nil
}

// load reads one file and prints its warnings. role names it in messages.
func load(e *env, name, role string) (*spiff.Document, error) {
	d, err := read(e, name, role)
	if err == nil {
		warn(e, d)
	}
	return d, err
}

// read reads one file.
func read(e *env, name, role string) (*spiff.Document, error) {
	var text []byte
	var err error
	if name == "-" {
		text, err = e.limits.Read(e.stdin)
	} else {
		text, err = readFile(name, e.limits)
	}
	if err != nil {
		return nil, fmt.Errorf("error reading %s [%s]: %w", role, name, err)
	}
	d, err := spiff.LoadWithin(name, text, e.limits)
	if err != nil {
		return nil, fmt.Errorf("error parsing %s [%s]: %s", role, name, placed(err))
	}
	return d, nil
}

// warn prints the warnings of a file.
func warn(e *env, d *spiff.Document) {
	for _, w := range d.Warnings() {
		fmt.Fprintf(e.stderr, "%s\n", w.Error())
		for i := range w.Notes {
			fmt.Fprintf(e.stderr, "  %s\n", w.Notes[i].Error())
		}
	}
}

// placed returns the place and message of an error, without its severity.
func placed(err error) string {
	var d *diag.Diagnostic
	if errors.As(err, &d) && d.Span.Src != nil {
		return d.Span.String() + ": " + d.Msg
	}
	return err.Error()
}

// readFile reads a file, with plain words for a directory.
func readFile(name string, limits spiff.Limits) ([]byte, error) {
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		return nil, fmt.Errorf("open %s: is a directory, a YAML file is needed", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return limits.Read(f)
}

var disasmCommand = command{
	name:  "disasm",
	args:  "FILE[:PATH]",
	short: "print the compiled form of the expressions in a file",
	long: `
Prints the bytecode of every distinct expression in FILE, or of those at and
below PATH, such as jobs.web.instances.`,
	limited: true,
	run: func(e *env, flags *pflag.FlagSet) error {
		if flags.NArg() != 1 {
			return usageError{"one file is required"}
		}
		name, path := flags.Arg(0), ""
		if _, err := os.Stat(name); err != nil {
			name, path, _ = strings.Cut(name, ":")
		}
		d, err := load(e, name, "file")
		if err != nil {
			return err
		}
		var b strings.Builder
		if err := spiff.Disassemble(&b, d, path); err != nil {
			return err
		}
		_, err = io.WriteString(e.stdout, b.String())
		return err
	},
}
