// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"slices"
	"strings"

	"github.com/dynaml/spiff/value"
)

// keyTag marks the key field of a list entry, key:id.
const keyTag = "key:"

// shapeList finds the entries of a list (semantics 2.4) in two steps: splice
// the << entries, then match the entries with the stubs by key or by index.
func (l *level) shapeList(v uint32) {
	c := l.cell(v)
	sh := l.shape(c)
	if sh == nil {
		sh = l.newShape(c)
	}
	if !sh.known {
		if !l.splice(v) {
			return
		}
		if !l.locate(v) {
			return
		}
		l.dedupe(c)
		sh.known = true
		l.entryRefs(v)
	}
	if !sh.keyed && sh.named >= 0 && !l.match(v) {
		return
	}
	l.shaped(v)
}

// splice walks the raw elements, evaluating << entries. It reports whether all
// entries are known; if not, v waits or is finished.
func (l *level) splice(v uint32) bool {
	c := l.cell(v)
	sh := l.shape(c)
	n := l.s.Node(c.node)
	elems := l.s.Elems(n)
	if sh.field == 0 {
		if sh.field = l.s.KeyField(n); sh.field != 0 {
			sh.explicit = true
		} else {
			sh.field = l.names.name
		}
	}
	if n.Flags&(value.Dynamic|value.Open) == 0 {
		sh.entries = slices.Grow(sh.entries, len(elems))
		for _, id := range elems {
			sh.entries = append(sh.entries, entry{id: id})
		}
		return true
	}
	for ; sh.raw < len(elems); sh.raw++ {
		id := elems[sh.raw]
		raw := value.ID(0)
		if n.Flags&value.Inserts != 0 && !isCell(id) {
			raw = l.spliceOf(id)
		}
		if raw == 0 {
			sh.entries = append(sh.entries, entry{id: l.untag(id, sh)})
			continue
		}
		if l.s.Kind(raw) != value.Expr {
			if l.s.Kind(raw) == value.List {
				l.insertAll(sh, raw)
			}
			continue // anything else is ignored
		}
		if !l.spliceExpr(v, raw) {
			return false
		}
	}
	return true
}

// spliceOf returns the value of a << entry, a map with that key only, or 0.
func (l *level) spliceOf(id value.ID) value.ID {
	n := l.s.Node(id)
	if n.Kind != value.Map || n.Len != 1 || n.Flags&value.Inserts == 0 {
		return 0
	}
	return l.s.Vals(n)[0]
}

func (l *level) insertAll(sh *shape, list value.ID) {
	for _, id := range l.s.Elems(l.s.Node(list)) {
		sh.entries = append(sh.entries, entry{id, true})
	}
}

// splicedBytes is what an entry that is spliced counts for the limit of memory
// while the list around it is put together. Lists that splice each other twice
// double with every line.
const splicedBytes = 64

// spliceExpr evaluates the << entry sh.raw and inserts the list it gives. It
// reports whether to go on; if not, v waits or is finished.
func (l *level) spliceExpr(v uint32, raw value.ID) bool {
	c := l.cell(v)
	sh := l.shape(c)
	if sh.splice == 0 {
		p, done := l.marker(v, raw)
		if done {
			return false
		}
		if !l.locate(v) {
			return false
		}
		if p != nil && p.NoOperand {
			return true
		}
		if p != nil && p.BareMerge && c.hits == 0 {
			if on := p.Merges[0].On; on != 0 {
				sh.field, sh.explicit = on, true
			}
			return true
		}
		w := l.newCell(raw, v, uint32(sh.raw), fInsert|fBody|fLocated|fEntry)
		c = l.cell(v)
		l.cell(w).hits = c.hits
		sh.splice = w
	}
	w := l.cell(sh.splice)
	switch w.state {
	case sDone, sUndefined:
	default:
		l.block(v, sh.splice, evDone)
		return false
	}
	sh.splice = 0
	info := &l.extraOf(w).info
	if info.KeyField != 0 {
		sh.field, sh.explicit = info.KeyField, true
	}
	if info.Redirect != nil {
		l.redirect(v, info.Redirect)
	}
	sh.merged = sh.merged || w.flags&fMerged != 0
	sh.replaced = sh.replaced || w.flags&fReplaced != 0
	if w.state == sDone && l.s.Kind(w.out) == value.List {
		l.s.Charge(splicedBytes * int(l.s.Node(w.out).Len))
		if err := l.vm.Over(); err != nil {
			l.failed(v, err)
			return false
		}
		l.insertAll(sh, w.out)
	}
	return true
}

// untag removes the key: prefix from a field of a list entry and notes the key
// field that it names.
func (l *level) untag(id value.ID, sh *shape) value.ID {
	if isCell(id) {
		return id
	}
	n := *l.s.Node(id)
	if n.Kind != value.Map || n.Flags&value.Dynamic == 0 {
		return id
	}
	for i, k := range l.s.Keys(&n) {
		field, ok := strings.CutPrefix(l.s.Name(k), keyTag)
		if !ok || field == "" {
			continue
		}
		sh.field, sh.explicit = l.s.Intern(field), true
		keys := append([]value.Sym(nil), l.s.Keys(&n)...)
		keys[i] = sh.field
		vals := l.s.Vals(&n)
		// Whether the map is dynamic follows from the values again.
		n.Flags &^= value.Dynamic
		if n.Flags&value.Inserts != 0 {
			n.Flags |= value.Dynamic
		}
		return l.s.MapNode(n, keys, vals)
	}
	return id
}

// dedupe applies replace, and drops spliced entries whose key the list has
// itself.
func (l *level) dedupe(c *cell) {
	sh := l.shape(c)
	spliced := false
	for _, e := range sh.entries {
		spliced = spliced || e.spliced
	}
	if !spliced && !sh.replaced {
		return
	}
	var own value.NameIndex
	if !sh.replaced {
		own.Expect(len(sh.entries))
		for i, e := range sh.entries {
			if e.spliced {
				continue
			}
			if name, ok := l.rawKey(e.id, sh.field); ok {
				own.Add(name, i)
			}
		}
	}
	kept := sh.entries[:0]
	for _, e := range sh.entries {
		if sh.replaced && !e.spliced {
			continue
		}
		if e.spliced {
			if name, ok := l.s.KeyOf(e.id, sh.field); ok && own.Find(name) >= 0 {
				continue
			}
		}
		kept = append(kept, e)
	}
	sh.entries = kept
}

// rawKey returns the key of an entry as far as it is written literally.
func (l *level) rawKey(id value.ID, field value.Sym) (string, bool) {
	if isCell(id) {
		return "", false
	}
	return l.s.KeyOf(id, field)
}

// entryRefs makes the refs of the entries. Entries that are final are nodes,
// the others cells whose place in the stubs is found by match.
func (l *level) entryRefs(v uint32) {
	c := l.cell(v)
	sh := l.shape(c)
	matching := c.hits != 0
	if matching && !l.mergeable(c.hits) {
		c.hits, matching = 0, false
	}
	sh.refs = slices.Grow(sh.refs, len(sh.entries))[:len(sh.entries)]
	sh.named = -1 // no matching needed
	for i, e := range sh.entries {
		sh.refs[i] = e.id
		if isCell(e.id) { // shared with an unfinished list
			if matching && !e.spliced {
				sh.named = 0
				sh.refs[i] = cellRef(l.copyCell(e.id, v, uint32(i), fEntry))
			}
			continue
		}
		if e.spliced && l.s.Node(e.id).Flags&(value.Dynamic|value.Open) == 0 {
			continue
		}
		n := l.s.Node(e.id)
		plain := n.Flags&(value.Dynamic|value.Open) == 0
		container := n.Kind == value.Map || n.Kind == value.List
		if plain && (!matching || !container) {
			continue
		}
		flags := fEntry
		if !matching || e.spliced {
			flags |= fLocated
		} else {
			sh.named = 0
		}
		sh.refs[i] = cellRef(l.newCell(e.id, v, uint32(i), flags))
	}
	if sh.named == 0 {
		l.lists = append(l.lists, v)
		l.fire(v, evShape)
	}
}

// match finds the keys of all entries and gives each cell its place in the
// stubs: by key if every entry has a distinct one, else by index. It reports
// false if v waits for a key.
func (l *level) match(v uint32) bool {
	c := l.cell(v)
	sh := l.shape(c)
	for ; sh.named < len(sh.refs); sh.named++ {
		name, ok, w, wait := l.keyOf(sh.refs[sh.named], sh.field)
		if wait {
			l.block(v, w, evShape)
			return false
		}
		if ok && sh.named == 0 {
			sh.names.Expect(len(sh.refs))
		}
		if !ok || !sh.names.Add(name, sh.named) {
			break // an entry without a key of its own: all match by index
		}
	}
	l.place(v, sh.named == len(sh.refs))
	return true
}

// place locates the entries of a list.
func (l *level) place(v uint32, keyed bool) {
	sh := l.shape(l.cell(v))
	sh.named, sh.keyed = -1, keyed
	for i, r := range sh.refs {
		if !isCell(r) {
			continue
		}
		e := l.cell(cellOf(r))
		if e.parent != v || e.flags&fLocated != 0 {
			continue
		}
		e.flags |= fLocated
		if keyed || !sh.merged {
			l.placeEntry(v, e, i, keyed)
		}
		l.fire(cellOf(r), evLocated)
	}
}

// placeEntry finds the stub values of entry i of list v.
func (l *level) placeEntry(v uint32, e *cell, i int, keyed bool) {
	c := l.cell(v)
	if keyed {
		sh := l.shape(c)
		e.place(l.namedHits(c.hits, sh.field, sh.names.Names()[i]))
	} else {
		e.place(l.entryHits(c.hits, i))
	}
}

// keyOf returns the key of an entry: the string in its field. If that is not
// known yet it returns the cell to wait for.
func (l *level) keyOf(r ref, field value.Sym) (name string, ok bool, w uint32, wait bool) {
	if !isCell(r) {
		name, ok = l.s.KeyOf(r, field)
		return name, ok, 0, false
	}
	v := cellOf(r)
	c := l.cell(v)
	if l.extraOf(c).copyOf != 0 {
		return l.keyOf(cellRef(l.extraOf(c).copyOf), field)
	}
	switch c.state {
	case sDone, sValued:
		if c.out != 0 {
			name, ok = l.s.KeyOf(c.out, field)
		}
		return name, ok, 0, false
	case sUndefined, sFailed:
		return "", false, 0, false
	case sNew, sShaping:
		// A key that is written in the entry wins over one that is inserted.
		if n := l.s.Node(c.node); n.Kind == value.Map {
			if f := l.s.Get(c.node, field); f != 0 && l.s.Kind(f) != value.Expr {
				name, ok = l.literalKey(c, field)
				return name, ok, 0, false
			} else if f == 0 && n.Flags&value.Inserts == 0 {
				return "", false, 0, false
			}
		}
	case sShaped, sBroken:
		if l.shape(c).keys == nil {
			return "", false, 0, false
		}
		i := l.shape(c).table.Find(l.shape(c).keys, field)
		if i < 0 {
			return "", false, 0, false
		}
		return l.keyText(l.shape(c).refs[i])
	}
	if l.s.Kind(c.node) == value.List {
		return "", false, 0, false
	}
	return "", false, v, true
}

// literalKey returns the key that is written in an entry, or that of the stub
// which replaces it. Where entries match by name it is the same.
func (l *level) literalKey(c *cell, field value.Sym) (string, bool) {
	if c.flags&fLocated != 0 {
		if hit := l.nearest(l.keyHits(c.hits, field)); hit != 0 && !l.hasChildren(l.s.Get(c.node, field)) {
			v := l.s.Load(hit)
			return v.Str, v.Kind == value.String
		}
	}
	return l.s.KeyOf(c.node, field)
}

// keyText returns the text of a key field.
func (l *level) keyText(r ref) (name string, ok bool, w uint32, wait bool) {
	id := r
	if isCell(r) {
		c := l.cell(cellOf(r))
		switch c.state {
		case sDone, sValued:
			id = c.out
		case sUndefined, sFailed, sBroken:
			return "", false, 0, false
		default:
			if k := l.s.Kind(c.node); k != value.Expr {
				id = c.node
				break
			}
			return "", false, cellOf(r), true
		}
	}
	if id == 0 || l.s.Kind(id) != value.String {
		return "", false, 0, false
	}
	return l.s.Text(l.s.Node(id)), true, 0, false
}

// matchByIndex settles lists whose keys depend on their own entries: those
// match by index, as long as nothing else can be known. It reports whether
// there was one.
func (l *level) matchByIndex() bool {
	any := false
	lists := l.lists
	l.lists = nil
	for _, v := range lists {
		c := l.cell(v)
		if c.state == sShaping && l.shape(c).known && l.shape(c).named >= 0 {
			l.place(v, false)
			any = true
		}
	}
	return any
}
