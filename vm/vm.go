// SPDX-License-Identifier: Apache-2.0

// Package vm runs compiled expressions. It owns the operand stack, calls,
// closures, iterations and error handlers. Everything that concerns documents
// (what a path leads to, stubs, templates, files) it asks its Host; it does
// not know the syntax tree, the merge or the order of evaluation.
//
// An evaluation that needs a node which is not finished stops with Waiting and
// is continued by calling Run again with the same Fiber: the instruction that
// stopped is executed again, and no instruction takes its operands before it
// is sure to complete. Nothing here recurses with the length of a chain of
// references or of calls.
package vm

import (
	"errors"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// ErrWait is returned by Host methods when the node asked for is not finished.
// The host remembers what the evaluation waits for.
var ErrWait = errors.New("waiting")

// Limits bound what one merge may do. Zero fields mean the defaults.
type Limits struct {
	// CallDepth is the number of nested lambda calls of one expression.
	// 10 000 calls take a few megabytes; no manifest nests a hundredth of it.
	CallDepth int
	// Instructions is the number of instructions of a whole merge. A set of
	// 100 MB runs some ten million; 2^31 is half a minute of work. It is
	// looked at when a program, a call or a round of an iteration begins:
	// nothing else runs without end.
	Instructions int64
	// Memory is the bytes that computed values may take, in the whole merge:
	// see value.Store.Grown. Expressions of a few kilobytes can ask for more
	// than any machine has; a merge of 100 MB computes less than that.
	Memory int64
}

// The default limits.
const (
	DefaultCallDepth    = 10_000
	DefaultInstructions = 1 << 31
	DefaultMemory       = 1 << 30
)

// A Host answers what the VM asks about documents. Methods that may meet an
// unfinished node return ErrWait.
type Host interface {
	builtin.Context

	// Ref resolves a path from the node that f evaluates. With shape, the
	// children of a list or map may be unfinished (kind Deferred). scope is
	// nil if no call binds the name that p begins with.
	Ref(f *Fiber, scope *Scope, p *program.Path, shape bool) (value.Value, error)
	// Select follows the steps of p from number taken on, from v.
	Select(f *Fiber, v value.Value, p *program.Path, taken int, shape bool) (value.Value, error)
	// Index selects by a computed index: a string, an integer or a list.
	Index(f *Fiber, v, index value.Value, shape bool) (value.Value, error)
	// Force returns the value of a Deferred operand: complete, or with
	// shape possibly with unfinished children.
	Force(f *Fiber, v value.Value, shape bool) (value.Value, error)
	// Open returns the list or map node of a Deferred operand, whose
	// children may be unfinished.
	Open(v value.Value) value.Value
	// Overlap waits for unfinished entries of maps that replace entries of
	// maps before them, and leaves out those that turned out undefined.
	Overlap(maps []value.Value) error
	// Children returns the keys (nil for a list) and children of a list
	// or map, Deferred or not; maps in bytewise order of the keys.
	Children(v value.Value) (keys []value.Sym, children []value.Value)
	// Merge returns the stub value for a merge expression.
	Merge(f *Fiber, m *program.MergeForm) (value.Value, error)
	Auto(f *Fiber, scope *Scope) (value.Value, error)
	StaticIPs(f *Fiber, scope *Scope, args []value.Value) (value.Value, error)
	// Instantiate begins the instance of a template value at the node of f
	// and returns a number for Instance.
	Instantiate(f *Fiber, scope *Scope, template value.Value) (uint32, error)
	// Read begins the evaluation of the content of a file like Instantiate;
	// if the content needs none, instance is 0 and v the result.
	Read(f *Fiber, scope *Scope, args []value.Value) (v value.Value, instance uint32, err error)
	// Instance returns the finished value of an instance.
	Instance(f *Fiber, instance uint32) (value.Value, error)
	// Compile compiles expression text that was computed.
	Compile(text string) (*program.Program, error)
	// CompileLambda compiles the text of a lambda; the program evaluates to it.
	CompileLambda(text string) (*program.Program, error)
}

// Info is what an evaluation says about its node beside the value.
type Info struct {
	Merged   bool          // a merge took part
	Replaced bool          // merge replace took part
	Redirect *program.Path // of merge PATH, even if the merge failed
	KeyField value.Sym     // of merge on K
}

// Stats counts the work of a VM exactly.
type Stats struct {
	Instructions int64
	Calls        int64
	Suspensions  int64
}

// A VM runs fibers one at a time. It is not safe for concurrent use.
type VM struct {
	Stats  Stats
	Caught func(f *Fiber, fn *program.Func, pc int, e *Error) // if not nil: e, or an undefined operand of ||, made f continue at pc
	Ended  func() error                                       // if not nil: why the VM is to end, asked every now and then
	limits Limits
	host   Host
	s      *value.Store
	rows   []builtin.Row
	count  int64 // instructions that ran are count + pc
	stop   int64 // count from which on, and
	most   int64 // memory beyond which there is something to look at
	free   []*Fiber
	ids    [][]value.ID // buffers for the results of map[]

	deferred []*value.Value // what lambdas captured while it was being computed
}

// New returns a VM that asks host and computes values in host's store. The
// programs it runs were compiled for the functions.
func New(host Host, limits Limits, functions *builtin.Functions) *VM {
	if limits.CallDepth == 0 {
		limits.CallDepth = DefaultCallDepth
	}
	if limits.Instructions == 0 {
		limits.Instructions = DefaultInstructions
	}
	if limits.Memory == 0 {
		limits.Memory = DefaultMemory
	}
	return &VM{limits: limits, host: host, s: host.Store(), rows: functions.Rows()}
}

// A Fiber is one evaluation, running or suspended.
type Fiber struct {
	Cell uint32 // the node being evaluated, a number of the host
	Info Info

	base     *Scope        // of the template instance that Cell belongs to
	stack    []value.Value // operands and the parameters of calls
	sp       int           // number of operands
	used     int           // how much of stack was reserved since Start
	calls    []call
	handlers []handler
	iters    []iter
	quiet    int
	instance uint32 // being waited for by the current instruction
	held     int    // bytes charged while it waits
	err      *Error // caught by the handler in charge
}

// A call is one activation of a Func. Its parameters are the operands from base
// on, its own operands stand above them, and its result replaces the operand
// below. That a call has a Scope is only known to whoever asks for one, see
// Fiber.Scope.
type call struct {
	prog  *program.Program
	fn    *program.Func
	lam   *Lambda // nil if it is the call of an expression
	scope *Scope  // the names visible now, once somebody asked for them
	pc    int
	base  int
	round bool // of the innermost iteration
}

// A handler is where an error continues.
type handler struct {
	calls, sp, iters int
	pc               int
	scope            *Scope
	quiet            int
}

// Start prepares the evaluation of p for a node. base holds the names of the
// template instance that the node belongs to; they are searched by the host,
// after the maps of the instance, and captured by lambdas.
func (m *VM) Start(cell uint32, p *program.Program, base *Scope) *Fiber {
	var f *Fiber
	if n := len(m.free); n > 0 {
		f, m.free = m.free[n-1], m.free[:n-1]
	} else {
		f = &Fiber{}
	}
	f.Cell, f.base = cell, base
	fn := p.Funcs[0]
	if cap(f.calls) == 0 {
		f.calls = make([]call, 1, minCalls)
	}
	f.calls = f.calls[:1]
	c := &f.calls[0]
	c.prog, c.fn, c.lam, c.scope = p, fn, nil, nil
	c.pc, c.base, c.round = 0, 0, false
	f.reserve(fn.MaxStack)
	return f
}

// Release gives a finished fiber back.
func (m *VM) Release(f *Fiber) {
	if len(m.free) == maxFree || len(f.stack) > maxKept {
		return
	}
	clear(f.stack[:f.used]) // what the operands refer to may be large
	f.Info = Info{}
	f.sp, f.used, f.quiet, f.instance, f.err = 0, 0, 0, 0, nil
	f.calls, f.handlers, f.iters = f.calls[:0], f.handlers[:0], f.iters[:0]
	m.free = append(m.free, f)
}

// A fiber is used again unless maxFree others wait for that or its stack has
// grown beyond maxKept operands.
const (
	maxFree = 64
	maxKept = 1 << 12
)

// reserve makes room for n operands.
func (f *Fiber) reserve(n int) {
	if n <= f.used {
		return
	}
	f.used = n
	if n > len(f.stack) {
		grown := make([]value.Value, max(n, 2*len(f.stack), minStack))
		copy(grown, f.stack)
		f.stack = grown
	}
}

// The smallest stacks; nearly all expressions need no more.
const (
	minStack = 16
	minCalls = 4
)

// At returns the program and the place in its text of the current instruction.
func (f *Fiber) At() (*program.Program, program.Pos) {
	c := &f.calls[len(f.calls)-1]
	return c.prog, c.fn.Spans[c.pc]
}

// Program returns the program of the whole expression.
func (f *Fiber) Program() *program.Program { return f.calls[0].prog }

// Silent reports whether the current instruction reads for defined, valid or
// require, which wait without saying for what (semantics 5).
func (f *Fiber) Silent() bool {
	c := &f.calls[len(f.calls)-1]
	switch next := c.fn.Code[min(c.pc+1, len(c.fn.Code)-1)]; next.Op {
	case program.IsDefined, program.IsValid:
		return true
	case program.EndTry:
		return c.fn.Code[next.Arg].Op == program.Require
	}
	return false
}

// Run continues f. It returns the result; or ErrWait, after which f can be run
// again; or an *Error.
func (m *VM) Run(f *Fiber) (value.Value, error) {
	m.resume(f)
	for {
		err := m.run(f)
		if err == nil {
			return f.stack[0], nil
		}
		if err == ErrWait {
			m.Stats.Suspensions++
			m.hold(f)
			return value.Value{}, err
		}
		if err := m.unwind(f, err); err != nil {
			return value.Value{}, err
		}
	}
}

// unwind finds the handler for err and continues there; without one it returns
// the error, wrapped by the calls it leaves.
func (m *VM) unwind(f *Fiber, err error) error {
	e := m.located(f, err)
	base := 0
	var h *handler
	if n := len(f.handlers); n > 0 && !e.Fatal {
		h = &f.handlers[n-1]
		base = h.calls
	} else {
		e.trace(f)
	}
	for n := len(f.calls) - 1; n >= base && n > 0; n-- {
		if f.calls[n].lam != nil {
			outer := &f.calls[n-1]
			e = &Error{Lambda: f.parameters(n), Inner: e, Prog: outer.prog, Pos: outer.fn.Spans[outer.pc], Fatal: e.Fatal}
		}
	}
	if h == nil {
		return e
	}
	f.calls = f.calls[:h.calls]
	f.sp = h.sp
	f.iters = f.iters[:h.iters]
	f.quiet = h.quiet
	f.instance = 0
	c := &f.calls[len(f.calls)-1]
	c.pc, c.scope = h.pc, h.scope
	f.handlers = f.handlers[:len(f.handlers)-1]
	f.err = e
	if m.Caught != nil {
		m.Caught(f, c.fn, c.pc, e)
	}
	return nil
}

// located gives err the place of the current instruction.
func (m *VM) located(f *Fiber, err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		if e.Prog == nil {
			e.place(f)
		}
		return e
	}
	var stop *builtin.Stop
	e = &Error{Cause: err, Fatal: errors.As(err, &stop)}
	e.place(f)
	return e
}
