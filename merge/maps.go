// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"slices"

	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// shapeUp finds the children of a list or map as far as it gets.
func (l *level) shapeUp(v uint32) {
	c := l.cell(v)
	if l.isMap(c) {
		l.shapeMap(v)
	} else {
		l.shapeList(v)
	}
}

// shapeMap finds the children of a map (semantics 2.3): the entries inserted by
// its << value, if any, then its own.
func (l *level) shapeMap(v uint32) {
	c := l.cell(v)
	n := l.s.Node(c.node)
	if n.Flags&value.Inserts == 0 {
		l.children(v, l.s.Keys(n), l.s.Vals(n))
		return
	}
	var inserted value.ID
	raw := l.s.Get(c.node, l.names.insert)
	switch l.s.Kind(raw) {
	case value.Map:
		inserted = raw
	case value.Null:
	case value.Expr:
		var ok bool
		if inserted, ok = l.insertion(v, raw); !ok {
			return
		}
	default:
		l.refuse(v, raw)
		return
	}
	if inserted != 0 && l.s.Kind(inserted) != value.Map {
		l.refuse(v, inserted)
		return
	}
	keys, vals := l.combine(c.node, inserted)
	l.children(v, keys, vals)
}

// refuse fails a map whose << value is not a map.
func (l *level) refuse(v uint32, id value.ID) {
	l.failed(v, &vm.Error{Msg: fmt.Sprintf("require map value for '<<' insert, found '%s'", l.s.Kind(id))})
}

// insertion evaluates the << expression of a map. It returns the value to
// insert, 0 for none; ok is false if v waits or is finished.
func (l *level) insertion(v uint32, raw value.ID) (id value.ID, ok bool) {
	c := l.cell(v)
	if l.shape(c) == nil {
		p, done := l.marker(v, raw)
		if done {
			return 0, false
		}
		if p != nil && p.NoOperand {
			return 0, true
		}
		if p != nil && p.BareMerge {
			if !l.locate(v) {
				return 0, false
			}
			if c.hits == 0 {
				return 0, true
			}
		}
		// Only a merge needs the place, and asks for it itself: that of a list
		// entry may depend on a key that is inserted here.
		w := l.newCell(raw, v, uint32(l.names.insert), fInsert|fBody)
		if c = l.cell(v); c.flags&fLocated != 0 {
			l.cell(w).place(c.hits)
		}
		l.newShape(c).insert = w
	}
	w := l.cell(l.shape(c).insert)
	switch w.state {
	case sDone:
	case sUndefined:
		l.undefined(v)
		return 0, false
	default:
		l.block(v, l.shape(c).insert, evDone)
		return 0, false
	}
	if l.extraOf(w).info.Redirect != nil {
		l.redirect(v, l.extraOf(w).info.Redirect)
	}
	if w.flags&fReplaced != 0 {
		l.done(v, w.out)
		return 0, false
	}
	if l.s.Kind(w.out) == value.Null {
		return 0, true
	}
	return w.out, true
}

// marker looks at the markers of a << expression. It returns its program, or
// done if the whole list or map became a template.
func (l *level) marker(v uint32, raw value.ID) (p *program.Program, done bool) {
	c := l.cell(v)
	pr := l.program(exprText(l.s.Text(l.s.Node(raw))))
	if pr.err != nil {
		return nil, false // reported by the cell of the << value
	}
	if pr.p.Temporary {
		c.flags |= fTemp
	}
	if pr.p.Template && c.flags&fBody == 0 {
		c.out, c.state = l.template(c.node), sValued
		l.settle(v)
		return pr.p, true
	}
	return pr.p, false
}

// redirect makes a path the place of v in the stubs, for its children and
// their merges.
func (l *level) redirect(v uint32, p *program.Path) {
	c := l.cell(v)
	l.extra(c).info.Redirect = p
	c.place(l.find(p))
}

// combine returns the entries of a map without its << key, after those of the
// inserted map that it does not have itself. A literal inserted map may insert
// another one.
func (l *level) combine(node, inserted value.ID) (keys []value.Sym, vals []value.ID) {
	own := l.s.Node(node)
	var table value.KeyTable
	add := func(n *value.Node) {
		for i, k := range l.s.Keys(n) {
			if k == l.names.insert && n.Flags&value.Inserts != 0 {
				continue
			}
			if table.Find(keys, k) < 0 {
				keys, vals = append(keys, k), append(vals, l.s.Vals(n)[i])
			}
		}
	}
	add(own)
	for depth := 0; inserted != 0 && depth < maxAgain; depth++ {
		n := l.s.Node(inserted)
		if n.Kind != value.Map {
			break
		}
		add(n)
		if n.Flags&value.Inserts == 0 {
			break
		}
		inserted = l.s.Get(inserted, l.names.insert)
	}
	return keys, vals
}

// children makes the cells that a map needs and begins to collect them.
func (l *level) children(v uint32, keys []value.Sym, vals []value.ID) {
	c := l.cell(v)
	sh := l.shape(c)
	if sh == nil {
		sh = l.newShape(c)
	}
	sh.keys = keys
	sh.refs = slices.Grow(sh.refs, len(vals))[:len(vals)]
	for i, id := range vals {
		sh.refs[i] = l.child(v, uint32(keys[i]), id)
	}
	l.shaped(v)
}

// child returns the ref for the child id of map v: the stub value or the node
// itself where nothing is to be evaluated, else a new cell.
func (l *level) child(v uint32, key uint32, id value.ID) ref {
	c := l.cell(v)
	if isCell(id) { // shared with an unfinished map
		found := l.keyHits(c.hits, value.Sym(key))
		if found == 0 {
			return id
		}
		w := l.copyCell(id, v, key, 0)
		l.cell(w).place(found)
		return cellRef(w)
	}
	n := l.s.Node(id)
	plain := n.Flags&value.Dynamic == 0
	if c.flags&fLocated == 0 {
		return cellRef(l.newCell(id, v, key, 0))
	}
	if c.hits == 0 {
		if plain {
			return id
		}
		w := l.newCell(id, v, key, fLocated)
		return cellRef(w)
	}
	found := l.keyHits(c.hits, value.Sym(key))
	container := n.Kind == value.Map || n.Kind == value.List
	switch {
	case plain && found == 0:
		return id
	case plain && !container:
		by := l.nearest(found)
		l.replace(id, by)
		return by
	case plain && !l.mergeable(found):
		return l.s.With(id, l.s.Node(l.nearest(found)).Flags&value.Temporary)
	}
	w := l.newCell(id, v, key, 0)
	l.cell(w).place(found)
	return cellRef(w)
}

// shaped begins to collect the children of v. They are pushed after v, first
// child last, so that they run before v and in order.
func (l *level) shaped(v uint32) {
	c := l.cell(v)
	c.state = sShaped
	l.sched.Ready(v)
	refs := l.shape(c).refs
	for i := range refs {
		if !l.opt.Backwards {
			i = len(refs) - 1 - i
		}
		if r := refs[i]; isCell(r) && l.cell(cellOf(r)).state == sNew {
			l.sched.Ready(cellOf(r))
		}
	}
	l.fire(v, evShape)
}

// collect waits for the children one after the other and builds the result.
func (l *level) collect(v uint32) {
	c := l.cell(v)
	sh := l.shape(c)
	for ; sh.next < len(sh.refs); sh.next++ {
		r := sh.refs[sh.next]
		if !isCell(r) {
			continue
		}
		switch l.cell(cellOf(r)).state {
		case sDone, sUndefined:
		case sBroken, sFailed:
			sh.broken = true
		default:
			l.block(v, cellOf(r), evDone)
			return
		}
	}
	if sh.broken {
		c.state = sBroken
		l.fire(v, evShape, evDone)
		return
	}
	if hit := l.hit(c); hit != 0 && l.s.Node(hit).Flags&value.Temporary != 0 && c.flags&(fInsert|fInstance) == 0 {
		c.flags |= fTemp
	}
	l.done(v, l.assemble(c))
}

// assemble builds the node of a list or map from its finished children. If
// they are what the source has, the source node is the result.
func (l *level) assemble(c *cell) value.ID {
	src := l.s.Node(c.node)
	sh := l.shape(c)
	same := src.Flags&(value.Dynamic|value.Open) == 0
	vals := l.valBuf[:0]
	keys := sh.keys
	for i, r := range sh.refs {
		if isCell(r) {
			r = l.cell(cellOf(r)).out
		}
		if r == 0 { // undefined: from here on the keys are another slice
			if len(vals) == i {
				keys = append([]value.Sym(nil), keys[:min(i, len(keys))]...)
			}
			continue
		}
		if len(vals) < i && sh.keys != nil {
			keys = append(keys, sh.keys[i])
		}
		vals = append(vals, r)
	}
	l.valBuf = vals
	at := value.Node{File: src.File, Start: src.Start, End: src.End}
	if src.Kind == value.Map {
		if same && equalIDs(vals, l.s.Vals(src)) {
			return c.node
		}
		return l.s.MapNode(at, keys, vals)
	}
	if same && equalIDs(vals, l.s.Elems(src)) {
		return c.node
	}
	var field value.Sym
	if sh.explicit {
		field = sh.field
	}
	return l.s.ListNode(at, vals, field)
}

func equalIDs(a, b []value.ID) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
