// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
)

var mergeCommand = command{
	name:    "merge",
	aliases: []string{"m"},
	args:    "[flags] TEMPLATE [STUB...]",
	short:   "merge a template with stubs and print the manifest",
	long: `
Merges TEMPLATE with the STUBs, of which the rightmost is evaluated first, and
prints the result as YAML. One of the files may be "-", the standard input.
If a node cannot be resolved, nothing is printed and the exit status is 1.`,
	examples: []usageExample{
		{"spiff merge template.yml stub.yml > manifest.yml", "merge a template with a stub"},
		{"cat template.yml | spiff merge - stub.yml", "read the template from the standard input"},
		{"spiff merge -o manifest.yml template.yml infrastructure.yml secrets.yml", "replace the manifest only if the merge succeeds"},
		{"spiff merge --partial template.yml", "keep what cannot be resolved yet as expressions"},
		{"spiff merge --sandbox --strict template.yml stub.yml", "run nothing, read nothing else, and fail at warnings"},
		{"spiff merge --json --path jobs.api template.yml stub.yml", "print a part of the result, as JSON"},
		{"spiff merge -D env=prod --bindings vars.yml template.yml", "give expressions names from outside"},
		{"spiff merge --check-output manifest.yml template.yml stub.yml", "fail in CI if the committed manifest is stale"},
		{"spiff merge --error-format sarif template.yml 2> report.sarif", "report errors to a code scanner"},
	},
	complete: []completion{yamlFiles},
	flags: func(f *pflag.FlagSet) {
		f.StringP("output", "o", "", "write the manifest to `FILE`, wholly or not at all")
		completes(f, "output", yamlFiles)
		f.Bool("partial", false, "print unresolved nodes as expressions instead of failing")
		f.Bool("strict", false, "check like the command check, and fail if there is a warning")
		f.BoolP("quiet", "q", false, "print no warnings")
		f.String("check-output", "", "print no manifest, but how it differs from `FILE`, a unified diff;\nexit with status 3 if it does, or if there is no such file")
		completes(f, "check-output", yamlFiles)
		outputFlags(f)
		bindingFlags(f)
		observeFlags(f)
		dialectFlag(f)
		reportFlags(f)
	},
	limited: true,
	merges:  true,
	run:     runMerge,
}

func runMerge(e *env, flags *pflag.FlagSet) error {
	if err := contradiction(flags); err != nil {
		return err
	}
	if err := conflict(flags); err != nil {
		return err
	}
	form, err := outputOf(flags)
	if err != nil {
		return err
	}
	o := newObserver(e, flags)
	opt := spiff.Options{Profile: o.profile, Stats: &o.counts}
	opt.Partial, _ = flags.GetBool("partial")
	opt.Check, _ = flags.GetBool("strict")
	m, err := mergeDocuments(e, flags, flags.Args(), opt, o)
	if err != nil {
		return err
	}
	out := m.output(form)
	o.phase("write")
	if quiet, _ := flags.GetBool("quiet"); quiet {
		m.report.warnings = nil
	}
	show := m.deliver(e, flags, o.provenance, out)
	if err := m.report.print(opt.Check); err != nil {
		o.failed(m.docs)
		return err
	}
	o.report(m.docs, m.result, out)
	return show()
}

// deliver writes the files that a merge was asked for, unless it failed, and
// returns what does the rest on the standard output. That files cannot be written
// or compared is in the report.
func (m *merged) deliver(e *env, flags *pflag.FlagSet, provenance string, out []byte) func() error {
	nothing := func() error { return nil }
	if strict, _ := flags.GetBool("strict"); m.report.failed(strict) {
		return nothing
	}
	if provenance != "" {
		if err := writeProvenance(e, m.result, provenance); err != nil {
			return m.unwritten(err, fmt.Sprintf("error writing provenance [%s]", provenance))
		}
	}
	committed, _ := flags.GetString("check-output")
	to, _ := flags.GetString("output")
	switch {
	case committed != "":
		return m.compare(e, committed, out)
	case to == "":
		return func() error {
			if _, err := e.stdout.Write(out); err != nil {
				return fmt.Errorf("error writing manifest: %w", err)
			}
			return nil
		}
	}
	if err := writeFile(e, to, out); err != nil {
		return m.unwritten(err, "error writing manifest")
	}
	return nothing
}

// unwritten reports that a file cannot be written, and returns what deliver does:
// that the reader of a pipe has gone ends the process without a word.
func (m *merged) unwritten(err error, context string) func() error {
	if !errors.Is(err, syscall.EPIPE) {
		m.report.fail(err, diag.Output, context)
	}
	return func() error { return err }
}

// outputFlags defines the flags that say how a result is printed.
func outputFlags(f *pflag.FlagSet) {
	f.Bool("json", false, "print JSON, one line for each document")
	f.String("path", "", "print the node at `PATH` only, such as jobs.api or /jobs/name=api")
	f.StringArray("select", nil, "print the node at `PATH` within what is around it, and nothing else;\nseveral are printed together")
	completes(f, "path", nodePath)
	completes(f, "select", nodePath)
	f.Bool("preserve-temporary", false, "print temporary nodes too")
	f.Bool("preserve-escapes", false, "print escaped expressions with their mark, as ((! ... ))")
	f.StringSlice("preserve", nil, "keep what `WORDS` say of the template: order of the keys, comments,\nor both as order,comments")
	completes(f, "preserve", words(spiff.PreserveWords...))
}

// outputOf returns what the flags of outputFlags say. The error is one of the
// command line.
func outputOf(flags *pflag.FlagSet) (o spiff.Output, err error) {
	o.JSON, _ = flags.GetBool("json")
	o.Path, _ = flags.GetString("path")
	o.Select, _ = flags.GetStringArray("select")
	o.KeepTemporary, _ = flags.GetBool("preserve-temporary")
	o.KeepEscapes, _ = flags.GetBool("preserve-escapes")
	preserve, _ := flags.GetStringSlice("preserve")
	for _, word := range preserve {
		o.Preserve(word) // the words were checked before
	}
	if err := o.Check(); err != nil {
		return o, usageError{err.Error()}
	}
	return o, nil
}

// output returns the text to print. What is wrong with the result is in the
// report.
func (m *merged) output(o spiff.Output) []byte {
	if len(m.report.errors) > 0 {
		return nil
	}
	out, err := m.result.AppendOutput(nil, o)
	var d *diag.Diagnostic
	switch {
	case errors.As(err, &d) && slices.Contains(selectionCodes, d.Code):
		m.report.fail(err, "", "")
	case err != nil:
		m.report.fail(err, diag.Output, "error writing manifest")
	}
	return out
}

// selectionCodes are those of a path that leads nowhere.
var selectionCodes = []diag.Code{diag.UnknownKey, diag.UnknownEntry, diag.NoFields}

// contradictions are flags of merge that make no sense together, and why.
var contradictions = []struct{ a, b, why string }{
	{"check-output", "output", "one only compares, the other writes"},
	{"json", "preserve", "the keys of JSON objects have no order, and JSON has no comments"},
	{"quiet", "strict", "a merge would fail for warnings that nobody sees"},
}

// contradiction returns the error of flags that exclude each other.
func contradiction(flags *pflag.FlagSet) error {
	for _, c := range contradictions {
		if given(flags, c.a) && given(flags, c.b) {
			return usageError{fmt.Sprintf("--%s and --%s exclude each other: %s", c.a, c.b, c.why)}
		}
	}
	return nil
}

// given says whether a flag is set to something else than false.
func given(flags *pflag.FlagSet, name string) bool {
	f := flags.Lookup(name)
	return f != nil && f.Changed && f.Value.String() != "false"
}

// compare returns what prints how a file differs from what it should be, if it
// does. That the file cannot be read is in the report.
func (m *merged) compare(e *env, name string, want []byte) func() error {
	text, err := readFile(name, e.limits)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		m.report.fail(err, diag.FileRead, fmt.Sprintf("error reading [%s]", name))
	}
	return func() error {
		if !missing && bytes.Equal(text, want) {
			return nil
		}
		if _, err := io.WriteString(e.stdout, spiff.FormatDiff(name, string(text), string(want))); err != nil {
			return fmt.Errorf("error writing the difference: %w", err)
		}
		return errDiffers
	}
}

// merged is what came of the files of a command line.
type merged struct {
	docs   []*spiff.Document
	result *spiff.Result
	report *report // of what is wrong with the files
	opt    spiff.Options
}

// newMerged returns a merge that has not begun, with the options that flags say
// besides opt. The error is one of the command line itself.
func newMerged(e *env, flags *pflag.FlagSet, opt spiff.Options) (m merged, err error) {
	opt.Dialect = dialectOf(flags)
	if m.report, err = newReport(e, flags); err != nil {
		return m, err
	}
	if opt.Bindings, err = m.report.bindings(flags); err != nil {
		return m, err
	}
	opt.Files, opt.Limits, opt.Policy = e.files(), e.limits, e.policy
	m.opt = opt
	return m, nil
}

// mergeDocuments merges files. The error is one of the command line itself. The
// observer, if there is one, is told of the phases.
func mergeDocuments(e *env, flags *pflag.FlagSet, names []string, opt spiff.Options, o *observer) (m merged, err error) {
	if len(names) == 0 {
		return m, usageError{"a template is required"}
	}
	if m, err = newMerged(e, flags, opt); err != nil {
		return m, err
	}
	m.merge(names, o)
	return m, nil
}

// merge merges files, template first. What is wrong with them is in the report.
func (m *merged) merge(names []string, o *observer) {
	bound := len(m.report.errors) == 0
	var ok bool
	if m.docs, ok = m.report.loadAll(names); !ok || !bound {
		return
	}
	o.phase("read")
	var err error
	m.result, err = spiff.Merge(context.Background(), m.docs[0], m.docs[1:], m.opt)
	if err != nil {
		m.report.fail(err, "", "")
	}
	o.phase("merge")
	if m.opt.Check {
		m.check(m.opt.Dialect)
	}
}

// check adds the warnings about what is probably not meant.
func (m merged) check(dialect spiff.Dialect) {
	for _, d := range m.docs {
		m.report.warnings = append(m.report.warnings, d.Check(dialect)...)
	}
	if m.result != nil {
		m.report.warnings = append(m.report.warnings, m.result.Warnings()...)
	}
	m.report.warnings.Sort()
}

func dialectFlag(f *pflag.FlagSet) {
	f.String("dialect", spiff.Dialects()[0].Name, "how strings are escaped and lambdas printed, as in `DIALECT`: "+strings.Join(dialectNames(), ", "))
	completes(f, "dialect", words(dialectNames()...))
}

// dialectOf returns the dialect that the command line chooses.
func dialectOf(flags *pflag.FlagSet) spiff.Dialect {
	name, _ := flags.GetString("dialect")
	return spiff.Dialects()[slices.Index(dialectNames(), name)]
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
	examples: []usageExample{
		{"spiff disasm template.yml", "print the bytecode of all expressions"},
		{"spiff disasm template.yml:jobs.web", "print that of the expressions at and below a node"},
	},
	complete: []completion{yamlFiles, nothing},
	limited:  true,
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
