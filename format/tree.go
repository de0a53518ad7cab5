// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strings"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/value"
)

// A tree is what a text reads as.
type tree struct {
	src *diag.Source
	s   *value.Store
	doc.Result

	// verbatim holds the offsets of the expressions whose text must stay.
	verbatim map[int]bool
}

// read reads the nodes of a text.
func read(src *diag.Source) (*tree, error) {
	t := &tree{src: src, s: value.NewStore(), verbatim: map[int]bool{}}
	var err error
	if t.Result, err = doc.Read(t.s, src); err != nil {
		return nil, err
	}
	w := walker{t, map[value.ID]bool{}, map[value.ID]bool{}}
	for _, id := range t.Docs {
		w.find(id)
	}
	return t, nil
}

// A walker finds templates. It looks at nodes with several aliases once.
type walker struct {
	*tree
	found, marked map[value.ID]bool
}

// templateMark is what makes a node a template, which a merge prints as it was
// written (semantics 2.8). A text that only mentions it is kept, too.
const templateMark = "&template"

// find marks all expressions in templates at and below a node.
func (w *walker) find(id value.ID) {
	n := w.s.Node(id)
	if n.Flags&value.Dynamic == 0 || w.found[id] {
		return
	}
	w.found[id] = true
	if w.isTemplate(n) {
		w.mark(id)
		return
	}
	for _, c := range w.children(n) {
		w.find(c)
	}
}

func (w *walker) isTemplate(n *value.Node) bool {
	switch {
	case n.Kind == value.Expr:
		return strings.Contains(w.s.Text(n), templateMark)
	case n.Flags&value.Inserts == 0:
		return false
	case n.Kind == value.Map:
		return w.hasTemplateMark(n)
	}
	for _, e := range w.s.Elems(n) {
		if m := w.s.Node(e); m.Kind == value.Map && m.Flags&value.Inserts != 0 && m.Len == 1 && w.hasTemplateMark(m) {
			return true
		}
	}
	return false
}

// hasTemplateMark looks at the insert entry of a map.
func (w *walker) hasTemplateMark(n *value.Node) bool {
	insert, _ := w.s.Symbol("<<")
	for i, k := range w.s.Keys(n) {
		if v := w.s.Node(w.s.Vals(n)[i]); k == insert && v.Kind == value.Expr {
			return strings.Contains(w.s.Text(v), templateMark)
		}
	}
	return false
}

// mark marks the expressions at and below a node.
func (w *walker) mark(id value.ID) {
	n := w.s.Node(id)
	if n.Flags&value.Dynamic == 0 || w.marked[id] {
		return
	}
	w.marked[id] = true
	if n.Kind == value.Expr {
		w.verbatim[int(n.Start)] = true
	}
	for _, c := range w.children(n) {
		w.mark(c)
	}
}

func (t *tree) children(n *value.Node) []value.ID {
	switch n.Kind {
	case value.List:
		return t.s.Elems(n)
	case value.Map:
		return t.s.Vals(n)
	}
	return nil
}

// differ reports whether two texts mean something else: their nodes differ in
// kind, text, keys or order, or expressions in their canonical text.
func differ(a, b *tree) bool {
	if len(a.Docs) != len(b.Docs) || a.Empty != b.Empty || len(a.Warnings) != len(b.Warnings) {
		return true
	}
	c := comparison{a, b, map[[2]value.ID]bool{}, map[string]string{}}
	for i := range a.Docs {
		if !c.same(a.Docs[i], b.Docs[i]) {
			return true
		}
	}
	return false
}

type comparison struct {
	a, b      *tree
	seen      map[[2]value.ID]bool // lists and maps that were compared
	canonical map[string]string    // by the text of an expression
}

func (c *comparison) same(x, y value.ID) bool {
	n, m := c.a.s.Node(x), c.b.s.Node(y)
	if n.Kind != m.Kind || (n.Flags^m.Flags)&^value.Contiguous != 0 {
		return false
	}
	switch n.Kind {
	case value.Expr:
		t, u := c.a.s.Text(n), c.b.s.Text(m)
		return t == u || !c.a.verbatim[int(n.Start)] && c.print(t) == c.print(u)
	case value.List, value.Map:
	default:
		v, w := c.a.s.Load(x), c.b.s.Load(y)
		return v.Num == w.Num && v.Str == w.Str
	}
	if c.seen[[2]value.ID{x, y}] {
		return true
	}
	c.seen[[2]value.ID{x, y}] = true
	return c.sameKeys(n, m) && c.sameChildren(c.a.children(n), c.b.children(m))
}

func (c *comparison) sameKeys(n, m *value.Node) bool {
	if n.Kind != value.Map {
		return true
	}
	keys, others := c.a.s.Keys(n), c.b.s.Keys(m)
	for i := range min(len(keys), len(others)) {
		if c.a.s.Name(keys[i]) != c.b.s.Name(others[i]) {
			return false
		}
	}
	return true
}

func (c *comparison) sameChildren(xs, ys []value.ID) bool {
	if len(xs) != len(ys) {
		return false
	}
	for i := range xs {
		if !c.same(xs[i], ys[i]) {
			return false
		}
	}
	return true
}

// print returns the canonical text of an expression, with brackets, or its own
// text if it is none.
func (c *comparison) print(text string) string {
	if p, ok := c.canonical[text]; ok {
		return p
	}
	p := text
	if e, err := parser.Parse(text[2 : len(text)-2]); err == nil {
		p = ast.Print(e)
	}
	c.canonical[text] = p
	return p
}
