// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"slices"
	"sync"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/value"
)

// An index lays the documents of a set over each other: a place is what has the
// same path in each of them. It is made from what is written, without a merge,
// so that it can say exactly which words of which texts belong together.
type index struct {
	trees  []*tree // the template first; nil for a document that never had an outline
	places []place
	names  map[placeStep]int
	of     [][]int // by document and node

	readersOnce sync.Once
	readers     map[int][]occurrence // by place
}

// A place is a path in the documents.
type place struct {
	parent int
	name   string // key, name of an entry, or [n]
	at     []loc
}

type placeStep struct {
	place int
	name  string
}

// A loc is a node of a document.
type loc struct{ doc, node int }

// An occurrence is a name in an expression of a document.
type occurrence struct{ doc, expr, name int }

// A reach bounds how many references are followed to find what is below a node:
// one after the other, and in all for one question. Where each of twenty keys
// may be each of the others there are 20^8 ways.
type reach struct {
	deep int
	left *int
}

// Manifests refer to references at most three times over, and rarely to more
// than a handful of them at once.
const (
	maxFollow  = 8
	maxSources = 1000
)

// far is the reach of a new question.
func far() reach {
	left := maxSources
	return reach{maxFollow, &left}
}

// near is the reach of a question about what is written at the place itself.
func near() reach { return reach{} }

// follow returns what is left behind a reference, and whether it is followed.
func (r reach) follow() (reach, bool) {
	if r.deep == 0 || *r.left == 0 {
		return r, false
	}
	*r.left--
	return reach{r.deep - 1, r.left}, true
}

func newIndex(trees []*tree) *index {
	x := &index{trees: trees, places: []place{{parent: -1}}, names: map[placeStep]int{}, of: make([][]int, len(trees))}
	for d, t := range trees {
		if t != nil {
			x.add(d, t)
		}
	}
	return x
}

// add adds the nodes of a document.
func (x *index) add(d int, t *tree) {
	of := make([]int, len(t.Nodes))
	x.of[d] = of
	for i := range t.Nodes {
		n := &t.Nodes[i]
		p := 0
		if n.Parent >= 0 {
			p = x.child(of[n.Parent], t.component(i))
		}
		of[i] = p
		x.places[p].at = append(x.places[p].at, loc{d, i})
	}
}

// component returns what leads to a node from the one around it.
func (t *tree) component(i int) string {
	n := &t.Nodes[i]
	if n.Index < 0 {
		return plainKey(n.Key)
	}
	if name, ok := t.entryName(i); ok {
		if first, _ := t.child(n.Parent, name); first == i {
			return name
		}
	}
	return explain.Index(n.Index)
}

// child returns a place in a place, and makes it if there is none.
func (x *index) child(parent int, name string) int {
	key := placeStep{parent, name}
	p, ok := x.names[key]
	if !ok {
		p = len(x.places)
		x.places = append(x.places, place{parent: parent, name: name})
		x.names[key] = p
	}
	return p
}

// path returns the steps to a place as a user writes them.
func (x *index) path(p int) string {
	var parts []string
	for ; p > 0; p = x.places[p].parent {
		name := x.places[p].name
		if !x.isIndex(p) {
			name = explain.Key(name)
		}
		parts = append(parts, name)
	}
	path := ""
	for _, part := range slices.Backward(parts) {
		path = explain.Join(path, part)
	}
	return path
}

// isIndex reports whether a place is an entry of a list without a name.
func (x *index) isIndex(p int) bool {
	for _, l := range x.places[p].at {
		n := &x.trees[l.doc].Nodes[l.node]
		return n.Index >= 0 && x.places[p].name == explain.Index(n.Index)
	}
	return false
}

// step returns the place that a step leads to from a place, or -1. What is not
// written there is sought where the expressions at the place take it from.
func (x *index) step(p int, s *ast.Step, r reach) int {
	switch s.Kind {
	case ast.StepName:
		return x.named(p, s.Name, r)
	case ast.StepIndex:
		return x.indexed(p, s.Index, r)
	}
	return -1
}

func (x *index) named(p int, name string, r reach) int {
	if c, ok := x.names[placeStep{p, name}]; ok {
		return c
	}
	if c := x.byField(p, name); c >= 0 {
		return c
	}
	return x.elsewhere(p, r, func(q int, r reach) int { return x.named(q, name, r) })
}

// byField finds an entry by a step of the form field:value.
func (x *index) byField(p int, name string) int {
	for i := range name {
		if name[i] != ':' {
			continue
		}
		for _, l := range x.places[p].at {
			t := x.trees[l.doc]
			for c := range t.Children(l.node) {
				if f, ok := t.child(c, name[:i]); ok && t.Nodes[c].Index >= 0 && t.Nodes[f].Text == name[i+1:] {
					return x.of[l.doc][c]
				}
			}
		}
	}
	return -1
}

func (x *index) indexed(p int, i int64, r reach) int {
	for _, l := range x.places[p].at {
		if c, ok := x.trees[l.doc].entry(l.node, i); ok {
			return x.of[l.doc][c]
		}
	}
	return x.elsewhere(p, r, func(q int, r reach) int { return x.indexed(q, i, r) })
}

// elsewhere asks f for the places from which the value of a place may come, and
// returns its first answer that is not -1.
func (x *index) elsewhere(p int, r reach, f func(place int, r reach) int) int {
	for _, l := range x.places[p].at {
		behind, ok := r.follow()
		if !ok {
			return -1
		}
		for _, q := range x.sourcesOf(l, behind) {
			if q == p {
				continue
			}
			if c := f(q, behind); c >= 0 {
				return c
			}
		}
	}
	return -1
}

// sourcesOf returns the places from which the value of a node may come.
func (x *index) sourcesOf(l loc, r reach) (list []int) {
	t := x.trees[l.doc]
	n := &t.Nodes[l.node]
	if n.Alias {
		if o := t.original(l.node); o >= 0 {
			return []int{x.of[l.doc][o]}
		}
		return nil
	}
	if i, ok := t.at[l.node]; ok && t.exprs[i].x != nil {
		for _, s := range sources(t.exprs[i].x) {
			q := -1
			switch s := s.(type) {
			case *ast.Ref:
				q = x.resolve(l, s.Abs, s.Steps, r)
			case *ast.Merge:
				q = x.walk(0, s.Path, r)
			}
			if q >= 0 {
				list = append(list, q)
			}
		}
		return list
	}
	if c, ok := t.child(l.node, insertKey); ok {
		list = append(list, x.of[l.doc][c])
	}
	if n.Kind == value.List {
		for c := range t.Children(l.node) {
			if in, ok := t.child(c, insertKey); ok {
				list = append(list, x.of[l.doc][in])
			}
		}
	}
	return list
}

// insertKey inserts the entries of another map or list.
const insertKey = "<<"

// original returns the node that an alias stands for, or -1.
func (t *tree) original(alias int) int {
	a := &t.Nodes[alias]
	if o, ok := t.aliased[span{a.Start, a.Kind}]; ok && o >= 0 && o < alias {
		return o
	}
	return -1
}

// walk follows a path from a place, or returns -1.
func (x *index) walk(p int, path []ast.Step, r reach) int {
	for i := range path {
		if p = x.step(p, &path[i], r); p < 0 {
			return -1
		}
	}
	return p
}

// resolve returns the place that a path in the expression of a node leads to,
// or -1 (semantics 3.1).
func (x *index) resolve(l loc, abs bool, path []ast.Step, r reach) int {
	from := 0
	if !abs {
		if from = x.scope(l, path[0].Name, r); from < 0 {
			return -1
		}
	}
	return x.walk(from, path, r)
}

// scope returns the innermost map around a node that has a name, or -1. What
// the document itself has goes before what stubs may bring.
func (x *index) scope(l loc, name string, r reach) int {
	t := x.trees[l.doc]
	for i := t.Nodes[l.node].Parent; i >= 0; i = t.Nodes[i].Parent {
		if t.Nodes[i].Kind != value.Map {
			continue
		}
		if _, ok := t.child(i, name); ok {
			return x.of[l.doc][i]
		}
		if _, ok := t.child(i, insertKey); ok && x.named(x.of[l.doc][i], name, r) >= 0 {
			return x.of[l.doc][i]
		}
	}
	return -1
}

// target returns the place that a name of an expression stands for, or -1.
func (x *index) target(o occurrence) int {
	e := &x.trees[o.doc].exprs[o.expr]
	n := &e.names[o.name]
	switch n.kind {
	case nameStep:
		return x.resolve(loc{o.doc, e.node}, n.ref.Abs, n.path, far())
	case nameRedirect:
		return x.walk(0, n.path, far())
	case nameMerge:
		if n.path != nil {
			return x.walk(0, n.path, far())
		}
		return x.mergedAt(loc{o.doc, e.node})
	}
	return -1
}

// mergedAt returns the place at which the stubs are asked for a node: its own,
// or for the value of << that of what is around it.
func (x *index) mergedAt(l loc) int {
	t := x.trees[l.doc]
	p := x.of[l.doc][l.node]
	if x.places[p].name != insertKey {
		return p
	}
	p = x.places[p].parent
	if t.Nodes[t.Nodes[l.node].Parent].Index >= 0 { // - <<: stands for the list
		p = x.places[p].parent
	}
	return p
}

// readersOf returns the names that stand for a place, but for the word merge,
// in the order of the documents.
func (x *index) readersOf(p int) []occurrence {
	x.readersOnce.Do(func() {
		x.readers = map[int][]occurrence{}
		for d, t := range x.trees {
			if t != nil {
				x.addReaders(d, t)
			}
		}
	})
	return x.readers[p]
}

func (x *index) addReaders(d int, t *tree) {
	for e := range t.exprs {
		for i := range t.exprs[e].names {
			o := occurrence{d, e, i}
			if k := t.exprs[e].names[i].kind; k != nameStep && k != nameRedirect {
				continue
			}
			if q := x.target(o); q >= 0 {
				x.readers[q] = append(x.readers[q], o)
			}
		}
	}
}
