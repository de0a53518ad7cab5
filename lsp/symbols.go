// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"strings"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/value"
)

// symbols returns the nodes of a document as a tree.
func symbols(_ context.Context, v *view, p *documentParams) (any, error) {
	list := []documentSymbol{}
	d := v.open[fileOf(p.TextDocument.URI)]
	if d == nil {
		return list, nil
	}
	t := d.known()
	if t == nil {
		return list, nil
	}
	for i := 0; i < len(t.Nodes); i = t.Nodes[i].Next { // the documents of the file
		list = append(list, t.symbolsIn(v.srv.encoding(), i)...)
	}
	return list, nil
}

func (t *tree) symbolsIn(e encoding, i int) (list []documentSymbol) {
	for c := range t.Children(i) {
		list = append(list, t.symbol(e, c))
	}
	return list
}

func (t *tree) symbol(e encoding, i int) documentSymbol {
	n := &t.Nodes[i]
	lines := t.doc.lines()
	s := documentSymbol{Name: n.Key, Kind: symbolKind(n.Kind)}
	start, end := n.Start, n.End
	selected := lines.span(e, int(start), int(end))
	switch {
	case n.Index < 0:
		start = min(n.KeyStart, n.Start)
		if n.Alias {
			start, end = n.KeyStart, n.KeyEnd
		}
		selected = lines.span(e, int(n.KeyStart), int(n.KeyEnd))
	default:
		s.Name = t.component(i)
	}
	if s.Name == "" {
		s.Name = `""` // a name must not be empty
	}
	if n.Kind != value.List && n.Kind != value.Map {
		s.Detail = detail(n.Kind, t.scalar(i))
	}
	s.Range, s.SelectionRange = lines.span(e, int(start), int(max(start, end))), selected
	if n.Index >= 0 && n.Kind != value.Expr {
		s.SelectionRange.End = s.SelectionRange.Start // not all lines of an entry
	}
	if !n.Alias {
		s.Children = t.symbolsIn(e, i)
	}
	return s
}

// scalar returns the text of a scalar as it is written.
func (t *tree) scalar(i int) string {
	n := &t.Nodes[i]
	if n.Text != "" || n.Alias {
		return n.Text
	}
	return t.Source.Text[n.Start:n.End]
}

func symbolKind(k value.Kind) int {
	switch k {
	case value.Map:
		return symbolObject
	case value.List:
		return symbolArray
	case value.String:
		return symbolString
	case value.Int, value.Float, value.Big:
		return symbolNumber
	case value.Bool:
		return symbolBoolean
	case value.Null:
		return symbolNull
	}
	return symbolVariable
}

// formatting lays out a document as spiff fmt does. What cannot be laid out
// safely stays as it is.
func formatting(_ context.Context, v *view, p *documentParams) (any, error) {
	edits := []textEdit{}
	d := v.open[fileOf(p.TextDocument.URI)]
	if d == nil {
		return edits, nil
	}
	r, err := spiff.Format(d.name, []byte(d.text))
	if err != nil {
		return nil, failf("the text cannot be formatted: %s", err)
	}
	if r.Left != nil {
		return nil, failf("%s", r.Left.Error())
	}
	if r.Text == d.text {
		return edits, nil
	}
	start, end, text := differing(d.text, r.Text)
	return append(edits, textEdit{d.lines().span(v.srv.encoding(), start, end), text}), nil
}

// differing returns the lines of a text that must be replaced to make another
// one of it, and what replaces them.
func differing(a, b string) (start, end int, text string) {
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	start = strings.LastIndexByte(a[:start], '\n') + 1
	tail := 0
	for tail < len(a)-start && tail < len(b)-start && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	if n := strings.IndexByte(a[len(a)-tail:], '\n'); n >= 0 {
		tail -= n + 1
	} else {
		tail = 0
	}
	return start, len(a) - tail, b[start : len(b)-tail]
}
