// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// candidates are the nodes of the stubs at one place: 0 for none, the ID of the
// only one that matters, or the number of a group with the bit cellBit. What
// counts is the nearest node, whose value overrides, and the lists and maps,
// which have candidates for the children.
type candidates uint32

// A group is the candidates of a place for which several stubs have a list or
// map. Groups belong to the session, as stubs are evaluated one after the other
// and each only adds a node in front: what was indexed for one stub serves for
// the next.
type group struct {
	ids         []value.ID // farthest stub first
	lists, maps int
	explicit    bool // one of the lists names its key field
	index       *groupIndex
}

// minIndexed is how many candidates are asked one by one: an index costs as
// much memory as the nodes that it leads to. Only tests change it.
var minIndexed = 5

// A groupIndex leads from the candidates of a list or map to those of its
// children. Each part is made when it is asked for, and brought up to date
// when there are more candidates than then.
type groupIndex struct {
	keys     []value.Sym
	vals     []candidates // parallel to keys
	table    value.KeyTable
	nextKeys int // candidates whose keys are in the table

	entries     []candidates // by index
	nextEntries int

	fields []*groupField
}

// A groupField leads to the entries of lists by a field.
type groupField struct {
	field value.Sym
	names value.NameIndex
	vals  []candidates
	from  []int // for each name the candidate that had it last
	next  int
}

func isGroup(c candidates) bool { return c >= candidates(cellBit) }

func (n *Session) group(c candidates) *group { return n.groups.at(uint32(c) &^ uint32(cellBit)) }

// addStub makes an evaluated stub the nearest one.
func (n *Session) addStub(id value.ID) {
	if id != 0 && n.s.Kind(id) != value.Null {
		n.stubs = n.push(n.stubs, id)
	}
}

// push returns c with a nearer candidate.
func (n *Session) push(c candidates, id value.ID) candidates {
	switch {
	case isGroup(c):
		n.group(c).add(n.s, id)
		return c
	case c == 0 || !n.hasChildren(value.ID(c)):
		return candidates(id)
	}
	i := n.groups.add()
	g := n.groups.at(i)
	g.add(n.s, value.ID(c))
	g.add(n.s, id)
	return candidates(i) | candidates(cellBit)
}

func (g *group) add(s *value.Store, id value.ID) {
	g.ids = append(g.ids, id)
	switch n := s.Node(id); n.Kind {
	case value.Map:
		g.maps++
	case value.List:
		g.lists++
		g.explicit = g.explicit || s.KeyField(n) != 0
	}
}

// nearest returns the nearest candidate, or 0.
func (n *Session) nearest(c candidates) value.ID {
	if !isGroup(c) {
		return value.ID(c)
	}
	ids := n.group(c).ids
	return ids[len(ids)-1]
}

// mergeable reports whether one of the candidates has children.
func (n *Session) mergeable(c candidates) bool {
	return isGroup(c) || c != 0 && n.hasChildren(value.ID(c))
}

func (n *Session) hasChildren(id value.ID) bool {
	k := n.s.Kind(id)
	return k == value.Map || k == value.List
}

// each returns the candidates that child gives for every one of c.
func (n *Session) each(c candidates, child func(id value.ID) value.ID) (out candidates) {
	if !isGroup(c) {
		if c != 0 {
			n.stats.Hits++
			out = candidates(child(value.ID(c)))
		}
		return out
	}
	ids := n.group(c).ids
	n.stats.Hits += len(ids)
	for _, id := range ids {
		if r := child(id); r != 0 {
			out = n.push(out, r)
		}
	}
	return out
}

// indexed returns the index of c, or nil if its candidates are to be asked one
// by one.
func (n *Session) indexed(c candidates) (*group, *groupIndex) {
	if !isGroup(c) {
		return nil, nil
	}
	g := n.group(c)
	if g.index == nil && len(g.ids) >= minIndexed {
		g.index = &groupIndex{}
	}
	return g, g.index
}

// keyHits returns the candidates for a key of a map.
func (n *Session) keyHits(c candidates, key value.Sym) candidates {
	if c == 0 {
		return 0
	}
	g, x := n.indexed(c)
	if x == nil {
		return n.each(c, func(id value.ID) value.ID { return n.s.Get(id, key) })
	}
	for ; x.nextKeys < len(g.ids); x.nextKeys++ {
		node := n.s.Node(g.ids[x.nextKeys])
		if node.Kind != value.Map {
			continue
		}
		n.stats.Hits += int(node.Len)
		vals := n.s.Vals(node)
		for i, k := range n.s.Keys(node) {
			j := x.table.Find(x.keys, k)
			if j < 0 {
				j = len(x.keys)
				x.keys, x.vals = append(x.keys, k), append(x.vals, 0)
			}
			x.vals[j] = n.push(x.vals[j], vals[i])
		}
	}
	if j := x.table.Find(x.keys, key); j >= 0 {
		return x.vals[j]
	}
	return 0
}

// entryHits returns the candidates for the entry of a list with an index.
func (n *Session) entryHits(c candidates, i int) candidates {
	g, x := n.indexed(c)
	if x == nil {
		return n.each(c, func(id value.ID) value.ID { return n.elem(id, i) })
	}
	for ; x.nextEntries < len(g.ids); x.nextEntries++ {
		node := n.s.Node(g.ids[x.nextEntries])
		if node.Kind != value.List {
			continue
		}
		n.stats.Hits += int(node.Len)
		for j, e := range n.s.Elems(node) {
			if j == len(x.entries) {
				x.entries = append(x.entries, 0)
			}
			x.entries[j] = n.push(x.entries[j], e)
		}
	}
	if i < len(x.entries) {
		return x.entries[i]
	}
	return 0
}

// elem returns an element of a list, or 0.
func (n *Session) elem(list value.ID, i int) value.ID {
	node := n.s.Node(list)
	if node.Kind != value.List || i < 0 || i >= int(node.Len) {
		return 0
	}
	return n.s.Elems(node)[i]
}

// namedHits returns the candidates for the entry of a list whose field is name. A
// map among c is asked for the key field:name, else for name (semantics 0,
// no. 20).
func (n *Session) namedHits(c candidates, field value.Sym, name string) candidates {
	g, x := n.indexed(c)
	if x == nil || g.maps > 0 {
		return n.each(c, func(id value.ID) value.ID { return n.namedIn(id, field, name) })
	}
	f := x.field(field)
	for ; f.next < len(g.ids); f.next++ {
		node := n.s.Node(g.ids[f.next])
		if node.Kind != value.List {
			continue
		}
		n.stats.Hits += int(node.Len)
		for _, e := range n.s.Elems(node) {
			if name, ok := n.s.KeyOf(e, field); ok {
				f.add(n, name, e)
			}
		}
	}
	if i := f.names.Find(name); i >= 0 {
		return f.vals[i]
	}
	return 0
}

// namedIn is namedHits for one list or map.
func (n *Session) namedIn(id value.ID, field value.Sym, name string) value.ID {
	switch n.s.Kind(id) {
	case value.List:
		return n.elem(id, n.s.FindKeyed(id, field, name))
	case value.Map:
		if r := n.s.Field(id, n.s.Name(field)+":"+name); r != 0 {
			return r
		}
		return n.s.Field(id, name)
	}
	return 0
}

func (x *groupIndex) field(field value.Sym) *groupField {
	for _, f := range x.fields {
		if f.field == field {
			return f
		}
	}
	f := &groupField{field: field}
	x.fields = append(x.fields, f)
	return f
}

// add adds an entry of candidate f.next, of which the first with a name counts.
func (f *groupField) add(n *Session, name string, id value.ID) {
	i := f.names.Find(name)
	if i < 0 {
		f.names.Add(name, len(f.vals))
		f.vals, f.from = append(f.vals, candidates(id)), append(f.from, f.next)
		return
	}
	if f.from[i] != f.next {
		f.vals[i], f.from[i] = n.push(f.vals[i], id), f.next
	}
}

// find returns the candidates at an absolute path.
func (n *Session) find(p *program.Path) candidates {
	if p.Abs {
		return 0 // never matches (semantics 2.6)
	}
	c := n.stubs
	for i := 0; i < len(p.Steps) && c != 0; i++ {
		c = n.stepHits(c, &p.Steps[i])
	}
	return c
}

// stepHits follows one step in the evaluated stubs.
func (n *Session) stepHits(c candidates, st *program.Step) candidates {
	g, x := n.indexed(c)
	switch {
	case x == nil:
	case st.IsIndex && g.maps == 0:
		if st.Index != int64(int32(st.Index)) || st.Index < 0 {
			return 0
		}
		return n.entryHits(c, int(st.Index))
	case !st.IsIndex && g.lists == 0 && st.Field == 0:
		return n.keyHits(c, st.Key)
	case !st.IsIndex && g.maps == 0 && st.Field != 0:
		return n.namedHits(c, st.Field, n.s.Name(st.Val))
	case !st.IsIndex && g.maps == 0 && !g.explicit:
		return n.namedHits(c, n.names.name, n.s.Name(st.Val))
	}
	return n.each(c, func(id value.ID) value.ID { return n.stepIn(id, st) })
}

// stepIn is stepHits for one node. A step K:v in a map takes the key K:v, else v
// (semantics 0, no. 20).
func (n *Session) stepIn(id value.ID, st *program.Step) value.ID {
	node := n.s.Node(id)
	switch {
	case node.Kind == value.Map && !st.IsIndex:
		if r := n.s.Get(id, st.Key); r != 0 || st.Field == 0 {
			return r
		}
		return n.s.Get(id, st.Val)
	case node.Kind == value.List && st.IsIndex:
		if st.Index < 0 || st.Index >= int64(node.Len) {
			return 0
		}
		return n.s.Elems(node)[st.Index]
	case node.Kind == value.List:
		return n.elem(id, n.s.FindKeyed(id, n.keyField(node, st), n.s.Name(st.Val)))
	}
	return 0
}

// keyField returns the field by which a step selects from a list node.
func (n *Session) keyField(node *value.Node, st *program.Step) value.Sym {
	if st.Field != 0 {
		return st.Field
	}
	if f := n.s.KeyField(node); f != 0 {
		return f
	}
	return n.names.name
}
