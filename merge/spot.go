// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"slices"

	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// A spot is a place in a document that was merged: how its value was decided,
// and where the stubs were asked for it.
type spot struct {
	doc     int      // index in Trace.docs
	how     how      // who decided
	cell    uint32   // of the spot, or of the next one around it; 0 in a document without cells
	written value.ID // as it stands at this place of the document, 0 if it does not
	out     value.ID // its value, 0 if there is none
	path    string   // as the result shows it
	named   string   // the same, with the names of list entries that have one
	below   []program.Step
	stub    []program.Step // where the stubs were asked; meaningless with lone
	lone    bool           // the stubs were not asked
	came    bool           // << brought it in
	insert  uint32         // cell of that << value, or 0 if it is a literal
	holder  uint32         // cell of the expression that took the cell over from elsewhere, or 0
}

// how says who decided the value of a spot.
type how uint8

const (
	byCell  how = iota // a cell of its own
	plain              // nobody: it is as it was written
	byStub             // the nearest stub, without a cell: a written scalar, or a list or map against a scalar
	partial            // it is part of the value of the spot around it; below leads there
)

// start returns the root of a document.
func (t *Trace) start(doc int) spot {
	d := t.docs[doc]
	sp := spot{doc: doc, how: plain, written: d.in.Root, out: d.in.Root}
	if d.l != nil && d.l.root != 0 {
		sp.how, sp.cell, sp.out = byCell, d.l.root, t.outOf(d.l.root)
	}
	if d.isStub && d.out != 0 {
		sp.out = d.out
	}
	return sp
}

// outOf returns the value of a cell, or 0.
func (t *Trace) outOf(v uint32) value.ID {
	if c := t.n.cells.at(v); c.state == sDone {
		return c.out
	}
	return 0
}

// kids returns the children of a cell, or nil if it has none of its own: it is
// no list or map, or its value came as a whole.
func (t *Trace) kids(v uint32) *kids {
	if k := t.noteOf(v).kids; k != nil {
		return k.orNil()
	}
	if k, ok := t.kept[v]; ok {
		return k
	}
	d := t.docs[t.docOf(v)]
	c := t.n.cells.at(v)
	var k *kids
	if c.state != sDone && d.l.shape(c) != nil {
		k = keepKids(d.l, c).orNil()
	}
	if t.kept == nil {
		t.kept = map[uint32]*kids{}
	}
	t.kept[v] = k
	return k
}

// orNil returns nil if no child is known: the << value decided alone, or is not
// known.
func (k *kids) orNil() *kids {
	if k.refs == nil {
		return nil
	}
	return k
}

// child returns the index in refs of the child that a step leads to, or -1.
func (t *Trace) child(k *kids, st *program.Step) int {
	if k.isMap(t.n.s) {
		if st.IsIndex {
			return -1
		}
		if j := k.table.Find(k.keys, st.Key); j >= 0 || st.Field == 0 {
			return j
		}
		return k.table.Find(k.keys, st.Val)
	}
	there := t.present(k)
	if keyOnly(st) {
		return -1
	}
	if st.IsIndex {
		i := st.Index
		if i < 0 {
			i += int64(len(there))
		}
		if i < 0 || i >= int64(len(there)) {
			return -1
		}
		return there[i]
	}
	field := st.Field
	if field == 0 {
		field = k.field
	}
	if i := t.byField(k, field).Find(t.n.s.Name(st.Val)); i >= 0 {
		return there[i]
	}
	return -1
}

// present returns the indices in refs of the children that did not vanish.
func (t *Trace) present(k *kids) []int {
	if k.present == nil {
		for i, r := range k.refs {
			if !isCell(r) || t.n.cells.at(cellOf(r)).state != sUndefined {
				k.present = append(k.present, i)
			}
		}
	}
	return k.present
}

// byField indexes the entries of a list that did not vanish by a field.
func (t *Trace) byField(k *kids, field value.Sym) *value.NameIndex {
	if x := k.fields[field]; x != nil {
		return x
	}
	x := &value.NameIndex{}
	for i, j := range t.present(k) {
		if name, ok := t.nameOf(k.refs[j], field); ok {
			x.Add(name, i)
		}
	}
	if k.fields == nil {
		k.fields = map[value.Sym]*value.NameIndex{}
	}
	k.fields[field] = x
	return x
}

// nameOf returns the string in a field of an entry, finished or not.
func (t *Trace) nameOf(r ref, field value.Sym) (string, bool) {
	if !isCell(r) {
		return t.n.s.KeyOf(r, field)
	}
	v := cellOf(r)
	if out := t.outOf(v); out != 0 {
		return t.n.s.KeyOf(out, field)
	}
	k := t.kids(v)
	if k == nil || k.keys == nil {
		return "", false
	}
	i := k.table.Find(k.keys, field)
	if i < 0 {
		return "", false
	}
	f := k.refs[i]
	if isCell(f) {
		f = t.outOf(cellOf(f))
	}
	if f == 0 || t.n.s.Kind(f) != value.String {
		return "", false
	}
	return t.n.s.Text(t.n.s.Node(f)), true
}

// steps takes all steps of a path. ok is false where there is no such node; the
// spot is then the last one that is there.
func (t *Trace) steps(sp spot, path []program.Step) (spot, bool) {
	for i := range path {
		next, ok := t.step(sp, &path[i])
		if !ok {
			return sp, false
		}
		sp = next
	}
	return sp, true
}

// step goes from a spot to one of its children.
func (t *Trace) step(sp spot, st *program.Step) (spot, bool) {
	t.work++
	if sp.how != byCell {
		return t.stepValue(sp, st)
	}
	sp = t.into(sp)
	k := t.kids(sp.cell)
	if k == nil {
		return t.stepValue(sp, st)
	}
	i := t.child(k, st)
	if i < 0 {
		return spot{}, false
	}
	return t.stepInto(sp, k, i), true
}

// into follows a spot to the instance of a template, or the content of a file,
// that its expression gave as its value: that has cells of its own.
func (t *Trace) into(sp spot) spot {
	t.indexCells()
	for sp.out != 0 && t.kids(sp.cell) == nil {
		inst := t.insts[within{sp.cell, sp.out}]
		if inst == 0 {
			break
		}
		sp.cell, sp.written = inst, t.noteOf(inst).written
	}
	return sp
}

// stepInto goes from a spot to child i of its children.
func (t *Trace) stepInto(sp spot, k *kids, i int) spot {
	t.work++
	r := k.refs[i]
	component := t.component(k, i)
	next := spot{doc: sp.doc, path: explain.Join(sp.path, component), stub: t.stubPlace(sp, k, i)}
	if !k.isMap(t.n.s) {
		if name, ok := t.nameOf(r, k.field); ok {
			component = explain.Entry(name)
		}
	}
	next.named = explain.Join(sp.named, component)
	computed := t.computed(sp.cell)
	next.lone = sp.lone || k.alone || computed && !t.overlaid(sp.cell)
	next.written, next.came = t.origin(k, i)
	switch {
	case next.came:
		next.insert = t.insertOf(sp.cell, k, i)
		next.lone = next.lone || k.spliced != nil
	case sp.came:
		next.came, next.insert = true, sp.insert
	}
	if isCell(r) {
		next.how, next.cell, next.out = byCell, cellOf(r), t.outOf(cellOf(r))
		if w := t.noteOf(next.cell).written; w != 0 {
			next.written = w
		}
		if t.n.cells.at(next.cell).parent != sp.cell {
			next.holder = sp.cell
		}
		return next
	}
	next.how, next.cell, next.out = plain, sp.cell, r
	switch {
	case next.written != 0 && r != next.written && !next.lone && !t.copied(r, next.written):
		next.how = byStub
	case computed:
		next.how, next.written = partial, 0
		next.below = []program.Step{t.stepTo(k, i)}
	}
	return next
}

// computed reports whether the value of a cell was put together by an
// expression.
func (t *Trace) computed(v uint32) bool {
	w := t.noteOf(v).written
	return w == 0 || t.n.s.Kind(w) == value.Expr
}

// overlaid reports whether the list or map that the expression of v gave was
// merged with the stubs like a written one.
func (t *Trace) overlaid(v uint32) bool {
	c, n := t.n.cells.at(v), t.noteOf(v)
	return n.hit != 0 && c.flags&fExempt == 0 && c.flags&(fEntry|fPrefer) != 0
}

// copied reports whether a is b with another flag: a map or list against which
// a stub has a value that is temporary.
func (t *Trace) copied(a, b value.ID) bool {
	x, y := t.n.s.Node(a), t.n.s.Node(b)
	return x.Kind == y.Kind && x.Pay == y.Pay && x.Len == y.Len && x.File == y.File && x.Start == y.Start
}

// origin returns the node that child i was before the stubs were asked, and
// whether a << brought it in.
func (t *Trace) origin(k *kids, i int) (id value.ID, came bool) {
	switch {
	case !k.isMap(t.n.s):
		id, came = k.raw[i], k.spliced[i]
	default:
		if id = t.n.s.Get(k.node, k.keys[i]); id == 0 {
			id, came = t.inserted(k, k.keys[i]), true
		}
	}
	if id > value.MaxID {
		id = 0
	}
	return id, came
}

// insertOf returns the cell of the << value that brought child i of a list or
// map in, or 0 if that is a literal.
func (t *Trace) insertOf(v uint32, k *kids, i int) uint32 {
	if k.isMap(t.n.s) {
		return k.insert
	}
	t.indexCells()
	return t.splices[within{v, k.raw[i]}]
}

// within is a node at a cell.
type within struct {
	cell uint32
	node value.ID
}

// indexCells finds, once, what << entries brought into lists, and the values of
// template instances.
func (t *Trace) indexCells() {
	if t.splices != nil {
		return
	}
	t.splices, t.insts = map[within]uint32{}, map[within]uint32{}
	for i := range t.n.cells.len() {
		v := uint32(i) + 1
		c := t.n.cells.at(v)
		switch {
		case c.state != sDone:
		case c.flags&fInstance != 0:
			t.insts[within{c.parent, c.out}] = v
		case c.flags&(fInsert|fEntry) == fInsert|fEntry && t.n.s.Kind(c.out) == value.List:
			for _, id := range t.n.s.Elems(t.n.s.Node(c.out)) {
				t.splices[within{c.parent, id}] = v
			}
		}
	}
}

// inserted returns what the << value of a map has for a key.
func (t *Trace) inserted(k *kids, key value.Sym) value.ID {
	s, node := t.n.s, k.node
	if k.insert != 0 {
		if node = t.outOf(k.insert); node == 0 {
			return 0
		}
		if id := s.Get(node, key); id != 0 {
			return id
		}
	}
	for range maxAgain { // literal maps may insert each other
		if node = s.Get(node, t.n.names.insert); node == 0 || s.Kind(node) != value.Map {
			return 0
		}
		if id := s.Get(node, key); id != 0 {
			return id
		}
	}
	return 0
}

// stubPlace returns where the stubs are asked for child i of a spot.
func (t *Trace) stubPlace(sp spot, k *kids, i int) []program.Step {
	place := sp.stub
	if c := t.n.cells.at(sp.cell); c.x != 0 && !t.computed(sp.cell) {
		if p := t.n.extras.at(c.x).info.Redirect; p != nil {
			place = p.Steps
		}
	}
	st := t.stepTo(k, i)
	if k.isMap(t.n.s) {
		st.Val = 0 // in a list this is no name
	}
	return append(slices.Clip(place), st)
}

// stepTo returns the step by which child i is matched.
func (t *Trace) stepTo(k *kids, i int) program.Step {
	switch {
	case k.isMap(t.n.s):
		return program.Step{Key: k.keys[i], Val: k.keys[i]}
	case k.names != nil:
		key := t.n.s.Intern(t.n.s.Name(k.field) + ":" + k.names[i])
		return program.Step{Field: k.field, Val: t.n.s.Intern(k.names[i]), Key: key}
	}
	return program.Step{IsIndex: true, Index: int64(i)}
}

// keyOnly reports whether a step leads to the key of a map only.
func keyOnly(st *program.Step) bool { return !st.IsIndex && st.Field == 0 && st.Val == 0 }

func (k *kids) isMap(s *value.Store) bool { return s.Kind(k.node) == value.Map }

// component returns the step to child i as paths show it.
func (t *Trace) component(k *kids, i int) string {
	if k.isMap(t.n.s) {
		return explain.Key(t.n.s.Name(k.keys[i]))
	}
	if n, ok := slices.BinarySearch(t.present(k), i); ok {
		i = n
	}
	return explain.Index(i)
}

// stepValue goes from a spot to a child of its value, which has no cells.
func (t *Trace) stepValue(sp spot, st *program.Step) (spot, bool) {
	id := sp.out
	if id == 0 && sp.how == byCell && t.n.cells.at(sp.cell).state == sShaping {
		id = t.n.cells.at(sp.cell).node // the << of a map reads the entries beside it
	}
	if id == 0 {
		return spot{}, false
	}
	id, component := t.member(id, st)
	if id == 0 || id > value.MaxID {
		return spot{}, false
	}
	next := sp
	next.out, next.path = id, explain.Join(sp.path, component)
	if name, ok := t.n.s.KeyOf(id, t.n.names.name); ok && !t.isMap(sp) {
		component = explain.Entry(name)
	}
	next.named = explain.Join(sp.named, component)
	next.below = append(slices.Clip(sp.below), *st)
	next.stub = append(slices.Clip(sp.stub), t.exact(sp.out, st))
	next.holder = 0
	switch sp.how {
	case plain:
		next.written = id
	case byStub: // so is every part of it
	default:
		next.how, next.written = partial, 0
	}
	return next, true
}

// member returns the child of a finished node that a step leads to.
func (t *Trace) member(id value.ID, st *program.Step) (value.ID, string) {
	s := t.n.s
	n := s.Node(id)
	switch n.Kind {
	case value.Map:
		key := st.Key
		if st.IsIndex {
			return 0, ""
		}
		r := s.Get(id, key)
		if r == 0 && st.Field != 0 {
			key = st.Val
			r = s.Get(id, key)
		}
		return r, explain.Key(s.Name(key))
	case value.List:
		i := int(st.Index)
		if keyOnly(st) {
			return 0, ""
		}
		if !st.IsIndex {
			i = s.FindKeyed(id, t.n.keyField(n, st), s.Name(st.Val))
		} else if i < 0 {
			i += int(n.Len)
		}
		return t.n.elem(id, i), explain.Index(i)
	}
	return 0, ""
}

// exact returns a step as it is asked of stubs: what is a key leads to no entry
// of a list.
func (t *Trace) exact(id value.ID, st *program.Step) program.Step {
	e := *st
	if id != 0 && t.n.s.Kind(id) == value.Map {
		e.Val, e.Field = 0, 0
	}
	return e
}

// place returns the path of a cell as the result shows it.
func (t *Trace) place(v uint32) string {
	if label, ok := t.labels[v]; ok {
		return label
	}
	if t.labels == nil {
		t.labels = map[uint32]string{}
	}
	var way []uint32 // not recursive: documents nest deeply
	root := t.docs[t.docOf(v)].l.root
	for v != root && v != 0 {
		if _, ok := t.labels[v]; ok {
			break
		}
		way = append(way, v)
		v = t.n.cells.at(v).parent
	}
	label := t.labels[v]
	for _, w := range slices.Backward(way) {
		if part := t.stepOf(w); part != "" {
			label = explain.Join(label, part)
		}
		t.labels[w] = label
	}
	return label
}

// stepOf returns the step from the parent of a cell to it, "" for an instance.
func (t *Trace) stepOf(v uint32) string {
	c := t.n.cells.at(v)
	switch {
	case c.flags&fInstance != 0:
		return ""
	case c.flags&fEntry == 0:
		return explain.Key(t.n.s.Name(value.Sym(c.step)))
	case c.flags&fInsert != 0:
		return explain.Join(explain.Index(int(c.step)), "<<")
	}
	if k := t.kids(c.parent); k != nil {
		return t.component(k, int(c.step))
	}
	return explain.Index(int(c.step))
}
