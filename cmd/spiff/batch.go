// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/batch"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/diag/render"
	"github.com/spf13/pflag"
)

var batchCommand = command{
	name:  "batch",
	args:  "[flags] FILE",
	short: "merge many targets that share inputs",
	long: `
Merges the targets that FILE lists, a YAML list of maps with the keys template,
stubs, output, name and bindings, and with flags of the command merge as keys:
partial, json, path, select, preserve, preserve-temporary and preserve-escapes.
Names of files are relative to the folder of FILE, or to the working folder if
that is "-", the standard input. Each input is read once, targets are merged in
parallel, and all outputs are written or, if a target fails, none. An output that
is right already is not touched.
The exit status is 1 if a target fails, and 3 if --check finds a stale output.`,
	examples: []usageExample{
		{"spiff batch fleet.yml", "merge all targets of a batch file"},
		{"spiff batch --keep-going -j 4 fleet.yml", "four at a time, and write what succeeds"},
		{"spiff batch --check fleet.yml", "in CI: are the outputs up to date?"},
		{"spiff batch --shard 2/8 fleet.yml", "the second of eight shares, for one of eight machines"},
		{"spiff batch --watch fleet.yml", "merge again what a changed file affects"},
		{"spiff merge fleet.yml | spiff batch -", "make the list itself with expressions"},
	},
	complete: []completion{yamlFiles, nothing},
	flags: func(f *pflag.FlagSet) {
		f.IntP("jobs", "j", 0, "merge `N` targets at the same time (default one for each processor)")
		f.BoolP("keep-going", "k", false, "write the results of targets that succeed although others fail")
		f.Bool("check", false, "write nothing, exit with status 3 if an output is missing or not up to date")
		f.String("shard", "", "take the share `I/N` of the targets, with I from 1 to N")
		f.BoolP("watch", "w", false, "then wait for inputs to change, and merge the targets that use them")
		f.Bool("json", false, "print what was done as JSON to the standard output")
		f.BoolP("quiet", "q", false, "print no warnings, and no table of the targets")
		bindingFlags(f)
		dialectFlag(f)
		reportFlags(f)
	},
	limited: true,
	merges:  true,
	before:  1,
	run:     runBatch,
}

// A batcher is a run of the command.
type batcher struct {
	e                  *env
	flags              *pflag.FlagSet
	file               string
	shard              batch.Shard
	check, json, quiet bool
	watching           bool
	runner             *batch.Runner
	progress           *progress
}

func runBatch(e *env, flags *pflag.FlagSet) error {
	return runBatchWith(e, flags, func() (watcher, error) { return newFileWatcher() })
}

// runBatchWith is runBatch that gets the watcher, if it needs one, from a
// function.
func runBatchWith(e *env, flags *pflag.FlagSet, files func() (watcher, error)) error {
	b, opt, err := newBatcher(e, flags)
	if err != nil {
		return err
	}
	plan, err := b.plan()
	if err != nil {
		return err
	}
	if opt.Merge.Bindings, err = b.bindings(); err != nil {
		return err
	}
	opt.Definitions, _ = flags.GetStringArray("define")
	b.runner = batch.New(plan, opt)
	if !b.watching {
		return b.round(nil)
	}
	w, err := files()
	if err == nil {
		err = b.watch(w)
	}
	if err != nil {
		return fmt.Errorf("error watching files: %w", err)
	}
	return nil
}

// newBatcher reads the command line.
func newBatcher(e *env, flags *pflag.FlagSet) (b *batcher, opt batch.Options, err error) {
	if flags.NArg() != 1 {
		return nil, opt, usageError{`one batch file is required, or "-" for the standard input`}
	}
	b = &batcher{e: e, flags: flags, file: flags.Arg(0)}
	b.check, _ = flags.GetBool("check")
	b.json, _ = flags.GetBool("json")
	b.quiet, _ = flags.GetBool("quiet")
	b.watching, _ = flags.GetBool("watch")
	opt.KeepGoing, _ = flags.GetBool("keep-going")
	jobs, _ := flags.GetInt("jobs")
	switch {
	case b.watching && b.check:
		return nil, opt, usageError{"--watch and --check exclude each other"}
	case b.watching && b.file == "-":
		return nil, opt, usageError{"--watch needs a batch file that is no standard input"}
	case flags.Changed("jobs") && jobs < 1:
		return nil, opt, usageError{"--jobs is a number from 1 on"}
	}
	if text, _ := flags.GetString("shard"); flags.Changed("shard") {
		if b.shard, err = batch.ParseShard(text); err != nil {
			return nil, opt, usageError{"--shard: " + err.Error()}
		}
	}
	if opt.Jobs = jobs; jobs == 0 {
		opt.Jobs = runtime.GOMAXPROCS(0)
	}
	opt.Merge.Dialect = dialectOf(flags)
	if _, err := newReport(e, flags); err != nil {
		return nil, opt, err
	}
	opt.Merge.Files, opt.Merge.Limits, opt.Merge.Policy = e.files(), e.limits, e.policy
	opt.Read = func(name string) ([]byte, error) { return readFile(name, e.limits) }
	opt.Outputs, opt.Check = outputs{e}, b.check
	if isTerminal(e.stderr) {
		b.progress = &progress{w: e.stderr}
		opt.Progress = b.progress.show
	}
	return b, opt, nil
}

// bindings reads the file of --bindings, and looks whether the definitions are
// right. What is wrong is reported.
func (b *batcher) bindings() (*spiff.Document, error) {
	r, err := newReport(b.e, b.flags)
	if err != nil {
		return nil, err
	}
	d, err := r.bindings(b.flags)
	if err == nil && len(r.errors)+len(r.warnings) > 0 {
		err = r.print(false)
	}
	return d, err
}

// plan reads the batch file. What is wrong with it is reported.
func (b *batcher) plan() (*batch.Plan, error) {
	r, err := newReport(b.e, b.flags)
	if err != nil {
		return nil, err
	}
	text, err := readInput(b.e, b.file)
	if err != nil { // the first to read the standard input
		r.keep(loaded{err: err, code: diag.FileRead}, b.file, "batch file")
		return nil, r.print(false)
	}
	plan, err := batch.Parse(b.file, text, b.parseOptions())
	var list diag.List
	switch {
	case errors.As(err, &list):
		r.errors = list
	case err != nil:
		r.fail(err, diag.YAMLSyntax, fmt.Sprintf("error parsing batch file [%s]", b.file))
	case !b.quiet:
		r.warnings = plan.Warnings
	}
	if len(list) > 0 && formats[r.format].name == "classic" {
		r.classic = func(w io.Writer) { _ = render.Classic(w, list, r.opt) }
	}
	if len(r.errors)+len(r.warnings) > 0 {
		err = r.print(false)
	}
	if err != nil {
		return nil, err
	}
	return plan.Share(b.shard), nil
}

func (b *batcher) parseOptions() batch.ParseOptions {
	opt := batch.ParseOptions{Limits: b.e.limits, Identity: identity}
	if file := bindingsFile(b.flags); file != "" {
		opt.Inputs = append(opt.Inputs, file)
	}
	return opt
}

// identity returns the absolute name of a file without symbolic links, as far
// as it exists.
func identity(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return filepath.Clean(name)
	}
	rest := ""
	for dir := abs; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return abs
		}
		dir, rest = parent, filepath.Join(filepath.Base(dir), rest)
	}
}

// round merges what depends on the changed files, and reports it.
func (b *batcher) round(changed []string) error {
	round := b.runner.Run(context.Background(), changed)
	b.progress.clear()
	if err := b.report(round); err != nil && err != errReported {
		return err
	}
	if err := b.summarize(round); err != nil {
		return err
	}
	switch {
	case round.Count(batch.Failed) > 0:
		return errReported
	case round.Count(batch.Stale) > 0:
		return errDiffers
	}
	return nil
}

// summarize prints what a round did.
func (b *batcher) summarize(round *batch.Round) error {
	if b.json {
		return round.WriteJSON(b.e.stdout, b.shard, b.watching)
	}
	if !b.quiet && round.Number == 1 && len(round.Outcomes) > 0 {
		if err := round.WriteTable(b.e.stderr); err != nil {
			return err
		}
	}
	line := round.Summary()
	if round.Number > 1 {
		line = round.Line()
	}
	_, err := fmt.Fprintln(b.e.stderr, line)
	return err
}

// report prints what is wrong with the targets that were merged, in their order.
// What is wrong with many of them in the same way is said once.
func (b *batcher) report(round *batch.Round) error {
	r, err := newReport(b.e, b.flags)
	if err != nil {
		return err
	}
	c := collector{report: r, inputs: map[*batch.InputError]bool{}, known: map[string]*found{}}
	if !b.quiet {
		r.warnings = b.runner.Warnings()
	}
	for i := range round.Outcomes {
		o := &round.Outcomes[i]
		if o.Fresh {
			c.add(o)
		}
	}
	c.finish()
	return r.print(false)
}

// A collector collects what is wrong with targets.
type collector struct {
	report  *report
	inputs  map[*batch.InputError]bool // reported
	known   map[string]*found
	order   []*found
	classic bytes.Buffer
}

// A found error is one that several targets may have.
type found struct {
	d       *diag.Diagnostic
	targets []*batch.Target
}

// add takes over what is wrong with a target.
func (c *collector) add(o *batch.Outcome) {
	if o.Merged {
		_, _ = c.report.e.stderr.Write(o.Stderr)
	}
	if o.Err == nil {
		return
	}
	one := &report{e: c.report.e} // of this target
	var in *batch.InputError
	var write *batch.WriteError
	switch {
	case errors.As(o.Err, &in):
		if c.inputs[in] {
			return
		}
		c.inputs[in] = true
		one.keep(loaded{err: in.Err, code: in.Code}, in.Name, in.Role)
		if d := one.errors[0]; d.Span.Src == nil {
			d.Span = in.Span
		}
	case errors.As(o.Err, &write) && !slices.Contains(selectionCodes, diag.CodeOf(write)):
		one.fail(write.Err, diag.Output, "error writing manifest")
	default:
		one.fail(o.Err, "", "")
	}
	if one.classic != nil {
		fmt.Fprintf(&c.classic, "target %s: ", o.Target.Name)
		one.classic(&c.classic)
		c.report.opt.Header, c.report.opt.Legend = one.opt.Header, one.opt.Legend
	} else {
		_ = render.Classic(&c.classic, one.errors, one.opt)
	}
	for _, d := range one.errors {
		c.addOne(d, o.Target, in != nil, one.classic != nil)
	}
}

// addOne takes over an error. That of an input is not the error of a target.
func (c *collector) addOne(d *diag.Diagnostic, t *batch.Target, ofInput, unresolved bool) {
	key := fmt.Sprint(d.Span, d.Path, d.Msg, d.Fix)
	for i := range d.Notes {
		key += fmt.Sprint("\x00", d.Notes[i].Span, d.Notes[i].Msg)
	}
	f := c.known[key]
	if f == nil {
		shown := *d
		shown.Notes = slices.Clip(shown.Notes)
		if !unresolved {
			shown.Classic = nil // the message says the same
		}
		f = &found{d: &shown}
		c.known[key] = f
		c.order = append(c.order, f)
	}
	if !ofInput {
		f.targets = append(f.targets, t)
	}
}

// maxTargets is how many targets are named with an error that many have.
const maxTargets = 3

// finish completes the report.
func (c *collector) finish() {
	for _, f := range c.order {
		if len(f.targets) > 0 {
			f.d.WithNote(f.targets[0].Span, "%s", inTargets(f.targets))
		}
		c.report.errors = append(c.report.errors, f.d)
	}
	if c.classic.Len() > 0 {
		c.report.classic = func(w io.Writer) { _, _ = c.classic.WriteTo(w) }
	}
}

// inTargets names targets, the first of them if they are many.
func inTargets(targets []*batch.Target) string {
	var names []string
	for _, t := range targets[:min(len(targets), maxTargets)] {
		names = append(names, t.Name)
	}
	text := "in the target " + names[0]
	if len(names) > 1 {
		text = "in the targets " + strings.Join(names, ", ")
	}
	if more := len(targets) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// progress is a line on a terminal that says how far a round is.
type progress struct {
	w     io.Writer
	mu    sync.Mutex
	shown time.Time
}

// progressEvery is how often the line changes at most.
const progressEvery = 100 * time.Millisecond

// clearLine moves to the beginning of the line and clears it.
const clearLine = "\r\x1b[K"

func (p *progress) show(done, of int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); now.Sub(p.shown) >= progressEvery {
		p.shown = now
		fmt.Fprintf(p.w, "%smerged %d of %d", clearLine, done, of)
	}
}

// clear removes the line. A nil progress has none.
func (p *progress) clear() {
	if p != nil && !p.shown.IsZero() {
		fmt.Fprint(p.w, clearLine)
	}
}
