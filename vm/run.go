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
//
// What the loop uses at every instruction it keeps in variables: the code, the
// pc, the operands and their number. load reads them when another call goes on.
// Instructions are counted where the pc jumps: count plus pc is their number.
func (m *VM) run(f *Fiber) (v value.Value, err error) {
	c := &f.calls[len(f.calls)-1]
	code, pc, stack, sp, base := c.fn.Code, c.pc, f.stack, f.sp, c.base
	count := m.Stats.Instructions - int64(pc)
	if m.Stats.Instructions >= m.limits.Instructions {
		return v, m.tooMany()
	}
loop:
	for {
		in := &code[pc]
		c.pc = pc
		n := sp
		switch in.Op {
		case program.Const:
			stack[sp] = c.prog.Consts[in.Arg]
			sp++
			pc++
			continue

		case program.Ref, program.RefShape:
			p := c.prog.Paths[in.Arg]
			v, err = m.host.Ref(f, f.scopeOf(p), p, in.Op == program.RefShape)
		case program.Local, program.LocalShape:
			p := &stack[base+int(in.Arg)]
			if p.Kind != value.Deferred {
				stack[sp] = *p
				sp++
				pc++
				continue
			}
			v, err = m.host.Force(f, *p, in.Op == program.LocalShape)
		case program.Captured, program.CapturedShape:
			if v = c.lam.Outer.out(in.N - 1).Vals[in.Arg]; v.Kind == value.Deferred {
				v, err = m.host.Force(f, v, in.Op == program.CapturedShape)
			}
		case program.Self:
			if l := f.self(); l != nil {
				v = value.Value{Kind: value.Lambda, Ref: l.ID}
			} else {
				err = errors.New("'_' not found")
			}
		case program.Select, program.SelectShape:
			v, err = m.host.Select(f, stack[n-1], c.prog.Paths[in.Arg], int(in.N), in.Op == program.SelectShape)
			n--
		case program.Index:
			v, err = m.host.Index(f, stack[n-2], stack[n-1], in.Arg == 1)
			n -= 2

		case program.Merge:
			v, err = m.merge(f, &c.prog.Merges[in.Arg])
		case program.Auto:
			v, err = m.host.Auto(f, f.Scope())
		case program.StaticIPs:
			n -= int(in.N)
			if args := stack[n:sp]; !undefined(args) {
				v, err = m.host.StaticIPs(f, f.Scope(), args)
			} else {
				v = value.Undef
			}
		case program.Read:
			n -= int(in.N)
			v, err = m.read(f, stack[n:sp])
		case program.Instantiate:
			v, err = m.instantiate(f, stack[n-1])
			n--

		case program.Add, program.Sub, program.Mul, program.Div, program.Mod:
			a, b := &stack[n-2], &stack[n-1]
			if a.Kind == value.Int && b.Kind == value.Int {
				if r, ok := arith(in.Op, a.Num, b.Num); ok {
					a.Num, a.Flags, a.Ref = r, 0, 0
					sp--
					pc++
					continue
				}
			}
			v, err = builtin.Arith(m.host, builtin.Op(in.Op-program.Add), defined(*a), defined(*b))
			n -= 2
		case program.Eq, program.Ne, program.Lt, program.Le, program.Gt, program.Ge:
			a, b := &stack[n-2], &stack[n-1]
			switch {
			case a.Kind == value.Int && b.Kind == value.Int:
				r := compare(in.Op, a.Num, b.Num)
				if code[pc+1].Op == program.JumpUndef {
					// The two jumps of a condition follow nearly every
					// comparison; they count as if they ran.
					sp -= 2
					pc += 3
					if !r {
						to := int(code[pc-1].Arg)
						count += int64(pc - to)
						pc = to
					}
					continue
				}
				*a = value.OfBool(r)
				sp--
				pc++
				continue
			case a.Kind == value.Undefined || b.Kind == value.Undefined:
				v = value.Undef
			default:
				v, err = builtin.Compare(m.host, builtin.Op(in.Op-program.Add), *a, *b)
			}
			n -= 2
		case program.AndOr:
			a, b := &stack[n-2], &stack[n-1]
			if a.Kind == value.Undefined || b.Kind == value.Undefined {
				v = value.Undef
			} else {
				v = builtin.AndOr(m.host, builtin.Or+builtin.Op(in.Arg), *a, *b)
			}
			n -= 2
		case program.Decide:
			v, err = m.decide(f, stack[n-1], in.Arg == 1)
			n--
		case program.Not:
			if v = stack[n-1]; v.Kind != value.Undefined {
				v = value.OfBool(!builtin.Truth(m.s, v))
			}
			n--
		case program.Concat:
			n -= int(in.N)
			v, err = m.concat(stack[n:sp], c.prog.Names[in.Arg])

		case program.List:
			n -= int(in.N)
			v = m.list(stack[n:sp], in.Arg == 1)
		case program.Map:
			n -= 2 * int(in.N)
			v, err = m.mapping(stack[n:sp])
		case program.Range:
			a, b := &stack[n-2], &stack[n-1]
			if a.Kind == value.Undefined || b.Kind == value.Undefined {
				v = value.Undef
			} else {
				v, err = builtin.Range(m.host, *a, *b)
			}
			n -= 2
		case program.Closure:
			v = m.newLambda(Lambda{Prog: c.prog, Func: c.prog.Funcs[in.Arg], Outer: f.capture()})
		case program.ToLambda:
			if a := &stack[n-1]; a.Kind != value.String {
				v, err = lambdaValue(*a)
				n--
				break
			}
			var p *program.Program
			if p, err = m.host.CompileLambda(stack[n-1].Str); err == nil {
				err = m.evaluate(f, p, sp)
			}
			if err != nil {
				break loop
			}
			count += int64(pc) + 1
			c, code, pc, stack, sp, base = f.load()
			continue

		case program.Jump:
			count += int64(pc + 1 - int(in.Arg))
			pc = int(in.Arg)
			continue
		case program.JumpFalse:
			sp--
			pc++
			if !builtin.Truth(m.s, stack[sp]) {
				count += int64(pc - int(in.Arg))
				pc = int(in.Arg)
			}
			continue
		case program.JumpUndef:
			pc++
			if stack[n-1].Kind == value.Undefined {
				count += int64(pc - int(in.Arg))
				pc = int(in.Arg)
			}
			continue
		case program.Try:
			f.handlers = append(f.handlers, handler{len(f.calls), sp, len(f.iters), int(in.Arg), c.scope, f.quiet})
			pc++
			continue
		case program.EndTry:
			f.handlers = f.handlers[:len(f.handlers)-1]
			count += int64(pc + 1 - int(in.Arg))
			pc = int(in.Arg)
			continue
		case program.OrElse:
			f.handlers = f.handlers[:len(f.handlers)-1]
			pc++
			if a := &stack[n-1]; a.Kind != value.Undefined && (in.N == 0 || a.Kind != value.Null) {
				count += int64(pc - int(in.Arg))
				pc = int(in.Arg)
			} else {
				sp--
			}
			continue
		case program.IsDefined:
			v = value.OfBool(stack[n-1].Kind != value.Undefined)
			n--
		case program.IsValid:
			k := stack[n-1].Kind
			v = value.OfBool(k != value.Undefined && k != value.Null)
			n--
		case program.Require:
			if v = stack[n-1]; v.Kind == value.Undefined || v.Kind == value.Null {
				err = errors.New(c.prog.Consts[in.Arg].Str)
			}
			n--
		case program.Raise:
			err = errors.New(c.prog.Consts[in.Arg].Str)

		case program.Call:
			n -= int(in.N)
			var entered bool
			if entered, v, err = m.call(f, c, n, sp, in); entered {
				count += int64(pc) + 1
				c, code, pc, stack, sp, base = f.load()
				if count >= m.limits.Instructions {
					err = m.tooMany()
					break loop
				}
				continue
			}
			n--
		case program.CallBuiltin:
			n -= int(in.N)
			if args := stack[n:sp]; undefined(args) {
				v = value.Undef
			} else {
				v, err = builtin.Table[in.Arg].Fn(m.host, args)
			}
		case program.Eval:
			if v = stack[n-1]; v.Kind == value.Undefined {
				n--
				break
			}
			if err = m.eval(f, v, sp); err != nil {
				break loop
			}
			count += int64(pc) + 1
			c, code, pc, stack, sp, base = f.load()
			continue
		case program.MapInit:
			if err = m.iterate(f, stack[n-2], stack[n-1], nil); err == nil {
				sp -= 2
				pc++
				continue
			}
		case program.SumInit:
			if err = m.iterate(f, stack[n-3], stack[n-1], &stack[n-2]); err == nil {
				sp -= 3
				pc++
				continue
			}
		case program.IterNext:
			it := &f.iters[len(f.iters)-1]
			if it.next < it.n {
				if err = m.next(f, it, sp); err != nil {
					break loop
				}
				count += int64(pc) + 1
				c, code, pc, stack, sp, base = f.load()
				if count >= m.limits.Instructions {
					err = m.tooMany()
					break loop
				}
				continue
			}
			stack[sp] = m.finish(f, it)
			sp++
			count += int64(pc + 1 - int(in.Arg))
			pc = int(in.Arg)
			continue
		case program.IterPut:
			sp--
			m.collect(&f.iters[len(f.iters)-1], &stack[sp])
			count += int64(pc + 1 - int(in.Arg))
			pc = int(in.Arg)
			continue
		case program.Bind:
			n -= 2 * int(in.N)
			if err = m.bind(f, stack[n:sp]); err == nil {
				sp = n
				pc++
				continue
			}
		case program.Unbind:
			c.scope = c.scope.Outer
			pc++
			continue
		case program.Quiet:
			if in.Arg == 1 {
				f.quiet++
			} else {
				f.quiet--
			}
			pc++
			continue
		case program.Return:
			last := len(f.calls) - 1
			if last == 0 {
				v = stack[sp-1]
				break loop
			}
			stack[base-1] = stack[sp-1]
			sp = base
			f.calls = f.calls[:last]
			count += int64(pc) + 1
			c = &f.calls[last-1]
			code, pc, base = c.fn.Code, c.pc+1, c.base
			count -= int64(pc)
			continue
		}
		if err != nil {
			break loop
		}
		stack[n] = v
		sp = n + 1
		pc++
	}
	m.Stats.Instructions = count + int64(pc) + 1
	f.sp = sp
	return v, err
}

// load returns what run keeps in variables of the innermost call.
func (f *Fiber) load() (c *call, code []program.Instr, pc int, stack []value.Value, sp, base int) {
	c = &f.calls[len(f.calls)-1]
	return c, c.fn.Code, c.pc, f.stack, f.sp, c.base
}

// arith computes an operator on integers; ok is false if that fails.
func arith(op program.Op, a, b int64) (n int64, ok bool) {
	switch op {
	case program.Add:
		n = a + b
		return n, (n > a) == (b > 0)
	case program.Sub:
		n = a - b
		return n, (n < a) == (b > 0)
	}
	return builtin.ArithInt(builtin.Op(op-program.Add), a, b)
}

// compare computes a comparison of integers.
func compare(op program.Op, a, b int64) bool {
	switch op {
	case program.Eq:
		return a == b
	case program.Ne:
		return a != b
	case program.Lt:
		return a < b
	case program.Le:
		return a <= b
	case program.Gt:
		return a > b
	}
	return a >= b
}

func (m *VM) tooMany() error {
	return &Error{Fatal: true, Msg: fmt.Sprintf("more than %d instructions: does a lambda call itself without end?", m.limits.Instructions)}
}

// capture returns the scope that a lambda written at the current instruction
// keeps: the names of the call, or those of the instance the node belongs to.
func (f *Fiber) capture() *Scope {
	if sc := f.Scope(); sc != nil {
		return sc
	}
	return f.base
}

// lambdaValue is the result of lambda X for a value that is no text.
func lambdaValue(v value.Value) (value.Value, error) {
	if v.Kind == value.Lambda || v.Kind == value.Undefined {
		return v, nil
	}
	return v, errors.New("lambda reference must resolve to lambda value or string")
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

func (m *VM) merge(f *Fiber, form *program.MergeForm) (value.Value, error) {
	info := f.Info
	v, err := m.host.Merge(f, form)
	if f.quiet > 0 {
		f.Info = info
	}
	return v, err
}

func (m *VM) instantiate(f *Fiber, t value.Value) (v value.Value, err error) {
	if t.Kind == value.Undefined {
		return t, nil
	}
	if f.instance == 0 {
		if f.instance, err = m.host.Instantiate(f, f.Scope(), t); err != nil {
			return v, err
		}
	}
	return m.await(f)
}

func (m *VM) read(f *Fiber, args []value.Value) (v value.Value, err error) {
	if undefined(args) {
		return value.Undef, nil
	}
	if f.instance == 0 {
		if v, f.instance, err = m.host.Read(f, f.Scope(), args); err != nil || f.instance == 0 {
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

// bind opens the scope of a scope literal.
func (m *VM) bind(f *Fiber, kvs []value.Value) error {
	sc := &Scope{Outer: f.Scope()}
	if sc.Outer != nil {
		sc.Caller = sc.Outer.Caller
	}
	for i := 0; i < len(kvs); i += 2 {
		if kvs[i].Kind != value.String {
			return errors.New("assignment target must evaluate to string")
		}
		sc.Names = append(sc.Names, m.s.Intern(kvs[i].Str))
		sc.Vals = append(sc.Vals, kvs[i+1])
	}
	f.calls[len(f.calls)-1].scope = sc
	return nil
}
