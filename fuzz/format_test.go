// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"strings"
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/format"
	"github.com/dynaml/spiff/value"
)

// FuzzFormat checks that a text is formatted, left as it is with a reason, or
// refused with a place; that formatting it again changes nothing; that it reads
// as the same values, expressions aside; and that a diff leads to it.
func FuzzFormat(f *testing.F) {
	for _, text := range append(yamlSeeds(f), "a: (( b||\n   c ))\n\n\n  # d\ne:\n    - f   # g\n", "a: >-\n    (( [ 1,\n     2 ] ))\nb: {c: (( !d )), 'e':\"((f))\"}\n", "a:\n  <<: (( &template ))\n  b: ((  c   d ))\n") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := format.Source(diag.NewSource("in.yml", text))
		if err != nil {
			checkDiagnostic(t, text, err)
			return
		}
		if r.Left != nil {
			if r.Text != text {
				t.Fatalf("%q: left as it is, but changed to %q", text, r.Text)
			}
			checkDiagnostic(t, text, r.Left)
			return
		}
		again, err := format.Source(diag.NewSource("out.yml", r.Text))
		if err != nil || again.Left != nil || again.Text != r.Text {
			t.Fatalf("%q: got %q, formatted again %q (%v, %v)", text, r.Text, again.Text, err, again.Left)
		}
		if got, want := withoutExpressions(t, r.Text), withoutExpressions(t, text); got != want {
			t.Fatalf("%q: reads as %q, want %q", r.Text, got, want)
		}
		if d := format.Diff("in.yml", text, r.Text); (d == "") != (text == r.Text) {
			t.Fatalf("%q: difference from %q is %q", text, r.Text, d)
		}
	})
}

// withoutExpressions prints what a text reads as, expressions as ((...)).
func withoutExpressions(t *testing.T, text string) string {
	t.Helper()
	s := value.NewStore()
	res, err := doc.Read(s, diag.NewSource("in.yml", text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var b strings.Builder
	for _, id := range res.Docs {
		out, err := doc.Append(nil, s, id, doc.WriteOptions{KeepTemporary: true, MaxBytes: maxOutput, Expr: func(value.ID) string { return "((...))" }})
		if err != nil {
			return "too large"
		}
		b.WriteString("---\n")
		b.Write(out)
	}
	return b.String()
}
