// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"context"
	"errors"

	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/merge"
)

// What the package explain defines and callers of this package use.
type (
	// An Explanation says why a node has its value.
	Explanation = explain.Explanation
	// A Graph says which nodes of a merge needed which.
	Graph = explain.Graph
	// A Provenance says where each value of a result was written.
	Provenance = explain.Provenance
	// A ProfileRow is the cost of the expressions with one text.
	ProfileRow = merge.ProfileRow
)

// An Inspection is a merge that can be asked about.
type Inspection struct {
	Result *Result // nil if the merge failed
	Err    error   // why it failed
	n      *merge.Session
}

// begin takes the session of the merge.
func (i *Inspection) begin(n *merge.Session) {
	if i != nil {
		i.n = n
	}
}

// Inspect is Merge that records what it does, in about twice the time. A merge
// that fails because nodes have no value can be asked about, too; the error is
// that of one which could not begin.
func Inspect(ctx context.Context, template *Document, stubs []*Document, opts ...Option) (*Inspection, error) {
	i := &Inspection{}
	opt := options(opts)
	opt.inspection = i
	i.Result, i.Err = mergeWith(ctx, template, stubs, opt)
	var u *Unresolved
	if i.Err != nil && !errors.As(i.Err, &u) {
		return nil, i.Err
	}
	return i, nil
}

// Explain says why the node at a path has its value, and explains what its
// expressions read, and what those read, to a depth. explain.ParsePath says
// how paths are written. In a file of several documents the first that has the
// path counts. If a stub could not be resolved, the path is one of that stub.
func (i *Inspection) Explain(path string, depth int) (*Explanation, error) {
	steps, err := explain.ParsePath(path)
	if err != nil {
		return nil, err
	}
	return i.n.Trace().Explain(steps, depth)
}

// Graph returns which nodes needed which.
func (i *Inspection) Graph() *Graph { return i.n.Trace().Graph() }

// GraphNear returns the part of Graph that the nodes at and below a path need
// and that needs them, over at most depth edges; 0 is no bound.
func (i *Inspection) GraphNear(path string, depth int) (*Graph, error) {
	steps, err := explain.ParsePath(path)
	if err != nil {
		return nil, err
	}
	return i.n.Trace().GraphNear(steps, depth)
}

// Work returns how many steps from node to node the answers so far took.
func (i *Inspection) Work() int { return i.n.Trace().Work() }

// Size returns the number of bytes of the file.
func (d *Document) Size() int { return len(d.src.Text) }

// ReadByLibrary reports whether the file has YAML that is left to the slower
// library.
func (d *Document) ReadByLibrary() bool { return d.library }

// Provenance returns where each scalar and each empty list or map of the result
// was written, in the order of the output.
func (r *Result) Provenance() *Provenance {
	p := &Provenance{Version: explain.Version}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, id := range r.docs {
		p.Add(r.s, id, i, !r.complete)
	}
	return p
}

// Nodes returns how many nodes were read and made. Stats.Nodes counts the unused
// numbers between those of the template and the others as well.
func (r *Result) Nodes() int { return r.nodes }

// Profile returns what the expressions cost, the highest number of instructions
// first. It is empty without Options.Profile.
func (r *Result) Profile() []ProfileRow {
	if r.profile == nil {
		return nil
	}
	return r.profile.Rows()
}
