// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// A library reads a text by way of the trees of the YAML library.
type library struct {
	builder
	cursor   cursor
	stuck    int // where the direct reader gave up
	anchored map[*yaml.Node]subtree
}

// readLibrary reads all documents of src with the YAML library. It is slow, but
// takes all of YAML, and knows what is wrong with a text that is none. Where is
// known better by the direct reader, which gave up at stuck.
func readLibrary(s *value.Store, src *diag.Source, file value.File, stuck int, limits Limits) (Result, error) {
	b, err := inspect(src)
	if err != nil {
		return Result{}, err
	}
	r := &library{
		builder:  newBuilder(s, src, file, limits),
		cursor:   newCursor(src.Text, b),
		stuck:    stuck,
		anchored: map[*yaml.Node]subtree{},
	}
	if err := r.documents(); err != nil {
		return Result{}, err
	}
	return r.finish()
}

// documents converts one document after the other.
func (r *library) documents() error {
	in := &trickle{text: r.src.Text, slow: len(r.src.Text)}
	dec := yaml.NewDecoder(in)
	for {
		var n yaml.Node
		err := decode(dec, &n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return readError(r.src, err, in.off, r.stuck)
		}
		id, _, err := r.node(n.Content[0], 0)
		if err != nil {
			return err
		}
		r.result.Docs = append(r.result.Docs, id)
		r.result.Empty = blank(n.Content[0])
	}
	return nil
}

// blank reports whether nothing was written for a node.
func blank(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Anchor == ""
}

var errLibrary = errors.New("the YAML reader failed")

// decode reads the next document. The library panics on some odd arrangements
// of comments; such a text is refused like any other it cannot read.
func decode(dec *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() {
		if recover() != nil {
			err = errLibrary
		}
	}()
	return dec.Decode(n)
}

// node converts n and what is below it. end is the offset where it ends in the
// text, which for an alias is not where its node ends.
func (r *library) node(n *yaml.Node, depth int) (id value.ID, end uint32, err error) {
	off := r.cursor.seek(n.Line, n.Column)
	if depth > r.limits.Depth {
		return 0, 0, diag.Errorf(r.span(off, off+1), "document nests deeper than %d levels", r.limits.Depth)
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
func (r *library) alias(n *yaml.Node, off int) (value.ID, uint32, error) {
	sp := r.aliasSpan(n, off)
	t, ok := r.anchored[n.Alias]
	if !ok {
		return 0, 0, diag.Errorf(sp, "anchor %q contains itself", n.Value)
	}
	r.builder.alias(t, sp)
	return t.id, sp.End, nil
}

func (r *library) aliasSpan(n *yaml.Node, off int) diag.Span {
	return r.span(off, off+len("*")+len(n.Value))
}

// scalar converts a scalar that begins at off.
func (r *library) scalar(n *yaml.Node, off int) value.ID {
	start, end, exact := scalarAt(r.src.Text, off, n)
	v := text(n.Value)
	switch {
	case n.Tag == binaryTag:
		v.flags = value.Binary
	case plain(n):
		v = resolve(n.Value)
	}
	return r.builder.scalar(v, start, end, exact && v.text == n.Value)
}

// list converts a sequence that begins at off.
func (r *library) list(n *yaml.Node, off, depth int) (value.ID, error) {
	at := r.collection(n, off)
	base := len(r.ids)
	for _, c := range n.Content {
		id, end, err := r.node(c, depth+1)
		if err != nil {
			return 0, err
		}
		at.End = end
		r.ids = append(r.ids, id)
	}
	return r.builder.list(at, base), nil
}

// mapping converts a mapping that begins at off.
func (r *library) mapping(n *yaml.Node, off, depth int) (value.ID, error) {
	at := r.collection(n, off)
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
		r.push(key, extent{sp.Start, sp.End}, id)
	}
	return r.builder.mapping(at, kb, vb), nil
}

// collection returns the place of a list or map that begins at off, as if it
// had no children; they move its end.
func (r *library) collection(n *yaml.Node, off int) value.Node {
	text := r.src.Text
	off = skipProps(text, off)
	end := off
	if n.Style&yaml.FlowStyle != 0 && off < len(text) {
		end = min(skipBlanks(text, off+1)+1, len(text))
	}
	return value.Node{File: r.file, Start: uint32(off), End: uint32(end)}
}

// key interns a key, which must be a string.
func (r *library) key(n *yaml.Node) (value.Sym, diag.Span, error) {
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
		d := diag.Errorf(sp, "map key must be a string, not a map")
		d.Fix = "put the text in quotes if the brackets belong to it"
		return 0, sp, d
	}
	if plain(n) && n.Tag != binaryTag {
		if v := resolve(n.Value); v.kind != value.String {
			d := diag.Errorf(sp, "map key must be a string: %s", v)
			d.Fix = fmt.Sprintf("quote it: %q", n.Value)
			return 0, sp, d
		}
	}
	return r.intern(n.Value), sp, nil
}
