// SPDX-License-Identifier: Apache-2.0

package merge

// arenaChunk is how many values an arena allocates at a time: few, as most
// documents need few, but enough that the table of chunks stays small.
const arenaChunk = 1 << 6

// An arena hands out values by number, from 1 on; 0 stands for none. Their
// addresses stay, and numbers that are given back are handed out again. The
// zero value is an empty arena.
type arena[T any] struct {
	chunks []*[arenaChunk]T
	n      uint32 // numbers handed out
	free   []uint32
}

// at returns the value with number i.
func (a *arena[T]) at(i uint32) *T {
	i--
	return &a.chunks[i/arenaChunk][i%arenaChunk]
}

// add returns the number of an unused value: a zero one, or one as it was when
// it was given back.
func (a *arena[T]) add() uint32 {
	if last := len(a.free) - 1; last >= 0 {
		i := a.free[last]
		a.free = a.free[:last]
		return i
	}
	if int(a.n/arenaChunk) == len(a.chunks) {
		a.chunks = append(a.chunks, new([arenaChunk]T))
	}
	a.n++
	return a.n
}

// put gives a number back.
func (a *arena[T]) put(i uint32) { a.free = append(a.free, i) }

// len returns how many numbers were handed out.
func (a *arena[T]) len() int { return int(a.n) }
