// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"math"
	"slices"
	"strconv"

	"github.com/dynaml/spiff/value"
)

// Final returns nodes that hold what Append prints of the given ones, with
// their places: without temporary and undefined children, escapes taken off,
// lambdas as texts, templates as what they stand for, and floats that print like
// integers as those. A root that is not
// printed is 0. Subtrees in which nothing changes are not copied. Of the
// options MaxBytes and Expr are not looked at.
func Final(s *value.Store, roots []value.ID, o WriteOptions) []value.ID {
	f := finisher{s: s, o: o, size: s.Len() + 1}
	var ids []value.ID
	for _, id := range roots {
		if id != 0 && f.keeps(id) {
			id = f.node(id)
		} else {
			id = 0
		}
		ids = append(ids, id)
	}
	return ids
}

type finisher struct {
	s        *value.Store
	o        WriteOptions
	size     int  // above all nodes there were
	verbatim bool // in a template, where other rules hold

	// What became of each node, 0 if not known yet: outside and in templates.
	done, doneVerbatim []value.ID
}

// keeps is the opposite of writer.drops.
func (f *finisher) keeps(id value.ID) bool {
	n := f.s.Node(id)
	return n.Kind > value.Undefined && (n.Flags&value.Temporary == 0 || f.verbatim || f.o.KeepTemporary)
}

func (f *finisher) node(id value.ID) value.ID {
	done := &f.done
	if f.verbatim {
		done = &f.doneVerbatim
	}
	if *done == nil {
		*done = make([]value.ID, f.size)
	}
	if (*done)[id] == 0 {
		(*done)[id] = f.make(id)
	}
	return (*done)[id]
}

func (f *finisher) make(id value.ID) value.ID {
	n := *f.s.Node(id)
	place := value.Node{File: n.File, Start: n.Start, End: n.End}
	switch n.Kind {
	case value.List:
		elems := f.children(f.s.Elems(&n), nil)
		if slices.Equal(elems, f.s.Elems(&n)) {
			return id
		}
		return f.s.ListNode(n, elems, f.s.KeyField(&n))
	case value.Map:
		var keys []value.Sym
		vals := f.children(f.s.Vals(&n), func(i int) { keys = append(keys, f.s.Keys(&n)[i]) })
		if slices.Equal(vals, f.s.Vals(&n)) {
			return id
		}
		return f.s.MapNode(n, keys, vals)
	case value.Lambda:
		text := f.s.Object(id).(value.Texter).Text()
		if f.o.LambdaBrackets {
			text = "(( " + text + " ))"
		}
		return f.s.Put(value.OfString(text), place)
	case value.Template:
		outer := f.verbatim
		f.verbatim = true
		id = f.node(f.s.Object(id).(Sourcer).Source())
		f.verbatim = outer
		return id
	case value.Float: // 2.0 prints as 2
		text := value.FormatFloat(math.Float64frombits(n.Pay))
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return f.s.Put(value.OfInt(i), place)
		}
	case value.String:
		if t := f.s.Text(&n); f.o.Unescape && !f.verbatim && n.Flags&(value.Verbatim|value.Binary) == 0 && value.Escaped(t) {
			return f.s.Put(value.OfString(withoutMark(t)), place)
		}
	}
	return id
}

// children returns those children that are kept and calls kept, unless it is
// nil, for their positions.
func (f *finisher) children(ids []value.ID, kept func(i int)) []value.ID {
	list := make([]value.ID, 0, len(ids))
	for i, id := range ids {
		if !f.keeps(id) {
			continue
		}
		list = append(list, f.node(id))
		if kept != nil {
			kept(i)
		}
	}
	return list
}

// withoutMark takes one "!" from an escaped expression.
func withoutMark(t string) string { return "((" + t[len("((!"):] }
