// SPDX-License-Identifier: Apache-2.0

package slab

import (
	"slices"
	"testing"
)

func TestPiecesAreSeparate(t *testing.T) {
	var s Of[int]
	var want, got []*int
	for i := range 3 * chunk {
		p := s.New()
		if *p != 0 {
			t.Fatalf("value %d is %d, want 0", i, *p)
		}
		*p = i
		got, want = append(got, p), append(want, new(i))
		c := s.Copy([]int{i, i + 1})
		c = append(c, -1) // must not reach the next piece
		if !slices.Equal(c, []int{i, i + 1, -1}) {
			t.Fatalf("got %v", c)
		}
	}
	for i := range got {
		if *got[i] != *want[i] {
			t.Errorf("value %d became %d", i, *got[i])
		}
	}
}

func TestCopyOfAnySize(t *testing.T) {
	var s Of[int]
	for n := range 2 * chunk {
		xs := make([]int, n)
		for i := range xs {
			xs[i] = n
		}
		if got := s.Copy(xs); !slices.Equal(got, xs) || cap(got) != n && n <= chunk/4 {
			t.Errorf("%d values: got %v with room for %d", n, got, cap(got))
		}
	}
}

func TestAllocations(t *testing.T) {
	var s Of[int]
	xs := []int{1}
	if n := testing.AllocsPerRun(1, func() {
		for range chunk {
			s.New()
			s.Copy(xs)
		}
	}); n != 2 {
		t.Errorf("%v allocations for twice the values of a chunk, want 2", n)
	}
}
