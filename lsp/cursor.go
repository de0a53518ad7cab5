// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"slices"

	"github.com/dynaml/spiff/diag"
)

// A cursor is what stands at a position of an open document, in one of its sets.
type cursor struct {
	v   *view
	set *fileSet
	x   *index
	doc int // in the set
	t   *tree
	off int

	node  int // -1 if there is none
	onKey bool
	expr  int // index in t.exprs, -1 outside of one
	name  int // index in its names, -1 if there is none
	at    diag.Span
}

// cursors returns what is at a position, once for each set of the document. It
// is empty if the document is not open or has no outline.
func (v *view) cursors(p *positionParams) (list []*cursor) {
	d := v.open[fileOf(p.TextDocument.URI)]
	if d == nil {
		return nil
	}
	off := d.lines().offset(v.srv.encoding(), p.Position)
	for _, s := range v.setsOf(d.file) {
		c := &cursor{v: v, set: s, doc: slices.Index(s.docs, d), off: off, expr: -1, name: -1, node: -1}
		if c.doc < 0 {
			continue
		}
		c.x = s.run.laid()
		if c.t = c.x.trees[c.doc]; c.t == nil {
			continue
		}
		c.look()
		list = append(list, c)
	}
	return list
}

// look finds the node and the name at the offset.
func (c *cursor) look() {
	c.node, c.onKey = c.t.nodeAt(c.off)
	if c.node < 0 {
		return
	}
	n := &c.t.Nodes[c.node]
	if c.onKey {
		c.at = diag.Span{Src: c.t.Source, Start: n.KeyStart, End: n.KeyEnd}
		return
	}
	c.at = diag.Span{Src: c.t.Source, Start: n.Start, End: n.End}
	e, ok := c.t.at[c.node]
	if !ok {
		return
	}
	c.expr = e
	for i, nm := range c.t.exprs[e].names {
		sp, _ := c.t.exprSpan(c.node, nm.at)
		if int(sp.Start) <= c.off && c.off <= int(sp.End) {
			c.name, c.at = i, sp
		}
	}
}

// nameAt returns the name at the cursor, or nil.
func (c *cursor) nameAt() *name {
	if c.name < 0 {
		return nil
	}
	return &c.t.exprs[c.expr].names[c.name]
}

// place returns the place that the name at the cursor stands for, else that of
// the node, or -1.
func (c *cursor) place() int {
	if c.node < 0 {
		return -1
	}
	if c.name >= 0 {
		return c.x.target(occurrence{c.doc, c.expr, c.name})
	}
	return c.x.of[c.doc][c.node]
}

// rangeOf returns the range of a place in a document of the set.
func (c *cursor) rangeOf(d *document, start, end uint32) textRange {
	return d.lines().span(c.v.srv.encoding(), int(start), int(end))
}

// locationOf returns the place of a node: of its key, or of the field that names
// it, if it has one.
func (c *cursor) locationOf(l loc) location {
	t := c.x.trees[l.doc]
	n := &t.Nodes[l.node]
	start, end := n.Start, n.End
	switch {
	case n.KeyEnd > 0:
		start, end = n.KeyStart, n.KeyEnd
	case n.Index >= 0:
		if f, ok := t.child(l.node, t.field[l.node]); ok {
			start, end = t.Nodes[f].Start, t.Nodes[f].End
		}
	}
	return location{t.doc.uri, c.rangeOf(t.doc, start, end)}
}

// occurrenceAt returns the place of a name of an expression.
func (c *cursor) occurrenceAt(o occurrence) location {
	t := c.x.trees[o.doc]
	e := &t.exprs[o.expr]
	sp, _ := t.exprSpan(e.node, e.names[o.name].at)
	return location{t.doc.uri, c.rangeOf(t.doc, sp.Start, sp.End)}
}

// A locationList collects places, each once.
type locationList struct {
	list []location
	seen map[location]bool
}

func (l *locationList) add(at location) {
	if l.seen == nil {
		l.seen = map[location]bool{}
	}
	if !l.seen[at] {
		l.seen[at] = true
		l.list = append(l.list, at)
	}
}

// result returns the list, which must not be null.
func (l *locationList) result() []location {
	if l.list == nil {
		return []location{}
	}
	return l.list
}

// definition returns where what is at the position is written: for a name in an
// expression the node it stands for, with the places in the stubs that may
// override it; for a key the same place in the other documents.
func definition(_ context.Context, v *view, p *positionParams) (any, error) {
	var list locationList
	for _, c := range v.cursors(p) {
		if n := c.nameAt(); n != nil && n.kind == nameLocal {
			sp, _ := c.t.exprSpan(c.node, n.from)
			list.add(location{c.t.doc.uri, c.rangeOf(c.t.doc, sp.Start, sp.End)})
			continue
		}
		q := c.place()
		if q < 0 || c.expr >= 0 && c.name < 0 {
			continue
		}
		for _, l := range c.x.places[q].at {
			if (l != loc{c.doc, c.node}) {
				list.add(c.locationOf(l))
			}
		}
	}
	return list.result(), nil
}

// references returns the names in all expressions of the set that stand for what
// is at the position, and whole expressions that read it under a name that is
// known only when they run.
func references(_ context.Context, v *view, p *referenceParams) (any, error) {
	var list locationList
	for _, c := range v.cursors(&p.positionParams) {
		q := c.place()
		if q < 0 || c.expr >= 0 && c.name < 0 {
			continue
		}
		if p.Context.IncludeDeclaration {
			for _, l := range c.x.places[q].at {
				list.add(c.locationOf(l))
			}
		}
		readers := c.x.readersOf(q)
		for _, o := range readers {
			list.add(c.occurrenceAt(o))
		}
		for _, r := range c.unnamed(q, readers) {
			n := &c.x.trees[r.doc].Nodes[r.node]
			list.add(location{c.x.trees[r.doc].doc.uri, c.rangeOf(c.x.trees[r.doc].doc, n.Start, n.End)})
		}
		if err := c.set.run.newest(); err != nil {
			return nil, err
		}
	}
	return list.result(), nil
}
