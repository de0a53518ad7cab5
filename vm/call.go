// SPDX-License-Identifier: Apache-2.0

package vm

import (
	"errors"
	"fmt"

	"github.com/dynaml/spiff/value"
)

// enter pushes a call and returns it.
func (m *VM) enter(f *Fiber, c call) *call {
	f.calls = append(f.calls, c)
	return &f.calls[len(f.calls)-1]
}

func (m *VM) tooDeep() error {
	return &Error{Fatal: true, Msg: fmt.Sprintf("calls nest deeper than %d: does a lambda or eval call itself without end?", m.limits.CallDepth)}
}

// call applies a value to arguments. It returns the entered call, or the
// result at once if the arguments are too few or undefined.
func (m *VM) call(f *Fiber, callee value.Value, args []value.Value, name string) (*call, value.Value, error) {
	if callee.Kind == value.Undefined || undefined(args) {
		return nil, value.Undef, nil
	}
	if callee.Kind != value.Lambda {
		return nil, value.Value{}, fmt.Errorf("function call '%s' requires function name or lambda value", name)
	}
	return m.apply(f, m.lambda(callee), args)
}

// apply calls l, or curries it if there are fewer arguments than parameters.
func (m *VM) apply(f *Fiber, l *Lambda, args []value.Value) (*call, value.Value, error) {
	have := len(l.Bound) + len(args)
	if have > len(l.Func.Params) {
		return nil, value.Value{}, fmt.Errorf("found %d argument(s), but expects %d", len(args), len(l.Func.Params)-len(l.Bound))
	}
	vals := make([]value.Value, have)
	copy(vals, l.Bound)
	copy(vals[len(l.Bound):], args)
	if have < len(l.Func.Params) {
		return nil, m.newLambda(Lambda{Prog: l.Prog, Func: l.Func, Outer: l.Outer, Bound: vals}), nil
	}
	if len(f.calls) >= m.limits.CallDepth {
		return nil, value.Value{}, m.tooDeep()
	}
	m.Stats.Calls++
	sc := &Scope{Names: l.Func.Params, Vals: vals, Outer: l.Outer, Caller: f.Scope(), Fn: l}
	return m.enter(f, call{prog: l.Prog, fn: l.Func, scope: sc, own: sc}), value.Value{}, nil
}

// An iter is a running map[] or sum[].
type iter struct {
	keys []value.Sym // nil for a list
	vals []value.Value
	next int
	fn   *Lambda
	sum  bool
	acc  value.Value // of sum[]
	out  []value.ID  // of map[]
}

// iterate begins a map[], or a sum[] if init is given.
func (m *VM) iterate(f *Fiber, over, fn value.Value, init *value.Value) error {
	it := iter{sum: init != nil}
	if fn.Kind != value.Lambda {
		if it.sum {
			return errors.New("sum requires a lambda value")
		}
		return errors.New("mapping requires a lambda value")
	}
	it.fn = m.lambda(fn)
	params := len(it.fn.Func.Params) - len(it.fn.Bound)
	if over.Kind == value.Undefined {
		it.acc = value.Undef
		f.iters = append(f.iters, it)
		return nil
	}
	container := over.Kind == value.List || over.Kind == value.Map || over.Kind == value.Deferred
	switch {
	case it.sum && !container:
		return errors.New("map or list required for sum")
	case !container:
		return fmt.Errorf("map[] does not support %s values", over.Kind)
	case it.sum && params < 2:
		return errors.New("mapping expression take a minimum of 2 arguments")
	case it.sum && params > 3:
		return errors.New("mapping expression take a maximum of 3 arguments")
	case !it.sum && params > 2:
		return errors.New("mapping expression takes a maximum of 2 arguments")
	case !it.sum && params < 1:
		return errors.New("mapping expression takes a minimum of 1 argument")
	}
	it.keys, it.vals = m.host.Children(over)
	if it.sum {
		it.acc = *init
	} else {
		it.acc = value.NullVal
	}
	f.iters = append(f.iters, it)
	return nil
}

// next calls the lambda of the innermost iteration on the next element, or
// returns the result at the end.
func (m *VM) next(f *Fiber) (*call, value.Value, error) {
	it := &f.iters[len(f.iters)-1]
	if it.next == len(it.vals) {
		v := it.acc
		if !it.sum && v.Kind != value.Undefined {
			v = value.Value{Kind: value.List, Ref: m.s.ListNode(m.host.At(), it.out, 0)}
		}
		f.iters = f.iters[:len(f.iters)-1]
		return nil, v, nil
	}
	args := m.argBuf[:0]
	if it.sum {
		args = append(args, it.acc)
	}
	if len(it.fn.Func.Params)-len(it.fn.Bound)-len(args) == 2 {
		if it.keys == nil {
			args = append(args, value.OfInt(int64(it.next)))
		} else {
			args = append(args, value.OfString(m.s.Name(it.keys[it.next])))
		}
	}
	args = append(args, it.vals[it.next])
	m.argBuf = args
	it.next++
	return m.apply(f, it.fn, args)
}

// collect takes the result of the lambda for one element.
func (m *VM) collect(it *iter, v value.Value) {
	switch {
	case it.sum:
		it.acc = v
	case v.Kind != value.Null && v.Kind != value.Undefined:
		it.out = append(it.out, m.s.Put(v, m.host.At()))
	}
}
