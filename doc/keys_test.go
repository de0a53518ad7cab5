// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// TestKeysAreWhereTheyAreWritten reads texts by both readers and compares what
// stands at the place of each key with the key.
func TestKeysAreWhereTheyAreWritten(t *testing.T) {
	texts := []string{ // without nodes that the direct reader makes before it gives up
		"a: 1\nb:\n  c: [{d: 1, 'e': 2}]\n",
		"? a\n: {b: 1}\nc: 2\n", // left to the library
		"é: {ü: 1}\nö:\n- ä: 1\n",
		"l:\n- key:id: 1\n  x: 2\n- a: &x {b: 1}\n  c: *x\n",
		"a: 1\nb: 2\na: 3\n", // the last one counts
	}
	for _, text := range texts {
		for _, direct := range []bool{true, false} {
			s := value.NewStore()
			src := diag.NewSource("t.yml", text)
			r, err := load(s, src, direct, Limits{Depth: DefaultDepth, Aliases: DefaultAliases, keys: true})
			if err != nil {
				t.Fatal(err)
			}
			keys := 0
			for id := value.ID(1); int(id) <= s.Len(); id++ {
				n := s.Node(id)
				if n.Kind != value.Map {
					continue
				}
				for i, k := range s.Keys(n) {
					start, end, ok := r.Key(n, i)
					if got := text[start:end]; !ok || got != s.Name(k) {
						t.Errorf("%q: key %q is said to be at %q", text, s.Name(k), got)
					}
					keys++
				}
			}
			if keys == 0 {
				t.Errorf("%q: no keys", text)
			}
		}
	}
	s := value.NewStore()
	r, err := Read(s, diag.NewSource("t.yml", "a: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := r.Key(s.Node(r.Docs[0]), 0); ok {
		t.Error("Read keeps the places of keys, which nobody asked for")
	}
}
