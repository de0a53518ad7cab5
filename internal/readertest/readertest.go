// SPDX-License-Identifier: Apache-2.0

// Package readertest compares the two ways in which package doc reads a text.
package readertest

import (
	"fmt"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// Compare reads text directly and with the YAML library, and says how the
// results differ; nothing if they do not. direct reports whether the text was
// read without the library; if not, there is nothing to compare.
func Compare(text string) (direct bool, difference string) {
	src := diag.NewSource("in.yml", text)
	s := value.NewStore()
	got, err := doc.Read(s, src)
	if err != nil || got.Library {
		return false, ""
	}
	s2 := value.NewStore()
	want, err := doc.ReadLibrary(s2, src)
	if err != nil {
		return true, fmt.Sprintf("the library fails: %v", err)
	}
	if len(got.Docs) != len(want.Docs) || got.Empty != want.Empty {
		return true, fmt.Sprintf("%d documents (empty: %t), want %d (empty: %t)", len(got.Docs), got.Empty, len(want.Docs), want.Empty)
	}
	if g, w := fmt.Sprint(got.Warnings), fmt.Sprint(want.Warnings); g != w {
		return true, fmt.Sprintf("warnings %s, want %s", g, w)
	}
	c := comparison{s: s, s2: s2, seen: map[[2]value.ID]bool{}}
	for i := range got.Docs {
		if d := c.nodes(got.Docs[i], want.Docs[i]); d != "" {
			return true, d
		}
	}
	return true, ""
}

type comparison struct {
	s, s2 *value.Store
	seen  map[[2]value.ID]bool // shared nodes are compared once
}

// nodes compares two trees.
func (c *comparison) nodes(a, b value.ID) string {
	if c.seen[[2]value.ID{a, b}] {
		return ""
	}
	c.seen[[2]value.ID{a, b}] = true
	n, m := c.s.Node(a), c.s2.Node(b)
	v, w := c.s.Load(a), c.s2.Load(b)
	if n.Kind != m.Kind || n.Flags != m.Flags || v.Num != w.Num || v.Str != w.Str {
		return fmt.Sprintf("%s: %s %q %d, flags %b; want %s %q %d, flags %b", c.s.Span(a), n.Kind, v.Str, v.Num, n.Flags, m.Kind, w.Str, w.Num, m.Flags)
	}
	if n.Start != m.Start || n.End != m.End {
		return fmt.Sprintf("%s: %s %q is at %d to %d, want %d to %d", c.s.Span(a), n.Kind, v.Str, n.Start, n.End, m.Start, m.End)
	}
	switch n.Kind {
	case value.List:
		return c.children(c.s.Elems(n), c.s2.Elems(m))
	case value.Map:
		keys, want := c.s.Keys(n), c.s2.Keys(m)
		for i := range min(len(keys), len(want)) {
			if g, w := c.s.Name(keys[i]), c.s2.Name(want[i]); g != w {
				return fmt.Sprintf("%s: key %q, want %q", c.s.Span(a), g, w)
			}
		}
		return c.children(c.s.Vals(n), c.s2.Vals(m))
	}
	return ""
}

func (c *comparison) children(a, b []value.ID) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d children, want %d", len(a), len(b))
	}
	for i := range a {
		if d := c.nodes(a[i], b[i]); d != "" {
			return d
		}
	}
	return ""
}
