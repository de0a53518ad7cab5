// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHundredRuns holds that the same command line gives the same bytes on
// standard output and standard error a hundred times. Go shuffles maps anew in
// every process; the runs take turns at one and at several processors. One set
// merges, one fails: the largest real ones if they are there, and our own.
func TestHundredRuns(t *testing.T) {
	bin := buildBinary(t)
	sets := largestSets(t, bin)
	example, err := filepath.Abs("../../testdata/example")
	if err != nil {
		t.Fatal(err)
	}
	sets = append(sets, mergeSet{example, []string{"merge", "template.yml", "infrastructure.yml", "properties.yml", "sizing.yml"}}, failingSet(t))
	merged, failed := 0, 0
	for _, s := range sets {
		c := child{bin: bin, dir: s.dir, args: s.args}
		first := c.run(t)
		if first.status == exitOK {
			merged++
		} else {
			failed++
		}
		for i := range 100 {
			c.env = []string{fmt.Sprintf("GOMAXPROCS=%d", 1+3*(i%2))}
			if o := c.run(t); o.stdout != first.stdout || o.stderr != first.stderr || o.status != first.status {
				t.Fatalf("%s: run %d differs\n%s\n--- from\n%s", s.dir, i, o.stderr, first.stderr)
			}
		}
	}
	if merged == 0 || failed == 0 {
		t.Errorf("%d sets merge and %d fail, want some of both", merged, failed)
	}
}

// A mergeSet is a folder and a command line.
type mergeSet struct {
	dir  string
	args []string
}

// failingSet is a merge in which much goes wrong at once.
func failingSet(t *testing.T) mergeSet {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, "m%d:\n  a: (( nothing%d ))\n  b: (( .m%d.b ))\n  c: (( m%d.a ))\n  d: {x: 1, x: 2}\n  e: (( map[m|k,v|->k + 1] ))\n", i, i, (i+1)%50, i)
	}
	b.WriteString("m: {x: 1, z: 2, q: 3, w: 4}\n")
	if err := os.WriteFile(filepath.Join(dir, "t.yml"), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return mergeSet{dir, []string{"merge", "t.yml"}}
}

// largestSets returns the largest set that merges and the largest that fails.
func largestSets(t *testing.T, bin string) []mergeSet {
	t.Helper()
	cases, err := filepath.Abs("../../../shared/realworld/cases") // the working folder changes
	if err != nil {
		t.Fatal(err)
	}
	lines, err := filepath.Glob(filepath.Join(cases, "*", "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) == 0 {
		t.Log("../shared/realworld is not there, only our own sets are run")
	}
	var largest [2]mergeSet
	var size [2]int64
	for _, name := range lines {
		line, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := mergeSet{filepath.Dir(name), strings.Fields(string(line))}
		kind := 0
		if (child{bin: bin, dir: s.dir, args: s.args}).run(t).status != exitOK {
			kind = 1
		}
		if n := s.size(); n > size[kind] {
			largest[kind], size[kind] = s, n
		}
	}
	var sets []mergeSet
	for _, s := range largest {
		if s.dir != "" {
			sets = append(sets, s)
		}
	}
	return sets
}

// size is the number of bytes of all files of a command line.
func (s mergeSet) size() (n int64) {
	for _, name := range s.args {
		if st, err := os.Stat(filepath.Join(s.dir, name)); err == nil && st.Mode().IsRegular() {
			n += st.Size()
		}
	}
	return n
}
