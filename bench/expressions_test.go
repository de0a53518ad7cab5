// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"math"
	"testing"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/compiler"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/graph"
	"github.com/dynaml/spiff/merge"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// The phases that happen inside of a merge: parsing, compiling, ordering and
// running, each on its own. A merge interleaves them, so they are measured on
// what a merge of the set leaves behind.

// An expression is a node of a document that holds one.
type expression struct {
	text string
	prog *program.Program
	in   *enclosing
	out  value.ID // what the merge made of the node
}

// enclosing is a list of the evaluated maps around a node, innermost first.
type enclosing struct {
	m     value.ID
	outer *enclosing
}

// A mergedSet is a set with the documents as they were read and the evaluated
// template.
type mergedSet struct {
	s     *value.Store
	docs  []value.ID // the template first
	exprs []expression
	texts []string            // distinct ones, which a merge compiles once each
	trees map[string]ast.Expr // by text
	progs map[string]*program.Program
}

// bytes is the size of all expressions.
func (m *mergedSet) bytes() (n int64) {
	for i := range m.exprs {
		n += int64(len(m.exprs[i].text))
	}
	return n
}

// distinct is the size of the distinct expressions.
func (m *mergedSet) distinct() (n int64) {
	for _, text := range m.texts {
		n += int64(len(text))
	}
	return n
}

// code is the number of instructions of all programs.
func (m *mergedSet) code() (n int64) {
	for _, p := range m.progs {
		for _, f := range p.Funcs {
			n += int64(len(f.Code))
		}
	}
	return n
}

func mergeSet(tb testing.TB, set Set) *mergedSet {
	tb.Helper()
	m := &mergedSet{s: value.NewStore(), trees: map[string]ast.Expr{}, progs: map[string]*program.Program{}}
	inputs := make([]merge.Input, 1+len(set.Stubs))
	for i, text := range append([]string{set.Template}, set.Stubs...) {
		src := diag.NewSource(fmt.Sprintf("file%d.yml", i), text)
		r, err := doc.Read(m.s, src)
		if err != nil {
			tb.Fatal(err)
		}
		inputs[i] = merge.Input{Source: src, Root: r.Docs[0]}
		m.docs = append(m.docs, r.Docs[0])
	}
	session := merge.NewSession(m.s, merge.Options{})
	stubs, err := session.Cascade(inputs[1:])
	if err != nil {
		tb.Fatal(err)
	}
	out, err := session.Merge(inputs[0])
	if err != nil {
		tb.Fatal(err)
	}
	for i, root := range m.docs {
		evaluated := append([]value.ID{out}, stubs...)[i]
		m.collect(tb, root, evaluated, nil)
	}
	return m
}

// collect finds the expressions at and below a node. out is its place in the
// evaluated document, 0 if it has none, as in the body of a template; such
// expressions are compiled, but not run.
func (m *mergedSet) collect(tb testing.TB, id, out value.ID, in *enclosing) {
	n := m.s.Node(id)
	if n.Flags&value.Dynamic == 0 {
		return
	}
	switch n.Kind {
	case value.Expr:
		text := m.s.Text(n)
		m.exprs = append(m.exprs, expression{text: text, prog: m.compile(tb, text[2:len(text)-2]), in: in, out: out})
	case value.Map:
		if out != 0 && m.s.Kind(out) == value.Map {
			in = &enclosing{out, in}
		}
		for i, key := range m.s.Keys(n) {
			m.collect(tb, m.s.Vals(n)[i], m.get(out, key), in)
		}
	case value.List:
		for i, e := range m.s.Elems(n) {
			m.collect(tb, e, m.entry(out, e, i, int(n.Len)), in)
		}
	}
}

func (m *mergedSet) get(out value.ID, key value.Sym) value.ID {
	if out == 0 {
		return 0
	}
	return m.s.Get(out, key)
}

// entry returns the place of entry i of a list of n, which was found by its
// name if it has one.
func (m *mergedSet) entry(out, e value.ID, i, n int) value.ID {
	if out == 0 || m.s.Kind(out) != value.List {
		return 0
	}
	field := m.s.Intern("name")
	elems := m.s.Elems(m.s.Node(out))
	if name, ok := m.s.KeyOf(e, field); ok {
		i = m.s.FindKeyed(out, field, name)
	} else if len(elems) != n {
		return 0
	}
	if i < 0 {
		return 0
	}
	return elems[i]
}

func (m *mergedSet) compile(tb testing.TB, text string) *program.Program {
	if p := m.progs[text]; p != nil {
		return p
	}
	tree, err := parser.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := compiler.Compile(m.s, text, tree)
	if err != nil {
		tb.Fatal(err)
	}
	m.texts, m.trees[text], m.progs[text] = append(m.texts, text), tree, p
	return p
}

// needs returns the static graph of the documents: a vertex for each node that
// needs work, and what it waits for, a list or map for its children and an
// expression for what the references lead to that it certainly reads first.
func (m *mergedSet) needs() (needs [][]uint32, roots []uint32) {
	g := &staticGraph{m: m, vertices: map[value.ID]uint32{}}
	for _, root := range m.docs {
		g.number(root)
	}
	g.needs = make([][]uint32, len(g.vertices))
	for _, root := range m.docs {
		g.root = root
		g.connect(root, nil)
		if v, ok := g.vertices[root]; ok {
			roots = append(roots, v)
		}
	}
	return g.needs, roots
}

type staticGraph struct {
	m        *mergedSet
	root     value.ID
	vertices map[value.ID]uint32
	needs    [][]uint32
}

func (g *staticGraph) children(id value.ID) []value.ID {
	s, n := g.m.s, g.m.s.Node(id)
	switch n.Kind {
	case value.Map:
		return s.Vals(n)
	case value.List:
		return s.Elems(n)
	}
	return nil
}

func (g *staticGraph) number(id value.ID) {
	if g.m.s.Node(id).Flags&value.Dynamic == 0 {
		return
	}
	g.vertices[id] = uint32(len(g.vertices))
	for _, c := range g.children(id) {
		g.number(c)
	}
}

func (g *staticGraph) connect(id value.ID, in *enclosing) {
	v, ok := g.vertices[id]
	if !ok {
		return
	}
	n := g.m.s.Node(id)
	if n.Kind == value.Expr {
		text := g.m.s.Text(n)
		p := g.m.progs[text[2:len(text)-2]]
		for _, d := range p.Deps {
			g.need(v, g.find(p.Paths[d.Path], in))
		}
		return
	}
	if n.Kind == value.Map {
		in = &enclosing{id, in}
	}
	for _, c := range g.children(id) {
		g.need(v, c)
		g.connect(c, in)
	}
}

func (g *staticGraph) need(v uint32, id value.ID) {
	if w, ok := g.vertices[id]; ok {
		g.needs[v] = append(g.needs[v], w)
	}
}

// find returns the node that a path leads to, or the expression on the way to
// it.
func (g *staticGraph) find(p *program.Path, in *enclosing) value.ID {
	s, id := g.m.s, g.root
	if !p.Abs {
		for ; in != nil && s.Get(in.m, p.Steps[0].Key) == 0; in = in.outer {
		}
		if in == nil {
			return 0
		}
		id = in.m
	}
	h := finished{s: s}
	for i := range p.Steps {
		if id == 0 || s.Kind(id) == value.Expr {
			break
		}
		id = h.step(value.Value{Kind: s.Kind(id), Ref: id}, &p.Steps[i])
	}
	return id
}

// order lets a scheduler run over a graph as the engine does: a vertex that
// meets an unfinished need blocks on it and makes it run next.
func order(needs [][]uint32, roots []uint32) (st graph.Stats, finished int) {
	var sched graph.Scheduler
	at := make([]uint32, len(needs))
	done := make([]bool, len(needs))
	for _, v := range roots {
		sched.Ready(v)
	}
	for v, ok := sched.Next(); ok; v, ok = sched.Next() {
		if done[v] {
			continue
		}
		for ; int(at[v]) < len(needs[v]) && done[needs[v][at[v]]]; at[v]++ {
		}
		if int(at[v]) < len(needs[v]) {
			w := needs[v][at[v]]
			sched.Block(v, graph.Event(w))
			sched.Ready(w)
			continue
		}
		done[v] = true
		finished++
		sched.Fire(graph.Event(v))
	}
	return sched.Stats(), finished
}

// A placed host answers for expressions whose document is evaluated: a
// reference reads the evaluated maps around the node. What only the merge can
// compute, from stubs, networks or templates, is the value it found.
type placed struct {
	finished
	at *expression
}

func (h *placed) Ref(_ *vm.Fiber, scope *vm.Scope, p *program.Path, _ bool) (value.Value, error) {
	name := p.Steps[0].Key
	in := h.at.in
	if p.Abs {
		for in.outer != nil {
			in = in.outer
		}
	} else if v, ok := scope.Lookup(name); ok {
		return h.follow(v, p, 1)
	}
	for ; in != nil; in = in.outer {
		if id := h.s.Get(in.m, name); id != 0 {
			return h.follow(h.s.Load(id), p, 1)
		}
	}
	return value.Value{}, h.notFound(p, 1)
}

func (h *placed) known() (value.Value, error) { return h.s.Load(h.at.out), nil }

func (h *placed) Merge(*vm.Fiber, *program.MergeForm) (value.Value, error) { return h.known() }

func (h *placed) Auto(*vm.Fiber, *vm.Scope) (value.Value, error) { return h.known() }

func (h *placed) StaticIPs(*vm.Fiber, *vm.Scope, []value.Value) (value.Value, error) {
	return h.known()
}

func (h *placed) Instantiate(*vm.Fiber, *vm.Scope, value.Value) (uint32, error) { return 1, nil }

func (h *placed) Instance(*vm.Fiber, uint32) (value.Value, error) { return h.known() }

// A runner runs all expressions of a merged set that have a place in the result.
type runner struct {
	m     *mergedSet
	exprs []expression
	host  *placed
	vm    *vm.VM
	limit int
}

func newRunner(m *mergedSet) *runner {
	r := &runner{m: m}
	for _, x := range m.exprs {
		if x.out != 0 {
			r.exprs = append(r.exprs, x)
		}
	}
	r.renew()
	return r
}

// renew takes a new store, as each run adds its lists to it.
func (r *runner) renew() {
	s := r.m.s.Clone()
	r.host = &placed{finished: finished{s: s}}
	r.vm = vm.New(r.host, vm.Limits{Instructions: math.MaxInt64}, nil)
	r.limit = s.Len() + maxNodes
}

func (r *runner) full() bool { return r.host.s.Len() > r.limit }

func (r *runner) run() error {
	for i := range r.exprs {
		x := &r.exprs[i]
		r.host.at = x
		f := r.vm.Start(0, x.prog, nil)
		_, err := r.vm.Run(f)
		r.vm.Release(f)
		if err != nil {
			return fmt.Errorf("%s: %w", x.text, err)
		}
	}
	return nil
}

// TestPhasesCover makes sure that the phases inside of a merge do the work of
// every family that has any.
func TestPhasesCover(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			m := mergeSet(t, Families[name](50))
			needs, roots := m.needs()
			if _, n := order(needs, roots); n != len(needs) {
				t.Errorf("%d of %d vertices are finished", n, len(needs))
			}
			r := newRunner(m)
			if err := r.run(); err != nil {
				t.Error(err)
			}
			placed := len(r.exprs)
			// A << entry leaves nothing under its own key in the result.
			if placed < len(m.exprs)*4/5 {
				t.Errorf("%d of %d expressions have a place in the result", placed, len(m.exprs))
			}
			if got := r.vm.Stats.Instructions; got < int64(placed) {
				t.Errorf("%d instructions for %d expressions", got, placed)
			}
		})
	}
}
