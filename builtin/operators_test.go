// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"math"
	"strings"
	"testing"

	"github.com/dynaml/spiff/value"
)

func TestArith(t *testing.T) {
	const maxInt, minInt int64 = math.MaxInt64, math.MinInt64
	for _, c := range []struct {
		a    any
		op   Op
		b    any
		want string
	}{
		{1, Add, 2, "3"},
		{3, Sub, 5, "-2"},
		{6, Mul, -7, "-42"},
		{7, Div, 2, "3"},
		{-7, Div, 2, "-3"},
		{-7, Mod, 3, "-1"},
		{7, Mod, -3, "1"},
		{7, Div, 0, "error: division by zero"},
		{7, Mod, 0, "error: division by zero"},
		{1.5, Div, 0, "error: division by zero"},
		{maxInt, Add, 1, "error: integer overflow in 9223372036854775807 + 1"},
		{minInt, Add, -1, "error: integer overflow in -9223372036854775808 + -1"},
		{minInt, Sub, 1, "error: integer overflow in -9223372036854775808 - 1"},
		{0, Sub, minInt, "error: integer overflow in 0 - -9223372036854775808"},
		{-1, Sub, minInt, "9223372036854775807"},
		{minInt, Add, 0, "-9223372036854775808"},
		{minInt, Sub, 0, "-9223372036854775808"},
		{int64(1 << 32), Mul, int64(1 << 31), "error: integer overflow in 4294967296 * 2147483648"},
		{int64(1 << 32), Mul, int64(-1 << 31), "-9223372036854775808"},
		{minInt, Mul, -1, "error: integer overflow in -9223372036854775808 * -1"},
		{minInt, Mul, 1, "-9223372036854775808"},
		{minInt, Mul, 0, "0"},
		{int64(1 << 62), Mul, int64(1 << 62), "error: integer overflow in 4611686018427387904 * 4611686018427387904"},
		{minInt, Div, -1, "error: integer overflow in -9223372036854775808 / -1"},
		{minInt, Mod, -1, "error: integer overflow in -9223372036854775808 % -1"},
		{1, Add, 2.5, "3.5"},
		{2.5, Sub, 1, "1.5"},
		{2.5, Mul, 2.0, "5"},
		{1, Div, 2.0, "0.5"},
		{2.5, Mod, 2, "error: integer operand required"},
		{"a", Mod, 2, "error: integer operand required"},
		{digits("9223372036854775808"), Add, 1, "error: integer 9223372036854775808 is beyond 64 bits"},
		{1, Mod, digits("9223372036854775808"), "error: integer 9223372036854775808 is beyond 64 bits"},

		{3, Add, "str", "error: non-IP address addition requires number arguments"},
		{3, Add, true, "error: non-IP address addition requires number arguments"},
		{3, Add, nil, "error: non-IP address addition requires number arguments"},
		{nil, Add, 3, "error: non-IP address addition requires number arguments"},
		{nil, Sub, 3, "error: non-IP address subtration requires number arguments"},
		{[]any{}, Mul, 3, "error: non-CIDR multiplication requires number arguments"},
		{fields{}, Div, 3, "error: non-CIDR division requires number arguments"},
		{"str", Add, 3, "error: first argument for addition must be IP address, CIDR or number"},
		{"1", Add, 1, "error: first argument for addition must be IP address, CIDR or number"},
		{"1", Sub, 1, "error: first argument for subtraction must be IP address, CIDR or number"},

		{"10.0.0.1", Add, 1, `"10.0.0.2"`},
		{"10.0.0.255", Add, 1, `"10.0.1.0"`},
		{"10.0.0.0", Sub, 1, `"9.255.255.255"`},
		{"10.0.0.0", Add, -1, `"9.255.255.255"`},
		{"10.10.10.10", Add, 247 + 256*256, `"10.11.11.1"`},
		{"fe80::1", Add, 1, `"fe80::2"`},
		{"::ffff:ffff:ffff:ffff", Add, 1, `"0:0:0:1::"`},
		{"0:0:0:1::", Sub, 1, `"::ffff:ffff:ffff:ffff"`},
		{"::ffff:10.0.0.1", Add, 1, `"10.0.0.2"`},
		{"255.255.255.255", Add, 1, "error: IPv4 address overflow in 255.255.255.255 + 1"},
		{"0.0.0.0", Sub, 1, "error: IPv4 address overflow in 0.0.0.0 - 1"},
		{"0.0.0.0", Sub, minInt, "error: IPv4 address overflow in 0.0.0.0 - -9223372036854775808"},
		{"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Add, 1, "error: IPv6 address overflow in ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff + 1"},
		{"10.0.0.1", Add, "1", "error: addition argument for an IP address requires an integer argument"},
		{"10.0.0.1", Sub, "1", "error: subtraction argument for an IP address requires an IP address or integer argument"},
		{1, Add, "10.0.0.1", "error: non-IP address addition requires number arguments"},
		{"10.0.0.5", Sub, "10.0.0.1", "4"},
		{"10.0.0.1", Sub, "10.0.0.5", "-4"},
		{"10.0.1.5", Sub, "10.0.0.1", "260"},
		{"fe80::", Sub, "::1", "error: integer overflow in fe80:: - ::1"},
		{"10.0.0.1", Sub, "::1", "error: IPv6 address ::1 cannot be subtracted from IPv4 address 10.0.0.1"},

		{"10.0.0.0/24", Add, 1, `"10.0.0.1/24"`},
		{"10.0.0.0/24", Add, 255, `"10.0.0.255/24"`},
		{"10.0.0.5/24", Sub, 5, `"10.0.0.0/24"`},
		{"10.0.0.0/24", Add, 256, "error: resulting ip address not in CIDR range"},
		{"0.0.0.0/0", Sub, 1, "error: resulting ip address not in CIDR range"},
		{"10.0.0.0/24", Add, "1", "error: addition argument for a CIDR requires an integer argument"},
		{"10.0.0.0/24", Sub, nil, "error: subtraction argument for a CIDR requires an integer argument"},
		{"10.0.0.7/24", Mul, 2, `"10.0.2.0/24"`},
		{"10.0.0.7/24", Mul, -1, `"9.255.255.0/24"`},
		{"fe80::/64", Mul, 2, `"fe80:0:0:2::/64"`},
		{"::/8", Mul, 255, `"ff00::/8"`},
		{"::/8", Mul, 256, "error: IPv6 address overflow in ::/8 * 256"},
		{"::/0", Mul, 0, `"::/0"`},
		{"::/0", Mul, 1, "error: IPv6 address overflow in ::/0 * 1"},
		{"10.0.0.0/8", Mul, 246, "error: IPv4 address overflow in 10.0.0.0/8 * 246"},
		{"10.0.0.0/8", Mul, 1.5, "error: CIDR multiplication requires an integer argument"},
		{"10.0.0.0", Mul, 2, "error: first argument of multiplication must be CIDR or number: invalid CIDR address: 10.0.0.0"},
		{"10.0.0.0/24", Div, 1, `"10.0.0.0/24"`},
		{"10.0.0.0/24", Div, 3, `"10.0.0.0/26"`},
		{"10.0.0.0/24", Div, 4, `"10.0.0.0/26"`},
		{"10.0.0.0/24", Div, 256, `"10.0.0.0/32"`},
		{"10.0.0.0/24", Div, 257, "error: CIDR 10.0.0.0/24 has less than 257 addresses"},
		{"10.0.0.0/24", Div, 0, "error: IP address division requires a positive integer argument"},
		{"10.0.0.0/24", Div, minInt, "error: IP address division requires a positive integer argument"},
		{"10.0.0.0/24", Div, nil, "error: CIDR division requires an integer argument"},
		{"a\nb", Div, 2, `error: first argument of division must be CIDR or number: invalid CIDR address: "a\nb"`},
	} {
		f := newFake()
		v, err := Arith(f, c.op, f.of(c.a), f.of(c.b))
		if got := result(f, v, err); got != c.want {
			t.Errorf("%v %s %v\n got %s\nwant %s", c.a, c.op, c.b, got, c.want)
		}
	}
}

func TestArithAllocs(t *testing.T) {
	f := newFake()
	var c Context = f
	n := testing.AllocsPerRun(100, func() {
		for op := Add; op <= Mod; op++ {
			if _, err := Arith(c, op, value.OfInt(7), value.OfInt(3)); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n != 0 {
		t.Errorf("integer arithmetic allocates %v times", n)
	}
}

func TestTruth(t *testing.T) {
	f := newFake()
	for _, x := range []any{nil, false, 0, "", []any{}, fields{}} {
		if Truth(f.s, f.of(x)) {
			t.Errorf("%v is true", x)
		}
	}
	for _, x := range []any{true, -1, 0.0, "x", "0", []any{nil}, fields{{"a", nil}}, lambda("l"), template("t"), digits("9")} {
		if !Truth(f.s, f.of(x)) {
			t.Errorf("%v is false", x)
		}
	}
}

func TestAndOr(t *testing.T) {
	for _, c := range []struct {
		a    any
		op   Op
		b    any
		want string
	}{
		{5, Or, 6, "7"},
		{5, And, 6, "4"},
		{0, Or, 0, "0"},
		{5, Or, true, "true"},
		{5, Or, "6", "true"},
		{nil, Or, nil, "false"},
		{true, And, "", "false"},
		{true, And, "x", "true"},
	} {
		f := newFake()
		if got := show(f.s, AndOr(f, c.op, f.of(c.a), f.of(c.b))); got != c.want {
			t.Errorf("%v %s %v = %s, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
}

func TestRange(t *testing.T) {
	const maxInt, minInt int64 = math.MaxInt64, math.MinInt64
	for _, c := range []struct {
		a, b any
		want string
	}{
		{1, 3, "[1 2 3]"},
		{3, 1, "[3 2 1]"},
		{1, -1, "[1 0 -1]"},
		{5, 5, "[5]"},
		{maxInt - 1, maxInt, "[9223372036854775806 9223372036854775807]"},
		{minInt + 1, minInt, "[-9223372036854775807 -9223372036854775808]"},
		{1, int64(99999999999), "error: range [1..99999999999] has too many elements (limit 10000000)"},
		{maxInt, minInt, "error: range [9223372036854775807..-9223372036854775808] has too many elements (limit 10000000)"},
		{0, DefaultMaxRange, "error: range [0..10000000] has too many elements (limit 10000000)"},
		{1, "a", "error: integer operand required, found string"},
		{nil, 1, "error: integer operand required, found nil"},
		{1, digits("9223372036854775808"), "error: integer 9223372036854775808 is beyond 64 bits"},
	} {
		f := newFake()
		v, err := Range(f, f.of(c.a), f.of(c.b))
		if got := result(f, v, err); got != c.want {
			t.Errorf("[%v..%v]\n got %s\nwant %s", c.a, c.b, got, c.want)
		}
	}
}

func TestConcat(t *testing.T) {
	l, m := []any{1, 2}, fields{{"a", 1}, {"b", 2}}
	for _, c := range []struct {
		operands []any
		want     string
	}{
		{[]any{1}, "1"},
		{[]any{1, 2}, `"12"`},
		{[]any{3, "str"}, `"3str"`},
		{[]any{true, "str", digits("99999999999999999999")}, `"truestr99999999999999999999"`},
		{[]any{"a", "b"}, `"ab"`},
		{[]any{"a", "b", "c", 4}, `"abc4"`},
		{[]any{"x", lambda("lambda|x|->x"), "y"}, `"xlambda|x|->xy"`},
		{[]any{nil, "s"}, "error: type 'string'(n1) cannot be concatenated with type 'nil'(n0)"},
		{[]any{"s", nil}, "error: type 'nil'(n1) cannot be concatenated with type 'string'(n0)"},
		{[]any{nil, nil}, "error: type 'nil'(n1) cannot be concatenated with type 'nil'(n0)"},
		{[]any{"s", l}, "error: type 'list'(n1) cannot be concatenated with type 'string'(n0)"},
		{[]any{1, l}, "error: type 'list'(n1) cannot be concatenated with type 'int'(n0)"},
		{[]any{1, 2, l}, "error: type 'list'(n2) cannot be concatenated with type 'string'(n0 n1)"},
		{[]any{m, l}, "error: type 'list'(n1) cannot be concatenated with type 'map'(n0)"},
		{[]any{m, 1}, "error: type 'int'(n1) cannot be concatenated with type 'map'(n0)"},
		{[]any{2.5, "s"}, "error: type 'string'(n1) cannot be concatenated with type 'float'(n0)"},
		{[]any{"s", 2.5}, "error: type 'float'(n1) cannot be concatenated with type 'string'(n0)"},
		{[]any{lambda("f"), "s"}, "error: type 'string'(n1) cannot be concatenated with type 'lambda'(n0)"},
		{[]any{template("f"), "s"}, "error: type 'string'(n1) cannot be concatenated with type 'template'(n0)"},
		{[]any{l, "s"}, `[1 2 "s"]`},
		{[]any{l, nil}, "[1 2]"},
		{[]any{l, []any{nil}}, "[1 2 null]"},
		{[]any{l, l, 2.5, m}, "[1 2 1 2 2.5 {a:1 b:2}]"},
		{[]any{l, lambda("f")}, "[1 2 (f)]"},
		{[]any{[]any{pending(value.MaxID + 1)}, l}, "[#1 1 2]"},
		{[]any{keyed{"id", l}, keyed{"k", l}}, "id[1 2 1 2]"},
		{[]any{l, keyed{"k", l}, keyed{"j", l}}, "k[1 2 1 2 1 2]"},
		{[]any{m, nil}, "{a:1 b:2}"},
		{[]any{m, fields{{"c", 3}, {"a", 4}}, fields{{"d", pending(value.MaxID + 7)}}}, "{a:4 b:2 c:3 d:#7}"},
	} {
		f := newFake()
		v, err := Concat(f, f.args(c.operands), func(i int) string { return "n" + string(rune('0'+i)) })
		if got := result(f, v, err); got != c.want {
			t.Errorf("%v\n got %s\nwant %s", c.operands, got, c.want)
		}
	}
}

// The result never shares its list with an operand, and what is temporary in
// the document is not in what is made of it.
func TestConcatCopies(t *testing.T) {
	f := newFake()
	l := f.of([]any{1})
	tmp := f.s.Load(f.s.With(f.put("x"), value.Temporary))
	v, err := Concat(f, []value.Value{l, tmp}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := show(f.s, l) + show(f.s, v); got != `[1][1 "x"]` {
		t.Errorf("got %s", got)
	}
	if f.s.Node(elems(f.s, v)[1]).Flags&value.Temporary != 0 {
		t.Error("the element is temporary")
	}
	if n := f.s.Node(v.Ref); n.Start != 1 || n.End != 2 {
		t.Error("the list has not the place of the call")
	}
}

func TestConcatMany(t *testing.T) {
	f := newFake()
	const n = 20_000
	texts, maps := make([]any, n), make([]any, n)
	for i := range n {
		texts[i] = i % 10
		maps[i] = fields{{"k" + strings.Repeat("x", i%50) + string(rune('a'+i%26)), i}}
	}
	v, err := Concat(f, f.args(texts), nil)
	if err != nil || len(v.Str) != n {
		t.Errorf("%d characters, %v", len(v.Str), err)
	}
	v, err = Concat(f, f.args(maps), nil)
	if err != nil || f.s.Node(v.Ref).Len != 650 {
		t.Errorf("%d entries, %v", f.s.Node(v.Ref).Len, err)
	}
}
