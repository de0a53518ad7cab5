// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// tiny measures everything once.
var tiny = plan{rounds: 1, time: time.Microsecond, sizes: []int{1000, 20_000}}

// TestEverythingRuns holds every engine to the right results and takes what it
// measures through the file of results to table and plot.
func TestEverythingRuns(t *testing.T) {
	testing.Init()
	all, err := exprSamples(tiny)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := docSamples(tiny)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, docs...)
	// Every engine but expr, which has no recursion, runs and compiles all.
	if got, want := len(all), 3*(len(exprEngines)*(len(exprCases)+1)-1)+len(docEngines)*len(docKinds)*len(tiny.sizes); got != want {
		t.Errorf("got %d samples, want %d", got, want)
	}

	file := filepath.Join(t.TempDir(), "results.txt")
	if err := writeResults(file, all); err != nil {
		t.Fatal(err)
	}
	read, err := readResults(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := markdown(read), markdown(all); got != want {
		t.Errorf("the table of recorded results is\n%s, want\n%s", got, want)
	}
	plot := filepath.Join(t.TempDir(), "plot.svg")
	if err := drawPlot(plot, read); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(plot)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", "yaml.v3, plain", "spiff, BOSH-like, with expressions", ">10 kB<"} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("no %q in the plot", want)
		}
	}
}

func TestWrongResultIsNotMeasured(t *testing.T) {
	c := exprCases[0]
	c.want = int64(44)
	for _, e := range exprEngines {
		if _, err := e.load(c); fmt.Sprint(err) != e.name+": arith: got 43, want 44" {
			t.Errorf("%s: got error %v", e.name, err)
		}
	}
}

func TestWrongDocumentIsNotMeasured(t *testing.T) {
	text := []byte("b: 1\na: [x, \"2\"]\n")
	tests := []struct{ wrote, want string }{
		{"a:\n- x\n- \"2\"\nb: 1\n", "<nil>"},
		{"b: 1\na: [x, 2]\n", `bad: line 2: wrote !!int "2", read !!str "2"`},
		{"b: 1\na: [\"2\", x]\n", `bad: line 2: wrote !!str "2", read !!str "x"`},
		{"b: 1\n", "bad: line 1: wrote 2 nodes of 4"},
		{"b: [\n", "bad: what it wrote cannot be read: yaml: line 1: did not find expected node content"},
	}
	for _, tt := range tests {
		bad := docEngine{name: "bad", copy: func([]byte) ([]byte, error) { return []byte(tt.wrote), nil }}
		if got := fmt.Sprint(checkDocs(text, []docEngine{bad})); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.wrote, got, tt.want)
		}
	}
}

func TestDocumentSizes(t *testing.T) {
	for _, k := range docKinds {
		for _, size := range []int{10_000, 1_000_000} {
			text := k.text(size)
			if n := len(text); n < size*9/10 || n > size*11/10 {
				t.Errorf("%s: got %d bytes, want about %d", k.name, n, size)
			}
			if err := yaml.Unmarshal(text, &yaml.Node{}); err != nil {
				t.Errorf("%s: %v", k.name, err)
			}
		}
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		xs   []float64
		want float64
	}{{nil, 0}, {[]float64{7}, 7}, {[]float64{9, 1}, 5}, {[]float64{9, 1, 2}, 2}} {
		if got := median(tt.xs); got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.xs, got, tt.want)
		}
	}
	// The machine became half as fast in the second round.
	all := []sample{{name: "x", engine: "a", ns: 10}, {name: "x", engine: "b", ns: 20}, {name: "x", engine: "a", ns: 20}, {name: "x", engine: "b", ns: 40}}
	if got := medianRatio(all, "x", "a", "b"); got != 0.5 {
		t.Errorf("got ratio %v, want 0.5", got)
	}
}

func TestDuration(t *testing.T) {
	for ns, want := range map[float64]string{63.21: "63.2 ns", 999.4: "999 ns", 999.6: "1.00 µs", 1234: "1.23 µs", 45_678_900: "45.7 ms", 2.5e10: "25.0 s"} {
		if got := duration(ns); got != want {
			t.Errorf("%v: got %s, want %s", ns, got, want)
		}
	}
}

func TestUpdateReadme(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(file, []byte("before\n"+speedBegin+"old\n"+speedEnd+"after\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := updateReadme(file, "new\n"); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if want := "before\n" + speedBegin + "new\n" + speedEnd + "after\n"; string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if err := os.WriteFile(file, []byte(speedEnd), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := updateReadme(file, "new\n"); err == nil {
		t.Error("a file without marks is accepted")
	}
}

// TestReadmeHasTheResults fails if the tables were edited or the results
// recorded without them.
func TestReadmeHasTheResults(t *testing.T) {
	all, err := readResults(resultsFile)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), speedBegin+markdown(all)+speedEnd) {
		t.Errorf("README.md does not show %s; go run -C bench/peers . -recorded writes it", resultsFile)
	}
}

func TestTargetVerdict(t *testing.T) {
	most, least := target{limit: 2}, target{limit: 2, atLeast: true}
	got := []bool{most.reached(2), most.reached(2.1), least.reached(2), least.reached(1.9)}
	if want := []bool{true, false, true, false}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	square := growth{smalls: []usage{{cpu: 2 * time.Second}}, larges: []usage{{cpu: 200 * time.Second}}, factor: 10}.exponent()
	if square < 1.999 || square > 2.001 {
		t.Errorf("got exponent %v, want 2", square)
	}
}

func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	if err := writeSet("stubs", 3, dir); err != nil {
		t.Fatal(err)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*.yml")); len(files) != 9 || err != nil {
		t.Errorf("got files %v, %v, want a template and eight stubs", files, err)
	}
	if err := writeSet("none", 3, dir); err == nil {
		t.Error("a family that does not exist is accepted")
	}
	b := &bed{ctx: context.Background()}
	u, err := b.run("go", "env", "GOOS")
	if err != nil || u.cpu <= 0 {
		t.Errorf("got %+v, %v, want the CPU time of a process", u, err)
	}
	if _, err := b.run("go", "nonexistent"); err == nil {
		t.Error("a failing process is accepted")
	}
}
