// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/dynaml/spiff/diag"
)

const tabbed = `a tab cannot be used for indentation`

// problems are the library's messages that deserve other words, by their
// beginning. Where far is set, the library names the line where the surrounding
// list or map begins, or none at all, and the place it read up to says more.
var problems = []struct {
	begins string
	words  string
	far    bool
}{
	{"did not find expected key", `expected a key here`, true},
	{"did not find expected '-' indicator", `expected a list entry "- " here`, true},
	{"did not find expected ',' or ']'", `expected "," or "]" in the list`, true},
	{"did not find expected ',' or '}'", `expected "," or "}" in the map`, true},
	{"did not find expected node content", `expected a value here`, true},
	{"did not find expected <document start>", `expected "---" before another document`, true},
	{"did not find expected comment or line break", `expected the end of the line`, true},
	{"exceeded max depth", "document nests deeper than " + strconv.Itoa(DefaultDepth) + " levels", true},
	{"could not find expected ':'", `expected ":" after the key`, false},
	{"mapping values are not allowed", `a ":" before a blank is not allowed here`, true},
	{"mapping keys are not allowed", `a "? " is not allowed here`, true},
	{"block sequence entries are not allowed", `a list entry "- " is not allowed here`, true},
	{"found character that cannot start any token", `a value cannot begin with this character`, true},
	{"found a tab character", tabbed, true},
	{"found unexpected end of stream", `the text that begins with this quote is not closed`, false},
	{"found unexpected document indicator", `the text that begins with this quote is not closed before the document ends`, false},
	{"found unknown escape character", `unknown escape in a double-quoted text`, true},
	{"did not find expected hexdecimal number", `expected hexadecimal digits in the escape`, true},
	{"found an indentation indicator equal to 0", `the indentation of a block text cannot be 0`, true},
	{"found undefined tag handle", `undefined tag handle`, true},
}

// readError turns an error of the library, met while it had read fed bytes of
// src, into a diagnostic. The direct reader gave up at stuck.
func readError(src *diag.Source, err error, fed, stuck int) error {
	if err == errLibrary {
		return diag.Errorf(lineOf(src, farthest(src, fed)), "the document cannot be read, move or remove the comments here")
	}
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		if n, m, ok := strings.Cut(rest, ": "); ok {
			if k, err := strconv.Atoi(n); err == nil {
				line, msg = k, m
			}
		}
	}
	if rest, ok := strings.CutPrefix(msg, "unknown anchor '"); ok {
		name, _, _ := strings.Cut(rest, "'")
		d := diag.Errorf(aliasSpan(src, name), "unknown anchor %q", name)
		if s := diag.Closest(name, anchors(src.Text)); s != "" {
			d.Fix = fmt.Sprintf("did you mean *%s?", s)
		}
		return d
	}
	for _, p := range problems {
		if !strings.HasPrefix(msg, p.begins) {
			continue
		}
		sp := lineOf(src, int(src.Offset(line, 1)))
		switch {
		case p.far:
			sp = lineOf(src, farthest(src, fed))
		case stuck >= 0 && stuck < len(src.Text) && (src.Text[stuck] == '"' || src.Text[stuck] == '\''):
			sp = lineOf(src, stuck) // of a text that is not closed
		}
		words := p.words
		if words == tabbed {
			sp = tabLine(src, sp)
		}
		if sp.Start > 0 && src.Text[sp.Start-1] == '\t' {
			words = tabbed
		}
		d := diag.Errorf(narrow(sp, stuck), "%s", words)
		switch {
		case strings.HasPrefix(words, `expected ","`):
			noteBracket(d, int(src.Offset(line, 1)))
		case strings.HasPrefix(words, "expected a "):
			explainIndent(d)
		}
		return d
	}
	if rest, ok := strings.CutPrefix(msg, "did not find "); ok {
		msg = strings.Replace(rest, "the expected", "expected", 1)
	}
	return diag.Errorf(lineOf(src, farthest(src, fed)), "%s", msg)
}

const (
	// backlog is more than the library's buffers hold.
	backlog = 4096
	// lookahead is how many characters the library wants to see at the start
	// of a token.
	lookahead = 4
)

// farthest returns the offset of the token at which reading src fails. The
// library tells lines at best, so read again and watch how much it asks for.
// Reading failed before when fed bytes were given out in large pieces.
func farthest(src *diag.Source, fed int) int {
	in := &trickle{text: src.Text, slow: max(0, fed-backlog)}
	dec := yaml.NewDecoder(in)
	for {
		var n yaml.Node
		if decode(dec, &n) != nil {
			return max(0, in.off-lookahead)
		}
	}
}

// lineOf returns the span of the text in the line that holds off.
func lineOf(src *diag.Source, off int) diag.Span {
	start := strings.LastIndexByte(src.Text[:off], '\n') + 1
	line, _, _ := strings.Cut(src.Text[start:], "\n")
	line = strings.TrimRight(line, " \t\r")
	body := strings.TrimLeft(line, " \t")
	return bytesAt(src, start+len(line)-len(body), len(body))
}

// narrow returns the part of a line that begins at stuck, if that is in the line.
func narrow(sp diag.Span, stuck int) diag.Span {
	if stuck > int(sp.Start) && stuck < int(sp.End) {
		sp.Start = uint32(stuck)
	}
	return sp
}

// tabLine returns the line at sp or the next one, whichever a tab indents.
func tabLine(src *diag.Source, sp diag.Span) diag.Span {
	next := strings.IndexByte(src.Text[sp.End:], '\n')
	if next < 0 || indentedByTab(src, sp) {
		return sp
	}
	if below := lineOf(src, int(sp.End)+next+1); indentedByTab(src, below) {
		return below
	}
	return sp
}

func indentedByTab(src *diag.Source, sp diag.Span) bool {
	return sp.Start > 0 && src.Text[sp.Start-1] == '\t'
}

// noteBracket adds where the list or map in brackets begins that d is about.
// The library says that it begins in the line at from.
func noteBracket(d *diag.Diagnostic, from int) {
	text := d.Span.Src.Text
	var open []int
	var quote byte
	for i := from; i < int(d.Span.End); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && i > 0 && strings.IndexByte(" [{,:", text[i-1]) >= 0:
			quote = c
		case c == '[' || c == '{':
			open = append(open, i)
		case (c == ']' || c == '}') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if n := len(open); n > 0 {
		d.WithNote(bytesAt(d.Span.Src, open[n-1], 1), "the bracket that is not closed is here")
	}
}

// explainIndent says so if d is about a line whose indentation is that of none
// of the lists and maps before it.
func explainIndent(d *diag.Diagnostic) {
	text := d.Span.Src.Text
	start := strings.LastIndexByte(text[:d.Span.Start], '\n') + 1
	indent, below := indentation(text[start:]), 0
	for end := start - 1; end > 0; {
		start := strings.LastIndexByte(text[:end], '\n') + 1
		line := text[start:end]
		end = start - 1
		n := indentation(line)
		switch {
		case n == len(line) || line[n] == '#':
			continue
		case n > indent:
			below = n
			continue
		case n == indent || below == 0:
			return
		}
		d.Msg = fmt.Sprintf("this line is indented by %d, the lines before it by %d or %d", indent, below, n)
		d.Fix = fmt.Sprintf("indent the line by %d, like the entries before it, or by %d", below, n)
		return
	}
	if below > 0 {
		d.Msg = fmt.Sprintf("this line is indented by %d, the lines before it by %d", indent, below)
		d.Fix = fmt.Sprintf("indent the line by %d, like the entries before it", below)
	}
}

// indentation counts the blanks at the beginning of a line.
func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// anchors returns what looks like the name of an anchor.
func anchors(text string) (names []string) {
	for {
		_, rest, ok := strings.Cut(text, "&")
		if !ok {
			return names
		}
		n := 0
		for n < len(rest) && anchorChar(rest[n]) {
			n++
		}
		if n > 0 {
			names = append(names, rest[:n])
		}
		text = rest[n:]
	}
}

// aliasSpan finds the first alias of a name. It may be mistaken for a text that
// looks the same, which costs only precision.
func aliasSpan(src *diag.Source, name string) diag.Span {
	word := "*" + name
	for off := 0; ; {
		i := strings.Index(src.Text[off:], word)
		if i < 0 {
			return diag.Span{Src: src}
		}
		off += i
		end := off + len(word)
		if end == len(src.Text) || !anchorChar(src.Text[end]) {
			return bytesAt(src, off, len(word))
		}
		off = end
	}
}

// anchorChar reports whether the library takes c for part of an anchor's name.
func anchorChar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}
