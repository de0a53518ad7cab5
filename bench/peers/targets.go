// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"

	"github.com/dynaml/spiff/bench"
)

// A target is a figure to be reached. All are ratios or exact counts; a time of
// its own says little about another machine.
type target struct {
	title   string
	limit   float64
	atLeast bool // else at most
	measure func() (float64, error)
}

func (t target) reached(v float64) bool {
	if t.atLeast {
		return v >= t.limit
	}
	return v <= t.limit
}

var errMissed = errors.New("not every target is reached")

// runTargets measures and prints the targets whose title matches only.
func runTargets(rounds int, only string, out io.Writer) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	// The temporary folder is removed even if the command was interrupted.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b, err := newBed(ctx, rounds)
	if err != nil {
		return err
	}
	defer b.close()
	targets := append(b.documentTargets(), b.boshTargets()...)
	targets = append(targets, b.familyTargets()...)
	targets = append(targets, b.startTargets()...)
	// What is measured in this process comes last: see bed.generate.
	targets = append(targets, exprTargets(rounds)...)
	missed, measured := 0, 0
	for _, t := range targets {
		if !pattern.MatchString(t.title) {
			continue
		}
		v, err := t.measure()
		if err != nil {
			return fmt.Errorf("%s: %w", t.title, err)
		}
		measured++
		verdict, bound := "pass", "at most"
		if t.atLeast {
			bound = "at least"
		}
		if !t.reached(v) {
			verdict = "FAIL"
			missed++
		}
		fmt.Fprintf(out, "%s  %-67s %8.3f  (%s %g)\n", verdict, t.title, v, bound, t.limit)
	}
	fmt.Fprintf(out, "%d of %d targets reached\n", measured-missed, measured)
	if missed > 0 {
		return errMissed
	}
	return nil
}

// exprTargets compare expressions with the peers, in this process.
func exprTargets(rounds int) []target {
	var all []sample
	samples := func() (_ []sample, err error) {
		if all == nil {
			all, err = exprSamples(plan{rounds: rounds, time: 50 * time.Millisecond})
		}
		return all, err
	}
	ratio := func(title, name, peer string, limit float64) target {
		return target{title: title, limit: limit, measure: func() (float64, error) {
			all, err := samples()
			return medianRatio(all, exprName(name), own, peer), err
		}}
	}
	return []target{
		ratio("1 + 2 * foo: time, in that of expr", "arith", "expr", 1.0),
		{title: "1 + 2 * foo: allocations", measure: func() (n float64, err error) {
			all, err := samples()
			for _, s := range all {
				if s.name == exprName("arith") && s.engine == own {
					n = max(n, float64(s.allocs))
				}
			}
			return n, err
		}},
		ratio("concatenation of four: time, in that of expr", "concat", "expr", 0.6),
		ratio("fib(20): time, in that of gopher-lua", "fib", "gopher-lua", 0.3),
		ratio("map[] over 1000: time, in that of expr", "map", "expr", 0.5),
		ratio("sum[] over 1000: time, in that of starlark-go", "sum", "starlark-go", 0.4),
		ratio("compiling: time, in that of expr", "compile", "expr", 0.1),
	}
}

// documentTargets compare merges of plain documents with yaml.v3.
func (b *bed) documentTargets() (targets []target) {
	for _, size := range []int{10_000_000, 100_000_000} {
		var ours, theirs []usage
		var input set
		run := func() (err error) {
			if ours != nil {
				return nil
			}
			if input, err = b.sized("plain", size); err == nil {
				ours, theirs, err = b.pairs(b.roundsFor(size), b.merge(input), b.rewrite(input))
				b.drop()
			}
			return err
		}
		targets = append(targets,
			target{title: "plain document of " + megabytes(size) + ": CPU of yaml.v3 over ours", limit: 20, atLeast: true,
				measure: func() (float64, error) { err := run(); return cpuRatio(theirs, ours), err }},
			target{title: "plain document of " + megabytes(size) + ": peak memory per input byte", limit: 8,
				measure: func() (float64, error) { err := run(); return peak(ours) / float64(input.bytes), err }})
	}
	return targets
}

// roundsFor makes fewer rounds of what takes long.
func (b *bed) roundsFor(size int) int {
	if size > 20_000_000 {
		return min(b.rounds, 3)
	}
	return b.rounds
}

// sized generates a set of about a number of bytes.
func (b *bed) sized(family string, size int) (set, error) {
	const n = 1000
	s, err := b.generate(family, n)
	if err != nil {
		return s, err
	}
	return b.generate(family, int(int64(n)*int64(size)/s.bytes))
}

// boshTargets measure sets that look like real ones.
func (b *bed) boshTargets() []target {
	const small, large = 1000, 100_000
	var g growth
	grow := func() (err error) {
		if g.smalls == nil {
			g, err = b.growth("bosh", small, large, min(b.rounds, 3))
			g.factor = large / small // jobs, though numbers in their text get longer
		}
		return err
	}
	return []target{
		{title: "BOSH set of 1000 jobs: CPU, in that of yaml.v3 for the same bytes", limit: 0.15, measure: func() (float64, error) {
			s, err := b.generate("bosh", small)
			if err != nil {
				return 0, err
			}
			ours, theirs, err := b.pairs(b.rounds, b.merge(s), b.rewrite(s))
			return cpuRatio(ours, theirs), err
		}},
		{title: "BOSH set, 1000 to 100 000 jobs: CPU exponent", limit: 1.05, measure: func() (float64, error) {
			err := grow()
			return g.exponent(), err
		}},
		{title: "BOSH set of 100 000 jobs: peak memory per input byte", limit: 10, measure: func() (float64, error) {
			err := grow()
			return peak(g.larges) / float64(g.bytes), err
		}},
	}
}

// A growth is what merges of one family took at two sizes.
type growth struct {
	smalls, larges []usage
	bytes          int64   // of the larger input
	factor         float64 // by which the work grows if it is linear
}

// growth merges a set of two sizes in turn. The work is that of n things, or of
// the bytes if those grow faster, as with the indentation of "deep"; but "range"
// is one expression of the same length.
func (b *bed) growth(family string, small, large, rounds int) (g growth, err error) {
	defer b.drop()
	one, err := b.generate(family, small)
	if err != nil {
		return g, err
	}
	ten, err := b.generate(family, large)
	if err != nil {
		return g, err
	}
	g.bytes = ten.bytes
	g.factor = max(float64(large)/float64(small), float64(ten.bytes)/float64(one.bytes))
	g.smalls, g.larges, err = b.pairs(rounds, b.merge(one), b.merge(ten))
	return g, err
}

// exponent says how cost grows: 1 is linear, 2 quadratic.
func (g growth) exponent() float64 {
	return math.Log(cpuRatio(g.larges, g.smalls)) / math.Log(g.factor)
}

// sharedFamilies are the micro families of the shared generator. Left out are
// "for", which is not in the language; "fib", whose cost is exponential by its
// nature; and "parens" and "calls", whose nesting has a bound far below what
// takes a noticeable time.
var sharedFamilies = []string{
	"arith", "auto", "byname", "chain", "chains", "concat", "cond", "deep", "fanin", "fanout", "ipmath", "iprange", "lambda", "listinsert",
	"map", "mapstr", "mergekeys", "mergelist", "mul", "plain", "range", "refstruct", "staticips", "stubs", "sum", "template", "wide",
}

// familyTargets measure how the cost of each feature grows.
func (b *bed) familyTargets() (targets []target) {
	families := sharedFamilies
	if b.gen == "" {
		families = bench.Names()
	}
	for _, family := range families {
		targets = append(targets, target{title: "family " + family + ": CPU exponent", limit: 1.10, measure: func() (float64, error) {
			n, err := b.noticeable(family)
			if err != nil {
				return 0, err
			}
			g, err := b.growth(family, n, 10*n, min(b.rounds, 5))
			return g.exponent(), err
		}})
	}
	return targets
}

// largestSmall bounds the smaller size of a family: ten times as many levels are
// just below the depth that documents may have.
var largestSmall = map[string]int{"deep": 900}

// noticeable returns a size at which the start of the process does not count.
func (b *bed) noticeable(family string) (int, error) {
	largest := 200_000
	if n, ok := largestSmall[family]; ok {
		largest = n
	}
	for n := min(1000, largest); ; n = min(2*n, largest) {
		s, err := b.generate(family, n)
		if err != nil {
			return 0, err
		}
		u, err := b.run(b.merge(s)...)
		if err != nil || u.cpu > 60*time.Millisecond || n == largest {
			b.drop()
			return n, err
		}
	}
}

// startTargets compare the smallest runs with a program that does nothing.
func (b *bed) startTargets() []target {
	against := func(args func() ([]string, error)) func() (float64, error) {
		return func() (float64, error) {
			cmd, err := args()
			if err != nil {
				return 0, err
			}
			// A millisecond each, so many runs are needed and cheap.
			ours, theirs, err := b.pairs(20*b.rounds, cmd, []string{b.hello})
			return cpuRatio(ours, theirs), err
		}
	}
	return []target{
		{title: "spiff version: CPU, in that of a Go hello program", limit: 2, measure: against(func() ([]string, error) {
			return []string{b.spiff, "version"}, nil
		})},
		{title: "merge of three lines: CPU, in that of a Go hello program", limit: 2, measure: against(func() ([]string, error) {
			file := filepath.Join(b.dir, "three.yml")
			return []string{b.spiff, "merge", file}, os.WriteFile(file, []byte("name: cf\nhost: example.com\nurl: (( \"https://\" host ))\n"), 0o666)
		})},
	}
}
