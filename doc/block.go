// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"strings"

	"github.com/dynaml/spiff/value"
)

// maxSimple is the length in bytes of keys that are read; YAML allows some more.
const maxSimple = 1000

// props are what may stand before a node.
type props struct {
	start  int // where they begin
	anchor string
	binary bool
	before uint64 // nodes read before
}

// properties reads the anchor and the tag at the current place, and the blanks
// behind them. It returns nil if there are none.
func (d *direct) properties() *props {
	if c := d.at(d.p); c != '&' && c != '!' {
		return nil
	}
	p := &props{start: d.p, before: d.real + d.aliased}
	tagged := false
	for {
		switch d.at(d.p) {
		case '&':
			if p.anchor != "" {
				giveUp()
			}
			p.anchor = d.anchorName()
			d.open(p.anchor)
		case '!':
			if tagged {
				giveUp()
			}
			tagged = true
			p.binary = d.tag() == binaryTag
		default:
			return p
		}
		if !blankOrEnd(d.at(d.p)) {
			d.p = p.start
			giveUp()
		}
		d.blanks()
	}
}

// anchorName reads the name of an anchor or alias behind its mark.
func (d *direct) anchorName() string {
	d.p++
	start := d.p
	for d.p < len(d.t) && anchorChar(d.t[d.p]) {
		d.p++
	}
	if d.p == start {
		giveUp()
	}
	return d.t[start:d.p]
}

// tag reads a tag of the forms !name and !!name.
func (d *direct) tag() string {
	start := d.p
	d.p++
	if d.at(d.p) == '!' {
		d.p++
	}
	name := d.p
	for anchorChar(d.at(d.p)) {
		d.p++
	}
	if d.p == name {
		giveUp()
	}
	return d.t[start:d.p]
}

func (p *props) isBinary() bool { return p != nil && p.binary }

// open makes aliases to a name give up until the node is complete.
func (d *direct) open(name string) {
	if d.anchored == nil {
		d.anchored = map[string]subtree{}
	}
	d.anchored[name] = subtree{}
}

// named gives a complete node its anchor.
func (d *direct) named(p *props, id value.ID) {
	if p != nil && p.anchor != "" {
		d.anchored[p.anchor] = subtree{id, d.real + d.aliased - p.before}
	}
}

// aliasNode reads an alias and returns the node it stands for, and where the
// alias ends.
func (d *direct) aliasNode() (value.ID, int) {
	start := d.p
	t := d.anchored[d.anchorName()]
	if t.id == 0 || !blankOrEnd(d.at(d.p)) && strings.IndexByte(",]}", d.at(d.p)) < 0 {
		giveUp()
	}
	d.builder.alias(t, d.span(start, d.p))
	return t.id, d.p
}

// block reads the node at the current place, which is in column col, and goes to
// the next token. The list or map around it is in column indent. The result is
// the node and where its text ends.
func (d *direct) block(indent, col int) (value.ID, int) {
	p := d.properties()
	if p != nil && d.endLine() {
		return d.valueBelow(indent, p, p.start, false)
	}
	return d.blockContent(indent, col, p)
}

// blockContent is block behind the properties. A list or a map needs a place of
// its own, without properties before it in the line.
func (d *direct) blockContent(indent, col int, p *props) (value.ID, int) {
	start := d.p
	switch c := d.at(d.p); c {
	case '-':
		if blankOrEnd(d.at(d.p + 1)) {
			if p != nil {
				giveUp()
			}
			return d.list(col, false)
		}
	case '"', '\'':
		v, from, to, exact, oneLine := d.quoted(c)
		end := d.p
		d.blanks()
		if d.at(d.p) == ':' && blankOrEnd(d.at(d.p+1)) {
			if p != nil || !oneLine || d.p-start > maxSimple {
				giveUp()
			}
			d.p++
			return d.mapping(col, start, d.symbol(v), extent{uint32(from), uint32(to)})
		}
		d.p = end
		return d.endScalar(p, text(v), from, to, exact)
	case ':', '?':
		if blankOrEnd(d.at(d.p + 1)) {
			giveUp()
		}
	case '|', '>', '[', '{', '*', ',', ']', '}', '%', '@', '`', '#':
		return d.inline(indent, p)
	}
	if k, ok := d.guess(); ok {
		if p != nil {
			giveUp()
		}
		return d.mapping(col, start, k, extent{uint32(start), uint32(d.p - 1)})
	}
	stop, end := d.plainLine(inPlain)
	if stop == ':' {
		if p != nil || d.p-start > maxSimple {
			giveUp()
		}
		d.p++
		return d.mapping(col, start, d.plainSymbol(d.t[start:end]), extent{uint32(start), uint32(end)})
	}
	return d.plain(indent, p, start, end, stop)
}

// guess takes the key that most likely stands at the current place, with its
// colon.
func (d *direct) guess() (value.Sym, bool) {
	if len(d.next) == 0 {
		return 0, false
	}
	k := d.next[d.prev]
	name := d.s.Name(k)
	end := d.p + len(name)
	if end+1 < len(d.t) && d.t[end] == ':' && (d.t[end+1] == ' ' || d.t[end+1] == '\n') && name != "" && d.t[d.p:end] == name && d.good[k] {
		d.p = end + 1
		return k, true
	}
	return 0, false
}

// plainLine reads a plain scalar up to the end of the line, or before what
// separates it from other text, at which it stops. The scalar ends at end.
func (d *direct) plainLine(kind uint8) (stop byte, end int) {
	start := d.p
	for {
		stop = d.scan(kind)
		switch {
		case stop == ':' && !blankOrEnd(d.at(d.p+1)),
			stop == '#' && d.p > start && d.t[d.p-1] != ' ' && d.t[d.p-1] != '\t':
			d.p++
			continue
		}
		end = d.p
		for end > start && (d.t[end-1] == ' ' || d.t[end-1] == '\t') {
			end--
		}
		return stop, end
	}
}

// plain reads what follows the first line of a plain scalar, and goes to the
// next token.
func (d *direct) plain(indent int, p *props, start, end int, stop byte) (value.ID, int) {
	next := stop == '\n' && d.nextLine(indent)
	if !next && stop == '\n' && d.continues(indent) {
		return d.plainLines(indent, p, start, end)
	}
	t := d.t[start:end]
	v := resolve(t)
	if p.isBinary() {
		v = text(t)
	}
	d.addScalar(p, v, start, end, len(v.text) == len(t))
	if !next {
		d.nextToken()
	}
	return d.last(), end
}

// nextLine goes to the token of the next line if there is one that does not
// continue a scalar within indent. It reports whether that was so.
func (d *direct) nextLine(indent int) bool {
	line := d.p + 1
	i := line
	for d.at(i) == ' ' {
		i++
	}
	if c := d.at(i); d.t[d.p] != '\n' || i-line > indent || c <= ' ' || c == '#' || c == '%' {
		return false
	}
	d.p, d.line = i, line
	return true
}

// continues reports whether the line after the current one, which ends here,
// continues a scalar: it has a token in a column behind indent.
func (d *direct) continues(indent int) bool {
	i := d.p
	for {
		if d.at(i) == '\r' {
			i++
		}
		if d.at(i) != '\n' {
			break
		}
		i++
		line := i
		for d.at(i) == ' ' {
			i++
		}
		switch c := d.at(i); {
		case c == '\n' || c == '\r':
			continue
		case c == '\t':
			giveUp()
		case c == '#' || i == len(d.t):
			return false
		default:
			return i-line > indent && !(i == line && d.markerAt(i))
		}
	}
	return false
}

// markerAt reports whether the text at i is a mark between documents.
func (d *direct) markerAt(i int) bool {
	t := d.t[i:]
	return (strings.HasPrefix(t, "---") || strings.HasPrefix(t, "...")) && blankOrEnd(d.at(i+3))
}

// plainLines reads the further lines of a plain scalar. A line break is a blank,
// and each empty line a line break.
func (d *direct) plainLines(indent int, p *props, start, end int) (value.ID, int) {
	d.buf = append(d.buf[:0], d.t[start:end]...)
	for d.continues(indent) {
		d.foldBreaks()
		from := d.p
		var stop byte
		if stop, end = d.plainLine(inPlain); stop == ':' {
			giveUp()
		}
		d.buf = append(d.buf, d.t[from:end]...)
		if stop != '\n' {
			break
		}
	}
	t := string(d.buf)
	v := resolve(t)
	if p.isBinary() {
		v = text(t)
	}
	return d.endScalar(p, v, start, end, false)
}

// foldBreaks skips the line breaks at the current place and the indentation of
// the next line, and adds to the text what they stand for.
func (d *direct) foldBreaks() {
	breaks := 0
	for c := d.at(d.p); c == '\n' || c == '\r'; c = d.at(d.p) {
		d.newline()
		breaks++
		d.blanks()
	}
	if breaks == 1 {
		d.buf = append(d.buf, ' ')
	}
	for ; breaks > 1; breaks-- {
		d.buf = append(d.buf, '\n')
	}
}

// endScalar adds a scalar and goes to the next token.
func (d *direct) endScalar(p *props, v scalar, start, end int, exact bool) (value.ID, int) {
	d.addScalar(p, v, start, end, exact)
	d.nextToken()
	return d.last(), end
}

// last returns the node that was added last.
func (d *direct) last() value.ID { return value.ID(d.s.Len()) }

// addScalar adds a scalar.
func (d *direct) addScalar(p *props, v scalar, start, end int, exact bool) value.ID {
	d.real++
	if p == nil {
		return d.scalar(v, start, end, exact)
	}
	if p.binary {
		v.flags |= value.Binary
	}
	id := d.scalar(v, start, end, exact)
	d.named(p, id)
	return id
}

// inline reads a node that begins with an indicator, and goes to the next token.
func (d *direct) inline(indent int, p *props) (value.ID, int) {
	switch c := d.at(d.p); c {
	case '|', '>':
		return d.blockText(indent, p)
	case '[', '{':
		id, end := d.flow()
		d.named(p, id)
		d.nextToken()
		return id, end
	case '*':
		if p != nil {
			giveUp()
		}
		id, end := d.aliasNode()
		d.nextToken()
		return id, end
	}
	giveUp()
	return 0, 0
}

// list reads the list whose entries have their dashes in column col. An
// indentless one stands below a key in the same column and ends at the next.
func (d *direct) list(col int, indentless bool) (value.ID, int) {
	d.deeper()
	d.real++
	base := len(d.ids)
	at := value.Node{File: d.file, Start: uint32(d.p), End: uint32(d.p)}
	for {
		d.p++
		id, end := d.entryNode(col)
		d.ids = append(d.ids, id)
		at.End = uint32(end)
		c := d.column()
		if c > col {
			giveUp()
		}
		if c < col {
			break
		}
		if d.at(d.p) != '-' || !blankOrEnd(d.at(d.p+1)) {
			if !indentless && !(col == 0 && d.markerAt(d.p)) {
				giveUp()
			}
			break
		}
	}
	d.depth--
	return d.builder.list(at, base), int(at.End)
}

// entryNode reads the entry behind a dash.
func (d *direct) entryNode(col int) (value.ID, int) {
	dash := d.p
	for d.at(d.p) == ' ' {
		d.p++
	}
	switch d.at(d.p) {
	case '\t':
		giveUp()
	case '\n', '\r', '#', 0:
		d.endLine()
		if c := d.firstToken(); c > col {
			return d.block(col, c)
		}
		return d.null(dash), dash
	}
	return d.block(col, d.p-d.line)
}

// mapping reads the map whose keys are in column col. The first key, k at the
// given place, has been read, with its colon.
func (d *direct) mapping(col, start int, k value.Sym, keyAt extent) (value.ID, int) {
	d.deeper()
	d.real++
	kb, vb := len(d.keys), len(d.ids)
	at := value.Node{File: d.file, Start: uint32(start), End: uint32(start)}
	for {
		d.follow(k)
		id, end := d.mapValue(col)
		d.push(k, keyAt, id)
		at.End = max(uint32(end), keyAt.end)
		c := d.column()
		if c > col {
			giveUp()
		}
		if c < col || col == 0 && d.markerAt(d.p) {
			break
		}
		k, keyAt = d.key()
	}
	d.depth--
	return d.builder.mapping(at, kb, vb), int(at.End)
}

// key reads a key and its colon.
func (d *direct) key() (value.Sym, extent) {
	start := d.p
	if k, ok := d.guess(); ok {
		return k, extent{uint32(start), uint32(d.p - 1)}
	}
	switch c := d.at(d.p); c {
	case '"', '\'':
		v, from, to, _, oneLine := d.quoted(c)
		d.blanks()
		if d.at(d.p) != ':' || !blankOrEnd(d.at(d.p+1)) || !oneLine || d.p-start > maxSimple {
			giveUp()
		}
		d.p++
		return d.symbol(v), extent{uint32(from), uint32(to)}
	case '-', '?', ':':
		if blankOrEnd(d.at(d.p + 1)) {
			giveUp()
		}
	case '&', '!', '*', '|', '>', '[', '{', ',', ']', '}', '%', '@', '`':
		giveUp()
	}
	stop, end := d.plainLine(inPlain)
	if stop != ':' || d.p-start > maxSimple {
		giveUp()
	}
	d.p++
	return d.plainSymbol(d.t[start:end]), extent{uint32(start), uint32(end)}
}

// mapValue reads the value behind the colon of a key in column col, and goes to
// the next token.
func (d *direct) mapValue(col int) (value.ID, int) {
	colon := d.p
	if d.at(d.p) == ' ' {
		d.p++
	}
	c := d.at(d.p)
	if c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == '#' || c == 0 {
		d.p = colon
		if d.endLine() {
			return d.valueBelow(col, nil, colon, true)
		}
		c = d.at(d.p)
	}
	var p *props
	if c == '&' || c == '!' {
		if p = d.properties(); d.endLine() {
			return d.valueBelow(col, p, p.start, true)
		}
		c = d.at(d.p)
	}
	start := d.p
	switch c {
	case '"', '\'':
		v, from, to, exact, _ := d.quoted(c)
		return d.endScalar(p, text(v), from, to, exact)
	case '-', '?', ':':
		if blankOrEnd(d.at(d.p + 1)) {
			giveUp()
		}
	case '|', '>', '[', '{', '*', ',', ']', '}', '%', '@', '`', '&', '!':
		return d.inline(col, p)
	}
	stop, end := d.plainLine(inPlain)
	if stop == ':' {
		giveUp()
	}
	return d.plain(col, p, start, end, stop)
}

// valueBelow reads a value that begins on the next line, or none, for which it
// adds a null at empty. Under a key, a list may be in the same column.
func (d *direct) valueBelow(indent int, p *props, empty int, key bool) (value.ID, int) {
	col := d.firstToken()
	var id value.ID
	end := empty
	switch {
	case col > indent && !(col == 0 && d.markerAt(d.p)):
		if p != nil && (d.at(d.p) == '&' || d.at(d.p) == '!') {
			giveUp()
		}
		id, end = d.belowProps(indent, col, p)
	case key && col == indent && d.at(d.p) == '-' && blankOrEnd(d.at(d.p+1)):
		id, end = d.list(col, true)
	case p.isBinary():
		giveUp() // an empty text
	default:
		id = d.null(empty)
	}
	d.named(p, id)
	return id, end
}

// belowProps reads a node on a line of its own, where properties of the line
// before do not stand in the way of a list or map.
func (d *direct) belowProps(indent, col int, p *props) (value.ID, int) {
	if !p.isBinary() {
		if p != nil && p.anchor != "" && d.at(d.p) == '*' {
			giveUp()
		}
		return d.block(indent, col)
	}
	giveUp() // a tag for what stands in another line
	return 0, 0
}
