// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"io"
	"math"
	"unicode/utf8"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// A Result is what a text holds.
type Result struct {
	Docs     []value.ID // at least one
	Empty    bool       // the one document has no content, not even a written null
	Library  bool       // the text was read by the YAML library
	Warnings diag.List  // in the order of the text

	keys map[uint64][]extent // of ReadKeys, by the payload of map nodes
}

// Read reads all documents of src into s. The error, if any, is a
// *diag.Diagnostic.
//
// A text in the YAML of which manifests consist is read at once. One with rarer
// constructs, or with errors, is left to the YAML library; the nodes are the
// same either way.
func Read(s *value.Store, src *diag.Source) (Result, error) {
	return ReadWithin(s, src, Limits{})
}

// ReadLibrary is Read by the YAML library alone. Tests hold Read against it.
func ReadLibrary(s *value.Store, src *diag.Source) (Result, error) {
	return load(s, src, false, Limits{Depth: DefaultDepth, Aliases: DefaultAliases})
}

func load(s *value.Store, src *diag.Source, direct bool, limits Limits) (Result, error) {
	if uint64(len(src.Text)) > math.MaxUint32 {
		return Result{}, diag.Errorf(diag.Span{Src: src}, "the file is larger than 4 GiB")
	}
	if err := checkEncoding(src); err != nil {
		return Result{}, err
	}
	file, ok := s.AddFile(src)
	if !ok {
		return Result{}, diag.Errorf(diag.Span{Src: src}, "too many files")
	}
	stuck := -1
	if direct {
		var r Result
		if r, stuck = readDirect(s, src, file, limits); stuck < 0 {
			return r, nil
		}
	}
	r, err := readLibrary(s, src, file, stuck, limits)
	r.Library = err == nil
	return r, err
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
