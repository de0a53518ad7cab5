// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

func read(text string) (*value.Store, Result, error) {
	s := value.NewStore()
	res, err := Read(s, diag.NewSource("in.yml", text))
	return s, res, err
}

// Documents that nest too deep end in an error, whatever they nest with, and
// those just within the limit are read and printed.
func TestDepth(t *testing.T) {
	const want = "document nests deeper than 10000 levels"
	mixed := strings.Repeat("- ", 9000) + strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	for name, text := range map[string]string{
		"brackets": strings.Repeat("[", 100_000),
		"braces":   strings.Repeat("{a: ", 100_000),
		"dashes":   strings.Repeat("- ", 100_000),
		"keys":     strings.Repeat("? ", 100_000),
		"mixed":    mixed,
	} {
		if _, _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	const deep = 9_990
	text := strings.Repeat("- ", deep) + "x\n"
	if got, err := rewrite(text, WriteOptions{}); err != nil || got != text {
		t.Errorf("%d dashes: %v", deep, err)
	}
}

// laughs is a document of n levels of which each repeats the one below it ten
// times.
func laughs(n int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	return b.String()
}

func TestAliasBomb(t *testing.T) {
	_, _, err := read(laughs(30))
	if err == nil || err.Error() != "in.yml:7:45: error: aliases expand to more than 10000000 nodes" {
		t.Errorf("got %v", err)
	}
	_, res, err := read(laughs(6))
	if err != nil || len(res.Docs) != 1 {
		t.Errorf("a million nodes: got %v", err)
	}
	// Doubling at each step reaches numbers beyond 64 bits.
	var b strings.Builder
	b.WriteString("- &b0 x\n")
	for i := 1; i < 200; i++ {
		fmt.Fprintf(&b, "- &b%d [*b%d, *b%d]\n", i, i-1, i-1)
	}
	if _, _, err := read(b.String()); err == nil || !strings.Contains(err.Error(), "aliases expand") {
		t.Errorf("2^200 nodes: got %v", err)
	}
}

// What is printed of a shared tree is bounded, also by what is left out of it.
func TestMaxBytes(t *testing.T) {
	s, res, err := read(laughs(6))
	if err != nil {
		t.Fatal(err)
	}
	const want = "output exceeds 1000000 bytes"
	out, err := Append([]byte("before\n"), s, res.Docs[0], WriteOptions{MaxBytes: 1_000_000})
	if err == nil || !strings.Contains(err.Error(), want) || string(out) != "before\n" {
		t.Errorf("got %d bytes, %v, want %s", len(out), err, want)
	}

	s = value.NewStore()
	gone := s.New(value.Node{Kind: value.Undefined})
	m := s.ListNode(value.Node{}, repeat(gone, 10_000), 0)
	id := s.ListNode(value.Node{}, repeat(m, 10_000), 0)
	if _, err := Append(nil, s, id, WriteOptions{MaxBytes: 1_000_000}); err == nil {
		t.Error("leaving out a hundred million nodes: got no error")
	}
}

func repeat(id value.ID, n int) []value.ID {
	ids := make([]value.ID, n)
	for i := range ids {
		ids[i] = id
	}
	return ids
}

// None of these may take time that grows with the square of their size; at this
// size it would be minutes each.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("large inputs")
	}
	const n = 100_000
	var keys strings.Builder
	for i := range n {
		fmt.Fprintf(&keys, "key%d: 1\n", i)
	}
	for name, text := range map[string]string{
		"elements on one line":      "[" + strings.Repeat("é, ", n) + "x]",
		"ascii on one line":         "[" + strings.Repeat("a, ", n) + "x]",
		"anchors without a value":   "[" + strings.Repeat("&a , ", n) + "x]",
		"keys":                      keys.String(),
		"duplicate keys":            strings.Repeat("a: 1\n", n),
		"line separators":           strings.Repeat("- a\u2028", 1) + strings.Repeat("- a\r", n),
		"comments":                  strings.Repeat("# x\n", n) + "a: 1\n",
		"a long text":               "a: \"" + strings.Repeat("word\\t ", n) + "\"",
		"many short folded texts":   strings.Repeat("- a\n  b\n", n),
		"aliases":                   "- &a x\n" + strings.Repeat("- *a\n", n),
		"error behind a long start": strings.Repeat("- a\n", n) + "b",
	} {
		s, res, err := read(text)
		if err != nil {
			if !strings.HasPrefix(name, "error") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if _, err := Append(nil, s, res.Docs[0], WriteOptions{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
