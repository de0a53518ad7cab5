// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"github.com/dynaml/spiff/value"
)

// partial returns a document in which unresolved nodes are the text of their
// expressions (semantics 6, --partial). An open << keeps the map or list as it
// was written.
func (l *level) partial(r ref) value.ID {
	if !isCell(r) {
		return r
	}
	c := l.cell(cellOf(r))
	if l.extraOf(c).copyOf != 0 {
		return l.partial(cellRef(l.extraOf(c).copyOf))
	}
	n := l.s.Node(l.written(c))
	at := value.Node{File: n.File, Start: n.Start, End: n.End}
	switch c.state {
	case sDone:
		return c.out
	case sUndefined:
		return 0
	case sShaped, sBroken:
		if c.state == sShaped && l.written(c) != c.node {
			break // its entries may contain it
		}
		var keys []value.Sym
		var vals []value.ID
		for i, child := range l.shape(c).refs {
			id := l.partial(child)
			if id == 0 {
				continue
			}
			if l.shape(c).keys != nil {
				keys = append(keys, l.shape(c).keys[i])
			}
			vals = append(vals, id)
		}
		if l.isMap(c) {
			return l.s.MapNode(at, keys, vals)
		}
		return l.s.ListNode(at, vals, 0)
	}
	if n.Kind == value.Map || n.Kind == value.List {
		return c.node
	}
	at.Kind = value.String
	text := l.exprText(l.written(c))
	at.Len, at.Pay = uint32(len(text)), l.s.PutText(text)
	return l.s.New(at)
}

// plain returns a tree in which expressions are strings, as what is left of a
// stub that could not be resolved.
func (n *Session) plain(id value.ID) value.ID {
	if id == 0 {
		return 0
	}
	node := *n.s.Node(id)
	if node.Flags&value.Dynamic == 0 {
		return id
	}
	at := value.Node{Flags: node.Flags &^ value.Dynamic, File: node.File, Start: node.Start, End: node.End}
	switch node.Kind {
	case value.Expr:
		node.Kind, node.Flags = value.String, at.Flags
		return n.s.New(node)
	case value.Map:
		vals := make([]value.ID, node.Len)
		for i, v := range n.s.Vals(&node) {
			vals[i] = n.plain(v)
		}
		return n.s.MapNode(at, n.s.Keys(&node), vals)
	case value.List:
		vals := make([]value.ID, node.Len)
		for i, v := range n.s.Elems(&node) {
			vals[i] = n.plain(v)
		}
		return n.s.ListNode(at, vals, n.s.KeyField(&node))
	}
	return id
}
