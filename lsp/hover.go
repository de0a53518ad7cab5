// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/explain"
)

// hoverAt says what the key or the name at the position has for a value and
// where it comes from, or what the function there does.
func hoverAt(_ context.Context, v *view, p *positionParams) (any, error) {
	for _, c := range v.cursors(p) {
		text := c.hover()
		if err := c.set.run.newest(); err != nil {
			return nil, err
		}
		if text != "" {
			r := c.rangeOf(c.t.doc, c.at.Start, c.at.End)
			return hover{markdown(text), &r}, nil
		}
	}
	return nil, nil // null, which is no hover
}

func (c *cursor) hover() string {
	n := c.nameAt()
	switch {
	case c.node < 0:
		return ""
	case n != nil && n.kind == nameFunction:
		return functionHelp(n.text)
	case n != nil && n.kind == nameLocal:
		sp, _ := c.t.exprSpan(c.node, n.from)
		return "parameter or binding of " + code(c.t.Source.Text[sp.Start:sp.End])
	case n != nil && n.kind == nameMerge:
		return c.explained(c.x.of[c.doc][c.node])
	}
	q := c.place()
	if q < 0 {
		return code(n.text) + " is not known here"
	}
	return c.explained(q)
}

// explained describes the value of a place in the result.
func (c *cursor) explained(p int) string {
	path := c.x.path(p)
	i := c.set.run.inspection()
	if i == nil {
		return c.written(p, path)
	}
	i.mu.Lock()
	e, err := i.Explain(path, 0)
	i.mu.Unlock()
	if err != nil {
		return c.written(p, path)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**", escape(title(path)))
	switch {
	case e.State == explain.Done && e.Value != nil:
		fmt.Fprintf(&b, ": %s", code(e.Value.Brief()))
	default:
		fmt.Fprintf(&b, ": %s", e.State)
	}
	if e.Error != "" {
		fmt.Fprintf(&b, "\n\n%s", escape(e.Error))
	}
	if e.Why != "" {
		fmt.Fprintf(&b, "\n\n%s", escape(e.Why))
	}
	b.WriteString("\n")
	for i := range e.Chain {
		c.link(&b, &e.Chain[i])
	}
	return b.String()
}

// link writes a document of the cascade.
func (c *cursor) link(b *strings.Builder, l *explain.Link) {
	if l.At == nil && !l.Decides {
		return
	}
	at := escape(l.File)
	if l.At != nil {
		at = fmt.Sprintf("[%s](%s#L%d)", escape(l.At.String()), c.v.uriOfName(l.At.File), l.At.Line)
	}
	fmt.Fprintf(b, "\n- %s %s", l.Role, at)
	switch {
	case l.Written != "":
		fmt.Fprintf(b, ": %s", code(explain.Clip(l.Written)))
	case l.Value != nil:
		fmt.Fprintf(b, ": %s", code(l.Value.Brief()))
	}
	if l.Decides {
		b.WriteString(" — decides")
	}
}

// written describes a place that no merge has: what each document has there.
func (c *cursor) written(p int, path string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**: not in the result\n", escape(title(path)))
	for _, l := range c.x.places[p].at {
		t := c.x.trees[l.doc]
		n := &t.Nodes[l.node]
		line, _ := t.Source.LineCol(n.Start)
		fmt.Fprintf(&b, "\n- [%s:%d](%s#L%d)", escape(t.Source.Name), line, t.doc.uri, line)
		if n.Text != "" {
			fmt.Fprintf(&b, ": %s", code(explain.Clip(n.Text)))
		}
	}
	return b.String()
}

func title(path string) string {
	if path == "" {
		return "(the whole document)"
	}
	return path
}

// functionHelp describes a function, or is empty if there is none of the name.
func functionHelp(name string) string {
	i := builtin.Lookup(name)
	if i < 0 {
		return ""
	}
	row := &builtin.Table[i]
	return fmt.Sprintf("```\n%s\n```\n\n%s", signatureOf(row).Label, escape(row.Doc))
}

// signatureOf returns the signature of a function as the reference prints it.
func signatureOf(row *builtin.Row) signature {
	s := signature{Parameters: []parameter{}}
	var b strings.Builder
	b.WriteString(row.Name + "(")
	optional := 0
	for i, arg := range row.Args {
		if i >= row.Min {
			b.WriteString("[")
			optional++
		}
		if i > 0 {
			b.WriteString(", ")
		}
		start := b.Len()
		b.WriteString(arg)
		s.Parameters = append(s.Parameters, parameter{[2]int{start, b.Len()}}) // all is ASCII
	}
	if row.Max < 0 {
		b.WriteString(", ...")
	}
	b.WriteString(strings.Repeat("]", optional) + ") -> " + row.Result)
	s.Label = b.String()
	doc := markdown(escape(row.Doc))
	s.Documentation = &doc
	return s
}

// code returns a text as Markdown shows code.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// escape returns a text as Markdown shows it unchanged.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "<", `\<`, "#", `\#`, "|", `\|`).Replace(text)
}
