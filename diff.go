// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"errors"
	"io"

	"github.com/dynaml/spiff/diff"
	"github.com/dynaml/spiff/value"
)

// A Comparison is what Diff found.
type Comparison struct {
	s    *value.Store
	a, b string
	r    diff.Result
}

// Diff compares the structure of two documents, or of two streams of as many
// documents in order. Nothing is evaluated: an expression is its text. The
// rules are those of diff.Compare. The error is diff.ErrTooMany, or there are
// too many files.
func Diff(a, b *Document) (*Comparison, error) {
	s := a.s.Clone()
	docs, ok := s.Import(b.s, b.docs)
	if !ok {
		return nil, errors.New("too many files")
	}
	r, err := diff.Streams(s, a.docs, docs)
	if err != nil {
		return nil, err
	}
	return &Comparison{s, a.src.Name, b.src.Name, r}, nil
}

// Equal says whether there is no difference.
func (c *Comparison) Equal() bool { return c.r.Equal() }

// DiffOptions say how a Comparison is written. The zero value is plain text.
type DiffOptions struct {
	Separator string // follows every difference, as it is
	Color     bool   // with the escape sequences of a terminal, as the classic text
}

// Append appends the text of the comparison to dst: "no differences!", or
//
//	Difference in jobs.web.instances
//	  a.yml has:
//	    1
//	  b.yml has:
//	    2
//
// for every place that differs, where a.yml and b.yml are the names the
// documents were loaded with. A side that has nothing there is left out. If
// there are several documents, the first line says "document 2" before the
// path and those that are equal are named; if one stream has more than the
// other, the text just says so. It fails if the text would be too long.
func (c *Comparison) Append(dst []byte, o DiffOptions) ([]byte, error) {
	return c.r.Append(dst, c.s, diff.Options{A: c.a, B: c.b, Separator: o.Separator, Color: o.Color})
}

// Write writes the text of the comparison to w at once.
func (c *Comparison) Write(w io.Writer, o DiffOptions) error {
	out, err := c.Append(nil, o)
	if err == nil {
		_, err = w.Write(out)
	}
	return err
}
