// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/merge"
	"github.com/dynaml/spiff/value"
)

// work merges a template with stubs, nearest first, and returns the counts.
func work(t *testing.T, template string, stubs ...string) merge.Stats {
	t.Helper()
	s := value.NewStore()
	read := func(name, text string) merge.Input {
		src := diag.NewSource(name, text)
		r, err := doc.Read(s, src)
		if err != nil {
			t.Fatal(err)
		}
		return merge.Input{Source: src, Root: r.Docs[0]}
	}
	inputs := make([]merge.Input, len(stubs))
	for i, text := range stubs {
		inputs[i] = read(fmt.Sprintf("stub%d.yml", i), text)
	}
	n := merge.NewSession(s, merge.Options{})
	if _, err := n.Cascade(inputs); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Merge(read("template.yml", template)); err != nil {
		t.Fatal(err)
	}
	return n.Stats()
}

// TestNamesFromDeepBelow: a name that is looked up from every level of a nested
// map is sought once on each, whether it is there or not, also out of templates.
func TestNamesFromDeepBelow(t *testing.T) {
	const n = 300
	for name, expr := range map[string]string{
		"found":    "(( base ))",
		"path":     "(( tree.leaf ))",
		"missing":  `(( nowhere || "none" ))`,
		"instance": "(( *.form ))",
	} {
		t.Run(name, func(t *testing.T) {
			nested := func(n int) string {
				var b strings.Builder
				b.WriteString("base: 1\ntree: {leaf: 2}\nform:\n  <<: (( &template ))\n  use: (( base ))\nm: ")
				for range n {
					fmt.Fprintf(&b, "{x: '%s', m: ", expr)
				}
				b.WriteString("1" + strings.Repeat("}", n) + "\n")
				return b.String()
			}
			once, twice := work(t, nested(n)).Steps, work(t, nested(2*n)).Steps
			if once < n || twice > 2*once {
				t.Errorf("%d steps for %d levels, %d for %d", once, n, twice, 2*n)
			}
		})
	}
}

// TestManyStubs: a place is found in many stubs without asking each of them.
func TestManyStubs(t *testing.T) {
	const keys = 600
	cases := map[string]struct{ template, stub string }{
		"keys":    {"  k%d: (( merge || 0 ))\n", "  k%d: 1\n"},
		"entries": {"- {name: k%d, v: 0}\n", "- {name: k%d, v: 1}\n"},
		"paths":   {"  k%d: (( merge p.k%[1]d || 0 ))\n", "  k%d: 1\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			set := func(files int) int {
				template := "p:\n"
				stubs := make([]string, files)
				for i := range keys {
					template += fmt.Sprintf(c.template, i)
					f := i % files
					if stubs[f] == "" {
						stubs[f] = "p:\n"
					}
					stubs[f] += fmt.Sprintf(c.stub, i)
				}
				return work(t, template, stubs...).Hits
			}
			few, many := set(10), set(100)
			if few < keys/2 || many > 2*few {
				t.Errorf("%d nodes looked at in 10 stubs, %d in 100", few, many)
			}
		})
	}
}
