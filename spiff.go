// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/merge"
	"github.com/dynaml/spiff/value"
)

// A Document is a loaded YAML file: one document or several.
type Document struct {
	src      *diag.Source
	s        *value.Store
	docs     []value.ID
	empty    bool
	library  bool
	warnings diag.List
}

// Load reads the text of a YAML file; name is how messages and __ctx.FILE call
// it. The document refers to the text, which must not be changed any more. The
// error is a *diag.Diagnostic with the place.
func Load(name string, text []byte) (*Document, error) { return LoadWithin(name, text, Limits{}) }

// LoadWithin is Load with limits, of which Depth and Aliases count.
func LoadWithin(name string, text []byte, l Limits) (*Document, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	d := &Document{src: diag.NewSource(name, unsafe.String(unsafe.SliceData(text), len(text))), s: value.NewStore()}
	r, err := doc.ReadWithin(d.s, d.src, l.doc())
	if err != nil {
		return nil, unread(err)
	}
	d.take(r)
	return d, nil
}

// take takes over what was read.
func (d *Document) take(r doc.Result) {
	d.docs, d.empty, d.library, d.warnings = r.Docs, r.Empty, r.Library, r.Warnings
	for _, w := range d.warnings {
		if w.Code == "" {
			w.Code = diag.DuplicateKey // all there is today
		}
	}
}

// Docs returns the roots of the documents as they were written, not evaluated.
func (d *Document) Docs() []Node { return (&tree{s: d.s.Clone()}).roots(d.docs) }

// Warnings returns what was odd in the file, such as duplicate keys, in order.
func (d *Document) Warnings() diag.List { return d.warnings }

// Check returns warnings about what is written in the document, apart from any
// merge: defaults that are never used, and words that YAML takes for booleans.
func (d *Document) Check(dialect Dialect) diag.List {
	var list diag.List
	for _, root := range d.docs {
		list = append(list, merge.Lint(d.s, root, dialect)...)
	}
	list.Sort()
	return list
}

// Legend is what the classic report of unresolved nodes ends with.
const Legend = merge.Legend

// Merge evaluates the template against the stubs; the rightmost stub is
// evaluated first, each against those to its right (semantics 2.1). It fails
// with an *Unresolved if nodes have no value, and with a *diag.Diagnostic for all
// other reasons, also if ctx or a document is nil.
//
// When ctx is done the merge ends, usually within a millisecond, kills the
// command of exec that runs, and fails with a *diag.Diagnostic that wraps
// ctx.Err. A function that runs is waited for.
func Merge(ctx context.Context, template *Document, stubs []*Document, opts ...Option) (*Result, error) {
	return mergeWith(ctx, template, stubs, options(opts))
}

func mergeWith(ctx context.Context, template *Document, stubs []*Document, opt Options) (*Result, error) {
	if err := usable(ctx, template, stubs); err != nil {
		return nil, err
	}
	if err := opt.Limits.check(); err != nil {
		return nil, err
	}
	if err := merge.Ended(ctx); err != nil {
		return nil, err
	}
	s := template.s.Clone()
	unused := s.Len() - template.s.Len() // numbers, as a clone begins a new chunk
	m := merge.Options{Context: ctx, Partial: opt.Partial, Check: opt.Check, Files: opt.Files, Policy: opt.Policy, Dialect: opt.Dialect}
	m.Limits = opt.Limits.merge()
	var err error
	if m.Functions, err = functions(ctx, opt.Functions); err != nil {
		return nil, err
	}
	inputs, err := importStubs(ctx, s, stubs)
	if err != nil {
		return nil, err
	}
	m.Profile, m.Trace = opt.Profile, opt.inspection != nil
	n := merge.NewSession(s, m)
	if opt.Stats != nil {
		defer func() { *opt.Stats = n.Stats() }()
	}
	opt.inspection.begin(n)
	if err := bind(n, s, opt.Bindings); err != nil {
		return nil, err
	}
	evaluated, err := n.Cascade(inputs)
	var failed *Unresolved
	if errors.As(err, &failed) {
		roots := slices.Clone(template.docs)
		for _, in := range inputs {
			roots = append(roots, in.Root)
		}
		failed.Add(func() (list diag.List) {
			for _, root := range roots {
				list = append(list, n.Syntax(root)...)
			}
			return list
		})
	}
	if err != nil {
		return nil, err
	}
	read := len(template.src.Text)
	for _, d := range stubs {
		read += len(d.src.Text)
	}
	r := &Result{s: s, template: template.src, read: read, complete: true, brackets: opt.Dialect.LambdaBrackets, limit: opt.Limits.Output, multi: len(template.docs) > 1, empty: template.empty}
	for _, root := range template.docs {
		in := merge.Input{Source: template.src, Root: root}
		if template.empty {
			in.Root = 0
		}
		id, err := n.MergeTemplate(in)
		var u *Unresolved
		switch {
		case err == nil:
		case !errors.As(err, &u):
			return nil, err
		case opt.Partial:
			r.complete = false
		case failed != nil:
			failed.Add(u.Diagnostics)
		default:
			failed = u
		}
		r.docs = append(r.docs, id)
	}
	if failed != nil {
		return nil, failed
	}
	r.stats, r.profile = n.Stats(), n.Profile()
	r.nodes = r.stats.Nodes - unused
	if opt.Check {
		r.warnings = n.Warnings(inputs, evaluated)
	}
	return r, nil
}

// usable says which argument of a merge is none: the error of a Load that nobody
// looked at shows here.
func usable(ctx context.Context, template *Document, stubs []*Document) error {
	switch {
	case ctx == nil:
		return misused("the context of a merge is nil; context.Background() is one that does not end")
	case !template.loaded():
		return misused("the template of a merge is no document; look at the error of its Load")
	}
	for i, d := range stubs {
		if !d.loaded() {
			return misused("stub %d of a merge is no document; look at the error of its Load", i+1)
		}
	}
	return nil
}

func (d *Document) loaded() bool { return d != nil && d.s != nil }

// misused is the error of a call that can never succeed.
func misused(format string, args ...any) error {
	return &diag.Diagnostic{Code: diag.Usage, Msg: fmt.Sprintf(format, args...), Fix: "correct the call"}
}

// importStubs adds the stubs to the store of a merge.
func importStubs(ctx context.Context, s *value.Store, stubs []*Document) ([]merge.Input, error) {
	inputs := make([]merge.Input, len(stubs))
	for i, d := range stubs {
		if err := merge.Ended(ctx); err != nil {
			return nil, err
		}
		if len(d.docs) > 1 {
			e := &diag.Diagnostic{Code: diag.YAMLDocuments, Span: d.s.Span(d.docs[1]), Msg: "a stub is one document, and here begins a second one"}
			e.Classic = []string{fmt.Sprintf("error parsing stub [%s]: %s: multi document not possible, a stub is one document", d.src.Name, e.Span)}
			return nil, e
		}
		ids, ok := s.Import(d.s, d.docs)
		if !ok {
			return nil, errTooMany
		}
		inputs[i] = merge.Input{Source: d.src}
		if !d.empty {
			inputs[i].Root = ids[0]
		}
	}
	return inputs, nil
}

// errTooMany is the error of a merge with more files than can be told apart.
var errTooMany = &diag.Diagnostic{Code: diag.FileRead, Msg: "too many files"}
