// SPDX-License-Identifier: Apache-2.0

package compiler

import (
	"slices"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

var binaryOps = [...]program.Op{
	ast.OpMul: program.Mul, ast.OpDiv: program.Div, ast.OpMod: program.Mod,
	ast.OpAdd: program.Add, ast.OpSub: program.Sub,
	ast.OpEq: program.Eq, ast.OpNe: program.Ne, ast.OpLe: program.Le,
	ast.OpGe: program.Ge, ast.OpGt: program.Gt, ast.OpLt: program.Lt,
}

// expr compiles e so that it leaves its complete value.
func (c *compiler) expr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Lit:
		c.push(e, literal(e))
	case *ast.Ref:
		c.ref(e, false)
	case *ast.Group:
		c.expr(e.X)
	case *ast.Select:
		c.quietly(e, func() { c.selected(e.X) })
		c.steps(e, e.Steps, 0, false)
	case *ast.Merge:
		c.merge(e)
	case *ast.Auto:
		c.emit(e, program.Auto, 0, 0)
	case *ast.Lambda:
		c.lambda(e, false)
	case *ast.LambdaRef:
		c.expr(e.X)
		c.emit(e, program.ToLambda, 0, 0)
	case *ast.Map:
		c.quietly(e, func() { c.iterate(e, e.List, nil, e.Fn, e.Inline) })
	case *ast.Sum:
		c.quietly(e, func() { c.iterate(e, e.List, e.Init, e.Fn, e.Inline) })
	case *ast.List:
		for _, x := range e.Elems {
			c.expr(x)
		}
		c.emit(e, program.List, 0, len(e.Elems))
	case *ast.Range:
		c.expr(e.From)
		c.expr(e.To)
		c.emit(e, program.Range, 0, 0)
	case *ast.MapLit:
		c.quietly(e, func() { c.entries(e.Entries) })
		c.emit(e, program.Map, 0, len(e.Entries))
	case *ast.Scope:
		c.entries(e.Entries)
		c.emit(e, program.Bind, 0, len(e.Entries))
		c.f().binds++
		c.expr(e.X)
		c.f().binds--
		c.emit(e, program.Unbind, 0, 0)
	case *ast.Call:
		c.call(e)
	case *ast.Not:
		c.expr(e.X)
		c.emit(e, program.Not, 0, 0)
	case *ast.Instantiate:
		c.expr(e.X)
		c.emit(e, program.Instantiate, 0, 0)
	case *ast.Chain:
		c.chain(e)
	case *ast.Concat:
		c.concat(e, c.expr)
	case *ast.Cond:
		c.cond(e, c.expr)
	case *ast.Or:
		c.or(e, c.expr)
	default:
		c.fail(e, "%s is allowed only as the whole expression", c.text(e))
	}
}

// selected compiles what a path is taken from. Undefined elements of a list do
// not make the others undefined here (semantics 2.5).
func (c *compiler) selected(e ast.Expr) {
	list, ok := e.(*ast.List)
	if !ok {
		c.shape(e)
		return
	}
	for _, x := range list.Elems {
		c.expr(x)
	}
	c.emit(e, program.List, 1, len(list.Elems))
}

// shape compiles e for a use that does not look at its children: a reference
// to a list or map does not wait for the entries.
func (c *compiler) shape(e ast.Expr) {
	c.spread(e, func(e ast.Expr) {
		if r, ok := e.(*ast.Ref); ok {
			c.ref(r, true)
			return
		}
		c.expr(e)
	})
}

// result compiles the whole expression of a node. The node itself waits for
// the entries of a concatenation there (semantics 0, no. 21).
func (c *compiler) result(e ast.Expr) { c.spread(e, c.expr) }

// spread compiles e so that a concatenation which may be its value needs only
// the shape of its operands; leaf compiles what else may be the value.
func (c *compiler) spread(e ast.Expr, leaf func(ast.Expr)) {
	operand := func(e ast.Expr) { c.spread(e, leaf) }
	switch e := e.(type) {
	case *ast.Group:
		operand(e.X)
	case *ast.Concat:
		c.concat(e, c.shape)
	case *ast.Cond:
		c.cond(e, operand)
	case *ast.Or:
		c.or(e, operand)
	default:
		leaf(e)
	}
}

func (c *compiler) concat(e *ast.Concat, operand func(ast.Expr)) {
	for _, x := range e.Xs {
		operand(x)
	}
	c.emit(e, program.Concat, c.operandNames(e.Xs...), len(e.Xs))
}

func literal(e *ast.Lit) value.Value {
	switch e.Kind {
	case ast.LitString:
		return value.OfString(e.Str)
	case ast.LitInt:
		return value.OfInt(e.Int)
	case ast.LitFloat:
		return value.OfFloat(e.Float)
	case ast.LitBool:
		return value.OfBool(e.Bool)
	case ast.LitNull:
		return value.NullVal
	}
	return value.Undef
}

// ref compiles a reference: a parameter if the text shows it to be one, else a
// lookup by path.
func (c *compiler) ref(e *ast.Ref, shape bool) {
	name := e.Steps[0].Name
	if !e.Abs && c.f().binds == 0 {
		if name == "_" {
			c.emit(e, program.Self, 0, 0)
			c.steps(e, e.Steps, 1, shape)
			return
		}
		if slot, levels := c.param(name); slot >= 0 {
			op := program.Local
			if levels > 0 {
				op = program.Captured
			}
			if shape || len(e.Steps) > 1 {
				op++ // the Shape twin follows each
			}
			c.emit(e, op, slot, levels)
			c.steps(e, e.Steps, 1, shape)
			return
		}
	}
	n := static(e.Steps)
	op := program.Ref
	if shape || n < len(e.Steps) {
		op = program.RefShape
	}
	c.emit(e, op, c.path(e.Steps[:n], e.Abs), 0)
	c.steps(e, e.Steps, n, shape)
}

// param finds a parameter in the enclosing lambdas of the same expression.
func (c *compiler) param(name string) (slot, levels int) {
	last := len(c.nest) - 1
	if last == 0 {
		return -1, 0 // not in a lambda
	}
	y := c.s.Intern(name)
	for level := last; level >= 0; level-- {
		f := &c.nest[level]
		if f.binds > 0 {
			return -1, 0
		}
		// The last of two equal names wins, as assignment in order would do.
		for i := len(f.Params) - 1; i >= 0; i-- {
			if f.Params[i] == y {
				return i, last - level
			}
		}
	}
	return -1, 0
}

// static returns how many leading steps are known from the text.
func static(steps []ast.Step) int {
	for i := range steps {
		if kind := steps[i].Kind; kind != ast.StepName && kind != ast.StepIndex {
			return i
		}
	}
	return len(steps)
}

// steps compiles the steps from number taken on, which select from the value
// on the stack.
func (c *compiler) steps(at ast.Expr, steps []ast.Step, taken int, shape bool) {
	for taken < len(steps) {
		n := taken + static(steps[taken:])
		if n > taken {
			op := program.Select
			if shape || n < len(steps) {
				op = program.SelectShape
			}
			// The path begins after the last computed step, or where the
			// expression began, so that messages name what was written.
			from := taken
			for from > 0 && static(steps[from-1:from]) == 1 {
				from--
			}
			c.emit(at, op, c.path(steps[from:n], false), taken-from)
			taken = n
			continue
		}
		st := steps[taken]
		if st.Kind != ast.StepExpr {
			c.fail(at, "slices and projections are not part of the language")
		}
		c.expr(st.X)
		taken++
		arg := 0
		if shape || taken < len(steps) {
			arg = 1
		}
		c.emit(at, program.Index, arg, 0)
	}
}

func (c *compiler) path(steps []ast.Step, abs bool) int {
	c.scratch.steps = c.scratch.steps[:0]
	for i := range steps {
		st := &steps[i]
		ps := program.Step{IsIndex: true, Index: st.Index}
		if st.Kind != ast.StepIndex {
			ps = program.NameStep(c.s, st.Name)
		}
		c.scratch.steps = append(c.scratch.steps, ps)
	}
	paths := c.scratch.paths
	for i, q := range paths[:min(few, len(paths))] {
		if q.Abs == abs && slices.Equal(q.Steps, c.scratch.steps) {
			return i
		}
	}
	p := c.memory.paths.New()
	p.Abs, p.Steps = abs, c.memory.steps.Copy(c.scratch.steps)
	c.scratch.paths = append(paths, p)
	return len(paths)
}

func (c *compiler) merge(e *ast.Merge) {
	m := program.MergeForm{Replace: e.Replace, Required: e.Required, None: e.None}
	if e.On != "" {
		m.On = c.s.Intern(e.On)
	}
	if e.Path != nil {
		m.Path = c.scratch.paths[c.path(e.Path, e.AbsPath)]
	}
	c.scratch.merges = append(c.scratch.merges, m)
	c.emit(e, program.Merge, len(c.scratch.merges)-1, 0)
}

func (c *compiler) lambda(e *ast.Lambda, inline bool) {
	c.emit(e, program.Closure, int(c.function(e.Params, e.Text, e.Body, inline)), 0)
}

func (c *compiler) entries(entries []ast.Entry) {
	for _, kv := range entries {
		c.expr(kv.Key)
		c.expr(kv.Value)
	}
}

// iterate compiles map[] and, if init is given, sum[].
func (c *compiler) iterate(at, list, init, f ast.Expr, inline bool) {
	c.shape(list)
	op := program.MapInit
	if init != nil {
		op = program.SumInit
		c.expr(init)
	}
	if l, ok := f.(*ast.Lambda); ok && inline {
		c.lambda(l, true)
	} else {
		c.expr(f)
	}
	c.emit(at, op, 0, 0)
	next := c.emit(at, program.IterNext, 0, 0)
	c.emit(at, program.IterPut, next, 0)
	c.here(next)
}

func (c *compiler) cond(e *ast.Cond, branch func(ast.Expr)) {
	c.expr(e.If)
	undef := c.emit(e, program.JumpUndef, 0, 0)
	no := c.emit(e, program.JumpFalse, 0, 0)
	branch(e.Then)
	end := c.emit(e, program.Jump, 0, 0)
	c.here(no)
	branch(e.Else)
	c.here(end)
	c.here(undef)
}

// or compiles A || B || C: each operand but the last is tried in turn. With //
// among the operators the left operand is a whole, as null must be looked at
// again, so those nest.
func (c *compiler) or(e *ast.Or, operand func(ast.Expr)) {
	for _, n := range e.Nil {
		if n {
			c.orNested(e, len(e.Xs)-1, operand)
			return
		}
	}
	var ends []int
	for _, x := range e.Xs[:len(e.Xs)-1] {
		try := c.emit(x, program.Try, 0, 0)
		operand(x)
		ends = append(ends, c.emit(x, program.OrElse, 0, 0))
		c.here(try)
	}
	operand(e.Xs[len(e.Xs)-1])
	for _, pc := range ends {
		c.here(pc)
	}
}

// maxNested bounds the operands of a chain of // operators, which nest.
const maxNested = 1000

func (c *compiler) orNested(e *ast.Or, last int, operand func(ast.Expr)) {
	if last == 0 {
		operand(e.Xs[0])
		return
	}
	if last > maxNested {
		c.fail(e, "more than %d operands of //", maxNested)
	}
	try := c.emit(e, program.Try, 0, 0)
	c.orNested(e, last-1, operand)
	n := 0
	if e.Nil[last-1] {
		n = 1
	}
	end := c.emit(e, program.OrElse, 0, n)
	c.here(try)
	operand(e.Xs[last])
	c.here(end)
}
