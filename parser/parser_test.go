// SPDX-License-Identifier: Apache-2.0

package parser_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/parser"
)

// TestPositions lists the text of every node of a tree, the whole before its
// parts.
func TestPositions(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"blanks around are not part of it", " a  b ", []string{"a  b", "a", "b"}},
		{"operators", "1 + 2 * x == y", []string{"1 + 2 * x == y", "1 + 2 * x", "1", "2 * x", "2", "x", "y"}},
		{"the last branch ends before the blanks", "a || b ? c :d ", []string{"a || b ? c :d", "a", "b ? c :d", "b", "c", "d"}},
		{"a lambda begins with its keyword", "( lambda |x|->x )", []string{"( lambda |x|->x )", "lambda |x|->x", "x"}},
		{"a lambda without keyword", "f( |x|->x )", []string{"f( |x|->x )", "f", "|x|->x", "x"}},
		{"an inline lambda", "map[l |x|->x ]", []string{"map[l |x|->x ]", "l", "|x|->x", "x"}},
		{"brackets before a path are part of it", "(m).x.y", []string{"(m).x.y", "m"}},
		{"brackets behind a prefix are part of it", "a !(b) c", []string{"a !(b) c", "a", "!(b)", "b", "c"}},
		{"a marker without blanks behind it", " &temporary ", []string{"&temporary"}},
		{"a marker with its operand", "&template ( 1 ) ", []string{"&template ( 1 )", "1"}},
		{"prefer", " prefer a ", []string{"prefer a", "a"}},
		{"a scope", "(a = 1) b ", []string{"(a = 1) b", "a", "1", "b"}},
		{"bytes, not runes", `"é" "ü"`, []string{`"é" "ü"`, `"é"`, `"ü"`}},
		{"merge", "merge on k  x.y || z", []string{"merge on k  x.y || z", "merge on k  x.y", "z"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			ast.Walk(mustParse(t, tt.text), func(e ast.Expr) bool {
				got = append(got, tt.text[e.Span().Start:e.Span().End])
				return true
			})
			if g, w := strings.Join(got, "\n"), strings.Join(tt.want, "\n"); g != w {
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
		})
	}
}

func TestStepPositions(t *testing.T) {
	const text = "a.b [1][ 2 ].c"
	var got []string
	ast.Walk(mustParse(t, text), func(e ast.Expr) bool {
		var steps []ast.Step
		switch e := e.(type) {
		case *ast.Ref:
			steps = e.Steps
		case *ast.Select:
			steps = e.Steps
		}
		for _, s := range steps {
			got = append(got, text[s.Start:s.End])
		}
		return true
	})
	if g, want := strings.Join(got, " "), "a .b [ 2 ] .c"; g != want {
		t.Errorf("got %s, want %s", g, want)
	}
}

func TestOperatorPositions(t *testing.T) {
	const text = "a  -or b\n-and c"
	chain, ok := mustParse(t, text).(*ast.Chain)
	if !ok {
		t.Fatal("no chain")
	}
	for i, want := range []string{"-or", "-and"} {
		if at := chain.Rest[i].OpPos; text[at.Start:at.End] != want {
			t.Errorf("operator %d: got %q, want %q", i, text[at.Start:at.End], want)
		}
	}
}

// TestErrorPositions gives the text that an error points at.
func TestErrorPositions(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"what is unexpected", `a "." ) b`, ")"},
		{"the whole operator", "a ||b", "||"},
		{"the whole word", "(a, web-1)", ","},
		{"the whole name", "{ a = b, c }", "}"},
		{"the integer", "1 + 12345678901234567890", "12345678901234567890"},
		{"the string", `a "b`, `"b`},
		{"the marker", "&temporary &inject (x)", "&inject"},
		{"the end", "(a", ""},
		{"the step", "merge a.[b].c", ".[b]"},
		{"a whole rune", "a é", "é"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parser.Parse(tt.text)
			var e *parser.Error
			if !errors.As(err, &e) {
				t.Fatalf("got error %v, want an *Error", err)
			}
			if got := tt.text[e.Pos.Start:e.Pos.End]; got != tt.want {
				t.Errorf("got %q, want %q: %v", got, tt.want, err)
			}
		})
	}
}

func TestMessagesAreShortAndOneLine(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("12345", 1000),
		strings.Repeat("name", 1000) + ")",
		`"` + strings.Repeat("line\r\n", 1000) + `")`,
		"a" + strings.Repeat("\n", 1000) + ")",
		"a ? " + strings.Repeat("b", 1000) + ":c",
		"&" + strings.Repeat("é", 1000),
		strings.Repeat("\n", 1000) + "&" + strings.Repeat("x", 1000),
		"merge required" + strings.Repeat("x", 1000),
	} {
		_, err := parser.Parse(text)
		if err == nil {
			t.Errorf("%.20q: got no error", text)
		} else if msg := err.Error(); len(msg) > 300 || strings.ContainsAny(msg, "\r\n") {
			t.Errorf("%.20q: got %d bytes: %s", text, len(msg), msg)
		}
	}
}

func TestNesting(t *testing.T) {
	tests := []struct{ name, open, inner, close string }{
		{"brackets", "(", "a", ")"},
		{"lists", "[", "", "]"},
		{"arguments", "f(", "", ")"},
		{"negations", "!", "a", ""},
		{"branches", "a ? b :", "c", ""},
		{"lambdas", "|x|->", "x", ""},
		{"calls of results", "", "f", "()"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			nested := func(n int) string {
				return strings.Repeat(tt.open, n) + tt.inner + strings.Repeat(tt.close, n)
			}
			if _, err := parser.Parse(nested(998)); err != nil {
				t.Errorf("998 levels: %v", err)
			}
			_, err := parser.Parse(nested(100_000))
			if err == nil || !strings.HasSuffix(err.Error(), ": expression nests deeper than 10000 levels") {
				t.Errorf("100000 levels: got %v", err)
			}
		})
	}
}

// TestNestingOfCallsAndArguments: the first arguments of a chain of calls lie
// below all of its calls, so the two kinds of nesting add up.
func TestNestingOfCallsAndArguments(t *testing.T) {
	calls := strings.Repeat("()", 6000)
	if _, err := parser.Parse("f(f" + calls + ")"); err != nil {
		t.Errorf("6000 calls in an argument: %v", err)
	}
	if _, err := parser.Parse("f(f" + calls + ")" + calls); err == nil {
		t.Error("6000 calls in an argument below 6000 calls: got no error")
	}
}

func TestLongChainsAreFlat(t *testing.T) {
	const n = 200_000
	for _, op := range []string{" ", " + ", " || ", " -and "} {
		t.Run(op, func(t *testing.T) {
			x := mustParse(t, "a"+strings.Repeat(op+"a", n-1))
			nodes := 0
			ast.Walk(x, func(ast.Expr) bool { nodes++; return true })
			if nodes != n+1 {
				t.Errorf("got %d nodes, want %d", nodes, n+1)
			}
		})
	}
}

func TestParseLambda(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"without keyword", "|x|->x", "(lambda [x] (ref x))"},
		{"with keyword", "lambda|x,y|->x y", "(lambda [x y] (concat (ref x) (ref y)))"},
		{"with blanks", "\n|x| -> x ", "(lambda [x] (ref x))"},
		{"in brackets", " (( |x|->(x) ))\n", "(lambda [x] (group (ref x)))"},
		{"in brackets without blanks", "((|x|->x))", "(lambda [x] (ref x))"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, err := parser.ParseLambda(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := dump(l); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got := tt.text[l.Start:l.End]; strings.Trim(got, " \n") != got || !strings.Contains(got, "->") {
				t.Errorf("got position of %q", got)
			}
		})
	}
}

func TestParseLambdaErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"another expression", "str", "'str' is no lambda expression"},
		{"a reference to a lambda", "lambda f", "'lambda f' is no lambda expression"},
		{"a lambda in a group", "(|x|->x)", "'(|x|->x)' is no lambda expression"},
		{"prefer", "prefer |x|->x", `parse error near symbol 7 - symbol 8: ' ': unexpected "|" after the expression`},
		{"an error in brackets", "(( |x| x ))", `parse error near symbol 7 - symbol 8: ' ': expected "->" after the parameters, found "x"`},
		{"only brackets", "(())", `parse error near symbol 1 - symbol 1: '': expected an expression, found the end`},
		{"half of the brackets", "(()", `parse error near symbol 2 - symbol 3: '(': expected an expression, found ")"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, err := parser.ParseLambda(tt.text)
			if err == nil {
				t.Fatalf("got %s, want an error", dump(l))
			}
			if got := err.Error(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
