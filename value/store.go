// SPDX-License-Identifier: Apache-2.0

package value

import (
	"hash/maphash"
	"unsafe"

	"github.com/dynaml/spiff/diag"
)

const (
	chunkBits = 12
	chunkSize = 1 << chunkBits
	wordChunk = 1 << 14 // words in a chunk of children
	textChunk = 1 << 13 // bytes in a chunk of computed text
	hashMin   = 32      // maps of this many keys and more are looked up by hash
)

type chunk [chunkSize]Node

// A Store holds the nodes, keys and texts of one merge. It is not safe for
// concurrent use.
type Store struct {
	chunks []*chunk
	last   *chunk // the one being filled
	n      ID     // next free ID

	words [][]uint32 // children of lists and maps

	texts []string // Pay>>32 of a text indexes this
	buf   []byte   // the chunk being filled; texts[bufAt] is its whole capacity
	bufAt uint32

	files []*diag.Source

	syms   []string
	names  []byte // the chunk of keys being filled
	symIdx symTable
	shared symTable // of the store that this is a clone of, never written

	objs []any // lambdas and templates

	index map[ID]*symIndex // hash indexes of large maps
	keyed map[keyedBy]*NameIndex
	ranks []uint32

	used, mark int64 // see Grown

	secrets []string // see Redact
}

type keyedBy struct {
	list ID
	key  Sym
}

// NewStore returns an empty store.
func NewStore() *Store {
	s := &Store{
		n:     1,
		last:  new(chunk),
		texts: []string{""},
		files: []*diag.Source{nil},
	}
	s.chunks = []*chunk{s.last}
	s.symIdx.seed = maphash.MakeSeed()
	s.Intern("")
	return s
}

// AddFile registers a source and returns its number. It fails with ok == false
// if the store has no number left.
func (s *Store) AddFile(src *diag.Source) (f File, ok bool) {
	if len(s.files) > int(^File(0)) {
		return 0, false
	}
	s.files = append(s.files, src)
	return File(len(s.files) - 1), true
}

// Source returns the source of f, or nil.
func (s *Store) Source(f File) *diag.Source { return s.files[f] }

// Span returns the place of a node.
func (s *Store) Span(id ID) diag.Span {
	n := s.Node(id)
	return diag.Span{Src: s.files[n.File], Start: n.Start, End: n.End}
}

// Len returns the number of nodes made so far.
func (s *Store) Len() int { return int(s.n) - 1 }

// Node returns the node with the given ID. It must not be changed after it was
// handed to anyone else.
func (s *Store) Node(id ID) *Node { return &s.chunks[id>>chunkBits][id&(chunkSize-1)] }

// Kind returns the kind of a node.
func (s *Store) Kind(id ID) Kind { return s.Node(id).Kind }

// New adds a node.
func (s *Store) New(n Node) ID {
	id, p := s.reserve()
	*p = n
	return id
}

// reserve returns a new node, which is zero.
func (s *Store) reserve() (ID, *Node) {
	id := s.n
	if id&(chunkSize-1) == 0 {
		s.last = new(chunk)
		s.chunks = append(s.chunks, s.last)
	}
	s.n++
	return id, &s.last[id&(chunkSize-1)]
}

// Intern returns the symbol of a key.
func (s *Store) Intern(key string) Sym {
	hash := s.symIdx.hash(key)
	if y, ok := s.symbol(key, hash); ok {
		return y
	}
	y := Sym(len(s.syms))
	s.syms = append(s.syms, s.keep(key))
	s.symIdx.insert(hash, y)
	return y
}

// keep returns a copy of a key. The copies lie close together, which the many
// comparisons in the symbol table profit from.
func (s *Store) keep(key string) string {
	if len(key) > textChunk/4 {
		return key
	}
	if cap(s.names)-len(s.names) < len(key) {
		s.names = make([]byte, 0, textChunk)
	}
	off := len(s.names)
	s.names = append(s.names, key...)
	return unsafe.String(unsafe.SliceData(s.names[off:]), len(key))
}

// Symbol returns the symbol of a key if it was interned before.
func (s *Store) Symbol(key string) (Sym, bool) { return s.symbol(key, s.symIdx.hash(key)) }

func (s *Store) symbol(key string, hash uint32) (Sym, bool) {
	if y, ok := s.shared.find(s.syms, key, hash); ok {
		return y, true
	}
	return s.symIdx.find(s.syms, key, hash)
}

// Name returns the key of a symbol.
func (s *Store) Name(y Sym) string { return s.syms[y] }

// Texts

// AddText registers a whole text, such as that of a file, of which nodes hold
// slices. It returns the number that AddSlice takes.
func (s *Store) AddText(t string) uint32 {
	s.texts = append(s.texts, t)
	return uint32(len(s.texts) - 1)
}

// Slice returns the payload of the n bytes at off of text t.
func Slice(t, off uint32) uint64 { return uint64(t)<<32 | uint64(off) }

// PutText stores a computed text and returns the payload for it.
func (s *Store) PutText(t string) uint64 {
	if t == "" {
		return 0
	}
	if len(t) > textChunk/4 {
		return Slice(s.AddText(t), 0)
	}
	s.room(len(t))
	off := uint32(len(s.buf))
	s.buf = append(s.buf, t...)
	return Slice(s.bufAt, off)
}

// PutBytes is PutText for short text in a buffer that is used again.
func (s *Store) PutBytes(t []byte) uint64 {
	if len(t) == 0 || len(t) > textChunk/4 {
		return s.PutText(string(t))
	}
	s.room(len(t))
	off := uint32(len(s.buf))
	s.buf = append(s.buf, t...)
	return Slice(s.bufAt, off)
}

// room makes room for n bytes of computed text.
func (s *Store) room(n int) {
	s.used += int64(n)
	if cap(s.buf)-len(s.buf) < n || s.buf == nil {
		s.buf = make([]byte, 0, textChunk)
		// The bytes beyond len are written once, before any node refers to them.
		s.bufAt = s.AddText(unsafe.String(unsafe.SliceData(s.buf), textChunk))
	}
}

// Text returns the text of a Big, String or Expr node.
func (s *Store) Text(n *Node) string {
	off := uint32(n.Pay)
	return s.texts[n.Pay>>32][off : off+n.Len]
}

// Objects

// AddObject stores a lambda or template and returns its index.
func (s *Store) AddObject(o any) uint64 {
	s.objs = append(s.objs, o)
	return uint64(len(s.objs) - 1)
}

// Object returns the object of a Lambda or Template node.
func (s *Store) Object(id ID) any { return s.objs[s.Node(id).Pay] }

// Children

// alloc reserves n words.
func (s *Store) alloc(n int) (pay uint64, w []uint32) {
	s.used += int64(n) * wordBytes
	last := len(s.words) - 1
	if last < 0 || cap(s.words[last])-len(s.words[last]) < n {
		s.words = append(s.words, make([]uint32, 0, max(n, min(wordChunk, 256<<(2*min(len(s.words), 8))))))
		last++
	}
	c := s.words[last]
	off := len(c)
	s.words[last] = c[:off+n]
	return uint64(last)<<32 | uint64(off), s.words[last][off : off+n : off+n]
}

func (s *Store) at(pay uint64, from, n uint32) []uint32 {
	off := uint32(pay) + from
	return s.words[pay>>32][off : off+n : off+n]
}

// Keys returns the keys of a map node, in the order they were written.
func (s *Store) Keys(n *Node) []Sym { return words[Sym](s.at(n.Pay, 0, n.Len)) }

// Vals returns the values of a map node, parallel to Keys.
func (s *Store) Vals(n *Node) []ID { return words[ID](s.at(n.Pay, n.Len, n.Len)) }

// Elems returns the elements of a list node.
func (s *Store) Elems(n *Node) []ID {
	if n.Flags&Keyed != 0 {
		return words[ID](s.at(n.Pay, 1, n.Len))
	}
	return words[ID](s.at(n.Pay, 0, n.Len))
}

// KeyField returns the explicit key field of a list node, or 0.
func (s *Store) KeyField(n *Node) Sym {
	if n.Flags&Keyed == 0 {
		return 0
	}
	return Sym(s.at(n.Pay, 0, 1)[0])
}

func words[T ~uint32](w []uint32) []T {
	if len(w) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&w[0])), len(w))
}

// MapNode fills the children of a map node; at gives the other fields. The
// Dynamic and Open
// flags are set if a child asks for it.
func (s *Store) MapNode(at Node, keys []Sym, vals []ID) ID {
	at.Kind, at.Len = Map, uint32(len(keys))
	pay, w := s.alloc(2 * len(keys))
	for i, k := range keys {
		w[i] = uint32(k)
		w[len(keys)+i] = uint32(vals[i])
	}
	at.Pay = pay
	at.Flags |= s.inherit(vals)
	return s.New(at)
}

// ListNode fills the elements of a list node; key is the explicit key field or
// 0. The Dynamic and Open flags are set if an element asks for it.
func (s *Store) ListNode(at Node, elems []ID, key Sym) ID {
	at.Kind, at.Len = List, uint32(len(elems))
	at.Flags &^= Keyed
	n := len(elems)
	if key != 0 {
		n++
		at.Flags |= Keyed
	}
	pay, w := s.alloc(n)
	if key != 0 {
		w[0] = uint32(key)
		w = w[1:]
	}
	for i, e := range elems {
		w[i] = uint32(e)
	}
	at.Pay = pay
	at.Flags |= s.inherit(elems)
	return s.New(at)
}

func (s *Store) inherit(ids []ID) (f Flags) {
	for _, id := range ids {
		if id > MaxID {
			f |= Open
			continue
		}
		f |= s.Node(id).Flags & (Dynamic | Open)
	}
	return f
}

// Load returns the operand of a node.
func (s *Store) Load(id ID) Value {
	n := s.Node(id)
	v := Value{Kind: n.Kind, Ref: id}
	switch n.Kind {
	case Bool, Int, Float:
		v.Num = int64(n.Pay)
	case String, Expr, Big:
		v.Str = s.Text(n)
	}
	return v
}

// Put returns a node for an operand, at gives its place if it was computed. A
// string of the shape of an expression becomes an Expr, see LooksLikeExpr.
func (s *Store) Put(v Value, at Node) ID { return s.PutAt(&v, &at) }

// PutAt is Put for loops: passing what it points to takes as long as the rest.
func (s *Store) PutAt(v *Value, at *Node) ID {
	if v.Ref != 0 {
		return v.Ref
	}
	if v.Kind == Int { // what most loops compute
		id, p := s.reserve()
		p.Kind, p.File, p.Start, p.End, p.Pay = Int, at.File, at.Start, at.End, uint64(v.Num)
		return id
	}
	kind, flags, n, pay := v.Kind, Flags(0), 0, uint64(0)
	switch kind {
	case Bool, Int, Float:
		pay = uint64(v.Num)
	case String, Expr, Big:
		n, pay = len(v.Str), s.PutText(v.Str)
		if kind == String && LooksLikeExpr(v.Str) {
			kind, flags = Expr, Dynamic
		}
	}
	id, p := s.reserve()
	p.Kind, p.Flags, p.File = kind, flags, at.File
	p.Start, p.End = at.Start, at.End
	p.Len, p.Pay = uint32(n), pay
	return id
}

// With returns id with the flag set, copying the node if needed.
func (s *Store) With(id ID, f Flags) ID {
	n := *s.Node(id)
	if n.Flags&f == f {
		return id
	}
	n.Flags |= f
	return s.New(n)
}

// Without returns id with the flag cleared, copying the node if needed.
func (s *Store) Without(id ID, f Flags) ID {
	n := *s.Node(id)
	if n.Flags&f == 0 {
		return id
	}
	n.Flags &^= f
	return s.New(n)
}

// Get returns the value of a key of a map node, or 0.
func (s *Store) Get(id ID, key Sym) ID {
	n := s.Node(id)
	if n.Kind != Map {
		return 0
	}
	keys := s.Keys(n)
	if len(keys) < hashMin {
		for i, k := range keys {
			if k == key {
				return s.Vals(n)[i]
			}
		}
		return 0
	}
	x := s.index[id]
	if x == nil {
		if s.index == nil {
			s.index = map[ID]*symIndex{}
		}
		x = newSymIndex(keys)
		s.index[id] = x
	}
	if i := x.find(keys, key); i >= 0 {
		return s.Vals(n)[i]
	}
	return 0
}

// Field returns the value of a key given as text, or 0.
func (s *Store) Field(id ID, key string) ID {
	y, ok := s.Symbol(key)
	if !ok {
		return 0
	}
	return s.Get(id, y)
}

// FindKeyed returns the index of the first entry of a list node that is a map
// whose string field key equals name, or -1.
func (s *Store) FindKeyed(list ID, key Sym, name string) int {
	n := s.Node(list)
	elems := s.Elems(n)
	if len(elems) < minNames {
		for i, e := range elems {
			if t, ok := s.KeyOf(e, key); ok && t == name {
				return i
			}
		}
		return -1
	}
	by := keyedBy{list, key}
	x := s.keyed[by]
	if x == nil {
		x = &NameIndex{}
		x.Expect(len(elems))
		for i, e := range elems {
			if t, ok := s.KeyOf(e, key); ok {
				x.Add(t, i)
			}
		}
		if s.keyed == nil {
			s.keyed = map[keyedBy]*NameIndex{}
		}
		s.keyed[by] = x
	}
	return x.Find(name)
}

// KeyOf returns the string value of field key of a map node.
func (s *Store) KeyOf(id ID, key Sym) (string, bool) {
	if id > MaxID {
		return "", false
	}
	f := s.Get(id, key)
	if f == 0 || f > MaxID {
		return "", false
	}
	n := s.Node(f)
	if n.Kind != String {
		return "", false
	}
	return s.Text(n), true
}

// Syms returns the number of symbols: all are below it.
func (s *Store) Syms() int { return len(s.syms) }
