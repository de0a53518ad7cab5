// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

const (
	insertKey = "<<"   // inserts the entries of another map or list
	keyPrefix = "key:" // names the key field of a list, on a field of an entry
	binaryTag = "!!binary"
)

// A reader converts the trees of the library into nodes of a store.
type reader struct {
	s      *value.Store
	src    *diag.Source
	file   value.File
	text   uint32 // number of the whole text in the store
	cursor cursor
	insert value.Sym // insertKey
	result Result

	anchored map[*yaml.Node]subtree

	// real counts the nodes that are written, aliased those that aliases stand
	// for. bomb is the error to report should the latter be too many: whether
	// they are, in relation to the former, is known at the end.
	real, aliased uint64
	bomb          *diag.Diagnostic

	// children of the lists and maps being converted, innermost last
	ids   []value.ID
	keys  []value.Sym
	keyAt []diag.Span // parallel to keys, where the key was written last
}

// A subtree is an anchored node and the number of nodes in it, aliases expanded.
type subtree struct {
	id   value.ID
	size uint64
}

// node converts n and what is below it. end is the offset where it ends in the
// text, which for an alias is not where its node ends.
func (r *reader) node(n *yaml.Node, depth int) (id value.ID, end uint32, err error) {
	off := r.cursor.seek(n.Line, n.Column)
	if depth > maxDepth {
		return 0, 0, diag.Errorf(r.span(off, off+1), "document nests deeper than %d levels", maxDepth)
	}
	if n.Kind == yaml.AliasNode {
		return r.alias(n, off)
	}
	before := r.real + r.aliased
	r.real++
	switch n.Kind {
	case yaml.SequenceNode:
		id, err = r.list(n, off, depth)
	case yaml.MappingNode:
		id, err = r.mapping(n, off, depth)
	default:
		id = r.scalar(n, off)
	}
	if err != nil {
		return 0, 0, err
	}
	if n.Anchor != "" {
		r.anchored[n] = subtree{id, r.real + r.aliased - before}
	}
	return id, r.s.Node(id).End, nil
}

// alias returns the node of the anchor: nodes never change, so they are shared.
func (r *reader) alias(n *yaml.Node, off int) (value.ID, uint32, error) {
	sp := r.aliasSpan(n, off)
	t, ok := r.anchored[n.Alias]
	if !ok {
		return 0, 0, diag.Errorf(sp, "anchor %q contains itself", n.Value)
	}
	r.aliased = min(r.aliased+t.size, 1<<62)
	if r.aliased > maxAliased && r.bomb == nil {
		r.bomb = diag.Errorf(sp, "aliases expand to more than %d nodes", maxAliased)
	}
	return t.id, sp.End, nil
}

func (r *reader) aliasSpan(n *yaml.Node, off int) diag.Span {
	return r.span(off, off+len("*")+len(n.Value))
}

func (r *reader) span(start, end int) diag.Span {
	return diag.Span{Src: r.src, Start: uint32(start), End: uint32(min(end, len(r.src.Text)))}
}

// scalar converts a scalar that begins at off.
func (r *reader) scalar(n *yaml.Node, off int) value.ID {
	start, end, exact := scalarAt(r.src.Text, off, n)
	v := text(n.Value)
	switch {
	case n.Tag == binaryTag:
		v.flags = value.Binary
	case plain(n):
		v = resolve(n.Value)
	}
	if v.kind == value.String && v.flags == 0 && value.LooksLikeExpr(v.text) {
		v.kind, v.flags = value.Expr, value.Dynamic
	}
	at := value.Node{
		Kind: v.kind, Flags: v.flags, File: r.file,
		Start: uint32(start), End: uint32(end),
		Pay: v.pay,
	}
	switch v.kind {
	case value.String, value.Expr, value.Big:
		at.Len = uint32(len(v.text))
		if exact && v.text == n.Value {
			at.Flags |= value.Contiguous
			at.Pay = value.Slice(r.text, uint32(start))
		} else {
			at.Pay = r.s.PutText(v.text)
		}
	}
	return r.s.New(at)
}

// list converts a sequence that begins at off.
func (r *reader) list(n *yaml.Node, off, depth int) (value.ID, error) {
	at := r.collection(n, off)
	base := len(r.ids)
	for _, c := range n.Content {
		id, end, err := r.node(c, depth+1)
		if err != nil {
			return 0, err
		}
		id, f := r.entry(id)
		at.Flags |= f
		at.End = end
		r.ids = append(r.ids, id)
	}
	id := r.s.ListNode(at, r.ids[base:], 0)
	r.ids = r.ids[:base]
	return id, nil
}

// entry looks at an entry of a list: if it is a map of nothing but an insert,
// the list is the one that inserts; if one of its keys names the key field,
// it has to be looked at again. It returns the entry, and flags for the list.
func (r *reader) entry(id value.ID) (value.ID, value.Flags) {
	n := r.s.Node(id)
	if n.Kind != value.Map {
		return id, 0
	}
	keys := r.s.Keys(n)
	if len(keys) == 1 && keys[0] == r.insert {
		return id, value.Inserts | value.Dynamic
	}
	for _, k := range keys {
		if name := r.s.Name(k); len(name) > len(keyPrefix) && strings.HasPrefix(name, keyPrefix) {
			return r.s.With(id, value.Dynamic), value.Dynamic
		}
	}
	return id, 0
}

// mapping converts a mapping that begins at off.
func (r *reader) mapping(n *yaml.Node, off, depth int) (value.ID, error) {
	at := r.collection(n, off)
	var table value.KeyTable
	kb, vb := len(r.keys), len(r.ids)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, sp, err := r.key(n.Content[i])
		if err != nil {
			return 0, err
		}
		id, end, err := r.node(n.Content[i+1], depth+1)
		if err != nil {
			return 0, err
		}
		at.End = max(end, sp.End)
		if key == r.insert {
			at.Flags |= value.Inserts | value.Dynamic
		}
		if j := table.Find(r.keys[kb:], key); j >= 0 {
			r.duplicate(key, sp, r.keyAt[kb+j])
			r.ids[vb+j], r.keyAt[kb+j] = id, sp
			continue
		}
		r.keys, r.keyAt, r.ids = append(r.keys, key), append(r.keyAt, sp), append(r.ids, id)
	}
	id := r.s.MapNode(at, r.keys[kb:], r.ids[vb:])
	r.keys, r.keyAt, r.ids = r.keys[:kb], r.keyAt[:kb], r.ids[:vb]
	return id, nil
}

// collection returns the place of a list or map that begins at off, as if it
// had no children; they move its end.
func (r *reader) collection(n *yaml.Node, off int) value.Node {
	text := r.src.Text
	off = skipProps(text, off)
	end := off
	if n.Style&yaml.FlowStyle != 0 && off < len(text) {
		end = min(skipBlanks(text, off+1)+1, len(text))
	}
	return value.Node{File: r.file, Start: uint32(off), End: uint32(end)}
}

func (r *reader) duplicate(key value.Sym, later, earlier diag.Span) {
	d := diag.Warnf(later, "duplicate key %q, the last one wins", r.s.Name(key))
	r.result.Warnings = append(r.result.Warnings, d.WithNote(earlier, "earlier value here"))
}

// key interns a key, which must be a string.
func (r *reader) key(n *yaml.Node) (value.Sym, diag.Span, error) {
	off := r.cursor.seek(n.Line, n.Column)
	sp := r.span(off, off+1)
	switch n.Kind {
	case yaml.AliasNode:
		sp = r.aliasSpan(n, off)
		n = n.Alias
	case yaml.ScalarNode:
		start, end, _ := scalarAt(r.src.Text, off, n)
		sp = r.span(start, end)
		if n.Anchor != "" {
			r.anchored[n] = subtree{r.scalar(n, off), 1}
		}
	}
	switch n.Kind {
	case yaml.SequenceNode:
		return 0, sp, diag.Errorf(sp, "map key must be a string, not a list")
	case yaml.MappingNode:
		return 0, sp, diag.Errorf(sp, "map key must be a string, not a map")
	}
	if plain(n) && n.Tag != binaryTag {
		if v := resolve(n.Value); v.kind != value.String {
			return 0, sp, diag.Errorf(sp, "map key must be a string: %s (quote it: %q)", v, n.Value)
		}
	}
	return r.s.Intern(n.Value), sp, nil
}
