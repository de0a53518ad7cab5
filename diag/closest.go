// SPDX-License-Identifier: Apache-2.0

package diag

import "strings"

// Closest returns the name that is most like the given one, or "" if none is
// close enough to be what was meant. Of equally close names it is the first.
func Closest(name string, names []string) string {
	best, closest := max(1, len(name)/3)+1, ""
	if len(name) < 2 {
		return ""
	}
	for _, n := range names {
		if n == name || len(n)-len(name) >= best || len(name)-len(n) >= best {
			continue
		}
		if d := distance(fold(name), fold(n), best); d < best {
			best, closest = d, n
		}
	}
	return closest
}

// fold makes names equal that differ only in case, or in - and _.
func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// distance returns how many bytes must be inserted, removed, replaced or
// swapped with their neighbour to make b of a. If that is limit or more it may
// return any such number.
func distance(a, b string, limit int) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least >= limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
