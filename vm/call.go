// SPDX-License-Identifier: Apache-2.0

package vm

import (
	"errors"
	"fmt"

	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

func (m *VM) tooDeep() error {
	return &Error{Fatal: true, Msg: fmt.Sprintf("calls nest deeper than %d: does a lambda or eval call itself without end?", m.limits.CallDepth)}
}

// evaluate begins p in the names of c, at an instruction whose operand the
// result of p replaces.
func (m *VM) evaluate(f *Fiber, c *call, p *program.Program) error {
	if len(f.calls) >= m.limits.CallDepth {
		return m.tooDeep()
	}
	fn := p.Funcs[0]
	f.reserve(f.sp + fn.MaxStack)
	m.count += int64(c.pc) + 1
	f.calls = append(f.calls, call{prog: p, fn: fn, base: f.sp})
	if m.count >= m.stop || m.s.Grown() > m.most {
		return m.look(m.count)
	}
	return nil
}

// eval begins the expression that the operand v holds.
func (m *VM) eval(f *Fiber, c *call, v value.Value) error {
	if v.Kind != value.String {
		return errors.New("string argument required for 'eval'")
	}
	p, err := m.host.Compile(v.Str)
	if err != nil {
		return fmt.Errorf("(%s)\t %s", v.Str, err)
	}
	return m.evaluate(f, c, p)
}

// call applies an operand to the N operands above it. If arguments are missing
// or undefined the result is there at once, else a call begins.
func (m *VM) call(f *Fiber, c *call, in *program.Instr) error {
	args := f.sp - int(in.N)
	callee := &f.stack[args-1]
	if callee.Kind == value.Undefined || undefined(f.stack[args:f.sp]) {
		*callee = value.Undef
		f.sp = args
		c.pc++
		return nil
	}
	if callee.Kind != value.Lambda {
		return fmt.Errorf("function call '%s' requires function name or lambda value", c.prog.Names[in.Arg][0])
	}
	l := c.lam
	if l == nil || l.ID != callee.Ref { // a recursion need not look it up
		l = m.lambda(*callee)
	}
	n := len(l.Bound) + int(in.N)
	params := len(l.Func.Params)
	if n == params {
		return m.enter(f, c, l, args)
	}
	if n > params {
		return fmt.Errorf("found %d argument(s), but expects %d", in.N, params-len(l.Bound))
	}
	vals := make([]value.Value, n)
	copy(vals[copy(vals, l.Bound):], f.stack[args:f.sp])
	*callee = m.newLambda(Lambda{Prog: l.Prog, Func: l.Func, Outer: l.Outer, Bound: vals})
	f.sp = args
	c.pc++
	return nil
}

// enter begins a call of l with all its arguments, which are the operands from
// base on. c is the calling one, whose instruction is counted. The fields of the
// new one are set one by one: copying a whole call would wait for its parts to be
// written, which takes as long as all the rest.
func (m *VM) enter(f *Fiber, c *call, l *Lambda, base int) error {
	if len(f.calls) >= m.limits.CallDepth {
		return m.tooDeep()
	}
	m.Stats.Calls++
	f.sp = base + len(l.Func.Params)
	f.reserve(f.sp + l.Func.MaxStack)
	if b := len(l.Bound); b > 0 {
		copy(f.stack[base+b:f.sp], f.stack[base:])
		copy(f.stack[base:], l.Bound)
	}
	m.count += int64(c.pc) + 1
	n := len(f.calls)
	if n == cap(f.calls) {
		f.calls = append(f.calls, call{})
	}
	f.calls = f.calls[:n+1]
	next := &f.calls[n]
	next.prog, next.fn, next.lam, next.scope = l.Prog, l.Func, l, nil
	next.pc, next.base, next.round = 0, base, false
	if m.count >= m.stop || m.s.Grown() > m.most {
		return m.look(m.count)
	}
	return nil
}

// An iter is a running map[] or sum[] over n children.
type iter struct {
	keys    []value.Sym   // nil for a list
	vals    []value.Value // the children,
	ids     []value.ID    // or their nodes, if they are those of a finished list
	n, next int
	fn      *Lambda
	args    int // number of arguments that fn takes
	sum     bool
	acc     value.Value // of sum[]
	out     []value.ID  // of map[]
	at      value.Node  // place of the expression
}

// iterate begins a map[], or a sum[] if init is given.
func (m *VM) iterate(f *Fiber, over, fn value.Value, init *value.Value) error {
	it := iter{sum: init != nil, at: m.host.At()}
	if fn.Kind != value.Lambda {
		if it.sum {
			return errors.New("sum requires a lambda value")
		}
		return errors.New("mapping requires a lambda value")
	}
	it.fn = m.lambda(fn)
	it.args = len(it.fn.Func.Params) - len(it.fn.Bound)
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
	case it.sum && it.args < 2:
		return errors.New("mapping expression take a minimum of 2 arguments")
	case it.sum && it.args > 3:
		return errors.New("mapping expression take a maximum of 3 arguments")
	case !it.sum && it.args > 2:
		return errors.New("mapping expression takes a maximum of 2 arguments")
	case !it.sum && it.args < 1:
		return errors.New("mapping expression takes a minimum of 1 argument")
	}
	m.children(&it, over)
	if it.sum {
		it.acc = *init
	} else {
		it.acc = value.NullVal
		it.out = m.idBuffer(it.n)
	}
	f.iters = append(f.iters, it)
	return nil
}

// children finds what to iterate over. The elements of a finished list are
// loaded one by one: a copy of them all would take as long as to run over them.
func (m *VM) children(it *iter, over value.Value) {
	if over.Kind == value.List {
		if n := m.s.Node(over.Ref); n.Flags&value.Open == 0 {
			it.ids = m.s.Elems(n)
			it.n = len(it.ids)
			return
		}
	}
	it.keys, it.vals = m.host.Children(over)
	it.n = len(it.vals)
}

// child makes v child i. Being temporary belongs to a node, not to what is made
// of its value (semantics 2.7).
func (m *VM) child(it *iter, i int, v *value.Value) {
	if it.ids == nil {
		*v = it.vals[i]
		return
	}
	id := it.ids[i]
	n := m.s.Node(id)
	if n.Kind == value.Int && n.Flags&value.Temporary == 0 { // as Load does, but inlined
		if v.Kind, v.Ref, v.Num = value.Int, id, int64(n.Pay); v.Str != "" {
			v.Str = ""
		}
		return
	}
	*v = m.s.Load(m.s.Without(id, value.Temporary))
}

// next calls the lambda of the innermost iteration on the next child, or ends
// the iteration. The arguments follow the operand that takes the result.
func (m *VM) next(f *Fiber, c *call, in *program.Instr) error {
	it := &f.iters[len(f.iters)-1]
	if it.next == it.n {
		f.stack[f.sp] = m.finish(f, it)
		f.sp++
		m.jump(c, in.Arg)
		return nil
	}
	base := f.sp + 1
	f.reserve(base + it.args)
	m.round(it, f.stack[base:base+it.args])
	if err := m.enter(f, c, it.fn, base); err != nil {
		return err
	}
	f.calls[len(f.calls)-1].round = true
	return nil
}

// round fills in the arguments for the next child.
func (m *VM) round(it *iter, args []value.Value) {
	i := it.next
	it.next++
	if it.sum {
		args[0] = it.acc
		args = args[1:]
	}
	if len(args) == 2 {
		if it.keys == nil {
			args[0] = value.OfInt(int64(i))
		} else {
			args[0] = value.OfString(m.s.Name(it.keys[i]))
		}
	}
	m.child(it, i, &args[len(args)-1])
}

// again is return, iterput, iternext and the beginning of a call at once: c, at
// the end of a round, goes on with the next. It does nothing and reports false
// if there is none.
func (m *VM) again(f *Fiber, c *call) bool {
	it := &f.iters[len(f.iters)-1]
	count := m.count + int64(c.pc) + 3
	if it.next == it.n || count >= m.stop {
		return false
	}
	m.collect(it, &f.stack[f.sp-1])
	f.sp = c.base + len(c.fn.Params)
	if it.args == 1 { // as round does, but inlined
		m.child(it, it.next, &f.stack[f.sp-1])
		it.next++
	} else {
		m.round(it, f.stack[f.sp-it.args:f.sp])
	}
	m.Stats.Calls++
	m.count = count
	c.pc, c.scope = 0, nil
	return true
}

// collect takes the result of the lambda for one child.
func (m *VM) collect(it *iter, v *value.Value) {
	if it.sum {
		it.acc = *v
	} else if v.Kind != value.Null && v.Kind != value.Undefined {
		it.out = append(it.out, m.s.PutAt(v, &it.at))
	}
}

// finish ends the innermost iteration and returns its result.
func (m *VM) finish(f *Fiber, it *iter) value.Value {
	v := it.acc
	if !it.sum && v.Kind != value.Undefined {
		v = value.Value{Kind: value.List, Ref: m.s.ListNode(it.at, it.out, 0)}
		if cap(it.out) <= maxKept {
			m.ids = append(m.ids, it.out[:0])
		}
	}
	*it = iter{}
	f.iters = f.iters[:len(f.iters)-1]
	return v
}

// idBuffer returns an empty buffer with room for n results.
func (m *VM) idBuffer(n int) []value.ID {
	if last := len(m.ids) - 1; last >= 0 {
		b := m.ids[last]
		m.ids = m.ids[:last]
		if cap(b) >= n {
			return b
		}
	}
	return make([]value.ID, 0, n)
}
