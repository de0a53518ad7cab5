// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"strings"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/parser"
)

// A textLine is a line of an expression. depth says how many steps it is
// indented more than the first one.
type textLine struct {
	text  string
	depth int
}

// expression returns an expression, with its brackets, in canonical form. Line
// breaks stay between the operands where they were. The result is nil if the
// text cannot be parsed, as it may be of another dialect, or if a line break is
// part of a string.
func expression(text string) []textLine {
	inner := text[2 : len(text)-2]
	e, err := parser.Parse(inner)
	if err != nil {
		return nil
	}
	canonical := ast.Print(e)
	if strings.Contains(canonical, "\n") {
		return nil
	}
	if !strings.Contains(inner, "\n") {
		return []textLine{{text: "(( " + canonical + " ))"}}
	}
	again, err := parser.Parse(canonical)
	if err != nil {
		return nil
	}
	broken := insertBreaks(canonical, newPlaces(e, again).breaks(inner))
	if e, err = parser.Parse(broken); err != nil || ast.Print(e) != canonical {
		return nil
	}
	return nest("((" + broken + "))")
}

// places relates the places of two spellings of an expression.
type places struct{ starts, ends map[int]int }

// newPlaces compares two equal trees: what begins or ends in the one is known
// to do so in the other.
func newPlaces(from, to ast.Expr) places {
	a, b := spans(from), spans(to)
	p := places{map[int]int{}, map[int]int{}}
	if len(a) != len(b) {
		return p
	}
	for i := range a {
		if _, ok := p.starts[int(a[i].Start)]; !ok { // the outermost comes first
			p.starts[int(a[i].Start)] = int(b[i].Start)
		}
		p.ends[int(a[i].End)] = max(p.ends[int(a[i].End)], int(b[i].End))
	}
	return p
}

func spans(e ast.Expr) (all []ast.Pos) {
	ast.Walk(e, func(x ast.Expr) bool {
		all = append(all, x.Span())
		return true
	})
	return all
}

// breaks returns the offsets in the canonical text at which the lines of text
// ended: before or behind an operand. Others are given up.
func (p places) breaks(text string) (at []int) {
	for i := 0; i < len(text); i++ {
		if text[i] == '"' {
			i = stringEnd(text, i)
			continue
		}
		if text[i] != '\n' {
			continue
		}
		before, after := i, i
		for before > 0 && strings.IndexByte(" \t\n", text[before-1]) >= 0 {
			before--
		}
		for after < len(text) && strings.IndexByte(" \t\n", text[after]) >= 0 {
			after++
		}
		i = after - 1
		if k, ok := p.starts[after]; ok {
			at = append(at, k)
		} else if k, ok := p.ends[before]; ok {
			at = append(at, k)
		} else if before == 0 {
			at = append(at, 0)
		}
	}
	slices.Sort(at)
	return at
}

// stringEnd returns the offset of the mark that closes the string opened at i.
func stringEnd(text string, i int) int {
	for i++; i < len(text) && (text[i] != '"' || text[i-1] == '\\'); i++ {
	}
	return i
}

// insertBreaks breaks the lines of a text at the given offsets, instead of the
// blanks there. Elsewhere the text keeps its blanks, one at each end.
func insertBreaks(text string, at []int) string {
	var b strings.Builder
	from := 0
	b.WriteByte(' ')
	for _, k := range slices.Compact(at) {
		if k <= from && k > 0 {
			continue // there is a break already
		}
		line := strings.TrimRight(text[from:k], " ")
		if k == 0 {
			b.Reset()
		}
		b.WriteString(line)
		b.WriteByte('\n')
		for from = k; from < len(text) && text[from] == ' '; from++ {
		}
	}
	if from < len(text) {
		b.WriteString(text[from:])
		b.WriteByte(' ')
	}
	return b.String()
}

// nest parts a text into lines, which are indented by the brackets around them.
// The outer brackets of the expression count as one.
func nest(text string) []textLine {
	var lines []textLine
	depth := -1
	for line := range strings.SplitSeq(text, "\n") {
		at := depth
		if line != "" && strings.IndexByte(")]}", line[0]) >= 0 {
			at--
		}
		lines = append(lines, textLine{line, min(max(at, 0), maxDepth)})
		for i := 0; i < len(line); i++ {
			switch line[i] {
			case '"':
				i = stringEnd(line, i)
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
		}
	}
	return lines
}
