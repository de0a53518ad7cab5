// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"testing"

	"github.com/dynaml/spiff"
)

// The text with the blanks and escape sequences that an archive of testdata
// would hide.
func TestText(t *testing.T) {
	tests := []struct {
		name, a, b string
		color      bool
		want       string
	}{
		{"colours", "x: 1", "x: 2", true, "Difference in x\n" +
			"  a has:\n    \x1b[31m1\n    \x1b[0m\n" +
			"  b has:\n    \x1b[32m2\n    \x1b[0m\n"},
		{"empty lines in colour are indented", "x: \"1\\n\\n2\"", "z: 2", true, "Difference in x\n" +
			"  a has:\n    \x1b[31m|-\n      1\n    \n      2\n    \x1b[0m\n" +
			"Difference in z\n" +
			"  b has:\n    \x1b[32m2\n    \x1b[0m\n"},
		{"no difference in colour", "x: 1", "x: 1", true, "no differences!\n"},
		{"the whole document", "1", "2", false, "Difference in \n  a has:\n    1\n  b has:\n    2\n"},
		{"a whole document of several", "---\n1\n---\n2\n", "---\n1\n---\n3\n", false,
			"No difference in document 1\nDifference in document 2 \n  a has:\n    2\n  b has:\n    3\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, err := compare(t, tt.a, tt.b).Append([]byte("before\n"), spiff.DiffOptions{Color: tt.color})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(text), "before\n"+tt.want; got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func compare(t *testing.T, a, b string) *spiff.Comparison {
	t.Helper()
	da, err := spiff.Load("a", []byte(a))
	if err != nil {
		t.Fatal(err)
	}
	db, err := spiff.Load("b", []byte(b))
	if err != nil {
		t.Fatal(err)
	}
	c, err := spiff.Diff(da, db)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
