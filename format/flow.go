// SPDX-License-Identifier: Apache-2.0

package format

import "strings"

// flowMarks are the characters that part the lists and maps in brackets.
const flowMarks = ",[]{}"

// maxDepth is how far brackets indent what is in them. Text that nests deeper
// would mostly consist of blanks.
const maxDepth = 40

// flow lays out a list or map in brackets. It keeps its lines; column is that of
// its closing bracket if it stands in a line of its own.
func (l *layout) flow(column int) {
	depth := 0
	before := byte(0) // the mark before the current token; 'a' for other text
	for {
		l.blanks()
		c := l.at(l.p)
		if l.p == len(l.t) {
			l.doubt("a bracket is not closed")
		}
		if c == '\n' {
			l.breakLine()
			l.p++
			l.line = l.p
			before = '\n'
			continue
		}
		closes := c == ']' || c == '}'
		if closes {
			depth--
		}
		if before == '\n' {
			l.indent(column + indentStep*min(depth, maxDepth))
		} else if l.spaced(before, c) {
			l.write(" ")
		}
		before = c
		switch {
		case c == '#':
			if l.p > l.line && !isBlank(l.t[l.p-1]) {
				l.doubt("a comment needs a blank before it")
			}
			end := lineEnd(l.t, l.p)
			l.write(strings.TrimRight(l.t[l.p:end], " \t"))
			l.p = end
		case closes:
			l.step()
			if depth == 0 {
				return
			}
		case c == '[' || c == '{':
			depth++
			l.step()
		case c == ',' || c == ':' && l.separates():
			l.step()
		default:
			l.flowText()
			before = 'a'
		}
	}
}

func (l *layout) step() {
	l.write(l.t[l.p : l.p+1])
	l.p++
}

// separates reports whether the colon at the current place ends a key.
func (l *layout) separates() bool {
	if l.blankAt(l.p+1) || strings.IndexByte(flowMarks, l.t[l.p+1]) >= 0 {
		return true
	}
	c := l.at(l.p - 1) // a key in quotes or brackets needs no blank
	return c == '"' || c == '\'' || c == ']' || c == '}'
}

// spaced reports whether a blank stands between a mark and the next token.
func (l *layout) spaced(before, c byte) bool {
	switch {
	case c == '#', before == ':':
		return true
	case before == 0, before == '[', before == '{', c == ',', c == ']', c == '}':
		return false
	}
	return c != ':' || !l.separates()
}

// flowKey reports whether what ends at the current place is a key.
func (l *layout) flowKey() bool {
	i := l.p
	for isBlank(l.at(i)) {
		i++
	}
	return l.at(i) == ':'
}

// flowText lays out a scalar, an alias, an anchor or a tag between brackets.
func (l *layout) flowText() {
	start := l.p
	var t string
	switch c := l.at(l.p); c {
	case '"', '\'':
		l.p = l.quotedEnd(start)
		if !l.flowKey() {
			t = l.requoted(start, l.t[start:l.p], false)
		}
	case '&', '!', '*':
		for !l.blankAt(l.p) && strings.IndexByte(flowMarks, l.t[l.p]) < 0 {
			l.p++
		}
	default:
		if c == '?' && l.blankAt(l.p+1) {
			l.doubt("a key is written with a question mark")
		}
		l.p = l.plainEnd(start, true)
		e := l.expression(start, start, l.t[start:l.p], false)
		if len(e) == 1 && !l.flowKey() && plainLines(e) && !strings.ContainsAny(e[0].text, flowMarks) {
			t = e[0].text
		}
	}
	if l.p == start {
		l.doubt("something unusual stands between brackets")
	}
	if t == "" {
		t = l.t[start:l.p]
	}
	l.write(t)
	if i := strings.LastIndexByte(t, '\n'); i >= 0 {
		l.outLine = len(l.out) - len(t) + i + 1
	}
	l.passed(start)
}
