// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/graph"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// Graph returns which nodes needed which: all expressions of all documents, and
// what they read, merged or were overridden by.
func (t *Trace) Graph() *explain.Graph {
	b := newGraphBuilder(t)
	b.build()
	b.g.Sort()
	return b.g
}

// GraphNear is the part of Graph around the nodes at and below a path, as
// explain.Graph.Near says.
func (t *Trace) GraphNear(path []explain.Step, depth int) (*explain.Graph, error) {
	sp, err := t.find(path)
	if err != nil {
		return nil, err
	}
	b := newGraphBuilder(t)
	b.node(sp) // it may be a literal that nobody reads
	b.build()
	at := b.g.Nodes[b.node(sp)]
	b.g.Sort()
	var from []int
	for i := range b.g.Nodes {
		n := &b.g.Nodes[i]
		if n.Stub == at.Stub && n.Document == at.Document && n.File == at.File &&
			(n.Path == at.Path || at.Path == "" || strings.HasPrefix(n.Path, at.Path+".")) {
			from = append(from, i)
		}
	}
	return b.g.Near(from, depth), nil
}

// A graphBuilder makes the graph of a trace.
type graphBuilder struct {
	t     *Trace
	g     *explain.Graph
	index map[nodeKey]int
	spots []spot // by node, those with kind absent apart
	next  int    // node whose place in the stubs is looked at next
}

type nodeKey struct {
	doc  int
	path string
}

func newGraphBuilder(t *Trace) *graphBuilder {
	return &graphBuilder{t: t, index: map[nodeKey]int{},
		g: &explain.Graph{Nodes: []explain.Node{}, Edges: []explain.Edge{}, Cycles: [][]int{}}}
}

func (b *graphBuilder) build() {
	t := b.t
	for d, doc := range t.docs {
		if doc.l == nil {
			continue
		}
		for v := doc.first; v < t.after(d); v++ {
			if b.reader(v) {
				b.needs(v)
			}
		}
	}
	for ; b.next < len(b.spots); b.next++ {
		b.fromStubs(b.next)
	}
	for d := range t.docs {
		b.cycles(d)
	}
	b.contains()
}

// after returns the number after that of the last cell of a document.
func (t *Trace) after(d int) uint32 {
	if d+1 < len(t.docs) {
		return t.docs[d+1].first
	}
	return uint32(t.n.cells.len()) + 1
}

// reader reports whether a cell is an expression, or read something.
func (b *graphBuilder) reader(v uint32) bool {
	n := b.t.noteOf(v)
	if len(n.reads)+len(n.merges) > 0 {
		return true
	}
	w := n.written
	if w == 0 {
		w = b.t.n.cells.at(v).node
	}
	return w != 0 && b.t.n.s.Kind(w) == value.Expr
}

// node returns the number of the node of a spot. A part of a value that came as
// a whole is that of the value, and a node that an expression took over from
// elsewhere is that of where it stands.
func (b *graphBuilder) node(sp spot) int {
	if sp.how == partial || sp.holder != 0 {
		sp = b.t.spotOf(sp.cell)
	}
	key := nodeKey{sp.doc, sp.path}
	if i, ok := b.index[key]; ok {
		return i
	}
	i := b.add(key, sp)
	n, s := &b.g.Nodes[i], b.t.n.s
	x := explainer{t: b.t}
	n.State, n.Error = x.state(sp)
	n.Text = ""
	at := sp.out
	if sp.written != 0 {
		at = sp.written
	}
	switch {
	case at == 0:
		n.Kind = "scalar"
	case s.Kind(at) == value.Expr:
		n.Kind, n.Text = "expression", explain.Clip(s.Redact(s.Text(s.Node(at))))
	case s.Kind(at) == value.List || s.Kind(at) == value.Map:
		n.Kind = s.Kind(at).String()
	default:
		n.Kind = "scalar"
	}
	if at != 0 && s.Span(at).Src != nil {
		p := explain.PlaceOf(s.Span(at))
		n.At = &p
	}
	if sp.out != 0 {
		n.Value = explain.ValueOf(s, sp.out).Brief()
	}
	return i
}

// absent returns the number of a node that is not there.
func (b *graphBuilder) absent(d int, path string) int {
	key := nodeKey{d, path}
	if i, ok := b.index[key]; ok {
		return i
	}
	i := b.add(key, spot{doc: d, path: path, named: path, lone: true})
	b.g.Nodes[i].Kind, b.g.Nodes[i].State = explain.Absent, explain.Absent
	return i
}

func (b *graphBuilder) add(key nodeKey, sp spot) int {
	t := b.t
	d := t.docs[sp.doc]
	i := len(b.g.Nodes)
	n := explain.Node{ID: i, File: d.in.Source.Name, Path: sp.path}
	if sp.named != sp.path {
		n.Named = sp.named
	}
	if d.isStub {
		n.Stub = t.total - sp.doc
	} else {
		n.Document = sp.doc - d.stubs
	}
	b.index[key] = i
	b.g.Nodes = append(b.g.Nodes, n)
	b.spots = append(b.spots, sp)
	return i
}

func (b *graphBuilder) edge(from, to int, kind string) {
	b.g.Edges = append(b.g.Edges, explain.Edge{From: from, To: to, Kind: kind})
}

// needs adds what the expression of a cell read and merged.
func (b *graphBuilder) needs(v uint32) {
	t := b.t
	sp := t.spotOf(v)
	from := b.node(sp)
	n := t.noteOf(v)
	for _, r := range n.reads {
		if r.from == 0 {
			b.edge(from, b.absent(sp.doc, r.path.Text(t.n.s)), explain.Reads)
			continue
		}
		there, ok := t.steps(t.spotOf(r.from), r.path.Steps)
		if ok {
			b.edge(from, b.node(there), explain.Reads)
			continue
		}
		path := r.path.Text(t.n.s)
		if there.how == byCell && there.out == 0 {
			b.edge(from, b.node(there), explain.Reads) // it has no value to look into
			continue
		}
		b.edge(from, b.absent(sp.doc, path), explain.Reads)
	}
	for _, m := range n.merges {
		if m.hit == 0 {
			continue
		}
		place := sp.stub
		if m.form.Path != nil {
			place = m.form.Path.Steps
		}
		if there, ok := b.inStubs(sp.doc, place); ok {
			b.edge(from, b.node(there), explain.Merges)
		}
	}
}

// inStubs returns the spot of the nearest stub that has a value at a place.
func (b *graphBuilder) inStubs(d int, place []program.Step) (spot, bool) {
	for i := b.t.docs[d].stubs - 1; i >= 0; i-- {
		if sp, ok := b.t.inStub(i, place); ok && sp.out != 0 {
			return sp, true
		}
	}
	return spot{}, false
}

// fromStubs adds the << value that brought a node in, and the stub that overrode
// it.
func (b *graphBuilder) fromStubs(i int) {
	sp := b.spots[i]
	if sp.insert != 0 {
		b.edge(i, b.node(b.t.spotOf(sp.insert)), explain.Inserted)
	}
	if sp.lone || sp.out == 0 || sp.how == plain {
		return
	}
	if sp.how == byCell {
		n := b.t.noteOf(sp.cell)
		if n.hit == 0 || n.hit != b.t.n.cells.at(sp.cell).out || b.t.n.cells.at(sp.cell).flags&fExempt != 0 {
			return
		}
	}
	if there, ok := b.inStubs(sp.doc, sp.stub); ok {
		b.edge(i, b.node(there), explain.Overridden)
	}
}

// contains connects lists and maps that somebody needs with the nodes in them.
func (b *graphBuilder) contains() {
	for i := range b.g.Nodes {
		sp := b.spots[i]
		explain.Parents(sp.path, func(parent string) bool {
			j, ok := b.index[nodeKey{sp.doc, parent}]
			if ok && b.g.Nodes[j].Kind != explain.Absent {
				b.edge(j, i, explain.Contains)
			}
			return !ok
		})
	}
}

// cycles adds the cells of a document that wait for each other.
func (b *graphBuilder) cycles(d int) {
	t := b.t
	l := t.docs[d].l
	if l == nil {
		return
	}
	blocked, found := l.waitingCycles()
	if len(found) == 0 {
		return
	}
	linked := map[[2]int]bool{}
	for _, e := range b.g.Edges {
		linked[[2]int{e.From, e.To}] = true
	}
	for _, way := range found {
		var nodes []int
		for _, w := range way {
			if n := b.node(t.spotOf(blocked[w])); len(nodes) == 0 || nodes[len(nodes)-1] != n {
				nodes = append(nodes, n)
			}
		}
		if len(nodes) == 1 {
			nodes = append(nodes, nodes[0])
		}
		for i, n := range nodes {
			b.g.Nodes[n].Cycle = true
			if i > 0 && !linked[[2]int{nodes[i-1], n}] {
				linked[[2]int{nodes[i-1], n}] = true
				b.edge(nodes[i-1], n, explain.WaitsFor)
			}
		}
		b.g.Cycles = append(b.g.Cycles, nodes)
	}
}

// waitingCycles returns the cells that are blocked, and the ways round among
// them by index, each from its first cell back to it.
func (l *level) waitingCycles() (blocked []uint32, found [][]int) {
	blocked = l.sched.Blocked()
	slices.Sort(blocked)
	number := make(map[uint32]int, len(blocked))
	for i, v := range blocked {
		number[v] = i
	}
	edges := func(i int, yield func(int)) {
		on, _ := l.sched.WaitsFor(blocked[i])
		if j, ok := number[uint32(on)/numEvents]; ok {
			yield(j)
		}
	}
	for _, comp := range graph.Components(len(blocked), edges) {
		if path := graph.CyclePath(comp, edges); len(path) > 0 {
			found = append(found, path)
		}
	}
	return blocked, found
}

// find returns the spot at a path that a user wrote, of the first document of
// the last file that has it.
func (t *Trace) find(path []explain.Step) (spot, error) {
	last := len(t.docs) - 1
	first := last
	for first > 0 && !t.docs[first-1].isStub && t.docs[last].in.Source == t.docs[first-1].in.Source {
		first--
	}
	var err error
	for d := first; d <= last; d++ {
		var sp spot
		if sp, err = t.resolve(d, path); err == nil {
			return sp, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("nothing was merged")
	}
	return spot{}, err
}
