// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Write writes d with its source excerpt and notes to w.
func (d *Diagnostic) Write(w io.Writer) {
	fmt.Fprintln(w, d.Error())
	d.Span.WriteExcerpt(w, "", Plain)
	for i := range d.Notes {
		d.Notes[i].Write(w)
	}
}

// maxExcerpt bounds the quoted part of a source line, in bytes: manifests
// carry certificates and images on one line.
const maxExcerpt = 200

// Marks are what is written around the parts of an excerpt, for colours.
type Marks struct{ Gutter, Marker, End string }

// Plain writes an excerpt without colours.
var Plain Marks

// WriteExcerpt writes the line that holds the start of sp, and a marker below
// it, each line after indent. The padding copies tabs, so the marker lines up
// at any tab width. A text that is not a file has no line numbers.
func (sp Span) WriteExcerpt(w io.Writer, indent string, m Marks) {
	if sp.Src == nil {
		return
	}
	line, _ := sp.Src.LineCol(sp.Start)
	start := int(sp.Src.lines[line-1])
	text, _, _ := strings.Cut(sp.Src.Text[start:], "\n")
	text = strings.TrimSuffix(text, "\r")
	from := min(int(sp.Start)-start, len(text))
	to := min(max(int(sp.End)-start, from), len(text))
	if len(text) > maxExcerpt {
		text, from, to = window(text, from, to)
	}
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, text[:from])
	number := fmt.Sprintf("%5d", line)
	if sp.Src.Origin.Src != nil {
		number = "     "
	}
	marker := strings.Repeat("^", max(1, utf8.RuneCountInString(text[from:to])))
	fmt.Fprintf(w, "%s%s%s |%s %s\n", indent, m.Gutter, number, m.End, text)
	fmt.Fprintf(w, "%s%s      |%s %s%s%s%s\n", indent, m.Gutter, m.End, pad, m.Marker, marker, m.End)
}

// window cuts text to at most about maxExcerpt bytes around [from, to), at
// rune boundaries, and returns the shifted range.
func window(text string, from, to int) (string, int, int) {
	lo := max(0, from-maxExcerpt/4)
	for lo > 0 && !utf8.RuneStart(text[lo]) {
		lo--
	}
	hi := min(len(text), lo+maxExcerpt)
	for hi < len(text) && !utf8.RuneStart(text[hi]) {
		hi++
	}
	return text[lo:hi], min(from, hi) - lo, min(to, hi) - lo
}
