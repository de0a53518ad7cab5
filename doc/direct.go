// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"strings"
	"unicode/utf8"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// A direct reader turns text into nodes in one pass, by recursive descent over
// lines and their indentation. It takes the YAML that manifests are written in
// and gives up at anything else: complex keys, directives, anchors of keys, tags
// with handles, tabs in the indentation, and all that is no YAML. Giving up
// costs the time spent so far and nothing else, as the library then begins anew;
// so a doubt is always a reason to do it.
type direct struct {
	builder
	t    string // the text
	p    int    // where the reader stands
	line int    // where the current line begins

	depth    int
	quote    int // behind the quote that opens the text being read, 0 for none
	anchored map[string]subtree
	buf      []byte // text that does not stand in the file as it is

	// next is, for each symbol, the key that followed it last in the text, and
	// prev the latest key. Entries of a list repeat their keys, so most keys
	// are known without a search for their end or in the table of symbols.
	next []value.Sym
	prev value.Sym
	good []bool // by symbol: may be written as a plain key
}

// gaveUp is the panic of a direct reader that gives up.
type gaveUp struct{}

func giveUp() { panic(gaveUp{}) }

// readDirect reads all documents of src. If it gives up, it returns the place
// where, else -1.
func readDirect(s *value.Store, src *diag.Source, file value.File, limits Limits) (res Result, stuck int) {
	d := &direct{builder: newBuilder(s, src, file, limits), t: src.Text}
	defer func() {
		if x := recover(); x != nil {
			if _, is := x.(gaveUp); !is {
				panic(x)
			}
			if stuck = d.p; d.p == len(d.t) && d.quote > 0 {
				stuck = d.quote - 1
			}
		}
	}()
	if strings.HasPrefix(d.t, bom) {
		d.p = len(bom)
		d.line = d.p
	}
	d.documents()
	res, err := d.finish()
	if err != nil {
		giveUp()
	}
	return res, -1
}

// documents reads the documents of the text.
func (d *direct) documents() {
	col := d.firstToken()
	for first := true; col >= 0; first = false {
		explicit := col == 0 && d.marker("---")
		switch {
		case explicit:
			col = d.afterMarker()
		case !first || col == 0 && d.marker("..."):
			giveUp() // only the first document needs no mark
		}
		d.document(col)
		if col = d.column(); col > 0 || col == 0 && !d.markerAt(d.p) {
			giveUp()
		}
		for col == 0 && d.marker("...") {
			col = d.afterMarker()
		}
	}
}

// document reads the document at the current token, which is in column col.
func (d *direct) document(col int) {
	d.result.Empty = col < 0 || col == 0 && d.markerAt(d.p)
	var id value.ID
	if d.result.Empty {
		id = d.null(d.p)
	} else {
		id, _ = d.block(-1, col)
	}
	d.result.Docs = append(d.result.Docs, id)
}

// marker reports whether the line at the current place is a mark between
// documents.
func (d *direct) marker(mark string) bool {
	return strings.HasPrefix(d.t[d.p:], mark) && blankOrEnd(d.at(d.p+len(mark)))
}

// afterMarker skips a mark and returns the column of the token after it.
func (d *direct) afterMarker() int {
	d.p += len("---")
	return d.nextToken()
}

// Characters

// at returns a byte of the text, 0 behind its end. No text contains a 0: it
// would be given up.
func (d *direct) at(i int) byte {
	if i < len(d.t) {
		return d.t[i]
	}
	return 0
}

func blankOrEnd(c byte) bool { return c == ' ' || c == '\n' || c == 0 || c == '\t' || c == '\r' }

// The classes of bytes. A scan over a kind of text stops at bytes of its class.
const (
	inPlain  = 1 << iota // ends or may end a plain scalar
	inFlow               // and what ends one between brackets
	inSingle             // ends or may end text in single quotes
	inDouble             // the same in double quotes
	inLine               // ends a line, or is not allowed in one
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c == '\t':
		case c < ' ' || c >= 0x7f:
			t[c] = inPlain | inFlow | inSingle | inDouble | inLine
		}
	}
	t[':'], t['#'] = inPlain|inFlow, inPlain|inFlow
	for _, c := range ",[]{}?" {
		t[c] |= inFlow
	}
	t['\''], t['"'], t['\\'] = inSingle, inDouble, inDouble
	return t
}()

// scan moves to the next byte of the given class, which it returns; at the end
// of the text it returns 0. Bytes above ASCII that are part of an allowed
// character are passed.
func (d *direct) scan(kind uint8) byte {
	for {
		rest := d.t[d.p:]
		i := 0
		for i < len(rest) && class[rest[i]]&kind == 0 {
			i++
		}
		d.p += i
		if i == len(rest) {
			return 0
		}
		switch c := rest[i]; {
		case c >= utf8.RuneSelf:
			d.wide()
		case c == '\r':
			if d.at(d.p+1) != '\n' {
				giveUp()
			}
			return '\n'
		case c < ' ' && c != '\n', c == 0x7f:
			giveUp()
		default:
			return c
		}
	}
}

// wide skips a character above ASCII. It gives up at those that are no text, and
// at those in which YAML sees more.
func (d *direct) wide() {
	r, n := utf8.DecodeRuneInString(d.t[d.p:])
	switch {
	case r == utf8.RuneError && n == 1, r < 0xa0, r == '\u2028', r == '\u2029', r == '\ufeff', r == 0xfffe, r == 0xffff:
		giveUp()
	}
	d.p += n
}

// Lines

// column returns the column of the current token, or -1 at the end of the text.
func (d *direct) column() int {
	if d.p == len(d.t) {
		return -1
	}
	return d.p - d.line
}

// blanks skips blanks and tabs.
func (d *direct) blanks() {
	for c := d.at(d.p); c == ' ' || c == '\t'; c = d.at(d.p) {
		d.p++
	}
}

// endLine skips blanks, a comment and the line break, behind which the next line
// begins. It reports false, and stands at the next token, if there is one in the
// line.
func (d *direct) endLine() bool {
	d.blanks()
	switch d.at(d.p) {
	case '\n':
	case '\r':
		d.scan(inLine)
	case 0:
		if d.p < len(d.t) {
			giveUp()
		}
	case '#':
		if d.p > d.line && !blankByte(d.t[d.p-1]) {
			giveUp()
		}
		d.scan(inLine)
	default:
		return false
	}
	d.newline()
	return true
}

// newline skips the line break at the current place, if the text does not end.
func (d *direct) newline() {
	if d.at(d.p) == '\r' {
		if d.p++; d.at(d.p) != '\n' {
			giveUp()
		}
	}
	if d.p < len(d.t) {
		d.p++
	}
	d.line = d.p
}

// nextToken ends the line, in which nothing else may follow, and returns the
// column of the next token.
func (d *direct) nextToken() int {
	if !d.endLine() {
		giveUp()
	}
	return d.firstToken()
}

// firstToken skips lines without a token and returns the column of the next
// token, -1 at the end of the text. The reader stands at the start of a line.
func (d *direct) firstToken() int {
	for {
		i := d.p
		for i < len(d.t) && d.t[i] == ' ' {
			i++
		}
		d.p = i
		switch d.at(i) {
		case '\n', '\r', '#':
			d.endLine()
			if d.p < len(d.t) {
				continue
			}
			return -1
		case '\t', '%':
			giveUp()
		case 0:
			if i < len(d.t) {
				giveUp()
			}
			return -1
		}
		return i - d.line
	}
}

// Nodes

// null adds the node of a value that is not written.
func (d *direct) null(at int) value.ID {
	d.real++
	return d.s.New(value.Node{Kind: value.Null, File: d.file, Start: uint32(at), End: uint32(at)})
}

// deeper counts a level of nesting; the caller undoes it.
func (d *direct) deeper() {
	if d.depth++; d.depth > d.limits.Depth {
		giveUp()
	}
}

// symbol interns a key.
func (d *direct) symbol(name string) value.Sym {
	k := d.intern(name)
	if int(k) >= len(d.next) {
		n := max(2*len(d.next), int(k)+1, 64)
		d.next = append(d.next, make([]value.Sym, n-len(d.next))...)
		d.good = append(d.good, make([]bool, n-len(d.good))...)
	}
	return k
}

// plainSymbol interns a plain key, which must not stand for something else than
// a string.
func (d *direct) plainSymbol(name string) value.Sym {
	k := d.symbol(name)
	if !d.good[k] {
		if resolve(name).kind != value.String {
			giveUp()
		}
		d.good[k] = true
	}
	return k
}

// follow notes that key k follows the one before it.
func (d *direct) follow(k value.Sym) {
	d.next[d.prev] = k
	d.prev = k
}
