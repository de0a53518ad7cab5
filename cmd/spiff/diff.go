// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

var diffCommand = command{
	name:    "diff",
	aliases: []string{"d"},
	args:    "[--separator TEXT] [--color WHEN] [--exit-code] A B",
	short:   "show how two manifests differ in structure",
	long: `
Compares the YAML files A and B, of which one may be "-", the standard input.
List entries are compared by their name where they have one, so their order
does not matter, except that of the jobs. Nothing is evaluated.
The exit status is 0 also if there are differences, unless --exit-code is
given; it is 1 if a file cannot be read.`,
	flags: func(f *pflag.FlagSet) {
		f.String("separator", "", "print `TEXT` after each difference")
		colorFlag(f, "use colours")
		f.Bool("exit-code", false, "exit with status 1 if there are differences")
		formatFlag(f)
	},
	limited: true,
	run:     runDiff,
}

func runDiff(e *env, flags *pflag.FlagSet) error {
	if flags.NArg() != 2 {
		return usageError{"two files are required"}
	}
	when, _ := flags.GetString("color")
	color, err := useColor(when, e.stdout)
	if err != nil {
		return err
	}
	names := flags.Args()
	r, err := newReport(e, flags)
	if err != nil {
		return err
	}
	var docs [2]*spiff.Document
	if stdinTwice(names) {
		r.fail(errStdinTwice, diag.StdinTwice, "")
	} else {
		for i, role := range []string{"a", "b"} {
			docs[i] = r.load(names[i], role)
		}
	}
	if err := r.print(false); err != nil {
		return err
	}
	c, err := spiff.Diff(docs[0], docs[1])
	if err != nil {
		return fmt.Errorf("error comparing [%s] and [%s]: %w", names[0], names[1], err)
	}
	separator, _ := flags.GetString("separator")
	if err := c.Write(e.stdout, spiff.DiffOptions{Separator: separator, Color: color}); err != nil {
		return fmt.Errorf("error writing differences: %w", err)
	}
	if exitCode, _ := flags.GetBool("exit-code"); exitCode && !c.Equal() {
		return errReported
	}
	return nil
}

func colorFlag(f *pflag.FlagSet, what string) {
	f.String("color", "auto", what+": `WHEN` is always, never, or auto,\n"+
		"which is on a terminal unless NO_COLOR is set")
}

// useColor says whether to print escape sequences to w.
func useColor(when string, w io.Writer) (bool, error) {
	switch when {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		f, ok := w.(*os.File)
		if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
			return false, nil
		}
		return term.IsTerminal(int(f.Fd())), nil
	}
	return false, usageError{fmt.Sprintf("--color is always, never or auto, not %q", when)}
}
