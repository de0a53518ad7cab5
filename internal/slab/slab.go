// SPDX-License-Identifier: Apache-2.0

// Package slab hands out memory in pieces of larger chunks, for packages that
// make many small values of a few types: an allocation for each takes longer
// than what is done with them. A chunk is collected when all its pieces are.
package slab

// Chunks grow up to maxChunk values.
const (
	minChunk = 4
	maxChunk = 256
)

// Of hands out values of one type. The zero Of is ready for use.
type Of[T any] struct {
	values []T
	used   int
}

func (s *Of[T]) grow() {
	s.values = make([]T, min(max(minChunk, 2*len(s.values)), maxChunk))
	s.used = 0
}

// New returns a zero value.
func (s *Of[T]) New() *T {
	if s.used == len(s.values) {
		s.grow()
	}
	s.used++
	return &s.values[s.used-1]
}

// Copy returns a copy of xs, nil if xs is empty.
func (s *Of[T]) Copy(xs []T) []T {
	n := len(xs)
	switch {
	case n == 0:
		return nil
	case n > maxChunk/4:
		return append([]T(nil), xs...)
	}
	for n > len(s.values)-s.used {
		s.grow()
	}
	p := s.values[s.used : s.used+n : s.used+n]
	s.used += n
	copy(p, xs)
	return p
}

// Reset takes back what was handed out: the memory is used again, and nothing
// may refer to it.
func (s *Of[T]) Reset() {
	if s.used > 0 {
		clear(s.values[:s.used])
		s.used = 0
	}
}
