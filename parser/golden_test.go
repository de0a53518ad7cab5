// SPDX-License-Identifier: Apache-2.0

package parser_test

import (
	"strings"
	"testing"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/internal/golden"
	"github.com/dynaml/spiff/parser"
)

// TestGolden runs testdata/parser. The section expr has one expression on each
// line, the section text a single one that may have several lines. An answer is
// the expression and, indented, its tree (want.ast), its canonical text
// (want.print) or the message (want.err).
func TestGolden(t *testing.T) {
	golden.Run(t, "../testdata/parser", func(t *testing.T, c *golden.Case, want string) (string, bool) {
		var answer func(t *testing.T, text string) string
		switch want {
		case "want.ast":
			answer = func(t *testing.T, text string) string { return dump(mustParse(t, text)) }
		case "want.print":
			answer = func(t *testing.T, text string) string { return ast.Print(mustParse(t, text)) }
		case "want.err":
			answer = message
		default:
			return "", false
		}
		var b strings.Builder
		for _, text := range texts(t, c) {
			if !strings.Contains(text, "\n") {
				b.WriteString(text + "\n")
			}
			b.WriteString("    " + answer(t, text) + "\n")
		}
		return b.String(), true
	})
}

func texts(t *testing.T, c *golden.Case) []string {
	if text, ok := c.Get("text"); ok {
		return []string{text}
	}
	lines, ok := c.Get("expr")
	if !ok {
		t.Error("no section expr or text")
	}
	return strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
}

func mustParse(t *testing.T, text string) ast.Expr {
	t.Helper()
	x, err := parser.Parse(text)
	if err != nil {
		t.Errorf("Parse(%q): %v", text, err)
	}
	return x
}

func message(t *testing.T, text string) string {
	x, err := parser.Parse(text)
	if err == nil {
		t.Errorf("Parse(%q): got the tree %s, want an error", text, dump(x))
		return ""
	}
	return err.Error()
}

// TestPrintIsStable checks on all cases that the canonical text of a tree
// parses to that tree.
func TestPrintIsStable(t *testing.T) {
	golden.Run(t, "../testdata/parser", func(t *testing.T, c *golden.Case, want string) (string, bool) {
		for _, text := range texts(t, c) {
			x, err := parser.Parse(text)
			if err != nil {
				continue
			}
			printed := ast.Print(x)
			if got, want := dump(mustParse(t, printed)), dump(x); got != want {
				t.Errorf("%q prints as %q: got tree %s, want %s", text, printed, got, want)
			}
		}
		same, _ := c.Get(want) // the sections themselves are up to TestGolden
		return same, true
	})
}
