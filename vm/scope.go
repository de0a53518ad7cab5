// SPDX-License-Identifier: Apache-2.0

package vm

import (
	"strings"

	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// A Scope is one level of names that are not keys of the document: the
// parameters of a call, or the bindings of a scope literal. It is not changed
// after the call began, so closures and template instances share it.
type Scope struct {
	Names  []value.Sym
	Vals   []value.Value
	Outer  *Scope // captured where the lambda was written
	Caller *Scope // of the call, for dynamic scoping (semantics 3.4)
	Fn     *Lambda
}

// Lookup returns the innermost binding of a name: parameters, then captured
// ones, then those of the callers.
func (sc *Scope) Lookup(name value.Sym) (value.Value, bool) {
	for c := sc; c != nil; c = c.Caller {
		for o := c; o != nil; o = o.Outer {
			for i := len(o.Names) - 1; i >= 0; i-- {
				if o.Names[i] == name {
					return o.Vals[i], true
				}
			}
		}
	}
	return value.Value{}, false
}

// self returns the lambda that _ denotes.
func (sc *Scope) self() *Lambda {
	for c := sc; c != nil; c = c.Caller {
		for o := c; o != nil; o = o.Outer {
			if o.Fn != nil && !o.Fn.Func.Inline {
				return o.Fn
			}
		}
	}
	return nil
}

// A Lambda is a function value: code with the scope it was written in and the
// arguments it got by currying. It is immutable.
type Lambda struct {
	ID    value.ID
	Prog  *program.Program
	Func  *program.Func
	Outer *Scope
	Bound []value.Value
	s     *value.Store
}

// Text returns the canonical text, without the curried parameters
// (semantics 2.8).
func (l *Lambda) Text() string {
	var b strings.Builder
	b.WriteString("lambda|")
	for i, p := range l.Func.Params[len(l.Bound):] {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(l.s.Name(p))
	}
	b.WriteString("|->")
	b.WriteString(l.Func.Text())
	return b.String()
}

func (m *VM) newLambda(l Lambda) value.Value {
	l.s = m.s
	p := &l
	at := m.host.At()
	at.Kind, at.Flags, at.Len, at.Pay = value.Lambda, 0, 0, m.s.AddObject(p)
	p.ID = m.s.New(at)
	return value.Value{Kind: value.Lambda, Ref: p.ID}
}

func (m *VM) lambda(v value.Value) *Lambda { return m.s.Object(v.Ref).(*Lambda) }
