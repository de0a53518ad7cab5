// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"bytes"
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A style is a way to write a text.
type style uint8

const (
	asPlain style = iota
	singleQuoted
	doubleQuoted
	literal
	base64Binary // the text is not valid UTF-8, which no other style can hold
)

const (
	// bestWidth is the column behind which a text is folded at a blank.
	bestWidth = 80
	// unfolded is the width for keys, which are not folded.
	unfolded = math.MaxInt
)

// text prints a text in the style it needs; further lines begin in column.
func (w *writer) text(t string, column int) {
	if len(w.dst)-w.line+len(t) <= bestWidth && simple(t) {
		w.dst = append(w.dst, t...)
		return
	}
	w.styled(styleOf(t, false), t, column, bestWidth)
}

func (w *writer) styled(st style, t string, column, width int) {
	switch st {
	case asPlain:
		w.folded(t, column, width, 0)
	case singleQuoted:
		w.dst = append(w.dst, '\'')
		w.folded(t, column, width, '\'')
		w.dst = append(w.dst, '\'')
	case doubleQuoted:
		w.double(t, column, width)
	case literal:
		w.literal(t, column)
	case base64Binary:
		w.dst = append(w.dst, binaryTag+" "...)
		t = base64.StdEncoding.EncodeToString([]byte(t))
		w.styled(styleOf(t, false), t, column, width)
	}
}

// styleOf chooses the style for a text. An insert key is not quoted, although
// other readers see more in it than a string: so do we.
func styleOf(t string, key bool) style {
	if t == "" {
		return doubleQuoted
	}
	f := inspectText(t)
	switch {
	case f.invalid:
		return base64Binary
	case f.breaks && f.block:
		return literal
	case f.breaks || f.special:
		return doubleQuoted
	case ambiguous(t) && !(key && t == insertKey):
		return doubleQuoted
	case f.plain:
		return asPlain
	}
	return singleQuoted
}

// features are what the choice of a style depends on.
type features struct {
	invalid bool // not UTF-8
	special bool // has characters that must be escaped
	breaks  bool // has newlines
	block   bool // may be written as a literal
	plain   bool // may be written without quotes, if it has no newlines
}

// inspectText is the analysis of scalars that libyaml makes.
func inspectText(t string) features {
	last := t[len(t)-1]
	f := features{block: last != ' ', plain: !indicator(t) && t[0] != ' ' && last != ' ' && last != ':'}
	before := byte(0)
	for i := 0; i < len(t); i++ {
		c := t[i]
		switch {
		case c == '\n':
			f.breaks = true
			f.block = f.block && before != ' '
		case c == '#' && before == ' ', c == ' ' && before == ':':
			f.plain = false
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(t[i:])
			if r == utf8.RuneError && n == 1 {
				return features{invalid: true}
			}
			f.special = f.special || !readable(r)
			i += n - 1
		case c < ' ' || c == 0x7f:
			f.special = true
		}
		before = c
	}
	f.block = f.block && !f.special
	return f
}

// indicator reports whether t begins like something else than a plain scalar.
func indicator(t string) bool {
	switch t[0] {
	case '#', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return true
	case '?', ':', '-':
		return len(t) == 1 || t[1] == ' ' || strings.HasPrefix(t, "---")
	}
	return strings.HasPrefix(t, "...")
}

// readable reports whether a character is printed as it is. The wide blank and
// the joiners are ordinary parts of Asian texts and of emoji; other invisible
// characters are better seen.
func readable(r rune) bool {
	return unicode.IsPrint(r) || r == '\u3000' || r == '\u200c' || r == '\u200d'
}

// column returns the column in runes in which the output stands.
func (w *writer) column() int {
	line := w.dst[w.line:]
	return utf8.RuneCount(line[bytes.LastIndexByte(line, '\n')+1:])
}

// The parts that characters can have in a text that is printed as it is.
const (
	begins = 1 << iota
	inside
	ends
)

var simpleParts = func() (t [256]uint8) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			t[c] = begins | inside | ends
		case '0' <= c && c <= '9', c == '_', c == '/', c == '(', c == ')', c == '$', c == ';':
			t[c] = inside | ends
		case c == ' ', c == '-', c == '.', c == '+', c == '=', c == '@', c == ',', c == '"', c == '*', c == '|', c == '?':
			t[c] = inside
		}
	}
	for _, c := range "-.+=@,\"*|?" {
		t[c] |= ends
	}
	for _, c := range "nNtTfFyYoO" { // null, true, false, yes, on and the like
		t[c] &^= begins
	}
	t['('] |= begins
	return t
}()

// simple reports whether t is seen at once to be a text of one line that needs
// no quotes: most texts are. Others are looked at more closely.
func simple(t string) bool {
	if t == "" || simpleParts[t[len(t)-1]]&ends == 0 {
		return false
	}
	if simpleParts[t[0]]&begins == 0 && !longWord(t) {
		if t[0] < '0' || t[0] > '9' {
			return false
		}
		_, form := digits(t)
		return form == dotted
	}
	for i := 1; i < len(t); i++ {
		if simpleParts[t[i]]&inside == 0 && (t[i] != ':' || t[i+1] == ' ') {
			return false // a colon is not the last character, which is one of ends
		}
	}
	return true
}

// longWord reports whether t begins like a word of YAML but is longer than any.
func longWord(t string) bool {
	c := t[0] | 0x20
	return c >= 'a' && c <= 'z' && len(t) > len("false")
}

// folded prints t and replaces blanks behind the column width by a new line
// that begins in column. A blank next to another one cannot be replaced: the
// line break would swallow both. The character quote is doubled.
func (w *writer) folded(t string, column, width int, quote rune) {
	at := w.column()
	from := 0 // what precedes is printed
	for i, r := range t {
		switch {
		case at > width && foldable(t, i):
			w.dst = append(w.dst, t[from:i]...)
			w.dst = append(w.dst, '\n')
			w.indent(column)
			from, at = i+1, column
			continue
		case r == quote && quote != 0:
			w.dst = append(w.dst, t[from:i+1]...)
			from = i // once more
			at++
		}
		at++
	}
	w.dst = append(w.dst, t[from:]...)
}

// foldable reports whether t[i] is a blank between two characters that are not.
func foldable(t string, i int) bool {
	return t[i] == ' ' && i > 0 && i < len(t)-1 && t[i-1] != ' ' && t[i+1] != ' '
}

// literal prints t as a block. Its first line tells how it is indented if that
// cannot be seen, and whether it ends in a newline.
func (w *writer) literal(t string, column int) {
	w.dst = append(w.dst, '|')
	if t[0] == ' ' || t[0] == '\n' {
		w.dst = append(w.dst, '0'+indentStep)
	}
	if t[len(t)-1] == '\n' {
		w.dst = append(w.dst, '+')
	} else {
		w.dst = append(w.dst, '-')
	}
	w.dst = append(w.dst, '\n')
	for line := range strings.Lines(t) {
		if line != "\n" {
			w.indent(column)
		}
		w.dst = append(w.dst, line...)
	}
}

// double prints t in double quotes, folded like the other styles.
func (w *writer) double(t string, column, width int) {
	at := w.column() + 1
	w.dst = append(w.dst, '"')
	for i, r := range t {
		if at > width && foldable(t, i) {
			w.dst = append(w.dst, '\n')
			w.indent(column)
			at = column
			continue
		}
		if r >= ' ' && r < 0x7f && r != '"' && r != '\\' || r >= utf8.RuneSelf && readable(r) {
			w.dst = utf8.AppendRune(w.dst, r)
			at++
			continue
		}
		from := len(w.dst)
		w.escape(r)
		at += len(w.dst) - from
	}
	w.dst = append(w.dst, '"')
}

// escape prints a character as an escape of a double-quoted text.
func (w *writer) escape(r rune) {
	w.dst = append(w.dst, '\\')
	if i := slices.Index(escapable[:], r); i >= 0 {
		w.dst = append(w.dst, unescaped[i])
		return
	}
	letter, digits := byte('x'), 2
	switch {
	case r > 0xffff:
		letter, digits = 'U', 8
	case r > 0xff:
		letter, digits = 'u', 4
	}
	w.dst = append(w.dst, letter)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		w.dst = append(w.dst, "0123456789ABCDEF"[(r>>shift)&15])
	}
}
