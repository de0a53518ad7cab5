// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/diag/render"
	"github.com/spf13/pflag"
)

// formatVariable chooses the format where the command line does not.
const formatVariable = "SPIFF_ERROR_FORMAT"

// A format is a way to print errors and warnings.
type format struct {
	name   string
	write  render.Format
	always bool // a document is written also if there is nothing to say
}

// formats are all of them, the default first.
var formats = []format{
	{"rich", render.Rich, false},
	{"classic", render.Classic, false},
	{"json", render.JSON, true},
	{"sarif", render.SARIF, true},
	{"github", render.GitHub, false},
}

func formatNames() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// reportFlags defines the flags that newReport reads.
func reportFlags(f *pflag.FlagSet) {
	formatFlag(f)
	f.Bool("all", false, "list all nodes that wait for one that failed")
	colorFlag(f, "colour errors and warnings")
}

func formatFlag(f *pflag.FlagSet) {
	f.String("error-format", "", "print errors and warnings as `FORMAT`: "+strings.Join(formatNames(), ", ")+"\n(default "+formats[0].name+", or $"+formatVariable+")")
	completes(f, "error-format", words(formatNames()...))
}

// A report collects what is to be said about a run, and prints it at the end.
type report struct {
	e        *env
	format   int
	opt      render.Options
	errors   diag.List
	warnings diag.List
	classic  func(io.Writer) // of unresolved nodes, which print themselves
}

func newReport(e *env, flags *pflag.FlagSet) (*report, error) {
	name, _ := flags.GetString("error-format")
	if name == "" {
		name = os.Getenv(formatVariable)
	}
	r := &report{e: e}
	if name != "" {
		r.format = slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	}
	if r.format < 0 { // the flag was checked before
		return nil, usageError{fmt.Sprintf("%s is %q, %s", formatVariable, name, wordsMessage(name, formatNames()))}
	}
	r.opt.All, _ = flags.GetBool("all")
	r.opt.Version = readBuild().Version
	when, _ := flags.GetString("color")
	r.opt.Color = useColor(when, e.stderr)
	return r, nil
}

// fail adds an error. In text it follows context, such as "error parsing
// template [t.yml]".
func (r *report) fail(err error, code diag.Code, context string) {
	var u *spiff.Unresolved
	if errors.As(err, &u) {
		r.errors = append(r.errors, u.Diagnostics()...)
		r.opt.Header, r.opt.Legend = "error generating manifest: unresolved nodes:", spiff.Legend
		r.classic = func(w io.Writer) {
			fmt.Fprint(w, "error generating manifest: ")
			u.Write(w)
		}
		return
	}
	if context != "" {
		context += ": "
	}
	d := &diag.Diagnostic{Code: code, Msg: context + err.Error(), Classic: []string{context + err.Error()}}
	var known *diag.Diagnostic
	if errors.As(err, &known) {
		*d = *known
		if d.Code == "" {
			d.Code = code
		}
		if len(d.Classic) == 0 {
			d.Classic = []string{context + placed(known)}
		}
		if d.Msg = known.Msg; d.Span.Src == nil || code != diag.YAMLSyntax { // else the place names the file
			d.Msg = context + known.Msg
		}
	}
	if code == diag.FileRead {
		unreadable(d, err)
	}
	r.errors = append(r.errors, d)
}

// unreadable says in plain words why a file cannot be read. The classic line
// has the words of the system.
func unreadable(d *diag.Diagnostic, err error) {
	var pe *fs.PathError
	if !errors.As(err, &pe) {
		return
	}
	d.Msg = fmt.Sprintf("cannot read %s: %s", pe.Path, pe.Err)
	switch {
	case errors.Is(err, errFolder):
		d.Msg = pe.Path + " is a folder, and a YAML file is needed"
		d.Fix = "name a file instead of the folder, such as one in it"
	case errors.Is(err, fs.ErrNotExist):
		d.Fix = "correct the name; one that is relative starts at the working directory"
	case errors.Is(err, fs.ErrPermission):
		d.Fix = "let this user read the file"
	}
}

// failed says whether something is wrong. With strict, a warning is.
func (r *report) failed(strict bool) bool {
	return len(r.errors) > 0 || strict && len(r.warnings) > 0
}

// print writes the report and returns the error that ends the command: nil if
// nothing is wrong. With strict, a warning is wrong.
func (r *report) print(strict bool) error {
	f := formats[r.format]
	failed := r.failed(strict)
	if !f.always && len(r.errors)+len(r.warnings) == 0 {
		return nil
	}
	var err error
	if f.name == "classic" {
		r.printClassic()
	} else {
		if f.name == "rich" { // the message stands in the classic line already
			for _, d := range r.errors {
				if r.classic == nil {
					d.Classic = nil
				}
			}
		}
		err = f.write(r.e.stderr, slices.Concat(r.errors, r.warnings), r.opt)
	}
	if err == nil && failed {
		err = errReported
	}
	return err
}

// printClassic prints what the classic program prints: warnings, and the first
// error, at which it stops.
func (r *report) printClassic() {
	_ = render.Classic(r.e.stderr, r.warnings, r.opt)
	switch {
	case r.classic != nil:
		r.classic(r.e.stderr)
	case len(r.errors) > 0:
		_ = render.Classic(r.e.stderr, r.errors[:1], r.opt)
	}
}

// placed returns the place and message of a diagnostic, without its severity.
func placed(d *diag.Diagnostic) string {
	msg := d.Msg
	if d.Code == diag.YAMLKey && d.Fix != "" { // the classic line has the advice, too
		msg += " (" + d.Fix + ")"
	}
	if d.Span.Src != nil {
		return d.Span.String() + ": " + msg
	}
	return msg
}

// A loaded file is a document, or why there is none.
type loaded struct {
	doc  *spiff.Document
	err  error
	code diag.Code // of err: whether reading or parsing failed
}

// loadFile reads one file.
func loadFile(e *env, name string) loaded {
	text, err := readInput(e, name)
	switch {
	case err == errStdinTwice:
		return loaded{err: err, code: diag.StdinTwice}
	case err != nil:
		return loaded{err: err, code: diag.FileRead}
	}
	d, err := spiff.LoadWithin(name, text, e.limits)
	return loaded{d, err, diag.YAMLSyntax}
}

// load reads one file and keeps its warnings. role names it in messages. It
// returns nil if that fails.
func (r *report) load(name, role string) *spiff.Document {
	return r.keep(loadFile(r.e, name), name, role)
}

// keep takes over the document of a file, or what is wrong with it.
func (r *report) keep(f loaded, name, role string) *spiff.Document {
	switch {
	case f.err == nil:
		r.warnings = append(r.warnings, f.doc.Warnings()...)
	case f.code == diag.StdinTwice:
		r.fail(f.err, f.code, "")
	case f.code == diag.FileRead:
		r.fail(f.err, f.code, fmt.Sprintf("error reading %s [%s]", role, name))
		if fix := readFix(name, f.err); fix != "" {
			r.errors[len(r.errors)-1].Fix = fix
		}
	default:
		r.fail(f.err, f.code, fmt.Sprintf("error parsing %s [%s]", role, name))
	}
	return f.doc
}

// readFix says what to do about a file that cannot be read, "" for what the code
// of the error says.
func readFix(name string, err error) string {
	switch s := similarFile(name); {
	case errors.Is(err, spiff.ErrTooLarge):
		return "raise the limit if the file is meant to be so large"
	case s != "" && errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("did you mean %q?", s)
	}
	return ""
}

// loadAll reads the files of a merge, template first, all at once. What is
// wrong with each of them is reported in their order. ok is false if something
// is.
func (r *report) loadAll(names []string) (docs []*spiff.Document, ok bool) {
	if stdinTwice(names) {
		r.fail(errStdinTwice, diag.StdinTwice, "")
		return nil, false
	}
	files := make([]loaded, len(names))
	var wg sync.WaitGroup
	for i, n := range names[1:] {
		wg.Go(func() { files[1+i] = loadFile(r.e, n) })
	}
	files[0] = loadFile(r.e, names[0])
	wg.Wait()
	for i, n := range names {
		role := "stub"
		if i == 0 {
			role = "template"
		}
		docs = append(docs, r.keep(files[i], n, role))
	}
	return docs, len(r.errors) == 0
}

// readInput reads a file or the standard input, which can be read only once:
// the error is errStdinTwice for another time, as with --bindings - beside a
// template that is "-".
func readInput(e *env, name string) ([]byte, error) {
	if name == "-" {
		if e.stdinRead.Swap(true) {
			return nil, errStdinTwice
		}
		return e.limits.Read(e.stdin)
	}
	return readFile(name, e.limits)
}

var errFolder = errors.New("is a directory, a YAML file is needed")

// readFile reads a file, with plain words for a directory.
func readFile(name string, limits spiff.Limits) ([]byte, error) {
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errFolder}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return limits.Read(f)
}

// similarFile returns a file in the same folder whose name is most like a
// missing one, or "".
func similarFile(name string) string {
	dir, base := filepath.Split(name)
	entries, err := os.ReadDir(filepath.Join(dir, "."))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if s := diag.Closest(base, names); s != "" {
		return dir + s
	}
	return ""
}
