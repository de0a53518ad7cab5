// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/dynaml/spiff/value"
)

var (
	sl = []any{"a", "b", "c"}
	m  = fields{{"a", 1}, {"b", 2}}
	nl = []any{fields{{"name", "alice"}, {"age", 25}}, fields{{"name", "bob"}, {"age", 24}}}
)

func TestStrings(t *testing.T) {
	testFunc(t, map[string][]funcCase{
		"join": {
			{[]any{", ", "bob", sl, "str", 10}, `"bob, a, b, c, str, 10"`},
			{[]any{", "}, `""`},
			{nil, "error: at least one argument required for 'join'"},
			{[]any{1, "a", "b"}, `"a1b"`},
			{[]any{sl, "a"}, "error: first argument for join must be a string"},
			{[]any{nil}, "error: first argument for join must be a string"},
			{[]any{nil, "a", "b"}, `"b"`},
			{[]any{", ", "a", nil, "b"}, `"a, b"`},
			{[]any{", ", []any{nil}}, "error: elements of list(arg 1) to join must be simple values"},
			{[]any{", ", m}, "error: argument 1 to join must be simple value or list"},
			{[]any{m}, "error: argument 0 to join must be simple value or list"},
			{[]any{", ", true}, `"true"`},
			{[]any{", ", 1.5}, "error: argument 1 to join must be simple value or list"},
		},
		"split": {
			{[]any{",", "a,b,c"}, `["a" "b" "c"]`},
			{[]any{",", ""}, `[""]`},
			{[]any{"", "abc"}, `["a" "b" "c"]`},
			{[]any{",", 3}, "error: second argument for split must be a string"},
			{[]any{nil, "a"}, "error: first argument for split must be a string"},
			{[]any{",alice, bob"}, "error: split takes 2 or 3 arguments"},
			{[]any{",", "a,b,c", 2}, `["a" "b,c"]`},
			{[]any{",", "a,b,c", -5}, `["a" "b" "c"]`},
			{[]any{",", "a,b,c", int64(math.MaxInt64)}, `["a" "b" "c"]`},
			{[]any{",", "a,b,c", "2"}, "error: third argument for split must be an integer"},
			{[]any{2, "aébcd"}, `["aé" "bc" "d"]`},
			{[]any{2, "abcde", 2}, `["ab" "cde"]`},
			{[]any{int64(math.MaxInt64), "abc"}, `["abc"]`},
			{[]any{0, "abc"}, "error: split into parts of length 0 is not possible"},
		},
		"trim": {
			{[]any{"  a b  "}, `"a b"`},
			{[]any{"\ta\n"}, `"a\n"`},
			{[]any{[]any{"  a ", "b "}}, `["a" "b"]`},
			{[]any{"xxaxx", "x"}, `"a"`},
			{[]any{1}, "error: trim accepts only a string or list"},
			{[]any{[]any{1}}, "error: list elements must be strings to be trimmed"},
			{[]any{"a", 1}, "error: second argument of split must be a string"},
			{nil, "error: trim takes one or two arguments"},
		},
		"replace": {
			{[]any{"foobar", "o", "u"}, `"fuubar"`},
			{[]any{"foobar", "o", "u", 1}, `"fuobar"`},
			{[]any{"foobar", "o", "u", 0}, `"foobar"`},
			{[]any{"foobar", "o", "u", -1}, `"fuubar"`},
			{[]any{"foobar", "", "-"}, `"-f-o-o-b-a-r-"`},
			{[]any{"foobar", "o", 1}, "error: replace: replace substitution must be string or lambda"},
			{[]any{"foobar", "o", lambda("f")}, "error: replace: a lambda as substitution is not supported"},
			{[]any{1, "o", "u"}, "error: first argument for replace must be a string"},
			{[]any{"a", 1, "u"}, "error: second argument for replace must be a string"},
			{[]any{"a", "b", "c", "d"}, "error: fourth argument for replace must be an integer"},
			{[]any{"a", "b"}, "error: replace requires at least 3 arguments"},
		},
		"match": {
			{[]any{"(f.*)(b.*)", "xxxfoobar"}, `["foobar" "foo" "bar"]`},
			{[]any{"(f.)(b.)", "xxxfoobar"}, "[]"},
			{[]any{"(a)?b", "b"}, `["b" ""]`},
			{[]any{"x", nil}, "false"},
			{[]any{"1", 1}, `["1"]`},
			{[]any{"(", "x"}, "error: match: error parsing regexp: missing closing ): `(`"},
			{[]any{1, "x"}, "error: pattern string for argument one of function match required"},
			{[]any{"x", sl}, "error: simple value for argument two of function match required"},
		},
		"length": {
			{[]any{sl}, "3"},
			{[]any{m}, "2"},
			{[]any{"str"}, "3"},
			{[]any{"é"}, "2"},
			{[]any{3}, "error: invalid type for function length"},
			{[]any{nil}, "error: invalid type for function length"},
			{nil, "error: length takes exactly 1 argument"},
		},
	})
}

func TestFormat(t *testing.T) {
	testFunc(t, map[string][]funcCase{
		"format": {
			{[]any{"%s %d", "alice", 25}, `"alice 25"`},
			{[]any{"%d", "a"}, `"%!d(string=a)"`},
			{[]any{"%s", []any{1, 2}}, `"[1 2]\n"`},
			{[]any{"%s", m}, `"{a:1 b:2}\n"`},
			{[]any{"%s", lambda("lambda|x|->x")}, `"lambda|x|->x"`},
			{[]any{"%v %v %v", nil, true, 2.5}, `"<nil> true 2.5"`},
			{[]any{"%d", digits("99999999999999999999")}, `"99999999999999999999"`},
			{[]any{"%5.2f|%-5d|%05d", 2.5, 1, 2}, `" 2.50|1    |00002"`},
			{[]any{"%*d", 4, 1}, `"   1"`},
			{[]any{"%[2]*[1]d", 1, 4}, `"   1"`},
			{[]any{"100%"}, `"100%!(NOVERB)"`},
			{[]any{"%999999999d", 1}, "error: format: width 999999999 is too large (limit 10000)"},
			{[]any{"%-099999999999999999999d", 1}, "error: format: width 1125899906842624 is too large (limit 10000)"},
			{[]any{"%d %.100000f", 1, 2.5}, "error: format: width 100000 is too large (limit 10000)"},
			{[]any{"%*d", 100000, 1}, "error: format: width 100000 is too large (limit 10000)"},
			{[]any{"%s %*d", 100000, 3, 2}, `"%!s(int64=100000)   2"`},
			{[]any{"%[2]*[1]d", 1, 100000}, "error: format: width 100000 is too large (limit 10000)"},
			{[]any{"%.[2]*[1]f", 1.5, -100000}, "error: format: width 100000 is too large (limit 10000)"},
			{[]any{"%d %T", 1, 1}, "error: format: verb %T is not supported"},
			{[]any{"%[2]s %[1]s", "a", "b"}, `"b a"`},
			{[]any{"%[3]s", "a"}, "error: format: invalid argument index in '%[3]s'"},
			{[]any{"%[d%*d", "a"}, "error: format: invalid argument index in '%[d%*d'"},
			{[]any{"%[1]5d", 1}, "error: format: invalid argument index in '%[1]5d'"},
			{[]any{"%%T"}, `"%T"`},
			{[]any{3}, "error: format: first argument is an integer, format must be string"},
			{[]any{nil}, "error: format: first argument is nil, format must be string"},
			{nil, "error: alt least one argument required for 'format'"},
		},
		"error": {
			{[]any{"foo %s", "str"}, "error: foo str"},
			{[]any{"foo"}, "error: foo"},
			{[]any{[]any{}}, "error: error: first argument is a list, format must be string"},
			{nil, "error: alt least one argument required for 'error'"},
		},
	})
}

func TestLists(t *testing.T) {
	nan := math.NaN()
	testFunc(t, map[string][]funcCase{
		"uniq": {
			{[]any{[]any{"a", "b", "a", 0, "0"}}, `["a" "b" 0]`},
			{[]any{[]any{"0", 0}}, `["0"]`},
			{[]any{[]any{0, "0", false}}, "[0 false]"},
			{[]any{[]any{false, 0}}, "[false]"},
			{[]any{[]any{true, "true", 1}}, "[true]"},
			{[]any{[]any{"x", true, "t", "true"}}, `["x" true "t"]`},
			{[]any{[]any{1, 1.0, 1.5, "1.5", 1.5, nil, nil}}, "[1 1.5 null]"},
			{[]any{[]any{nan, nan}}, "[.nan .nan]"},
			{[]any{[]any{[]any{1}, []any{1}, []any{"1"}, []any{2}}}, "[[1] [2]]"},
			{[]any{[]any{m, fields{{"b", "2"}, {"a", 1}}, fields{{"a", 1}}}}, "[{a:1 b:2} {a:1}]"},
			{[]any{[]any{[]any{}, "a", fields{}, lambda("f"), "f", lambda("f")}}, `[[] "a" {} (f)]`},
			{[]any{[]any{pending(value.MaxID + 1), 1, 1}}, "[#1 1]"},
			{[]any{keyed{"id", []any{1, 1}}}, "id[1]"},
			{[]any{"str"}, "error: invalid type for function uniq"},
			{nil, "error: uniq takes exactly 1 argument"},
		},
		"contains": {
			{[]any{sl, "a"}, "true"},
			{[]any{[]any{1, 2, 3}, "1"}, "true"},
			{[]any{[]any{true}, 1}, "false"},
			{[]any{[]any{[]any{1}, []any{2}}, []any{2}}, "true"},
			{[]any{sl, []any{}}, "false"},
			{[]any{"foobar", "bar"}, "true"},
			{[]any{"foo1", 1}, "true"},
			{[]any{"foobar", sl}, "error: invalid type for check string"},
			{[]any{"foobar", nil}, "false"},
			{[]any{m, "a"}, "true"},
			{[]any{m, "x"}, "false"},
			{[]any{fields{{"1", 1}}, 1}, "true"},
			{[]any{m, nil}, "false"},
			{[]any{m, sl}, "error: invalid type for check string"},
			{[]any{[]any{nil}, nil}, "false"},
			{[]any{nil, 1}, "error: list or string expected for argument one of function contains"},
			{[]any{sl}, "error: function contains takes exactly two arguments"},
		},
		"index": {
			{[]any{[]any{"a", "b", "a"}, "a"}, "0"},
			{[]any{"foobar", "bar"}, "3"},
			{[]any{"foobar", "x"}, "-1"},
			{[]any{sl, nil}, "-1"},
			{[]any{m, "a"}, "error: list or string expected for argument one of function index"},
			{[]any{"a"}, "error: function index takes exactly two arguments"},
		},
		"lastindex": {
			{[]any{[]any{"a", "b", "a"}, "a"}, "2"},
			{[]any{"foofoo", "foo"}, "3"},
			{[]any{sl, "x"}, "-1"},
			{[]any{m, "a"}, "error: list or string expected for argument one of function index"},
		},
	})
}

func TestUniqMany(t *testing.T) {
	f := newFake()
	list := make([]any, 200_000)
	for i := range list {
		list[i] = i / 2
		if i%2 == 1 {
			list[i] = "n" + strings.Repeat("x", i%7)
		}
	}
	start := time.Now()
	v, err := uniq(f, f.args([]any{list}))
	if err != nil || f.s.Node(v.Ref).Len != 100_007 {
		t.Errorf("%d elements, %v", f.s.Node(v.Ref).Len, err)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestMaps(t *testing.T) {
	testFunc(t, map[string][]funcCase{
		"list_to_map": {
			{[]any{nl}, "{alice:{age:25} bob:{age:24}}"},
			{[]any{keyed{"id", []any{fields{{"id", "x"}, {"name", "y"}}}}}, `{x:{name:"y"}}`},
			{[]any{keyed{"id", []any{fields{{"id", "x"}, {"name", "y"}}}}, "name"}, `{y:{id:"x"}}`},
			{[]any{[]any{fields{{"name", "a"}, {"v", 1}}, fields{{"name", "b"}}, fields{{"name", "a"}, {"v", 2}}}}, "{a:{v:2} b:{}}"},
			{[]any{[]any{}}, "{}"},
			{[]any{nl, "age"}, "error: key field 'age' contains no string value"},
			{[]any{nl, "x"}, "error: key field 'x' not found"},
			{[]any{sl}, "error: list entries must by maps"},
			{[]any{m}, "error: list_to_map requires a list as first argument"},
			{[]any{nl, 1}, "error: list_to_map requires a string as second argument"},
			{nil, "error: list_to_map takes 1 or 2 arguments"},
		},
		"makemap": {
			{[]any{"peter", 23, "paul", 22}, "{peter:23 paul:22}"},
			{[]any{1, 2, true, nil, "1", 3}, "{1:3 true:null}"},
			{[]any{nil, 2}, "error: invalid type for key value of arument pair 0"},
			{[]any{"a", 1, sl, 2}, "error: invalid type for key value of arument pair 1"},
			{[]any{"a"}, "error: single argument flavor of mapentry requires a list"},
			{[]any{"a", 1, "b"}, "error: mapentry takes one or two arguments"},
			{nil, "error: mapentry takes one or two arguments"},
			{[]any{[]any{fields{{"key", 2}, {"value", 3}, {"extra", 4}}}}, "{2:3}"},
			{[]any{[]any{}}, "{}"},
			{[]any{[]any{fields{{"key", "a"}}}}, "error: entry 0 has no entry 'value'"},
			{[]any{[]any{fields{{"value", "a"}}}}, "error: entry 0 has no entry 'key'"},
			{[]any{[]any{fields{{"value", 1}, {"key", nil}}}}, "error: invalid type for 'key' value of entry 0"},
			{[]any{[]any{1}}, "error: entry 0 is no map entry"},
		},
	})
}

func TestExec(t *testing.T) {
	testFunc(t, map[string][]funcCase{
		"exec": {
			{[]any{"echo", "foo"}, `"foo"`},
			{[]any{"echo", 5}, "5"},
			{[]any{"echo", -5, true}, `"-5 true"`},
			{[]any{"echo", 2.5, lambda("f")}, `"2.5 f"`},
			{[]any{"echo", "true"}, `"true"`},
			{[]any{"echo", "a: b"}, `{a:"b"}`},
			{[]any{"echo", "- a"}, `"- a"`},
			{[]any{"echo", []any{1}}, `"---\n[1]"`},
			{[]any{"printf", "---\n- a\n"}, `["a"]`},
			{[]any{"printf", "a\nb\n\n"}, `"a\nb"`},
			{[]any{"printf", "x: y: ?"}, `{x:"y: ?"}`},
			{[]any{"printf", "?"}, `"?"`},
			{[]any{"false"}, "error: execution 'false' failed"},
			{[]any{[]any{"echo", "x", "y"}}, `"x y"`},
			{[]any{[]any{}}, "error: exec: argument required"},
			{nil, "error: exec: argument required"},
			{[]any{[]any{"echo"}, "x"}, "error: list not allowed for command argument"},
			{[]any{nil}, "error: invalid command argument: yaml or empty data not supported"},
			{[]any{m, "x"}, "error: invalid command argument: yaml or empty data not supported"},
			{[]any{"echo", nil}, "error: invalid command argument 1: empty data not supported"},
		},
		"env": {
			{[]any{"HOME"}, `"/root"`},
			{[]any{[]any{"HOME"}}, `"/root"`},
			{[]any{"X"}, "error: environment variable 'X' not set"},
			{[]any{"X", "Y"}, "{}"},
			{[]any{"HOME", []any{"X", "USER"}, nil, "HOME"}, `{HOME:"/root" USER:"bob"}`},
			{[]any{nil}, "{}"},
			{[]any{m}, "error: env argument 0 must be simple value or list"},
			{[]any{"A", []any{nil}}, "error: elements of list(arg 1) to env must be simple values"},
			{nil, "error: at least one argument required for 'env'"},
		},
	})
}

func TestNet(t *testing.T) {
	testFunc(t, map[string][]funcCase{
		"min_ip": {
			{[]any{"192.168.0.1/24"}, `"192.168.0.0"`},
			{[]any{"fe80::1/64"}, `"fe80::"`},
			{[]any{"10"}, "error: CIDR argument required"},
			{[]any{"10.0.0.1"}, "error: CIDR argument required"},
			{[]any{1}, "error: CIDR argument required"},
			{[]any{"10.0.0.0/8", "10.0.0.0/8"}, "error: only one argument expected for CIDR function"},
		},
		"max_ip": {
			{[]any{"192.168.0.1/24"}, `"192.168.0.255"`},
			{[]any{"0.0.0.0/0"}, `"255.255.255.255"`},
			{[]any{"10.0.0.1/32"}, `"10.0.0.1"`},
			{[]any{"fe80::1/64"}, `"fe80::ffff:ffff:ffff:ffff"`},
			{[]any{"fe80::1/60"}, `"fe80::f:ffff:ffff:ffff:ffff"`},
		},
		"num_ip": {
			{[]any{"192.168.0.1/24"}, "256"},
			{[]any{"0.0.0.0/0"}, "4294967296"},
			{[]any{"::/66"}, "4611686018427387904"},
			{[]any{"::/65"}, "error: number of addresses of ::/65 is beyond 64 bits"},
		},
	})
}

func TestPool(t *testing.T) {
	p, err := ParsePool([]string{"10.60.3.10 - 10.60.3.70", "10.0.0.1", "10.0.0.0-10.255.255.255", "fe80::1 - fe80::ffff"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Len(), int64(61+1+1<<24+0xffff); got != want {
		t.Errorf("%d addresses, want %d", got, want)
	}
	for _, c := range []struct {
		i    int64
		want string
	}{
		{0, "10.60.3.10"}, {3, "10.60.3.13"}, {60, "10.60.3.70"}, {61, "10.0.0.1"}, {62, "10.0.0.0"},
		{61 + 1<<24, "10.255.255.255"}, {62 + 1<<24, "fe80::1"}, {p.Len() - 1, "fe80::ffff"},
		{-1, ""}, {p.Len(), ""}, {math.MaxInt64, ""},
	} {
		a, ok := p.At(c.i)
		if ok != (c.want != "") || ok && a.String() != c.want {
			t.Errorf("At(%d) = %v, %v; want %q", c.i, a, ok, c.want)
		}
	}
	if _, ok := new(Pool).At(0); ok {
		t.Error("an empty pool has an address")
	}
}

func TestPoolHuge(t *testing.T) {
	p, err := ParsePool([]string{"10.0.0.0 - 10.0.0.9", ":: - ffff::", "::-ffff::"})
	if err != nil || p.Len() != math.MaxInt64 {
		t.Fatalf("%d addresses, %v", p.Len(), err)
	}
	if a, ok := p.At(math.MaxInt64 - 1); !ok || a.String() != "::7fff:ffff:ffff:fff4" {
		t.Errorf("got %v, %v", a, ok)
	}
}

func TestPoolErrors(t *testing.T) {
	for in, want := range map[string]string{
		"10.0.0.9 - 10.0.0.1": "static IP range '10.0.0.9 - 10.0.0.1' ends before it begins",
		"10.0.0.1 - ::1":      "static IP range '10.0.0.1 - ::1' mixes IPv4 and IPv6",
		"10.0.0.1 -":          "invalid static IP range '10.0.0.1 -'",
		"10.0.0.0/8":          "invalid static IP range '10.0.0.0/8'",
		"fe80::1%eth0":        "invalid static IP range 'fe80::1%eth0'",
		"":                    "invalid static IP range ''",
	} {
		if _, err := ParsePool([]string{in}); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
}
