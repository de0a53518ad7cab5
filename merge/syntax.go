// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// Syntax returns an error for every expression below root that does not parse
// or compile. It is for documents that are not evaluated, because a stub that
// they depend on has failed.
func (n *Session) Syntax(root value.ID) diag.List {
	g := &diagnoser{l: &level{Session: n, s: n.s}}
	var list diag.List
	n.eachExpr(root, map[value.ID]bool{}, func(id value.ID) {
		text := exprText(n.s.Text(n.s.Node(id)))
		c := n.program(text)
		if c.err == nil {
			return
		}
		f := &failing{diagnoser: g, err: c.err, text: text, at: n.s.Span(id), d: &diag.Diagnostic{}}
		f.d.Span = f.place(c.err)
		f.explain(true)
		list = append(list, f.d)
	})
	return list
}

// eachExpr calls f for the expressions below id. seen are the lists and maps
// that were looked at: aliases lead to them again.
func (n *Session) eachExpr(id value.ID, seen map[value.ID]bool, f func(value.ID)) {
	if id == 0 || n.s.Node(id).Flags&value.Dynamic == 0 || seen[id] {
		return
	}
	node := n.s.Node(id)
	switch node.Kind {
	case value.Expr:
		f(id)
		return
	case value.Map:
		seen[id] = true
		for _, v := range n.s.Vals(node) {
			n.eachExpr(v, seen, f)
		}
	case value.List:
		seen[id] = true
		for _, v := range n.s.Elems(node) {
			n.eachExpr(v, seen, f)
		}
	}
}
