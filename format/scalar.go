// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strings"

	"github.com/dynaml/spiff/value"
)

// key returns the end of the key at the current place and where its colon is, 0
// if there is none.
func (l *layout) key() (end, colon int) {
	switch c := l.at(l.p); c {
	case '"', '\'':
		end = l.quotedEnd(l.p)
		if strings.Contains(l.t[l.p:end], "\n") {
			return 0, 0
		}
	case '[', '{', '|', '>':
		return 0, 0
	case '&', '!', '*':
		return l.afterProperties()
	default:
		if (c == '?' || c == ':') && l.blankAt(l.p+1) {
			l.doubt("a key is written with a question mark")
		}
		end = l.plainEnd(l.p, false)
	}
	colon = end
	for isBlank(l.at(colon)) {
		colon++
	}
	if l.at(colon) != ':' || !l.blankAt(colon+1) {
		return 0, 0
	}
	return end, colon
}

// afterProperties is key for what begins with an anchor, a tag or an alias: a
// value, unless a key follows in the line.
func (l *layout) afterProperties() (end, colon int) {
	start := l.p
	defer func() { l.p = start }()
	for c := l.at(l.p); c == '&' || c == '!' || c == '*'; c = l.at(l.p) {
		l.p = l.wordEnd(l.p)
		l.blanks()
	}
	if l.p == len(l.t) || l.at(l.p) == '\n' {
		return 0, 0
	}
	if l.at(l.p) == ':' && l.blankAt(l.p+1) {
		l.doubt("a key has an anchor or a tag, or is an alias")
	}
	if _, colon := l.key(); colon > 0 {
		l.doubt("a key has an anchor or a tag, or is an alias")
	}
	return 0, 0
}

// value lays out the value at the current place, behind a key or a dash or in a
// line of its own, and the end of its line. parent is the list or map it is in,
// or counts as a list if the value is not behind a key.
func (l *layout) value(parent level) {
	tagged := false
	for c := l.at(l.p); c == '&' || c == '!'; c = l.at(l.p) {
		tagged = tagged || c == '!'
		end := l.wordEnd(l.p)
		l.write(l.t[l.p:end])
		l.p = end
		if l.endLine() {
			return
		}
		l.write(" ")
	}
	switch c := l.at(l.p); c {
	case '|', '>':
		l.block(parent, tagged)
		return
	case '"', '\'':
		l.quoted(parent.dst, tagged)
	case '[', '{':
		column := parent.dst
		if parent.list {
			column += indentStep
		}
		l.flow(max(column, 0))
	default:
		l.plain(parent, tagged)
	}
	l.finish()
}

// wordEnd returns the end of the word at i.
func (l *layout) wordEnd(i int) int {
	for !l.blankAt(i) {
		i++
	}
	return i
}

// plainEnd returns the end of the plain text at i in its line: before a colon, a
// comment or, between brackets, a comma or a bracket.
func (l *layout) plainEnd(i int, inFlow bool) int {
	end := i
	for ; i < len(l.t) && l.t[i] != '\n'; i++ {
		switch c := l.t[i]; {
		case isBlank(c):
			continue
		case c == '#' && i > 0 && isBlank(l.t[i-1]),
			c == ':' && (l.blankAt(i+1) || inFlow && strings.IndexByte(flowMarks, l.t[i+1]) >= 0),
			inFlow && strings.IndexByte(flowMarks, c) >= 0:
			return end
		}
		end = i + 1
	}
	return end
}

// plain lays out a plain scalar, which may have several lines.
func (l *layout) plain(parent level, tagged bool) {
	start := l.p
	end := l.plainEnd(start, false)
	lines := []string{l.t[start:end]}
	for l.p = end; ; l.p = end {
		l.blanks()
		if l.at(l.p) != '\n' {
			break
		}
		next, empty := l.continued(parent.src)
		if next < 0 {
			break
		}
		for range empty {
			lines = append(lines, "")
		}
		end = l.plainEnd(next, false)
		lines = append(lines, l.t[next:end])
	}
	l.p = end
	l.passed(start)
	column := parent.dst + indentStep
	if e := l.expression(start, start, l.t[start:end], tagged); e != nil && plainLines(e) {
		for i := range e {
			e[i].depth = max(e[i].depth-1, 0) // all further lines stand behind the key already
		}
		l.writeLines(e, column)
		return
	}
	for i, t := range lines {
		if i > 0 {
			l.breakLine()
			if t != "" {
				l.indent(column)
			}
		}
		l.write(t)
	}
}

// passed notes the line breaks between start and the current place.
func (l *layout) passed(start int) {
	if i := strings.LastIndexByte(l.t[start:l.p], '\n'); i >= 0 {
		l.line = start + i + 1
	}
}

// continued returns where the next line of a plain scalar begins, after how many
// empty lines, or -1 if the scalar ends with the current line.
func (l *layout) continued(indent int) (next, empty int) {
	for i := lineEnd(l.t, l.p); i < len(l.t); empty++ {
		line := i + 1
		for i = line; isBlank(l.at(i)); i++ {
		}
		if l.at(i) == '\n' {
			continue
		}
		saved := l.p
		l.p = i
		ends := i-line <= indent || l.at(i) == '#' || i == len(l.t) || i == line && l.marker()
		l.p = saved
		if ends {
			return -1, 0
		}
		return i, empty
	}
	return -1, 0
}

// plainLines reports whether the lines of an expression are plain text.
func plainLines(lines []textLine) bool {
	for _, t := range lines {
		if strings.Contains(t.text, ": ") || strings.Contains(t.text, " #") || strings.HasSuffix(t.text, ":") || strings.HasPrefix(t.text, "#") {
			return false
		}
	}
	return true
}

// quotedEnd returns the offset behind the quoted text at i.
func (l *layout) quotedEnd(i int) int {
	q := l.t[i]
	for i++; i < len(l.t); i++ {
		switch {
		case q == '"' && l.t[i] == '\\':
			i++
		case q == '\'' && l.t[i] == q && l.at(i+1) == q:
			i++
		case l.t[i] == q:
			return i + 1
		}
	}
	l.doubt("a quote is not closed") // it stands in a plain text, behind what looked like an anchor
	return 0
}

// quoted lays out a quoted text. The blanks that a further line begins with are
// not part of it.
func (l *layout) quoted(parent int, tagged bool) {
	start, end := l.p, l.quotedEnd(l.p)
	l.p = end
	text := l.t[start:end]
	if t := l.requoted(start, text, tagged); t != "" {
		l.write(t)
		return
	}
	for i := 0; ; {
		n := lineEnd(text, i)
		l.write(text[i:n])
		if n == len(text) {
			break
		}
		l.breakLine()
		for i = n + 1; isBlank(text[i]); i++ {
		}
		if text[i] != '\n' {
			l.indent(parent + indentStep)
		}
	}
	l.passed(start)
}

// requoted returns a quoted text with its expression formatted, or nothing if
// it is no expression or must stay.
func (l *layout) requoted(start int, quoted string, tagged bool) string {
	text := quoted[1 : len(quoted)-1]
	if quoted[0] == '\'' {
		text = strings.ReplaceAll(text, "''", "'")
	} else {
		bare := unescape.Replace(text)
		if escape.Replace(bare) != text {
			return "" // it has other escapes
		}
		text = bare
	}
	if strings.ContainsAny(text, "\n\t") {
		return ""
	}
	e := l.expression(start, start+1, text, tagged)
	switch {
	case len(e) != 1:
		return ""
	case quoted[0] == '\'':
		return "'" + strings.ReplaceAll(e[0].text, "'", "''") + "'"
	}
	return `"` + escape.Replace(e[0].text) + `"`
}

var (
	escape   = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`)
)

// block lays out a block text with its lines.
func (l *layout) block(parent level, tagged bool) {
	end := l.wordEnd(l.p)
	header := l.t[l.p:end]
	l.p = end
	l.write(header)
	if !l.endLine() {
		l.doubt("something unusual follows the mark of a block text")
	}
	src, dst := parent.src, parent.dst
	if i := strings.IndexAny(header, "123456789"); i >= 0 {
		src, dst = max(src, 0)+int(header[i]-'0'), max(dst, 0)+int(header[i]-'0')
	} else {
		src, dst = l.blockIndent(src), max(dst, 0)+indentStep
	}
	start := l.p
	lines := l.blockLines(src)
	keep := strings.Contains(header, "+")
	if body := l.t[start:l.p]; (keep || strings.Contains(body, " ")) && strings.Trim(body, " \n") == "" {
		l.doubt("a block text consists of empty lines")
	}
	l.open = l.p == len(l.t) && l.t[l.p-1] != '\n' && len(lines) > 0 && lines[len(lines)-1] != "" && !strings.Contains(header, "-")
	for n := len(lines); !keep && n > 0 && lines[n-1] == ""; n-- {
		lines = lines[:n-1]
		l.waiting = append(l.waiting, waiting{})
	}
	l.most = max(parent.dst, 0)
	if header == "|-" || header == ">-" {
		for isBlank(l.at(start)) || l.at(start) == '\n' {
			start++
		}
		if e := l.expression(start, start, strings.Join(lines, "\n"), tagged); e != nil {
			l.indent(dst)
			l.writeLines(e, dst)
			l.breakLine()
			return
		}
	}
	for _, t := range lines {
		if t != "" {
			l.indent(dst)
			l.write(t)
		}
		l.breakLine()
	}
}

// blockIndent returns the indentation of the block text that begins in the
// current line: that of its first line which is not empty.
func (l *layout) blockIndent(parent int) int {
	for i := l.p; i < len(l.t); i++ {
		line := i
		for l.at(i) == ' ' {
			i++
		}
		if l.at(i) != '\n' {
			return max(i-line, parent+1, 1)
		}
	}
	return max(parent+1, 1)
}

// blockLines reads the lines of a block text, without their indentation.
func (l *layout) blockLines(indent int) (lines []string) {
	for l.p < len(l.t) {
		end := lineEnd(l.t, l.p)
		i := l.p
		for i < end && i-l.p < indent && l.t[i] == ' ' {
			i++
		}
		if i < end && i-l.p < indent {
			break
		}
		lines = append(lines, l.t[i:end])
		l.p = min(end+1, len(l.t))
	}
	l.line = l.p
	return lines
}

// expression returns the lines of an expression in their new form, nil if the
// text is no expression or keeps its form. The reader may have given it one of
// two places.
func (l *layout) expression(at, or int, text string, tagged bool) []textLine {
	if tagged || !value.LooksLikeExpr(text) || l.verbatim[at] || l.verbatim[or] {
		return nil
	}
	return expression(text)
}

// writeLines writes the lines of an expression, of which the first has begun.
func (l *layout) writeLines(lines []textLine, column int) {
	for i, t := range lines {
		if i > 0 {
			l.breakLine()
			l.indent(column + indentStep*t.depth)
		}
		l.write(t.text)
	}
}
