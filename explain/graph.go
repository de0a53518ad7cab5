// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Graph says which nodes of a merge needed which. Nodes and edges are in the
// order of the documents: the template first, then the stubs from the left to
// the right.
type Graph struct {
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
	// Cycles are the nodes that wait for each other, each cycle from its first
	// node back to it.
	Cycles [][]int `json:"cycles"`
}

// A Node is an expression, or what one of them needs.
type Node struct {
	ID       int    `json:"id"`
	File     string `json:"file"`               // of the document it belongs to
	Stub     int    `json:"stub,omitempty"`     // number of the stub, from the left; 0 is the template
	Document int    `json:"document,omitempty"` // of a template of several, from 0
	Path     string `json:"path"`
	Named    string `json:"named,omitempty"` // the path with the names of list entries, if it has any
	At       *Place `json:"at,omitempty"`
	// Kind is expression, list, map or scalar, or absent for what is not there.
	Kind  string `json:"kind"`
	Text  string `json:"text,omitempty"` // of the expression
	State string `json:"state"`
	Value string `json:"value,omitempty"` // on one line, shortened
	Error string `json:"error,omitempty"`
	Cycle bool   `json:"cycle,omitempty"` // it is part of one

}

// Label names a node: its path, with the names of entries, for one of a stub behind the name of the file.
func (n *Node) Label() string {
	path := cmp.Or(n.Named, n.Path, "(document)")
	if n.Stub == 0 {
		return path
	}
	return n.File + ":" + path
}

// group puts what is written in the document of a node before what came from
// elsewhere, and that before what is not there.
func (n *Node) group() int {
	switch {
	case n.Kind == Absent:
		return 2
	case n.at().File != n.File:
		return 1
	}
	return 0
}

func (n *Node) at() Place {
	if n.At == nil {
		return Place{}
	}
	return *n.At
}

// An Edge says that node From needs node To.
type Edge struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Kind string `json:"kind"`
}

// Sort puts nodes and edges in order and numbers the nodes anew.
func (g *Graph) Sort() {
	slices.SortStableFunc(g.Nodes, func(a, b Node) int {
		p, q := a.at(), b.at()
		return cmp.Or(cmp.Compare(a.Stub, b.Stub), cmp.Compare(a.Document, b.Document), cmp.Compare(a.group(), b.group()), strings.Compare(p.File, q.File),
			cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col), strings.Compare(a.Path, b.Path))
	})
	number := make([]int, len(g.Nodes))
	for i := range g.Nodes {
		number[g.Nodes[i].ID] = i
		g.Nodes[i].ID = i
	}
	for i, e := range g.Edges {
		g.Edges[i].From, g.Edges[i].To = number[e.From], number[e.To]
	}
	for _, c := range g.Cycles {
		for i, n := range c {
			c[i] = number[n]
		}
	}
	g.sortEdges()
}

func (g *Graph) sortEdges() {
	slices.SortFunc(g.Edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), strings.Compare(a.Kind, b.Kind))
	})
	g.Edges = slices.Compact(g.Edges)
}

// Near returns the part of g that the given nodes need and that needs them,
// over at most depth edges in one direction; 0 is no bound.
func (g *Graph) Near(at []int, depth int) *Graph {
	keep := make([]bool, len(g.Nodes))
	for _, i := range at {
		keep[i] = true
	}
	needs, neededBy := make([][]int, len(g.Nodes)), make([][]int, len(g.Nodes))
	for _, e := range g.Edges {
		needs[e.From] = append(needs[e.From], e.To)
		neededBy[e.To] = append(neededBy[e.To], e.From)
	}
	reach(at, needs, depth, keep)
	reach(at, neededBy, depth, keep)
	return g.only(keep)
}

// reach marks what can be reached from some nodes over at most depth edges.
func reach(from []int, edges [][]int, depth int, keep []bool) {
	seen := make([]bool, len(edges))
	for _, i := range from {
		seen[i] = true
	}
	for d := 0; len(from) > 0 && (depth == 0 || d < depth); d++ {
		var next []int
		for _, i := range from {
			for _, j := range edges[i] {
				if !seen[j] {
					seen[j], keep[j] = true, true
					next = append(next, j)
				}
			}
		}
		from = next
	}
}

// only returns the part of g with some of its nodes.
func (g *Graph) only(keep []bool) *Graph {
	part := &Graph{Nodes: []Node{}, Edges: []Edge{}, Cycles: [][]int{}}
	number := make([]int, len(g.Nodes))
	for i, n := range g.Nodes {
		if keep[i] {
			number[i], n.ID = len(part.Nodes), len(part.Nodes)
			part.Nodes = append(part.Nodes, n)
		}
	}
	for _, e := range g.Edges {
		if keep[e.From] && keep[e.To] {
			part.Edges = append(part.Edges, Edge{number[e.From], number[e.To], e.Kind})
		}
	}
	for _, c := range g.Cycles {
		if slices.ContainsFunc(c, func(n int) bool { return !keep[n] }) {
			continue
		}
		cycle := make([]int, len(c))
		for i, n := range c {
			cycle[i] = number[n]
		}
		part.Cycles = append(part.Cycles, cycle)
	}
	return part
}

// WriteJSON writes the graph as one JSON object with its version.
func (g *Graph) WriteJSON(w io.Writer) error {
	return writeJSON(w, struct {
		Version int `json:"version"`
		*Graph
	}{Version, g})
}

// inCycle returns the edges that are part of a cycle.
func (g *Graph) inCycle() map[[2]int]bool {
	in := map[[2]int]bool{}
	for _, c := range g.Cycles {
		for i := range len(c) - 1 {
			in[[2]int{c[i], c[i+1]}] = true
		}
	}
	return in
}

// WriteDOT writes the graph for Graphviz.
func (g *Graph) WriteDOT(w io.Writer) error {
	var b strings.Builder
	b.WriteString("digraph spiff {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n")
	for i := range g.Nodes {
		n := &g.Nodes[i]
		label := dotText(n.Label())
		if n.Text != "" {
			label += `\n` + dotText(n.Text)
		}
		attrs := fmt.Sprintf("label=\"%s\"", label)
		if n.At != nil {
			attrs += fmt.Sprintf(", tooltip=\"%s\"", dotText(n.At.String()))
		}
		if n.Stub > 0 {
			attrs += ", style=dashed"
		}
		if n.Cycle || n.State == Failed {
			attrs += ", color=red"
		}
		fmt.Fprintf(&b, "  n%d [%s];\n", n.ID, attrs)
	}
	cycle := g.inCycle()
	for _, e := range g.Edges {
		var attrs []string
		if e.Kind != Reads {
			attrs = append(attrs, fmt.Sprintf("label=\"%s\", style=dashed", e.Kind))
		}
		if cycle[[2]int{e.From, e.To}] {
			attrs = append(attrs, "color=red")
		}
		fmt.Fprintf(&b, "  n%d -> n%d", e.From, e.To)
		if len(attrs) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(attrs, ", "))
		}
		b.WriteString(";\n")
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func dotText(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text)
}

// WriteMermaid writes the graph for Mermaid.
func (g *Graph) WriteMermaid(w io.Writer) error {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	var red []string
	for i := range g.Nodes {
		n := &g.Nodes[i]
		label := mermaidText(n.Label())
		if n.Text != "" {
			label += "<br/>" + mermaidText(n.Text)
		}
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", n.ID, label)
		if n.Cycle || n.State == Failed {
			red = append(red, fmt.Sprintf("n%d", n.ID))
		}
	}
	for _, e := range g.Edges {
		if e.Kind == Reads {
			fmt.Fprintf(&b, "  n%d --> n%d\n", e.From, e.To)
		} else {
			fmt.Fprintf(&b, "  n%d -.->|%s| n%d\n", e.From, e.Kind, e.To)
		}
	}
	if len(red) > 0 {
		fmt.Fprintf(&b, "  classDef wrong stroke:#c00,stroke-width:3px\n  class %s wrong\n", strings.Join(red, ","))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mermaidText escapes what Mermaid takes for markup, by its entity codes.
func mermaidText(text string) string {
	return strings.NewReplacer(`#`, "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "\n", " ",
		"`", "#96;", "[", "#91;", "]", "#93;", "{", "#123;", "}", "#125;", "|", "#124;", `\`, "#92;").Replace(text)
}
