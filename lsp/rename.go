// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/value"
)

// prepareRename returns the word at the position if it can be renamed.
func prepareRename(_ context.Context, v *view, p *positionParams) (any, error) {
	c, _, err := v.renamed(p)
	if err != nil {
		return nil, err
	}
	return prepareRenameResult{c.rangeOf(c.t.doc, c.at.Start, c.at.End), c.t.Source.Text[c.at.Start:c.at.End]}, nil
}

// renamed returns the cursor at a position and the place whose key is there.
func (v *view) renamed(p *positionParams) (*cursor, int, error) {
	list := v.cursors(p)
	if len(list) == 0 {
		return nil, 0, failf("nothing is known about this file; is it open, and does it read as YAML?")
	}
	c := list[0] // the other sets are looked at when it is known what changes
	n := c.nameAt()
	switch {
	case c.node < 0 || !c.onKey && n == nil:
		return nil, 0, failf("there is no key here, and no name of one")
	case n != nil && n.kind == nameFunction:
		return nil, 0, failf("%s is a function of the language", n.text)
	case n != nil && n.kind == nameLocal:
		return nil, 0, failf("%s is a parameter or a binding of its expression; only keys can be renamed", n.text)
	case n != nil && n.kind == nameMerge:
		return nil, 0, failf("merge is a word of the language")
	}
	q := c.place()
	if q < 0 {
		return nil, 0, failf("it is not known which key %s stands for", n.text)
	}
	return c, q, c.renamable(q)
}

// renamable says why the keys at a place cannot be renamed, or returns nil.
func (c *cursor) renamable(p int) error {
	name := c.x.places[p].name
	for _, d := range c.set.docs {
		if d.load(); d.err != nil {
			return failf("%s does not read as YAML", d.name)
		}
	}
	for _, l := range c.x.places[p].at {
		n := &c.x.trees[l.doc].Nodes[l.node]
		switch {
		case n.Index >= 0:
			return failf("%s is the name of an entry of a list, which stands in one of its fields; only keys can be renamed", name)
		case n.Key != name || name == insertKey:
			return failf("the key %s has a meaning of its own in the language", n.Key)
		}
	}
	return nil
}

// rename renames a key: in the template and its stubs, and in all expressions of
// theirs that refer to it. It refuses what it cannot do exactly, and merges the
// result to see that nothing else has changed.
func rename(ctx context.Context, v *view, p *renameParams) (any, error) {
	c, q, err := v.renamed(&p.positionParams)
	if err != nil {
		return nil, err
	}
	old := c.x.places[q].name
	if p.NewName == old {
		return workspaceEdit{map[string][]textEdit{}}, nil
	}
	if err := validKey(p.NewName); err != nil {
		return nil, err
	}
	r := &renaming{v: v, old: old, new: p.NewName, edits: map[*document]map[diag.Span]bool{}, renewed: map[*document]*document{}}
	if err := r.spread(c, q); err != nil {
		return nil, err
	}
	if err := r.verify(ctx); err != nil {
		return nil, err
	}
	return r.workspaceEdit(), nil
}

// validKey says why a name cannot be a key that expressions refer to.
func validKey(name string) error {
	if !isName(name) {
		return failf("%q is no key that expressions can refer to: letters, digits, _ and - are allowed, and it does not begin with -", name)
	}
	text := name + ": 1\n"
	if _, _, err := spiff.LoadOutline("key", []byte(text), spiff.Limits{}); err != nil {
		return failf("YAML does not read %s as a text, so it cannot be a key", name)
	}
	return nil
}

// A renaming is the change of a key in all sets whose documents are affected.
type renaming struct {
	v        *view
	old, new string
	sets     []*fileSet
	path     []string // of the key
	edits    map[*document]map[diag.Span]bool
	renewed  map[*document]*document // with the new name
}

// spread collects the edits in the set of a cursor, and in those with which it
// shares a document that changes.
func (r *renaming) spread(c *cursor, p int) error {
	r.path = c.x.steps(p)
	if err := r.collect(c, p); err != nil {
		return err
	}
	for again := true; again; {
		again = false
		for _, s := range r.v.sets {
			if slices.Contains(r.sets, s) || !r.touches(s) {
				continue
			}
			again = true
			x := s.run.laid()
			q, ok := x.follow(r.path)
			if !ok {
				r.sets = append(r.sets, s)
				continue
			}
			other := &cursor{v: r.v, set: s, x: x, expr: -1, name: -1, node: -1}
			err := other.renamable(q)
			if err == nil {
				err = r.collect(other, q)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *renaming) touches(s *fileSet) bool {
	return slices.ContainsFunc(s.docs, func(d *document) bool { return r.edits[d] != nil })
}

// steps returns the names that lead to a place, and follow the place again.
func (x *index) steps(p int) (path []string) {
	for ; p > 0; p = x.places[p].parent {
		path = append(path, x.places[p].name)
	}
	slices.Reverse(path)
	return path
}

func (x *index) follow(path []string) (p int, ok bool) {
	for _, name := range path {
		if p, ok = x.names[placeStep{p, name}]; !ok {
			return 0, false
		}
	}
	return p, true
}

// collect collects the edits of one set.
func (r *renaming) collect(c *cursor, p int) error {
	r.sets = append(r.sets, c.set)
	if q, taken := c.x.names[placeStep{c.x.places[p].parent, r.new}]; taken {
		l := c.x.places[q].at[0]
		t := c.x.trees[l.doc]
		n := &t.Nodes[l.node]
		return failf("there is a key %s beside it already, at %s", r.new, diag.Span{Src: t.Source, Start: n.KeyStart, End: n.KeyEnd})
	}
	for _, l := range c.x.places[p].at {
		t := c.x.trees[l.doc]
		n := &t.Nodes[l.node]
		sp := diag.Span{Src: t.Source, Start: n.KeyStart, End: n.KeyEnd}
		if t.Source.Text[sp.Start:sp.End] != r.old {
			return failf("the key at %s is not written as it reads", sp)
		}
		r.edit(t.doc, sp)
	}
	readers := c.x.readersOf(p)
	for _, o := range readers {
		t := c.x.trees[o.doc]
		e := &t.exprs[o.expr]
		sp, exact := t.exprSpan(e.node, e.names[o.name].at)
		if !exact || t.Source.Text[sp.Start:sp.End] != r.old {
			return failf("the reference at %s cannot be rewritten exactly", sp)
		}
		r.edit(t.doc, sp)
	}
	for _, l := range c.unnamed(p, readers) {
		t := c.x.trees[l.doc]
		n := &t.Nodes[l.node]
		return failf("the expression at %s refers to it in a way that cannot be rewritten", diag.Span{Src: t.Source, Start: n.Start, End: n.End})
	}
	return c.set.run.newest()
}

func (r *renaming) edit(d *document, sp diag.Span) {
	if r.edits[d] == nil {
		r.edits[d] = map[diag.Span]bool{}
	}
	r.edits[d][sp] = true
}

// spans returns the edits of a document in order.
func (r *renaming) spans(d *document) []diag.Span {
	return slices.SortedFunc(maps.Keys(r.edits[d]), func(a, b diag.Span) int { return int(a.Start) - int(b.Start) })
}

func (r *renaming) workspaceEdit() workspaceEdit {
	w := workspaceEdit{map[string][]textEdit{}}
	for d := range r.edits {
		for _, sp := range r.spans(d) {
			w.Changes[d.uri] = append(w.Changes[d.uri], textEdit{d.lines().span(r.v.srv.encoding(), int(sp.Start), int(sp.End)), r.new})
		}
	}
	return w
}

// captures says which name would stand for something else in the documents with
// the new name, or returns nil. The results need not show it: the values may be
// the same today.
func (r *renaming) captures(s *fileSet) error {
	before := s.run.laid()
	p, ok := before.follow(r.path)
	if !ok {
		return nil
	}
	var trees []*tree
	for _, d := range s.docs {
		trees = append(trees, r.renew(d).known())
	}
	after := newIndex(trees)
	q, ok := after.follow(append(slices.Clone(r.path[:len(r.path)-1]), r.new))
	if !ok {
		return failf("the name %s cannot stand for the key", r.new)
	}
	was, is := before.readersOf(p), after.readersOf(q)
	for _, o := range was {
		if !slices.Contains(is, o) {
			return failf("at %s, %s would stand for something else", before.spanOf(o), r.new)
		}
	}
	for _, o := range is {
		if !slices.Contains(was, o) {
			return failf("at %s, %s would stand for the renamed key", before.spanOf(o), r.new)
		}
	}
	return nil
}

// spanOf returns the place of a name of an expression.
func (x *index) spanOf(o occurrence) diag.Span {
	t := x.trees[o.doc]
	sp, _ := t.exprSpan(t.exprs[o.expr].node, t.exprs[o.expr].names[o.name].at)
	return sp
}

// verify merges the sets as they are and as they would be, as far as they can be
// merged, and compares what comes out.
func (r *renaming) verify(ctx context.Context) error {
	for _, s := range r.sets {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.captures(s); err != nil {
			return err
		}
		before, errBefore := r.merge(ctx, s, func(d *document) *document { return d })
		after, errAfter := r.merge(ctx, s, r.renew)
		switch {
		case errBefore != nil:
			return failf("the rename cannot be checked, since %s cannot be merged: %s", s.docs[0].name, errBefore)
		case errAfter != nil:
			return failf("with the new name, %s cannot be merged: %s", s.docs[0].name, errAfter)
		}
		if path, same := r.same(before, after, 0, 0, ""); !same {
			return failf("the rename would change more than the key: the result differs at %s", title(path))
		}
	}
	return nil
}

// renew returns a document with the new name.
func (r *renaming) renew(d *document) *document {
	if r.edits[d] == nil {
		return d
	}
	if r.renewed[d] == nil {
		r.renewed[d] = &document{srv: d.srv, uri: d.uri, file: d.file, name: d.name, text: r.apply(d)}
	}
	return r.renewed[d]
}

// apply returns the text of a document with the new name.
func (r *renaming) apply(d *document) string {
	var b strings.Builder
	at := 0
	for _, sp := range r.spans(d) {
		b.WriteString(d.text[at:sp.Start])
		b.WriteString(r.new)
		at = int(sp.End)
	}
	b.WriteString(d.text[at:])
	return b.String()
}

// merge merges a version of each document of a set and returns the outline of
// the result.
func (r *renaming) merge(ctx context.Context, s *fileSet, version func(*document) *document) (*spiff.Outline, error) {
	var docs []*spiff.Document
	for _, d := range s.docs {
		v := version(d)
		if v.load(); v.err != nil {
			return nil, v.err
		}
		docs = append(docs, v.read)
	}
	opt := r.v.srv.mergeOptions()
	opt.Partial = true
	r.v.srv.merges.Add(1)
	result, err := spiff.Merge(ctx, docs[0], docs[1:], opt)
	if err != nil {
		return nil, err
	}
	out, err := result.Append(nil)
	if err != nil {
		return nil, err
	}
	_, o, err := spiff.LoadOutline("result", out, r.v.srv.opt.Limits)
	if err != nil {
		return nil, errors.New("its result does not read as YAML")
	}
	return o, nil
}

// same compares two results in which the old name may have become the new one,
// as a key or in expressions that are left. It returns a path at which they
// differ.
func (r *renaming) same(a, b *spiff.Outline, i, j int, path string) (string, bool) {
	n, m := &a.Nodes[i], &b.Nodes[j]
	if n.Kind != m.Kind || count(a.Children(i)) != count(b.Children(j)) {
		return path, false
	}
	switch n.Kind {
	case value.Map:
		keys := map[string]int{}
		for c := range b.Children(j) {
			keys[b.Nodes[c].Key] = c
		}
		for c := range a.Children(i) {
			key := a.Nodes[c].Key
			d, ok := keys[key]
			if !ok && key == r.old {
				d, ok = keys[r.new]
			}
			below := explain.Join(path, explain.Key(key))
			if !ok {
				return below, false
			}
			if p, same := r.same(a, b, c, d, below); !same {
				return p, false
			}
		}
		return "", true
	case value.List:
		d := j + 1
		for c := range a.Children(i) {
			if p, same := r.same(a, b, c, d, explain.Join(path, explain.Index(a.Nodes[c].Index))); !same {
				return p, false
			}
			d = b.Nodes[d].Next
		}
		return "", true
	case value.Expr:
		return path, r.words(n.Text) == r.words(m.Text)
	}
	return path, a.Source.Text[n.Start:n.End] == b.Source.Text[m.Start:m.End]
}

func count(children iter.Seq[int]) (n int) {
	for range children {
		n++
	}
	return n
}

// words puts the new name in place of the old one, wherever it is a word.
func (r *renaming) words(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if !isWordByte(text[i]) {
			b.WriteByte(text[i])
			i++
			continue
		}
		end := i
		for end < len(text) && isWordByte(text[end]) {
			end++
		}
		word := text[i:end]
		if word == r.old {
			word = r.new
		}
		b.WriteString(word)
		i = end
	}
	return b.String()
}
