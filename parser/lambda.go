// SPDX-License-Identifier: Apache-2.0

package parser

import (
	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/dialect"
)

// lambda parses from the first bar on; start is where the keyword stood, if
// any. The body extends as far as it can.
//
//	lambda = [ "lambda" ] params blanks "->" expr
func (p *parser) lambda(start int) ast.Expr {
	l := &ast.Lambda{Params: p.params()}
	p.skip()
	p.expect("->", "after the parameters")
	body := p.pos
	l.Body = p.expr()
	l.Pos = span(start, endOf(l.Body))
	l.Text = printed(p.dialect, p.text[body:endOf(l.Body)])
	return l
}

// printed returns what prints the canonical text of a body. It is seldom asked
// for, and long after the tree of the body is gone, so it parses again.
func printed(d dialect.Dialect, body string) func() string {
	return func() string {
		p := new(parser)
		p.reset(body, 0, len(body))
		p.dialect = d
		x, err := p.run((*parser).wholeExpr)
		if err != nil {
			return body // cannot be: it was parsed before
		}
		return ast.Print(x)
	}
}

// params = "|" blanks [ name blanks ( "," blanks name blanks )* ] "|"
func (p *parser) params() []string {
	p.pos++
	p.skip()
	var names []string
	for p.at(p.pos) != '|' || names != nil {
		end := p.nameEnd(p.pos)
		if end == p.pos {
			start, end := p.next()
			p.failAt(start, end, "expected the name of a parameter, found %s", p.describe(start, end))
		}
		names = append(names, p.take(end))
		p.skip()
		if p.at(p.pos) != ',' {
			break
		}
		p.pos++
		p.skip()
	}
	p.expect("|", "after the parameters")
	return names
}

// startsParams says whether the bar at i opens parameters. The other thing that
// it can be is the bar before the function of a mapping, as in map[l|f]. The
// first name tells them apart, and after a single one the arrow.
func (p *parser) startsParams(i int) bool {
	i = p.afterBlanks(i + 1)
	i = p.afterBlanks(p.nameEnd(i))
	switch p.at(i) {
	case ',':
		return true
	case '|':
		return p.has(p.afterBlanks(i+1), "->")
	}
	return false
}

// lambdaRef parses what follows the word lambda. A literal needs no reference.
//
//	lambdaRef = "lambda" BLANKS expr
func (p *parser) lambdaRef(start int) ast.Expr {
	x := p.expr()
	if l, ok := x.(*ast.Lambda); ok {
		l.Start = int32(start)
		return l
	}
	return &ast.LambdaRef{Pos: span(start, endOf(x)), X: x}
}

// mapping = "map[" blanks or function "]"
func (p *parser) mapping(start int) ast.Expr {
	open := p.open()
	m := &ast.Map{List: p.mapped()}
	m.Fn, m.Inline = p.function()
	p.close(open, "]")
	m.Pos = p.from(start)
	return m
}

// sum = "sum[" blanks or "|" blanks or function "]"
func (p *parser) sum(start int) ast.Expr {
	open := p.open()
	s := &ast.Sum{List: p.mapped()}
	p.bar("before the initial value")
	s.Init = p.mapped()
	s.Fn, s.Inline = p.function()
	p.close(open, "]")
	s.Pos = p.from(start)
	return s
}

// mapped parses an operand of a mapping. It is no full expression: a lambda would
// take the bar that follows.
func (p *parser) mapped() ast.Expr {
	p.enter()
	p.skip()
	x := p.or()
	p.leave()
	return x
}

// function = blanks lambda | "|" expr
func (p *parser) function() (fn ast.Expr, inline bool) {
	if g := p.gap(); p.at(g) == '|' && p.startsParams(g) {
		p.pos = g
		return p.lambda(g), true
	}
	p.bar("before the function")
	return p.expr(), false
}

// bar moves past the bar between the parts of a mapping, which must follow
// directly.
func (p *parser) bar(purpose string) {
	if g := p.gap(); g > p.pos && p.at(g) == '|' {
		p.failAt(p.pos, g, "no blank is allowed in front of the \"|\" %s", purpose)
	}
	p.expect("|", purpose)
}
