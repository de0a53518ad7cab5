// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// adjacent returns the edges of a list of lists as Components wants them.
func adjacent(edges [][]uint32) func(v int, yield func(w int)) {
	return func(v int, yield func(w int)) {
		for _, w := range edges[v] {
			yield(int(w))
		}
	}
}

func TestComponents(t *testing.T) {
	tests := []struct {
		name  string
		edges [][]uint32
		want  [][]int
	}{
		{"empty", nil, nil},
		{"what is needed comes first", [][]uint32{{1, 2}, {}, {1}}, [][]int{{1}, {2}, {0}}},
		{"edge to itself", [][]uint32{{0}}, [][]int{{0}}},
		{"cycle in the order of its edges", [][]uint32{{2}, {0}, {3}, {1}}, [][]int{{0, 2, 3, 1}}},
		{"cycle entered elsewhere", [][]uint32{{3}, {2}, {3}, {1}}, [][]int{{1, 2, 3}, {0}}},
		{"two cycles, one needs the other", [][]uint32{{1}, {0, 2}, {3}, {2}}, [][]int{{2, 3}, {0, 1}}},
		{"chord", [][]uint32{{1, 2}, {2}, {0}}, [][]int{{0, 1, 2}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Components(len(tt.edges), adjacent(tt.edges))
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestCyclePath(t *testing.T) {
	tests := []struct {
		name      string
		component []int
		edges     [][]uint32
		want      []int
	}{
		{"no member", nil, nil, nil},
		{"no cycle", []int{0}, [][]uint32{{1}, {}}, nil},
		{"edge to itself", []int{1}, [][]uint32{{}, {1}}, []int{1, 1}},
		{"pair", []int{0, 1}, [][]uint32{{1}, {0}}, []int{0, 1, 0}},
		{"begins with the smallest", []int{3, 1, 2}, [][]uint32{{1}, {2}, {3}, {1}}, []int{1, 2, 3, 1}},
		{"the shortest", []int{0, 1, 2}, [][]uint32{{1, 2}, {2}, {0}}, []int{0, 2, 0}},
		{"edges out of the component", []int{0, 2}, [][]uint32{{1, 2}, {1}, {1, 0}}, []int{0, 2, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := CyclePath(tt.component, adjacent(tt.edges)); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestComponentsOfLargePath(t *testing.T) {
	got := Components(large, func(v int, yield func(w int)) {
		if v+1 < large {
			yield(v + 1)
		}
	})
	if len(got) != large {
		t.Fatalf("got %d components, want %d", len(got), large)
	}
	for i, c := range got {
		if len(c) != 1 || c[0] != large-1-i {
			t.Fatalf("component %d: got %v, want [%d]", i, c, large-1-i)
		}
	}
}

func TestComponentsOfLargeCycle(t *testing.T) {
	ring := func(v int, yield func(w int)) { yield((v + 1) % large) }
	got := Components(large, ring)
	if len(got) != 1 || !inSequence(got[0]) {
		t.Fatalf("got %d components, want the cycle in order", len(got))
	}
	path := CyclePath(got[0], ring)
	if len(path) != large+1 || !inSequence(path[:large]) || path[large] != 0 {
		t.Errorf("got a cycle of %d vertices, want %d in order", len(path), large+1)
	}
}

func inSequence(vs []int) bool {
	for i, v := range vs {
		if v != i {
			return false
		}
	}
	return len(vs) == large
}

func TestComponentsAgainstNaive(t *testing.T) {
	for seed := range uint64(2000) {
		edges := randomEdges(seed)
		got := Components(len(edges), adjacent(edges))
		if problem := wrongComponents(edges, got); problem != "" {
			t.Fatalf("seed %d, edges %v, components %v: %s", seed, edges, got, problem)
		}
		if again := Components(len(edges), adjacent(edges)); !reflect.DeepEqual(got, again) {
			t.Fatalf("seed %d: got %v, then %v", seed, got, again)
		}
		for _, c := range got {
			if problem := wrongCycle(edges, c); problem != "" {
				t.Fatalf("seed %d, edges %v, component %v: %s", seed, edges, c, problem)
			}
		}
	}
}

// distances returns the length of a shortest walk of one edge or more between
// any two vertices, 0 if there is none.
func distances(edges [][]uint32) [][]int {
	n := len(edges)
	d := make([][]int, n)
	for v := range d {
		d[v] = make([]int, n)
		for _, w := range edges[v] {
			d[v][w] = 1
		}
	}
	for via := range n {
		for v := range n {
			for w := range n {
				through := d[v][via] + d[via][w]
				if d[v][via] > 0 && d[via][w] > 0 && (d[v][w] == 0 || through < d[v][w]) {
					d[v][w] = through
				}
			}
		}
	}
	return d
}

func wrongComponents(edges [][]uint32, comps [][]int) string {
	d := distances(edges)
	where := make([]int, len(edges))
	total := 0
	for i, c := range comps {
		total += len(c)
		if c[0] != slices.Min(c) {
			return fmt.Sprintf("%v does not begin with its smallest", c)
		}
		for _, v := range c {
			where[v] = i
		}
	}
	if total != len(edges) {
		return fmt.Sprintf("%d members", total)
	}
	for v := range edges {
		for w := range edges {
			together := v == w || d[v][w] > 0 && d[w][v] > 0
			if together != (where[v] == where[w]) {
				return fmt.Sprintf("%d and %d together: want %v", v, w, together)
			}
			if d[v][w] > 0 && where[w] > where[v] {
				return fmt.Sprintf("%d has an edge to %d, which comes later", v, w)
			}
		}
	}
	return ""
}

func wrongCycle(edges [][]uint32, component []int) string {
	path := CyclePath(component, adjacent(edges))
	first := slices.Min(component)
	want := distances(edges)[first][first]
	if want == 0 {
		if path != nil {
			return fmt.Sprintf("cycle %v, want none", path)
		}
		return ""
	}
	if len(path) != want+1 || path[0] != first || path[want] != first {
		return fmt.Sprintf("cycle %v, want one of %d edges from %d", path, want, first)
	}
	for i, v := range path[:want] {
		if !slices.Contains(edges[v], uint32(path[i+1])) {
			return fmt.Sprintf("cycle %v has no edge %d", path, i)
		}
	}
	return ""
}
