// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"iter"
	"unsafe"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// An Outline is what is written in a document, for tools that show and change
// its text. It is immutable.
type Outline struct {
	Source *diag.Source
	// Nodes are in the order of the text, each before what is in it.
	Nodes []OutlineNode
}

// An OutlineNode is a node of an Outline.
type OutlineNode struct {
	Parent int // index of the list or map around it, -1 for the root of a document
	Next   int // index behind the last node in it: of the next sibling, if it has one
	Kind   value.Kind

	Key              string // in a map
	KeyStart, KeyEnd uint32 // bytes of the source in which the key is written, without quotes
	Index            int    // in a list, else -1

	Start, End uint32 // bytes of the source; what is in quotes stands without them if nothing is escaped
	Text       string // of a string or expression
	// Alias says that the node is written elsewhere, where its place is, and
	// listed there with what is in it.
	Alias bool
}

// LoadOutline is LoadWithin with an outline of the same text.
func LoadOutline(name string, text []byte, l Limits) (*Document, *Outline, error) {
	d := &Document{src: diag.NewSource(name, unsafe.String(unsafe.SliceData(text), len(text))), s: value.NewStore()}
	r, err := doc.ReadKeys(d.s, d.src, l.doc())
	if err != nil {
		return nil, nil, coded(err)
	}
	d.take(r)
	o := outliner{s: d.s, r: r, o: &Outline{Source: d.src}, seen: map[value.ID]bool{}}
	for _, root := range d.docs {
		o.add(root, OutlineNode{Parent: -1, Index: -1})
	}
	return d, o.o, nil
}

type outliner struct {
	s    *value.Store
	r    doc.Result
	o    *Outline
	seen map[value.ID]bool // lists and maps
}

// add adds a node, of which at has what its parent knows, and what is in it.
func (o *outliner) add(id value.ID, at OutlineNode) {
	n := o.s.Node(id)
	at.Kind, at.Start, at.End = n.Kind, n.Start, n.End
	if n.Kind == value.String || n.Kind == value.Expr {
		at.Text = o.s.Text(n)
	}
	at.Alias = at.Start < at.KeyStart || o.seen[id]
	self := len(o.o.Nodes)
	o.o.Nodes = append(o.o.Nodes, at)
	if !o.seen[id] && (n.Kind == value.List || n.Kind == value.Map) {
		o.seen[id] = true
		o.children(n, self)
	}
	o.o.Nodes[self].Next = len(o.o.Nodes)
}

func (o *outliner) children(n *value.Node, self int) {
	if n.Kind == value.List {
		for i, e := range o.s.Elems(n) {
			o.add(e, OutlineNode{Parent: self, Index: i})
		}
		return
	}
	for i, k := range o.s.Keys(n) {
		start, end, _ := o.r.Key(n, i)
		o.add(o.s.Vals(n)[i], OutlineNode{Parent: self, Index: -1, Key: o.s.Name(k), KeyStart: start, KeyEnd: end})
	}
}

// Children calls yield for the index of each node directly in node i.
func (o *Outline) Children(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for c := i + 1; c < o.Nodes[i].Next; c = o.Nodes[c].Next {
			if !yield(c) {
				return
			}
		}
	}
}
