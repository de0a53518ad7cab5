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
	Docs [][]Difference // of each document of the longer stream
}

// Streams compares the documents of two streams in order; keys are those of
// Compare. If one stream has more, each of those is a difference as a whole.
// The ID 0 is an empty document, which is the same as null.
func Streams(s *value.Store, a, b []value.ID, keys ...string) (Result, error) {
	r := Result{A: len(a), B: len(b)}
	null := s.New(value.Node{Kind: value.Null})
	nth := func(docs []value.ID, i int) value.ID {
		switch {
		case i >= len(docs):
			return 0
		case docs[i] == 0:
			return null
		}
		return docs[i]
	}
	c := newComparer(s, keys)
	for i := range max(len(a), len(b)) {
		d, err := c.run(nth(a, i), nth(b, i))
		if err != nil {
			return r, err
		}
		r.Docs = append(r.Docs, d)
	}
	return r, nil
}

// Equal says whether there is no difference.
func (r *Result) Equal() bool { return r.Count() == 0 }

// Count returns the number of differences.
func (r *Result) Count() int {
	n := 0
	for _, d := range r.Docs {
		n += len(d)
	}
	return n
}

// A Format is a way to show a Result.
type Format int

// The formats.
const (
	Text     Format = iota // that of the classic spiff
	JSON                   // docs/diff.md describes it
	Markdown               // a list to paste into a pull request
)

// Options say how a Result is shown.
type Options struct {
	A, B   string // how the sides are called
	Format Format

	// Positions adds file, line and column of both sides. JSON has them always.
	Positions bool

	// Of Text only:
	Separator string // follows every difference, as it is
	Color     bool   // with the escape sequences of a terminal
}

// maxText bounds the text of a Result. A subtree is shown at every place that
// has it, so a small document with aliases may have a huge text.
const maxText = 1 << 30

// Append appends the text of a Result to dst. It fails if the text would be
// too long.
func (r *Result) Append(dst []byte, s *value.Store, o Options) ([]byte, error) {
	p := printer{s: s, o: o, limit: len(dst) + maxText}
	switch o.Format {
	case JSON:
		return p.json(dst, r)
	case Markdown:
		return p.markdown(dst, r)
	}
	return p.text(dst, r)
}

// A printer holds what stays the same in one text.
type printer struct {
	s     *value.Store
	o     Options
	limit int
	buf   []byte
}

// check fails if the text is too long.
func (p *printer) check(dst []byte) error {
	if len(dst) > p.limit {
		return fmt.Errorf("%w: their text is longer than %d bytes", ErrTooMany, maxText)
	}
	return nil
}

// yaml returns the text of a node. It is valid until the next call.
func (p *printer) yaml(id value.ID) ([]byte, error) {
	var err error
	p.buf, err = doc.Append(p.buf[:0], p.s, id, doc.WriteOptions{KeepTemporary: true})
	return p.buf, err
}

// position returns where a node stands, or "" if it stands nowhere.
func (p *printer) position(id value.ID) string {
	if id == 0 || p.s.Span(id).Src == nil {
		return ""
	}
	return p.s.Span(id).String()
}

// oneLine returns the text of a scalar that fits on a line, without the
// newline.
func oneLine(yaml []byte) (line []byte, ok bool) {
	line, rest, _ := bytes.Cut(yaml, []byte("\n"))
	return line, len(rest) == 0
}
