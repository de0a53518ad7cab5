// SPDX-License-Identifier: Apache-2.0

package parser

import (
	"strings"
	"testing"
)

// TestLinear checks without a clock that the time to parse grows as the text
// does: the scanner may look at no more than twice the bytes for twice the text.
func TestLinear(t *testing.T) {
	tests := []struct {
		name             string
		head, unit, tail string
		reps             int  // of unit, and then twice as many
		deep             bool // ends at the limit on nesting
	}{
		{name: "one string", head: `"`, unit: `a\"\`, tail: ` "`, reps: 5000},
		{name: "one string without end", head: `"`, unit: `a\"`, reps: 5000},
		{name: "strings without end", unit: `"a" "\"" `, tail: `"`, reps: 5000},
		{name: "one number", unit: `1_`, tail: ` || x`, reps: 5},
		{name: "one address", unit: `1.`, reps: 5000},
		{name: "one name", unit: `a-`, reps: 5000},
		{name: "one path", head: "a", unit: `.b[0].["c"]`, reps: 5000},
		{name: "blanks before an operator", head: "a", unit: " \t\n", tail: "+ b", reps: 5000},
		{name: "blanks behind brackets", head: strings.Repeat("(", 500) + "a", unit: "  ", tail: strings.Repeat(")", 500), reps: 5000},
		{name: "alternatives", head: "a", unit: " || b // c", reps: 5000},
		{name: "sum", head: "a", unit: " + b - 1", reps: 5000},
		{name: "product", head: "a", unit: " * b % c", reps: 5000},
		{name: "comparison", head: "a", unit: " == b <= c", reps: 5000},
		{name: "logic", head: "a", unit: " -or b -and c", reps: 5000},
		{name: "concatenation", head: "a", unit: ` b "c" -1`, reps: 5000},
		{name: "mixed levels", head: "a", unit: " b -or c == d + e * f || g ? h :i", reps: 400},
		{name: "list", head: "[1", unit: ", [2..3], { a = 1 }", tail: "]", reps: 5000},
		{name: "list without end", head: "[1", unit: ", [2..3]", reps: 5000},
		{name: "arguments", head: "f(1", unit: ", g(2, |x|->x)", tail: ")", reps: 5000},
		{name: "scope", head: "(a = 1", unit: ", b = (c = 2) c", tail: ") d", reps: 5000},
		{name: "parameters", head: "|a", unit: " , b", tail: "|->a", reps: 5000},
		{name: "parameters without arrow", head: "map[l|a", unit: " , b", tail: "|a]", reps: 5000},
		{name: "mappings", head: "0", unit: " map[l|x|->x] map[l|f] sum[l|0|f]", reps: 5000},
		{name: "merges", head: "merge", unit: " || merge on k x || merge replace", reps: 5000},
		{name: "lambda references", head: "(lambda f)", unit: " (lambda || x)", reps: 5000},
		{name: "round brackets", unit: "(", reps: 50_000, deep: true},
		{name: "square brackets", unit: "[", reps: 50_000, deep: true},
		{name: "curly brackets", unit: "{", reps: 50_000, deep: true},
		{name: "indices", unit: "a[", reps: 50_000, deep: true},
		{name: "calls in arguments", unit: "f(", reps: 50_000, deep: true},
		{name: "calls of results", head: "f", unit: "(1)", reps: 50_000, deep: true},
		{name: "paths of results", head: "f", unit: "(1).x", reps: 50_000, deep: true},
		{name: "not", unit: "!", reps: 50_000, deep: true},
		{name: "not with blanks", unit: "! ", reps: 50_000, deep: true},
		{name: "instantiate", unit: "*", reps: 50_000, deep: true},
		{name: "concatenated stars", head: "a ", unit: "*", reps: 50_000, deep: true},
		{name: "first branches", unit: "a ? ", reps: 50_000, deep: true},
		{name: "last branches", unit: "a ? b :", reps: 50_000, deep: true},
		{name: "lambdas", unit: "|x|->", reps: 50_000, deep: true},
		{name: "lambdas with keyword", unit: "lambda|x|->", reps: 50_000, deep: true},
		{name: "references to lambdas", unit: "lambda ", tail: "f", reps: 50_000, deep: true},
		{name: "scopes", unit: "(a = 1) ", reps: 50_000, deep: true},
		{name: "nested mappings", unit: "map[", reps: 50_000, deep: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			once := looks(t, tt.head+strings.Repeat(tt.unit, tt.reps)+tt.tail, tt.deep)
			twice := looks(t, tt.head+strings.Repeat(tt.unit, 2*tt.reps)+tt.tail, tt.deep)
			if limit := 2*once + 100; twice > limit {
				t.Errorf("%d looks at the text, %d for twice the text, want at most %d", once, twice, limit)
			}
		})
	}
}

// looks returns how many bytes the scanner looked at to parse text.
func looks(t *testing.T, text string, deep bool) int {
	t.Helper()
	p := new(parser)
	p.reset(text, 0, len(text))
	_, err := p.run((*parser).whole)
	const message = "expression nests deeper than 10000 levels"
	if gotDeep := err != nil && strings.HasSuffix(err.Error(), message); gotDeep != deep {
		t.Errorf("got error %v, want one about the nesting: %v", err, deep)
	}
	return p.looks
}
