// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	tests := []struct{ name, before, after, want string }{
		{"equal", "a\n", "a\n", ""},
		{"changed", "a\nb\nc\n", "a\nB\nc\n", "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"empty before", "", "a\n", "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n"},
		{"no final newline", "a", "a\n", "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"two hunks", "x\n1\n2\n3\n4\n5\n6\n7\ny\n", "X\n1\n2\n3\n4\n5\n6\n7\nY\n",
			"--- f\n+++ f\n@@ -1,4 +1,4 @@\n-x\n+X\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-y\n+Y\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Diff("f", tt.before, tt.after); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

// A diff leads from the one text to the other, whatever they are.
func TestDiffLeadsFromOneToTheOther(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		before, after := randomLines(r), randomLines(r)
		d := Diff("f", before, after)
		got, err := patch(before, d)
		if err != nil || got != after {
			t.Fatalf("%q, %q (%v): got %q from\n%s", before, after, err, got, d)
		}
	}
}

func randomLines(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(20) {
		fmt.Fprintf(&b, "%d\n", r.IntN(12))
	}
	return b.String()
}

// patch applies a diff, and checks what it says about the text before.
func patch(before, diff string) (string, error) {
	lines := splitLines(before)
	var b strings.Builder
	at := 0
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		case line[0] == '@':
			var from, n, to, m int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &from, &n, &to, &m); err != nil {
				return "", err
			}
			if n > 0 {
				from--
			}
			for ; at < from; at++ {
				b.WriteString(lines[at])
			}
		case line[0] == '+':
			b.WriteString(line[1:])
		default:
			if at == len(lines) || lines[at] != line[1:] {
				return "", fmt.Errorf("line %d is not %q", at+1, line)
			}
			if at++; line[0] == ' ' {
				b.WriteString(line[1:])
			}
		}
	}
	for ; at < len(lines); at++ {
		b.WriteString(lines[at])
	}
	return b.String(), nil
}
