// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/compiler"
	"github.com/dynaml/spiff/dialect"
	"github.com/dynaml/spiff/graph"
	"github.com/dynaml/spiff/parser"
)

// sizes of the families in benchmarks. The larger ones show the growth; run
// them with -bench 'n=(10000|100000|1000000)$'.
var sizes = []int{1000, 10_000, 100_000, 1_000_000}

// large families are not run with the largest size: their input would have
// hundreds of megabytes.
var large = map[string]bool{"plain": true, "jobs": true, "staticips": true, "template": true, "keyedlist": true, "splice": true}

func load(tb testing.TB, s Set) (*spiff.Document, []*spiff.Document) {
	tb.Helper()
	t, err := spiff.Load("template.yml", []byte(s.Template))
	if err != nil {
		tb.Fatal(err)
	}
	stubs := make([]*spiff.Document, len(s.Stubs))
	for i, text := range s.Stubs {
		if stubs[i], err = spiff.Load(fmt.Sprintf("stub%d.yml", i), []byte(text)); err != nil {
			tb.Fatal(err)
		}
	}
	return t, stubs
}

func mergeDocs(tb testing.TB, t *spiff.Document, stubs []*spiff.Document) *spiff.Result {
	tb.Helper()
	r, err := spiff.Merge(context.Background(), t, stubs, spiff.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func write(tb testing.TB, r *spiff.Result, buf []byte) []byte {
	tb.Helper()
	out, err := r.Append(buf[:0])
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// BenchmarkSpiff measures every phase of every family. The keys of a name are
// what benchstat groups by.
func BenchmarkSpiff(b *testing.B) {
	for _, name := range Names() {
		for _, n := range sizes {
			if large[name] && n > 100_000 {
				continue
			}
			b.Run(fmt.Sprintf("family=%s/n=%d", name, n), func(b *testing.B) { benchPhases(b, Families[name](n)) })
		}
	}
}

// phases of a merge, in the order in which data passes them. Reading, merging
// and writing make up the whole; parsing, compiling, ordering and running are
// the parts of merging that are measured on their own; their bytes are those of
// the expressions.
var phases = []struct {
	name string
	// prepare does what is not measured and returns what is, and what reports
	// the counters of one operation, or nil. It returns no operation if the
	// set has no work for the phase.
	prepare func(b *testing.B, s Set) (op func(), counters func())
}{
	{"read", benchRead},
	{"parse", benchParse},
	{"compile", benchCompile},
	{"order", benchOrder},
	{"run", benchRun},
	{"merge", benchMerge},
	{"write", benchWrite},
	{"whole", benchWhole},
}

func benchPhases(b *testing.B, s Set) {
	for _, p := range phases {
		b.Run("phase="+p.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(s.Bytes())
			op, counters := p.prepare(b, s)
			if op == nil {
				b.Skip("nothing to do in this phase")
			}
			op()         // fills buffers, so that B/op does not depend on how often the loop runs
			runtime.GC() // of what was prepared
			start := cpuTime()
			for b.Loop() {
				op()
			}
			// Unlike time, it hardly depends on what else the machine does.
			if cpu := cpuTime() - start; cpu > 0 {
				b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N), "cpu-ns/op")
			}
			if counters != nil {
				counters()
			}
		})
	}
}

func benchRead(b *testing.B, s Set) (op, counters func()) {
	return func() { load(b, s) }, nil
}

// benchParse parses each distinct expression once, as a merge does.
func benchParse(b *testing.B, s Set) (op, counters func()) {
	m := mergeSet(b, s)
	if len(m.texts) == 0 {
		return nil, nil
	}
	b.SetBytes(m.distinct())
	texts := m.texts // the rest of m would keep the collector busy
	op = func() {
		var p parser.Parser // of one merge
		for _, text := range texts {
			if _, err := p.Parse(dialect.Dialect{}, text); err != nil {
				b.Fatal(err)
			}
		}
	}
	return op, func() { b.ReportMetric(float64(len(texts)), "expressions/op") }
}

// benchCompile makes programs of the trees that benchParse makes.
func benchCompile(b *testing.B, s Set) (op, counters func()) {
	m := mergeSet(b, s)
	if len(m.texts) == 0 {
		return nil, nil
	}
	b.SetBytes(m.distinct())
	op = func() {
		var c compiler.Compiler // of one merge
		for _, text := range m.texts {
			if _, err := c.Compile(m.s, text, m.trees[text]); err != nil {
				b.Fatal(err)
			}
		}
	}
	return op, func() { b.ReportMetric(float64(m.code()), "code/op") }
}

// benchOrder schedules the static graph of the documents.
func benchOrder(b *testing.B, s Set) (op, counters func()) {
	m := mergeSet(b, s)
	needs, roots := m.needs()
	if len(roots) == 0 {
		return nil, nil
	}
	b.SetBytes(m.bytes())
	var st graph.Stats
	op = func() { st, _ = order(needs, roots) }
	counters = func() {
		b.ReportMetric(float64(st.Runs), "runs/op")
		b.ReportMetric(float64(st.Blocks), "blocks/op")
	}
	return op, counters
}

// benchRun runs the program of every expression that has a place in the result.
func benchRun(b *testing.B, s Set) (op, counters func()) {
	m := mergeSet(b, s)
	r := newRunner(m)
	if len(r.exprs) == 0 {
		return nil, nil
	}
	b.SetBytes(m.bytes())
	var last int64
	op = func() {
		if r.full() {
			b.StopTimer()
			r.renew()
			b.StartTimer()
		}
		before := r.vm.Stats.Instructions
		if err := r.run(); err != nil {
			b.Fatal(err)
		}
		last = r.vm.Stats.Instructions - before
	}
	return op, func() { b.ReportMetric(float64(last), "instructions/op") }
}

func benchMerge(b *testing.B, s Set) (op, counters func()) {
	t, stubs := load(b, s)
	var r *spiff.Result
	op = func() { r = mergeDocs(b, t, stubs) }
	counters = func() {
		for _, c := range countersOf(r.Stats()) {
			b.ReportMetric(float64(c.n), c.unit)
		}
	}
	return op, counters
}

func benchWrite(b *testing.B, s Set) (op, counters func()) {
	t, stubs := load(b, s)
	r := mergeDocs(b, t, stubs)
	var out []byte
	return func() { out = write(b, r, out) }, nil
}

func benchWhole(b *testing.B, s Set) (op, counters func()) {
	op = func() {
		t, stubs := load(b, s)
		write(b, mergeDocs(b, t, stubs), nil)
	}
	return op, nil
}

func BenchmarkParse(b *testing.B) {
	for name, text := range map[string]string{
		"ref":    " meta.release.name ",
		"merge":  ` merge || default.value || "none" `,
		"arith":  ` 1 + 2 * foo - (bar / 3) `,
		"concat": ` "https://" host "." .properties.domain ":" port `,
		"lambda": ` |x,y|->map[x|k,v|->k "=" v y] `,
	} {
		b.Run("expr="+name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			var p parser.Parser
			for b.Loop() {
				if _, err := p.Parse(dialect.Dialect{}, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
