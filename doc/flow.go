// SPDX-License-Identifier: Apache-2.0

package doc

import "github.com/dynaml/spiff/value"

// flow reads the list or map in brackets at the current place.
func (d *direct) flow() (value.ID, int) {
	d.deeper()
	d.real++
	start := d.p
	open := d.t[d.p]
	d.p++
	d.flowBlanks()
	at := value.Node{File: d.file, Start: uint32(start), End: uint32(min(d.p+1, len(d.t)))}
	var id value.ID
	if open == '[' {
		base := len(d.ids)
		for d.at(d.p) != ']' {
			e, end := d.flowNode()
			d.ids = append(d.ids, e)
			at.End = uint32(end)
			d.comma(']')
		}
		id = d.builder.list(at, base)
	} else {
		kb, vb := len(d.keys), len(d.ids)
		for d.at(d.p) != '}' {
			k, keyAt := d.flowKey()
			d.flowBlanks()
			e, end := d.flowNode()
			d.push(k, keyAt, e)
			at.End = max(uint32(end), keyAt.end)
			d.comma('}')
		}
		id = d.builder.mapping(at, kb, vb)
	}
	d.p++
	d.depth--
	return id, int(at.End)
}

// comma skips what follows an entry: a comma, unless the bracket closes.
func (d *direct) comma(end byte) {
	d.flowBlanks()
	switch d.at(d.p) {
	case ',':
		d.p++
		d.flowBlanks()
	case end:
	default:
		giveUp()
	}
}

// flowBlanks skips blanks, line breaks and comments between brackets.
func (d *direct) flowBlanks() {
	for d.endLine() {
		if d.p == len(d.t) || d.markerAt(d.p) {
			giveUp()
		}
	}
}

// flowKey reads a key and its colon.
func (d *direct) flowKey() (value.Sym, extent) {
	start := d.p
	switch c := d.at(d.p); c {
	case '"', '\'':
		v, from, to, _, oneLine := d.quoted(c)
		d.blanks()
		if d.at(d.p) != ':' || !oneLine || d.p-start > maxSimple {
			giveUp()
		}
		d.p++
		return d.symbol(v), extent{uint32(from), uint32(to)}
	default:
		stop, end := d.flowPlain()
		if stop != ':' || d.p-start > maxSimple {
			giveUp()
		}
		d.p++
		return d.plainSymbol(d.t[start:end]), extent{uint32(start), uint32(end)}
	}
}

// flowPlain reads a plain scalar between brackets.
func (d *direct) flowPlain() (stop byte, end int) {
	switch d.at(d.p) {
	case '-':
		if blankOrEnd(d.at(d.p + 1)) {
			giveUp()
		}
	case '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', 0:
		giveUp()
	}
	return d.plainLine(inFlow)
}

// flowNode reads a node between brackets.
func (d *direct) flowNode() (value.ID, int) {
	start := d.p
	switch c := d.at(d.p); c {
	case '[', '{':
		return d.flow()
	case '"', '\'':
		v, from, to, exact, _ := d.quoted(c)
		id := d.addScalar(nil, text(v), from, to, exact)
		return id, int(d.s.Node(id).End)
	case '*':
		return d.aliasNode()
	}
	if stop, end := d.flowPlain(); stop != ':' && stop != '?' {
		v := resolve(d.t[start:end])
		id := d.addScalar(nil, v, start, end, len(v.text) == end-start)
		return id, end
	}
	giveUp()
	return 0, 0
}
