// SPDX-License-Identifier: Apache-2.0

package parser

import (
	"strconv"
	"strings"

	"github.com/dynaml/spiff/ast"
)

// A scanner reads the words of an expression. It makes no stream of tokens,
// because what a word is depends on where it stands: 1a is a name after a dot
// and nothing elsewhere, a-1 is one name, a -1 two operands. So the parser
// looks at the next byte and asks for the word that it can use.
type scanner struct {
	text string
	pos  int // offset of the next byte

	// gapAt and gapEnd remember the last run of blanks: every level of
	// precedence asks for it.
	gapAt, gapEnd int

	// op is the binary operator behind the blanks at opAt, of a level that is -1
	// if there is none. Every level of precedence asks for it, too.
	opAt, opLevel, opStart, opEnd int
	op                            ast.Op

	// furthest is the token that reached furthest into the text, for the
	// classic part of error messages.
	furthest ast.Pos

	// looks counts the bytes looked at; a test holds it against the length of
	// the text.
	looks int
}

// at returns the byte at offset i, 0 if there is none.
func (s *scanner) at(i int) byte {
	s.looks++
	if i < len(s.text) {
		return s.text[i]
	}
	return 0
}

// has says whether word stands at offset i.
func (s *scanner) has(i int, word string) bool {
	s.looks++
	return i <= len(s.text) && strings.HasPrefix(s.text[i:], word)
}

// mark notes that the text from start to end is a token.
func (s *scanner) mark(start, end int) {
	if end > int(s.furthest.End) && end > start {
		s.furthest = span(start, end)
	}
}

func span(start, end int) ast.Pos { return ast.Pos{Start: int32(start), End: int32(end)} }

// gap returns the end of the blanks at pos: pos itself if there are none.
func (s *scanner) gap() int {
	if s.gapAt != s.pos {
		s.gapAt, s.gapEnd = s.pos, s.afterBlanks(s.pos)
		s.mark(s.gapAt, s.gapEnd)
	}
	return s.gapEnd
}

// skip moves past the blanks at pos.
func (s *scanner) skip() { s.pos = s.gap() }

func (s *scanner) afterBlanks(i int) int {
	start := i
	for i < len(s.text) && isBlank(s.text[i]) {
		i++
	}
	s.looks += i - start + 1
	return i
}

// name = ( letter | digit | "_" )+
func (s *scanner) nameEnd(i int) int {
	start := i
	for i < len(s.text) && isNameByte(s.text[i]) {
		i++
	}
	s.looks += i - start + 1
	return i
}

// word = ( letter | digit | "_" ) ( letter | digit | "_" | "-" )*
func (s *scanner) wordEnd(i int) int {
	start := i
	for i < len(s.text) && (isNameByte(s.text[i]) || s.text[i] == '-' && i > start) {
		i++
	}
	s.looks += i - start + 1
	return i
}

// key = word [ ":" word ]
func (s *scanner) keyEnd(i int) int {
	end := s.wordEnd(i)
	if end > i && s.at(end) == ':' {
		if e := s.wordEnd(end + 1); e > end+1 {
			return e
		}
	}
	return end
}

// take moves to end, behind the token that begins at pos, and returns the text
// of the token.
func (s *scanner) take(end int) string {
	text := s.text[s.pos:end]
	s.mark(s.pos, end)
	s.pos = end
	return text
}

// stringEnd returns the offset of the mark that closes the string opened at
// pos, -1 if there is none. A mark after a backslash never closes, whatever
// stands before the backslash.
//
//	string = `"` ( `\"` | any byte but `"` )* `"`
func (s *scanner) stringEnd() int {
	for i := s.pos + 1; ; i++ {
		n := strings.IndexByte(s.text[i:], '"')
		if n < 0 {
			s.looks += len(s.text) - i
			return -1
		}
		s.looks += n + 1
		i += n
		if s.text[i-1] != '\\' {
			return i
		}
	}
}

// addressEnd returns the end of an IPv4 address at i, which is four groups of
// digits, or i if there is none.
func (s *scanner) addressEnd(i int) int {
	end := s.digitsEnd(i)
	for range 3 {
		if s.at(end) != '.' || !isDigit(s.at(end+1)) {
			return i
		}
		end = s.digitsEnd(end + 1)
	}
	return end
}

func (s *scanner) digitsEnd(i int) int {
	for isDigit(s.at(i)) {
		i++
	}
	return i
}

// numberEnd returns the end of the number at i, which is known to begin as one,
// and whether it is a float.
//
//	number = [ "-" ] digit ( digit | "_" )* [ "." digit+ ] [ ( "e" | "E" ) [ "+" | "-" ] digit+ ]
func (s *scanner) numberEnd(i int) (end int, isFloat bool) {
	end = i + 1
	for c := s.at(end); isDigit(c) || c == '_'; c = s.at(end) {
		end++
	}
	if s.at(end) == '.' && isDigit(s.at(end+1)) {
		end, isFloat = s.digitsEnd(end+1), true
	}
	if c := s.at(end); c == 'e' || c == 'E' {
		exp := end + 1
		if c := s.at(exp); c == '-' || c == '+' {
			exp++
		}
		if isDigit(s.at(exp)) {
			end, isFloat = s.digitsEnd(exp), true
		}
	}
	return end, isFloat
}

// parseInt and parseFloat decode the text of a number.
func parseInt(text string) (int64, error) {
	if n := 0; len(text) < 10 && isDigit(text[0]) { // nearly all of them
		for i := 0; i < len(text) && isDigit(text[i]); i++ {
			if n = 10*n + int(text[i]-'0'); i == len(text)-1 {
				return int64(n), nil
			}
		}
	}
	return strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
}

func parseFloat(text string) (float64, error) {
	return strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isNameByte also says what a key begins with.
func isNameByte(c byte) bool { return nameBytes[c] }

var nameBytes = func() (is [256]bool) {
	for c := range is {
		is[c] = isLetter(byte(c)) || isDigit(byte(c)) || c == '_'
	}
	return is
}()
