// SPDX-License-Identifier: Apache-2.0

package graph

import "slices"

// Components returns the strongly connected components of the graph with the
// vertices 0 to n-1. edges calls yield for each vertex that v has an edge to;
// it is called once per vertex. A component comes after all it has edges to.
// Its members are listed depth first from the smallest, so if they form a
// simple cycle they stand in the order of that cycle.
//
// The algorithm is Tarjan's, with a stack of frames instead of recursion.
func Components(n int, edges func(v int, yield func(w int))) [][]int {
	t := &tarjan{
		graph: newAdjacency(n, edges),
		index: make([]int, n),
		low:   make([]int, n),
		comp:  make([]int, n),
	}
	for root := range n {
		if t.index[root] == 0 {
			t.search(root)
		}
	}
	for i, c := range t.found {
		if len(c) > 1 {
			t.arrange(i, c)
		}
	}
	return t.found
}

// An adjacency holds the edges of all vertices in one slice.
type adjacency struct {
	to    []int
	start []int // the edges of v are to[start[v]:start[v+1]]
}

func newAdjacency(n int, edges func(v int, yield func(w int))) adjacency {
	a := adjacency{start: make([]int, n+1)}
	for v := range n {
		edges(v, func(w int) { a.to = append(a.to, w) })
		a.start[v+1] = len(a.to)
	}
	return a
}

func (a *adjacency) from(v int) []int { return a.to[a.start[v]:a.start[v+1]] }

type tarjan struct {
	graph  adjacency
	index  []int // when a vertex was met, from 1; 0 is not yet
	low    []int // least index known to be reachable within the component
	comp   []int // 1 + position in found; 0 is open
	met    int
	open   []int   // vertices met whose component is not complete
	frames []frame // path from the root of the search
	found  [][]int
}

// A frame is a vertex of the current path and its edges still to follow.
type frame struct {
	v    int
	rest []int
}

func (t *tarjan) search(root int) {
	t.enter(root)
	for len(t.frames) > 0 {
		f := &t.frames[len(t.frames)-1]
		if len(f.rest) == 0 {
			t.leave()
			continue
		}
		w := f.rest[0]
		f.rest = f.rest[1:]
		switch {
		case t.index[w] == 0:
			t.enter(w)
		case t.comp[w] == 0:
			t.low[f.v] = min(t.low[f.v], t.index[w])
		}
	}
}

func (t *tarjan) enter(v int) {
	t.met++
	t.index[v], t.low[v] = t.met, t.met
	t.open = append(t.open, v)
	t.frames = append(t.frames, frame{v, t.graph.from(v)})
}

// leave ends the vertex on top of the path. If nothing met before it can be
// reached from it, the open vertices from it on are a component.
func (t *tarjan) leave() {
	top := len(t.frames) - 1
	v := t.frames[top].v
	t.frames = t.frames[:top]
	if top > 0 {
		u := t.frames[top-1].v
		t.low[u] = min(t.low[u], t.low[v])
	}
	if t.low[v] != t.index[v] {
		return
	}
	i := len(t.open)
	for more := true; more; more = t.open[i] != v {
		i--
		t.comp[t.open[i]] = len(t.found) + 1
	}
	t.found = append(t.found, slices.Clone(t.open[i:]))
	t.open = t.open[:i]
}

// arrange lists the members of found[i] depth first from the smallest. It
// takes the mark of found[i] off the members it has listed.
func (t *tarjan) arrange(i int, members []int) {
	stack := []int{slices.Min(members)}
	members = members[:0]
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if t.comp[v] != i+1 {
			continue
		}
		t.comp[v] = 0
		members = append(members, v)
		for _, w := range slices.Backward(t.graph.from(v)) {
			if t.comp[w] == i+1 {
				stack = append(stack, w)
			}
		}
	}
}

// CyclePath returns a shortest cycle through the smallest member of a
// component: it begins and ends with that member, and each vertex has an edge
// to the next. It is nil if there is none, which is so only for a single
// vertex without an edge to itself.
func CyclePath(component []int, edges func(v int, yield func(w int))) []int {
	if len(component) == 0 {
		return nil
	}
	const unmet = -1
	first := slices.Min(component)
	before := make(map[int]int, len(component)) // the search tree, to walk back
	for _, v := range component {
		before[v] = unmet
	}
	queue := make([]int, 0, len(component))
	queue = append(queue, first)
	for at := 0; at < len(queue) && before[first] == unmet; at++ {
		v := queue[at]
		edges(v, func(w int) {
			if u, member := before[w]; member && u == unmet {
				before[w] = v
				queue = append(queue, w)
			}
		})
	}
	if before[first] == unmet {
		return nil
	}
	path := []int{first}
	for v := before[first]; v != first; v = before[v] {
		path = append(path, v)
	}
	path = append(path, first)
	slices.Reverse(path)
	return path
}
