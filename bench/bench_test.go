// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"testing"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/dialect"
	"github.com/dynaml/spiff/parser"
)

// sizes of the families in benchmarks. The larger ones show the growth; run
// them with -bench 'n=(10000|100000|1000000)$'.
var sizes = []int{1000, 10_000, 100_000, 1_000_000}

// large families are not run with the largest size: their input would have
// hundreds of megabytes.
var large = map[string]bool{"plain": true, "jobs": true, "staticips": true, "template": true, "keyedlist": true, "splice": true}

func load(b testing.TB, s Set) (*spiff.Document, []*spiff.Document) {
	b.Helper()
	t, err := spiff.Load("template.yml", []byte(s.Template))
	if err != nil {
		b.Fatal(err)
	}
	stubs := make([]*spiff.Document, len(s.Stubs))
	for i, text := range s.Stubs {
		if stubs[i], err = spiff.Load(fmt.Sprintf("stub%d.yml", i), []byte(text)); err != nil {
			b.Fatal(err)
		}
	}
	return t, stubs
}

func merge(b testing.TB, t *spiff.Document, stubs []*spiff.Document) *spiff.Result {
	b.Helper()
	r, err := spiff.Merge(t, stubs, spiff.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func write(b testing.TB, r *spiff.Result, buf []byte) []byte {
	b.Helper()
	out, err := r.Append(buf[:0])
	if err != nil {
		b.Fatal(err)
	}
	return out
}

func BenchmarkSpiff(b *testing.B) {
	for _, name := range Names() {
		for _, n := range sizes {
			if large[name] && n > 100_000 {
				continue
			}
			b.Run(fmt.Sprintf("family=%s/n=%d", name, n), func(b *testing.B) { phases(b, Families[name](n)) })
		}
	}
}

// phases measures reading, merging and writing apart, and all together.
func phases(b *testing.B, s Set) {
	b.Run("phase=read", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(s.Bytes())
		for b.Loop() {
			load(b, s)
		}
	})
	b.Run("phase=merge", func(b *testing.B) {
		t, stubs := load(b, s)
		b.ReportAllocs()
		b.SetBytes(s.Bytes())
		var r *spiff.Result
		for b.Loop() {
			r = merge(b, t, stubs)
		}
		st := r.Stats()
		b.ReportMetric(float64(st.VM.Instructions), "instructions/op")
		b.ReportMetric(float64(st.Cells), "cells/op")
		b.ReportMetric(float64(st.VM.Suspensions), "suspensions/op")
	})
	b.Run("phase=write", func(b *testing.B) {
		t, stubs := load(b, s)
		r := merge(b, t, stubs)
		var out []byte
		b.ReportAllocs()
		b.SetBytes(s.Bytes())
		for b.Loop() {
			out = write(b, r, out)
		}
	})
	b.Run("phase=whole", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(s.Bytes())
		for b.Loop() {
			t, stubs := load(b, s)
			write(b, merge(b, t, stubs), nil)
		}
	})
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
