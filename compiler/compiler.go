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
	"github.com/dynaml/spiff/internal/slab"
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
	s     *value.Store
	p     *program.Program
	root  ast.Expr
	quiet quietness
	inner bool // the value is used inside another expression

	functions *builtin.Functions

	memory
	scratch
}

// quietness says whether quiet regions matter in an expression. It is found out
// when the first one is met.
type quietness uint8

const (
	unknown quietness = iota
	matters           // a merge may take part
	futile
)

// memory is what the parts of programs are taken from. Those of the same type
// stand together, also of different programs.
type memory struct {
	programs slab.Of[program.Program]
	funcs    slab.Of[program.Func]
	paths    slab.Of[program.Path]
	steps    slab.Of[program.Step]
	code     slab.Of[program.Instr]
	spans    slab.Of[program.Pos]
	consts   slab.Of[value.Value]
	deps     slab.Of[program.Dep]
	syms     slab.Of[value.Sym]
	strings  slab.Of[string]
	lists    slab.Of[[]string]
	merges   slab.Of[program.MergeForm]
	pathRefs slab.Of[*program.Path]
	funcRefs slab.Of[*program.Func]
}

// scratch holds the parts of the unfinished program, of which only the number
// is missing to store them. Of the code, that of the innermost function is last.
type scratch struct {
	nest   []fn
	code   []program.Instr
	spans  []program.Pos
	consts []value.Value
	paths  []*program.Path
	steps  []program.Step
	names  [][]string
	texts  []string
	merges []program.MergeForm
	funcs  []*program.Func
	syms   []value.Sym
	deps   []program.Dep
}

// few is how many constants and paths of a program are searched for an equal
// one. Nearly all expressions have no more; finding the equals of a million
// operands would take a table that costs more than it saves.
const few = 8

// fn is a function being compiled.
type fn struct {
	*program.Func
	start int // of its code in scratch
	binds int // open scope literals: names inside are looked up by name
}

// Compile translates e, the tree of text. Symbols are interned in s. It fails
// with an *Error for what the language reserves but does not have.
func Compile(s *value.Store, text string, e ast.Expr) (*program.Program, error) {
	return new(Compiler).Compile(s, text, e)
}

// A Compiler compiles expressions of one merge, whose programs share memory. The
// zero Compiler is ready for use, but not by several goroutines.
type Compiler struct {
	// Functions are what calls may name.
	Functions *builtin.Functions

	c compiler
}

// Compile is as the function of that name.
func (r *Compiler) Compile(s *value.Store, text string, e ast.Expr) (*program.Program, error) {
	r.c.functions = r.Functions
	return r.c.compile(s, text, e, false)
}

// CompileInner is Compile for a text that eval evaluates: other expressions
// use its value, so that must be complete.
func (r *Compiler) CompileInner(s *value.Store, text string, e ast.Expr) (*program.Program, error) {
	r.c.functions = r.Functions
	return r.c.compile(s, text, e, true)
}

func (c *compiler) compile(s *value.Store, text string, e ast.Expr, inner bool) (p *program.Program, err error) {
	c.s, c.root, c.quiet, c.inner = s, e, unknown, inner
	c.p = c.memory.programs.New()
	c.p.Text = text
	defer func() {
		if r := recover(); r != nil {
			bail, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			p, err = nil, bail
		}
		c.reset()
	}()
	c.attributes(e)
	c.finish()
	if err := c.p.Verify(); err != nil {
		return nil, err
	}
	c.scratch.deps = c.p.FindDeps(c.scratch.deps)
	c.p.Deps = c.memory.deps.Copy(c.scratch.deps)
	c.p.FindVanish()
	c.p.Fuse()
	return c.p, nil
}

// finish moves what belongs to the whole program out of scratch.
func (c *compiler) finish() {
	c.p.Consts = c.memory.consts.Copy(c.scratch.consts)
	c.p.Paths = c.pathRefs.Copy(c.scratch.paths)
	c.p.Merges = c.memory.merges.Copy(c.scratch.merges)
	c.p.Names = c.lists.Copy(c.scratch.names)
	c.p.Funcs = c.funcRefs.Copy(c.scratch.funcs)
}

// maxKept is the number of instructions beyond which scratch is not kept.
const maxKept = 1 << 12

// reset empties the scratch and drops what belongs to the caller.
func (c *compiler) reset() {
	c.s, c.p, c.root = nil, nil, nil
	t := &c.scratch
	if cap(t.code) > maxKept {
		*t = scratch{}
		return
	}
	*t = scratch{t.nest[:0], t.code[:0], t.spans[:0], t.consts[:0], t.paths[:0], t.steps[:0],
		t.names[:0], t.texts[:0], t.merges[:0], t.funcs[:0], t.syms[:0], t.deps[:0]}
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
	c.function(nil, nil, e, false)
}

// function compiles a body as a new Func and returns its index. text is nil for
// an expression.
func (c *compiler) function(params []string, text func() string, body ast.Expr, inline bool) int32 {
	f := c.memory.funcs.New()
	f.Text, f.Inline = text, inline
	for _, p := range params {
		c.scratch.syms = append(c.scratch.syms, c.s.Intern(p))
	}
	f.Params = c.memory.syms.Copy(c.scratch.syms)
	c.scratch.syms = c.scratch.syms[:0]
	n := int32(len(c.scratch.funcs))
	c.scratch.funcs = append(c.scratch.funcs, f)

	start := len(c.scratch.code)
	c.nest = append(c.nest, fn{Func: f, start: start})
	if n == 0 && !c.inner {
		c.result(body)
	} else {
		c.expr(body)
	}
	c.emit(body, program.Return, 0, 0)
	c.nest = c.nest[:len(c.nest)-1]
	f.Code = c.memory.code.Copy(c.scratch.code[start:])
	f.Spans = c.memory.spans.Copy(c.scratch.spans[start:])
	c.scratch.code, c.scratch.spans = c.scratch.code[:start], c.scratch.spans[:start]
	return n
}

// f returns the innermost function.
func (c *compiler) f() *fn { return &c.nest[len(c.nest)-1] }

// emit adds an instruction and returns its index.
func (c *compiler) emit(at ast.Expr, op program.Op, arg, n int) int {
	span := at.Span()
	c.scratch.code = append(c.scratch.code, program.Instr{Op: op, Arg: int32(arg), N: int32(n)})
	c.scratch.spans = append(c.scratch.spans, program.Pos{Start: span.Start, End: span.End})
	return len(c.scratch.code) - 1 - c.f().start
}

// here makes the jump at pc lead to the next instruction.
func (c *compiler) here(pc int) {
	code := c.scratch.code[c.f().start:]
	code[pc].Arg = int32(len(code))
}

func (c *compiler) constant(v value.Value) int {
	consts := c.scratch.consts
	for i, k := range consts[:min(few, len(consts))] {
		if k == v {
			return i
		}
	}
	c.scratch.consts = append(consts, v)
	return len(consts)
}

func (c *compiler) push(at ast.Expr, v value.Value) {
	c.emit(at, program.Const, c.constant(v), 0)
}

func (c *compiler) raise(at ast.Expr, format string, args ...any) {
	c.emit(at, program.Raise, c.constant(value.OfString(fmt.Sprintf(format, args...))), 0)
}

// operandNames stores operand texts for messages.
func (c *compiler) operandNames(xs ...ast.Expr) int {
	c.texts = c.texts[:0]
	for _, x := range xs {
		c.texts = append(c.texts, c.text(x))
	}
	c.scratch.names = append(c.scratch.names, c.strings.Copy(c.texts))
	return len(c.scratch.names) - 1
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
	if c.quiet == unknown {
		c.quiet = futile
		if mayMerge(c.root) {
			c.quiet = matters
		}
	}
	if c.quiet == futile {
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
