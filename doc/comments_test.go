// SPDX-License-Identifier: Apache-2.0

package doc_test

import (
	"strings"
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// withComments reads a text and prints it with its comments.
func withComments(t *testing.T, text string) string {
	t.Helper()
	src := diag.NewSource("test.yml", text)
	s := value.NewStore()
	r, err := doc.Read(s, src)
	if err != nil {
		t.Fatal(err)
	}
	c, err := doc.ReadComments(src)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for i, id := range r.Docs {
		if i > 0 {
			out = append(out, "---\n"...)
		}
		if out, err = doc.Append(out, s, id, doc.WriteOptions{InOrder: true, Comments: c, Document: i}); err != nil {
			t.Fatal(err)
		}
	}
	return string(out)
}

func TestComments(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"line breaks of Windows", "# x\r\na: 1 # y \r\n# z\r\n", "# x\na: 1 # y\n# z\n"},
		{"byte order mark", "\ufeff# x\na: 1\n", "# x\na: 1\n"},
		{"a line separator ends a comment", "# x\u2028# y\na: 1\n", "# x\n# y\na: 1\n"},
		{"no line break at the end", "a: 1 # x", "a: 1 # x\n"},
		{"only a comment", "# x\n", "# x\nnull\n"},
		{"not separate", "a: b#c\nd: 'e'\n# x\n", "a: b#c\nd: e\n# x\n"},
		{"in quotes", "a: 'b # c'\n\"d # e\": \"f\n  # g\" # x\n", "a: 'b # c'\n'd # e': 'f # g' # x\n"},
		{"in block texts", "a: |-\n  b # c\n  # d\n# x\ne: >- # y\n  # f\n", "a: |-\n  b # c\n  # d\n# x\ne: '# f' # y\n"},
		{"behind the mark of a block text", "a: |- # x\n  b\n  c\n", "a: |- # x\n  b\n  c\n"},
		{"behind that of an empty block text", "a: | # x\nb: 1\n", "a: \"\" # x\nb: 1\n"},
		{"values of duplicate keys", "a: 'b # c'\na: 1 # x\n", "a: 1 # x\n"},
		{"duplicate keys", "'a # b': 1\n'a # b': 2 # x\n", "'a # b': 2 # x\n"},
		{"lists of duplicate keys", "z: 0\na: # v\n- 1 # x\n- 2\na:\n- 3 # y\nb:\n- 4 # z\n", "z: 0\na:\n- 3 # y\nb:\n- 4 # z\n"},
		{"empty lines", "# x\n\n\n# y\n\na: 1\n\n# z\n\n# v\nb: 1\n\n# w\n", "# x\n\n# y\n\na: 1\n# z\n\n# v\nb: 1\n# w\n"},
		{"anchors and aliases", "a: &b # x\n  c: 1 # y\nd: *b # z\ne:\n- *b # u\n- &f 1 # v\n- *f # w\n", "a: # x\n  c: 1 # y\nd: # z\n  c: 1\ne:\n# u\n- c: 1\n- 1 # v\n- 1 # w\n"},
		{"null", "a: # x\nb: ~ # y\nc:\n- # z\n- # u\nd:\n# v\n", "a: null # x\nb: null # y\nc:\n- null # z\n- null # u\nd: null\n# v\n"},
		{"brackets", "a: [ # x\n  1, # y\n  # z\n  {b: 2}, # u\n  [3, 4] # v\n  # w\n] # t\n", "# t\na: # x\n- 1 # y\n# z\n# u\n- b: 2\n# v\n- - 3\n  - 4\n  # w\n"},
		{"nothing in brackets", "a: [] # x\nb: { # y\n}\n", "a: [] # x\nb: {} # y\n"},
		{"first in an entry", "-\n  # x\n  a: 1\n- # y\n  b: 1\n", "# x\n- a: 1\n# y\n- b: 1\n"},
		{"less indented than anything", "  a: 1\n# x\n", "a: 1\n# x\n"},
		{"more indented than the next", "a:\n  b: 1\n    # x\n  # y\n# z\n  # u\nc: 1\n", "a:\n  b: 1\n  # x\n  # y\n# z\n# u\nc: 1\n"},
		{"at the end of a list", "a:\n- b: 1\n  # x\n# y\nc:\n  - 1\n  # z\nd: 1\n", "a:\n- b: 1\n  # x\n# y\nc:\n- 1\n  # z\nd: 1\n"},
		{"less and less indented at the end", "a:\n  b:\n    c: 1\n    # x\n  # y\n# z\n", "a:\n  b:\n    c: 1\n    # x\n  # y\n# z\n"},
		{"directives", "%YAML 1.1 # x\n---\na: 1 # y\n", "a: 1 # y\n"},
		{"documents", "a: 1\n# x\n...\n# y\n---\n# z\nb: 1\n--- # u\nc # v\n# w\n", "a: 1\n# x\n# y\n---\n# z\nb: 1\n---\n# u\nc # v\n# w\n"},
		{"a text of several lines", "# x\n\"a\\n\n  b\" # y\n# z\n", "# x\n|- # y\n  a\n   b\n# z\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := withComments(t, tt.text); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A text without comments has none to look for.
func TestNoComments(t *testing.T) {
	for _, text := range []string{"a: 1\n", "a: 'b # c'\n"} {
		if c, err := doc.ReadComments(diag.NewSource("test.yml", text)); c != nil || err != nil {
			t.Errorf("%q: got %v, %v", text, c, err)
		}
	}
}

// Comments are read although the text has more aliases than are allowed by
// default: whoever read it before decided that.
func TestCommentsBesideAliases(t *testing.T) {
	text := "a: &a [" + strings.Repeat("1, ", 1000) + "] # x\nb:\n" + strings.Repeat("- *a\n", 2*doc.DefaultAliases/1000)
	if _, err := doc.Read(value.NewStore(), diag.NewSource("test.yml", text)); err == nil {
		t.Error("the aliases are not too many")
	}
	if c, err := doc.ReadComments(diag.NewSource("test.yml", text)); c == nil || err != nil {
		t.Errorf("got %v, %v", c, err)
	}
}
