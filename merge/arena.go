// SPDX-License-Identifier: Apache-2.0

package merge

// arenaChunk is how many values an arena allocates at a time: few, as most
// documents need few, but enough that the table of chunks stays small.
const arenaChunk = 1 << 7

// An arena hands out values by number. Their addresses stay, and numbers that
// are given back are handed out again. Number 0 stands for none; its value is
// the zero value and must not be changed. The zero arena is not ready, see
// newArena.
type arena[T any] struct {
	chunks []*[arenaChunk]T
	n      uint32 // numbers handed out, and number 0
	free   []uint32
}

func newArena[T any]() arena[T] {
	return arena[T]{chunks: []*[arenaChunk]T{new([arenaChunk]T)}, n: 1}
}

// at returns the value with number i.
func (a *arena[T]) at(i uint32) *T { return &a.chunks[i/arenaChunk][i%arenaChunk] }

// add returns the number of an unused value: a zero one, or one as it was when
// it was given back.
func (a *arena[T]) add() uint32 {
	if last := len(a.free) - 1; last >= 0 {
		i := a.free[last]
		a.free = a.free[:last]
		return i
	}
	i := a.n
	if int(i/arenaChunk) == len(a.chunks) {
		a.chunks = append(a.chunks, new([arenaChunk]T))
	}
	a.n++
	return i
}

// put gives a number back.
func (a *arena[T]) put(i uint32) { a.free = append(a.free, i) }
