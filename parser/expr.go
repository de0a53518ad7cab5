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
	var or *ast.Or
	for {
		op, ok := p.orOperator()
		if !ok {
			break
		}
		if or == nil {
			or = &ast.Or{Xs: []ast.Expr{first}}
		}
		x := p.cond()
		or.Xs = append(or.Xs, x)
		or.Nil = append(or.Nil, op == "//")
		or.Pos = span(startOf(first), endOf(x))
	}
	if or == nil {
		return first
	}
	return or
}

func (p *parser) orOperator() (op string, ok bool) {
	for _, op := range [...]string{"||", "//"} {
		if p.operator(op) {
			return op, true
		}
	}
	return "", false
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
	c := &ast.Cond{If: x, Then: p.expr()}
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
	var c *ast.Concat
	for g := p.gap(); g > p.pos && p.startsOperand(g); g = p.gap() {
		if c == nil {
			c = &ast.Concat{Xs: []ast.Expr{first}}
		}
		p.pos = g
		x := p.binary(0)
		c.Xs = append(c.Xs, x)
		c.Pos = span(startOf(first), endOf(x))
	}
	if c == nil {
		return first
	}
	return c
}

// binary parses the operators of a level and the tighter ones.
//
//	binary(n) = binary(n+1) ( BLANKS operator(n) BLANKS binary(n+1) )*
func (p *parser) binary(level int) ast.Expr {
	if level == len(levels) {
		return p.primary()
	}
	first := p.binary(level + 1)
	var c *ast.Chain
	for {
		op, at, ok := p.operatorOf(level)
		if !ok {
			break
		}
		if c == nil {
			c = &ast.Chain{First: first}
		}
		x := p.binary(level + 1)
		c.Rest = append(c.Rest, ast.Operand{Op: op, OpPos: at, X: x})
		c.Pos = span(startOf(first), endOf(x))
	}
	if c == nil {
		return first
	}
	return c
}

func (p *parser) operatorOf(level int) (op ast.Op, at ast.Pos, ok bool) {
	g := p.gap()
	if g == p.pos {
		return 0, at, false
	}
	for _, op := range levels[level] {
		if word := op.String(); p.operator(word) {
			return op, span(g, g+len(word)), true
		}
	}
	return 0, at, false
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
