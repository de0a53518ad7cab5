// SPDX-License-Identifier: Apache-2.0

package lsp

import "testing"

// TestPositions goes there and back for every byte at which a character begins.
func TestPositions(t *testing.T) {
	text := "a: é\r\nb: 😀x\rc\n\nd: ünd"
	x := newLineIndex(text)
	for _, e := range []encoding{utf8Units, utf16Units, utf32Units} {
		for off, r := range text {
			if r == '\n' && off > 0 && text[off-1] == '\r' {
				continue // inside of a line break
			}
			p := x.position(e, off)
			if got := x.offset(e, p); got != off {
				t.Errorf("%s: byte %d is at %v, which is byte %d", e, off, p, got)
			}
		}
	}
	for _, tt := range []struct {
		e         encoding
		text      string
		line, col int
	}{
		{utf16Units, "x\rc", 1, 5}, {utf8Units, "x\rc", 1, 7}, {utf32Units, "x\rc", 1, 4},
		{utf16Units, "nd", 4, 4}, {utf8Units, "nd", 4, 5},
	} {
		want := position{tt.line, tt.col}
		off := len(text) - len(text[indexOf(text, tt.text):])
		if got := x.position(tt.e, off); got != want {
			t.Errorf("%s: %q is at %v, want %v", tt.e, tt.text, got, want)
		}
	}
}

func indexOf(text, part string) int {
	for i := range text {
		if len(text)-i >= len(part) && text[i:i+len(part)] == part {
			return i
		}
	}
	return -1
}

// TestPositionsOutside clamps what no client should send.
func TestPositionsOutside(t *testing.T) {
	x := newLineIndex("ab\n😀\n")
	for _, tt := range []struct {
		p    position
		want int
	}{
		{position{-1, 5}, 0}, {position{0, 99}, 2}, {position{0, -1}, 0},
		{position{1, 1}, 3}, {position{2, 7}, 8}, {position{9, 0}, 8},
	} {
		if got := x.offset(utf16Units, tt.p); got != tt.want {
			t.Errorf("%v is byte %d, want %d", tt.p, got, tt.want)
		}
	}
}

func TestChange(t *testing.T) {
	at := func(l, c int) position { return position{l, c} }
	for _, tt := range []struct {
		name, text, want string
		c                contentChange
	}{
		{"a range behind a wide character", "a: 😀b\n", "a: 😀XY\n", contentChange{&textRange{at(0, 5), at(0, 6)}, "XY"}},
		{"an insertion at the end", "a\n", "a\nb", contentChange{&textRange{at(1, 0), at(1, 0)}, "b"}},
		{"over a line break", "a\r\nb\r\n", "ab\r\n", contentChange{&textRange{at(0, 1), at(1, 0)}, ""}},
		{"the whole text", "a", "b", contentChange{nil, "b"}},
		{"a range whose end lies before its start", "abc", "abXc", contentChange{&textRange{at(0, 2), at(0, 1)}, "X"}},
	} {
		if got := newLineIndex(tt.text).change(utf16Units, tt.c); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
