// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"slices"
	"strings"
)

// context is the number of equal lines that a diff shows around a change.
const context = 3

// Diff returns the difference between the text of a file before and after as a
// unified diff, as patch reads it: nothing if there is none.
//
// It compares by the lines that occur once in each text, and what is equal
// around them, and so takes time linear in the texts, sorting aside. The result
// need not be the shortest.
func Diff(name, before, after string) string {
	if before == after {
		return ""
	}
	a, b := splitLines(before), splitLines(after)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", name, name)
	runs := common(a, b)
	for len(runs) > 1 {
		// A hunk goes on while less than two contexts are equal.
		n := 1
		for n < len(runs)-1 && runs[n].n <= 2*context {
			n++
		}
		hunk(&out, a, b, runs[:n+1])
		runs = runs[n:]
	}
	return out.String()
}

// splitLines parts a text into lines with their line breaks.
func splitLines(text string) []string {
	return slices.Collect(strings.Lines(text))
}

// A run is a number of equal lines, from line a of the one text and line b of
// the other.
type run struct{ a, b, n int }

// common returns what is equal, in order, with everything between two runs
// different. The first run begins both texts and the last one ends them; those
// two may be empty.
func common(a, b []string) []run {
	runs := []run{{}}
	add := func(r run) {
		last := &runs[len(runs)-1]
		if r.a == last.a+last.n && r.b == last.b+last.n {
			last.n += r.n
		} else if r.n > 0 {
			runs = append(runs, r)
		}
	}
	for _, at := range anchors(a, b) {
		last := runs[len(runs)-1]
		if at.a < last.a+last.n {
			continue
		}
		r := run{at.a, at.b, 1}
		for r.a > last.a+last.n && r.b > last.b+last.n && a[r.a-1] == b[r.b-1] {
			r.a, r.b, r.n = r.a-1, r.b-1, r.n+1
		}
		for r.a+r.n < len(a) && r.b+r.n < len(b) && a[r.a+r.n] == b[r.b+r.n] {
			r.n++
		}
		add(r)
	}
	end := run{len(a), len(b), 0}
	last := runs[len(runs)-1]
	for end.a > last.a+last.n && end.b > last.b+last.n && a[end.a-1] == b[end.b-1] {
		end.a, end.b, end.n = end.a-1, end.b-1, end.n+1
	}
	if end.a > last.a+last.n || end.b > last.b+last.n {
		return append(runs, end)
	}
	add(end)
	return runs
}

// anchors returns the lines that occur once in both texts, as many of them as
// stand in the same order in both, and the beginning.
func anchors(a, b []string) []run {
	counts := map[string]*[2]int{}
	at := map[string]int{}
	for side, lines := range [][]string{a, b} {
		for i, line := range lines {
			c := counts[line]
			if c == nil {
				c = new([2]int)
				counts[line] = c
			}
			c[side]++
			if side == 1 {
				at[line] = i
			}
		}
	}
	var unique []run
	if len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		unique = append(unique, run{})
	}
	for i, line := range a {
		if *counts[line] == [2]int{1, 1} && (i > 0 || at[line] > 0) {
			unique = append(unique, run{a: i, b: at[line]})
		}
	}
	return increasing(unique)
}

// increasing returns a longest subsequence in which b grows, as a does.
func increasing(all []run) []run {
	var ends []int // of the sequences of length i+1, the one with the smallest b
	prev := make([]int, len(all))
	for i, r := range all {
		k, _ := slices.BinarySearchFunc(ends, r.b, func(e, b int) int { return all[e].b - b })
		prev[i] = -1
		if k > 0 {
			prev[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	seq := make([]run, len(ends))
	for i, k := ends[len(ends)-1], len(ends)-1; k >= 0; i, k = prev[i], k-1 {
		seq[k] = all[i]
	}
	return seq
}

// hunk writes the changes between the given runs, with the context around them.
func hunk(out *strings.Builder, a, b []string, runs []run) {
	first, last := runs[0], runs[len(runs)-1]
	lead := min(first.n, context)
	from := run{first.a + first.n - lead, first.b + first.n - lead, 0}
	trail := min(last.n, context)
	fmt.Fprintf(out, "@@ -%s +%s @@\n", extent(from.a, last.a+trail), extent(from.b, last.b+trail))
	writeLines(out, " ", a[from.a:from.a+lead])
	i, j := from.a+lead, from.b+lead
	for k, r := range runs[1:] {
		writeLines(out, "-", a[i:r.a])
		writeLines(out, "+", b[j:r.b])
		n := r.n
		if k == len(runs)-2 {
			n = trail
		}
		writeLines(out, " ", a[r.a:r.a+n])
		i, j = r.a+r.n, r.b+r.n
	}
}

// extent returns lines from to end as the head of a hunk shows them.
func extent(from, end int) string {
	if end == from {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, end-from)
}

func writeLines(out *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		out.WriteString(mark)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
