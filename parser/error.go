// SPDX-License-Identifier: Apache-2.0

package parser

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dynaml/spiff/ast"
)

// maxClip bounds the quoted part of the text in a message, in bytes. Texts hold
// certificates and whole scripts.
const maxClip = 40

// failAt ends the parse with a message about the text from start to end. The
// message begins as that of the classic parser does.
func (p *parser) failAt(start, end int, format string, args ...any) {
	reason := fmt.Sprintf(format, args...)
	panic(bailout{&Error{span(start, end), p.classic() + ": " + reason, reason}})
}

// classic returns the message of the classic parser, which names the furthest
// token that it matched by the places of its first symbol and of the one after
// it.
func (p *parser) classic() string {
	start, end := int(p.furthest.Start), int(p.furthest.End)
	return fmt.Sprintf("parse error near %s - %s: '%s'", p.place(start), p.place(end), clip(p.text[start:end]))
}

// place counts symbols, which are runes, from 1. The line is named only in a text
// of several lines.
func (p *parser) place(i int) string {
	before := p.text[:i]
	lines := strings.Count(before, "\n")
	symbol := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	if strings.Contains(p.text, "\n") {
		return fmt.Sprintf("line %d symbol %d", lines+1, symbol)
	}
	return fmt.Sprintf("symbol %d", symbol)
}

// lineBreaks keeps a message on one line.
var lineBreaks = strings.NewReplacer("\n", `\n`, "\r", `\r`)

// clip returns text for a message: on one line and not too long.
func clip(text string) string {
	if len(text) > maxClip {
		n := maxClip
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n] + "…"
	}
	return lineBreaks.Replace(text)
}

// missing fails because word does not stand at the current place. The hint may
// be empty.
func (p *parser) missing(word, purpose, hint string) {
	start, end := p.next()
	p.failAt(start, end, "expected %q %s, found %s%s", word, purpose, p.describe(start, end), hint)
}

// noOperand fails because no expression begins at the current place.
func (p *parser) noOperand() {
	start, end := p.next()
	found := p.describe(start, end)
	switch c := p.at(start); {
	case c == '&':
		p.failAt(start, end, "the marker %s is allowed only at the beginning of the whole expression", found)
	case c == '|':
		p.failAt(start, end, "unexpected %s: a lambda inside an expression needs the keyword lambda or brackets", found)
	case c == '-':
		p.failAt(start, end, "expected an expression, found %s: only a number begins with \"-\"", found)
	case c == '.':
		p.failAt(start, end, "expected an expression, found %s%s", found, p.hint(start))
	}
	p.failAt(start, end, "expected an expression, found %s", found)
}

// next returns the range of what stands at the current place: a key, a
// marker, an operator or one rune.
func (p *parser) next() (start, end int) {
	start = p.pos
	switch c := p.at(start); {
	case isNameByte(c):
		return start, p.keyEnd(start)
	case c == '&':
		return start, max(start+1, p.wordEnd(start+1))
	}
	if op := p.operatorAt(start); op != "" {
		return start, start + len(op)
	}
	_, n := utf8.DecodeRuneInString(p.text[start:])
	return start, start + n
}

func (p *parser) describe(start, end int) string {
	if start == end {
		return "the end"
	}
	return fmt.Sprintf("%q", clip(p.text[start:end]))
}

// hint explains what the grammar wants of the blanks around what stands at start,
// behind something complete.
func (p *parser) hint(start int) string {
	op := p.operatorAt(start)
	switch {
	case op != "":
		return fmt.Sprintf(": the operator %s needs blanks on both sides", op)
	case p.startsOperand(start) && strings.IndexByte(".([", p.at(start)) >= 0:
		return ": put brackets around what it belongs to"
	case p.startsOperand(start):
		return ": blanks must separate two operands"
	case p.at(start) == '.':
		return ": a name or an index must follow it directly"
	}
	return ""
}

// hintColon explains why the branch x is not followed by a colon.
func hintColon(x ast.Expr) string {
	if r, ok := x.(*ast.Ref); ok {
		name := r.Steps[len(r.Steps)-1].Name
		if before, _, found := strings.Cut(name, ":"); found {
			return fmt.Sprintf(": %q is one name, a blank after %q ends it", clip(name), clip(before))
		}
	}
	return ""
}

// operatorAt returns the binary operator at offset i, whatever is around it, or
// "".
func (p *parser) operatorAt(i int) string {
	longest := ""
	consider := func(op string) {
		if len(op) > len(longest) && p.has(i, op) {
			longest = op
		}
	}
	consider("||")
	consider("//")
	for _, ops := range levels {
		for _, op := range ops {
			consider(op.String())
		}
	}
	return longest
}
