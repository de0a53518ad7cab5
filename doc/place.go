// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

const bom = "\ufeff"

// A cursor turns the lines and columns of a document, asked for in reading
// order, into offsets. It only moves forward, so that all of them together
// cost one pass over the text, however long its lines are.
type cursor struct {
	breaks
	text      string
	off       int
	line, col int
}

func newCursor(text string, b breaks) cursor {
	c := cursor{breaks: b, text: text, line: 1, col: 1}
	if strings.HasPrefix(text, bom) {
		c.off = len(bom) // is in no column
	}
	return c
}

// seek moves to a 1-based line and column in runes. A place before the current
// one leaves it there.
func (c *cursor) seek(line, col int) int {
	for c.line < line && c.nextLine() {
	}
	if c.line != line {
		return c.off
	}
	if c.ascii && col > c.col {
		c.off = min(c.off+col-c.col, len(c.text))
		c.col = col
	}
	for c.col < col && c.off < len(c.text) {
		_, n := utf8.DecodeRuneInString(c.text[c.off:])
		c.off += n
		c.col++
	}
	return c.off
}

// nextLine moves behind the next line break.
func (c *cursor) nextLine() bool {
	n := -1
	if c.lf {
		n = strings.IndexByte(c.text[c.off:], '\n') + 1
	} else if i := strings.IndexAny(c.text[c.off:], "\n\r\u0085\u2028\u2029"); i >= 0 {
		n = i + breakLen(c.text[c.off+i:])
	}
	if n <= 0 {
		c.off = len(c.text)
		return false
	}
	c.off += n
	c.line++
	c.col = 1
	return true
}

// breakLen returns the length of the line break that t begins with.
func breakLen(t string) int {
	if strings.HasPrefix(t, "\r\n") {
		return 2
	}
	_, n := utf8.DecodeRuneInString(t)
	return n
}

// skipProps returns the offset of what follows the anchor and the tag at off,
// if there are any.
func skipProps(text string, off int) int {
	for off < len(text) && (text[off] == '&' || text[off] == '!') {
		stops := " \t\r\n"
		if text[off] == '&' {
			stops += ",[]{}"
		}
		off = skipBlanks(text, indexAny(text, off, stops))
	}
	return off
}

// skipBlanks returns the offset of the first character at or after off that is
// neither blank nor part of a comment.
func skipBlanks(text string, off int) int {
	for off < len(text) {
		switch text[off] {
		case ' ', '\t', '\r', '\n':
			off++
		case '#':
			off = indexAny(text, off, "\n")
		default:
			return off
		}
	}
	return off
}

// indexAny returns the offset of the first of chars at or after off, or the
// length of the text.
func indexAny(text string, off int, chars string) int {
	if i := strings.IndexAny(text[off:], chars); i >= 0 {
		return off + i
	}
	return len(text)
}

// scalarAt finds the text of a scalar that, with its anchor and tag, begins at
// off. exact says that text[start:end] is the value.
func scalarAt(text string, off int, n *yaml.Node) (start, end int, exact bool) {
	v := n.Value
	if v == "" && plain(n) {
		return off, off, false
	}
	off = skipProps(text, off)
	switch {
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		return quotedAt(text, off, v)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		body := indexAny(text, off, "\n")
		start, end = matchFolded(text, body, v)
		if end == body || text[start:end] != v {
			return off, end, false
		}
		return start, end, true
	case strings.HasPrefix(text[off:], v):
		return off, off + len(v), true
	}
	_, end = matchFolded(text, off, v)
	return off, end, false
}

// plain reports whether a scalar is written without quotes and not as a block.
func plain(n *yaml.Node) bool {
	const other = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Style&other == 0
}

// quotedAt finds the end of the quoted scalar at off.
func quotedAt(text string, off int, v string) (start, end int, exact bool) {
	if off == len(text) || text[off] != '\'' && text[off] != '"' {
		return off, off, false
	}
	q := text[off]
	for end = off + 1; end < len(text); end++ {
		switch {
		case q == '"' && text[end] == '\\':
			end++
			continue
		case text[end] != q:
			continue
		case q == '\'' && strings.HasPrefix(text[end:], "''"):
			end++
			continue
		}
		if text[off+1:end] == v {
			return off + 1, end, true
		}
		return off, end + 1, false
	}
	return off, len(text), false
}

// matchFolded finds v in text, from off on, where the blanks and line breaks
// between words may differ. It returns where the first word begins and where
// the last one that was found ends; both are off if none was.
func matchFolded(text string, off int, v string) (start, end int) {
	start, end = off, off
	i, j := 0, off
	for first := true; ; first = false {
		for i < len(v) && blankByte(v[i]) {
			i++
		}
		for j < len(text) && blankByte(text[j]) {
			j++
		}
		k := 0
		for i+k < len(v) && j+k < len(text) && v[i+k] == text[j+k] && !blankByte(v[i+k]) {
			k++
		}
		if k == 0 {
			return start, end
		}
		if first {
			start = j
		}
		i, j = i+k, j+k
		end = j
	}
}

func blankByte(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
