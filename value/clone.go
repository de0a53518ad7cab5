// SPDX-License-Identifier: Apache-2.0

package value

import "slices"

// Clone returns a store that begins with everything s holds, under the same
// IDs. Nodes, children and texts are shared, as they never change; what is
// added goes to new chunks. s must not be added to any more; it may be cloned
// by several goroutines at once.
func (s *Store) Clone() *Store {
	n := ID(len(s.chunks)) << chunkBits
	c := &Store{
		chunks: slices.Clip(slices.Clone(s.chunks)),
		n:      n,
		texts:  slices.Clone(s.texts),
		files:  slices.Clone(s.files),
		syms:   slices.Clip(s.syms),
		symIdx: symTable{seed: s.symIdx.seed},
		shared: s.symIdx,
		objs:   slices.Clone(s.objs),
	}
	if s.shared.n > 0 { // the clone of a clone has one table to share, too
		c.shared = symTable{seed: s.shared.seed}
		for i, name := range s.syms {
			c.shared.insert(c.shared.hash(name), Sym(i))
		}
	}
	for _, w := range s.words {
		c.words = append(c.words, slices.Clip(w))
	}
	return c
}

// Import copies the documents of another store into s and returns the new ID
// of each of the given nodes. ok is false if s has no room for the files.
func (s *Store) Import(from *Store, roots []ID) (ids []ID, ok bool) {
	if len(s.files)+len(from.files) > int(^File(0)) {
		return nil, false
	}
	files, texts, objs := File(len(s.files)-1), uint64(len(s.texts))<<32, uint64(len(s.objs))
	s.files = append(s.files, from.files[1:]...)
	s.texts = append(s.texts, from.texts...)
	s.objs = append(s.objs, from.objs...)
	syms := make([]Sym, len(from.syms))
	for i, name := range from.syms {
		syms[i] = s.Intern(name)
	}
	// IDs are handed out in order, so every ID moves by the same distance.
	base := s.n - 1
	for id := ID(1); id < from.n; id++ {
		n := *from.Node(id)
		if n.File != 0 {
			n.File += files
		}
		switch n.Kind {
		case Big, String, Expr:
			n.Pay += texts
		case Lambda, Template:
			n.Pay += objs
		case Map:
			n.Pay = s.importMap(from, &n, syms, base)
		case List:
			n.Pay = s.importList(from, &n, syms, base)
		}
		s.New(n)
	}
	for _, r := range roots {
		if r != 0 {
			r += base
		}
		ids = append(ids, r)
	}
	return ids, true
}

func (s *Store) importMap(from *Store, n *Node, syms []Sym, base ID) uint64 {
	pay, w := s.alloc(2 * int(n.Len))
	for i, k := range from.Keys(n) {
		w[i] = uint32(syms[k])
	}
	for i, v := range from.Vals(n) {
		w[int(n.Len)+i] = uint32(v + base)
	}
	return pay
}

func (s *Store) importList(from *Store, n *Node, syms []Sym, base ID) uint64 {
	size := int(n.Len)
	key := from.KeyField(n)
	if key != 0 {
		size++
	}
	pay, w := s.alloc(size)
	if key != 0 {
		w[0], w = uint32(syms[key]), w[1:]
	}
	for i, e := range from.Elems(n) {
		w[i] = uint32(e + base)
	}
	return pay
}
