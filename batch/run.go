// SPDX-License-Identifier: Apache-2.0

package batch

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
)

// Options of a Runner.
type Options struct {
	// Jobs is how many inputs or targets are worked on at the same time. No
	// result depends on it.
	Jobs int
	// Merge holds for all targets. Its policy is extended by the folders of the
	// files of each target, as those of a command line are.
	Merge spiff.Options
	// Definitions are bound for all targets, as those of spiff.Define, in place of
	// what a target binds; what a target binds takes the place of Merge.Bindings.
	Definitions []string
	// Read returns the text of an input.
	Read func(name string) ([]byte, error)
	// Outputs is where results go.
	Outputs Outputs
	// KeepGoing writes the results of targets that succeed although others fail.
	KeepGoing bool
	// Check writes nothing, but says which outputs are stale.
	Check bool
	// Progress, if not nil, is told how many targets of how many are merged. It
	// is called by several goroutines.
	Progress func(done, of int)
}

// Outputs is where results go. Its methods may be called by several goroutines.
type Outputs interface {
	// Same reports whether an output exists and has a content.
	Same(name string, content []byte) bool
	// Replace writes files. If one of them cannot be written and all is set, none
	// is. It returns why each was not written, nil for those that were; a file
	// that was not written for the sake of others has ErrOthers.
	Replace(files []File, all bool) []error
}

// ErrOthers is the error of a file that was not written because another one
// could not be.
var ErrOthers = errors.New("another output cannot be written")

// A File is an output to be written.
type File struct {
	Name    string
	Content []byte
}

// Status is what became of a target.
type Status string

// What can become of a target.
const (
	Written   Status = "written"
	Unchanged Status = "unchanged" // the output is the result already
	Stale     Status = "stale"     // the output is not the result, see Options.Check
	Withheld  Status = "withheld"  // not written, because another target failed
	Failed    Status = "failed"
)

// An Outcome is what became of a target.
type Outcome struct {
	Target *Target
	Status Status
	Merged bool // in the last round
	Fresh  bool // Err is of the last round
	// Err is why the target failed. For an input that cannot be used it is an
	// *InputError, which is the same for all targets that use it.
	Err    error
	Stderr []byte // what its commands printed there
	Bytes  int    // of the result
	Stats  spiff.Stats
}

// An InputError is why an input cannot be used.
type InputError struct {
	Name string
	Role string    // "template" or "stub": what the first target uses it as
	Span diag.Span // where that says so
	Code diag.Code // FileRead or YAMLSyntax
	Err  error
}

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// A WriteError is why a result cannot be printed or written.
type WriteError struct{ Err error }

func (e *WriteError) Error() string { return e.Err.Error() }
func (e *WriteError) Unwrap() error { return e.Err }

// A Runner merges the targets of a plan, and keeps what it needs to do so again
// when files change: the inputs, the states of the targets, no results.
type Runner struct {
	opt    Options
	states []*state
	inputs map[string]*input
	reads  reads
	rounds int
}

// A state is what is known of a target.
type state struct {
	target  *Target
	outcome Outcome
	merged  bool     // outcome is that of the inputs as they are
	pending []byte   // a result that is withheld
	reads   []string // files that expressions read, sorted
}

// An input is a template or stub of any number of targets.
type input struct {
	name, role string
	span       diag.Span       // of its first use
	doc        *spiff.Document // nil if it was not loaded yet, or cannot be
	text       []byte
	err        *InputError
	fresh      bool // not as in the round before
}

// New returns a Runner for a plan.
func New(p *Plan, opt Options) *Runner {
	opt.Jobs = max(opt.Jobs, 1)
	r := &Runner{opt: opt, inputs: map[string]*input{}}
	r.reads.texts = map[string]*text{}
	r.SetPlan(p)
	return r
}

// SetPlan replaces the plan. Targets that are the same as before keep their
// state, and inputs that are still used are not read again.
func (r *Runner) SetPlan(p *Plan) {
	before := map[string]*state{}
	for _, s := range r.states {
		before[s.target.Name] = s
	}
	inputs := map[string]*input{}
	r.states = nil
	for _, t := range p.Targets {
		s := before[t.Name]
		if s == nil || !s.target.same(t) {
			s = &state{target: t}
		}
		s.target = t
		r.states = append(r.states, s)
		for i, name := range t.Inputs() {
			in := inputs[name]
			if in == nil {
				in = r.inputs[name]
				if in == nil {
					in = &input{name: name}
				}
				if i < len(t.uses) {
					in.span = t.uses[i]
				}
				if in.role = "stub"; i == 0 {
					in.role = "template"
				}
				inputs[name] = in
			}
		}
	}
	r.inputs = inputs
}

// Warnings returns what is odd about the inputs that were read in the last round,
// sorted.
func (r *Runner) Warnings() (list diag.List) {
	for _, in := range r.inputs {
		if in.fresh && in.doc != nil {
			list = append(list, in.doc.Warnings()...)
		}
	}
	list.Sort()
	return list
}

// Files returns the names of all files that the results depend on, sorted: the
// inputs, and what expressions read.
func (r *Runner) Files() []string {
	var names []string
	for name := range r.inputs {
		names = append(names, name)
	}
	for _, s := range r.states {
		names = append(names, s.reads...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Run merges the targets that were not merged before and those that depend on a
// file of changed, and writes their results. Names in changed are those of Files;
// on an input among them that has the same text as before nothing depends.
// When ctx is done, the merges that run end, nothing is written, and what is left
// to do is left to the next round.
func (r *Runner) Run(ctx context.Context, changed []string) *Round {
	r.rounds++
	r.reads.count.Store(0)
	round := &Round{Number: r.rounds, Inputs: len(r.inputs)}
	is := map[string]bool{}
	for _, name := range changed {
		is[name] = true
		if r.reads.forget(name) {
			round.Changed++
		}
	}
	r.load(is, round)
	var todo []*state
	for _, s := range r.states {
		if s.outcome.Merged, s.outcome.Fresh = false, false; s.outcome.Status == Written {
			s.outcome.Status = Unchanged
		}
		if !s.merged || slices.ContainsFunc(s.reads, func(name string) bool { return is[name] }) {
			todo = append(todo, s)
		}
	}
	var done atomic.Int64
	each(r.opt.Jobs, todo, func(s *state) {
		r.merge(ctx, s)
		if r.opt.Progress != nil {
			r.opt.Progress(int(done.Add(1)), len(todo))
		}
	})
	if ctx.Err() == nil {
		r.write()
	}
	round.Read += int(r.reads.count.Load())
	for _, s := range r.states {
		round.add(s)
	}
	return round
}

// each calls f for all items, of several at the same time.
func each[T any](jobs int, items []T, f func(T)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(jobs, len(items)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(items); i = next.Add(1) - 1 {
				f(items[i])
			}
		})
	}
	wg.Wait()
}

// load reads the inputs that are new or changed, and marks the targets that use
// one which is not as before to be merged.
func (r *Runner) load(changed map[string]bool, round *Round) {
	var todo []*input
	for name, in := range r.inputs {
		if in.fresh = false; in.doc == nil || changed[name] {
			todo = append(todo, in)
		}
	}
	each(r.opt.Jobs, todo, func(in *input) { in.fresh = in.load(&r.opt) })
	round.Read = len(todo)
	for _, in := range todo {
		if in.fresh {
			round.Changed++
		}
	}
	for _, s := range r.states {
		if slices.ContainsFunc(s.target.Inputs(), func(name string) bool { return r.inputs[name].fresh }) {
			s.merged = false
		}
	}
}

// load reads an input and says whether it is not as it was.
func (in *input) load(opt *Options) bool {
	text, err := opt.Read(in.name)
	if err != nil {
		return in.fail(diag.FileRead, err)
	}
	if in.doc != nil && bytes.Equal(text, in.text) {
		return false
	}
	d, err := spiff.LoadWithin(in.name, text, opt.Merge.Limits)
	if err != nil {
		return in.fail(diag.YAMLSyntax, err)
	}
	in.doc, in.text, in.err = d, text, nil
	return true
}

// fail notes why an input cannot be used, and says whether that is new.
func (in *input) fail(code diag.Code, err error) bool {
	in.doc, in.text = nil, nil
	if in.err != nil && in.err.Err.Error() == err.Error() {
		return false
	}
	in.err = &InputError{Name: in.name, Role: in.role, Span: in.span, Code: code, Err: err}
	return true
}

// merge merges a target.
func (r *Runner) merge(ctx context.Context, s *state) {
	s.pending, s.reads = nil, nil
	s.outcome = Outcome{Target: s.target, Merged: true, Fresh: true}
	out, err := r.result(ctx, s)
	s.merged = ctx.Err() == nil
	o := &s.outcome
	o.Err, o.Bytes = err, len(out)
	switch {
	case err != nil:
		o.Status = Failed
	case r.opt.Outputs.Same(s.target.Output, out):
		o.Status = Unchanged
	case r.opt.Check:
		o.Status = Stale
	default:
		o.Status, s.pending = Withheld, out
	}
}

// result returns the result of a target as text.
func (r *Runner) result(ctx context.Context, s *state) ([]byte, error) {
	var docs []*spiff.Document
	for _, name := range s.target.Inputs() {
		in := r.inputs[name]
		if in.err != nil {
			return nil, in.err
		}
		docs = append(docs, in.doc)
	}
	var stderr bytes.Buffer
	opt := r.opt.Merge
	opt.Partial = s.target.Partial
	if definitions := slices.Concat(s.target.Bindings, r.opt.Definitions); len(definitions) > 0 {
		d, err := spiff.Define(opt.Bindings, definitions...)
		if err != nil {
			return nil, err
		}
		opt.Bindings = d
	}
	opt.Stats = &s.outcome.Stats
	opt.Policy = opt.Policy.WithFolders(s.target.Inputs())
	opt.Files.Stderr = &stderr
	opt.Files.ReadFile = r.reads.reader(opt, func(name string) { s.reads = append(s.reads, name) })
	m, err := spiff.Merge(ctx, docs[0], docs[1:], opt)
	slices.Sort(s.reads)
	s.reads = slices.Compact(s.reads)
	s.outcome.Stderr = stderr.Bytes()
	var u *spiff.Unresolved
	if errors.As(err, &u) {
		u.Diagnostics() // holds the whole merge until it is asked
	}
	if err != nil {
		return nil, err
	}
	out, err := m.AppendOutput(nil, s.target.Format)
	if err != nil {
		err = &WriteError{err}
	}
	return out, err
}

// write writes what is pending: all of it, or none if a target fails, unless
// Options.KeepGoing is set.
func (r *Runner) write() {
	if !r.opt.KeepGoing && slices.ContainsFunc(r.states, func(s *state) bool { return s.outcome.Status == Failed }) {
		return
	}
	var pending []*state
	var files []File
	for _, s := range r.states {
		if s.pending != nil {
			pending = append(pending, s)
			files = append(files, File{s.target.Output, s.pending})
		}
	}
	if len(files) == 0 {
		return
	}
	for i, err := range r.opt.Outputs.Replace(files, !r.opt.KeepGoing) {
		s := pending[i]
		switch {
		case err == nil:
			s.outcome.Status, s.pending = Written, nil
		case errors.Is(err, ErrOthers):
		default:
			// It is merged again in the next round, to try once more.
			s.outcome.Status, s.outcome.Err, s.outcome.Fresh = Failed, &WriteError{err}, true
			s.pending, s.merged = nil, false
		}
	}
}

// reads has the texts of files that expressions read, each read once for all
// targets that may read it by the same rules.
type reads struct {
	count atomic.Int64 // files read
	mu    sync.Mutex
	texts map[string]*text
}

type text struct {
	once sync.Once
	name string
	text []byte
	err  error
}

// reader returns a Files.ReadFile for a target with the given options; note is
// told what is read.
func (r *reads) reader(opt spiff.Options, note func(name string)) func(name string) ([]byte, error) {
	read := opt.Files.ReadFile
	if read == nil {
		read = opt.Limits.Reader(opt.Policy)
	}
	var rules string
	if opt.Policy.DenyRead {
		for _, dir := range opt.Policy.ReadDirs {
			rules += "\x00" + dir
		}
	}
	return func(name string) ([]byte, error) {
		note(filepath.Clean(name))
		t := r.text(name, rules)
		t.once.Do(func() {
			r.count.Add(1)
			t.text, t.err = read(name)
		})
		return t.text, t.err
	}
}

func (r *reads) text(name, rules string) *text {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.texts[name+rules]
	if t == nil {
		t = &text{name: filepath.Clean(name)}
		r.texts[name+rules] = t
	}
	return t
}

// forget makes a file be read again, and says whether it was read before.
func (r *reads) forget(name string) bool {
	before := len(r.texts)
	maps.DeleteFunc(r.texts, func(_ string, t *text) bool { return t.name == name })
	return len(r.texts) < before
}
