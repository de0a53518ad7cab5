// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"bytes"
	"fmt"

	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// A Result is the comparison of two document streams.
type Result struct {
	A, B int            // how many documents there are
	Docs [][]Difference // of each document, if the numbers are the same
}

// Streams compares the documents of two streams in order. Unless there are as
// many on both sides, that is the only difference. The ID 0 is an empty
// document, which is the same as null.
func Streams(s *value.Store, a, b []value.ID) (Result, error) {
	r := Result{A: len(a), B: len(b)}
	if r.A != r.B {
		return r, nil
	}
	null := s.New(value.Node{Kind: value.Null})
	orNull := func(id value.ID) value.ID {
		if id == 0 {
			return null
		}
		return id
	}
	for i := range a {
		d, err := Compare(s, orNull(a[i]), orNull(b[i]))
		if err != nil {
			return r, err
		}
		r.Docs = append(r.Docs, d)
	}
	return r, nil
}

// Equal says whether there is no difference.
func (r *Result) Equal() bool {
	for _, d := range r.Docs {
		if len(d) > 0 {
			return false
		}
	}
	return r.A == r.B
}

// Options say how a Result is shown.
type Options struct {
	A, B      string // how the sides are called
	Separator string // follows every difference, as it is
	Color     bool   // with the escape sequences of a terminal
}

// maxText bounds the text of a Result. A subtree is shown at every place that
// has it, so a small document with aliases may have a huge text.
const maxText = 1 << 30

// The colours of the sides.
const (
	red   = "\x1b[31m"
	green = "\x1b[32m"
	reset = "\x1b[0m"
)

// Append appends the text of a Result to dst. It fails if the text would be
// too long.
func (r *Result) Append(dst []byte, s *value.Store, o Options) ([]byte, error) {
	if r.A != r.B {
		return fmt.Appendf(dst, "Different number of documents (%d != %d)\n", r.A, r.B), nil
	}
	if r.Equal() {
		return append(dst, "no differences!\n"...), nil
	}
	p := printer{s: s, o: o, limit: len(dst) + maxText}
	for i, found := range r.Docs {
		label := ""
		if len(r.Docs) > 1 {
			label = fmt.Sprintf("document %d ", i+1)
			if len(found) == 0 {
				dst = fmt.Appendf(dst, "No difference in document %d\n", i+1)
			}
		}
		for _, d := range found {
			var err error
			if dst, err = p.difference(dst, label, d); err != nil {
				return nil, err
			}
		}
	}
	return dst, nil
}

// A printer holds what stays the same in one text.
type printer struct {
	s     *value.Store
	o     Options
	limit int
	yaml  []byte
}

func (p *printer) difference(dst []byte, label string, d Difference) ([]byte, error) {
	dst = fmt.Appendf(dst, "Difference in %s%s\n", label, d.Path)
	dst, err := p.side(dst, p.o.A, d.A, red)
	if err != nil {
		return nil, err
	}
	if dst, err = p.side(dst, p.o.B, d.B, green); err != nil {
		return nil, err
	}
	dst = append(dst, p.o.Separator...)
	if len(dst) > p.limit {
		return nil, fmt.Errorf("%w: their text is longer than %d bytes", ErrTooMany, maxText)
	}
	return dst, nil
}

// side shows what one side has, indented by four blanks. The classic text
// indents empty lines too, also the one after the last newline, which holds
// the reset sequence. Without colours no line consists of blanks.
func (p *printer) side(dst []byte, name string, id value.ID, color string) ([]byte, error) {
	if id == 0 {
		return dst, nil
	}
	var err error
	p.yaml, err = doc.Append(p.yaml[:0], p.s, id, doc.WriteOptions{})
	if err != nil {
		return nil, err
	}
	dst = append(append(append(dst, "  "...), name...), " has:\n"...)
	if p.o.Color {
		dst = append(append(dst, "    "...), color...)
		dst = append(dst, bytes.ReplaceAll(p.yaml, []byte("\n"), []byte("\n    "))...)
		return append(append(dst, reset...), '\n'), nil
	}
	for line := range bytes.Lines(p.yaml) {
		if line[0] != '\n' {
			dst = append(dst, "    "...)
		}
		dst = append(dst, line...)
	}
	return dst, nil
}
