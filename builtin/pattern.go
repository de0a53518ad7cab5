// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// maxPattern bounds the instructions of a compiled pattern. A few characters
// like (a{1000}){1000} stand for a million of them, which would take gigabytes,
// and as much work at every character of a text. Patterns that people write
// have some hundred.
const maxPattern = 10_000

// A Pattern is a compiled regular expression.
type Pattern struct {
	re   *regexp.Regexp
	Size int // instructions, about
}

// CompilePattern compiles a regular expression of the syntax of package regexp.
func CompilePattern(text string) (*Pattern, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	size := patternSize(tree)
	if size > maxPattern {
		return nil, fmt.Errorf("the pattern is too large: it stands for %d instructions (limit %d)", size, maxPattern)
	}
	re, err := regexp.Compile(text)
	return &Pattern{re, size}, err
}

// patternSize estimates the instructions of a pattern. Repetitions are written
// out by the compiler, so those inside each other multiply.
func patternSize(x *syntax.Regexp) int {
	n := 0
	for _, sub := range x.Sub {
		n += patternSize(sub)
	}
	switch x.Op {
	case syntax.OpLiteral:
		return len(x.Rune)
	case syntax.OpRepeat:
		times := x.Max
		if times < 0 {
			times = x.Min + 1
		}
		return times*n + times - x.Min // those that may be missing need a branch
	}
	return n + 1
}

// submatches returns the text that the pattern matches first, and its groups. A
// step of a pattern, of which there may be as many as it has instructions at
// each character, takes about the time of an instruction.
func (p *Pattern) submatches(c Context, text string) ([]string, error) {
	if err := c.Spend(len(text) * p.Size); err != nil {
		return nil, err
	}
	return p.re.FindStringSubmatch(text), nil
}
