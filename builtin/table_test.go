// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/dynaml/spiff/value"
)

func TestTable(t *testing.T) {
	want := strings.Fields(`format error join split trim uniq contains index lastindex replace match length
		defined valid require exec eval env read static_ips list_to_map makemap min_ip max_ip num_ip`)
	if len(Table) != len(want) {
		t.Errorf("%d rows, want %d", len(Table), len(want))
	}
	for _, name := range want {
		if Lookup(name) < 0 {
			t.Errorf("%s has no row", name)
		}
	}
	if Lookup("nope") != -1 {
		t.Error("a name that is in no row was found")
	}
	seen := map[string]bool{}
	for i, r := range Table {
		if seen[r.Name] || Lookup(r.Name) != i {
			t.Errorf("%s stands twice", r.Name)
		}
		seen[r.Name] = true
		if (r.Fn == nil) != r.Special {
			t.Errorf("%s: a function has an Fn, a special form has none", r.Name)
		}
		if r.Doc == "" || r.Spec == "" || r.Result == "" || !strings.HasSuffix(r.Doc, ".") {
			t.Errorf("%s: Doc, Spec or Result is missing", r.Name)
		}
		if r.Max >= 0 && (r.Max < r.Min || len(r.Args) != r.Max) || len(r.Args) == 0 {
			t.Errorf("%s: %d to %d arguments, but %d are described", r.Name, r.Min, r.Max, len(r.Args))
		}
	}
}

// The kinds in Args and Result are those of messages.
func TestTableKinds(t *testing.T) {
	known := map[string]bool{"any": true}
	for k := value.None; k <= value.Template; k++ {
		known[k.String()] = true
	}
	for _, r := range Table {
		lists := []string{r.Result}
		for _, a := range r.Args {
			name, list, ok := strings.Cut(a, ": ")
			if !ok || name == "" {
				t.Errorf("%s: argument %q is not of the form \"name: kinds\"", r.Name, a)
			}
			lists = append(lists, list)
		}
		for _, list := range lists {
			for k := range strings.SplitSeq(list, "|") {
				if !known[k] {
					t.Errorf("%s: %q is no kind", r.Name, k)
				}
			}
		}
	}
}

func TestArity(t *testing.T) {
	for _, r := range Table {
		if r.Special {
			continue
		}
		f := newFake()
		for _, n := range []int{r.Min - 1, r.Max + 1} {
			if n < 0 || r.Max < 0 && n > r.Max && n != r.Min-1 {
				continue
			}
			args := make([]value.Value, n)
			for i := range args {
				args[i] = value.OfString("10.0.0.0/8")
			}
			if v, err := r.Fn(f, args); err == nil {
				t.Errorf("%s with %d arguments yields %s", r.Name, n, show(f.s, v))
			} else if err.Error() == "" {
				t.Errorf("%s with %d arguments fails without a message", r.Name, n)
			}
		}
	}
}

func samples(f fake) []value.Value {
	return f.args([]any{
		nil, true, 0, -1, 3, int64(math.MinInt64), 2.5, math.NaN(), digits("99999999999999999999"),
		"", "a", "%s %999999999d %*d %[9]v %", "(", "10.0.0.1", "fe80::/10",
		value.Value{Kind: value.Expr, Str: "(( a ))"},
		[]any{}, []any{1, "a", nil, []any{true}, pending(value.MaxID + 1)}, keyed{"id", []any{fields{{"id", "x"}}}},
		fields{}, fields{{"name", "a"}, {"key", 1}, {"value", nil}, {"p", pending(value.MaxID + 2)}},
		lambda("lambda|x|->x"), template("t"),
	})
}

var leak = regexp.MustCompile(`value\.|interface|0x|%!|runtime`)

// No argument makes a function or an operator panic, and no message shows
// what it is made of.
func TestNoPanic(t *testing.T) {
	try := func(name string, args []value.Value, fn func() error) {
		defer func() {
			if p := recover(); p != nil {
				t.Fatalf("%s panics for %v: %v", name, args, p)
			}
		}()
		if err := fn(); err != nil && name != "error" && (leak.MatchString(err.Error()) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: message %q", name, err)
		}
	}
	all := samples(newFake())
	var lists [][]value.Value
	for n := range 4 {
		lists = append(lists, tuples(all, n)...)
	}
	for _, r := range Table {
		if r.Special {
			continue
		}
		f := newFake()
		samples(f) // the same nodes in a store of its own
		for _, args := range lists {
			try(r.Name, args, func() error { _, err := r.Fn(f, args); return err })
		}
	}
	f := newFake()
	samples(f)
	name := func(i int) string { return fmt.Sprint("n", i) }
	for _, args := range lists[1:] {
		try("concatenation", args, func() error { _, err := Concat(f, args, name); return err })
	}
	for _, p := range tuples(all, 2) {
		for op := Add; op <= Mod; op++ {
			try(op.String(), p, func() error { _, err := Arith(f, op, p[0], p[1]); return err })
		}
		for op := Eq; op <= Ge; op++ {
			try(op.String(), p, func() error { _, err := Compare(f, op, p[0], p[1]); return err })
		}
		try("range", p, func() error { _, err := Range(f, p[0], p[1]); return err })
		AndOr(f, Or, p[0], p[1])
		AndOr(f, And, p[0], p[1])
	}
}

func tuples(all []value.Value, n int) (lists [][]value.Value) {
	if n == 0 {
		return [][]value.Value{nil}
	}
	for _, rest := range tuples(all, n-1) {
		for _, v := range all {
			lists = append(lists, append(rest[:len(rest):len(rest)], v))
		}
	}
	return lists
}
