// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"strings"
	"unicode/utf8"

	"github.com/dynaml/spiff/value"
)

// quoted reads the text in quotes at the current place. It stands at
// [from, to) of the file: without the quotes if exact says that it is the text,
// else with them. oneLine says that it has no line breaks.
func (d *direct) quoted(q byte) (v string, from, to int, exact, oneLine bool) {
	start, line := d.p, d.line
	kind := uint8(inDouble)
	if q == '\'' {
		kind = inSingle
	}
	d.p++
	d.quote = d.p
	if d.scan(kind) == q && !(q == '\'' && d.at(d.p+1) == q) {
		v = d.t[start+1 : d.p]
		d.p++
		d.quote = 0
		return v, start + 1, d.p - 1, true, true
	}
	d.buf = append(d.buf[:0], d.t[start+1:d.p]...)
	escaped := 0 // what precedes stays, even if it is blank
	for {
		switch c := d.at(d.p); {
		case c == q && q == '\'' && d.at(d.p+1) == q:
			d.buf = append(d.buf, q)
			d.p += 2
		case c == q:
			d.p++
			d.quote = 0
			return string(d.buf), start, d.p, false, d.line == line
		case c == '\\' && q == '"':
			d.escape()
			escaped = len(d.buf)
		case c == '\n' || c == '\r':
			for n := len(d.buf); n > escaped && blankByte(d.buf[n-1]); n-- {
				d.buf = d.buf[:n-1]
			}
			d.foldBreaks()
			if d.p == d.line && d.markerAt(d.p) {
				giveUp()
			}
		default:
			giveUp() // the text ends
		}
		chunk := d.p
		d.scan(kind)
		d.buf = append(d.buf, d.t[chunk:d.p]...)
	}
}

// escape adds the character of an escape in double quotes.
func (d *direct) escape() {
	c := d.at(d.p + 1)
	i := strings.IndexByte(unescaped, c)
	if i < 0 && c != 'x' && c != 'u' && c != 'U' {
		giveUp()
	}
	d.p += 2
	switch c {
	case 'x':
		d.escapeCode(2)
	case 'u':
		d.escapeCode(4)
	case 'U':
		d.escapeCode(8)
	default:
		d.buf = utf8.AppendRune(d.buf, escapable[i])
	}
}

// escapeCode adds the character with the code of n hexadecimal digits.
func (d *direct) escapeCode(n int) {
	code := rune(0)
	for range n {
		digit := strings.IndexByte("0123456789abcdef", d.at(d.p)|0x20)
		if digit < 0 || d.at(d.p) < '0' || code > utf8.MaxRune {
			giveUp()
		}
		code = code<<4 | rune(digit)
		d.p++
	}
	if !utf8.ValidRune(code) {
		giveUp()
	}
	d.buf = utf8.AppendRune(d.buf, code)
}

// unescaped are the letters of the short escapes, and escapable the characters
// they stand for. (A line break behind the backslash is not among them.)
const unescaped = "0abt\tnvfre \"'\\N_LP"

var escapable = [...]rune{0, '\a', '\b', '\t', '\t', '\n', '\v', '\f', '\r', 0x1b, ' ', '"', '\'', '\\', 0x85, 0xa0, 0x2028, 0x2029}

// A chomping says what happens to the line breaks at the end of a block text.
type chomping uint8

const (
	clip  chomping = iota // one stays
	strip                 // none stays
	keep                  // all stay
)

// blockText reads a literal or folded text, and goes to the next token. The list
// or map around it is in column parent.
func (d *direct) blockText(parent int, p *props) (value.ID, int) {
	start := d.p
	folded := d.t[d.p] == '>'
	d.p++
	chomp, indent := d.blockHeader()
	if indent > 0 {
		indent += max(parent, 0)
	}
	if !d.endLine() {
		giveUp()
	}
	body := d.p
	d.buf = d.buf[:0]
	if indent == 0 {
		indent = d.detectIndent(parent)
	}
	first, last := d.blockLines(indent, chomp, folded)
	v := text(string(d.buf))
	id := d.blockScalar(p, v, start, body, first, last)
	d.firstToken()
	return id, int(d.s.Node(id).End)
}

// blockScalar adds the text that was read. Its place is that of its words,
// [first, last), if it stands there as it is.
func (d *direct) blockScalar(p *props, v scalar, start, body, first, last int) value.ID {
	if last == 0 {
		last = body
		if last > 0 && d.t[last-1] == '\n' {
			last--
		}
	}
	if first > 0 && d.t[first:last] == v.text {
		return d.addScalar(p, v, first, last, true)
	}
	return d.addScalar(p, v, start, last, false)
}

// blockHeader reads what follows the mark of a block text.
func (d *direct) blockHeader() (chomp chomping, indent int) {
	for {
		switch c := d.at(d.p); {
		case c == '-' && chomp == clip:
			chomp = strip
		case c == '+' && chomp == clip:
			chomp = keep
		case c >= '1' && c <= '9' && indent == 0:
			indent = int(c - '0')
		default:
			return chomp, indent
		}
		d.p++
	}
}

// detectIndent returns the indentation of the first line with text. Empty lines
// before it must not be indented more.
func (d *direct) detectIndent(parent int) int {
	i, most := d.p, 0
	for {
		line := i
		for d.at(i) == ' ' {
			i++
		}
		col := i - line
		switch d.at(i) {
		case '\t':
			giveUp()
		case '\r':
			i++
			fallthrough
		case '\n':
			most = max(most, col)
			i++
			continue
		}
		if col < most {
			giveUp()
		}
		return max(col, parent+1, 1)
	}
}

// blockLines reads the lines that are indented enough, into the buffer. It
// returns where the first and the last word stand in the file, 0 if there is
// none, and stands at the beginning of the line behind them.
func (d *direct) blockLines(indent int, chomp chomping, folded bool) (first, last int) {
	breaks := 0     // line breaks that are not in the buffer yet
	ended := false  // the first of them ends a line with text
	spaced := false // the line before began with a blank
	for d.p < len(d.t) {
		i := d.p
		for i-d.line < indent && d.at(i) == ' ' {
			i++
		}
		d.p = i
		c := d.at(i)
		if c == '\n' || c == '\r' {
			if c == '\r' {
				d.scan(inLine)
			}
			d.newline()
			breaks++
			continue
		}
		if i-d.line < indent {
			if c == '\t' {
				giveUp()
			}
			d.p = d.line
			break
		}
		if i == len(d.t) {
			break
		}
		blank := c == ' ' || c == '\t'
		switch {
		case folded && ended && !spaced && !blank:
			if breaks == 1 {
				d.buf = append(d.buf, ' ')
			}
			breaks--
		}
		for ; breaks > 0; breaks-- {
			d.buf = append(d.buf, '\n')
		}
		d.scan(inLine)
		d.buf = append(d.buf, d.t[i:d.p]...)
		if word, end := wordsIn(d.t, i, d.p); word < end {
			if first == 0 {
				first = word
			}
			last = end
		}
		ended, spaced = true, blank
		if d.p < len(d.t) {
			breaks = 1
		}
		d.newline()
	}
	switch {
	case chomp == clip && ended:
		breaks = min(breaks, 1)
	case chomp != keep:
		breaks = 0
	}
	for ; breaks > 0; breaks-- {
		d.buf = append(d.buf, '\n')
	}
	return first, last
}

// wordsIn returns where the first word of t[from:to] begins and the last ends.
func wordsIn(t string, from, to int) (first, last int) {
	for from < to && blankByte(t[from]) {
		from++
	}
	for to > from && blankByte(t[to-1]) {
		to--
	}
	return from, to
}
