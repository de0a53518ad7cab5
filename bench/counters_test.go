// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/dynaml/spiff"
)

// A counter is an exact count of work, the same on every machine.
type counter struct {
	unit string // as benchmarks report it
	n    int64
}

// countersOf lists what a merge counts.
func countersOf(st spiff.Stats) []counter {
	return []counter{
		{"instructions/op", st.VM.Instructions},
		{"calls/op", st.VM.Calls},
		{"suspensions/op", st.VM.Suspensions},
		{"cells/op", int64(st.Cells)}, // nodes evaluated
		{"nodes/op", int64(st.Nodes)},
		{"programs/op", int64(st.Programs)},
		{"runs/op", int64(st.Graph.Runs)},
		{"blocks/op", int64(st.Graph.Blocks)},
		{"fires/op", int64(st.Graph.Fires)},
	}
}

// A row is the counters of one benchmark.
type row struct {
	name     string
	counters []counter
}

// baselineSizes are two, so that a counter which grows faster than the input
// stands out in the file.
var baselineSizes = []int{1000, 4000}

// countersOfFamily returns a row for each size and each phase that counts.
func countersOfFamily(t *testing.T, family string) (rows []row) {
	for _, n := range baselineSizes {
		set := Families[family](n)
		doc, stubs := load(t, set)
		name := fmt.Sprintf("Spiff/family=%s/n=%d/phase=", family, n)
		rows = append(rows,
			row{name + "compile", []counter{{"code/op", mergeSet(t, set).code()}}},
			row{name + "merge", countersOf(mergeDocs(t, doc, stubs).Stats())})
	}
	return rows
}

const (
	baselineDir    = "baseline"
	acceptCounters = "SPIFF_UPDATE=1 go test ./bench -run TestCounters"
)

// TestCounters holds the counters of every family to those of the baseline.
// Less work is no regression, but it fails too: a baseline that is not lowered
// would let the gain be lost unseen.
func TestCounters(t *testing.T) {
	for _, family := range Names() {
		t.Run(family, func(t *testing.T) {
			file := filepath.Join(baselineDir, family+".txt")
			got := countersOfFamily(t, family)
			want, err := readBaseline(file)
			if err != nil {
				t.Fatal(err)
			}
			changes := compareCounters(want, got)
			if len(changes) == 0 {
				return
			}
			if os.Getenv("SPIFF_UPDATE") != "" {
				if err := writeBaseline(file, got); err != nil {
					t.Fatal(err)
				}
				t.Logf("%s: %d counters rewritten", file, len(changes))
				return
			}
			t.Errorf("bench/%s:\n\t%s\nIf the change is meant, accept it and say why in the commit:\n\t%s",
				filepath.ToSlash(file), strings.Join(changes, "\n\t"), acceptCounters)
		})
	}
}

// compareCounters says how got differs from want, a line for each counter.
func compareCounters(want, got []row) (changes []string) {
	for _, g := range got {
		i := slices.IndexFunc(want, func(r row) bool { return r.name == g.name })
		if i < 0 {
			changes = append(changes, g.name+": not in the baseline")
			continue
		}
		for _, c := range g.counters {
			if line := compareCounter(want[i].counters, c); line != "" {
				changes = append(changes, g.name+": "+line)
			}
		}
	}
	return changes
}

func compareCounter(want []counter, got counter) string {
	i := slices.IndexFunc(want, func(c counter) bool { return c.unit == got.unit })
	if i < 0 {
		return got.unit + " is not in the baseline"
	}
	old := want[i].n
	percent := func() string {
		if old == 0 {
			return ""
		}
		return fmt.Sprintf(" (%+.1f %%)", 100*float64(got.n-old)/float64(old))
	}
	switch {
	case got.n > old:
		return fmt.Sprintf("%s grew from %d to %d%s: a regression", got.unit, old, got.n, percent())
	case got.n < old:
		return fmt.Sprintf("%s fell from %d to %d%s: a gain to be kept", got.unit, old, got.n, percent())
	}
	return ""
}

// readBaseline returns no row if there is no file.
func readBaseline(file string) (rows []row, err error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	in := benchfmt.NewReader(bytes.NewReader(text), file)
	for in.Scan() {
		switch r := in.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, r
		case *benchfmt.Result:
			x := row{name: r.Name.String()}
			for _, v := range r.Values {
				x.counters = append(x.counters, counter{v.Unit, int64(v.Value)})
			}
			rows = append(rows, x)
		}
	}
	return rows, in.Err()
}

func writeBaseline(file string, rows []row) error {
	var b bytes.Buffer
	out := benchfmt.NewWriter(&b)
	for _, r := range rows {
		res := &benchfmt.Result{Name: benchfmt.Name(r.name), Iters: 1}
		for _, c := range r.counters {
			res.Values = append(res.Values, benchfmt.Value{Value: float64(c.n), Unit: c.unit})
		}
		if err := out.Write(res); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}

func TestCompareCounters(t *testing.T) {
	file := filepath.Join(t.TempDir(), "family.txt")
	old := []row{{"Spiff/n=1/phase=merge", []counter{{"cells/op", 200}, {"runs/op", 7}, {"calls/op", 0}, {"blocks/op", 5}}}}
	if err := writeBaseline(file, old); err != nil {
		t.Fatal(err)
	}
	want, err := readBaseline(file)
	if err != nil {
		t.Fatal(err)
	}
	if changes := compareCounters(want, old); changes != nil {
		t.Errorf("what was written does not read as the same: %q", changes)
	}
	got := compareCounters(want, []row{
		{"Spiff/n=1/phase=merge", []counter{{"cells/op", 201}, {"runs/op", 7}, {"calls/op", 1}, {"blocks/op", 4}, {"new/op", 1}}},
		{"Spiff/n=2/phase=merge", nil},
	})
	expected := []string{
		"Spiff/n=1/phase=merge: cells/op grew from 200 to 201 (+0.5 %): a regression",
		"Spiff/n=1/phase=merge: calls/op grew from 0 to 1: a regression",
		"Spiff/n=1/phase=merge: blocks/op fell from 5 to 4 (-20.0 %): a gain to be kept",
		"Spiff/n=1/phase=merge: new/op is not in the baseline",
		"Spiff/n=2/phase=merge: not in the baseline",
	}
	if !slices.Equal(got, expected) {
		t.Errorf("got %q, want %q", got, expected)
	}
	if rows, err := readBaseline(filepath.Join(t.TempDir(), "none.txt")); rows != nil || err != nil {
		t.Errorf("no file: got %v, %v, want nothing", rows, err)
	}
}

// TestBaselineFiles finds files of families that are gone.
func TestBaselineFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(baselineDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		family := strings.TrimSuffix(filepath.Base(file), ".txt")
		if Families[family] == nil {
			t.Errorf("bench/%s belongs to no family", filepath.ToSlash(file))
		}
	}
}
