// SPDX-License-Identifier: Apache-2.0

package slab

import (
	"slices"
	"testing"
)

func TestPiecesAreSeparate(t *testing.T) {
	var s Of[int]
	var want, got []*int
	for i := range 3 * maxChunk {
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
	for n := range 2 * maxChunk {
		xs := make([]int, n)
		for i := range xs {
			xs[i] = n
		}
		if got := s.Copy(xs); !slices.Equal(got, xs) || cap(got) != n && n <= maxChunk/4 {
			t.Errorf("%d values: got %v with room for %d", n, got, cap(got))
		}
	}
}

func TestReset(t *testing.T) {
	var s Of[int]
	for range 3 {
		for i := range maxChunk / 2 {
			p := s.New()
			if *p != 0 {
				t.Fatalf("value %d is %d, want 0", i, *p)
			}
			*p = i + 1
		}
		s.Reset()
	}
	if n := testing.AllocsPerRun(1, func() { s.New(); s.Reset() }); n != 0 {
		t.Errorf("%v allocations after Reset, want 0", n)
	}
}

func TestAllocations(t *testing.T) {
	var s Of[int]
	for range 2 * maxChunk {
		s.New()
	}
	xs := []int{1}
	if n := testing.AllocsPerRun(1, func() {
		for range maxChunk {
			s.New()
			s.Copy(xs)
		}
	}); n != 2 {
		t.Errorf("%v allocations for twice the values of a chunk, want 2", n)
	}
}
