// SPDX-License-Identifier: Apache-2.0

package vm

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// run executes f until it returns, fails or must wait. It is one switch in
// table order; a case pops, calls what does the work, and pushes. The pc is
// advanced after the instruction, so one that returns ErrWait runs again.
func (m *VM) run(f *Fiber) (value.Value, error) {
	c := &f.calls[len(f.calls)-1]
	for {
		in := c.fn.Code[c.pc]
		if m.Stats.Instructions++; m.Stats.Instructions > m.limits.Instructions {
			return value.Value{}, &Error{Fatal: true, Msg: fmt.Sprintf("more than %d instructions: does a lambda call itself without end?", m.limits.Instructions)}
		}
		n := len(f.stack)
		var v value.Value
		var err error
		switch in.Op {
		case program.Const:
			v = c.prog.Consts[in.Arg]

		case program.Ref:
			v, err = m.host.Ref(f, c.scope, c.prog.Paths[in.Arg], false)
		case program.RefShape:
			v, err = m.host.Ref(f, c.scope, c.prog.Paths[in.Arg], true)
		case program.Local:
			if v = c.own.Vals[in.Arg]; v.Kind == value.Deferred {
				v, err = m.host.Force(f, v, false)
			}
		case program.LocalShape:
			if v = c.own.Vals[in.Arg]; v.Kind == value.Deferred {
				v, err = m.host.Force(f, v, true)
			}
		case program.Captured:
			if v = c.own.out(in.N).Vals[in.Arg]; v.Kind == value.Deferred {
				v, err = m.host.Force(f, v, false)
			}
		case program.CapturedShape:
			if v = c.own.out(in.N).Vals[in.Arg]; v.Kind == value.Deferred {
				v, err = m.host.Force(f, v, true)
			}
		case program.Self:
			v, err = m.self(f)
		case program.Select:
			v, err = m.host.Select(f, f.stack[n-1], c.prog.Paths[in.Arg], int(in.N), false)
			n--
		case program.SelectShape:
			v, err = m.host.Select(f, f.stack[n-1], c.prog.Paths[in.Arg], int(in.N), true)
			n--
		case program.Index:
			v, err = m.host.Index(f, f.stack[n-2], f.stack[n-1], in.Arg == 1)
			n -= 2

		case program.Merge:
			v, err = m.merge(f, &c.prog.Merges[in.Arg])
		case program.Auto:
			v, err = m.host.Auto(f, c.scope)
		case program.StaticIPs:
			n -= int(in.N)
			if args := f.stack[n:]; !undefined(args) {
				v, err = m.host.StaticIPs(f, c.scope, args)
			} else {
				v = value.Undef
			}
		case program.Read:
			n -= int(in.N)
			v, err = m.read(f, c.scope, f.stack[n:])
		case program.Instantiate:
			v, err = m.instantiate(f, c.scope, f.stack[n-1])
			n--

		case program.Add, program.Sub, program.Mul, program.Div, program.Mod:
			a, b := f.stack[n-2], f.stack[n-1]
			v, err = builtin.Arith(m.host, builtin.Op(in.Op-program.Add), defined(a), defined(b))
			n -= 2
		case program.Eq, program.Ne, program.Lt, program.Le, program.Gt, program.Ge:
			a, b := f.stack[n-2], f.stack[n-1]
			if a.Kind == value.Undefined || b.Kind == value.Undefined {
				v = value.Undef
			} else {
				v, err = builtin.Compare(m.host, builtin.Op(in.Op-program.Add), a, b)
			}
			n -= 2
		case program.AndOr:
			a, b := f.stack[n-2], f.stack[n-1]
			if a.Kind == value.Undefined || b.Kind == value.Undefined {
				v = value.Undef
			} else {
				v = builtin.AndOr(m.host, builtin.Or+builtin.Op(in.Arg), a, b)
			}
			n -= 2
		case program.Decide:
			v, err = m.decide(f, f.stack[n-1], in.Arg == 1)
			n--
		case program.Not:
			if v = f.stack[n-1]; v.Kind != value.Undefined {
				v = value.OfBool(!builtin.Truth(m.s, v))
			}
			n--
		case program.Concat:
			n -= int(in.N)
			v, err = m.concat(f.stack[n:], c.prog.Names[in.Arg])

		case program.List:
			n -= int(in.N)
			v = m.list(f.stack[n:], in.Arg == 1)
		case program.Map:
			n -= 2 * int(in.N)
			v, err = m.mapping(f.stack[n:])
		case program.Range:
			a, b := f.stack[n-2], f.stack[n-1]
			if a.Kind == value.Undefined || b.Kind == value.Undefined {
				v = value.Undef
			} else {
				v, err = builtin.Range(m.host, a, b)
			}
			n -= 2
		case program.Closure:
			v = m.newLambda(Lambda{Prog: c.prog, Func: c.prog.Funcs[in.Arg], Outer: f.capture(c)})
		case program.ToLambda:
			switch a := f.stack[n-1]; a.Kind {
			case value.Lambda, value.Undefined:
				v = a
			case value.String:
				p, err := m.host.CompileLambda(a.Str)
				if err != nil {
					return value.Value{}, err
				}
				f.stack = f.stack[:n-1]
				c = m.enter(f, call{prog: p, fn: p.Funcs[0], scope: c.scope, own: nil})
				continue
			default:
				err = errors.New("lambda reference must resolve to lambda value or string")
			}
			n--

		case program.Jump:
			c.pc = int(in.Arg)
			continue
		case program.JumpFalse:
			f.stack = f.stack[:n-1]
			if c.pc++; !builtin.Truth(m.s, f.stack[:n][n-1]) {
				c.pc = int(in.Arg)
			}
			continue
		case program.JumpUndef:
			if c.pc++; f.stack[n-1].Kind == value.Undefined {
				c.pc = int(in.Arg)
			}
			continue
		case program.Try:
			f.handlers = append(f.handlers, handler{len(f.calls), n, len(f.iters), int(in.Arg), c.scope, f.quiet})
			c.pc++
			continue
		case program.EndTry:
			f.handlers = f.handlers[:len(f.handlers)-1]
			c.pc = int(in.Arg)
			continue
		case program.OrElse:
			f.handlers = f.handlers[:len(f.handlers)-1]
			if a := f.stack[n-1]; a.Kind != value.Undefined && (in.N == 0 || a.Kind != value.Null) {
				c.pc = int(in.Arg)
			} else {
				f.stack = f.stack[:n-1]
				c.pc++
			}
			continue
		case program.IsDefined:
			v = value.OfBool(f.stack[n-1].Kind != value.Undefined)
			n--
		case program.IsValid:
			k := f.stack[n-1].Kind
			v = value.OfBool(k != value.Undefined && k != value.Null)
			n--
		case program.Require:
			if v = f.stack[n-1]; v.Kind == value.Undefined || v.Kind == value.Null {
				err = errors.New(c.prog.Consts[in.Arg].Str)
			}
			n--
		case program.Raise:
			err = errors.New(c.prog.Consts[in.Arg].Str)

		case program.Call:
			n -= int(in.N)
			next, v, err := m.call(f, f.stack[n-1], f.stack[n:], c.prog.Names[in.Arg][0])
			if err != nil {
				return value.Value{}, err
			}
			f.stack = f.stack[:n-1]
			if next != nil {
				c = next
				continue
			}
			f.stack = append(f.stack, v)
			c.pc++
			continue
		case program.CallBuiltin:
			n -= int(in.N)
			if args := f.stack[n:]; undefined(args) {
				v = value.Undef
			} else {
				v, err = builtin.Table[in.Arg].Fn(m.host, args)
			}
		case program.Eval:
			a := f.stack[n-1]
			if a.Kind == value.Undefined {
				v = a
				n--
				break
			}
			if a.Kind != value.String {
				err = errors.New("string argument required for 'eval'")
				break
			}
			p, err := m.host.Compile(a.Str)
			if err != nil {
				return value.Value{}, fmt.Errorf("(%s)\t %s", a.Str, err)
			}
			if len(f.calls) >= m.limits.CallDepth {
				return value.Value{}, m.tooDeep()
			}
			f.stack = f.stack[:n-1]
			c = m.enter(f, call{prog: p, fn: p.Funcs[0], scope: c.scope})
			continue
		case program.MapInit:
			if err = m.iterate(f, f.stack[n-2], f.stack[n-1], nil); err == nil {
				f.stack = f.stack[:n-2]
				c.pc++
				continue
			}
		case program.SumInit:
			if err = m.iterate(f, f.stack[n-3], f.stack[n-1], &f.stack[n-2]); err == nil {
				f.stack = f.stack[:n-3]
				c.pc++
				continue
			}
		case program.IterNext:
			next, v, err := m.next(f)
			if err != nil {
				return value.Value{}, err
			}
			if next != nil {
				c = next
				continue
			}
			f.stack = append(f.stack, v)
			c.pc = int(in.Arg)
			continue
		case program.IterPut:
			m.collect(&f.iters[len(f.iters)-1], f.stack[n-1])
			f.stack = f.stack[:n-1]
			c.pc = int(in.Arg)
			continue
		case program.Bind:
			n -= 2 * int(in.N)
			sc, err := m.bind(c.scope, f.stack[n:])
			if err != nil {
				return value.Value{}, err
			}
			c.scope = sc
			f.stack = f.stack[:n]
			c.pc++
			continue
		case program.Unbind:
			c.scope = c.scope.Outer
			c.pc++
			continue
		case program.Quiet:
			if in.Arg == 1 {
				f.quiet++
			} else {
				f.quiet--
			}
			c.pc++
			continue
		case program.Return:
			if len(f.calls) == 1 {
				return f.stack[n-1], nil
			}
			f.calls = f.calls[:len(f.calls)-1]
			c = &f.calls[len(f.calls)-1]
			c.pc++
			continue
		}
		if err != nil {
			return value.Value{}, err
		}
		f.stack = append(f.stack[:n], v)
		c.pc++
	}
}

// capture returns the scope that a lambda written at the current instruction
// keeps: the names of the call, or those of the instance the node belongs to.
func (f *Fiber) capture(c *call) *Scope {
	if c.scope == nil {
		return f.base
	}
	return c.scope
}

// out returns the scope n calls further out in the text.
func (sc *Scope) out(n int32) *Scope {
	for ; n > 0; n-- {
		sc = sc.Outer
	}
	return sc
}

func undefined(args []value.Value) bool {
	for i := range args {
		if args[i].Kind == value.Undefined {
			return true
		}
	}
	return false
}

// defined makes undefined null, which arithmetic refuses in the same words.
func defined(v value.Value) value.Value {
	if v.Kind == value.Undefined {
		return value.NullVal
	}
	return v
}

func (m *VM) self(f *Fiber) (value.Value, error) {
	l := f.Scope().self()
	if l == nil {
		l = f.base.self()
	}
	if l != nil {
		return value.Value{Kind: value.Lambda, Ref: l.ID}, nil
	}
	return value.Value{}, errors.New("'_' not found")
}

func (m *VM) merge(f *Fiber, form *program.MergeForm) (value.Value, error) {
	info := f.Info
	v, err := m.host.Merge(f, form)
	if f.quiet > 0 {
		f.Info = info
	}
	return v, err
}

func (m *VM) instantiate(f *Fiber, scope *Scope, t value.Value) (v value.Value, err error) {
	if t.Kind == value.Undefined {
		return t, nil
	}
	if f.instance == 0 {
		if f.instance, err = m.host.Instantiate(f, scope, t); err != nil {
			return v, err
		}
	}
	return m.await(f)
}

func (m *VM) read(f *Fiber, scope *Scope, args []value.Value) (v value.Value, err error) {
	if undefined(args) {
		return value.Undef, nil
	}
	if f.instance == 0 {
		if v, f.instance, err = m.host.Read(f, scope, args); err != nil || f.instance == 0 {
			return v, err
		}
	}
	return m.await(f)
}

// await returns the instance that f began.
func (m *VM) await(f *Fiber) (value.Value, error) {
	v, err := m.host.Instance(f, f.instance)
	if err != ErrWait {
		f.instance = 0
	}
	return v, err
}

// decide is the result of -or and -and whose right operand failed.
func (m *VM) decide(f *Fiber, a value.Value, and bool) (value.Value, error) {
	if a.Kind != value.Int && a.Kind != value.Undefined && builtin.Truth(m.s, a) != and {
		return value.OfBool(!and), nil
	}
	return value.Value{}, f.err
}

func (m *VM) concat(operands []value.Value, names []string) (value.Value, error) {
	if undefined(operands) {
		return value.Undef, nil
	}
	cloned := false // as the instruction may have to run again
	for i := range operands {
		if operands[i].Kind == value.Deferred {
			if !cloned {
				operands, cloned = slices.Clone(operands), true
			}
			operands[i] = m.host.Open(operands[i])
		}
	}
	if err := m.host.Overlap(operands); err != nil {
		return value.Value{}, err
	}
	return builtin.Concat(m.host, operands, func(i int) string { return names[i] })
}

func (m *VM) list(elems []value.Value, keep bool) value.Value {
	if !keep && undefined(elems) {
		return value.Undef
	}
	at := m.host.At()
	ids := make([]value.ID, len(elems))
	for i := range elems {
		ids[i] = m.s.Put(defined(elems[i]), at)
	}
	return value.Value{Kind: value.List, Ref: m.s.ListNode(at, ids, 0)}
}

func (m *VM) mapping(kvs []value.Value) (value.Value, error) {
	at := m.host.At()
	keys := make([]value.Sym, 0, len(kvs)/2)
	vals := make([]value.ID, 0, len(kvs)/2)
	var table value.KeyTable
	for i := 0; i < len(kvs); i += 2 {
		if kvs[i].Kind != value.String {
			return value.Value{}, errors.New("assignment target must evaluate to string")
		}
		key, id := m.s.Intern(kvs[i].Str), m.s.Put(defined(kvs[i+1]), at)
		if j := table.Find(keys, key); j >= 0 {
			vals[j] = id
			continue
		}
		keys, vals = append(keys, key), append(vals, id)
	}
	return value.Value{Kind: value.Map, Ref: m.s.MapNode(at, keys, vals)}, nil
}

func (m *VM) bind(outer *Scope, kvs []value.Value) (*Scope, error) {
	sc := &Scope{Outer: outer}
	for i := 0; i < len(kvs); i += 2 {
		if kvs[i].Kind != value.String {
			return nil, errors.New("assignment target must evaluate to string")
		}
		sc.Names = append(sc.Names, m.s.Intern(kvs[i].Str))
		sc.Vals = append(sc.Vals, kvs[i+1])
	}
	return sc, nil
}
