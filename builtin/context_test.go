// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dynaml/spiff/value"
)

// fake is a Context without files and processes. Its YAML is a flow notation,
// enough to tell values apart.
type fake struct{ s *value.Store }

func newFake() fake { return fake{value.NewStore()} }

func (f fake) Store() *value.Store { return f.s }
func (f fake) At() value.Node      { return value.Node{Start: 1, End: 2} }
func (f fake) MaxRange() int       { return DefaultMaxRange }
func (f fake) Spend(int) error     { return nil }

func (f fake) YAML(v value.Value) (string, error) { return show(f.s, v) + "\n", nil }

// ParseYAML knows documents of the forms "- a" and "a: b".
func (f fake) ParseYAML(_, text string) (value.Value, error) {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "---\n"), "\n")
	if item, ok := strings.CutPrefix(text, "- "); ok {
		return f.of([]any{item}), nil
	}
	if k, v, ok := strings.Cut(text, ": "); ok {
		return f.of(fields{{k, v}}), nil
	}
	return value.Value{}, errors.New("no document")
}

func (f fake) Regexp(p string) (*Pattern, error) { return CompilePattern(p) }

// Exec knows echo and printf; every other command fails.
func (f fake) Exec(argv []string) (string, error) {
	switch argv[0] {
	case "echo":
		return strings.Join(argv[1:], " ") + "\n", nil
	case "printf":
		return strings.Join(argv[1:], ""), nil
	}
	return "", errors.New("exit status 1")
}

func (f fake) LookupEnv(name string) (string, bool, error) {
	v, ok := map[string]string{"HOME": "/root", "USER": "bob"}[name]
	return v, ok, nil
}

type (
	field struct {
		key string
		val any
	}
	fields []field
	keyed  struct {
		field string
		list  []any
	}
	lambda   string
	template string
	digits   string
	pending  value.ID
)

func (l lambda) Text() string { return string(l) }

// of makes a value of a Go value.
func (f fake) of(x any) value.Value {
	switch x := x.(type) {
	case value.Value:
		return x
	case bool:
		return value.OfBool(x)
	case int:
		return value.OfInt(int64(x))
	case int64:
		return value.OfInt(x)
	case float64:
		return value.OfFloat(x)
	case string:
		return value.OfString(x)
	case digits:
		return value.Value{Kind: value.Big, Str: string(x)}
	case lambda:
		return f.s.Load(f.s.New(value.Node{Kind: value.Lambda, Pay: f.s.AddObject(x)}))
	case template:
		return f.s.Load(f.s.New(value.Node{Kind: value.Template, Pay: f.s.AddObject(x)}))
	case []any:
		return f.of(keyed{"", x})
	case keyed:
		var ids []value.ID
		for _, e := range x.list {
			ids = append(ids, f.put(e))
		}
		return f.s.Load(f.s.ListNode(value.Node{}, ids, f.s.Intern(x.field)))
	case fields:
		var keys []value.Sym
		var vals []value.ID
		for _, e := range x {
			keys, vals = append(keys, f.s.Intern(e.key)), append(vals, f.put(e.val))
		}
		return f.s.Load(f.s.MapNode(value.Node{}, keys, vals))
	}
	return value.NullVal
}

func (f fake) put(x any) value.ID {
	if id, ok := x.(pending); ok {
		return value.ID(id)
	}
	return f.s.Put(f.of(x), value.Node{})
}

func (f fake) args(list []any) []value.Value {
	vs := make([]value.Value, len(list))
	for i, x := range list {
		vs[i] = f.of(x)
	}
	return vs
}

// show prints a value: strings quoted, keys in their order.
func show(s *value.Store, v value.Value) string {
	var parts []string
	switch v.Kind {
	case value.Null:
		return "null"
	case value.String, value.Expr:
		return fmt.Sprintf("%q", v.Str)
	case value.List:
		n := s.Node(v.Ref)
		for _, id := range s.Elems(n) {
			parts = append(parts, show(s, load(s, id)))
		}
		if k := s.KeyField(n); k != 0 {
			return s.Name(k) + "[" + strings.Join(parts, " ") + "]"
		}
		return "[" + strings.Join(parts, " ") + "]"
	case value.Map:
		n := s.Node(v.Ref)
		vals := s.Vals(n)
		for i, k := range s.Keys(n) {
			parts = append(parts, s.Name(k)+":"+show(s, load(s, vals[i])))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case value.Lambda:
		return "(" + lambdaText(s, v) + ")"
	case value.Deferred:
		return fmt.Sprintf("#%d", v.Ref-value.MaxID)
	}
	if t, ok := v.Text(); ok {
		return t
	}
	return v.Kind.String()
}

// result is what a test expects: the shown value, or "error: " and the message.
func result(f fake, v value.Value, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return show(f.s, v)
}

type funcCase struct {
	args []any
	want string
}

// testFunc calls the functions of Table by name.
func testFunc(t *testing.T, cases map[string][]funcCase) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			for _, c := range cases[name] {
				f := newFake()
				v, err := Table[Lookup(name)].Fn(f, f.args(c.args))
				if got := result(f, v, err); got != c.want {
					t.Errorf("%s(%v)\n got %s\nwant %s", name, c.args, got, c.want)
				}
			}
		})
	}
}
