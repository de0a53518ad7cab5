// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dynaml/spiff/value"
)

// markdown appends a heading and a list: a difference of two scalars on one
// line, others as a block that is shown in the colours of a diff.
func (p *printer) markdown(dst []byte, r *Result) ([]byte, error) {
	count := "No differences"
	switch n := r.Count(); {
	case n == 1:
		count = "1 difference"
	case n > 1:
		count = fmt.Sprintf("%d differences", n)
	}
	dst = fmt.Appendf(dst, "### %s between %s and %s\n", count, span(p.o.A), span(p.o.B))
	if r.A != r.B {
		dst = fmt.Appendf(dst, "\nDifferent number of documents: %d and %d.\n", r.A, r.B)
	}
	for i, found := range r.Docs {
		if len(found) == 0 {
			continue
		}
		if len(r.Docs) > 1 {
			dst = fmt.Appendf(dst, "\n#### Document %d\n", i+1)
		}
		dst = append(dst, '\n')
		for _, d := range found {
			var err error
			if dst, err = p.item(dst, d); err != nil {
				return nil, err
			}
			if err := p.check(dst); err != nil {
				return nil, err
			}
		}
	}
	return dst, nil
}

// item appends an entry of the list.
func (p *printer) item(dst []byte, d Difference) ([]byte, error) {
	subject := "the whole document"
	if d.at.up != nil {
		subject = span(d.Path)
	}
	dst = append(append(dst, "- "...), subject...)
	a, err := p.yamlOf(d.A)
	if err != nil {
		return nil, err
	}
	b, err := p.yamlOf(d.B)
	if err != nil {
		return nil, err
	}
	lineA, oneA := oneLine(a)
	lineB, oneB := oneLine(b)
	short := oneA && oneB
	switch {
	case d.A == 0:
		dst = append(dst, " added"...)
		if short {
			dst = append(append(dst, ": "...), span(string(lineB))...)
		}
	case d.B == 0:
		dst = append(dst, " removed"...)
		if short {
			dst = append(append(dst, ": "...), span(string(lineA))...)
		}
	case short:
		dst = fmt.Appendf(dst, ": %s → %s", span(string(lineA)), span(string(lineB)))
	default:
		dst = append(dst, " changed"...)
	}
	if p.o.Positions {
		dst = p.positions(dst, d)
	}
	dst = append(dst, '\n')
	if short {
		return dst, nil
	}
	fence := strings.Repeat("`", max(3, longestRun(a)+1, longestRun(b)+1))
	dst = fmt.Appendf(dst, "  %sdiff\n", fence)
	dst = prefixed(dst, a, "  -")
	dst = prefixed(dst, b, "  +")
	return fmt.Appendf(dst, "  %s\n", fence), nil
}

// yamlOf returns the text of a node in memory of its own, nothing for 0.
func (p *printer) yamlOf(id value.ID) ([]byte, error) {
	if id == 0 {
		return nil, nil
	}
	text, err := p.yaml(id)
	return bytes.Clone(text), err
}

// positions appends where the sides are, or would be.
func (p *printer) positions(dst []byte, d Difference) []byte {
	var at []string
	for _, ids := range [][2]value.ID{{d.A, d.InA}, {d.B, d.InB}} {
		id := ids[0]
		if id == 0 {
			id = ids[1]
		}
		if s := p.position(id); s != "" {
			at = append(at, span(s))
		}
	}
	if len(at) == 0 {
		return dst
	}
	return fmt.Appendf(dst, " (%s)", strings.Join(at, ", "))
}

// prefixed appends lines behind a prefix, the empty ones too.
func prefixed(dst, lines []byte, prefix string) []byte {
	for line := range bytes.Lines(lines) {
		dst = append(append(dst, prefix...), line...)
	}
	return dst
}

// span returns a text as a code span, in which nothing needs to be escaped but
// the backticks around it (CommonMark 6.1).
func span(text string) string {
	if text == "" {
		return "` `"
	}
	text = strings.NewReplacer("\r\n", "␤", "\n", "␤", "\r", "␤").Replace(text)
	fence := strings.Repeat("`", longestRun([]byte(text))+1)
	if edge := text[0] == '`' || text[len(text)-1] == '`' ||
		text[0] == ' ' && text[len(text)-1] == ' '; edge {
		text = " " + text + " "
	}
	return fence + text + fence
}

// longestRun returns how many backticks at most stand side by side.
func longestRun(text []byte) int {
	longest, run := 0, 0
	for _, b := range text {
		if run++; b != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
