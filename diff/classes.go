// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"hash/maphash"
	"math"
	"math/bits"
	"slices"

	"github.com/dynaml/spiff/value"
)

// classes tells lists and maps apart: those of one class hold the same, the
// order of keys aside. Every list and map gets its class once, from its scalars
// and the classes of its parts, so that equal subtrees of any size are passed
// over with one comparison, and one that aliases share is looked at once.
type classes struct {
	s    *value.Store
	seed maphash.Seed // so that nobody can prepare collisions
	salt uint64
	of   []value.ID // from a list or map to the first of its class; 0 if not known yet

	// The classes by hash: an open-addressing table, at most half full. Equal
	// hashes prove nothing, see sameParts.
	slots []classSlot
	used  int

	looked int // at parts, for tests of the cost
}

type classSlot struct {
	hash  uint64
	first value.ID
}

func newClasses(s *value.Store) *classes {
	seed := maphash.MakeSeed()
	return &classes{
		s:     s,
		seed:  seed,
		salt:  maphash.String(seed, ""),
		of:    make([]value.ID, s.Len()+1),
		slots: make([]classSlot, 1<<10),
	}
}

// same says whether two nodes hold the same. Of lists and maps that were made
// after the classes it says no.
func (c *classes) same(a, b value.ID) bool {
	if a == b {
		return true
	}
	na, nb := c.s.Node(a), c.s.Node(b)
	if na.Kind != nb.Kind {
		return false
	}
	if na.Kind != value.List && na.Kind != value.Map {
		return sameScalar(c.s, a, b)
	}
	if na.Len != nb.Len || int(a) >= len(c.of) || int(b) >= len(c.of) {
		return false
	}
	return c.class(a) == c.class(b)
}

// class returns the first list or map that holds the same as the given one.
func (c *classes) class(id value.ID) value.ID {
	if c.of[id] == 0 {
		c.of[id] = c.find(id, c.hash(id))
	}
	return c.of[id]
}

// find returns the first of a class from the table, or adds one to it.
func (c *classes) find(id value.ID, hash uint64) value.ID {
	if 2*c.used >= len(c.slots) {
		c.grow()
	}
	for i := hash; ; i++ {
		slot := &c.slots[i&uint64(len(c.slots)-1)]
		if slot.first == 0 {
			*slot = classSlot{hash, id}
			c.used++
			return id
		}
		if slot.hash == hash && c.sameParts(slot.first, id) {
			return slot.first
		}
	}
}

func (c *classes) grow() {
	old := c.slots
	c.slots = make([]classSlot, 4*len(old))
	for _, slot := range old {
		if slot.first == 0 {
			continue
		}
		i := slot.hash
		for c.slots[i&uint64(len(c.slots)-1)].first != 0 {
			i++
		}
		c.slots[i&uint64(len(c.slots)-1)] = slot
	}
}

// hash returns the same number for lists and for maps that hold the same. It
// finds the classes of all parts.
func (c *classes) hash(id value.ID) uint64 {
	n := c.s.Node(id)
	h := c.mix(uint64(n.Kind), uint64(n.Len))
	if n.Kind == value.List {
		for _, e := range c.s.Elems(n) {
			h = c.mix(h, c.part(e))
		}
		return h
	}
	vals := c.s.Vals(n)
	for i, k := range c.s.Keys(n) {
		h += c.mix(uint64(k), c.part(vals[i])) // in any order
	}
	return h
}

// part returns the hash of a part of a list or map.
func (c *classes) part(id value.ID) uint64 {
	c.looked++
	n := c.s.Node(id)
	kind := uint64(n.Kind)<<8 | uint64(n.Flags&typed)
	switch n.Kind {
	case value.List, value.Map:
		return c.mix(uint64(n.Kind), uint64(c.class(id)))
	case value.Big, value.String, value.Expr:
		return c.mix(kind, maphash.String(c.seed, c.s.Text(n)))
	case value.Float:
		f := math.Float64frombits(n.Pay)
		if f == 0 || f != f {
			return kind // several bit patterns are the same
		}
	}
	return c.mix(kind, n.Pay)
}

// mix combines two numbers into one, like wyhash.
func (c *classes) mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^c.salt, b^0x9e3779b97f4a7c15)
	return hi ^ lo
}

// typed are the flags that make a scalar something else than its text.
const typed = value.Verbatim | value.Binary

// sameParts compares two lists or maps whose parts have their classes.
func (c *classes) sameParts(a, b value.ID) bool {
	na, nb := c.s.Node(a), c.s.Node(b)
	if na.Kind != nb.Kind || na.Len != nb.Len {
		return false
	}
	if na.Kind == value.List {
		return slices.EqualFunc(c.s.Elems(na), c.s.Elems(nb), c.same)
	}
	va, vb, kb := c.s.Vals(na), c.s.Vals(nb), c.s.Keys(nb)
	for i, k := range c.s.Keys(na) {
		other := vb[i]
		if kb[i] != k {
			other = c.s.Get(b, k)
		}
		if other == 0 || !c.same(va[i], other) {
			return false
		}
	}
	return true
}

// sameScalar compares two values of which not both are lists or maps. A date or
// a !!binary is not the same as its text in quotes.
func sameScalar(s *value.Store, ida, idb value.ID) bool {
	na, nb := s.Node(ida), s.Node(idb)
	if na.Kind != nb.Kind || (na.Flags^nb.Flags)&typed != 0 {
		return false
	}
	switch na.Kind {
	case value.Null, value.Undefined:
		return true
	case value.Bool, value.Int:
		return na.Pay == nb.Pay
	case value.Float:
		a, b := math.Float64frombits(na.Pay), math.Float64frombits(nb.Pay)
		return a == b || a != a && b != b // .nan is .nan
	case value.Big, value.String, value.Expr:
		return na.Len == nb.Len && s.Text(na) == s.Text(nb)
	}
	return ida == idb // documents hold no lambdas and templates
}
