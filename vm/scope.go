// SPDX-License-Identifier: Apache-2.0

package vm

import (
	"slices"
	"strings"

	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// A Scope is one level of names that are not keys of the document: the
// parameters of a call, or the bindings of a scope literal. It is not changed
// after the call began, but see Settle; so closures and template instances share
// it.
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

// has reports whether sc or one that it was captured in binds a name.
func (sc *Scope) has(name value.Sym) bool {
	for ; sc != nil; sc = sc.Outer {
		if slices.Contains(sc.Names, name) {
			return true
		}
	}
	return false
}

// self returns the lambda that _ denotes in sc and those it was captured in.
func (sc *Scope) self() *Lambda {
	for ; sc != nil; sc = sc.Outer {
		if sc.Fn != nil && !sc.Fn.Func.Inline {
			return sc.Fn
		}
	}
	return nil
}

// out returns the scope n calls further out in the text.
func (sc *Scope) out(n int32) *Scope {
	for ; n > 0; n-- {
		sc = sc.Outer
	}
	return sc
}

// Scope returns the names visible at the current instruction of f, as an object
// that a closure or a template instance can keep. Most calls end before anybody
// asks for it, so it is made here and not when a call begins.
func (f *Fiber) Scope() *Scope {
	last := len(f.calls) - 1
	i := last
	for i >= 0 && f.calls[i].scope == nil {
		i--
	}
	var sc *Scope
	if i >= 0 {
		sc = f.calls[i].scope
	}
	for i++; i <= last; i++ {
		c := &f.calls[i]
		if c.lam != nil {
			caller := sc
			sc = f.parameters(i)
			sc.Caller = caller
		}
		c.scope = sc
	}
	return sc
}

// parameters returns the scope of call i alone.
func (f *Fiber) parameters(i int) *Scope {
	c := &f.calls[i]
	return &Scope{Names: c.fn.Params, Vals: slices.Clone(f.params(c)), Outer: c.lam.Outer, Fn: c.lam}
}

func (f *Fiber) params(c *call) []value.Value { return f.stack[c.base : c.base+len(c.fn.Params)] }

// scopeOf returns Scope if a call binds the name that p begins with, and nil if
// none does.
func (f *Fiber) scopeOf(p *program.Path) *Scope {
	if p.Abs {
		return nil
	}
	name := p.Steps[0].Key
	for i := len(f.calls) - 1; i >= 0; i-- {
		c := &f.calls[i]
		if c.scope != nil {
			if _, ok := c.scope.Lookup(name); ok {
				return f.Scope()
			}
			return nil // Lookup has seen the callers, too
		}
		if c.lam != nil && (slices.Contains(c.fn.Params, name) || c.lam.Outer.has(name)) {
			return f.Scope()
		}
	}
	return nil
}

// self returns the lambda that _ denotes: the one being called, but for those
// of map[] and sum[].
func (f *Fiber) self() *Lambda {
	for i := len(f.calls) - 1; i >= 0; i-- {
		l := f.calls[i].lam
		if l == nil {
			continue
		}
		if !l.Func.Inline {
			return l
		}
		if l = l.Outer.self(); l != nil {
			return l
		}
	}
	for sc := f.base; sc != nil; sc = sc.Caller {
		if l := sc.self(); l != nil {
			return l
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
	args  int // how many arguments a call gives, or -1 if it got some by currying
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
	if l.args = len(l.Func.Params); len(l.Bound) > 0 {
		l.args = -1
	}
	p := &l
	m.unsettled(l.Bound)
	for sc := l.Outer; sc != nil; sc = sc.Outer {
		m.unsettled(sc.Vals)
	}
	at := m.host.At()
	at.Kind, at.Flags, at.Len, at.Pay = value.Lambda, 0, 0, m.s.AddObject(p)
	p.ID = m.s.New(at)
	return value.Value{Kind: value.Lambda, Ref: p.ID}
}

// unsettled notes the values that Settle replaces.
func (m *VM) unsettled(vals []value.Value) {
	for i := range vals {
		if vals[i].Kind == value.Deferred {
			m.deferred = append(m.deferred, &vals[i])
		}
	}
}

// Settle replaces what lambdas captured while it was being computed by its value,
// or by undefined if there is none. The host calls it at the end of a document:
// the lambdas may be called in the next one, which knows nothing of the nodes of
// this.
func (m *VM) Settle() {
	for _, p := range m.deferred {
		if p.Kind != value.Deferred {
			continue
		}
		v, err := m.host.Force(nil, *p, false)
		if err != nil {
			v = value.Undef
		}
		*p = v
	}
	m.deferred = nil
}

func (m *VM) lambda(v value.Value) *Lambda { return m.s.Object(v.Ref).(*Lambda) }
