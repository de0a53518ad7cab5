// SPDX-License-Identifier: Apache-2.0

package spiff_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
)

func mustLoad(t testing.TB, name, text string) *spiff.Document {
	t.Helper()
	d, err := spiff.Load(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func mustMerge(t testing.TB, template string, opts ...spiff.Option) *spiff.Result {
	t.Helper()
	r, err := spiff.Merge(t.Context(), mustLoad(t, "t.yml", template), nil, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

type base struct {
	Region string
}

type server struct {
	Name    string
	Port    uint16         `yaml:"port"`
	Weight  float64        `yaml:"weight,omitempty"`
	Secret  string         `yaml:"-"`
	Labels  map[string]any `yaml:",inline"`
	Next    *server        `yaml:"next,omitempty"`
	Timeout time.Duration
	base    `yaml:",inline"`
}

// What LoadValue takes comes back through the tree.
func TestLoadValue(t *testing.T) {
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	when := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		v    any
		want any
	}{
		{"nil", nil, nil},
		{"scalars", []any{true, 1, int8(-2), uint64(1 << 63), 1.5, float32(0.1), "x", huge, json.Number("7"), json.Number("2.5")},
			[]any{true, int64(1), int64(-2), new(big.Int).SetUint64(1 << 63), 1.5, 0.1, "x", huge, int64(7), 2.5}},
		{"whole floats stay floats", map[string]any{"a": 1.0, "b": []float64{2, 1e30}}, map[string]any{"a": 1.0, "b": []any{2.0, 1e30}}},
		{"texts that look like something else", []string{"1", "true", "~", "", " x ", "a: b", "2024-02-29", "l1\nl2\n", "\x00é", "0x10", "<<", "- a"},
			[]any{"1", "true", "~", "", " x ", "a: b", "2024-02-29", "l1\nl2\n", "\x00é", "0x10", "<<", "- a"}},
		{"bytes", []byte("\xff\x00"), "/wA="},
		{"time", when, "2024-02-29T12:00:00Z"},
		{"struct", &server{Name: "a", Port: 80, Secret: "s", Labels: map[string]any{"zone": "z1"}, Next: &server{Name: "b", Weight: 2}, Timeout: time.Second, base: base{"eu"}},
			map[string]any{"name": "a", "port": int64(80), "zone": "z1", "timeout": "1s", "region": "eu",
				"next": map[string]any{"name": "b", "port": int64(0), "weight": 2.0, "timeout": "0s", "region": ""}}},
		{"empty", map[string]any{"l": []int{}, "m": map[string]int{}, "p": (*int)(nil), "a": [2]int{1, 2}}, map[string]any{"l": []any{}, "m": map[string]any{}, "p": nil, "a": []any{int64(1), int64(2)}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := spiff.LoadValue("v", tt.v)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Docs()[0].Value(); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %#v, want %#v", got, tt.want)
			}
		})
	}
}

type marshals struct{ err error }

func (m marshals) MarshalYAML() (any, error) { return []int{1}, m.err }

func TestLoadValueErrors(t *testing.T) {
	cycle := map[string]any{}
	cycle["self"] = cycle
	type pointer *pointer
	var self pointer
	self = &self
	broken := errors.New("broken")
	tests := []struct {
		name string
		v    any
		want string
	}{
		{"function", map[string]any{"a": []any{1, func() {}}}, "error: v: at a.[1]: a func() cannot be a value"},
		{"channel", make(chan int), "error: v: a chan int cannot be a value"},
		{"keys", map[string]any{"a": map[int]int{1: 2}}, "error: v: at a: the keys of a map are strings, not of type int"},
		{"mixed keys", map[any]any{1: 2}, "error: v: the keys of a map are strings, not 1"},
		{"two keys", server{Labels: map[string]any{"port": 1}}, `error: v: there are two keys "port"`},
		{"inline", struct {
			A int `yaml:",inline"`
		}{}, "error: v: only a struct or a map can be inline, not a int"},
		{"itself", cycle, "error: v: at self.self.self: it nests deeper than 10000 levels: does it contain itself?"},
		{"pointer to itself", self, "error: v: it nests deeper than 10000 levels: does it contain itself?"},
		{"method", map[string]any{"a": marshals{broken}}, "error: v: at a: broken"},
		{"number", json.Number("x"), `error: v: "x" is no number`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := spiff.LoadValue("v", tt.v)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if tt.name == "method" && !errors.Is(err, broken) {
				t.Error("the cause is missing")
			}
		})
	}
	if d, err := spiff.LoadValue("v", marshals{}); err != nil || fmt.Sprint(d.Docs()[0].Value()) != "[1]" {
		t.Errorf("MarshalYAML: %v", err)
	}
}

// Errors have places in the YAML that a value is printed as.
func TestLoadValuePlaces(t *testing.T) {
	d, err := spiff.LoadValue("config", map[string]any{"a": 1, "b": map[string]any{"c": "(( a + nowhere ))"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = spiff.Merge(t.Context(), d, nil)
	if want := "config:3:13: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLoadSources(t *testing.T) {
	fsys := fstest.MapFS{"dir/t.yml": {Data: []byte("a: 1\n")}}
	d, err := spiff.LoadFS(fsys, "dir/t.yml")
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Docs()[0].Get("a").Pos().String(); got != "dir/t.yml:1:4" {
		t.Errorf("got %s", got)
	}
	fails := []struct {
		name string
		load func() (*spiff.Document, error)
		is   error
		code diag.Code
	}{
		{"missing", func() (*spiff.Document, error) { return spiff.LoadFS(fsys, "x.yml") }, fs.ErrNotExist, diag.FileRead},
		{"missing file", func() (*spiff.Document, error) { return spiff.LoadFile(t.TempDir() + "/x.yml") }, fs.ErrNotExist, diag.FileRead},
		{"folder", func() (*spiff.Document, error) { return spiff.LoadFile(t.TempDir()) }, nil, diag.FileRead},
		{"broken", func() (*spiff.Document, error) {
			return spiff.LoadReader("r", io.MultiReader(strings.NewReader("a"), brokenReader{}))
		}, io.ErrUnexpectedEOF, diag.FileRead},
		{"too large", func() (*spiff.Document, error) {
			return spiff.LoadReader("r", strings.NewReader("a: 12345"), spiff.Limits{Input: 5})
		}, nil, diag.FileRead},
		{"too deep", func() (*spiff.Document, error) {
			return spiff.LoadFS(fstest.MapFS{"a": {Data: []byte("[[[[]]]]")}}, "a", spiff.Limits{Depth: 2})
		}, nil, diag.YAMLSyntax},
	}
	for _, tt := range fails {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.load()
			var d *diag.Diagnostic
			if !errors.As(err, &d) || d.Code != tt.code || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("got %v", err)
			}
		})
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// The function read finds what is in a file system, and nothing else.
func TestReadFromFS(t *testing.T) {
	fsys := fstest.MapFS{"data.yml": {Data: []byte("x: (( 1 + 1 ))")}}
	r := mustMerge(t, `a: (( read("data.yml") ))`+"\n"+`b: (( read("/etc/passwd") || "none" ))`+"\n"+`c: (( read("../api_test.go") || "none" ))`, spiff.FS(fsys))
	if got := r.Root().String(); got != "a:\n  x: 2\nb: none\nc: none\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestNode(t *testing.T) {
	r := mustMerge(t, `
jobs:
- name: web
  port: (( 8000 + 80 ))
- name: db
hidden: (( &temporary(1) ))
f: (( |x|->x ))
big: 123456789012345678901234567890
text: "((! not evaluated ))"
float: 1.5
none: ~
quoted: "true"
t: true
`)
	root := r.Root()
	if got := fmt.Sprint(root.Get("jobs", "web", "port"), root.Get("jobs", 0, "port").Pos(), root.Get("jobs", 1, "name"), root.Get("jobs").Len()); got != "8080 t.yml:4:9 db 2" {
		t.Errorf("got %s", got)
	}
	var keys []string
	for k, v := range root.Entries() {
		keys = append(keys, k+" "+v.Kind().String())
	}
	if got, want := strings.Join(keys, ", "), "big int, f string, float float, jobs list, none null, quoted string, t bool, text string"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, _ := root.Get("text").Text(); got != "(( not evaluated ))" {
		t.Errorf("got %s", got)
	}
	for _, n := range []spiff.Node{{}, root.Get("x"), root.Get("jobs", 5), root.Get("jobs", -1), root.Get("jobs", "x"), root.Get("float", "x"), root.Get(1.5), root.Get("x", "y", 0)} {
		if !n.IsZero() || n.Kind() != spiff.NoNode || n.Len() != 0 || n.String() != "" || n.Value() != nil || n.Pos().String() != "-" {
			t.Errorf("%v is a node", n)
		}
		for range n.Elems() {
			t.Error("no node has an element")
		}
		for range n.Entries() {
			t.Error("no node has an entry")
		}
		if err := n.Decode(new(any)); err == nil {
			t.Error("no node can be decoded")
		}
	}
	if f, ok := root.Get("big").Float(); !ok || f != 123456789012345678901234567890 {
		t.Errorf("got %v", f)
	}
	if _, ok := root.Get("big").Int(); ok {
		t.Error("123456789012345678901234567890 is an int64")
	}
	text, err := r.Bytes()
	if err != nil || string(text) != root.String() {
		t.Errorf("got\n%s\nand\n%s", text, root)
	}
}

// A large map and list are looked up by an index.
func TestNodeLarge(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "- name: n%d\n  k%d: %d\n", i, i, i)
	}
	root := mustLoad(t, "t.yml", b.String()).Docs()[0]
	for i := range 1000 {
		if n, ok := root.Get(fmt.Sprintf("n%d", i), fmt.Sprintf("k%d", i)).Int(); !ok || n != int64(i) {
			t.Fatalf("%d: got %d", i, n)
		}
	}
}

func TestDecode(t *testing.T) {
	const text = `
name: web
port: 8080
weight: 2
zone: z1
timeout: 5s
region: eu
when: 2024-02-29
bytes: !!binary aGVsbG8=
big: 18446744073709551615
quoted: "5"
next: {name: db, port: (( 5000 + 432 )), weight: 1.5}
list: [(( name )), (( .port )), ~]
`
	r := mustMerge(t, text)
	var got struct {
		server `yaml:",inline"`
		When   time.Time
		Bytes  string
		Big    uint64
		Quoted string
		List   []any
	}
	if err := r.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Name != "web" || got.Port != 8080 || got.Weight != 2 || got.Next.Port != 5432 || got.Next.Weight != 1.5 ||
		got.Timeout != 5*time.Second || got.Region != "eu" || got.When.Day() != 29 || got.Bytes != "hello" || got.Big != 1<<64-1 || got.Quoted != "5" ||
		fmt.Sprintf("%T %v", got.List[1], got.List) != "int [web 8080 <nil>]" {
		t.Errorf("got %+v", got)
	}
}

func TestDecodeErrors(t *testing.T) {
	r := mustMerge(t, "a: 1\njobs:\n- port: 80\n- port: (( \"x\" \"y\" ))\nm: {k: [1]}\n")
	var v struct {
		A    int
		Jobs []struct{ Port int }
		M    map[string]string
	}
	err := r.Decode(&v)
	var list diag.List
	if !errors.As(err, &list) || v.A != 1 || v.Jobs[0].Port != 80 {
		t.Fatalf("got %v", err)
	}
	var lines []string
	for _, d := range list {
		lines = append(lines, d.Error())
		if d.Code != diag.NotDecodable || d.Path == "" {
			t.Errorf("code %s, path %q", d.Code, d.Path)
		}
	}
	want := "t.yml:4:9: error: jobs.[1].port: the string does not fit the Go type int\n" +
		"t.yml:5:8: error: m.k: the list does not fit the Go type string"
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, v := range []any{nil, 1, (*int)(nil)} {
		if err := r.Decode(v); err == nil {
			t.Errorf("decodes into %v", v)
		}
	}
	two := mustMerge(t, "--- 1\n--- 2\n")
	if err := two.Decode(new(int)); err == nil || err.Error() != "error: there are 2 documents to decode, not one" {
		t.Errorf("got %v", err)
	}
	var n int
	if err := two.Docs()[1].Decode(&n); err != nil || n != 2 {
		t.Errorf("got %d, %v", n, err)
	}
}

// What many references refer to is one value in a tree, but many in a copy.
func TestSharedSubtrees(t *testing.T) {
	var b strings.Builder
	b.WriteString("l0: [x, y]\n")
	for i := range 40 {
		fmt.Fprintf(&b, "l%d: [(( .l%d )), (( .l%d ))]\n", i+1, i, i)
	}
	root := mustMerge(t, b.String()).Root()
	if v := root.Get("l40").Value().([]any); len(v) != 2 {
		t.Errorf("got %d", len(v))
	}
	var v any
	var d *diag.Diagnostic
	if err := root.Decode(&v); !errors.As(err, &d) || d.Code != diag.NotDecodable {
		t.Errorf("got %v", err)
	}
}

func double() spiff.Function {
	return spiff.Function{Name: "double", Min: 1, Max: 2, Args: []string{"n", "times"}, Call: func(_ context.Context, args []spiff.Node) (any, error) {
		n, ok := args[0].Int()
		if !ok {
			return nil, fmt.Errorf("double takes an int, found a %s", args[0].Kind())
		}
		return 2 * n, nil
	}}
}

func TestFunctions(t *testing.T) {
	broken := errors.New("the vault is closed")
	own := []spiff.Option{
		double(),
		spiff.Function{Name: "fail", Max: -1, Call: func(context.Context, []spiff.Node) (any, error) { return nil, broken }},
		spiff.Function{Name: "crash", Call: func(context.Context, []spiff.Node) (any, error) { panic("oops") }},
		spiff.Function{Name: "same", Min: 1, Max: 1, Call: func(_ context.Context, args []spiff.Node) (any, error) {
			return map[string]any{"it": args[0], "pos": args[0].Pos().String(), "kind": args[0].Kind().String()}, nil
		}},
		spiff.Function{Name: "bad", Call: func(context.Context, []spiff.Node) (any, error) { return map[string]any{"x": func() {}}, nil }},
	}
	tests := []struct{ name, template, want string }{
		{"result", "x: (( double(21) ))", "x: 42\n"},
		{"caught", `x: (( fail("a") || "default" ))`, "x: default\n"},
		{"arity caught", `x: (( double() || "default" ))`, "x: default\n"},
		{"in a mapping", "x: (( map[[1..3]|n|->double(n)] ))", "x:\n- 2\n- 4\n- 6\n"},
		{"waits for its arguments", "a: (( double(b) ))\nb: (( double(c) ))\nc: 1", "a: 4\nb: 2\nc: 1\n"},
		{"node", "x: (( same(l) ))\nl: [1, (( double(1) ))]", "l:\n- 1\n- 2\nx:\n  it:\n  - 1\n  - 2\n  kind: list\n  pos: t.yml:2:4\n"},
		{"undefined argument", "x: (( double(~~) ))\nz: 1", "z: 1\n"},
		{"lambda", "x: (( same(|a|->a).kind ))", "x: expression\n"},
		{"in eval", `x: (( eval("double(4)") ))`, "x: 8\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := mustMerge(t, tt.template, own...).Bytes()
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s (%v), want %s", got, err, tt.want)
			}
		})
	}

	fails := []struct {
		name, template, want, fix string
		code                      diag.Code
	}{
		{"error", "a: 1\nx: (( 1 + fail() ))", "t.yml:2:11: error: the vault is closed", "the function is fail([argument1], ...)", diag.OwnFunction},
		{"panic", "x: (( crash() ))", "t.yml:1:7: error: crash panics: oops", "the function is crash()", diag.OwnFunction},
		{"type", `x: (( double("a") ))`, "t.yml:1:7: error: double takes an int, found a string", "the function is double(n[, times])", diag.OwnFunction},
		{"arity", "x: (( double(1, 2, 3) ))", "t.yml:1:7: error: double takes 1 to 2 arguments, and 3 are given", "the function is double(n[, times])", diag.ArgumentCount},
		{"result", "x: (( bad() ))", "t.yml:1:7: error: the result of bad: at x: a func() cannot be a value", "the function is bad()", diag.OwnFunction},
		{"misspelled", "x: (( dubble(1) ))", `t.yml:1:7: error: there is no function "dubble"`, `did you mean "double"? It is double(n[, times])`, diag.UnknownFunction},
	}
	for _, tt := range fails {
		t.Run(tt.name, func(t *testing.T) {
			_, err := spiff.Merge(t.Context(), mustLoad(t, "t.yml", tt.template), nil, own...)
			var d *diag.Diagnostic
			if !errors.As(err, &d) || d.Error() != tt.want || d.Fix != tt.fix || d.Code != tt.code {
				t.Errorf("got %v", d)
				if d != nil {
					t.Errorf("code %s, fix %q", d.Code, d.Fix)
				}
			}
			if errors.Is(err, broken) != (tt.name == "error") {
				t.Error("wrong cause")
			}
		})
	}
	// Another merge has none of these functions.
	if _, err := spiff.Merge(t.Context(), mustLoad(t, "t.yml", "x: (( double(1) ))"), nil); err == nil {
		t.Error("a function is left behind")
	}
}

func TestFunctionDefinitions(t *testing.T) {
	call := func(context.Context, []spiff.Node) (any, error) { return nil, nil }
	for _, name := range []string{"", "_", "a.b", "a b", "1", "merge", "auto", "true", "join", "defined", "nilable", "x(", "x)", "a-b", "ok_1"} {
		_, err := spiff.Merge(t.Context(), mustLoad(t, "t.yml", "a: 1"), nil, spiff.Function{Name: name, Call: call})
		if want := name == "ok_1" || name == "a-b"; (err == nil) != want {
			t.Errorf("%q: got %v", name, err)
		}
	}
	for _, f := range []spiff.Function{{Name: "f"}, {Name: "f", Min: 2, Max: 1, Call: call}, {Name: "f", Min: -1, Call: call}} {
		if _, err := spiff.Merge(t.Context(), mustLoad(t, "t.yml", "a: 1"), nil, f); err == nil {
			t.Errorf("%+v is taken", f)
		}
	}
	if _, err := spiff.Merge(t.Context(), mustLoad(t, "t.yml", "a: 1"), nil, double(), double()); err == nil {
		t.Error("two of a name are taken")
	}
}

// Documents, options, functions and results are used by many goroutines at once.
func TestConcurrentUse(t *testing.T) {
	template := mustLoad(t, "t.yml", `
meta: (( merge ))
jobs:
- name: a
  num: (( double(meta.num) ))
- name: b
  text: (( read("f.txt") env("HOME_OF_TEST") ))
k1: 1
k2: (( &temporary(2) ))
`)
	stub, err := spiff.LoadValue("values", map[string]any{"meta": map[string]any{"num": 21}})
	if err != nil {
		t.Fatal(err)
	}
	opt := spiff.Options{Functions: []spiff.Function{double()}, Limits: spiff.Limits{Instructions: 1000}}
	opt.Files.LookupEnv = func(string) (string, bool) { return "!", true }
	fsys := spiff.FS(fstest.MapFS{"f.txt": {Data: []byte("text")}})
	shared, err := spiff.Merge(t.Context(), template, []*spiff.Document{stub}, opt, fsys)
	if err != nil {
		t.Fatal(err)
	}
	want := shared.Root().String()
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r, err := spiff.Merge(ctx, template, []*spiff.Document{stub}, opt, fsys)
			if err != nil {
				t.Error(err)
				return
			}
			var v map[string]any
			for _, r := range []*spiff.Result{r, shared} {
				text, err := r.Bytes()
				if err != nil || string(text) != want || r.Root().String() != want || r.Root().Get("jobs", "a", "num").String() != "42" {
					t.Errorf("got %s (%v), want %s", text, err, want)
				}
				if err := r.Decode(&v); err != nil || r.Provenance() == nil {
					t.Error(err)
				}
			}
			if c, err := spiff.DiffResults(r, shared); err != nil || !c.Equal() {
				t.Errorf("the results differ: %v", err)
			}
			if got := template.Docs()[0].Get("jobs", "b", "name").String(); got != "b" {
				t.Errorf("got %s", got)
			}
			i, err := spiff.Inspect(ctx, template, []*spiff.Document{stub}, opt, fsys)
			if err != nil || i.Err != nil {
				t.Errorf("%v, %v", err, i)
				return
			}
			if _, err := i.Explain("jobs.a.num", 2); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
