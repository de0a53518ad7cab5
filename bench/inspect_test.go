// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/dynaml/spiff"
)

// TestGraphGrowsLinearly counts the graph of every family at n and 2n, and the
// steps that it took to make: each may at most double, apart from what does not
// depend on n.
func TestGraphGrowsLinearly(t *testing.T) {
	const n = 200
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			once, twice := graphWork(t, Families[name](n)), graphWork(t, Families[name](2*n))
			for kind, count := range once {
				if limit := 2*count + 50; twice[kind] > limit {
					t.Errorf("%s: %d for n, %d for 2n, want at most %d", kind, count, twice[kind], limit)
				}
			}
		})
	}
}

func graphWork(t *testing.T, s Set) map[string]int {
	t.Helper()
	i := inspect(t, s)
	g := i.Graph()
	return map[string]int{"nodes": len(g.Nodes), "edges": len(g.Edges), "steps": i.Work()}
}

func inspect(t testing.TB, s Set) *spiff.Inspection {
	t.Helper()
	doc, stubs := load(t, s)
	i, err := spiff.Inspect(context.Background(), doc, stubs, spiff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// BenchmarkInspect compares a merge that is recorded with one that is not, and
// measures what the answers cost.
func BenchmarkInspect(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		set := Families["jobs"](n)
		b.Run(fmt.Sprintf("family=jobs/n=%d/phase=merge", n), func(b *testing.B) {
			doc, stubs := load(b, set)
			b.ReportAllocs()
			for b.Loop() {
				mergeDocs(b, doc, stubs)
			}
		})
		b.Run(fmt.Sprintf("family=jobs/n=%d/phase=recorded", n), func(b *testing.B) {
			doc, stubs := load(b, set)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := spiff.Inspect(context.Background(), doc, stubs, spiff.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("family=jobs/n=%d/phase=graph", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				inspect(b, set).Graph()
			}
		})
	}
}
