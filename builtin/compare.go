// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/value"
)

var errUncomparable = errors.New("types uncomparable")

// Compare computes a op b for one of == != < <= > >=. Integers and strings have
// an order; anything else on the left is simply not less, equal or greater.
func Compare(c Context, op Op, a, b value.Value) (value.Value, error) {
	if op == Eq || op == Ne {
		eq, err := Equal(c, a, b)
		if err != nil {
			return value.Value{}, err
		}
		return value.OfBool(eq == (op == Eq)), nil
	}
	if err := refuseBig(a, b); err != nil {
		return value.Value{}, err
	}
	x, isText := str(a)
	switch {
	case a.Kind == value.Int:
		if b.Kind != value.Int {
			return value.Value{}, fmt.Errorf("comparision %s only for integers or strings", op)
		}
		return value.OfBool(holds(op, cmp.Compare(a.Num, b.Num))), nil
	case isText:
		y, ok := str(b)
		if !ok {
			return value.Value{}, fmt.Errorf("comparision %s only for strings or integers", op)
		}
		return value.OfBool(holds(op, strings.Compare(x, y))), nil
	}
	return value.False, nil
}

func holds(op Op, order int) bool {
	switch op {
	case Lt:
		return order < 0
	case Le:
		return order <= 0
	case Gt:
		return order > 0
	}
	return order >= 0
}

// Equal reports whether a == b. The right operand is converted to the kind of
// the left, so the relation is not symmetric: 1 == true, but not true == 1.
func Equal(c Context, a, b value.Value) (bool, error) {
	if a.Kind == b.Kind {
		switch a.Kind {
		case value.Int, value.Bool:
			return a.Num == b.Num, nil
		case value.String:
			return a.Str == b.Str, nil
		}
	}
	s := c.Store()
	if a.Kind == value.List || a.Kind == value.Map {
		q := comparison{s: s}
		return q.run(a, b)
	}
	return equalScalar(s, a, b)
}

func equalScalar(s *value.Store, a, b value.Value) (bool, error) {
	if _, ok := str(a); ok && (b.Kind == value.List || b.Kind == value.Map) {
		return false, errUncomparable
	}
	x, ok := convert(s, a.Kind, a)
	if !ok {
		return false, nil
	}
	y, ok := convert(s, a.Kind, b)
	return ok && x == y, nil
}

// A form is what a value becomes when it is compared with a left operand of
// some kind. Two values are equal if both have a form and the forms are equal;
// uniq relies on this to find equal elements by hash.
type form struct {
	kind value.Kind
	num  int64
	str  string
}

// convert returns the form of v for a left operand of the given kind.
func convert(s *value.Store, left value.Kind, v value.Value) (form, bool) {
	t, text := str(v)
	switch left {
	case value.Null:
		return form{kind: left}, v.Kind == value.Null
	case value.Bool:
		if text {
			b, err := strconv.ParseBool(strings.ToLower(t))
			return form{kind: left, num: value.OfBool(b).Num}, err == nil
		}
		return form{kind: left, num: v.Num}, v.Kind == value.Bool
	case value.Int:
		return intForm(v)
	case value.Float:
		return floatForm(v)
	case value.String, value.Expr:
		if v.Kind == value.Lambda {
			return form{kind: value.String, str: lambdaText(s, v)}, true
		}
		t, text = v.Text()
		return form{kind: value.String, str: t}, text
	case value.Big:
		return form{kind: left, str: v.Str}, text || v.Kind == value.Big
	case value.Lambda:
		if v.Kind != value.Lambda {
			return form{}, false
		}
		return form{kind: left, str: lambdaText(s, v)}, true
	case value.Template:
		if v.Kind != value.Template {
			return form{}, false
		}
		return form{kind: left, num: int64(s.Node(v.Ref).Pay)}, true
	}
	return form{}, false
}

func intForm(v value.Value) (form, bool) {
	switch v.Kind {
	case value.Int, value.Bool:
		return form{kind: value.Int, num: v.Num}, true
	case value.Float:
		f := realForm(v.Float())
		return f, f.kind == value.Int
	case value.String, value.Expr:
		n, err := strconv.ParseInt(v.Str, 10, 64)
		return form{kind: value.Int, num: n}, err == nil
	}
	return form{}, false
}

func floatForm(v value.Value) (form, bool) {
	switch v.Kind {
	case value.Int:
		return form{kind: value.Int, num: v.Num}, true
	case value.Float:
		return realForm(v.Float()), !math.IsNaN(v.Float())
	case value.String, value.Expr:
		f, err := strconv.ParseFloat(v.Str, 64)
		return realForm(f), err == nil && !math.IsNaN(f)
	}
	return form{}, false
}

// realForm tells whole numbers from others, so that integers and floats
// compare exactly, also where a float64 cannot tell neighbouring integers.
func realForm(f float64) form {
	const limit = 1 << 63
	if f >= -limit && f < limit && f == math.Trunc(f) {
		return form{kind: value.Int, num: int64(f)}
	}
	return form{kind: value.Float, num: int64(math.Float64bits(f))}
}

// rememberAfter is the number of compared pairs from which on pairs of lists
// and maps are remembered: values are shared, and a small document may denote
// an enormous tree.
const rememberAfter = 1 << 12

type pair struct{ a, b value.ID }

// A comparison compares lists and maps with a stack of its own, because
// documents may be nested deeper than is good for the stack of the machine.
type comparison struct {
	s    *value.Store
	work []pair
	done int
	seen map[pair]struct{}
}

func (q *comparison) run(a, b value.Value) (bool, error) {
	ok, err := q.step(a, b)
	for ok && err == nil && len(q.work) > 0 {
		p := q.work[len(q.work)-1]
		q.work = q.work[:len(q.work)-1]
		// A node is equal to itself, even if a NaN is in it.
		if p.a != p.b {
			ok, err = q.step(load(q.s, p.a), load(q.s, p.b))
		}
	}
	return ok && err == nil, err
}

// step compares two values but for their elements, which it adds to the work.
func (q *comparison) step(a, b value.Value) (bool, error) {
	if a.Kind != value.List && a.Kind != value.Map {
		return equalScalar(q.s, a, b)
	}
	if a.Kind != b.Kind || q.s.Node(a.Ref).Len != q.s.Node(b.Ref).Len {
		return false, nil
	}
	if q.known(pair{a.Ref, b.Ref}) {
		return true, nil
	}
	if a.Kind == value.Map {
		return q.pushMap(a.Ref, b.Ref), nil
	}
	x, y := elems(q.s, a), elems(q.s, b)
	for i := len(x) - 1; i >= 0; i-- {
		q.work = append(q.work, pair{x[i], y[i]})
	}
	return true, nil
}

func (q *comparison) pushMap(a, b value.ID) bool {
	m, n := q.s.Node(a), q.s.Node(b)
	keys, vals := q.s.Keys(m), q.s.Vals(m)
	keys2, vals2 := q.s.Keys(n), q.s.Vals(n)
	for i := len(keys) - 1; i >= 0; i-- {
		other := vals2[i]
		if keys2[i] != keys[i] {
			other = q.s.Get(b, keys[i])
		}
		if other == 0 {
			return false
		}
		q.work = append(q.work, pair{vals[i], other})
	}
	return true
}

// known reports whether a pair was met before. If it was, its elements are
// found equal or are still on the stack.
func (q *comparison) known(p pair) bool {
	if q.done++; q.done < rememberAfter {
		return false
	}
	if q.seen == nil {
		q.seen = map[pair]struct{}{}
	}
	if _, ok := q.seen[p]; ok {
		return true
	}
	q.seen[p] = struct{}{}
	return false
}
