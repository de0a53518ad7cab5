// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"strings"
	"testing"
)

func TestLineColAndOffset(t *testing.T) {
	src := NewSource("f.yml", "ab\né = (( x ))\n\nlast")
	tests := []struct {
		off       uint32
		line, col int
	}{{0, 1, 1}, {2, 1, 3}, {3, 2, 1}, {5, 2, 2}, {16, 3, 1}, {17, 4, 1}, {21, 4, 5}, {99, 4, 5}}
	for _, tt := range tests {
		line, col := src.LineCol(tt.off)
		if line != tt.line || col != tt.col {
			t.Errorf("offset %d: got %d:%d, want %d:%d", tt.off, line, col, tt.line, tt.col)
		}
		if tt.off <= 21 {
			if off := src.Offset(line, col); off != tt.off {
				t.Errorf("%d:%d: got offset %d, want %d", line, col, off, tt.off)
			}
		}
	}
}

func TestWrite(t *testing.T) {
	src := NewSource("f.yml", "a: 1\n\tname: (( nmae ))\n")
	d := Errorf(Span{src, 15, 19}, "unknown name %q", "nmae").WithNote(Span{src, 0, 1}, "first key")
	var b strings.Builder
	d.Write(&b)
	want := "f.yml:2:11: error: unknown name \"nmae\"\n    2 | \tname: (( nmae ))\n      | \t         ^^^^\n" +
		"f.yml:1:1: note: first key\n    1 | a: 1\n      | ^\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestWriteShortensLongLines(t *testing.T) {
	text := strings.Repeat("é", 5000) + "HERE" + strings.Repeat("x", 5000)
	src := NewSource("f", text)
	var b strings.Builder
	Errorf(Span{src, 10000, 10004}, "m").Write(&b)
	lines := strings.Split(b.String(), "\n")
	if len(lines[1]) > 2*maxExcerpt || !strings.Contains(lines[1], "HERE") {
		t.Errorf("excerpt of %d bytes: %s", len(lines[1]), lines[1])
	}
	if !strings.Contains(lines[2], "^^^^") {
		t.Errorf("no marker in %q", lines[2])
	}
}

func TestListSort(t *testing.T) {
	a, b := NewSource("a", "xx"), NewSource("b", "xx")
	l := List{Errorf(Span{b, 0, 1}, "3"), Errorf(Span{a, 1, 2}, "2"), Errorf(Span{a, 0, 1}, "1"), Errorf(Span{}, "0")}
	l.Sort()
	got := ""
	for _, d := range l {
		got += d.Msg
	}
	if got != "0123" {
		t.Errorf("got order %s", got)
	}
	if List(nil).Err() != nil {
		t.Error("an empty list is an error")
	}
	if got, want := l.Error(), "error: 0 (and 3 more)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
