// SPDX-License-Identifier: Apache-2.0

// Package graph orders work whose dependencies are found while it runs, and
// names the cycles when nothing can run any more. It knows numbers only: no
// documents, no expressions, no values.
package graph

import (
	"cmp"
	"fmt"
	"slices"
)

// An Event is something that happens once and that vertices may wait for. The
// user chooses the numbers; memory grows with the largest, so keep them dense.
type Event uint32

// Stats counts what a Scheduler did.
type Stats struct {
	Runs   int // vertices handed out by Next
	Blocks int
	Fires  int
}

// A Scheduler decides which vertex runs next. The user runs what Next returns;
// a vertex that needs something which has not happened yet is blocked on that
// event, and comes back once the event is fired. The ready vertices form a
// stack: what was demanded last runs first, which gives a depth-first order
// without recursion. The zero value is an empty scheduler.
//
// Vertices and events are dense numbers, so everything is found by index, and
// the collector has nothing to look at.
// Blocking and firing allocate nothing once the slices have grown.
type Scheduler struct {
	ready   []uint32
	heads   table    // by event: its newest waiter
	slots   table    // by vertex: its waiter
	waiters []waiter // index 0 is unused, so that 0 says "none"
	free    uint32   // unused waiters, linked by next
	stats   Stats
}

// A waiter is one blocked vertex in the list of the event it waits for.
type waiter struct {
	v     uint32
	on    Event
	next  uint32 // waiter that blocked on the same event just before
	since int    // Stats.Blocks when it blocked
}

// Ready pushes v on the ready stack. A vertex may be pushed again to run
// earlier; the user then sees it more than once and must know what has
// finished.
func (s *Scheduler) Ready(v uint32) { s.ready = append(s.ready, v) }

// Next pops the vertex to run. It passes over those that are blocked, since
// they come back by themselves. ok is false if nothing is ready.
func (s *Scheduler) Next() (v uint32, ok bool) {
	for len(s.ready) > 0 {
		last := len(s.ready) - 1
		v, s.ready = s.ready[last], s.ready[:last]
		if !s.isBlocked(v) {
			s.stats.Runs++
			return v, true
		}
	}
	return 0, false
}

// Block records that v waits for an event. Events are not remembered: if it
// has been fired already, v waits for the next time. Blocking a vertex that is
// blocked is a mistake of the caller.
func (s *Scheduler) Block(v uint32, on Event) {
	if s.isBlocked(v) {
		panic(fmt.Sprintf("graph: vertex %d is blocked twice", v))
	}
	s.stats.Blocks++
	i, head := s.newWaiter(), s.heads.entry(uint32(on))
	s.waiters[i] = waiter{v: v, on: on, next: *head, since: s.stats.Blocks}
	*head = i
	*s.slots.entry(v) = i
}

// Fire wakes the vertices that wait for an event. They run before what was
// ready already, in the order in which they were blocked: the list is pushed
// newest first, so the oldest ends on top of the stack.
func (s *Scheduler) Fire(on Event) {
	s.stats.Fires++
	i := s.heads.get(uint32(on))
	if i == 0 {
		return
	}
	*s.heads.entry(uint32(on)) = 0
	for i != 0 {
		w := &s.waiters[i]
		s.ready = append(s.ready, w.v)
		*s.slots.entry(w.v) = 0
		i, w.next, s.free = w.next, s.free, i
	}
}

// WaitsFor returns the event that v is blocked on, if it is blocked.
func (s *Scheduler) WaitsFor(v uint32) (on Event, ok bool) {
	i := s.slots.get(v)
	if i == 0 {
		return 0, false
	}
	return s.waiters[i].on, true
}

// Blocked returns the vertices that are still blocked, in the order in which
// they were blocked.
func (s *Scheduler) Blocked() []uint32 {
	var blocked []waiter
	for _, c := range s.slots {
		if c == nil {
			continue
		}
		for _, w := range c {
			if w != 0 {
				blocked = append(blocked, s.waiters[w])
			}
		}
	}
	slices.SortFunc(blocked, func(a, b waiter) int { return cmp.Compare(a.since, b.since) })
	var vs []uint32
	for _, w := range blocked {
		vs = append(vs, w.v)
	}
	return vs
}

// Stats returns what has been counted so far.
func (s *Scheduler) Stats() Stats { return s.stats }

func (s *Scheduler) isBlocked(v uint32) bool {
	return s.slots.get(v) != 0
}

// newWaiter returns the index of an unused waiter.
func (s *Scheduler) newWaiter() uint32 {
	if i := s.free; i != 0 {
		s.free = s.waiters[i].next
		return i
	}
	if len(s.waiters) == 0 {
		s.waiters = append(s.waiters, waiter{})
	}
	s.waiters = append(s.waiters, waiter{})
	return uint32(len(s.waiters) - 1)
}

// A table is an array of numbers of which only the parts that are used take
// room. What was never set is 0.
type table []*[tableChunk]uint32

const tableChunk = 1 << 8

func (t table) get(i uint32) uint32 {
	if int(i/tableChunk) >= len(t) || t[i/tableChunk] == nil {
		return 0
	}
	return t[i/tableChunk][i%tableChunk]
}

// entry returns the place of number i.
func (t *table) entry(i uint32) *uint32 {
	for int(i/tableChunk) >= len(*t) {
		*t = append(*t, nil)
	}
	c := &(*t)[i/tableChunk]
	if *c == nil {
		*c = new([tableChunk]uint32)
	}
	return &(*c)[i%tableChunk]
}
