// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// An encoding is what the characters of a position count.
type encoding string

// The encodings. Clients that name none count UTF-16 code units.
const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
	utf32Units encoding = "utf-32"
)

// units returns how many characters the text counts.
func (e encoding) units(text string) int {
	switch e {
	case utf8Units:
		return len(text)
	case utf32Units:
		return utf8.RuneCountInString(text)
	}
	n := 0
	for _, r := range text {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// cut returns the number of bytes of the first n characters of a line. In the
// middle of a rune it stands before it, beyond the line at its end.
func (e encoding) cut(line string, n int) int {
	for i, r := range line {
		size := 1
		switch {
		case e == utf8Units:
			_, size = utf8.DecodeRuneInString(line[i:])
		case e == utf16Units && r > 0xffff:
			size = 2
		}
		if n < size {
			return i
		}
		n -= size
	}
	return len(line)
}

// A lineIndex finds positions in a text and offsets in it.
type lineIndex struct {
	text   string
	starts []int // of the lines; they end in LF, CR LF or CR
}

func newLineIndex(text string) *lineIndex {
	x := &lineIndex{text: text, starts: []int{0}}
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], "\r\n")
		if n < 0 {
			break
		}
		i += n
		if strings.HasPrefix(text[i:], "\r\n") {
			i++
		}
		i++
		x.starts = append(x.starts, i)
	}
	return x
}

// line returns a line without what ends it.
func (x *lineIndex) line(i int) string {
	end := len(x.text)
	if i+1 < len(x.starts) {
		end = x.starts[i+1]
	}
	return strings.TrimRight(x.text[x.starts[i]:end], "\r\n")
}

// offset returns the byte of a position, clamped to the text.
func (x *lineIndex) offset(e encoding, p position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(x.starts):
		return len(x.text)
	}
	return x.starts[p.Line] + e.cut(x.line(p.Line), max(p.Character, 0))
}

// position returns the position of a byte.
func (x *lineIndex) position(e encoding, off int) position {
	off = max(0, min(off, len(x.text)))
	line := sort.SearchInts(x.starts, off+1) - 1
	return position{line, e.units(x.text[x.starts[line]:off])}
}

// span returns the range of the bytes [start, end).
func (x *lineIndex) span(e encoding, start, end int) textRange {
	return textRange{x.position(e, start), x.position(e, max(start, end))}
}

// change returns the text after one change.
func (x *lineIndex) change(e encoding, c contentChange) string {
	if c.Range == nil {
		return c.Text
	}
	start, end := x.offset(e, c.Range.Start), x.offset(e, c.Range.End)
	return x.text[:start] + c.Text + x.text[max(start, end):]
}
