// SPDX-License-Identifier: Apache-2.0

package format

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// indentStep is what a map is indented by. A list under a key is not: that is
// how manifests, and the results of a merge, are written.
const indentStep = 2

// A layout takes a text apart, line by line, and writes it anew. The text is
// known to be YAML, so the layout need not see what is wrong with it.
type layout struct {
	t    string // the text
	p    int    // where the layout stands
	line int    // where the current line begins

	out      []byte
	outLine  int // where the current line begins in out
	verbatim map[int]bool

	// levels are the lists and maps around the current place.
	levels []level

	// waiting are the comments and empty lines that are not written yet: what
	// follows them says how they are indented.
	waiting []waiting
	// most is the last column for the comments that wait. Farther right they
	// would become part of the block text before them.
	most int

	// begun is the line of the text in which the latest item began, and shift
	// how far the item was moved.
	begun, shift int

	// open says that the last block text lacks its final line break.
	open bool
}

// A level is a list or map: its column in the text and in the output.
type level struct {
	src, dst int
	list     bool
}

// A waiting line is a comment, or empty.
type waiting struct {
	col  int
	text string
}

// A doubt is the reason to leave a text as it is. It is the panic of a layout.
type doubt struct {
	at  int
	why string
}

func (l *layout) doubt(why string) { panic(doubt{l.p, why}) }

// noLimit is a column that nothing reaches.
const noLimit = 1 << 30

// arrange returns the text in the new layout. The expressions at the given
// offsets keep their text.
func arrange(text string, verbatim map[int]bool) (out string, unsure *doubt) {
	l := &layout{t: text, verbatim: verbatim, most: noLimit, out: make([]byte, 0, len(text)+len(text)/8)}
	defer func() {
		switch x := recover().(type) {
		case nil:
		case doubt:
			unsure = &x
		default:
			panic(x)
		}
	}()
	l.lines()
	return string(l.out), nil
}

// bom may begin a text. It says nothing about text in UTF-8 and is dropped.
const bom = "\ufeff"

// lines lays out the whole text.
func (l *layout) lines() {
	if i := strings.IndexAny(l.t, "\r\u0085\u2028\u2029"); i >= 0 {
		l.p = i
		l.doubt("it has an unusual line break")
	}
	if strings.HasPrefix(l.t, bom) {
		l.p = len(bom)
	}
	for l.p < len(l.t) {
		l.line = l.p
		l.nextLine()
	}
	l.flush(l.levels, 0, 0)
	if l.open {
		l.out = l.out[:len(l.out)-1]
	}
}

// nextLine lays out what begins in the current line.
func (l *layout) nextLine() {
	l.spaces()
	col := l.p - l.line
	switch c := l.at(l.p); {
	case c == '\t':
		l.blanks()
		if c := l.at(l.p); c != '\n' && c != '#' && l.p < len(l.t) {
			l.doubt("a tab is part of the indentation")
		}
		l.wait(l.p - l.line)
	case c == '\n', c == '#', l.p == len(l.t):
		l.wait(col)
	case col == 0 && c == '%':
		l.doubt("it has a directive")
	case col == 0 && l.marker():
		l.flush(l.levels, 0, 0)
		l.levels = l.levels[:0]
		l.write(l.t[l.p : l.p+len("---")])
		l.p += len("---")
		l.begun, l.shift = l.line, 0
		if !l.endLine() {
			l.doubt("a document begins in the line of its mark")
		}
	default:
		l.item(col)
	}
}

// wait notes a comment or an empty line.
func (l *layout) wait(col int) {
	end := lineEnd(l.t, l.p)
	l.waiting = append(l.waiting, waiting{col, strings.TrimRight(l.t[l.p:end], " \t")})
	l.p = min(end+1, len(l.t))
}

// marker reports whether a mark between documents stands at the current place.
func (l *layout) marker() bool {
	rest := l.t[l.p:]
	return (strings.HasPrefix(rest, "---") || strings.HasPrefix(rest, "...")) && l.blankAt(l.p+3)
}

// item lays out what begins with the token in column col: dashes, a key, a
// scalar, and what belongs to it up to the end of its last line.
func (l *layout) item(col int) {
	around := l.levels
	l.pop(col, l.dash())
	first := true
	for l.dash() {
		l.enter(around, first, col, true)
		first = false
		l.write("-")
		l.p++
		if l.endLine() {
			return
		}
		l.write(" ")
		col = l.p - l.line
	}
	if end, colon := l.key(); colon > 0 {
		l.enter(around, first, col, false)
		l.write(l.t[l.p:end], ":")
		l.p = colon + 1
		if !l.endLine() {
			l.write(" ")
			l.value(l.inner())
		}
		return
	}
	parent := l.inner()
	if first {
		l.begin(around, col, parent.dst+indentStep)
	}
	l.value(level{parent.src, parent.dst, true})
}

// inner returns the innermost level. Around a document there is one to the left
// of the first column.
func (l *layout) inner() level {
	if n := len(l.levels); n > 0 {
		return l.levels[n-1]
	}
	return level{-1, -indentStep, false}
}

// pop ends the levels that cannot hold an item in column col.
func (l *layout) pop(col int, dash bool) {
	for len(l.levels) > 0 {
		if top := l.inner(); top.src < col || top.src == col && (dash || !top.list) {
			return
		}
		l.levels = l.levels[:len(l.levels)-1]
	}
}

// enter goes to the entry in column col of a list or map, which may begin here.
// first says that nothing else stands before it in the line.
func (l *layout) enter(around []level, first bool, col int, list bool) {
	top := l.inner()
	old := top.src == col && top.list == list
	if !old {
		dst := top.dst + indentStep
		if list && !top.list && len(l.levels) > 0 {
			dst = top.dst
		}
		top = level{col, dst, list}
	}
	if first {
		l.begin(around, col, top.dst)
	}
	if !old {
		l.levels = append(l.levels, top)
	}
}

// begin begins a line with the token that stands in column col of the text.
func (l *layout) begin(around []level, col, dst int) {
	l.flush(around, col, dst)
	l.indent(dst)
	l.begun, l.shift = l.line, dst-col
}

// flush writes the comments and empty lines before an item, or before the end
// of the document. around are the levels around them.
func (l *layout) flush(around []level, src, dst int) {
	empty := false
	for _, w := range l.waiting {
		if w.text == "" {
			empty = true
			continue
		}
		l.emptyLine(empty)
		empty = false
		l.indent(min(l.most, commentColumn(around, level{src: src, dst: dst}, w.col)))
		l.write(w.text)
		l.breakLine()
	}
	if l.p < len(l.t) {
		l.emptyLine(empty)
	}
	l.waiting, l.most = l.waiting[:0], noLimit
}

// emptyLine writes an empty line, but not at the beginning.
func (l *layout) emptyLine(wanted bool) {
	if wanted && len(l.out) > 0 {
		l.breakLine()
	}
}

// commentColumn returns where a comment in column col is put. It keeps its
// distance from the nearest thing to its left: what follows it, or a list or
// map around it.
func commentColumn(around []level, next level, col int) int {
	// Levels stand farther and farther right, a list perhaps below the key of
	// its map.
	i, _ := slices.BinarySearchFunc(around, col+1, func(v level, c int) int { return v.src - c })
	base, limit := level{}, noLimit
	if i > 0 {
		base = around[i-1]
	}
	if i < len(around) {
		limit = around[i].dst
	}
	switch {
	case next.src > col:
		limit = min(limit, next.dst)
	case next.src >= base.src:
		base = next
	}
	return max(0, min(limit, base.dst+col-base.src))
}

// endLine skips blanks, a comment and the line break, if nothing else follows
// in the line, and writes the comment and the line break.
func (l *layout) endLine() bool {
	before := l.p
	l.blanks()
	switch c := l.at(l.p); {
	case c == '\n', l.p == len(l.t):
	case c == '#' && l.p > before:
		end := lineEnd(l.t, l.p)
		l.write(strings.Repeat(" ", l.commentGap()), strings.TrimRight(l.t[l.p:end], " \t"))
		l.p = end
	default:
		return false
	}
	l.breakLine()
	l.p = min(l.p+1, len(l.t))
	l.line = l.p
	return true
}

// commentGap returns the number of blanks before a comment behind other text: it
// keeps its column, relative to the item, if it can.
func (l *layout) commentGap() int {
	if l.begun != l.line {
		return 1
	}
	want := utf8.RuneCountInString(l.t[l.line:l.p]) + l.shift
	return max(1, want-utf8.RuneCount(l.out[l.outLine:]))
}

// finish ends the line after a value.
func (l *layout) finish() {
	if !l.endLine() {
		if l.at(l.p) == ':' {
			l.doubt("a key is more than a word")
		}
		l.doubt("something unusual follows a value")
	}
}

func (l *layout) write(parts ...string) {
	for _, s := range parts {
		l.out = append(l.out, s...)
	}
}

func (l *layout) breakLine() {
	l.out = append(l.out, '\n')
	l.outLine = len(l.out)
}

func (l *layout) indent(column int) {
	for range column {
		l.out = append(l.out, ' ')
	}
}

// Characters

// at returns a byte of the text, 0 behind its end.
func (l *layout) at(i int) byte {
	if i < len(l.t) {
		return l.t[i]
	}
	return 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// blankAt reports whether a blank, or the end of a line, is at offset i.
func (l *layout) blankAt(i int) bool {
	return i >= len(l.t) || isBlank(l.t[i]) || l.t[i] == '\n'
}

func (l *layout) dash() bool { return l.at(l.p) == '-' && l.blankAt(l.p+1) }

func (l *layout) spaces() {
	for l.at(l.p) == ' ' {
		l.p++
	}
}

func (l *layout) blanks() {
	for isBlank(l.at(l.p)) {
		l.p++
	}
}

// lineEnd returns the offset of the line break at or after i.
func lineEnd(t string, i int) int {
	if n := strings.IndexByte(t[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(t)
}
