// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

// A series names the values of one unit of one benchmark.
type series struct{ name, unit string }

// results are the values that benchmarks reported, in the order of the report.
type results struct {
	order  []series
	values map[series][]float64
}

func readResults(file string) (r results, err error) {
	in, err := os.Open(file)
	if err != nil {
		return r, err
	}
	defer in.Close()
	err = r.read(in, file)
	return r, err
}

// read adds what a run of benchmarks printed.
func (r *results) read(in io.Reader, name string) error {
	if r.values == nil {
		r.values = map[series][]float64{}
	}
	scan := benchfmt.NewReader(in, name)
	for scan.Scan() {
		switch res := scan.Result().(type) {
		case *benchfmt.SyntaxError:
			return res
		case *benchfmt.Result:
			for _, v := range res.Values {
				s := series{res.Name.String(), v.Unit}
				if r.values[s] == nil {
					r.order = append(r.order, s)
				}
				r.values[s] = append(r.values[s], v.Value)
			}
		}
	}
	return scan.Err()
}

// cpu is the unit of processor time. Where benchmarks report it, it decides
// instead of sec/op, which other processes on the machine distort.
const cpu = "cpu-sec/op"

// limits are what is accepted.
type limits struct {
	time, memory float64 // percent
	alpha        float64
}

// A comparison is what two sides have in common.
type comparison struct {
	rows             []*row
	onlyOld, onlyNew []string // benchmarks of one side
}

// A row compares one series.
type row struct {
	series
	exact      bool
	old, new   benchmath.Summary
	test       benchmath.Comparison
	regression bool
	once       bool // looked like a regression, but not when measured again
	warnings   []error
}

func compareResults(old, new results, lim limits) *comparison {
	c := &comparison{}
	for _, s := range new.order {
		if s.unit == "B/s" {
			continue // sec/op once more
		}
		if old.values[s] == nil {
			c.onlyNew = appendNew(c.onlyNew, s.name+" "+s.unit)
			continue
		}
		r := compareSeries(s, old.values[s], new.values[s], lim)
		if s.unit == "sec/op" && new.values[series{s.name, cpu}] != nil && old.values[series{s.name, cpu}] != nil {
			r.regression = false // processor time decides
		}
		c.rows = append(c.rows, r)
	}
	for _, s := range old.order {
		if new.values[s] == nil && s.unit != "B/s" {
			c.onlyOld = appendNew(c.onlyOld, s.name+" "+s.unit)
		}
	}
	return c
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func compareSeries(s series, old, new []float64, lim limits) *row {
	accepted := lim.time
	r := &row{series: s}
	var assume benchmath.Assumption = benchmath.AssumeNothing
	switch s.unit {
	case "sec/op", cpu:
	case "B/op", "allocs/op":
		accepted = lim.memory
	default:
		r.exact, assume = true, benchmath.AssumeExact
	}
	thresholds := benchmath.DefaultThresholds
	thresholds.CompareAlpha = lim.alpha
	a, b := benchmath.NewSample(old, &thresholds), benchmath.NewSample(new, &thresholds)
	r.old, r.new, r.test = assume.Summary(a, 0.95), assume.Summary(b, 0.95), assume.Compare(a, b)
	r.warnings = slices.Concat(r.old.Warnings, r.new.Warnings, r.test.Warnings)
	if r.exact {
		r.regression = b.Values[len(b.Values)-1] > a.Values[len(a.Values)-1]
	} else {
		r.regression = r.test.P < r.test.Alpha && r.new.Center > r.old.Center*(1+accepted/100)
	}
	return r
}

func (c *comparison) regressions() (rows []*row) {
	for _, r := range c.rows {
		if r.regression {
			rows = append(rows, r)
		}
	}
	return rows
}

// suspects are the benchmarks with regressions in what is not exact.
func (c *comparison) suspects() (names []string) {
	for _, r := range c.regressions() {
		if !r.exact {
			names = appendNew(names, r.name)
		}
	}
	return names
}

// confirm clears the regressions that a second comparison does not show.
func (c *comparison) confirm(again *comparison) {
	for _, r := range c.regressions() {
		if r.exact {
			continue
		}
		i := slices.IndexFunc(again.rows, func(x *row) bool { return x.series == r.series })
		if i < 0 || !again.rows[i].regression {
			r.regression, r.once = false, true
		}
	}
}

// empty is the error of sides that have nothing in common.
func (c *comparison) empty() error {
	if len(c.rows) == 0 {
		return errors.New("no benchmark ran on both sides")
	}
	return nil
}

// print writes a table for each unit that is measured, the counters that
// differ, and the verdict.
func (c *comparison) print(w io.Writer, old, new string) {
	for _, unit := range []string{cpu, "sec/op", "B/op", "allocs/op"} {
		c.table(w, unit, old, new)
	}
	c.counters(w)
	c.oneSided(w, old, c.onlyOld)
	c.oneSided(w, new, c.onlyNew)
	c.warn(w)
	bad := c.regressions()
	for _, r := range bad {
		fmt.Fprintf(w, "REGRESSION %s: %s %s -> %s (%s)\n", r.name, r.unit, r.text(r.old.Center), r.text(r.new.Center), r.delta())
	}
	fmt.Fprintf(w, "%d series compared, %d regressions\n", len(c.rows), len(bad))
}

func (c *comparison) table(w io.Writer, unit, old, new string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s\t%s\t%s\tdelta\n", unit, old, new)
	n := 0
	for _, r := range c.rows {
		if r.unit != unit {
			continue
		}
		n++
		note := ""
		if r.once {
			note = "not confirmed"
		}
		if r.regression {
			note = "REGRESSION"
		}
		fmt.Fprintf(t, "%s\t%s ± %s\t%s ± %s\t%s (%s)\t%s\n", r.name,
			r.text(r.old.Center), r.old.PctRangeString(), r.text(r.new.Center), r.new.PctRangeString(), r.delta(), r.test, note)
	}
	if n > 0 {
		t.Flush()
		fmt.Fprintln(w)
	}
}

// counters writes the exact series that differ.
func (c *comparison) counters(w io.Writer) {
	exact, differ := 0, 0
	for _, r := range c.rows {
		if !r.exact {
			continue
		}
		exact++
		if r.regression || r.old.Center != r.new.Center {
			differ++
			fmt.Fprintf(w, "counter %s: %s %.0f -> %.0f (%s)\n", r.name, r.unit, r.old.Center, r.new.Center, r.delta())
		}
	}
	fmt.Fprintf(w, "%d exact counters, %d differ\n", exact, differ)
}

func (c *comparison) oneSided(w io.Writer, side string, names []string) {
	if len(names) > 0 {
		fmt.Fprintf(w, "only in %s: %s\n", side, strings.Join(names, ", "))
	}
}

// warn writes each warning once: most are about the number of runs.
func (c *comparison) warn(w io.Writer) {
	var seen []string
	for _, r := range c.rows {
		for _, err := range r.warnings {
			// That all samples are equal is a fact about memory, no fault.
			if text := err.Error(); text != "all samples are equal" && !slices.Contains(seen, text) {
				seen = append(seen, text)
				fmt.Fprintf(w, "warning: %s %s: %s\n", r.name, r.unit, text)
			}
		}
	}
}

func (r *row) text(v float64) string {
	if r.exact {
		return fmt.Sprintf("%.0f", v)
	}
	return benchunit.Scale(v, benchunit.ClassOf(r.unit))
}

func (r *row) delta() string {
	if r.exact && r.old.Center != 0 {
		return fmt.Sprintf("%+.2f%%", 100*(r.new.Center/r.old.Center-1))
	}
	return r.test.FormatDelta(r.old.Center, r.new.Center)
}
