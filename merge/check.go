// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/dialect"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/value"
)

// usage records which nodes were taken as values, and by which document. It is
// kept only if a check asks for it.
//
// Documents are numbered from the left, the template is 1. Those to the right
// are evaluated first, so the last one to take a node is the leftmost. That one
// is kept: what a stub took from another is not used for that reason if it is
// the value of a key of the first.
type usage struct {
	doc      uint16   // being evaluated
	merged   []uint16 // by node: the document that took it from a stub, 0 for none
	named    []uint16 // by node: the document in which a reference leads to it
	cells    []uint32 // of the current level, referred to before they were finished
	replaced []replacement
	template []value.ID // roots of the documents that are no stubs
	compared int        // names looked at for suggestions, see maxCompared
}

// The numbers of documents in usage.
const (
	theTemplate = 1
	firstStub   = 2
)

// A replacement is a simple value that a stub replaced by a structure.
type replacement struct{ written, by value.ID }

// take notes that the node id of a stub, with everything in it, is used.
func (n *Session) take(id value.ID) {
	if n.used != nil {
		n.used.set(&n.used.merged, id)
	}
}

// name notes that a reference leads to a node.
func (n *Session) name(id value.ID) {
	if n.used != nil {
		n.used.set(&n.used.named, id)
	}
}

func (u *usage) set(by *[]uint16, id value.ID) {
	if i := int(id) - len(*by); i >= 0 {
		*by = append(*by, make([]uint16, i+1)...)
	}
	(*by)[id] = u.doc
}

// has reports whether a node, as a value of document doc, was taken by one to
// its left, or named in doc itself.
func (u *usage) has(id value.ID, doc uint16) bool {
	at := func(by []uint16) uint16 {
		if int(id) < len(by) {
			return by[id]
		}
		return 0
	}
	m, n := at(u.merged), at(u.named)
	return m != 0 && m < doc || n != 0 && n <= doc
}

// replace notes that a stub value takes the place of a node of the document.
func (n *Session) replace(written, by value.ID) {
	if n.used != nil {
		n.used.replace(n.s, written, by)
	}
}

func (u *usage) replace(s *value.Store, written, by value.ID) {
	u.set(&u.merged, by)
	w, b := s.Kind(written), s.Kind(by)
	if w > value.Null && w < value.Expr && (b == value.List || b == value.Map) {
		u.replaced = append(u.replaced, replacement{written, by})
	}
}

// nameCell is name for what is not finished yet.
func (n *Session) nameCell(v uint32) {
	if n.used != nil {
		n.used.cells = append(n.used.cells, v)
	}
}

// nameCells completes what was noted by nameCell.
func (l *level) nameCells() {
	if l.used == nil {
		return
	}
	for _, v := range l.used.cells {
		if c := l.cell(v); c.state == sDone {
			l.name(c.out)
		}
	}
	l.used.cells = l.used.cells[:0]
}

// Warnings returns what is odd about how the documents fit together, after
// they were merged with Options.Check: keys of stubs that nothing used, and
// simple values that a stub replaced by a structure. evaluated is what Cascade
// returned for the stubs.
func (n *Session) Warnings(stubs []Input, evaluated []value.ID) diag.List {
	if n.used == nil {
		return nil
	}
	var list diag.List
	for i, in := range stubs {
		if in.Root == 0 || evaluated[i] == 0 {
			continue
		}
		u := &unused{n: n, doc: uint16(i + firstStub), seen: map[value.ID]bool{}}
		if root := n.s.Node(in.Root); len(n.used.template) == 0 || n.used.has(evaluated[i], u.doc) {
			continue // everything is used, or there is nothing that could use it
		} else if root.Kind == value.Map {
			u.visitMap(root, evaluated[i], n.used.template[0], nil)
		} else {
			u.visit(in.Root, evaluated[i], n.used.template[0], nil)
		}
		list = append(list, u.list...)
	}
	seen := map[string]bool{}
	for _, r := range n.used.replaced {
		at := n.s.Span(r.written)
		if seen[at.String()] {
			continue
		}
		seen[at.String()] = true
		kind := n.s.Kind(r.by).String()
		d := diag.Warnf(at, "a stub replaces this %s by a %s", n.s.Kind(r.written), kind)
		d.Code = diag.ScalarReplaced
		list = append(list, d.WithNote(n.s.Span(r.by), "the %s is here", kind))
	}
	return list
}

// unused finds the topmost keys of a stub of which nothing was taken. What was
// taken are nodes of the evaluated stub, so that is walked beside the stub as
// it is written, and the template beside both for what was probably meant.
type unused struct {
	n    *Session
	doc  uint16
	list diag.List
	seen map[value.ID]bool // lists and maps that aliases lead to again
}

// visit reports whether something in a node was taken, and lists what was not.
func (u *unused) visit(raw, got, template value.ID, path []string) bool {
	s := u.n.s
	if u.n.used.has(got, u.doc) || u.n.used.has(raw, u.doc) {
		return true
	}
	n := s.Node(raw)
	if n.Kind != value.Map && n.Kind != value.List {
		return u.within(got)
	}
	if n.Len == 0 {
		return true // there is nothing to be taken
	}
	if any, ok := u.seen[raw]; ok {
		return any
	}
	u.seen[raw] = true
	before := len(u.list)
	any := false
	if n.Kind == value.Map {
		any = u.visitMap(n, got, template, path)
	} else {
		any = u.visitList(n, got, template, path)
	}
	if !any {
		u.list = u.list[:before]
	}
	u.seen[raw] = any
	return any
}

func (u *unused) visitMap(n *value.Node, got, template value.ID, path []string) bool {
	s := u.n.s
	any := false
	for i, key := range s.Keys(n) {
		raw := s.Vals(n)[i]
		name := strings.TrimPrefix(s.Name(key), keyTag)
		child := s.Field(got, name)
		if child == 0 || key == u.n.names.insert {
			any = any || child == 0 && key != u.n.names.insert // ~~ or replaced: not a slip
			continue
		}
		var there value.ID
		if template != 0 {
			there = s.Get(template, key)
		}
		below := append(path, name)
		if u.visit(raw, child, there, below) {
			any = true
			continue
		}
		u.report(raw, name, template, there, below)
	}
	return any
}

func (u *unused) visitList(n *value.Node, got, template value.ID, path []string) bool {
	s := u.n.s
	g := s.Node(got)
	if g.Kind != value.List || g.Len != n.Len {
		return u.within(got) // entries were inserted: which is which is not known
	}
	any := false
	for i, raw := range s.Elems(n) {
		child := s.Elems(g)[i]
		var there value.ID
		step := index(i)
		if name, ok := s.KeyOf(child, u.n.names.name); ok {
			step = name
		}
		if template != 0 {
			if t := s.Node(template); t.Kind == value.List {
				if j := s.FindKeyed(template, u.n.names.name, step); j >= 0 {
					there = s.Elems(t)[j]
				} else if i < int(t.Len) && step == index(i) {
					there = s.Elems(t)[i]
				}
			}
		}
		below := append(path, step)
		if u.visit(raw, child, there, below) {
			any = true
			continue
		}
		d := diag.Warnf(s.Span(raw), "nothing uses the entry %s of this stub", strings.Join(below, "."))
		d.Code = diag.UnusedStubKey
		u.list = append(u.list, d)
	}
	return any
}

// within reports whether something inside a computed value was taken.
func (u *unused) within(id value.ID) bool {
	s := u.n.s
	if u.n.used.has(id, u.doc) {
		return true
	}
	n := s.Node(id)
	var below []value.ID
	switch n.Kind {
	case value.Map:
		below = s.Vals(n)
	case value.List:
		below = s.Elems(n)
	default:
		return false
	}
	if any, ok := u.seen[id]; ok {
		return any
	}
	u.seen[id] = false
	any := slices.ContainsFunc(below, u.within)
	u.seen[id] = any
	return any
}

// report warns of a key. parent and there are what the template has around it
// and at its place.
func (u *unused) report(raw value.ID, name string, parent, there value.ID, path []string) {
	s := u.n.s
	d := diag.Warnf(s.Span(raw).Key(name), "nothing uses the key %s of this stub", strings.Join(path, "."))
	d.Code = diag.UnusedStubKey
	u.list = append(u.list, d)
	if there != 0 {
		n := s.Node(there)
		switch {
		case n.Kind == value.Expr:
			d.WithNote(s.Span(there), "the expression of the template does not ask for it")
			d.Fix = "take it with merge in that expression, or remove the key from the stub"
		case n.Kind == value.Map || n.Kind == value.List:
			d.WithNote(s.Span(there), "the template has a %s here, which keeps its own entries", n.Kind)
			d.Fix = fmt.Sprintf("write a %s in the stub, or (( merge )) in the template to take what the stub has", n.Kind)
		}
		return
	}
	if parent == 0 || s.Kind(parent) != value.Map || u.n.used.compared > maxCompared {
		return
	}
	p := s.Node(parent)
	u.n.used.compared += int(p.Len)
	var names []string
	for _, k := range s.Keys(p) {
		names = append(names, s.Name(k))
	}
	if c := diag.Closest(name, names); c != "" {
		d.Fix = fmt.Sprintf("did you mean %q?", c)
		d.WithNote(s.Span(s.Field(parent, c)).Key(c), "the template has %q", c)
	}
}

// Lint returns warnings about what is written in a document: defaults that are
// never used, and words that YAML takes for booleans.
func Lint(s *value.Store, root value.ID, d dialect.Dialect) diag.List {
	l := &linter{s: s, dialect: d, seen: map[value.ID]bool{}, found: map[string][]ast.Pos{}}
	l.visit(root)
	return l.list
}

type linter struct {
	s       *value.Store
	dialect dialect.Dialect
	list    diag.List
	seen    map[value.ID]bool
	found   map[string][]ast.Pos // unreachable defaults by the text of the expression
}

func (l *linter) visit(id value.ID) {
	if id == 0 || l.seen[id] {
		return
	}
	n := l.s.Node(id)
	switch n.Kind {
	case value.Map:
		l.seen[id] = true
		for _, v := range l.s.Vals(n) {
			l.visit(v)
		}
	case value.List:
		l.seen[id] = true
		for _, v := range l.s.Elems(n) {
			l.visit(v)
		}
	case value.Bool:
		l.word(id)
	case value.Expr:
		l.defaults(id, exprText(l.s.Text(n)))
	}
}

// words are those that are booleans in YAML 1.1 only and hardly ever meant to
// be. yes and no in small letters are left out: they are written for booleans.
var words = []string{"y", "n", "on", "off"}

func (l *linter) word(id value.ID) {
	sp := l.s.Span(id)
	if sp.Src == nil {
		return
	}
	word := sp.Src.Text[sp.Start:sp.End]
	if word != "NO" && !slices.Contains(words, strings.ToLower(word)) {
		return
	}
	d := diag.Warnf(sp, "the word %s is the boolean %t here", word, l.s.Load(id).Bool())
	d.Code = diag.BooleanWord
	d.Fix = fmt.Sprintf("write %q if it is a text, else %t", word, l.s.Load(id).Bool())
	l.list = append(l.list, d)
}

// defaults warns of the operands behind one that always has a value.
func (l *linter) defaults(id value.ID, text string) {
	if !strings.Contains(text, "||") && !strings.Contains(text, "//") {
		return
	}
	places, ok := l.found[text]
	if !ok {
		if e, err := parser.ParseAs(l.dialect, text); err == nil {
			places = unreachable(e)
		}
		l.found[text] = places
	}
	for _, p := range places {
		d := diag.Warnf(inText(l.s.Span(id), text, p.Start, p.End), "this default is never used: what stands before it always has a value")
		d.Code = diag.UnreachableDefault
		l.list = append(l.list, d)
	}
}

// unreachable returns the first operand of each || or // that is never used.
func unreachable(e ast.Expr) (places []ast.Pos) {
	ast.Walk(e, func(x ast.Expr) bool {
		or, ok := x.(*ast.Or)
		if !ok {
			return true
		}
		for i, left := range or.Xs[:len(or.Xs)-1] {
			if certain(left, or.Nil[i]) {
				places = append(places, or.Xs[i+1].Span())
				break
			}
		}
		return true
	})
	return places
}

// certain reports whether e always has a value; with notNull, one that is not
// null.
func certain(e ast.Expr, notNull bool) bool {
	switch e := e.(type) {
	case *ast.Lit:
		return e.Kind != ast.LitUndefined && (!notNull || e.Kind != ast.LitNull)
	case *ast.Group:
		return certain(e.X, notNull)
	case *ast.Lambda:
		return true
	case *ast.List:
		return !slices.ContainsFunc(e.Elems, func(x ast.Expr) bool { return !certain(x, false) })
	}
	return false
}
