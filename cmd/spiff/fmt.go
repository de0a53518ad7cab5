// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
)

var fmtCommand = command{
	name:  "fmt",
	args:  "[flags] FILE...",
	short: "lay out templates in the usual form",
	long: `
Lays out templates anew: two columns of indentation, lists below their key, one
blank between expressions, at most one empty line. Comments, quotes, the order
of lines and the result of a merge stay as they are. A file for which that is
not certain is left as it is, with a warning.
Prints the result for one FILE, which may be "-", the standard input; with the
flags, any number of files. The exit status is 1 if a file cannot be read.`,
	examples: []usageExample{
		{"spiff fmt template.yml", "print a template in the usual form"},
		{"spiff fmt -d template.yml", "show what would change"},
		{"spiff fmt -w templates/*.yml", "write all templates of a folder anew"},
		{"spiff fmt --check -l templates/*.yml", "list those that are not in the usual form, and fail if there are any"},
	},
	complete: []completion{yamlFiles},
	flags: func(f *pflag.FlagSet) {
		f.BoolP("write", "w", false, "write the results to the files")
		f.BoolP("list", "l", false, "list the files that are not in the usual form")
		f.BoolP("diff", "d", false, "show what would change")
		f.Bool("check", false, "exit with status 3 if a file is not in the usual form")
		formatFlag(f)
		colorFlag(f, "colour errors and warnings")
	},
	limited: true,
	run:     runFmt,
}

// A formatter formats files one after the other.
type formatter struct {
	e                        *env
	report                   *report
	write, list, diff, check bool
	differs                  bool // a file is not in the usual form
}

func runFmt(e *env, flags *pflag.FlagSet) error {
	f := &formatter{e: e}
	f.write, _ = flags.GetBool("write")
	f.list, _ = flags.GetBool("list")
	f.diff, _ = flags.GetBool("diff")
	f.check, _ = flags.GetBool("check")
	names := flags.Args()
	switch {
	case len(names) == 0:
		return usageError{`a file is required, or "-" for the standard input`}
	case len(names) > 1 && !f.write && !f.list && !f.diff && !f.check:
		return usageError{"several files need -w, -l, -d or --check"}
	}
	var err error
	if f.report, err = newReport(e, flags); err != nil {
		return err
	}
	if stdinTwice(names) {
		f.report.fail(errStdinTwice, diag.StdinTwice, "")
		names = nil
	}
	for _, name := range names {
		f.file(name)
	}
	if err := f.report.print(false); err != nil {
		return err
	}
	if f.check && f.differs {
		return errDiffers
	}
	return nil
}

// file formats one file. What is wrong with it is in the report.
func (f *formatter) file(name string) {
	text, err := f.read(name)
	if err != nil {
		f.report.fail(err, diag.FileRead, fmt.Sprintf("error reading file [%s]", name))
		return
	}
	r, err := spiff.Format(name, text)
	if err != nil {
		f.report.fail(err, diag.YAMLSyntax, fmt.Sprintf("error parsing file [%s]", name))
		return
	}
	if r.Left != nil {
		f.report.warnings = append(f.report.warnings, r.Left)
	}
	differs := r.Text != string(text)
	f.differs = f.differs || differs
	if err := f.show(name, string(text), r.Text); err != nil {
		f.report.fail(err, diag.Output, fmt.Sprintf("error writing the result for [%s]", name))
		return
	}
	if f.write && differs {
		if err := f.rewrite(name, r.Text); err != nil {
			f.report.fail(err, diag.Output, fmt.Sprintf("error writing file [%s]", name))
		}
	}
}

func (f *formatter) read(name string) ([]byte, error) {
	if name == "-" && f.write {
		return nil, errors.New("the standard input cannot be written to")
	}
	return readInput(f.e, name)
}

// show prints what the flags ask for.
func (f *formatter) show(name, before, after string) error {
	var out strings.Builder
	if f.list && before != after {
		out.WriteString(name + "\n")
	}
	if f.diff {
		out.WriteString(spiff.FormatDiff(name, before, after))
	}
	if !f.write && !f.list && !f.diff && !f.check {
		out.WriteString(after)
	}
	_, err := io.WriteString(f.e.stdout, out.String())
	return err
}

// rewrite replaces the text of a file, wholly or not at all. Its mode stays.
func (f *formatter) rewrite(name, text string) error {
	st, err := os.Stat(name)
	if err == nil && st.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("%s is read-only", name)
	}
	return writeFile(f.e, name, []byte(text))
}
