// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"
	"fmt"

	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// maxAgain bounds how often a node may compute an expression that computes an
// expression; nobody writes two levels.
const maxAgain = 100

// begin starts a cell by the kind of its node.
func (l *level) begin(v uint32) {
	c := l.cell(v)
	if l.trace != nil {
		l.trace.begin(l, v)
	}
	if l.extraOf(c).copyOf != 0 && !l.adopt(v) {
		return
	}
	switch l.s.Kind(c.node) {
	case value.Map, value.List:
		c.state = sShaping
		l.shapeUp(v)
	case value.Expr:
		c.state = sEval
		l.evaluate(v)
	default:
		c.out, c.state = c.node, sValued
		l.settle(v)
	}
}

// copyCell makes a cell for a child that parent shares with an unfinished list
// or map (value.Open) and that its own stubs may change.
func (l *level) copyCell(r ref, parent, step uint32, flags cflags) uint32 {
	v := l.newCell(0, parent, step, flags)
	l.extra(l.cell(v)).copyOf = cellOf(r)
	return v
}

// adopt gives v the value of the cell that it copies, as if that had been
// written there. It reports false if v waits for it or is finished.
func (l *level) adopt(v uint32) bool {
	c := l.cell(v)
	switch w := l.cell(l.extraOf(c).copyOf); w.state {
	case sDone:
		c.node, l.extra(c).copyOf = w.out, 0
		return true
	case sUndefined:
		c.state, l.extra(c).copyOf = sValued, 0
		l.settle(v)
	case sFailed, sBroken:
		c.state = sBroken
		l.fire(v, evShape, evDone)
	default:
		l.block(v, l.extraOf(c).copyOf, evDone)
	}
	return false
}

// exprText returns the expression between the brackets.
func exprText(s string) string { return s[2 : len(s)-2] }

// evaluate runs the expression of v as far as it gets.
func (l *level) evaluate(v uint32) {
	c := l.cell(v)
	var r run
	if c.run != 0 {
		r = *l.runs.at(c.run)
	} else if r.prog = l.compile(v); r.prog == nil {
		return
	}
	if r.fiber == nil {
		if l.staticWait(v, &r) {
			l.read.reset(0)
			l.suspend(v, r)
			return
		}
		r.fiber = l.vm.Start(v, r.prog, l.base(c))
	}
	l.at = *l.s.Node(c.node)
	val, err := l.runFiber(v, r.fiber)
	l.read.reset(0)
	if err == vm.ErrWait {
		l.suspend(v, r)
		return
	}
	l.ran(v, r.fiber, val, err)
}

// suspend keeps what is needed to continue an expression, and blocks it.
func (l *level) suspend(v uint32, r run) {
	c := l.cell(v)
	if c.run == 0 {
		c.run = l.runs.add()
	}
	*l.runs.at(c.run) = r
	l.block(v, l.wait.cell, l.wait.kind)
}

// waiting returns the fiber of an expression that waits, or nil if v is
// something else. An expression that waited before it began is started.
func (l *level) waiting(v uint32) *vm.Fiber {
	c := l.cell(v)
	if c.run == 0 {
		return nil
	}
	r := l.runs.at(c.run)
	if r.fiber == nil {
		r.fiber = l.vm.Start(v, r.prog, l.base(c))
	}
	return r.fiber
}

// compile finds the program of v. It returns nil if v needs none: its text does
// not parse, or it is a template.
func (l *level) compile(v uint32) *program.Program {
	c := l.cell(v)
	pr := l.program(exprText(l.s.Text(l.s.Node(c.node))))
	if pr.err != nil {
		l.extra(c).parse = true
		l.valueFailed(v, pr.err)
		return nil
	}
	if !pr.p.Template || c.flags&fBody != 0 {
		return pr.p
	}
	if pr.p.Temporary {
		c.flags |= fTemp
	}
	c.out, c.state = l.template(c.node), sValued
	l.settle(v)
	return nil
}

// base returns the names of the template instance that c belongs to.
func (l *level) base(c *cell) *vm.Scope {
	switch {
	case c.flags&fInstance != 0:
		return l.extraOf(c).scope
	case c.inst != 0:
		return l.extraOf(l.cell(c.inst)).scope
	}
	return nil
}

// staticWait looks for the references that a program certainly reads first, so
// that it starts only when they are there. It reports whether v waits for one.
// What it finds the program need not look for again, see readAhead.
func (l *level) staticWait(v uint32, r *run) bool {
	l.read.reset(r.deps)
	for p := r.prog; r.deps < len(p.Deps); r.deps++ {
		d := p.Deps[r.deps]
		val, err := l.lookup(v, nil, p.Paths[d.Path], d.Shape)
		if err == vm.ErrWait && !l.unparsable() {
			return true
		}
		if err != nil {
			return false
		}
		l.read.vals = append(l.read.vals, val)
	}
	return false
}

// readAhead is what staticWait found for the program that begins: the values of
// its references number first to first+len(vals)-1.
type readAhead struct {
	vals  []value.Value
	first int
	next  int // references of the program so far
}

// reset forgets the values; the next will be that of reference first.
func (a *readAhead) reset(first int) { a.vals, a.first, a.next = a.vals[:0], first, 0 }

// take returns the value of the next reference of the program.
func (a *readAhead) take() (value.Value, bool) {
	i := a.next - a.first
	a.next++
	if i < 0 || i >= len(a.vals) {
		return value.Value{}, false
	}
	return a.vals[i], true
}

// ran takes the result of the expression of v, which ended f.
func (l *level) ran(v uint32, f *vm.Fiber, val value.Value, err error) {
	c := l.cell(v)
	if c.run != 0 {
		*l.runs.at(c.run) = run{}
		l.runs.put(c.run)
		c.run = 0
	}
	p := f.Program()
	info := f.Info
	l.vm.Release(f)
	if info.Redirect != nil || info.KeyField != 0 {
		l.extra(c).info = info
	}
	if p.Temporary {
		c.flags |= fTemp
	}
	if err != nil {
		var e *vm.Error
		errors.As(err, &e)
		l.valueFailed(v, e)
		return
	}
	if info.Merged {
		c.flags |= fMerged | fExempt
	}
	if info.Redirect != nil || info.Replaced {
		c.flags |= fExempt
	}
	if info.Replaced {
		c.flags |= fReplaced
	}
	if p.Prefer {
		c.flags |= fPrefer
	}
	if val.Kind == value.Undefined {
		c.out = 0
	} else {
		c.out = l.s.Put(val, l.at)
	}
	if c.out != 0 && l.s.Kind(c.out) == value.Expr {
		l.again(v)
		return
	}
	c.state = sValued
	l.fire(v, evShape)
	l.settle(v)
}

// again evaluates a computed expression at the same node (semantics 1.1).
func (l *level) again(v uint32) {
	c := l.cell(v)
	x := l.extra(c)
	if x.again++; x.again > maxAgain {
		l.valueFailed(v, &vm.Error{Msg: fmt.Sprintf("the expression computes an expression more than %d times", maxAgain)})
		return
	}
	c.node, c.out, c.state = c.out, 0, sEval
	l.evaluate(v)
}

// valueFailed records an error, which a stub value may still hide.
func (l *level) valueFailed(v uint32, err *vm.Error) {
	c := l.cell(v)
	l.extra(c).err = err
	c.out, c.state = 0, sValued
	l.fire(v, evShape)
	l.settle(v)
}

// settle decides between the value of v and that of the stubs (semantics 2.2).
func (l *level) settle(v uint32) {
	c := l.cell(v)
	if c.flags&(fInsert|fInstance) == 0 && !l.locate(v) {
		return
	}
	replaceable := c.flags&(fEntry|fInsert|fInstance) == 0
	hit := l.hit(c)
	err := l.extraOf(c).err != nil
	if l.trace != nil {
		l.trace.settle(l, v)
	}
	switch {
	case err && (!replaceable || hit == 0):
		l.failed(v, l.extraOf(c).err)
	case err:
		l.extra(c).err = nil
		l.take(hit)
		l.done(v, hit)
	case c.flags&(fInsert|fInstance) != 0:
		l.finish(v)
	case c.out == 0:
		if replaceable && hit != 0 && c.flags&fExempt == 0 {
			l.take(hit)
			l.done(v, hit)
			return
		}
		l.undefined(v)
	case c.flags&fExempt != 0:
		l.finish(v)
	case !replaceable || c.flags&fPrefer != 0:
		l.overlay(v, hit, replaceable)
	case hit != 0:
		l.replace(c.node, hit)
		l.done(v, hit)
	default:
		l.finish(v)
	}
}

// overlay merges a preferred result or a computed list entry with the stub: a
// list or map like a literal, another value only if it is a map's child.
func (l *level) overlay(v uint32, hit value.ID, replaceable bool) {
	c := l.cell(v)
	k := l.s.Kind(c.out)
	switch {
	case hit == 0:
		l.finish(v)
	case k == value.Map || k == value.List:
		l.keepExpr(c)
		c.node, c.out, c.state = c.out, 0, sShaping
		l.shapeUp(v)
	case replaceable:
		l.take(hit)
		l.done(v, hit)
	default:
		l.finish(v)
	}
}

// finish makes the value of v its result. Expressions that the value contains,
// and entries it shares with unfinished lists, are evaluated first.
func (l *level) finish(v uint32) {
	c := l.cell(v)
	if c.out == 0 {
		l.undefined(v)
		return
	}
	n := l.s.Node(c.out)
	if n.Flags&(value.Dynamic|value.Open) == 0 || n.Kind == value.Expr {
		l.done(v, c.out)
		return
	}
	l.keepExpr(c)
	c.node, c.out, c.state = c.out, 0, sShaping
	c.place(0)
	l.shapeUp(v)
}

// keepExpr remembers the expression of c, whose value is about to take its
// place, if that value shares entries that may never be finished.
func (l *level) keepExpr(c *cell) {
	if l.s.Kind(c.node) == value.Expr && l.s.Node(c.out).Flags&value.Open != 0 {
		l.extra(c).expr = c.node
	}
}

// written returns the node of c as it was written.
func (l *level) written(c *cell) value.ID {
	if l.extraOf(c).expr != 0 {
		return l.extraOf(c).expr
	}
	return c.node
}

// Template is the object of a template value.
type Template struct {
	node value.ID
}

// Source returns the node that the template was written as.
func (t *Template) Source() value.ID { return t.node }

// template returns a template value for a node with a &template marker.
func (l *level) template(node value.ID) value.ID {
	n := *l.s.Node(node)
	return l.s.New(value.Node{Kind: value.Template, File: n.File, Start: n.Start, End: n.End,
		Pay: l.s.AddObject(&Template{node})})
}

// locate finds the stub values for the place of v. If that depends on the keys
// of a list that are not known yet, it blocks v and reports false.
func (l *level) locate(v uint32) bool {
	w, ok := l.located(v)
	if !ok {
		l.block(v, w, evLocated)
	}
	return ok
}

// located computes hits from the parents; it returns the cell that is waited
// for if that is not possible yet.
func (l *level) located(v uint32) (uint32, bool) {
	c := l.cell(v)
	if c.flags&fLocated != 0 {
		return 0, true
	}
	p := l.cell(c.parent)
	if !l.isMap(p) {
		return v, false // an entry of a list that is not matched
	}
	if w, ok := l.located(c.parent); !ok {
		return w, false
	}
	if c.flags&fInsert != 0 {
		c.place(p.hits)
		return 0, true
	}
	c.place(l.keyHits(p.hits, value.Sym(c.step)))
	return 0, true
}
