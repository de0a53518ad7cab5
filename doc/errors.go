// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/dynaml/spiff/diag"
)

// problems are the library's messages that deserve other words, by their
// beginning. Where far is set, the library names the line where the surrounding
// list or map begins, or none at all, and the place it read up to says more.
var problems = []struct {
	begins string
	words  string
	far    bool
}{
	{"did not find expected key", `expected a key here, check the indentation and the quotes`, true},
	{"did not find expected '-' indicator", `expected a list entry "- " here, check the indentation`, true},
	{"did not find expected ',' or ']'", `expected "," or "]" in the list`, true},
	{"did not find expected ',' or '}'", `expected "," or "}" in the map`, true},
	{"did not find expected node content", `expected a value here`, true},
	{"did not find expected <document start>", `expected "---" before another document`, true},
	{"did not find expected comment or line break", `expected the end of the line`, true},
	{"exceeded max depth", "document nests deeper than " + strconv.Itoa(DefaultDepth) + " levels", true},
	{"could not find expected ':'", `expected ":" after the key`, false},
	{"mapping values are not allowed", `a ":" is not allowed here, quote the text or check the indentation`, true},
	{"mapping keys are not allowed", `a "? " is not allowed here`, true},
	{"block sequence entries are not allowed", `a list entry "- " is not allowed here`, true},
	{"found character that cannot start any token", `a value cannot begin with this character, quote the text`, true},
	{"found a tab character", `a tab cannot be used for indentation`, true},
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
		return diag.Errorf(aliasSpan(src, name), "unknown anchor %q", name)
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
		if sp.Start > 0 && src.Text[sp.Start-1] == '\t' {
			words = "a tab cannot be used for indentation"
		}
		return diag.Errorf(narrow(sp, stuck), "%s", words)
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
