// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"slices"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

const (
	insertKey = "<<"   // inserts the entries of another map or list
	keyPrefix = "key:" // names the key field of a list, on a field of an entry
	binaryTag = "!!binary"
)

// A builder makes the nodes of a text. Both readers use it, so that they can
// differ only in how they take the text apart.
type builder struct {
	s      *value.Store
	src    *diag.Source
	file   value.File
	limits Limits
	text   uint32    // number of the whole text in the store
	insert value.Sym // insertKey
	result Result

	fields bool // there are keys with the keyPrefix

	// real counts the nodes that are written, aliased those that aliases stand
	// for. bomb is the error to report should the latter be too many: whether
	// they are, in relation to the former, is known at the end.
	real, aliased uint64
	bomb          *diag.Diagnostic

	// children of the lists and maps being read, innermost last
	ids   []value.ID
	keys  []value.Sym
	keyAt []extent // parallel to keys

	// marks says for each symbol which map had it last, see mapping.
	marks  []uint32
	serial uint32
}

// An extent is a range of bytes of the text.
type extent struct{ start, end uint32 }

// A subtree is an anchored node and the number of nodes in it, aliases expanded.
type subtree struct {
	id   value.ID
	size uint64
}

func newBuilder(s *value.Store, src *diag.Source, file value.File, limits Limits) builder {
	return builder{s: s, src: src, file: file, limits: limits, text: s.AddText(src.Text), insert: s.Intern(insertKey)}
}

// finish returns the result, or the error that is known only at the end.
func (b *builder) finish() (Result, error) {
	if b.bombed() {
		return Result{}, b.bomb
	}
	switch len(b.result.Docs) {
	case 0:
		b.result.Docs = []value.ID{b.s.New(value.Node{Kind: value.Null, File: b.file})}
		b.result.Empty = true
	case 1:
	default:
		b.result.Empty = false
	}
	b.result.Warnings.Sort()
	return b.result, nil
}

// bombed reports whether aliases stand for far more than is written.
func (b *builder) bombed() bool { return b.bomb != nil && b.aliased/aliasFactor > b.real }

// alias counts the nodes that an alias at sp stands for.
func (b *builder) alias(t subtree, sp diag.Span) {
	b.aliased = min(b.aliased+t.size, 1<<62)
	if b.aliased > uint64(b.limits.Aliases) && b.bomb == nil {
		b.bomb = diag.Errorf(sp, "aliases expand to more than %d nodes", b.limits.Aliases)
	}
}

func (b *builder) span(start, end int) diag.Span {
	return diag.Span{Src: b.src, Start: uint32(start), End: uint32(min(end, len(b.src.Text)))}
}

// scalar adds the node of a scalar that stands at [start, end). With exact,
// that is its text.
func (b *builder) scalar(v scalar, start, end int, exact bool) value.ID {
	if v.kind == value.String && v.flags == 0 && value.LooksLikeExpr(v.text) {
		v.kind, v.flags = value.Expr, value.Dynamic
	}
	at := value.Node{
		Kind: v.kind, Flags: v.flags, File: b.file,
		Start: uint32(start), End: uint32(end),
		Pay: v.pay,
	}
	switch v.kind {
	case value.String, value.Expr, value.Big:
		at.Len = uint32(len(v.text))
		if exact {
			at.Flags |= value.Contiguous
			at.Pay = value.Slice(b.text, uint32(start))
		} else {
			at.Pay = b.s.PutText(v.text)
		}
	}
	return b.s.New(at)
}

// list adds the list of the elements pushed since base.
func (b *builder) list(at value.Node, base int) value.ID {
	for i, id := range b.ids[base:] {
		id, f := b.entry(id)
		at.Flags |= f
		b.ids[base+i] = id
	}
	id := b.s.ListNode(at, b.ids[base:], 0)
	b.ids = b.ids[:base]
	return id
}

// entry looks at an entry of a list: if it is a map of nothing but an insert,
// the list is the one that inserts; if one of its keys names the key field,
// it has to be looked at again. It returns the entry, and flags for the list.
func (b *builder) entry(id value.ID) (value.ID, value.Flags) {
	n := b.s.Node(id)
	if n.Kind != value.Map {
		return id, 0
	}
	keys := b.s.Keys(n)
	if len(keys) == 1 && keys[0] == b.insert {
		return id, value.Inserts | value.Dynamic
	}
	if b.fields && slices.ContainsFunc(keys, func(k value.Sym) bool { return namesField(b.s.Name(k)) }) {
		return b.s.With(id, value.Dynamic), value.Dynamic
	}
	return id, 0
}

func namesField(key string) bool {
	return len(key) > len(keyPrefix) && strings.HasPrefix(key, keyPrefix)
}

// intern interns a key.
func (b *builder) intern(name string) value.Sym {
	b.fields = b.fields || namesField(name)
	return b.s.Intern(name)
}

// push adds an entry to the innermost map.
func (b *builder) push(key value.Sym, at extent, id value.ID) {
	b.keys, b.keyAt, b.ids = append(b.keys, key), append(b.keyAt, at), append(b.ids, id)
}

// mapping adds the map of the entries pushed since the given numbers of keys
// and children.
func (b *builder) mapping(at value.Node, kb, vb int) value.ID {
	// A map is checked for duplicate keys when it is complete: then nothing
	// else writes to marks, and one look at each key suffices.
	b.serial++
	if n := b.s.Syms(); len(b.marks) < n {
		b.marks = append(b.marks, make([]uint32, max(n, 2*len(b.marks))-len(b.marks))...)
	}
	duplicates := false
	for _, k := range b.keys[kb:] {
		duplicates = duplicates || b.marks[k] == b.serial
		b.marks[k] = b.serial
		if k == b.insert {
			at.Flags |= value.Inserts | value.Dynamic
		}
	}
	if duplicates {
		b.dropDuplicates(kb, vb)
	}
	id := b.s.MapNode(at, b.keys[kb:], b.ids[vb:])
	if b.limits.keys {
		b.result.keep(b.s.Node(id), b.keyAt[kb:])
	}
	b.keys, b.keyAt, b.ids = b.keys[:kb], b.keyAt[:kb], b.ids[:vb]
	return id
}

// dropDuplicates keeps the last value of each key, at the place of the first.
func (b *builder) dropDuplicates(kb, vb int) {
	keys, keyAt, ids := b.keys[kb:], b.keyAt[kb:], b.ids[vb:]
	var table value.KeyTable
	n := 0
	for i, k := range keys {
		if j := table.Find(keys[:n], k); j >= 0 {
			b.duplicate(k, keyAt[i], keyAt[j])
			keyAt[j], ids[j] = keyAt[i], ids[i]
			continue
		}
		keys[n], keyAt[n], ids[n] = k, keyAt[i], ids[i]
		n++
	}
	b.keys, b.keyAt, b.ids = b.keys[:kb+n], b.keyAt[:kb+n], b.ids[:vb+n]
}

func (b *builder) duplicate(key value.Sym, later, earlier extent) {
	d := diag.Warnf(b.span(int(later.start), int(later.end)), "duplicate key %q, the last one wins", b.s.Name(key))
	b.result.Warnings = append(b.result.Warnings, d.WithNote(b.span(int(earlier.start), int(earlier.end)), "earlier value here"))
}
