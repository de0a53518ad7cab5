// SPDX-License-Identifier: Apache-2.0

package vm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// An Error is a failed evaluation with its place in the expression. Either Msg
// says what failed, or Lambda is the call that failed by Inner.
type Error struct {
	Msg      string
	Cause    error // its text is the message, made when asked for, if Msg is empty
	Prog     *program.Program
	Pos      program.Pos
	Lambda   *Scope
	Inner    *Error
	Instance uint32 // a template instance whose nodes failed; the host can list them
	Fatal    bool   // a limit: no handler catches it
	Op       program.Op
	Trace    *Trace // of an error that no handler caught, or nil
}

// A Trace is what a report wants to know about the instruction that failed.
// Errors that a handler catches are common and cheap, so they have none.
type Trace struct {
	Instr    program.Instr
	Operands []value.Value
	Scope    *Scope // the names of the call it belongs to
}

// place notes the current instruction of f as what failed.
func (e *Error) place(f *Fiber) {
	e.Prog, e.Pos = f.At()
	c := &f.calls[len(f.calls)-1]
	e.Op = c.fn.Code[c.pc].Op
}

// trace completes an error that is about to leave f, if the current
// instruction is what failed. Its operands are still on the stack: no
// instruction takes them before it is certain to succeed.
func (e *Error) trace(f *Fiber) {
	p, at := f.At()
	if e.Trace != nil || e.Prog != p || e.Pos != at {
		return
	}
	c := &f.calls[len(f.calls)-1]
	in := c.fn.Code[c.pc]
	n := min(in.Pops(), f.sp)
	e.Trace = &Trace{in, slices.Clone(f.stack[f.sp-n : f.sp]), f.Scope()}
}

// Text returns the message of e alone.
func (e *Error) Text() string {
	if e.Msg == "" && e.Cause != nil {
		return e.Cause.Error()
	}
	return e.Msg
}

// Error returns the message, with those of inner calls after it.
func (e *Error) Error() string {
	if e.Inner == nil {
		return e.Text()
	}
	return e.Text() + ": " + e.Inner.Error()
}

// Root returns the innermost error.
func (e *Error) Root() *Error {
	for e.Inner != nil {
		e = e.Inner
	}
	return e
}

// maxBindings is the length beyond which the bindings of a call are shortened
// in a message, and keep is what stays on either side (semantics 6).
const (
	maxBindings = 40
	keep        = 17
)

// CallText returns the classic line for a failed call: the lambda and what its
// parameters were bound to.
func (e *Error) CallText(s *value.Store) string {
	var b strings.Builder
	b.WriteByte('{')
	sc := e.Lambda
	for i, n := range sc.Names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.Name(n))
		b.WriteString(": ")
		b.WriteString(brief(s, sc.Vals[i], 0))
	}
	b.WriteByte('}')
	t := s.Redact(b.String()) // before it is shortened
	if len(t) > maxBindings {
		t = strings.ToValidUTF8(t[:keep], "") + " ... " + strings.ToValidUTF8(t[len(t)-keep:], "")
	}
	return fmt.Sprintf("evaluation of lambda expression failed: %s: %s", sc.Fn.Text(), t)
}

// brief shows a value on one line, without going deep.
func brief(s *value.Store, v value.Value, depth int) string {
	switch v.Kind {
	case value.List:
		elems := s.Elems(s.Node(v.Ref))
		if depth > 2 || len(elems) > 8 {
			return fmt.Sprintf("[%d entries]", len(elems))
		}
		parts := make([]string, 0, len(elems))
		for _, e := range elems {
			if e <= value.MaxID {
				parts = append(parts, brief(s, s.Load(e), depth+1))
			}
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case value.Map:
		return fmt.Sprintf("{%d keys}", s.Node(v.Ref).Len)
	case value.Lambda:
		return s.Object(v.Ref).(value.Texter).Text()
	case value.Null:
		return "nil"
	case value.String:
		return strconv.Quote(v.Str)
	case value.Deferred:
		return "..."
	}
	if t, ok := v.Text(); ok {
		return t
	}
	return v.Kind.String()
}
