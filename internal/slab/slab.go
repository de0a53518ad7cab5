// SPDX-License-Identifier: Apache-2.0

// Package slab hands out memory in pieces of larger chunks, for packages that
// make many small values of a few types: an allocation for each takes longer
// than what is done with them. Nothing is given back; a chunk is collected
// when all its pieces are.
package slab

// chunk is the number of values in a chunk.
const chunk = 64

// Of hands out values of one type. The zero Of is ready for use.
type Of[T any] struct{ free []T }

// New returns a zero value.
func (s *Of[T]) New() *T {
	if len(s.free) == 0 {
		s.free = make([]T, chunk)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// Copy returns a copy of xs, nil if xs is empty.
func (s *Of[T]) Copy(xs []T) []T {
	n := len(xs)
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		if n > chunk/4 {
			return append([]T(nil), xs...)
		}
		s.free = make([]T, chunk)
	}
	p := s.free[:n:n]
	s.free = s.free[n:]
	copy(p, xs)
	return p
}
