// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// wait is what the last ErrWait was for: an event of a cell, and the words for
// the report.
type wait struct {
	cell  uint32
	kind  int
	path  *program.Path
	steps int  // of path, up to the node that is not finished
	open  bool // the node is a list or map whose << is not resolved
}

// pend records what an evaluation waits for.
func (l *level) pend(w uint32, kind int, p *program.Path, steps int) error {
	l.wait = wait{cell: w, kind: kind, path: p, steps: steps, open: l.cell(w).state == sShaping}
	return vm.ErrWait
}

func (l *level) notFound(p *program.Path, steps int) error { return &notFound{l, p, steps} }

// lookup resolves a reference of cell v: through the names of calls (scope),
// then the maps around v, each scope of a template instance after the maps of
// that instance (semantics 3.1).
func (l *level) lookup(v uint32, scope *vm.Scope, p *program.Path, shape bool) (value.Value, error) {
	if p.Abs {
		l.noteRead(v, l.root, p)
		return l.follow(cellRef(l.root), p, 0, shape)
	}
	name := p.Steps[0].Key
	if name == l.names.ctx {
		return l.context(v, p)
	}
	if val, ok := scope.Lookup(name); ok {
		return l.selectFrom(val, p, 1, shape)
	}
	return l.around(v, name, p, shape)
}

// around looks for the first name of a path in the maps around v.
func (l *level) around(v uint32, name value.Sym, p *program.Path, shape bool) (value.Value, error) {
	reader, from := v, l.cell(v).parent // what is found is kept for the list or map from
	if from == 0 {
		return l.bound(name, p, shape) // the document is one expression
	}
	for {
		c := l.cell(v)
		if c.flags&fInstance != 0 {
			if val, ok := l.extraOf(c).scope.Lookup(name); ok {
				return l.selectFrom(val, p, 1, shape)
			}
			from = c.parent // what is kept holds outside of the instance
		}
		v = c.parent
		in, r, known := l.sights.find(l, v, name)
		if !known {
			l.stats.Steps++
			var ok bool
			var err error
			if r, ok, err = l.key(v, name, p); err != nil {
				l.noteRead(reader, v, p)
				return value.Value{}, err
			}
			if c = l.cell(v); c.state != sShaped && l.s.Kind(c.node) != value.List {
				from = c.parent // it may have other keys later
			}
			switch {
			case ok:
				in = v
			case c.parent != 0:
				continue
			}
		}
		if from != 0 && (in == 0 || l.cell(in).state == sShaped) {
			l.sights.add(l, from, name, in)
		}
		l.noteRead(reader, in, p)
		if in == 0 {
			return l.bound(name, p, shape)
		}
		return l.follow(r, p, 1, shape)
	}
}

// sights remember in which map around a place a name was found, for the places
// and names that were asked for last: a cache at the index of their hash. With
// it a name that many nested nodes refer to is not sought from each of them
// through all the maps around. Only what cannot change is kept: not the way out
// of a template instance, where names of calls come between, nor through a map
// whose keys are not known.
type sights [1 << 8]sight

type sight struct {
	from uint32 // a list or map around the node that referred to the name
	name value.Sym
	in   uint32 // the map that has it, 0 if there is none
	at   uint32 // the position of its key
}

func (t *sights) slot(from uint32, name value.Sym) *sight {
	return &t[(from*0x9E3779B1^uint32(name)*0x85EBCA6B)>>24]
}

// find returns what a name denotes in a list or map, and which map around it
// has the name, if that is known.
func (t *sights) find(l *level, from uint32, name value.Sym) (in uint32, r ref, known bool) {
	s := t.slot(from, name)
	if s.from != from || s.name != name {
		return 0, 0, false
	}
	if s.in == 0 {
		return 0, 0, true
	}
	c := l.cell(s.in)
	if c.state != sShaped {
		return 0, 0, false
	}
	r = l.shape(c).refs[s.at]
	if isCell(r) && l.cell(cellOf(r)).state == sUndefined {
		return 0, 0, false // a map further out may have the name
	}
	return s.in, r, true
}

func (t *sights) add(l *level, from uint32, name value.Sym, in uint32) {
	s := t.slot(from, name)
	if s.from == from && s.name == name && s.in == in {
		return
	}
	*s = sight{from: from, name: name, in: in}
	if in != 0 {
		sh := l.shape(l.cell(in))
		s.at = uint32(sh.table.Find(sh.keys, name))
	}
}

// key looks a name up in an enclosing map. ok is false if it is not there or
// vanished.
func (l *level) key(v uint32, name value.Sym, p *program.Path) (r ref, ok bool, err error) {
	c := l.cell(v)
	if !l.isMap(c) {
		return 0, false, nil
	}
	switch c.state {
	case sShaped, sBroken, sFailed:
		if l.shape(c) == nil || l.shape(c).refs == nil {
			return 0, false, nil
		}
		i := l.shape(c).table.Find(l.shape(c).keys, name)
		if i < 0 {
			return 0, false, nil
		}
		r = l.shape(c).refs[i]
		if isCell(r) && l.cell(cellOf(r)).state == sUndefined {
			return 0, false, nil
		}
		return r, true, nil
	case sDone:
		r = l.s.Get(c.out, name)
		return r, r != 0, nil
	case sShaping: // the << expression of the map itself looks around
		r = l.s.Get(c.node, name)
		if r == 0 || name == l.names.insert {
			return 0, false, nil
		}
		if l.s.Node(r).Flags&value.Dynamic != 0 {
			return 0, false, l.pendOn(v, p)
		}
		return r, true, nil
	}
	return 0, false, nil
}

// pendOn waits for the shape of an enclosing map whose own entry is asked for.
func (l *level) pendOn(v uint32, p *program.Path) error {
	err := l.pend(v, evShape, p, 1)
	l.wait.open = false
	return err
}

// follow takes the steps of p from number i on, from r, and returns the value
// there: complete, or with shape Deferred if children are unfinished.
func (l *level) follow(r ref, p *program.Path, i int, shape bool) (value.Value, error) {
	for ; i < len(p.Steps); i++ {
		st := &p.Steps[i]
		var err error
		if r, err = l.enter(r, p, i); err != nil {
			return value.Value{}, err
		}
		if !isCell(r) {
			if r = l.nodeStep(r, st); r == 0 {
				return value.Value{}, l.notFound(p, i+1)
			}
			continue
		}
		c := l.cell(cellOf(r))
		if l.shape(c).keys != nil || l.isMap(c) {
			j := -1
			if !st.IsIndex {
				j = l.shape(c).table.Find(l.shape(c).keys, st.Key)
			}
			if j < 0 {
				return value.Value{}, l.notFound(p, i+1)
			}
			r = l.shape(c).refs[j]
			continue
		}
		if r, err = l.listStep(cellOf(r), p, i); err != nil {
			return value.Value{}, err
		}
	}
	return l.final(r, p, i, shape)
}

// enter returns r as something that step i can be taken from: a node, or a
// cell whose children are known.
func (l *level) enter(r ref, p *program.Path, i int) (ref, error) {
	if !isCell(r) {
		return r, nil
	}
	v := cellOf(r)
	c := l.cell(v)
	switch c.state {
	case sDone:
		return c.out, nil
	case sUndefined:
		return 0, l.notFound(p, i)
	case sShaped, sBroken:
		if w := l.brokenCopy(c); w != 0 {
			return 0, l.pend(w, evDone, p, i)
		}
		return r, nil
	case sFailed:
		return 0, l.pend(v, evDone, p, i)
	case sShaping:
		if l.shape(c) != nil && l.shape(c).known && p.Steps[i].IsIndex {
			return r, nil
		}
	}
	return 0, l.pend(v, evShape, p, i)
}

// brokenCopy returns the cell whose failure keeps c, a copy of it, from having
// children or a value; 0 if c is something else.
func (l *level) brokenCopy(c *cell) (w uint32) {
	if l.shape(c) != nil {
		return 0
	}
	for ; l.extraOf(c).copyOf != 0; c = l.cell(w) {
		w = l.extraOf(c).copyOf
	}
	return w
}

// nodeStep follows a step in a finished node, or returns 0.
func (l *level) nodeStep(id value.ID, st *program.Step) value.ID {
	n := l.s.Node(id)
	switch n.Kind {
	case value.Map:
		if !st.IsIndex {
			return l.s.Get(id, st.Key)
		}
	case value.List:
		i := st.Index
		if !st.IsIndex {
			i = int64(l.s.FindKeyed(id, l.keyField(n, st), l.s.Name(st.Val)))
		} else if i < 0 {
			i += int64(n.Len)
		}
		if i >= 0 && i < int64(n.Len) {
			return l.s.Elems(n)[i]
		}
	}
	return 0
}

// listStep follows step i of p in a list whose entries are known.
func (l *level) listStep(v uint32, p *program.Path, i int) (ref, error) {
	st := &p.Steps[i]
	if st.IsIndex {
		r, ok, err := l.entryAt(v, p, i)
		if err == nil && !ok {
			err = l.notFound(p, i+1)
		}
		return r, err
	}
	sh := l.shape(l.cell(v))
	field := st.Field
	if field == 0 {
		field = sh.field
	}
	j, err := l.findEntry(v, field, l.s.Name(st.Val), p, i)
	if err != nil {
		return 0, err
	}
	if j < 0 {
		return 0, l.notFound(p, i+1)
	}
	return sh.refs[j], nil
}

// entryAt returns the entry of a list with an index, counted from the end if it is
// negative. Entries that vanish do not count, so it waits for those before it
// that may; ok is false if there is no such entry.
func (l *level) entryAt(v uint32, p *program.Path, i int) (r ref, ok bool, err error) {
	sh := l.shape(l.cell(v))
	index := p.Steps[i].Index
	for ; sh.counted < len(sh.refs) && (index < 0 || int64(len(sh.present)) <= index); sh.counted++ {
		r := sh.refs[sh.counted]
		if isCell(r) {
			switch w := cellOf(r); l.vanishes(w) {
			case yes:
				continue
			case unknown:
				kind := evShape
				if l.cell(w).state == sValued {
					kind = evDone
				}
				return 0, false, l.pend(w, kind, p, i+1)
			}
		}
		sh.present = append(sh.present, r)
	}
	if index < 0 {
		index += int64(len(sh.present))
	}
	if index < 0 || index >= int64(len(sh.present)) {
		return 0, false, nil
	}
	return sh.present[index], true, nil
}

// answer is what is known about a question.
type answer uint8

const (
	no answer = iota
	yes
	unknown
)

// vanishes reports whether a cell becomes undefined. Most cannot, and that is
// known from their text.
func (l *level) vanishes(v uint32) answer {
	c := l.cell(v)
	for l.extraOf(c).copyOf != 0 {
		c = l.cell(l.extraOf(c).copyOf)
	}
	switch c.state {
	case sUndefined:
		return yes
	case sDone, sShaped, sBroken, sFailed:
		return no
	}
	raw := c.node
	if n := l.s.Node(raw); n.Kind == value.Map {
		if n.Flags&value.Inserts == 0 {
			return no
		}
		raw = l.s.Get(raw, l.names.insert)
	}
	if n := l.s.Node(raw); n.Kind == value.Expr {
		if pr := l.program(exprText(l.s.Text(n))); pr.err == nil && pr.p.MayVanish {
			return unknown
		}
	}
	return no
}

// findEntry returns the index of the first entry whose field is name, or -1.
// It may have to wait for the keys of entries; those that are known are indexed
// and not looked at again.
func (l *level) findEntry(v uint32, field value.Sym, name string, p *program.Path, i int) (int, error) {
	sh := l.shape(l.cell(v))
	if sh.keyed && field == sh.field {
		return sh.names.Find(name), nil
	}
	x := sh.fieldIndex(field)
	if j := x.names.Find(name); j >= 0 {
		return j, nil
	}
	for ; x.next < len(sh.refs); x.next++ {
		key, ok, w, waits := l.keyOf(sh.refs[x.next], field)
		if waits {
			return 0, l.pend(w, evShape, p, i+1)
		}
		if ok && x.names.Add(key, x.next) && key == name {
			x.next++
			return x.next - 1, nil
		}
	}
	return -1, nil
}

// fieldIndex returns the index of a list by one of the fields of its entries;
// there are few such fields.
func (sh *shape) fieldIndex(field value.Sym) *fieldIndex {
	for _, x := range sh.fields {
		if x.field == field {
			return x
		}
	}
	x := &fieldIndex{field: field}
	sh.fields = append(sh.fields, x)
	return x
}

// final returns the value at the end of a path.
func (l *level) final(r ref, p *program.Path, steps int, shape bool) (value.Value, error) {
	if !isCell(r) {
		l.name(r)
		return l.load(r), nil
	}
	v := cellOf(r)
	c := l.cell(v)
	switch c.state {
	case sDone:
		l.name(c.out)
		return l.load(c.out), nil
	case sUndefined:
		return value.Value{}, l.notFound(p, steps)
	case sShaped, sBroken:
		if w := l.brokenCopy(c); w != 0 {
			return value.Value{}, l.pend(w, evDone, p, steps)
		}
		if shape {
			l.nameCell(v)
			return value.Value{Kind: value.Deferred, Ref: r}, nil
		}
	}
	kind := evDone
	if shape && c.state != sFailed && c.state != sValued {
		kind = evShape
	}
	return value.Value{}, l.pend(v, kind, p, steps)
}

var noPath = &program.Path{}

// load returns the operand of a node that is referred to. Only a node itself
// is temporary, not what refers to it (semantics 2.7).
func (l *level) load(id value.ID) value.Value {
	if l.s.Node(id).Flags&value.Temporary != 0 {
		id = l.s.Without(id, value.Temporary)
	}
	return l.s.Load(id)
}

// selectFrom follows the rest of a path from a value.
func (l *level) selectFrom(v value.Value, p *program.Path, taken int, shape bool) (value.Value, error) {
	switch v.Kind {
	case value.Deferred, value.List, value.Map:
		return l.follow(v.Ref, p, taken, shape)
	}
	if taken < len(p.Steps) {
		if v.Kind == value.Undefined {
			return v, nil
		}
		return value.Value{}, l.notFound(p, taken+1)
	}
	return v, nil
}
