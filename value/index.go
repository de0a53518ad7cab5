// SPDX-License-Identifier: Apache-2.0

package value

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
)

// A symIndex finds the position of a key in a slice of keys: an open-addressing
// table of positions, at most half full.
type symIndex struct {
	shift uint
	slots []int32 // position + 1, 0 if free
}

func newSymIndex(keys []Sym) *symIndex {
	bits := uint(3)
	for 1<<bits < 2*len(keys) {
		bits++
	}
	x := &symIndex{shift: 32 - bits, slots: make([]int32, 1<<bits)}
	for i := range keys {
		x.insert(keys, keys[i], int32(i))
	}
	return x
}

func (x *symIndex) hash(k Sym) uint32 { return uint32(k) * 2654435769 >> x.shift }

func (x *symIndex) insert(keys []Sym, k Sym, pos int32) {
	for h := x.hash(k); ; h++ {
		p := &x.slots[h&uint32(len(x.slots)-1)]
		if *p == 0 {
			*p = pos + 1
			return
		}
		if keys[*p-1] == k {
			return // the first position wins
		}
	}
}

func (x *symIndex) find(keys []Sym, k Sym) int {
	for h := x.hash(k); ; h++ {
		p := x.slots[h&uint32(len(x.slots)-1)]
		if p == 0 {
			return -1
		}
		if keys[p-1] == k {
			return int(p - 1)
		}
	}
}

// A KeyTable finds keys of a growing map: by scanning while that is cheap, by
// hash when it is asked so often that the table is worth its making.
type KeyTable struct {
	x     *symIndex
	n     int
	scans int
}

// maxScans is how often a KeyTable scans before it makes an index: making one
// costs about as much as that many scans of the same keys.
const maxScans = 16

// Find returns the position of key in keys, or -1. The table must be used with
// the same slice of keys always; keys may only have been appended to it.
func (t *KeyTable) Find(keys []Sym, key Sym) int {
	if t.x == nil && (len(keys) < hashMin || t.scans < maxScans) {
		t.scans++
		return slices.Index(keys, key)
	}
	if t.x == nil || len(t.x.slots) < 2*len(keys) {
		t.x, t.n = newSymIndex(keys), len(keys)
	}
	for ; t.n < len(keys); t.n++ {
		t.x.insert(keys, keys[t.n], int32(t.n))
	}
	return t.x.find(keys, key)
}

// A symTable finds symbols, or other numbers, by their name: an open-addressing
// table, at most half full. It is made for the reader of documents, which asks
// it for most keys.
type symTable struct {
	seed  maphash.Seed
	slots []symSlot
	n     int
}

type symSlot struct {
	hash uint32
	sym  Sym // + 1, 0 if free
}

func (t *symTable) hash(name string) uint32 { return uint32(maphash.String(t.seed, name)) }

// find returns the symbol of a name with the given hash.
func (t *symTable) find(syms []string, name string, hash uint32) (Sym, bool) {
	if t.n == 0 {
		return 0, false
	}
	mask := uint32(len(t.slots) - 1)
	for h := hash; ; h++ {
		x := t.slots[h&mask]
		if x.sym == 0 {
			return 0, false
		}
		if x.hash == hash && syms[x.sym-1] == name {
			return x.sym - 1, true
		}
	}
}

// insert adds a symbol that is not in the table.
func (t *symTable) insert(hash uint32, y Sym) {
	if t.n++; 2*t.n > len(t.slots) {
		old := t.slots
		t.slots = make([]symSlot, max(64, 2*len(old)))
		for _, x := range old {
			if x.sym != 0 {
				t.put(x)
			}
		}
	}
	t.put(symSlot{hash, y + 1})
}

func (t *symTable) put(x symSlot) {
	mask := uint32(len(t.slots) - 1)
	h := x.hash
	for t.slots[h&mask].sym != 0 {
		h++
	}
	t.slots[h&mask] = x
}

// A NameIndex finds the entries of a list by name: by scanning while they are
// few, by hash when they are not. The zero value is empty.
type NameIndex struct {
	names []string
	at    []int32 // positions, parallel to names
	table symTable
}

// minNames is how many names a NameIndex has before it makes a table.
const minNames = 9

// Reset removes all names; room for at most keep is used again.
func (x *NameIndex) Reset(keep int) {
	if cap(x.names) > keep {
		*x = NameIndex{}
		return
	}
	clear(x.names)
	*x = NameIndex{names: x.names[:0], at: x.at[:0]}
}

// Expect makes room for n names, of which most differ.
func (x *NameIndex) Expect(n int) {
	if n < minNames || len(x.names) > 0 {
		return
	}
	x.names, x.at = slices.Grow(x.names, n), slices.Grow(x.at, n)
	x.table.slots = make([]symSlot, 1<<bits.Len(uint(2*n-1)))
}

// Add adds the entry at a position. It reports false and does nothing if there
// is one of that name.
func (x *NameIndex) Add(name string, at int) bool {
	i, hash := x.find(name)
	if i >= 0 {
		return false
	}
	x.names, x.at = append(x.names, name), append(x.at, int32(at))
	switch n := len(x.names); {
	case n == minNames:
		x.table.seed = maphash.MakeSeed()
		for y, name := range x.names {
			x.table.insert(x.table.hash(name), Sym(y))
		}
	case n > minNames:
		x.table.insert(hash, Sym(n-1))
	}
	return true
}

// Find returns the position of the entry with a name, or -1.
func (x *NameIndex) Find(name string) int {
	if i, _ := x.find(name); i >= 0 {
		return int(x.at[i])
	}
	return -1
}

// Names returns the names in the order in which they were added.
func (x *NameIndex) Names() []string { return x.names }

func (x *NameIndex) find(name string) (i int, hash uint32) {
	if len(x.names) < minNames {
		return slices.Index(x.names, name), 0
	}
	hash = x.table.hash(name)
	if y, ok := x.table.find(x.names, name, hash); ok {
		return int(y), hash
	}
	return -1, hash
}

// Ranks returns for every symbol its place in the bytewise order of all keys,
// so that sorting the keys of a map compares numbers. The slice is valid until
// the next Intern.
func (s *Store) Ranks() []uint32 {
	if len(s.ranks) == len(s.syms) {
		return s.ranks
	}
	// Most keys differ in their first eight bytes, which compare as a number.
	type head struct {
		prefix uint64
		sym    Sym
	}
	order := make([]head, len(s.syms))
	for i, name := range s.syms {
		order[i] = head{prefix(name), Sym(i)}
	}
	slices.SortFunc(order, func(a, b head) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return strings.Compare(s.syms[a.sym], s.syms[b.sym])
	})
	s.ranks = make([]uint32, len(s.syms))
	for r, h := range order {
		s.ranks[h.sym] = uint32(r)
	}
	return s.ranks
}

// prefix returns the first eight bytes of a text as a number that compares like
// the text.
func prefix(t string) (p uint64) {
	for i := range 8 {
		p <<= 8
		if i < len(t) {
			p |= uint64(t[i])
		}
	}
	return p
}

// Sorted appends to buf the positions of the keys of a map node in bytewise
// order of the keys, each in the lower half of a word, and returns it.
func (s *Store) Sorted(n *Node, buf []uint64) []uint64 {
	keys, ranks := s.Keys(n), s.Ranks()
	base := len(buf)
	sorted := true
	for i, k := range keys {
		x := uint64(ranks[k])<<32 | uint64(i)
		sorted = sorted && (i == 0 || buf[base+i-1] < x)
		buf = append(buf, x)
	}
	if !sorted {
		slices.Sort(buf[base:])
	}
	return buf
}
