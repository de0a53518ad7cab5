// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/explain"
)

// A dynamicRead says that the merge saw the expression of a node read a place.
type dynamicRead struct {
	from  loc
	place int
}

// dynamic returns what the expressions of the set were seen to read, if the
// newest merge is one of these documents.
func (a *analysis) dynamic() []dynamicRead {
	i := a.inspect(a.ctx)
	if i == nil {
		return nil
	}
	a.readsOnce.Do(func() {
		i.mu.Lock()
		g := i.Graph()
		i.mu.Unlock()
		x := a.laid()
		starts := x.exprStarts()
		for _, e := range g.Edges {
			from, to := &g.Nodes[e.From], &g.Nodes[e.To]
			if e.Kind != explain.Reads || from.At == nil {
				continue
			}
			l, ok := starts[*from.At]
			if !ok {
				continue
			}
			if p := x.ofPath(to.Path); p >= 0 {
				a.reads = append(a.reads, dynamicRead{l, p})
			}
		}
	})
	return a.reads
}

// exprStarts finds expressions by where they begin.
func (x *index) exprStarts() map[explain.Place]loc {
	starts := map[explain.Place]loc{}
	for d, t := range x.trees {
		if t == nil {
			continue
		}
		for _, e := range t.exprs {
			line, col := t.Source.LineCol(t.Nodes[e.node].Start)
			starts[explain.Place{File: t.Source.Name, Line: line, Col: col}] = loc{d, e.node}
		}
	}
	return starts
}

// ofPath returns the place of a path of a result, or -1.
func (x *index) ofPath(path string) int {
	steps, err := explain.ParsePath(path)
	if err != nil {
		return -1
	}
	p := 0
	for _, s := range steps {
		st := ast.Step{Kind: ast.StepName, Name: s.Name}
		q := x.step(p, &st, near())
		if q < 0 && s.IsIndex {
			st = ast.Step{Kind: ast.StepIndex, Index: int64(s.Index)}
			q = x.step(p, &st, near())
		}
		if p = q; p < 0 {
			return -1
		}
	}
	return p
}

// unnamed returns the expressions that read a place as the merge saw it, without
// one of the given names for it.
func (c *cursor) unnamed(p int, readers []occurrence) (list []loc) {
	named := map[loc]bool{}
	for _, o := range readers {
		named[loc{o.doc, c.x.trees[o.doc].exprs[o.expr].node}] = true
	}
	for _, r := range c.set.run.dynamic() {
		if r.place == p && !named[r.from] {
			named[r.from] = true
			list = append(list, r.from)
		}
	}
	return list
}
