// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"errors"
	"io"
	"math"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// A Result is what a text holds.
type Result struct {
	Docs     []value.ID // at least one
	Empty    bool       // the one document has no content, not even a written null
	Warnings diag.List
}

// Read reads all documents of src into s. The error, if any, is a
// *diag.Diagnostic.
func Read(s *value.Store, src *diag.Source) (Result, error) {
	b, err := inspect(src)
	if err != nil {
		return Result{}, err
	}
	file, ok := s.AddFile(src)
	if !ok {
		return Result{}, diag.Errorf(diag.Span{Src: src}, "too many files")
	}
	r := &reader{
		s:        s,
		src:      src,
		file:     file,
		text:     s.AddText(src.Text),
		cursor:   newCursor(src.Text, b),
		insert:   s.Intern(insertKey),
		anchored: map[*yaml.Node]subtree{},
	}
	if err := r.documents(); err != nil {
		return Result{}, err
	}
	return r.result, nil
}

// documents converts one document after the other.
func (r *reader) documents() error {
	in := &trickle{text: r.src.Text, slow: len(r.src.Text)}
	dec := yaml.NewDecoder(in)
	for {
		var n yaml.Node
		err := decode(dec, &n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return readError(r.src, err, in.off)
		}
		id, _, err := r.node(n.Content[0], 0)
		if err != nil {
			return err
		}
		r.result.Docs = append(r.result.Docs, id)
		r.result.Empty = blank(n.Content[0])
	}
	if r.bomb != nil && r.aliased/aliasFactor > r.real {
		return r.bomb
	}
	switch len(r.result.Docs) {
	case 0:
		r.result.Docs = []value.ID{r.s.New(value.Node{Kind: value.Null, File: r.file})}
		r.result.Empty = true
	case 1:
	default:
		r.result.Empty = false
	}
	return nil
}

// blank reports whether nothing was written for a node.
func blank(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Anchor == ""
}

var errLibrary = errors.New("the YAML reader failed")

// decode reads the next document. The library panics on some odd arrangements
// of comments; such a text is refused like any other it cannot read.
func decode(dec *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() {
		if recover() != nil {
			err = errLibrary
		}
	}()
	return dec.Decode(n)
}

// A trickle gives out a text, byte by byte from offset slow on, so that off
// says how far its reader had to look.
type trickle struct {
	text      string
	off, slow int
}

func (t *trickle) Read(p []byte) (int, error) {
	if t.off == len(t.text) {
		return 0, io.EOF
	}
	end := max(t.off+1, t.slow)
	n := copy(p, t.text[t.off:end])
	t.off += n
	return n, nil
}

// breaks says how simply positions in a text can be computed.
type breaks struct {
	ascii bool // a column is a byte
	lf    bool // lines end in LF or CR LF only
}

// inspect refuses texts that are no YAML for their bytes alone; the library
// would, but without saying where.
func inspect(src *diag.Source) (breaks, error) {
	b := breaks{ascii: true, lf: true}
	text := src.Text
	if uint64(len(text)) > math.MaxUint32 {
		return b, diag.Errorf(diag.Span{Src: src}, "the file is larger than 4 GiB")
	}
	for i := 0; i < len(text); {
		c := rune(text[i])
		n := 1
		if c >= utf8.RuneSelf {
			b.ascii = false
			if c, n = utf8.DecodeRuneInString(text[i:]); c == utf8.RuneError && n == 1 {
				return b, diag.Errorf(bytesAt(src, i, 1), "byte 0x%02x is not valid UTF-8", text[i])
			}
		}
		switch {
		case c == '\r' && (i+1 == len(text) || text[i+1] != '\n'),
			c == '\u0085', c == '\u2028', c == '\u2029':
			b.lf = false
		case c < ' ' && c != '\t' && c != '\n' && c != '\r',
			c >= 0x7f && c < 0xa0, c == 0xfffe, c == 0xffff:
			return b, diag.Errorf(bytesAt(src, i, n), "control character %U is not allowed", c)
		}
		i += n
	}
	return b, nil
}

func bytesAt(src *diag.Source, off, n int) diag.Span {
	return diag.Span{Src: src, Start: uint32(off), End: uint32(off + n)}
}
