// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"
	"fmt"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/compiler"
	"github.com/dynaml/spiff/parser"
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
	if c.x != nil && c.x.copyOf != 0 && !l.adopt(v) {
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
	l.cell(v).extra().copyOf = cellOf(r)
	return v
}

// adopt gives v the value of the cell that it copies, as if that had been
// written there. It reports false if v waits for it or is finished.
func (l *level) adopt(v uint32) bool {
	c := l.cell(v)
	switch w := l.cell(c.x.copyOf); w.state {
	case sDone:
		c.node, c.x.copyOf = w.out, 0
		return true
	case sUndefined:
		c.state, c.x.copyOf = sValued, 0
		l.settle(v)
	case sFailed, sBroken:
		c.state = sBroken
		l.fire(v, evShape, evDone)
	default:
		l.block(v, c.x.copyOf, evDone)
	}
	return false
}

// exprText returns the expression between the brackets.
func exprText(s string) string { return s[2 : len(s)-2] }

// program compiles an expression once per session and text.
func (n *Session) program(text string) compiled {
	return n.cached(n.progs, text, func() (*program.Program, error) { return n.compileText(text, compiler.Compile) })
}

// inner is program for the operand of eval.
func (n *Session) inner(text string) compiled {
	return n.cached(n.evals, text, func() (*program.Program, error) { return n.compileText(text, compiler.CompileInner) })
}

// lambda compiles text that must be a lambda, once.
func (n *Session) lambda(text string) compiled {
	return n.cached(n.lams, text, func() (*program.Program, error) {
		e, err := parser.ParseLambdaAs(n.opt.Dialect, text)
		if err != nil {
			return nil, fmt.Errorf("'%s' is no lambda expression", text)
		}
		return compiler.Compile(n.s, text, e)
	})
}

func (n *Session) compileText(text string, compile func(*value.Store, string, ast.Expr) (*program.Program, error)) (*program.Program, error) {
	e, err := parser.ParseAs(n.opt.Dialect, text)
	if err != nil {
		return nil, err
	}
	return compile(n.s, text, e)
}

// cached returns what compile makes of a text, from the cache if it can.
func (n *Session) cached(cache map[string]compiled, text string, compile func() (*program.Program, error)) compiled {
	if c, ok := cache[text]; ok {
		return c
	}
	p, err := compile()
	c := compiled{p: p}
	if err != nil {
		c = compiled{err: syntaxError(text, err)}
	}
	cache[text] = c
	return c
}

// syntaxError gives the error of the parser or compiler its place.
func syntaxError(text string, err error) *vm.Error {
	e := &vm.Error{Msg: err.Error(), Prog: &program.Program{Text: text}}
	var pe *parser.Error
	var ce *compiler.Error
	switch {
	case errors.As(err, &pe):
		e.Pos = program.Pos{Start: pe.Pos.Start, End: pe.Pos.End}
	case errors.As(err, &ce):
		e.Pos = program.Pos{Start: ce.Pos.Start, End: ce.Pos.End}
	}
	return e
}

// evaluate runs the expression of v as far as it gets.
func (l *level) evaluate(v uint32) {
	c := l.cell(v)
	if c.fiber == nil {
		if c.prog == nil && !l.compile(v) {
			return
		}
		if l.staticWait(v, c, c.prog) {
			return
		}
		c.fiber = l.vm.Start(v, c.prog, l.base(c))
	}
	l.at = *l.s.Node(c.node)
	val, err := l.vm.Run(c.fiber)
	if err == vm.ErrWait {
		l.block(v, l.wait.cell, l.wait.kind)
		return
	}
	l.ran(v, val, err)
}

// compile finds the program of v. It reports false if v needs none: its text
// does not parse, or it is a template.
func (l *level) compile(v uint32) bool {
	c := l.cell(v)
	pr := l.program(exprText(l.s.Text(l.s.Node(c.node))))
	if pr.err != nil {
		c.extra().parse = true
		l.valueFailed(v, pr.err)
		return false
	}
	c.prog = pr.p
	if !pr.p.Template || c.flags&fBody != 0 {
		return true
	}
	if pr.p.Temporary {
		c.flags |= fTemp
	}
	c.out, c.state = l.template(c.node), sValued
	l.settle(v)
	return false
}

// base returns the names of the template instance that c belongs to.
func (l *level) base(c *cell) *vm.Scope {
	switch {
	case c.flags&fInstance != 0:
		return c.x.scope
	case c.inst != 0:
		return l.cell(c.inst).x.scope
	}
	return nil
}

// staticWait waits for the references that p certainly reads first, so that
// the expression starts only when they are there. It reports whether v waits.
func (l *level) staticWait(v uint32, c *cell, p *program.Program) bool {
	for int(c.deps) < len(p.Deps) {
		d := p.Deps[c.deps]
		_, err := l.lookup(v, nil, p.Paths[d.Path], d.Shape)
		if err == vm.ErrWait && !l.unparsable() {
			l.block(v, l.wait.cell, l.wait.kind)
			return true
		}
		if err != nil {
			return false
		}
		c.deps++
	}
	return false
}

// ran takes the result of the expression of v.
func (l *level) ran(v uint32, val value.Value, err error) {
	c := l.cell(v)
	f := c.fiber
	p := f.Program()
	info := f.Info
	l.vm.Release(f)
	c.fiber = nil
	if info != (vm.Info{}) {
		c.extra().info = info
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
	x := c.extra()
	if x.again++; x.again > maxAgain {
		l.valueFailed(v, &vm.Error{Msg: fmt.Sprintf("the expression computes an expression more than %d times", maxAgain)})
		return
	}
	c.node, c.out, c.deps, c.state, c.prog = c.out, 0, 0, sEval, nil
	l.evaluate(v)
}

// valueFailed records an error, which a stub value may still hide.
func (l *level) valueFailed(v uint32, err *vm.Error) {
	c := l.cell(v)
	c.extra().err = err
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
	err := c.x != nil && c.x.err != nil
	switch {
	case err && (!replaceable || hit == 0):
		l.failed(v, c.x.err)
	case err:
		c.x.err = nil
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
	c.vecLen = 0
	c.flags |= fLocated
	l.shapeUp(v)
}

// keepExpr remembers the expression of c, whose value is about to take its
// place, if that value shares entries that may never be finished.
func (l *level) keepExpr(c *cell) {
	if l.s.Kind(c.node) == value.Expr && l.s.Node(c.out).Flags&value.Open != 0 {
		c.extra().expr = c.node
	}
}

// written returns the node of c as it was written.
func (c *cell) written() value.ID {
	if c.x != nil && c.x.expr != 0 {
		return c.x.expr
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

// located computes vec from the parents; it returns the cell that is waited
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
		c.vecOff, c.vecLen = p.vecOff, p.vecLen
		c.flags |= fLocated
		return 0, true
	}
	l.setVec(c, l.sub(p, value.Sym(c.step)))
	return 0, true
}

// sub returns the candidates for a key below p. The slice is valid until the
// next call.
func (l *level) sub(p *cell, key value.Sym) []value.ID {
	out := l.vecBuf[:0]
	for _, id := range l.vec(p) {
		if n := l.s.Get(id, key); n != 0 {
			out = append(out, n)
		}
	}
	l.vecBuf = out
	return out
}
