// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var defaults = limits{time: 10, memory: 2, alpha: 0.01}

// samples prints ten runs of one benchmark: its values with a spread of about
// 2 percent.
func samples(name, format string, value float64) string {
	var b strings.Builder
	for i := range 10 {
		fmt.Fprintf(&b, "Benchmark%s 100 "+format+"\n", name, value*(1+float64(i%5)/250))
	}
	return b.String()
}

func resultsOf(t *testing.T, text string) (r results) {
	t.Helper()
	if err := r.read(strings.NewReader(text), "test"); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRegressions(t *testing.T) {
	tests := []struct {
		name     string
		format   string
		old, new float64
		want     bool
	}{
		{"time within the threshold", "%f ns/op", 100, 108, false},
		{"time beyond the threshold", "%f ns/op", 100, 115, true},
		{"time that fell", "%f ns/op", 115, 100, false},
		{"throughput says the same as time", "%f MB/s", 100, 50, false},
		{"memory within the threshold", "%f B/op", 100_000, 101_000, false},
		{"memory beyond the threshold", "%f B/op", 100_000, 106_000, true},
		{"allocations", "%.0f allocs/op", 1000, 1100, true},
		{"allocations where there was none", "%.0f allocs/op", 0, 1, true},
		{"a counter that grew by one", "%.0f cells/op", 10, 11, true},
		{"a counter that fell", "%.0f cells/op", 11, 10, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := compareResults(resultsOf(t, samples("A", tt.format, tt.old)), resultsOf(t, samples("A", tt.format, tt.new)), defaults)
			if got := len(c.regressions()) > 0; got != tt.want {
				t.Errorf("got regression %v, want %v", got, tt.want)
			}
		})
	}
}

// A difference that the spread may explain is none.
func TestInsignificant(t *testing.T) {
	old := resultsOf(t, "BenchmarkA 1 100 ns/op\nBenchmarkA 1 300 ns/op\nBenchmarkA 1 120 ns/op\n")
	new := resultsOf(t, "BenchmarkA 1 200 ns/op\nBenchmarkA 1 110 ns/op\nBenchmarkA 1 310 ns/op\n")
	c := compareResults(old, new, defaults)
	if got := c.regressions(); got != nil {
		t.Errorf("got %d regressions, want none", len(got))
	}
	var out bytes.Buffer
	c.print(&out, "old", "new")
	if want := "need >= 5 samples to detect a difference at alpha level 0.01"; !strings.Contains(out.String(), want) {
		t.Errorf("got %s, want a warning: %s", out.String(), want)
	}
}

func TestConfirm(t *testing.T) {
	text := func(a, b, cells float64) results {
		return resultsOf(t, samples("A", "%f ns/op", a)+samples("B", "%f ns/op", b)+samples("A", "%.0f cells/op", cells))
	}
	c := compareResults(text(100, 100, 1), text(150, 150, 2), defaults)
	if got, want := c.suspects(), []string{"A", "B"}; !slices.Equal(got, want) {
		t.Fatalf("got suspects %q, want %q", got, want)
	}
	c.confirm(compareResults(text(100, 100, 1), text(150, 101, 1), defaults))
	var got []string
	for _, r := range c.regressions() {
		got = append(got, r.name+" "+r.unit)
	}
	if want := []string{"A sec/op", "A cells/op"}; !slices.Equal(got, want) {
		t.Errorf("got regressions %q, want %q", got, want)
	}
}

func TestRecorded(t *testing.T) {
	dir := t.TempDir()
	old, new := filepath.Join(dir, "old.txt"), filepath.Join(dir, "new.txt")
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(old, samples("A", "%f ns/op", 100)+samples("Gone", "%f ns/op", 1)+"BenchmarkA 1 7 cells/op\n")
	write(new, samples("A", "%f ns/op", 200)+samples("New", "%f ns/op", 1)+"BenchmarkA 1 8 cells/op\n")
	var out bytes.Buffer
	regressed, err := run(context.Background(), []string{old, new}, &out)
	if err != nil || !regressed {
		t.Errorf("got %v, %v, want a regression", regressed, err)
	}
	for _, want := range []string{
		"+100.00% (p=0.000 n=10)",
		"counter A: cells/op 7 -> 8 (+14.29%)",
		"only in " + old + ": Gone sec/op",
		"only in " + new + ": New sec/op",
		"REGRESSION A: sec/op 100.8n -> 201.6n",
		"REGRESSION A: cells/op 7 -> 8",
		"2 series compared, 2 regressions",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}

	write(new, "PASS\n")
	if _, err := run(context.Background(), []string{old, new}, &out); fmt.Sprint(err) != "no benchmark ran on both sides" {
		t.Errorf("got error %v", err)
	}
	if _, err := run(context.Background(), []string{old}, &out); err == nil {
		t.Error("one file is accepted")
	}
}

func TestExactly(t *testing.T) {
	got := exactly("Spiff/family=a.b/n=1/phase=run-8")
	want := `^BenchmarkSpiff$/^family=a\.b$/^n=1$/^phase=run$`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Processor time decides where both sides have it.
func TestProcessorTime(t *testing.T) {
	both := func(ns, cpu float64) results {
		return resultsOf(t, samples("A", "%f ns/op", ns)+samples("A", "%f cpu-ns/op", cpu))
	}
	for _, tt := range []struct {
		ns, cpu float64
		want    []string
	}{{150, 100, nil}, {100, 150, []string{"A"}}} {
		if got := compareResults(both(100, 100), both(tt.ns, tt.cpu), defaults).suspects(); !slices.Equal(got, tt.want) {
			t.Errorf("%v ns, %v cpu-ns: got %q, want %q", tt.ns, tt.cpu, got, tt.want)
		}
	}
}

// TestTrees compares the work tree of a small repository with its commit, and
// looks for what is left behind.
func TestTrees(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	repo := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		out, err := output(context.Background(), repo, "git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	work := func(cells int) {
		t.Helper()
		text := fmt.Sprintf("package bench\n\nimport \"testing\"\n\nfunc BenchmarkWork(b *testing.B) {\n\tfor b.Loop() {\n\t}\n\tb.ReportMetric(%d, \"cells/op\")\n}\n", cells)
		for file, text := range map[string]string{"go.mod": "module example.com/work\n\ngo 1.26\n", "bench/work_test.go": text} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(repo, file)), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(repo, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	work(5)
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "five cells")
	work(6)

	t.Chdir(repo)
	keep := t.TempDir()
	m := measurement{base: "HEAD", bench: "Work", count: 2, time: time.Millisecond, keep: keep}
	// Of the time of an empty loop nothing is asked.
	lim := limits{time: 1e6, memory: 1e6, alpha: 0.01}
	var out bytes.Buffer
	regressed, err := compareTrees(context.Background(), m, lim, &out)
	if err != nil || !regressed {
		t.Errorf("got %v, %v, want a regression", regressed, err)
	}
	if want := "cells/op 5 -> 6 (+20.00%)"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
	if text, err := os.ReadFile(filepath.Join(keep, "tree.txt")); strings.Count(string(text), "6.000 cells/op") != 2 {
		t.Errorf("kept %q, %v, want two runs", text, err)
	}

	m.base = "nonexistent"
	if _, err := compareTrees(context.Background(), m, lim, &out); err == nil {
		t.Error("a commit that does not exist is accepted")
	}
	if list := git("worktree", "list"); strings.Count(list, "\n") != 1 {
		t.Errorf("worktrees are left behind:\n%s", list)
	}
}
