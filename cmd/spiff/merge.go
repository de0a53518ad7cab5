// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
)

var mergeCommand = command{
	name:    "merge",
	aliases: []string{"m"},
	args:    "[--partial] [--strict] [--error-format FORMAT] [--dialect NAME] TEMPLATE [STUB...]",
	short:   "merge a template with stubs and print the manifest",
	long: `
Merges TEMPLATE with the STUBs, of which the rightmost is evaluated first, and
prints the result as YAML. One of the files may be "-", the standard input.
If a node cannot be resolved, nothing is printed and the exit status is 1.`,
	flags: func(f *pflag.FlagSet) {
		f.Bool("partial", false, "print unresolved nodes as expressions instead of failing")
		f.Bool("strict", false, "check like the command check, and fail if there is a warning")
		dialectFlag(f)
		reportFlags(f)
	},
	run: runMerge,
}

func runMerge(e *env, flags *pflag.FlagSet) error {
	var opt spiff.Options
	opt.Partial, _ = flags.GetBool("partial")
	opt.Check, _ = flags.GetBool("strict")
	result, r, err := mergeDocuments(e, flags, opt)
	if err != nil {
		return err
	}
	var out []byte
	if len(r.errors) == 0 {
		if out, err = result.Append(nil); err != nil {
			r.fail(err, diag.Output, "error writing manifest")
		}
	}
	if err := r.print(opt.Check); err != nil {
		return err
	}
	if _, err = e.stdout.Write(out); err != nil {
		return fmt.Errorf("error writing manifest: %w", err)
	}
	return nil
}

// mergeDocuments merges the files of the command line. The error is one of the
// command line; what is wrong with the files is in the report.
func mergeDocuments(e *env, flags *pflag.FlagSet, opt spiff.Options) (*spiff.Result, *report, error) {
	names := flags.Args()
	if len(names) == 0 {
		return nil, nil, usageError{"a template is required"}
	}
	name, _ := flags.GetString("dialect")
	at := slices.Index(dialectNames(), name)
	if at < 0 {
		return nil, nil, usageError{fmt.Sprintf("unknown dialect %q, there are %s", name, strings.Join(dialectNames(), ", "))}
	}
	r, err := newReport(e, flags)
	if err != nil {
		return nil, nil, err
	}
	docs, ok := r.loadAll(names)
	if !ok {
		return nil, r, nil
	}
	opt.Dialect, opt.Files = spiff.Dialects()[at], spiff.Files{Stderr: e.stderr}
	result, err := spiff.Merge(docs[0], docs[1:], opt)
	if err != nil {
		r.fail(err, "", "")
	}
	if opt.Check {
		for _, d := range docs {
			r.warnings = append(r.warnings, d.Check(opt.Dialect)...)
		}
		if err == nil {
			r.warnings = append(r.warnings, result.Warnings()...)
		}
		r.warnings.Sort()
	}
	return result, r, nil
}

func dialectFlag(f *pflag.FlagSet) {
	f.String("dialect", spiff.Dialects()[0].Name, "how strings are escaped and lambdas printed: "+strings.Join(dialectNames(), ", "))
}

func dialectNames() (names []string) {
	for _, d := range spiff.Dialects() {
		names = append(names, d.Name)
	}
	return names
}

var errStdinTwice = errors.New("stdin cannot be used twice")

// stdinTwice says whether the standard input is named more than once.
func stdinTwice(names []string) bool {
	i := slices.Index(names, "-")
	return i >= 0 && slices.Contains(names[i+1:], "-")
}

var disasmCommand = command{
	name:  "disasm",
	args:  "FILE[:PATH]",
	short: "print the compiled form of the expressions in a file",
	long: `
Prints the bytecode of every distinct expression in FILE, or of those at and
below PATH, such as jobs.web.instances.`,
	flags: func(f *pflag.FlagSet) {
		formatFlag(f)
		colorFlag(f, "colour errors and warnings")
	},
	run: func(e *env, flags *pflag.FlagSet) error {
		if flags.NArg() != 1 {
			return usageError{"one file is required"}
		}
		name, path := flags.Arg(0), ""
		if _, err := os.Stat(name); err != nil {
			name, path, _ = strings.Cut(name, ":")
		}
		r, err := newReport(e, flags)
		if err != nil {
			return err
		}
		d := r.load(name, "file")
		if err := r.print(false); err != nil {
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
