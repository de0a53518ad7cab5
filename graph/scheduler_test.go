// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

const large = 1_000_000

// drain runs what is ready and returns the order.
func drain(s *Scheduler) []uint32 {
	var order []uint32
	for v, ok := s.Next(); ok; v, ok = s.Next() {
		order = append(order, v)
	}
	return order
}

func TestSchedulerOrder(t *testing.T) {
	tests := []struct {
		name    string
		do      func(s *Scheduler)
		order   []uint32
		blocked []uint32
	}{
		{"nothing", func(s *Scheduler) {}, nil, nil},
		{"last demanded runs first", func(s *Scheduler) {
			s.Ready(1)
			s.Ready(2)
			s.Ready(3)
		}, []uint32{3, 2, 1}, nil},
		{"woken run in the order of blocking", func(s *Scheduler) {
			s.Block(7, 0)
			s.Block(3, 0)
			s.Block(5, 0)
			s.Fire(0)
		}, []uint32{7, 3, 5}, nil},
		{"woken run before what was ready", func(s *Scheduler) {
			s.Block(1, 4)
			s.Ready(2)
			s.Fire(4)
		}, []uint32{1, 2}, nil},
		{"an event wakes its own waiters only", func(s *Scheduler) {
			s.Block(1, 1)
			s.Block(2, 2)
			s.Block(3, 1)
			s.Fire(1)
		}, []uint32{1, 3}, []uint32{2}},
		{"an event without waiters wakes nobody", func(s *Scheduler) {
			s.Fire(9)
			s.Block(1, 9)
		}, nil, []uint32{1}},
		{"an event fired twice wakes once", func(s *Scheduler) {
			s.Block(1, 0)
			s.Fire(0)
			s.Fire(0)
		}, []uint32{1}, nil},
		{"a blocked vertex does not run when pushed", func(s *Scheduler) {
			s.Ready(1)
			s.Block(1, 0)
			s.Ready(1)
			s.Ready(2)
		}, []uint32{2}, []uint32{1}},
		{"blocked vertices keep the order of blocking", func(s *Scheduler) {
			for _, v := range []uint32{9, 4, 6} {
				s.Block(v, Event(v))
			}
			s.Fire(4)
			s.Block(2, 0)
			s.Block(4, 0)
		}, nil, []uint32{9, 6, 2, 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s Scheduler
			tt.do(&s)
			if got := drain(&s); !slices.Equal(got, tt.order) {
				t.Errorf("order: got %v, want %v", got, tt.order)
			}
			if got := s.Blocked(); !slices.Equal(got, tt.blocked) {
				t.Errorf("blocked: got %v, want %v", got, tt.blocked)
			}
		})
	}
}

func TestWaitsFor(t *testing.T) {
	var s Scheduler
	check := func(v uint32, wantOn Event, wantOK bool) {
		t.Helper()
		if on, ok := s.WaitsFor(v); on != wantOn || ok != wantOK {
			t.Errorf("WaitsFor(%d): got %d %v, want %d %v", v, on, ok, wantOn, wantOK)
		}
	}
	check(3, 0, false)
	s.Block(3, 8)
	check(3, 8, true)
	check(2, 0, false)
	s.Fire(8)
	check(3, 0, false)
	s.Block(3, 5)
	check(3, 5, true)
}

func TestBlockTwicePanics(t *testing.T) {
	var s Scheduler
	s.Block(4, 1)
	defer func() {
		want := "graph: vertex 4 is blocked twice"
		if got := recover(); got != want {
			t.Errorf("got %v, want %q", got, want)
		}
	}()
	s.Block(4, 2)
}

// An evaluation drives a Scheduler as an evaluator does: a vertex finishes
// when all it needs has finished, and asks for one thing at a time.
type evaluation struct {
	Scheduler
	needs    [][]uint32
	at       []int // how many of its needs a vertex has seen finished
	done     []bool
	finished []uint32
}

func newEvaluation(needs [][]uint32) *evaluation {
	return &evaluation{needs: needs, at: make([]int, len(needs)), done: make([]bool, len(needs))}
}

func (e *evaluation) run(roots ...uint32) {
	for _, v := range slices.Backward(roots) {
		e.Ready(v)
	}
	for v, ok := e.Next(); ok; v, ok = e.Next() {
		if !e.done[v] {
			e.step(v)
		}
	}
}

func (e *evaluation) step(v uint32) {
	for ; e.at[v] < len(e.needs[v]); e.at[v]++ {
		w := e.needs[v][e.at[v]]
		if !e.done[w] {
			e.Block(v, Event(w))
			e.Ready(w)
			return
		}
	}
	e.done[v] = true
	e.finished = append(e.finished, v)
	e.Fire(Event(v))
}

func TestDepthFirst(t *testing.T) {
	e := newEvaluation([][]uint32{{2, 1}, {3}, {3, 4}, {}, {}})
	e.run(0, 1)
	if want := []uint32{3, 4, 2, 1, 0}; !slices.Equal(e.finished, want) {
		t.Errorf("got %v, want %v", e.finished, want)
	}
}

func TestLargeChain(t *testing.T) {
	needs := make([][]uint32, large)
	for v := range needs[:large-1] {
		needs[v] = []uint32{uint32(v) + 1}
	}
	e := newEvaluation(needs)
	e.run(0)
	checkStats(t, e, Stats{Runs: 2*large - 1, Blocks: large - 1, Fires: large})
}

func TestLargeFanIn(t *testing.T) {
	needs := make([][]uint32, large)
	e := newEvaluation(needs)
	for v := uint32(1); v < large; v++ {
		needs[v] = []uint32{0}
		e.Block(v, 0)
	}
	e.run(0)
	checkStats(t, e, Stats{Runs: large, Blocks: large - 1, Fires: large})
	if !slices.IsSorted(e.finished) {
		t.Error("the waiters did not run in the order of blocking")
	}
}

func TestLargeFanOut(t *testing.T) {
	needs := make([][]uint32, large)
	for w := uint32(1); w < large; w++ {
		needs[0] = append(needs[0], w)
	}
	e := newEvaluation(needs)
	e.run(0)
	checkStats(t, e, Stats{Runs: 2*large - 1, Blocks: large - 1, Fires: large})
}

func checkStats(t *testing.T, e *evaluation, want Stats) {
	t.Helper()
	if got := e.Stats(); got != want {
		t.Errorf("stats: got %+v, want %+v", got, want)
	}
	if got := len(e.finished); got != len(e.needs) {
		t.Errorf("finished: got %d, want %d", got, len(e.needs))
	}
	if got := e.Blocked(); got != nil {
		t.Errorf("%d vertices are still blocked", len(got))
	}
}

// The evaluation finishes what can be finished, each after what it needs, and
// leaves blocked what reaches a cycle.
func TestSchedulerAgainstNaive(t *testing.T) {
	for seed := range uint64(2000) {
		needs := randomEdges(seed)
		e := newEvaluation(needs)
		var roots []uint32
		for v := range needs {
			roots = append(roots, uint32(v))
		}
		e.run(roots...)

		want := naiveFinish(needs)
		if !slices.Equal(e.done, want) {
			t.Fatalf("seed %d, needs %v: finished %v, want %v", seed, needs, e.done, want)
		}
		if problem := outOfOrder(e); problem != "" {
			t.Fatalf("seed %d, needs %v: %s", seed, needs, problem)
		}
		for _, v := range e.Blocked() {
			if on, _ := e.WaitsFor(v); e.done[v] || e.done[on] {
				t.Fatalf("seed %d, needs %v: %d waits for %d", seed, needs, v, on)
			}
		}
		if got := len(e.Blocked()) + len(e.finished); got != len(needs) {
			t.Fatalf("seed %d, needs %v: %d blocked or finished", seed, needs, got)
		}
	}
}

// naiveFinish repeats until nothing changes.
func naiveFinish(needs [][]uint32) []bool {
	done := make([]bool, len(needs))
	for changed := true; changed; {
		changed = false
		for v := range needs {
			missing := slices.ContainsFunc(needs[v], func(w uint32) bool { return !done[w] })
			if !done[v] && !missing {
				done[v], changed = true, true
			}
		}
	}
	return done
}

func outOfOrder(e *evaluation) string {
	for i, v := range e.finished {
		for _, w := range e.needs[v] {
			if !slices.Contains(e.finished[:i], w) {
				return fmt.Sprintf("%d finished before %d: %v", v, w, e.finished)
			}
		}
	}
	return ""
}

// randomEdges returns a graph of up to 9 vertices; duplicate edges and edges
// to the vertex itself occur.
func randomEdges(seed uint64) [][]uint32 {
	r := rand.New(rand.NewPCG(seed, 0))
	n := 1 + r.IntN(9)
	edges := make([][]uint32, n)
	for range r.IntN(2 * n) {
		v := r.IntN(n)
		edges[v] = append(edges[v], uint32(r.IntN(n)))
	}
	return edges
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	var s Scheduler
	round := func() {
		for v := range uint32(100) {
			s.Block(v, Event(v%7))
		}
		for on := range Event(7) {
			s.Fire(on)
		}
		for _, ok := s.Next(); ok; _, ok = s.Next() {
		}
	}
	if got := testing.AllocsPerRun(10, round); got != 0 {
		t.Errorf("got %v allocations per round, want 0", got)
	}
	if got, want := len(s.waiters), 101; got != want {
		t.Errorf("got %d waiters, want %d: the free list is not used", got, want)
	}
}
