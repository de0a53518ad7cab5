// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/value"
)

// usualKeys are the fields besides name that may tell the entries of a list
// apart, the first that does is used. They are few on purpose: entries are often of different
// ports or ranges, but whoever changes a port sees that better in place.
var usualKeys = []string{"id", "key", "uuid", "guid"}

// A key is what an entry of a list is known by: a text or an integer, which
// are never the same key. The zero key stands for none.
type key struct {
	kind value.Kind
	text string
	num  int64
}

func (k key) ok() bool { return k.kind != value.None }

func (k key) String() string {
	if k.kind == value.Int {
		return strconv.FormatInt(k.num, 10)
	}
	return k.text
}

// keyOf returns what an entry is known by in a field. An expression is its
// text. A name is no integer, as in a merge (semantics 2.4.5).
func (c *comparer) keyOf(entry value.ID, field value.Sym) key {
	id := c.field(entry, field)
	if tag := c.tags.of[field]; id == 0 && tag != 0 {
		id = c.field(entry, tag)
	}
	if id == 0 {
		return key{}
	}
	switch n := c.s.Node(id); {
	case n.Kind == value.String, n.Kind == value.Expr:
		return key{kind: n.Kind, text: c.s.Text(n)}
	case n.Kind == value.Int && field != c.name:
		return key{kind: n.Kind, num: int64(n.Pay)}
	}
	return key{}
}

// field returns what an entry has in a field, or 0. A scan is cheaper than the
// index that Store.Get makes of a large map, as an entry is asked only once.
func (c *comparer) field(entry value.ID, field value.Sym) value.ID {
	n := c.s.Node(entry)
	if n.Kind != value.Map {
		return 0
	}
	i := slices.Index(c.s.Keys(n), field)
	if i < 0 {
		return 0
	}
	return c.s.Vals(n)[i]
}

// A side is one of two lists to match, with the keys of its entries.
type side struct {
	elems []value.ID
	keys  []key // parallel to elems
	keyed int   // how many have one
	first map[key]int
	next  []int // from an entry to the next with the same key, or 0
}

// at returns an entry, or 0 for the index -1.
func (x *side) at(i int) value.ID {
	if i < 0 {
		return 0
	}
	return x.elems[i]
}

// distinct says whether every entry has a key of its own.
func (x *side) distinct() bool { return len(x.first) == len(x.elems) }

func (c *comparer) side(list value.ID, field value.Sym) *side {
	elems := c.s.Elems(c.s.Node(list))
	x := &side{elems: elems, keys: make([]key, len(elems))}
	c.looked += len(elems)
	for i, e := range elems {
		if k := c.keyOf(e, field); k.ok() {
			x.keys[i] = k
			x.keyed++
		}
	}
	if x.keyed == 0 {
		return x
	}
	x.first, x.next = make(map[key]int, x.keyed), make([]int, len(elems))
	for i, k := range slices.Backward(x.keys) {
		if k.ok() {
			x.next[i], x.first[k] = x.first[k], i
		}
	}
	return x
}

// A matching is two lists and the field their entries are matched by.
type matching struct {
	field value.Sym
	a, b  *side
}

// match chooses the key of two lists, the first of these in which any entry has
// a text or an integer, or just a text if it is name:
//
//   - the field of a key: tag, in a or else in b
//   - the keys that were asked for
//   - name, or if entries lack it or share one, the first of usualKeys that
//     tells all entries of both lists apart
//   - name of those entries that have one
func (c *comparer) match(a, b value.ID) matching {
	try := func(f value.Sym) matching { return matching{f, c.side(a, f), c.side(b, f)} }
	tagged := []value.Sym{c.tagged(a), c.tagged(b)}
	for _, f := range slices.Concat(tagged, c.chosen) {
		if f == 0 {
			continue
		}
		if m := try(f); m.a.keyed+m.b.keyed > 0 {
			return m
		}
	}
	byName := try(c.name)
	if byName.a.distinct() && byName.b.distinct() {
		return byName
	}
	for _, f := range c.usual {
		if c.everyHas(a, f) && c.everyHas(b, f) {
			if m := try(f); m.a.distinct() && m.b.distinct() {
				return m
			}
		}
	}
	return byName
}

// tags are the keys with a prefix that names the key field of the list around,
// as key:id does (semantics 2.4.4). Lists of a merge have lost them and know
// their key field.
type tags struct {
	of     map[value.Sym]value.Sym // from a field to the tagged key
	fields map[value.Sym]value.Sym // and back
}

func newTags(s *value.Store) tags {
	t := tags{map[value.Sym]value.Sym{}, map[value.Sym]value.Sym{}}
	for y := range value.Sym(s.Syms()) {
		if name, ok := strings.CutPrefix(s.Name(y), "key:"); ok {
			field := s.Intern(name)
			t.of[field], t.fields[y] = y, field
		}
	}
	return t
}

// tagged returns the key field that a list says it has, or 0. Of several tags
// the last one counts.
func (c *comparer) tagged(list value.ID) value.Sym {
	n := c.s.Node(list)
	field := c.s.KeyField(n)
	if len(c.tags.fields) == 0 || n.Flags&value.Dynamic == 0 {
		return field
	}
	for _, e := range c.s.Elems(n) {
		entry := c.s.Node(e)
		if entry.Kind != value.Map || entry.Flags&value.Dynamic == 0 {
			continue
		}
		for _, k := range c.s.Keys(entry) {
			if f := c.tags.fields[k]; f != 0 {
				field = f
			}
		}
	}
	return field
}

// everyHas says whether all entries of a list have a key in a field.
func (c *comparer) everyHas(list value.ID, field value.Sym) bool {
	for _, e := range c.s.Elems(c.s.Node(list)) {
		c.looked++
		if !c.keyOf(e, field).ok() {
			return false
		}
	}
	return true
}

// A pair says which entries of two lists belong together, by their indexes.
// One of them is -1 if an entry is alone.
type pair struct {
	a, b  int
	byKey bool
}

// pairs finds for every entry of a the first free one of b with the same key,
// then for the others the one at the same index if that is still free and,
// unless anyKind, neither has a key. It returns every entry of a in order, then
// what is left of b.
func (m matching) pairs(anyKind bool) []pair {
	a, b := m.a, m.b
	pairs := make([]pair, len(a.elems), max(len(a.elems), len(b.elems)))
	taken := make([]bool, len(b.elems))
	for i, k := range a.keys {
		pairs[i] = pair{i, -1, false}
		if !k.ok() {
			continue
		}
		if j, there := b.first[k]; there {
			pairs[i], taken[j] = pair{i, j, true}, true
			if b.next[j] > 0 {
				b.first[k] = b.next[j]
			} else {
				delete(b.first, k)
			}
		}
	}
	for i, k := range a.keys {
		if pairs[i].b < 0 && i < len(taken) && !taken[i] && (anyKind || !k.ok() && !b.keys[i].ok()) {
			pairs[i].b, taken[i] = i, true
		}
	}
	for j := range taken {
		if !taken[j] {
			pairs = append(pairs, pair{-1, j, false})
		}
	}
	return pairs
}

// asMap returns the map that a list stands for, from the keys of its entries
// to what else they hold, or 0 if an entry has no text of its own as key.
func (c *comparer) asMap(list value.ID) value.ID {
	if id, known := c.maps[list]; known {
		return id
	}
	c.maps[list] = 0
	m := c.match(list, list)
	isNumber := func(k key) bool { return k.kind == value.Int }
	if !m.a.distinct() || slices.ContainsFunc(m.a.keys, isNumber) {
		return 0
	}
	n := *c.s.Node(list)
	keys, vals := make([]value.Sym, len(m.a.elems)), make([]value.ID, len(m.a.elems))
	for i, e := range m.a.elems {
		keys[i], vals[i] = c.s.Intern(m.a.keys[i].text), c.without(e, m.field)
	}
	n.Flags &^= value.Keyed
	c.maps[list] = c.s.MapNode(n, keys, vals)
	return c.maps[list]
}

func (c *comparer) without(entry value.ID, field value.Sym) value.ID {
	n := *c.s.Node(entry)
	keys, vals := slices.Clone(c.s.Keys(&n)), slices.Clone(c.s.Vals(&n))
	i := slices.Index(keys, field)
	if i < 0 {
		i = slices.Index(keys, c.tags.of[field])
	}
	return c.s.MapNode(n, slices.Delete(keys, i, i+1), slices.Delete(vals, i, i+1))
}
