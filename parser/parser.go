// SPDX-License-Identifier: Apache-2.0

// Package parser turns the text of a dynaml expression into its syntax tree.
//
// It is a recursive descent over the text itself, without backtracking: a look
// at the bytes after the current place decides which production applies. Blanks
// are part of the grammar. A binary operator has them on both sides, a call or
// a path has none before it, and "a -1" is two operands where "a-1" is a name.
//
// The package does not know YAML, the (( )) around an expression, files or
// values, nor which functions exist. Positions are offsets in the text that it
// is given; to show them in a file is up to the caller.
package parser

import (
	"fmt"
	"math"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/dialect"
	"github.com/dynaml/spiff/internal/slab"
)

// DefaultDepth limits how deep expressions nest, unless a Parser has a smaller
// limit: brackets, prefix operators, branches, lambda bodies, calls of the
// results of calls. A path has no more steps than a document has levels. All later passes
// walk the tree by recursion, so this is what bounds their stack. Expressions of
// real manifests reach a depth of 9. 10 000 leaves room for generated ones; to
// parse it takes at most 40 MB of stack.
const DefaultDepth = 10_000

// An Error says why a text is no expression. Pos is the place in the text that
// the message is about. Msg is one line: that of the classic parser, followed
// by the reason.
type Error struct {
	Pos    ast.Pos
	Msg    string
	Reason string // Msg without the classic part
}

func (e *Error) Error() string { return e.Msg }

// Parse parses the text between the brackets (( and )). The error is an *Error.
func Parse(text string) (ast.Expr, error) { return ParseAs(dialect.Dialect{}, text) }

// ParseAs is Parse in a dialect.
func ParseAs(d dialect.Dialect, text string) (ast.Expr, error) {
	return new(Parser).Parse(d, text)
}

// A Parser parses one text after the other in the same memory. The zero Parser
// is ready for use, but not by several goroutines.
type Parser struct {
	MaxDepth int // if not 0, at most DefaultDepth
	p        parser
}

// Parse is ParseAs, but the tree is valid only until the next call.
func (r *Parser) Parse(d dialect.Dialect, text string) (ast.Expr, error) {
	p := &r.p
	p.reset(text, 0, len(text))
	p.dialect = d
	if r.MaxDepth > 0 {
		p.maxDepth = min(r.MaxDepth, DefaultDepth)
	}
	return p.run((*parser).whole)
}

// ParseLambda parses the text of a lambda, |x|->x or lambda|x|->x, with or
// without (( )) around it. The error is an *Error.
func ParseLambda(text string) (*ast.Lambda, error) { return ParseLambdaAs(dialect.Dialect{}, text) }

// ParseLambdaAs is ParseLambda in a dialect.
func ParseLambdaAs(d dialect.Dialect, text string) (*ast.Lambda, error) {
	start, end := withoutBrackets(text)
	p := new(parser)
	p.reset(text, start, end)
	p.dialect = d
	x, err := p.run((*parser).wholeExpr)
	if err != nil {
		return nil, err
	}
	l, ok := x.(*ast.Lambda)
	if !ok {
		return nil, &Error{Pos: x.Span(), Msg: fmt.Sprintf("'%s' is no lambda expression", clip(text))}
	}
	return l, nil
}

// withoutBrackets returns the part of text inside (( )), all of it if those are
// missing.
func withoutBrackets(text string) (start, end int) {
	for start, end = 0, len(text); start < end && isBlank(text[start]); start++ {
	}
	for ; start < end && isBlank(text[end-1]); end-- {
	}
	if end-start >= 4 && text[start:start+2] == "((" && text[end-2:end] == "))" {
		return start + 2, end - 2
	}
	return 0, len(text)
}

// A bailout carries an error from where it is found to run. The productions
// stay free of error handling; nothing else in this package panics.
type bailout struct{ err *Error }

func (p *parser) run(production func(*parser) ast.Expr) (x ast.Expr, err error) {
	if len(p.text) > math.MaxInt32 {
		return nil, &Error{Msg: "an expression cannot be longer than 2 GB"}
	}
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(bailout)
			if !ok {
				panic(r)
			}
			x, err = nil, b.err
		}
	}()
	return production(p), nil
}

// nodes is the memory that the nodes of trees are taken from.
type nodes struct {
	lits     slab.Of[ast.Lit]
	refs     slab.Of[ast.Ref]
	chains   slab.Of[ast.Chain]
	concats  slab.Of[ast.Concat]
	conds    slab.Of[ast.Cond]
	ors      slab.Of[ast.Or]
	groups   slab.Of[ast.Group]
	calls    slab.Of[ast.Call]
	merges   slab.Of[ast.Merge]
	steps    slab.Of[ast.Step]
	exprs    slab.Of[ast.Expr]
	operands slab.Of[ast.Operand]
	bools    slab.Of[bool]
}

// reset takes the memory back.
func (n *nodes) reset() {
	n.lits.Reset()
	n.refs.Reset()
	n.chains.Reset()
	n.concats.Reset()
	n.conds.Reset()
	n.ors.Reset()
	n.groups.Reset()
	n.calls.Reset()
	n.merges.Reset()
	n.steps.Reset()
	n.exprs.Reset()
	n.operands.Reset()
	n.bools.Reset()
}

// scratch holds the parts of unfinished nodes, innermost last. A production
// takes those that it added when it knows their number.
type scratch struct {
	steps    []ast.Step
	exprs    []ast.Expr
	operands []ast.Operand
	bools    []bool
}

type parser struct {
	scanner
	nodes
	scratch
	dialect dialect.Dialect

	// depth counts the nested expressions around the current place. deepest is
	// the depth of the deepest one inside the primary being parsed: a call or a
	// path puts all that stands before it one level deeper.
	depth, deepest, maxDepth int

	// exprAt is where the innermost expression began. Only there are a lambda
	// without keyword and the bindings of a scope allowed.
	exprAt int
}

// maxKept is the number of parts beyond which scratch is not kept.
const maxKept = 1 << 12

// reset prepares p for the text from start to end.
func (p *parser) reset(text string, start, end int) {
	p.nodes.reset()
	p.scanner = scanner{text: text[:end], pos: start, gapAt: -1, opAt: -1}
	s := &p.scratch
	if cap(s.exprs) > maxKept || cap(s.operands) > maxKept {
		*s = scratch{}
	}
	s.steps, s.exprs, s.operands, s.bools = s.steps[:0], s.exprs[:0], s.operands[:0], s.bools[:0]
	p.depth, p.deepest, p.maxDepth, p.exprAt = 0, 0, DefaultDepth, -1
}

// enter counts one more level around what follows; leave ends it.
func (p *parser) enter() {
	p.depth++
	p.deepest = max(p.deepest, p.depth)
	p.checkDepth()
}

func (p *parser) leave() { p.depth-- }

// deepen counts one more level around what the current primary has so far.
func (p *parser) deepen() {
	p.deepest++
	p.checkDepth()
}

func (p *parser) checkDepth() {
	if p.deepest > p.maxDepth {
		p.failAt(p.pos, p.pos, "expression nests deeper than %d levels", p.maxDepth)
	}
}

// from returns the position of a node from start to the current place.
func (p *parser) from(start int) ast.Pos { return span(start, p.pos) }

func startOf(x ast.Expr) int { return int(x.Span().Start) }

func endOf(x ast.Expr) int { return int(x.Span().End) }

// whole parses the text of a value.
//
//	whole = blanks "prefer" BLANKS expr | blanks marked | expr
func (p *parser) whole() ast.Expr {
	p.skip()
	switch {
	case p.at(p.pos) == '&':
		return p.marked()
	case p.isPrefer():
		start := p.pos
		p.take(start + len("prefer"))
		x := p.wholeExpr()
		return &ast.Prefer{Pos: span(start, endOf(x)), X: x}
	}
	return p.wholeExpr()
}

func (p *parser) wholeExpr() ast.Expr {
	x := p.expr()
	if p.pos < len(p.text) {
		start, end := p.next()
		p.failAt(start, end, "unexpected %s after the expression%s", p.describe(start, end), p.hint(start))
	}
	return x
}

func (p *parser) isPrefer() bool {
	end := p.keyEnd(p.pos)
	if p.text[p.pos:end] != "prefer" {
		return false
	}
	next := p.afterBlanks(end)
	return next > end && p.startsExpr(next)
}

// marked parses the forms that begin with a marker. Nothing follows the operand.
//
//	marked = marker ( BLANKS marker )* blanks [ "(" expr ")" blanks ]
func (p *parser) marked() ast.Expr {
	m := &ast.Marker{}
	start := p.pos
	p.marker(m)
	for g := p.gap(); g > p.pos && p.at(g) == '&'; g = p.gap() {
		p.pos = g
		p.marker(m)
	}
	m.Pos = p.from(start)
	p.skip()
	if p.at(p.pos) == '(' {
		open := p.open()
		m.X = p.expr()
		p.close(open, ")")
		m.Pos = p.from(start)
		p.skip()
	}
	if p.pos < len(p.text) {
		start, end := p.next()
		p.failAt(start, end, "unexpected %s: only one operand in brackets may follow a marker", p.describe(start, end))
	}
	return m
}

// marker = "&temporary" | "&template"
func (p *parser) marker(m *ast.Marker) {
	end := p.wordEnd(p.pos + 1)
	switch word := p.text[p.pos:end]; word {
	case "&temporary":
		m.Temporary = true
	case "&template":
		m.Template = true
	default:
		p.failAt(p.pos, end, "unknown marker %q: only &temporary and &template exist", clip(word))
	}
	p.take(end)
}

// open moves past an opening bracket and returns its offset for close.
func (p *parser) open() int {
	start := p.pos
	p.take(p.pos + 1)
	return start
}

// close moves past a closing bracket. The two and all between them make a token.
func (p *parser) close(open int, bracket string) {
	if !p.has(p.pos, bracket) {
		p.missing(bracket, fmt.Sprintf("to close %q", p.text[open:open+1]), p.hint(p.pos))
	}
	p.pos++
	p.mark(open, p.pos)
}

// expect moves past a fixed word, or fails. Such a word is no token for the
// classic part of messages.
func (p *parser) expect(word, purpose string) {
	if !p.has(p.pos, word) {
		p.missing(word, purpose, "")
	}
	p.pos += len(word)
}
