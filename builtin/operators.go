// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// An Op is an operator on two evaluated operands.
type Op uint8

// The operators. The VM converts opcodes to them by offset, so they stand in the
// order of package program.
const (
	Add Op = iota
	Sub
	Mul
	Div
	Mod
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Or
	And

	numOps
)

var opNames = [numOps]string{"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "-or", "-and"}

// String returns the operator as it is written.
func (o Op) String() string { return opNames[o] }

var (
	errDivZero    = diag.Coded(diag.DivisionByZero, errors.New("division by zero"))
	errModOperand = errors.New("integer operand required")
)

// Arith computes a op b for one of + - * / %: on numbers, and on the texts of
// IP addresses and CIDRs (semantics §5). Overflow is an error.
func Arith(_ Context, op Op, a, b value.Value) (value.Value, error) {
	if a.Kind == value.Int && b.Kind == value.Int {
		n, ok := ArithInt(op, a.Num, b.Num)
		if !ok {
			return value.Value{}, errInt(op, a.Num, b.Num)
		}
		return value.OfInt(n), nil
	}
	if err := refuseBig(a, b); err != nil {
		return value.Value{}, err
	}
	if op == Mod {
		return value.Value{}, errModOperand
	}
	if t, ok := str(a); ok {
		return arithNet(op, t, b)
	}
	x, ok1 := number(a)
	y, ok2 := number(b)
	if !ok1 || !ok2 {
		return value.Value{}, errors.New(notNumbers[op])
	}
	return arithFloat(op, x, y)
}

// notNumbers holds the language's words for operands that are no numbers;
// "subtration" is how the reference spells it.
var notNumbers = [...]string{
	Add: "non-IP address addition requires number arguments",
	Sub: "non-IP address subtration requires number arguments",
	Mul: "non-CIDR multiplication requires number arguments",
	Div: "non-CIDR division requires number arguments",
}

func number(v value.Value) (float64, bool) {
	switch v.Kind {
	case value.Int:
		return float64(v.Num), true
	case value.Float:
		return v.Float(), true
	}
	return 0, false
}

func refuseBig(operands ...value.Value) error {
	for _, v := range operands {
		if v.Kind == value.Big {
			return diag.Coded(diag.Overflow, fmt.Errorf("integer %s is beyond 64 bits", clip(v.Str)))
		}
	}
	return nil
}

// ArithInt computes a op b for one of + - * / % on integers. It reports false
// where Arith has an error.
func ArithInt(op Op, a, b int64) (n int64, ok bool) {
	ok = true
	switch op {
	case Add:
		n = a + b
		ok = (n > a) == (b > 0)
	case Sub:
		n = a - b
		ok = (n < a) == (b > 0)
	case Mul:
		n, ok = mulInt(a, b)
	default:
		switch {
		case b == 0, a == math.MinInt64 && b == -1:
			return 0, false
		case op == Div:
			n = a / b
		default:
			n = a % b
		}
	}
	return n, ok
}

// errInt is the error where ArithInt reports false.
func errInt(op Op, a, b int64) error {
	if b == 0 && (op == Div || op == Mod) {
		return errDivZero
	}
	return overflow(op, a, b)
}

func mulInt(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	neg := (a < 0) != (b < 0)
	switch {
	case hi != 0:
		return 0, false
	case neg:
		return -int64(lo), lo <= 1<<63
	}
	return int64(lo), lo <= math.MaxInt64
}

// magnitude returns |n|, also of the smallest integer.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func overflow(op Op, a, b any) error {
	return diag.Coded(diag.Overflow, fmt.Errorf("integer overflow in %v %s %v", a, op, b))
}

func arithFloat(op Op, a, b float64) (value.Value, error) {
	switch op {
	case Add:
		a += b
	case Sub:
		a -= b
	case Mul:
		a *= b
	default:
		if b == 0 {
			return value.Value{}, errDivZero
		}
		a /= b
	}
	return value.OfFloat(a), nil
}

// Truth reports whether v counts as true in a condition. Null, false, 0 and
// everything empty do not.
func Truth(s *value.Store, v value.Value) bool {
	switch v.Kind {
	case value.None, value.Undefined, value.Null:
		return false
	case value.Bool, value.Int:
		return v.Num != 0
	case value.String:
		return v.Str != ""
	case value.List, value.Map:
		return s.Node(v.Ref).Len != 0
	}
	return true
}

// AndOr computes a -or b or a -and b: bitwise on two integers, else on truth.
func AndOr(c Context, op Op, a, b value.Value) value.Value {
	if a.Kind == value.Int && b.Kind == value.Int {
		if op == Or {
			return value.OfInt(a.Num | b.Num)
		}
		return value.OfInt(a.Num & b.Num)
	}
	x, y := Truth(c.Store(), a), Truth(c.Store(), b)
	if op == Or {
		return value.OfBool(x || y)
	}
	return value.OfBool(x && y)
}

// DefaultMaxRange bounds the entries of a list that one small operand makes: a
// range, or the parts of a split. An entry takes about 30 bytes, so the largest
// range needs some 300 MB; more is a typing error, and refusing it keeps one
// short expression from exhausting the memory.
const DefaultMaxRange = 10_000_000

// Range returns the list of the integers from a to b, both included, counting
// down if b is the smaller.
func Range(c Context, a, b value.Value) (value.Value, error) {
	if err := refuseBig(a, b); err != nil {
		return value.Value{}, err
	}
	for _, v := range [...]value.Value{a, b} {
		if v.Kind != value.Int {
			return value.Value{}, fmt.Errorf("integer operand required, found %s", v.Kind)
		}
	}
	step := int64(1)
	last := uint64(b.Num) - uint64(a.Num) // the distance, exact modulo 1<<64
	if b.Num < a.Num {
		step, last = -1, -last
	}
	if limit := c.MaxRange(); last >= uint64(limit) {
		return value.Value{}, Stopf(diag.TooLarge, "range [%d..%d] has too many elements (limit %d)", a.Num, b.Num, limit)
	}
	ids := make([]value.ID, last+1)
	s, at := c.Store(), c.At()
	for i := range ids {
		ids[i] = s.Put(value.OfInt(a.Num+int64(i)*step), at)
	}
	return newList(c, ids, 0), nil
}
