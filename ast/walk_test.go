// SPDX-License-Identifier: Apache-2.0

package ast_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/parser"
)

var reference = regexp.MustCompile("r[0-9]")

// TestWalk puts a reference at every place that can hold an expression. The walk
// must meet them in the order of the text.
func TestWalk(t *testing.T) {
	tests := []struct{ name, text string }{
		{"paths", "r0[r1].[r2..r3].[..r4].[r5..]"},
		{"paths on values", "(r0)[r1].[r2..r3]"},
		{"calls", "(r0)(r1, r2)(r3)"},
		{"lambdas", "|x|->r0"},
		{"references to lambdas", "lambda r0"},
		{"mappings", "map[r0|x|->r1] map[r2|r3]"},
		{"sums", "sum[r0|r1|s,x|->r2] sum[r3|r4|r5]"},
		{"lists and ranges", "[r0, [r1..r2]]"},
		{"map literals", "{ r0 = r1, r2 = { r3 = r4 } }"},
		{"scopes", "(r0 = r1, r2 = r3) r4"},
		{"prefix operators", "!r0 *r1"},
		{"binary operators", "r0 r1 -or r2 == r3 + r4 * r5"},
		{"conditions and alternatives", "r0 ? r1 :r2 || r3 // r4"},
		{"prefer", "prefer r0"},
		{"markers", "&temporary (r0)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, err := parser.Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			ast.Walk(x, func(e ast.Expr) bool {
				if r, ok := e.(*ast.Ref); ok {
					got = append(got, r.Steps[0].Name)
				}
				return true
			})
			want := reference.FindAllString(tt.text, -1)
			if g, w := strings.Join(got, " "), strings.Join(want, " "); g != w {
				t.Errorf("got %s, want %s", g, w)
			}
		})
	}
}

func TestWalkDoesNotEnter(t *testing.T) {
	x, err := parser.Parse("a f(b) { c = d } (|x|->e)")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	ast.Walk(x, func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.Ref:
			got = append(got, e.Steps[0].Name)
		case *ast.Call, *ast.Lambda:
			return false
		}
		return true
	})
	if g, want := strings.Join(got, " "), "a c d"; g != want {
		t.Errorf("got %s, want %s", g, want)
	}
}
