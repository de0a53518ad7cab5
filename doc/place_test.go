// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// eachNode calls f for all nodes that reading made.
func eachNode(s *value.Store, f func(id value.ID, n *value.Node)) {
	for id := value.ID(1); int(id) <= s.Len(); id++ {
		f(id, s.Node(id))
	}
}

func TestPlaces(t *testing.T) {
	tests := []struct{ name, text string }{
		{"byte order mark", "\ufeffa: HERE\n"},
		{"byte order mark before a comment", "\ufeff# é\na: HERE\n"},
		{"CR LF", "a: 1\r\nb:\r\n- HERE\r\n"},
		{"CR", "a: 1\rb:\r- HERE\r"},
		{"CR among LF", "a: 1\rb: 2\nc: HERE\n"},
		{"tabs between tokens", "a:\t\tHERE\t# x\n"},
		{"wide characters before", "ключ: [é, 日本, HERE]\n"},
		{"next line and separators before", "a: \"\u0085 \u2028 \u2029\"\nb: HERE\n"},
		{"tag and anchor", "a: !<tag:x,2000:y> &b HERE\n"},
		{"anchor on its own line", "a: &b\n  # c\n  HERE\n"},
		{"in a flow map", "{a: {b: [x, HERE]}}"},
		{"after an empty value", "{a: , b: HERE}"},
		{"after an anchored empty value", "[&a , &b , HERE]"},
		{"quoted", "a: 'HERE'"},
		{"behind an escape", `["\t\"", "HERE"]`},
		{"block", "a: |-\n  # not a comment\nb: >-\n  HERE\n\n"},
		{"root", "HERE"},
		{"second document", "a: 1\n...\n---\nb: HERE\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := value.NewStore()
			if _, err := Read(s, diag.NewSource("in.yml", tt.text)); err != nil {
				t.Fatal(err)
			}
			found := false
			eachNode(s, func(id value.ID, n *value.Node) {
				if n.Kind != value.String || s.Text(n) != "HERE" {
					return
				}
				found = true
				want := strings.Index(tt.text, "HERE")
				if int(n.Start) != want || int(n.End) != want+len("HERE") || n.Flags&value.Contiguous == 0 {
					t.Errorf("got [%d, %d) flags %#x, want %d", n.Start, n.End, n.Flags, want)
				}
			})
			if !found {
				t.Error("no node")
			}
		})
	}
}

// In real manifests the place of every node is known: spans nest, and nearly
// all texts stand in the file as they are.
func TestRealPlaces(t *testing.T) {
	texts, contiguous := 0, 0
	for _, dir := range cases(t) {
		files, _ := filepath.Glob(filepath.Join(dir, "*.yml"))
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := value.NewStore()
			src := diag.NewSource(file, string(b))
			if _, err := Read(s, src); err != nil {
				t.Fatal(err)
			}
			eachNode(s, func(id value.ID, n *value.Node) {
				if n.Start > n.End || int(n.End) > len(src.Text) {
					t.Fatalf("%s: span [%d, %d)", file, n.Start, n.End)
				}
				if n.Kind != value.String && n.Kind != value.Expr {
					return
				}
				texts++
				if n.Flags&value.Contiguous == 0 {
					return
				}
				contiguous++
				if got := src.Text[n.Start:n.End]; got != s.Text(n) {
					t.Fatalf("%s: text %q, in the file %q", s.Span(id), s.Text(n), got)
				}
			})
		}
	}
	t.Logf("%d of %d texts are contiguous", contiguous, texts)
}

func TestBytes(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"NUL", "a: 1\nb: x\x00y\n", "in.yml:2:5: error: control character U+0000 is not allowed"},
		{"delete", "a: \x7f\n", "in.yml:1:4: error: control character U+007F is not allowed"},
		{"no UTF-8", "a: é\xff\n", "in.yml:1:5: error: byte 0xff is not valid UTF-8"},
		{"cut off", "a: \xe6\x97", "in.yml:1:4: error: byte 0xe6 is not valid UTF-8"},
		{"UTF-16", "\xff\xfea\x00", "in.yml:1:1: error: the file is encoded in UTF-16, save it as UTF-8"},
		{"UTF-16, the other way round", "\xfe\xff\x00a", "in.yml:1:1: error: the file is encoded in UTF-16, save it as UTF-8"},
		{"UTF-16 without a mark", "a\x00:\x00", "in.yml:1:1: error: the file is encoded in UTF-16, save it as UTF-8"},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", "in.yml:1:1: error: the file is encoded in UTF-32, save it as UTF-8"},
	}
	for _, tt := range tests {
		_, err := Read(value.NewStore(), diag.NewSource("in.yml", tt.text))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestEmpty(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{"", true}, {"\n\n", true}, {"# x", true}, {"---", true}, {"--- # x\n", true}, {"\ufeff", true},
		{"~", false}, {"null\n", false}, {`""`, false}, {"---\n---\n", false}, {"{}", false},
	}
	for _, tt := range tests {
		s := value.NewStore()
		res, err := Read(s, diag.NewSource("in.yml", tt.text))
		if err != nil || res.Empty != tt.want {
			t.Errorf("%q: got %v, %v, want %v", tt.text, res.Empty, err, tt.want)
		}
		if tt.want && (len(res.Docs) != 1 || s.Kind(res.Docs[0]) != value.Null) {
			t.Errorf("%q: got documents %v, want a null", tt.text, res.Docs)
		}
	}
}
