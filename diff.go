// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"cmp"
	"io"

	"github.com/dynaml/spiff/diff"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// A Comparison is what Diff or DiffResults found.
type Comparison struct {
	s    *value.Store
	a, b string
	r    diff.Result
}

// Diff compares the structure of two documents, or of two streams of documents
// in order. Nothing is evaluated: an expression is its text. The rules are
// those of diff.Compare; keys are fields by which list entries are matched
// before the usual ones. The error is diff.ErrTooMany, or there are too many
// files.
func Diff(a, b *Document, keys ...string) (*Comparison, error) {
	if !a.loaded() || !b.loaded() {
		return nil, misused("there is no document to compare; look at the error of its Load")
	}
	return compare(a.s.Clone(), a.docs, b.s, b.docs, Comparison{a: a.src.Name, b: b.src.Name}, keys)
}

// DiffResults compares what two merges write, like Diff. The places of the
// differences are those in the files of the merges.
func DiffResults(a, b *Result, keys ...string) (*Comparison, error) {
	sa, sb := a.s.Clone(), b.s.Clone()
	docs := doc.Final(sb, b.docs, b.writeOptions())
	return compare(sa, doc.Final(sa, a.docs, a.writeOptions()), sb, docs, Comparison{a: "a", b: "b"}, keys)
}

// compare adds the documents b of another store to s and compares them with a.
func compare(s *value.Store, a []value.ID, from *value.Store, b []value.ID, c Comparison, keys []string) (*Comparison, error) {
	b, ok := s.Import(from, b)
	if !ok {
		return nil, errTooMany
	}
	var err error
	c.s = s
	c.r, err = diff.Streams(s, a, b, keys...)
	return &c, err
}

// Equal says whether there is no difference.
func (c *Comparison) Equal() bool { return c.r.Equal() }

// A DiffFormat is a way to write a Comparison.
type DiffFormat = diff.Format

// The formats.
const (
	DiffText     = diff.Text     // that of the classic spiff
	DiffJSON     = diff.JSON     // one object, which docs/diff.md describes
	DiffMarkdown = diff.Markdown // a list to paste into a pull request
)

// DiffOptions say how a Comparison is written. The zero value is plain text.
type DiffOptions struct {
	Format DiffFormat

	// A and B are what the sides are called; "" is the name with which the
	// document was loaded, or just a and b.
	A, B string

	// Positions adds file, line and column of both sides. JSON has them always.
	Positions bool

	// Of text only:
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
// for every place that differs, where a.yml and b.yml are the names of the
// sides. A side that has nothing there is left out. If there are several
// documents, the first line says "document 2" before the path and those that
// are equal are named; if one stream has more than the other, the text says so
// first. docs/diff.md shows the other formats. It fails if the text would be
// too long.
func (c *Comparison) Append(dst []byte, o DiffOptions) ([]byte, error) {
	return c.r.Append(dst, c.s, diff.Options{
		A: cmp.Or(o.A, c.a), B: cmp.Or(o.B, c.b),
		Format: o.Format, Positions: o.Positions, Separator: o.Separator, Color: o.Color,
	})
}

// Write writes the text of the comparison to w at once.
func (c *Comparison) Write(w io.Writer, o DiffOptions) error {
	out, err := c.Append(nil, o)
	if err == nil {
		_, err = w.Write(out)
	}
	return err
}
