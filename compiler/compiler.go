// SPDX-License-Identifier: Apache-2.0

// Package compiler translates the tree of one expression to a Program. It
// decides what each name means as far as the text tells: parameters become
// slots, callable names become rows of the builtin table, everything else is
// looked up by path while running, because the scope of a lambda body is that
// of its caller (semantics 3.4). It knows no documents and evaluates nothing
// but constant arithmetic.
//
// The machine has an operand stack, a stack of calls, one of error handlers
// and one of running iterations. "A || B" is
//
//	try L; A; orelse E; L: B; E:
//
// and "map[l|x|->e]" is
//
//	l; closure e; mapinit; N: iternext E; iterput N; E:
package compiler

import (
	"fmt"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// An Error is a construct that parses but cannot be compiled.
type Error struct {
	Pos ast.Pos
	Msg string
}

func (e *Error) Error() string { return e.Msg }

type compiler struct {
	s      *value.Store
	p      *program.Program
	f      *fn
	merges bool // a merge may take part, so quiet regions matter
	inner  bool // the value is used inside another expression
}

// few is how many constants and paths of a program are searched for an equal
// one. Nearly all expressions have no more; finding the equals of a million
// operands would take a table that costs more than it saves.
const few = 8

// fn is the function being compiled.
type fn struct {
	*program.Func
	outer *fn
	binds int // open scope literals: names inside are looked up by name
}

// Compile translates e, the tree of text. Symbols are interned in s. It fails
// with an *Error for what the language reserves but does not have.
func Compile(s *value.Store, text string, e ast.Expr) (p *program.Program, err error) {
	return compile(&compiler{s: s, p: &program.Program{Text: text}}, e)
}

// CompileInner is Compile for a text that eval evaluates: other expressions
// use its value, so that must be complete.
func CompileInner(s *value.Store, text string, e ast.Expr) (p *program.Program, err error) {
	return compile(&compiler{s: s, p: &program.Program{Text: text}, inner: true}, e)
}

func compile(c *compiler, e ast.Expr) (p *program.Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			bail, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			p, err = nil, bail
		}
	}()
	c.merges = mayMerge(e)
	c.attributes(e)
	if err := c.p.Verify(); err != nil {
		return nil, err
	}
	c.p.FindDeps()
	c.p.FindVanish()
	c.p.Fuse()
	return c.p, nil
}

// mayMerge reports whether running e can evaluate a merge.
func mayMerge(e ast.Expr) bool {
	found := false
	ast.Walk(e, func(x ast.Expr) bool {
		switch x := x.(type) {
		case *ast.Merge:
			found = true
		case *ast.Call:
			name, plain := calleeName(x)
			found = found || !plain || name == "eval" || name == "_"
		}
		return !found
	})
	return found
}

func (c *compiler) fail(at ast.Expr, format string, args ...any) {
	panic(&Error{Pos: at.Span(), Msg: fmt.Sprintf(format, args...)})
}

// attributes compiles the whole expression, taking off prefer and the markers.
func (c *compiler) attributes(e ast.Expr) {
	switch x := e.(type) {
	case *ast.Prefer:
		c.p.Prefer = true
		e = x.X
	case *ast.Marker:
		c.p.Temporary, c.p.Template = x.Temporary, x.Template
		c.p.NoOperand = x.X == nil
		e = x.X
		if e == nil {
			e = &ast.Lit{Pos: x.Pos, Kind: ast.LitNull}
		}
	case *ast.Merge:
		c.p.BareMerge = !x.Required && !x.Replace && !x.None && x.Path == nil
	}
	c.function(nil, e, false)
}

// function compiles a body as a new Func and returns its index.
func (c *compiler) function(params []string, body ast.Expr, inline bool) int32 {
	text := func() string { return ast.Print(body) }
	f := &fn{Func: &program.Func{Text: text, Inline: inline}, outer: c.f}
	for _, p := range params {
		f.Params = append(f.Params, c.s.Intern(p))
	}
	n := int32(len(c.p.Funcs))
	c.p.Funcs = append(c.p.Funcs, f.Func)
	c.f = f
	if f.outer == nil && !c.inner {
		c.result(body)
	} else {
		c.expr(body)
	}
	c.emit(body, program.Return, 0, 0)
	c.f = f.outer
	return n
}

func (c *compiler) emit(at ast.Expr, op program.Op, arg, n int) int {
	span := at.Span()
	c.f.Code = append(c.f.Code, program.Instr{Op: op, Arg: int32(arg), N: int32(n)})
	c.f.Spans = append(c.f.Spans, program.Pos{Start: span.Start, End: span.End})
	return len(c.f.Code) - 1
}

// here makes the jump at pc lead to the next instruction.
func (c *compiler) here(pc int) { c.f.Code[pc].Arg = int32(len(c.f.Code)) }

func (c *compiler) constant(v value.Value) int {
	for i, k := range c.p.Consts[:min(few, len(c.p.Consts))] {
		if k == v {
			return i
		}
	}
	c.p.Consts = append(c.p.Consts, v)
	return len(c.p.Consts) - 1
}

func (c *compiler) push(at ast.Expr, v value.Value) {
	c.emit(at, program.Const, c.constant(v), 0)
}

func (c *compiler) raise(at ast.Expr, format string, args ...any) {
	c.emit(at, program.Raise, c.constant(value.OfString(fmt.Sprintf(format, args...))), 0)
}

// names stores operand texts for messages.
func (c *compiler) names(xs ...ast.Expr) int {
	list := make([]string, len(xs))
	for i, x := range xs {
		list[i] = c.text(x)
	}
	c.p.Names = append(c.p.Names, list)
	return len(c.p.Names) - 1
}

// text returns the source text of x.
func (c *compiler) text(x ast.Expr) string {
	p := x.Span()
	if p.Start < 0 || int(p.End) > len(c.p.Text) || p.Start >= p.End {
		return ast.Print(x)
	}
	return c.p.Text[p.Start:p.End]
}

// quietly emits body so that a merge in it does not count as taking part in
// the expression (semantics 2.2).
func (c *compiler) quietly(at ast.Expr, body func()) {
	if !c.merges {
		body()
		return
	}
	c.emit(at, program.Quiet, 1, 0)
	body()
	c.emit(at, program.Quiet, 0, 0)
}

func calleeName(x *ast.Call) (name string, plain bool) {
	r, ok := x.Fn.(*ast.Ref)
	if !ok || r.Abs || len(r.Steps) != 1 || r.Steps[0].Kind != ast.StepName {
		return "", false
	}
	return r.Steps[0].Name, true
}

// BuiltinName names row i of the builtin table, for Disassemble.
func BuiltinName(i int) string { return builtin.Table[i].Name }
