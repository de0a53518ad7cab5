// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"strconv"
	"strings"
	"testing"
)

// TestPathAt has a bar at the offset.
func TestPathAt(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"|", ""},
		{"a: 1\n|", ""},
		{"a:\n  |", "a"},
		{"a:\n  b: 1\n  c|", "a"},
		{"a:\n  b:\n    c: 1\n  d: (( |", "a"},
		{"a:\n  b:\n    c: 1\nd: (( |", ""},
		{"l:\n- |", "l.0"},
		{"l:\n- a: 1\n- b: 1\n  c: (( |", "l.1"},
		{"l:\n- name: x\n  c|", "l.0=x"},
		{"l:\n  - name: x\n    p:\n      q: 1\n      |", "l.0=x.p"},
		{"a:\n  l:\n  - b: 1\n  - name: y\n    p: |", "a.l.1=y"},
		{"a:\n\n  # comment\n  b: 1\n\n  |", "a"},
		{"x: 1\n---\ny:\n  |", "y"},
		{"'q r':\n  |", "q r"},
	} {
		off := strings.Index(tt.text, "|")
		var got []string
		for _, s := range pathAt(strings.Replace(tt.text, "|", "", 1), off) {
			switch {
			case s.key != "":
				got = append(got, s.key)
			case s.name != "":
				got = append(got, strconv.Itoa(s.index)+"="+s.name)
			default:
				got = append(got, strconv.Itoa(s.index))
			}
		}
		if g := strings.Join(got, "."); g != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, g, tt.want)
		}
	}
}
