// SPDX-License-Identifier: Apache-2.0

package parser

import "github.com/dynaml/spiff/ast"

// primary parses an operand. Calls and paths follow only those that can yield a
// list, a map or a lambda, not constants and keywords.
//
//	primary = string | number | symbol | "~~" | "~" | prefix | word
//	        | ( list | range | mapLit | group | reference | mapping | sum ) postfix*
func (p *parser) primary() ast.Expr {
	outer := p.deepest
	p.deepest = p.depth
	x := p.head()
	switch x.(type) {
	case *ast.Ref, *ast.List, *ast.Range, *ast.MapLit, *ast.Group, *ast.Map, *ast.Sum:
		x = p.postfix(x)
	}
	p.deepest = max(outer, p.deepest)
	return x
}

func (p *parser) head() ast.Expr {
	switch c := p.at(p.pos); {
	case isDigit(c), c == '-' && isDigit(p.at(p.pos+1)):
		return p.number()
	case isNameByte(c):
		return p.word()
	case c == '.' && isNameByte(p.at(p.pos+1)):
		return p.reference()
	case c == '"':
		return p.string()
	case c == '$':
		return p.symbol()
	case c == '~':
		return p.tilde()
	case c == '!', c == '*':
		return p.prefix()
	case c == '(':
		return p.groupOrScope()
	case c == '[':
		return p.listOrRange()
	case c == '{':
		return p.mapLit()
	}
	p.noOperand()
	return nil
}

// postfix = call | step
func (p *parser) postfix(x ast.Expr) ast.Expr {
	start := startOf(x)
	for {
		switch {
		case p.at(p.pos) == '(':
			p.deepen()
			args := p.args()
			call := p.calls.New()
			call.Pos, call.Fn, call.Args = p.from(start), x, args
			x = call
		case p.startsStep():
			p.deepen()
			steps := p.steps(len(p.scratch.steps))
			x = &ast.Select{Pos: p.from(start), X: ungroup(x), Steps: steps}
		default:
			return x
		}
	}
}

// ungroup removes the brackets of an operand whose canonical form has brackets of
// its own.
func ungroup(x ast.Expr) ast.Expr {
	if g, ok := x.(*ast.Group); ok {
		return g.X
	}
	return x
}

// call = "(" [ expr ( "," expr )* ] ")"
func (p *parser) args() []ast.Expr {
	open := p.open()
	p.skip()
	if p.at(p.pos) == ')' {
		p.close(open, ")")
		return nil
	}
	args := p.exprs(p.expr())
	p.close(open, ")")
	return args
}

// exprs parses what follows the first of several expressions.
func (p *parser) exprs(first ast.Expr) []ast.Expr {
	xs := len(p.scratch.exprs)
	p.scratch.exprs = append(p.scratch.exprs, first)
	for p.at(p.pos) == ',' {
		p.pos++
		x := p.expr()
		p.scratch.exprs = append(p.scratch.exprs, x)
	}
	return p.takeExprs(xs)
}

func (p *parser) string() ast.Expr {
	start, end := p.pos, p.stringEnd()
	if end < 0 {
		p.failAt(start, len(p.text), "the string is not closed")
	}
	raw := p.take(end + 1)
	raw = raw[1 : len(raw)-1]
	lit := p.lit(start, ast.LitString)
	lit.Str, lit.Raw = p.unescape(raw), raw
	return lit
}

// symbol = "$" name
func (p *parser) symbol() ast.Expr {
	start, end := p.pos, p.nameEnd(p.pos+1)
	if end == start+1 {
		p.failAt(start, end, "a name must follow \"$\" directly")
	}
	name := p.take(end)[1:]
	lit := p.lit(start, ast.LitString)
	lit.Str, lit.Raw = name, name
	return lit
}

func (p *parser) tilde() ast.Expr {
	start, kind, width := p.pos, ast.LitNull, 1
	if p.at(start+1) == '~' {
		kind, width = ast.LitUndefined, 2
	}
	p.take(start + width)
	return p.lit(start, kind)
}

// lit returns a constant from start to the current place.
func (p *parser) lit(start int, kind ast.LitKind) *ast.Lit {
	lit := p.lits.New()
	lit.Pos, lit.Kind = p.from(start), kind
	return lit
}

// number parses a number, or an IPv4 address, which is a string.
func (p *parser) number() ast.Expr {
	start := p.pos
	if end := p.addressEnd(start); end > start {
		address := p.take(end)
		lit := p.lit(start, ast.LitString)
		lit.Str, lit.Raw = address, address
		return lit
	}
	end, isFloat := p.numberEnd(start)
	text := p.take(end)
	if isLetter(p.at(end)) {
		p.failAt(start, p.keyEnd(end), "unexpected letter after the number %s: a name cannot begin with a digit here", clip(text))
	}
	lit := p.lit(start, ast.LitInt)
	var err error
	if isFloat {
		lit.Kind = ast.LitFloat
		if lit.Float, err = parseFloat(text); err != nil {
			p.failAt(start, end, "number %s does not fit in a 64-bit float", clip(text))
		}
		return lit
	}
	if lit.Int, err = parseInt(text); err != nil {
		p.failAt(start, end, "integer %s does not fit in 64 bits", clip(text))
	}
	return lit
}

// A prefix operator takes one primary with its postfixes.
//
//	prefix = "!" blanks primary | "*" primary
func (p *parser) prefix() ast.Expr {
	p.enter()
	start, op := p.pos, p.at(p.pos)
	p.pos++
	switch {
	case op == '!':
		p.skip()
	case isBlank(p.at(p.pos)):
		p.failAt(start, p.pos, "expected an expression, found \"*\": its operand must follow it directly")
	}
	x := p.primary()
	p.leave()
	at := span(start, endOf(x))
	if op == '!' {
		return &ast.Not{Pos: at, X: ungroup(x)}
	}
	return &ast.Instantiate{Pos: at, X: ungroup(x)}
}

// groupOrScope tells the two apart by what follows the first expression.
//
//	group = "(" expr ")"
//	scope = "(" entries ")" expr
func (p *parser) groupOrScope() ast.Expr {
	atStart := p.pos == p.exprAt
	open := p.open()
	x := p.expr()
	if p.at(p.pos) != '=' {
		p.close(open, ")")
		group := p.groups.New()
		group.Pos, group.X = p.from(open), x
		return group
	}
	if !atStart {
		p.failAt(p.pos, p.pos+1, `unexpected "=": a scope is allowed only where an expression begins`)
	}
	entries := p.entries(x)
	p.close(open, ")")
	x = p.expr()
	return &ast.Scope{Pos: span(open, endOf(x)), Entries: entries, X: x}
}

// listOrRange tells the two apart by what follows the first expression.
//
//	list  = "[" blanks [ expr ( "," expr )* ] "]"
//	range = "[" expr ".." expr "]"
func (p *parser) listOrRange() ast.Expr {
	open := p.open()
	p.skip()
	if p.at(p.pos) == ']' {
		p.close(open, "]")
		return &ast.List{Pos: p.from(open)}
	}
	first := p.expr()
	if p.has(p.pos, "..") {
		p.pos += len("..")
		to := p.expr()
		p.close(open, "]")
		return &ast.Range{Pos: p.from(open), From: first, To: to}
	}
	elems := p.exprs(first)
	p.close(open, "]")
	return &ast.List{Pos: p.from(open), Elems: elems}
}

// mapLit = "{" blanks [ entries ] "}"
func (p *parser) mapLit() ast.Expr {
	open := p.open()
	p.skip()
	var entries []ast.Entry
	if p.at(p.pos) != '}' {
		entries = p.entries(p.expr())
	}
	p.close(open, "}")
	return &ast.MapLit{Pos: p.from(open), Entries: entries}
}

// entries parses what follows the first key.
//
//	entries = expr "=" expr ( "," expr "=" expr )*
func (p *parser) entries(key ast.Expr) []ast.Entry {
	var entries []ast.Entry
	for {
		p.expect("=", "after a key")
		entries = append(entries, ast.Entry{Key: key, Value: p.expr()})
		if p.at(p.pos) != ',' {
			return entries
		}
		p.pos++
		key = p.expr()
	}
}
