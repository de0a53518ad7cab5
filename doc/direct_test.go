// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// TestWhoReads pins what is read without the library, and what is left to it.
func TestWhoReads(t *testing.T) {
	for _, tt := range []struct {
		text   string
		direct bool
	}{
		{"", true},
		{"# nothing\n", true},
		{"a: 1\nb:\n- c\n-  - d\n   - e\n", true},
		{"a:\r\n  b: c\r\n", true},
		{"a:\tb # c\n\n\n# d\ne: [f, 'g', {h: \"i\"},\n  j] # k\n", true},
		{"a: long\n  text\n\n  of lines\n", true},
		{"a: \"long\n\n  text \\u00e9\\n\"\n'b c': 'it''s'\n", true},
		{"a: |\n  b\n   c\n\nd: >-\n  e\n  f\ng: |2+ # h\n    i\n\n", true},
		{"a: &x {b: 1}\nc: *x\nd: [*x, *x]\ne: &y\n  f: 1\n<<: *y\n", true},
		{"a: !!str 1\nb: !!binary aGk=\nc: !mine\n- 1\n", true},
		{"---\na: 1\n...\n---\n- b\n--- # c\n", true},
		{"\ufeffa: ü\n", true},
		{"a: 1\na: 2\n", true},

		{"? a\n: b\n", false},          // complex key
		{"&a b: c\n", false},           // anchor of a key
		{"a: &x [*x]\n", false},        // error
		{"[a: b]\n", false},            // map of one entry without brackets
		{"{a, b: }\n", false},          // entries without a value
		{"%YAML 1.1\n---\na\n", false}, // directive
		{"!<x> a\n", false},            // verbatim tag
		{"--- a\n", false},             // document on the line of its mark
		{"a:\n\tb\n", false},           // error
		{"1: a\n", false},              // error
		{"\"a\\\n  b\"\n", false},      // escaped line break
		{"a: b\u2028c\n", false},       // line break of YAML 1.1
	} {
		res, err := Read(value.NewStore(), diag.NewSource("in.yml", tt.text))
		if direct := err == nil && !res.Library; direct != tt.direct {
			t.Errorf("%q: read without the library: %t, want %t (error: %v)", tt.text, direct, tt.direct, err)
		}
	}
}
