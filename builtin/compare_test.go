// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"math"
	"testing"

	"github.com/dynaml/spiff/value"
)

func TestEqual(t *testing.T) {
	l, m := []any{1, 2, 3}, fields{{"a", 1}, {"b", 2}}
	const uncomparable = "error: types uncomparable"
	for _, c := range []struct {
		a, b any
		want string
	}{
		{1, 1, "true"},
		{1, "1", "true"},
		{1, "x", "false"},
		{"1", 1, "true"},
		{"01", 1, "false"},
		{1, "01", "true"},
		{1, true, "true"},
		{0, false, "true"},
		{true, 1, "false"},
		{"true", true, "true"},
		{true, "true", "true"},
		{true, "1", "true"},
		{true, "T", "true"},
		{false, "FALSE", "true"},
		{false, "x", "false"},
		{1.0, 1.0, "true"},
		{1.5, 1, "false"},
		{2.0, 2, "true"},
		{2, 2.0, "true"},
		{2, 2.5, "false"},
		{int64(1 << 53), float64(1 << 53), "true"},
		{int64(1<<53 + 1), float64(1 << 53), "false"},
		{int64(math.MaxInt64), math.Ldexp(1, 63), "false"},
		{2.5, "2.5", "true"},
		{"2.5", 2.5, "true"},
		{math.NaN(), math.NaN(), "false"},
		{0.0, math.Copysign(0, -1), "true"},
		{digits("99999999999999999999"), digits("99999999999999999999"), "true"},
		{digits("99999999999999999999"), "99999999999999999999", "true"},
		{"99999999999999999999", digits("99999999999999999999"), "true"},
		{1, digits("99999999999999999999"), "false"},
		{"str", nil, "false"},
		{nil, "", "false"},
		{nil, nil, "true"},
		{0, nil, "false"},
		{nil, []any{}, "false"},
		{l, []any{"1", "2", "3"}, "true"},
		{l, []any{1, 2}, "false"},
		{[]any{nil}, []any{1}, "false"},
		{[]any{"a"}, []any{[]any{}}, uncomparable},
		{[]any{1, "a"}, []any{2, []any{}}, "false"},
		{m, fields{{"b", 2}, {"a", 1}}, "true"},
		{m, fields{{"a", 1}, {"c", 2}}, "false"},
		{m, l, "false"},
		{l, m, "false"},
		{l, "str", "false"},
		{1, l, "false"},
		{"str", l, uncomparable},
		{"str", m, uncomparable},
		{lambda("f"), lambda("f"), "true"},
		{lambda("f"), lambda("g"), "false"},
		{"f", lambda("f"), "true"},
		{lambda("f"), "f", "false"},
		{template("t"), template("t"), "false"},
		{[]any{pending(value.MaxID + 1)}, []any{pending(value.MaxID + 1)}, "true"},
		{[]any{pending(value.MaxID + 1)}, []any{pending(value.MaxID + 2)}, "false"},
	} {
		f := newFake()
		a, b := f.of(c.a), f.of(c.b)
		v, err := Compare(f, Eq, a, b)
		if got := result(f, v, err); got != c.want {
			t.Errorf("%v == %v is %s, want %s", c.a, c.b, got, c.want)
		}
		ne, err2 := Compare(f, Ne, a, b)
		if (err == nil) != (err2 == nil) || err == nil && ne.Bool() == v.Bool() {
			t.Errorf("%v != %v is %s", c.a, c.b, result(f, ne, err2))
		}
	}
}

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		a    any
		op   Op
		b    any
		want string
	}{
		{1, Lt, 2, "true"},
		{2, Lt, 2, "false"},
		{2, Le, 2, "true"},
		{2, Ge, 2, "true"},
		{2, Gt, 2, "false"},
		{3, Gt, 2, "true"},
		{"a", Lt, "b", "true"},
		{"10", Lt, "9", "true"},
		{"a", Lt, 1, "error: comparision < only for strings or integers"},
		{1, Lt, "a", "error: comparision < only for integers or strings"},
		{1, Ge, nil, "error: comparision >= only for integers or strings"},
		{1.5, Lt, 2, "false"},
		{nil, Lt, 1, "false"},
		{true, Ge, true, "false"},
		{digits("99999999999999999999"), Gt, 1, "error: integer 99999999999999999999 is beyond 64 bits"},
	} {
		f := newFake()
		v, err := Compare(f, c.op, f.of(c.a), f.of(c.b))
		if got := result(f, v, err); got != c.want {
			t.Errorf("%v %s %v is %s, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
}

// Values nested a million deep, and values that share so much that the tree
// they denote has 2^64 leaves, are compared.
func TestEqualDeep(t *testing.T) {
	f := newFake()
	deep := func() value.Value {
		id := f.put(1)
		for range 1_000_000 {
			id = f.s.ListNode(value.Node{}, []value.ID{id}, 0)
		}
		return f.s.Load(id)
	}
	wide := func() value.Value {
		id := f.put(1)
		for range 64 {
			id = f.s.ListNode(value.Node{}, []value.ID{id, id}, 0)
		}
		return f.s.Load(id)
	}
	for _, make := range []func() value.Value{deep, wide} {
		if eq, err := Equal(f, make(), make()); !eq || err != nil {
			t.Errorf("got %v, %v", eq, err)
		}
	}
}
