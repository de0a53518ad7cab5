// SPDX-License-Identifier: Apache-2.0

package parser

import "github.com/dynaml/spiff/ast"

// levels lists the binary operators, loosest first. Those of one level associate
// to the left.
var levels = [...][]ast.Op{
	{ast.OpOr, ast.OpAnd},
	{ast.OpEq, ast.OpNe, ast.OpLe, ast.OpGe, ast.OpGt, ast.OpLt},
	{ast.OpAdd, ast.OpSub},
	{ast.OpMul, ast.OpDiv, ast.OpMod},
}

// expr takes the blanks around it.
//
//	expr = blanks ( lambda | scope | or ) blanks
func (p *parser) expr() ast.Expr {
	p.enter()
	p.skip()
	p.exprAt = p.pos
	var x ast.Expr
	if p.at(p.pos) == '|' {
		x = p.lambda(p.pos)
	} else {
		x = p.or()
	}
	p.skip()
	p.leave()
	return x
}

// or = cond ( BLANKS ( "||" | "//" ) BLANKS cond )*
func (p *parser) or() ast.Expr {
	first := p.cond()
	isNil, ok := p.orOperator()
	if !ok {
		return first
	}
	xs, nils := len(p.scratch.exprs), len(p.scratch.bools)
	p.scratch.exprs = append(p.scratch.exprs, first)
	last := first
	for ; ok; isNil, ok = p.orOperator() {
		p.scratch.bools = append(p.scratch.bools, isNil)
		last = p.cond()
		p.scratch.exprs = append(p.scratch.exprs, last)
	}
	or := p.ors.New()
	or.Pos = span(startOf(first), endOf(last))
	or.Xs, or.Nil = p.takeExprs(xs), p.nodes.bools.Copy(p.scratch.bools[nils:])
	p.scratch.bools = p.scratch.bools[:nils]
	return or
}

// takeExprs returns the expressions in scratch from number n on.
func (p *parser) takeExprs(n int) []ast.Expr {
	xs := p.nodes.exprs.Copy(p.scratch.exprs[n:])
	p.scratch.exprs = p.scratch.exprs[:n]
	return xs
}

// orOperator moves past || or //, which also replaces null.
func (p *parser) orOperator() (isNil, ok bool) {
	switch g := p.gap(); p.at(g) {
	case '|':
		return false, p.operator("||")
	case '/':
		return true, p.operator("//")
	}
	return false, false
}

// operator moves past a binary operator and the blanks that must be on both
// sides of it, if it stands at the current place.
func (p *parser) operator(op string) bool {
	g := p.gap()
	if g == p.pos || !p.has(g, op) || !isBlank(p.at(g+len(op))) {
		return false
	}
	p.pos = g + len(op)
	p.skip()
	return true
}

// The condition is a concatenation; each branch may be anything.
//
//	cond = concat [ blanks "?" expr ":" expr ]
func (p *parser) cond() ast.Expr {
	x := p.concat()
	g := p.gap()
	if p.at(g) != '?' {
		return x
	}
	p.pos = g + 1
	c := p.conds.New()
	c.If, c.Then = x, p.expr()
	if !p.has(p.pos, ":") {
		p.missing(":", `before the other branch of "?"`, hintColon(c.Then))
	}
	p.pos++
	c.Else = p.expr()
	c.Pos = span(startOf(x), endOf(c.Else))
	return c
}

// concat = binary ( BLANKS binary )*
func (p *parser) concat() ast.Expr {
	first := p.binary(0)
	g := p.gap()
	if g == p.pos || !p.startsOperand(g) {
		return first
	}
	xs := len(p.scratch.exprs)
	p.scratch.exprs = append(p.scratch.exprs, first)
	last := first
	for ; g > p.pos && p.startsOperand(g); g = p.gap() {
		p.pos = g
		last = p.binary(0)
		p.scratch.exprs = append(p.scratch.exprs, last)
	}
	c := p.concats.New()
	c.Pos = span(startOf(first), endOf(last))
	c.Xs = p.takeExprs(xs)
	return c
}

// binary parses the operators of a level and the tighter ones.
//
//	binary(n) = binary(n+1) ( BLANKS operator(n) BLANKS binary(n+1) )*
//
// What the recursion has found for the tighter levels is the first operand of
// each looser one, so it begins with a primary and goes up.
func (p *parser) binary(level int) ast.Expr {
	x := p.primary()
	for n := len(levels) - 1; n >= level; n-- {
		x = p.chain(n, x)
	}
	return x
}

// chain parses the operators of a level behind their first operand.
func (p *parser) chain(level int, first ast.Expr) ast.Expr {
	op, ok := p.operatorOf(level)
	if !ok {
		return first
	}
	operands := len(p.scratch.operands)
	last := first
	for ; ok; op, ok = p.operatorOf(level) {
		at := span(p.opStart, p.opEnd)
		p.pos = p.opEnd
		p.skip()
		last = p.binary(level + 1)
		p.scratch.operands = append(p.scratch.operands, ast.Operand{Op: op, OpPos: at, X: last})
	}
	c := p.chains.New()
	c.First, c.Rest = first, p.nodes.operands.Copy(p.scratch.operands[operands:])
	p.scratch.operands = p.scratch.operands[:operands]
	c.Pos = span(startOf(first), endOf(last))
	return c
}

// operatorOf returns the operator at the current place if it is one of a level
// with blanks on both sides. Each level asks, so what stands there is remembered.
func (p *parser) operatorOf(level int) (op ast.Op, ok bool) {
	if p.opAt != p.pos {
		p.opAt, p.opLevel = p.pos, -1
		if g := p.gap(); g > p.pos {
			p.findOperator(g)
		}
	}
	return p.op, p.opLevel == level
}

// operators lists those of levels by their first byte.
var operators = func() (by [256][]operator) {
	for level, ops := range levels {
		for _, op := range ops {
			word := op.String()
			by[word[0]] = append(by[word[0]], operator{op, level, word})
		}
	}
	return by
}()

type operator struct {
	op    ast.Op
	level int
	word  string
}

// findOperator looks for a binary operator at g.
func (p *parser) findOperator(g int) {
	for _, o := range operators[p.at(g)] {
		if end := g + len(o.word); isBlank(p.at(end)) && p.has(g, o.word) {
			p.op, p.opLevel, p.opStart, p.opEnd = o.op, o.level, g, end
			return
		}
	}
}

// startsOperand says whether what stands at i can only be the operand of a
// concatenation. Operators have been tried before.
func (p *parser) startsOperand(i int) bool {
	switch c := p.at(i); c {
	case '"', '$', '~', '(', '[', '{':
		return true
	case '-':
		return isDigit(p.at(i + 1))
	case '.':
		return isNameByte(p.at(i + 1))
	case '!':
		return p.at(i+1) != '='
	case '*':
		next := p.at(i + 1)
		return next != 0 && !isBlank(next)
	default:
		return isNameByte(c)
	}
}

// startsExpr says whether an expression begins at i. It tells the keywords
// lambda and prefer from references with these names.
func (p *parser) startsExpr(i int) bool {
	return p.startsOperand(i) || p.at(i) == '|' && (p.at(i+1) != '|' || p.startsParams(i))
}
