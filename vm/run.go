// SPDX-License-Identifier: Apache-2.0

package vm

import (
	"errors"
	"slices"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// run executes f until it returns, fails or must wait. The result is the operand
// that is left.
//
// Its switch has the instructions that make up the inner loops of expressions;
// all others are those of step. No variable of the loop is alive across a call
// of another function: so the compiler keeps the code, the pc, the operands and
// their number in registers, where otherwise it writes all of them to the stack
// at every instruction, which takes twice as long.
func (m *VM) run(f *Fiber) error {
	if m.Stats.Instructions >= m.stop || m.s.Grown() > m.most {
		if err := m.look(m.Stats.Instructions); err != nil {
			return err
		}
	}
	c, code, pc, stack, sp, base := f.load()
	m.count = m.Stats.Instructions - int64(pc)
	var n int64 // result of an operator on integers, which replaces two operands
	var ok bool // result of a comparison, or whether n is right
	var err error
	var l *Lambda // the running one, which calls itself
	for {
		in := &code[pc]
		switch in.Op {
		case program.Const:
			stack[sp] = c.prog.Consts[in.Arg]
			sp++
			pc++
			continue
		case program.Ref, program.RefShape:
			c.pc, f.sp = pc, sp
			err = m.ref(f, c, in)
			goto called
		case program.Local, program.LocalShape:
			if p := &stack[base+int(in.Arg)]; p.Kind != value.Deferred {
				stack[sp] = *p
				sp++
				pc++
				continue
			}
		case program.LocalAdd:
			a, b := &stack[base+int(in.Arg)], &c.prog.Consts[code[pc+1].Arg]
			if n, ok = addSub(code[pc+2].Op, a.Num, b.Num); ok && a.Kind == value.Int {
				stack[sp] = value.OfInt(n)
				sp++
				pc += 3
				continue
			}
		case program.LocalsAdd:
			a, b := &stack[base+int(in.Arg)], &stack[base+int(code[pc+1].Arg)]
			if n, ok = addSub(code[pc+2].Op, a.Num, b.Num); ok && a.Kind == value.Int && b.Kind == value.Int {
				stack[sp] = value.OfInt(n)
				sp++
				pc += 3
				continue
			}
		case program.LocalIf:
			p := &stack[base+int(in.Arg)]
			if p.Kind == value.Int {
				ok = compare(code[pc+2].Op, p.Num, c.prog.Consts[code[pc+1].Arg].Num)
				sp += 2
				pc += 2
				goto branch
			}
		case program.Self:
			if l = c.lam; l != nil && !l.Func.Inline {
				stack[sp] = value.Value{Kind: value.Lambda, Ref: l.ID}
				sp++
				pc++
				continue
			}

		case program.Add:
			a, b := &stack[sp-2], &stack[sp-1]
			if n, ok = addSub(program.Add, a.Num, b.Num); ok && a.Kind == value.Int && b.Kind == value.Int {
				goto integer
			}
		case program.Sub:
			a, b := &stack[sp-2], &stack[sp-1]
			if n, ok = addSub(program.Sub, a.Num, b.Num); ok && a.Kind == value.Int && b.Kind == value.Int {
				goto integer
			}
		case program.Mul:
			a, b := &stack[sp-2], &stack[sp-1]
			n = a.Num * b.Num
			if a.Kind == value.Int && b.Kind == value.Int && int64(int32(a.Num)) == a.Num && int64(int32(b.Num)) == b.Num {
				goto integer
			}
		case program.Eq:
			if a, b := &stack[sp-2], &stack[sp-1]; a.Kind == value.Int && b.Kind == value.Int {
				ok = a.Num == b.Num
				goto branch
			}
		case program.Ne, program.Lt, program.Le, program.Gt, program.Ge:
			if a, b := &stack[sp-2], &stack[sp-1]; a.Kind == value.Int && b.Kind == value.Int {
				ok = compare(in.Op, a.Num, b.Num)
				goto branch
			}

		case program.Jump:
			to := int(in.Arg)
			m.count += int64(pc + 1 - to)
			if pc = to; code[pc].Op == program.Return {
				goto result
			}
			continue
		case program.JumpFalse:
			if p := &stack[sp-1]; p.Kind == value.Bool {
				sp--
				pc++
				if p.Num == 0 {
					m.count += int64(pc - int(in.Arg))
					pc = int(in.Arg)
				}
				continue
			}
		case program.JumpUndef:
			if stack[sp-1].Kind != value.Undefined {
				pc++
				continue
			}

		case program.SelfAdd:
			l = c.lam
			if l != nil && l.args == 1 && !l.Func.Inline && sp+2+l.Func.MaxStack <= f.used && m.room(f) {
				a, b := &stack[base+int(code[pc+1].Arg)], &c.prog.Consts[code[pc+2].Arg]
				if n, ok = addSub(code[pc+3].Op, a.Num, b.Num); ok && a.Kind == value.Int {
					stack[sp] = value.Value{Kind: value.Lambda, Ref: l.ID}
					stack[sp+1] = value.OfInt(n)
					base = sp + 1
					sp += 2
					pc += 4
					goto recursion
				}
			}
		case program.Call:
			l = c.lam
			if args := stack[sp-int(in.N) : sp]; l != nil && l.args == len(args) && sp+l.Func.MaxStack <= f.used && m.room(f) {
				if callee := &stack[sp-len(args)-1]; callee.Ref == l.ID && callee.Kind == value.Lambda && !undefined(args) {
					base = sp - len(args)
					goto recursion
				}
			}
			c.pc, f.sp = pc, sp
			err = m.call(f, c, in)
			goto called
		case program.IterNext:
			c.pc, f.sp = pc, sp
			err = m.next(f, c, in)
			goto called
		case program.Return:
			goto result
		}
		c.pc, f.sp = pc, sp
		err = m.step(f, c, in)
	called:
		if err != nil {
			return m.leave(f, err)
		}
		c, code, pc, stack, sp, base = f.load()
		continue

	integer:
		sp--
		pc++
		stack[sp-1].Ref, stack[sp-1].Num = 0, n
		if code[pc].Op != program.Return {
			continue
		}
		// It is the result of the function.

	result: // at a return
		if len(f.calls) == 1 {
			c.pc, f.sp = pc, sp
			return m.leave(f, nil)
		}
		if c.round {
			c.pc, f.sp = pc, sp
			if m.again(f, c) {
				pc, sp = 0, f.sp
				continue
			}
		}
		stack[base-1] = stack[sp-1]
		sp = base
		m.count += int64(pc) + 1
		f.calls = f.calls[:len(f.calls)-1]
		c = &f.calls[len(f.calls)-1]
		code, pc, base = c.fn.Code, c.pc+1, c.base
		m.count -= int64(pc)
		continue

	recursion: // a call of the running lambda, for which nothing has to grow; see enter
		m.Stats.Calls++
		m.count += int64(pc) + 1
		c.pc = pc
		f.calls = f.calls[:len(f.calls)+1]
		c = &f.calls[len(f.calls)-1]
		c.prog, c.fn, c.lam, c.scope = l.Prog, l.Func, l, nil
		c.base, c.round = base, false
		code, pc = c.fn.Code, 0
		if m.count >= m.stop {
			c.pc, f.sp = pc, sp
			err = m.look(m.count)
			goto called
		}
		continue

	branch: // at a comparison of two operands, with the result ok
		sp -= 2
		if code[pc+1].Op != program.JumpUndef {
			stack[sp] = value.OfBool(ok)
			sp++
			pc++
			continue
		}
		// The two jumps of a condition follow nearly every comparison. They
		// count as if they ran.
		pc += 3
		if !ok {
			to := int(code[pc-1].Arg)
			m.count += int64(pc - to)
			pc = to
		}
	}
}

// room reports whether one more call may begin without growing anything.
func (m *VM) room(f *Fiber) bool {
	return len(f.calls) < cap(f.calls) && len(f.calls) < m.limits.CallDepth
}

// addSub computes a sum or a difference; ok is false if it overflows.
func addSub(op program.Op, a, b int64) (n int64, ok bool) {
	if op == program.Sub {
		return a - b, (a-b < a) == (b > 0)
	}
	return a + b, (a+b > a) == (b > 0)
}

// ref executes a reference.
func (m *VM) ref(f *Fiber, c *call, in *program.Instr) error {
	p := c.prog.Paths[in.Arg]
	var sc *Scope
	if len(f.calls) > 1 || c.scope != nil {
		sc = f.scopeOf(p)
	}
	v, err := m.host.Ref(f, sc, p, in.Op == program.RefShape)
	if err != nil {
		return err
	}
	f.stack[f.sp] = v
	f.sp++
	c.pc++
	return nil
}

// load returns what run keeps in variables: the innermost call, its code, pc
// and base, and the operands.
func (f *Fiber) load() (c *call, code []program.Instr, pc int, stack []value.Value, sp, base int) {
	c = &f.calls[len(f.calls)-1]
	return c, c.fn.Code, c.pc, f.stack, f.sp, c.base
}

// leave ends run at the current instruction, which is counted.
func (m *VM) leave(f *Fiber, err error) error {
	m.Stats.Instructions = m.count + int64(f.calls[len(f.calls)-1].pc) + 1
	return err
}

// jump continues c at another instruction. Instructions are counted here: count
// and the pc together are the number of those that ran.
func (m *VM) jump(c *call, to int32) {
	m.count += int64(c.pc + 1 - int(to))
	c.pc = int(to)
}

// step executes one instruction, in table order; a case pops, calls what does
// the work, and pushes. The pc is advanced after the instruction, so one that
// returns ErrWait runs again.
func (m *VM) step(f *Fiber, c *call, in *program.Instr) error {
	stack, n := f.stack, f.sp
	var v value.Value
	var err error
	switch in.Op {
	case program.Local, program.LocalShape, program.LocalAdd, program.LocalsAdd, program.LocalIf:
		if v = stack[c.base+int(in.Arg)]; v.Kind != value.Deferred {
			break // not the integer that the fused instruction is made for
		}
		v, err = m.host.Force(f, stack[c.base+int(in.Arg)], in.Op == program.LocalShape)
	case program.Captured, program.CapturedShape:
		if v = c.lam.Outer.out(in.N - 1).Vals[in.Arg]; v.Kind == value.Deferred {
			v, err = m.host.Force(f, v, in.Op == program.CapturedShape)
		}
	case program.Self, program.SelfAdd:
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
		if args := stack[n:f.sp]; !undefined(args) {
			v, err = m.host.StaticIPs(f, f.Scope(), args)
		} else {
			v = value.Undef
		}
	case program.Read:
		n -= int(in.N)
		v, err = m.read(f, stack[n:f.sp])
	case program.Instantiate:
		v, err = m.instantiate(f, stack[n-1])
		n--

	case program.Add, program.Sub, program.Mul, program.Div, program.Mod:
		v, err = builtin.Arith(m.host, builtin.Op(in.Op-program.Add), defined(stack[n-2]), defined(stack[n-1]))
		n -= 2
	case program.Eq, program.Ne, program.Lt, program.Le, program.Gt, program.Ge:
		if undefined(stack[n-2 : n]) {
			v = value.Undef
		} else {
			v, err = builtin.Compare(m.host, builtin.Op(in.Op-program.Add), stack[n-2], stack[n-1])
		}
		n -= 2
	case program.AndOr:
		if undefined(stack[n-2 : n]) {
			v = value.Undef
		} else {
			v = builtin.AndOr(m.host, builtin.Or+builtin.Op(in.Arg), stack[n-2], stack[n-1])
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
		if v, err = m.concat(stack[n:f.sp], c.prog.Names[in.Arg]); in.N > 1 {
			m.s.Charge(len(v.Str))
		}

	case program.List:
		n -= int(in.N)
		v = m.list(stack[n:f.sp], in.Arg == 1)
	case program.Map:
		n -= 2 * int(in.N)
		v, err = m.mapping(stack[n:f.sp])
	case program.Range:
		if undefined(stack[n-2 : n]) {
			v = value.Undef
		} else {
			v, err = builtin.Range(m.host, stack[n-2], stack[n-1])
		}
		n -= 2
	case program.Closure:
		v = m.newLambda(Lambda{Prog: c.prog, Func: c.prog.Funcs[in.Arg], Outer: f.capture()})
	case program.ToLambda:
		switch v = stack[n-1]; v.Kind {
		case value.Lambda, value.Undefined:
		case value.String:
			p, err := m.host.CompileLambda(v.Str)
			if err != nil {
				return err
			}
			return m.evaluate(f, c, p)
		default:
			err = errors.New("lambda reference must resolve to lambda value or string")
		}
		n--

	case program.JumpFalse:
		f.sp--
		if builtin.Truth(m.s, stack[f.sp]) {
			c.pc++
		} else {
			m.jump(c, in.Arg)
		}
		return nil
	case program.JumpUndef: // it is undefined
		m.jump(c, in.Arg)
		return nil
	case program.Try:
		f.handlers = append(f.handlers, handler{len(f.calls), n, len(f.iters), int(in.Arg), c.scope, f.quiet})
		c.pc++
		return nil
	case program.EndTry:
		f.handlers = f.handlers[:len(f.handlers)-1]
		m.jump(c, in.Arg)
		return nil
	case program.OrElse:
		f.handlers = f.handlers[:len(f.handlers)-1]
		if k := stack[n-1].Kind; k != value.Undefined && (in.N == 0 || k != value.Null) {
			m.jump(c, in.Arg)
		} else {
			f.sp--
			c.pc++
			if m.Caught != nil {
				m.Caught(f, c.fn, c.pc, nil)
			}
		}
		return nil
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

	case program.CallBuiltin:
		n -= int(in.N)
		if args := stack[n:f.sp]; undefined(args) {
			v = value.Undef
		} else {
			m.spendArgs(args)
			v, err = m.rows[in.Arg].Fn(m.host, args)
			m.s.Charge(len(v.Str))
		}
	case program.Eval:
		if v = stack[n-1]; v.Kind != value.Undefined {
			return m.eval(f, c, v)
		}
		n--
	case program.MapInit:
		if err = m.iterate(f, stack[n-2], stack[n-1], nil); err == nil {
			f.sp -= 2
			c.pc++
		}
		return err
	case program.SumInit:
		if err = m.iterate(f, stack[n-3], stack[n-1], &stack[n-2]); err == nil {
			f.sp -= 3
			c.pc++
		}
		return err
	case program.IterPut:
		f.sp--
		m.collect(&f.iters[len(f.iters)-1], &stack[f.sp])
		m.jump(c, in.Arg)
		return nil
	case program.Bind:
		n -= 2 * int(in.N)
		if err = m.bind(f, stack[n:f.sp]); err == nil {
			f.sp = n
			c.pc++
		}
		return err
	case program.Unbind:
		c.scope = c.scope.Outer
		c.pc++
		return nil
	case program.Quiet:
		if in.Arg == 1 {
			f.quiet++
		} else {
			f.quiet--
		}
		c.pc++
		return nil
	}
	if err != nil {
		return err
	}
	stack[n] = v
	f.sp = n + 1
	if m.s.Grown() > m.most {
		if err = m.grown(); err != nil {
			return err
		}
	}
	c.pc++
	return nil
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

// capture returns the scope that a lambda written at the current instruction
// keeps: the names of the call, or those of the instance the node belongs to.
func (f *Fiber) capture() *Scope {
	if sc := f.Scope(); sc != nil {
		return sc
	}
	return f.base
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
	if v, ok := builtin.ConcatTexts(operands); ok {
		return v, nil
	}
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
