// SPDX-License-Identifier: Apache-2.0

package value

import "unsafe"

// What things in a store take beside their texts, for Grown.
const (
	nodeBytes   = int64(unsafe.Sizeof(Node{}))
	wordBytes   = 4
	objectBytes = 128 // a lambda with its parameters
)

// Mark makes what the store holds now count as input for Grown.
func (s *Store) Mark() { s.mark = s.size() }

// Grown returns how many bytes were added since Mark: nodes, their children and
// texts, and what Charge said. It is a measure for a limit, so it depends on
// what was done only, not on chunks or on when the collector runs.
func (s *Store) Grown() int64 { return s.size() - s.mark }

// Charge counts n bytes that were computed outside of the store: a text, of
// which the store will hold a slice if it is kept, or the state of something
// that is being evaluated.
func (s *Store) Charge(n int) { s.used += int64(n) }

func (s *Store) size() int64 {
	return int64(s.n)*nodeBytes + int64(len(s.objs))*objectBytes + s.used
}
