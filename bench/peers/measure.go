// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"
)

// plan says how much is measured.
type plan struct {
	rounds  int           // in each of which every engine runs once
	time    time.Duration // for one run; at least one operation is done
	sizes   []int         // of documents, in bytes
	verbose bool
}

// A sample is one measured run. Engines run in turn, so the samples of one case
// are comparable round by round.
type sample struct {
	name   string // of the benchmark, without the engine
	engine string
	ns     float64 // to the hundredth, as it is recorded
	bytes  int64   // input of one operation, or 0
	memory int64   // allocated by one operation
	allocs int64
}

// A contender is an engine with one operation ready to be measured.
type contender struct {
	engine string
	op     func() error
}

// exprSamples measures all expressions and the compilation of one, in short runs
// and three times as many rounds: what disturbs a run is over in the next.
func exprSamples(p plan) (all []sample, err error) {
	p.rounds, p.time = 3*p.rounds, p.time/3
	for _, c := range exprCases {
		var cs []contender
		for _, e := range exprEngines {
			if e.text(c) == "" {
				continue
			}
			op, err := e.load(c)
			if err != nil {
				return nil, err
			}
			cs = append(cs, contender{e.name, op})
		}
		got, err := interleave(p, exprName(c.name), 0, cs)
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	var cs []contender
	c := exprCases[0]
	for _, e := range exprEngines {
		op, err := e.compile(e.text(c), c.vars)
		if err != nil {
			return nil, err
		}
		cs = append(cs, contender{e.name, op})
	}
	got, err := interleave(p, exprName("compile"), 0, cs)
	return append(all, got...), err
}

func exprName(name string) string { return "Expr/expr=" + name }

// sizeKey is where the name of a benchmark has the size of the document.
const sizeKey = "/bytes="

func docName(kind string, size int) string {
	return fmt.Sprintf("Doc/kind=%s%s%d", kind, sizeKey, size)
}

// docSamples measures reading and writing of all documents.
func docSamples(p plan) (all []sample, err error) {
	for _, k := range docKinds {
		for _, size := range p.sizes {
			text := k.text(size)
			var es []docEngine
			var cs []contender
			for _, e := range docEngines {
				if size > e.limit {
					continue
				}
				es = append(es, e)
				cs = append(cs, contender{e.name, func() error {
					_, err := e.copy(text)
					return err
				}})
			}
			if err := checkDocs(text, es); err != nil {
				return nil, fmt.Errorf("%s: %w", docName(k.name, size), err)
			}
			got, err := interleave(p, docName(k.name, size), int64(len(text)), cs)
			if err != nil {
				return nil, err
			}
			all = append(all, got...)
		}
	}
	return all, nil
}

// enough is how long a contender may take for one case: after that it is not
// run in further rounds.
const enough = time.Minute

// interleave runs the contenders in turn.
func interleave(p plan, name string, bytes int64, cs []contender) (all []sample, err error) {
	if err := flag.Set("test.benchtime", p.time.String()); err != nil {
		return nil, err
	}
	spent := make([]time.Duration, len(cs))
	for range p.rounds {
		for i, c := range cs {
			if spent[i] > enough {
				continue
			}
			r := testing.Benchmark(func(b *testing.B) {
				for b.Loop() {
					if err = c.op(); err != nil {
						b.FailNow()
					}
				}
			})
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, c.engine, err)
			}
			spent[i] += r.T
			all = append(all, sample{
				name: name, engine: c.engine, bytes: bytes,
				ns: math.Round(100*float64(r.T.Nanoseconds())/float64(r.N)) / 100, memory: r.AllocedBytesPerOp(), allocs: r.AllocsPerOp(),
			})
		}
	}
	if p.verbose {
		fmt.Fprintln(os.Stderr, name)
	}
	return all, nil
}

// medianRatio returns the median of the ratios of two engines, round by round,
// so that a machine whose speed drifts does not count.
func medianRatio(all []sample, name, engine, other string) float64 {
	ours, theirs := valuesOf(all, name, engine), valuesOf(all, name, other)
	ratios := make([]float64, min(len(ours), len(theirs)))
	for i := range ratios {
		ratios[i] = ours[i] / theirs[i]
	}
	return median(ratios)
}

func valuesOf(all []sample, name, engine string) (ns []float64) {
	for _, s := range all {
		if s.name == name && s.engine == engine {
			ns = append(ns, s.ns)
		}
	}
	return ns
}

func median(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	xs = slices.Sorted(slices.Values(xs))
	n := len(xs)
	return (xs[(n-1)/2] + xs[n/2]) / 2
}
