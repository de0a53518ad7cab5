// SPDX-License-Identifier: Apache-2.0

package compiler

import (
	"math/bits"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// chain compiles First op X op X ... from left to right.
func (c *compiler) chain(e *ast.Chain) {
	n, rest, ok := foldPrefix(e)
	switch {
	case !ok:
		c.expr(e.First)
	case len(rest) == len(e.Rest):
		c.push(e.First, value.OfInt(n))
	default:
		c.push(e, value.OfInt(n))
	}
	for _, o := range rest {
		if o.Op == ast.OpOr || o.Op == ast.OpAnd {
			c.andOr(e, o)
			continue
		}
		if n, ok := fold(o.X, 0); ok {
			c.push(o.X, value.OfInt(n))
		} else {
			c.expr(o.X)
		}
		c.emit(e, binaryOps[o.Op], 0, 0)
		c.scratch.spans[len(c.scratch.spans)-1].End = o.X.Span().End // not those that follow
	}
}

// andOr compiles the right operand of -or or -and: its error does not count if
// the left one decides (semantics 5).
func (c *compiler) andOr(e *ast.Chain, o ast.Operand) {
	which := 0
	if o.Op == ast.OpAnd {
		which = 1
	}
	try := c.emit(o.X, program.Try, 0, 0)
	c.expr(o.X)
	both := c.emit(o.X, program.EndTry, 0, 0)
	c.here(try)
	c.emit(e, program.Decide, which, 0)
	end := c.emit(e, program.Jump, 0, 0)
	c.here(both)
	c.emit(e, program.AndOr, which, 0)
	c.here(end)
}

// foldPrefix computes the constant beginning of a chain, if there is one, and
// returns the operands behind it. Only integer results
// that cannot fail are folded, so no error changes its place.
func foldPrefix(e *ast.Chain) (n int64, rest []ast.Operand, ok bool) {
	rest = e.Rest
	if n, ok = fold(e.First, 0); !ok {
		return 0, rest, false
	}
	for len(rest) > 0 {
		x, ok := fold(rest[0].X, 0)
		if !ok {
			break
		}
		r, ok := foldOp(rest[0].Op, n, x)
		if !ok {
			break
		}
		n, rest = r, rest[1:]
	}
	return n, rest, true
}

// maxFold bounds how deep fold looks into brackets. It is asked again at each
// level, so without a bound deep nesting would take quadratic time.
const maxFold = 8

// fold returns the value of a constant integer expression.
func fold(e ast.Expr, depth int) (int64, bool) {
	if depth > maxFold {
		return 0, false
	}
	switch e := e.(type) {
	case *ast.Lit:
		return e.Int, e.Kind == ast.LitInt
	case *ast.Group:
		return fold(e.X, depth+1)
	case *ast.Chain:
		n, ok := fold(e.First, depth+1)
		for _, o := range e.Rest {
			if !ok {
				return 0, false
			}
			var x int64
			if x, ok = fold(o.X, depth+1); ok {
				n, ok = foldOp(o.Op, n, x)
			}
		}
		return n, ok
	}
	return 0, false
}

// foldOp computes a op b, with ok false on overflow or for what is left to the
// VM.
func foldOp(op ast.Op, a, b int64) (n int64, ok bool) {
	switch op {
	case ast.OpAdd:
		n = a + b
		return n, (n > a) == (b > 0)
	case ast.OpSub:
		n = a - b
		return n, (n < a) == (b > 0)
	case ast.OpMul:
		if a < 0 || b < 0 {
			return 0, false
		}
		hi, lo := bits.Mul64(uint64(a), uint64(b))
		return int64(lo), hi == 0 && int64(lo) >= 0
	}
	return 0, false
}
