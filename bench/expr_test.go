// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/value"
)

// thousand are the elements that map[] and sum[] run over.
var thousand = func() []int {
	list := make([]int, 1000)
	for i := range list {
		list[i] = i
	}
	return list
}()

// An exprCase is an expression with its names and its result as YAML; of a long
// one only the beginning.
type exprCase struct {
	name, text string
	names      map[string]any
	want       string
}

var exprCases = []exprCase{
	{"arith", `1 + 2 * foo`, map[string]any{"foo": 21}, "43\n"},
	{"concat", `"https://" host "." domain`, map[string]any{"host": "api", "domain": "example.com"}, "https://api.example.com\n"},
	{"cond", `size > 3 ? "large" :"small"`, map[string]any{"size": 4}, "large\n"},
	{"path", `meta.release.name`, map[string]any{"meta": map[string]any{"release": map[string]any{"name": "cf"}}}, "cf\n"},
	{"fib", `.fib(20)`, map[string]any{"fib": `(( |n|->n < 2 ? n :_(n - 1) + _(n - 2) ))`}, "6765\n"},
	{"fibbyname", `.fib(20)`, map[string]any{"fib": `(( |n|->n < 2 ? n :.fib(n - 1) + .fib(n - 2) ))`}, "6765\n"},
	{"map", `map[list|x|->x + 1]`, map[string]any{"list": thousand}, "- 1\n- 2\n"},
	{"sum", `sum[list|0|s,x|->s + x]`, map[string]any{"list": thousand}, "499500\n"},
}

func (c exprCase) compile(tb testing.TB) *Expr {
	tb.Helper()
	e, err := NewExpr(c.text, c.names)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func TestExpr(t *testing.T) {
	for _, c := range exprCases {
		t.Run(c.name, func(t *testing.T) {
			e := c.compile(t)
			for range 2 {
				v, err := e.Run()
				if err != nil {
					t.Fatal(err)
				}
				if got, err := e.host.YAML(v); err != nil || !strings.HasPrefix(got, c.want) {
					t.Errorf("got %q, %v, want it to begin with %q", got, err, c.want)
				}
			}
		})
	}
}

// TestExprCounters pins what a run costs: the instructions are those of the
// listing, whether or not the VM executes several at once, and what computes no
// text and no list allocates nothing.
func TestExprCounters(t *testing.T) {
	want := map[string]struct{ instructions, calls, allocs int64 }{
		"arith":     {6, 0, 0},
		"concat":    {6, 0, 1}, // its text
		"cond":      {8, 0, 0},
		"path":      {2, 0, 0},
		"fib":       {273637, 21891, 0},
		"fibbyname": {273637, 21891, 0},
		"map":       {6005, 1000, 2}, // a closure, and chunks of the store now and then
		"sum":       {6006, 1000, 1}, // a closure
	}
	for _, c := range exprCases {
		t.Run(c.name, func(t *testing.T) {
			e := c.compile(t)
			run := func() {
				if _, err := e.Run(); err != nil {
					t.Fatal(err)
				}
			}
			run()
			before := e.Stats()
			run()
			after, want := e.Stats(), want[c.name]
			if got := after.Instructions - before.Instructions; got != want.instructions {
				t.Errorf("%d instructions, want %d", got, want.instructions)
			}
			if got := after.Calls - before.Calls; got != want.calls {
				t.Errorf("%d calls, want %d", got, want.calls)
			}
			if got := int64(testing.AllocsPerRun(20, run)); got > want.allocs {
				t.Errorf("%d allocations, want %d", got, want.allocs)
			}
		})
	}
}

// TestCompileCounters pins the allocations of parser and compiler: the memory
// comes in chunks, so that most texts need none.
func TestCompileCounters(t *testing.T) {
	want := map[string]float64{"arith": 0, "merge": 0, "concat": 0, "cond": 2, "lambda": 15}
	for _, c := range compileCases {
		if got := testing.AllocsPerRun(200, func() {
			if err := Compile(c.text); err != nil {
				t.Fatal(err)
			}
		}); got > want[c.name] {
			t.Errorf("%s: %v allocations, want at most %v", c.name, got, want[c.name])
		}
	}
}

// TestExprReplacesItsStore runs until the store has been replaced, which must
// not show.
func TestExprReplacesItsStore(t *testing.T) {
	e := exprCase{text: `map[list|x|->x + 1]`, names: map[string]any{"list": thousand}}.compile(t)
	first, runs := e.Store(), int64(0)
	for e.Store() == first {
		v, err := e.Run()
		if err != nil {
			t.Fatal(err)
		}
		if n := e.Store().Node(v.Ref); n.Kind != value.List || n.Len != 1000 {
			t.Fatalf("run %d: got a %s of %d", runs, n.Kind, n.Len)
		}
		runs++
	}
	if got, want := e.Stats().Calls, 1000*runs; got != want {
		t.Errorf("%d calls are counted, want %d", got, want)
	}
}

func TestExprErrors(t *testing.T) {
	tests := []struct {
		text  string
		names map[string]any
		want  string
	}{
		{`a b`, map[string]any{"a": 1}, "'b' not found"},
		{`merge`, nil, "merge works only in a document"},
		{`static_ips(0)`, nil, "static_ips works only in a document"},
		{`*t`, map[string]any{"t": 1}, "a template works only in a document"},
		{`1 +`, nil, `parse error near symbol 2 - symbol 3: ' ': unexpected "+" after the expression: the operator + needs blanks on both sides`},
		{`a`, map[string]any{"a": struct{}{}}, "a: a value of the type struct {} has no counterpart in the language"},
		{`a`, map[string]any{"a": "(( b ))", "b": 1}, "a: 'b' not found"},
	}
	for _, tt := range tests {
		e, err := NewExpr(tt.text, tt.names)
		if err == nil {
			_, err = e.Run()
		}
		if got := fmt.Sprint(err); got != tt.want {
			t.Errorf("%s: got error %q, want %q", tt.text, got, tt.want)
		}
	}
}

func BenchmarkExpr(b *testing.B) {
	for _, c := range exprCases {
		b.Run("expr="+c.name, func(b *testing.B) {
			e := c.compile(b)
			before := e.Stats().Instructions
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(e.Stats().Instructions-before)/float64(b.N), "instructions/op")
		})
	}
}

// compileCases are expressions as manifests have them, by length.
var compileCases = []struct{ name, text string }{
	{"arith", `1 + 2 * foo`},
	{"merge", ` merge || meta.release.version || "latest" `},
	{"cond", `meta.count + 2 * foo - (bar / 3) > limit ? "big" :small.name`},
	{"concat", ` "https://" name "." meta.domain ":" (port || 443) "/v2" `},
	{"lambda", ` map[sum[list|0|s,x|->s + x.size] > 3 ? large :small|k,v|->k "=" join(",", v.addresses) (defined(v.port) ? ":" v.port :"")] `},
}

func BenchmarkCompile(b *testing.B) {
	for _, c := range compileCases {
		b.Run("expr="+c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				if err := Compile(c.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// pools are static ranges of 50 000 addresses together.
var pools = []struct{ ranges, size int }{{1, 50_000}, {50, 1000}, {5000, 10}}

func poolRanges(ranges, size int) []string {
	list := make([]string, ranges)
	for i := range list {
		first, last := i*2*size, i*2*size+size-1
		list[i] = fmt.Sprintf("10.%d.%d.%d - 10.%d.%d.%d",
			first>>16, first>>8&255, first&255, last>>16, last>>8&255, last&255)
	}
	return list
}

func BenchmarkPool(b *testing.B) {
	for _, p := range pools {
		b.Run(fmt.Sprintf("ranges=%d", p.ranges), func(b *testing.B) {
			pool, err := builtin.ParsePool(poolRanges(p.ranges, p.size))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			i := int64(0)
			for b.Loop() {
				if _, ok := pool.At(i); !ok {
					b.Fatalf("no address %d", i)
				}
				i = (i + 7919) % pool.Len()
			}
		})
	}
}

// BenchmarkStaticIPs merges a thousand jobs of which each asks for the next
// address, and reports the time for one of them: for all of its node, without
// reading the text.
func BenchmarkStaticIPs(b *testing.B) {
	const jobs = 1000
	for _, p := range pools {
		b.Run(fmt.Sprintf("ranges=%d", p.ranges), func(b *testing.B) {
			var t text
			t.line("networks:\n- name: net\n  subnets:\n  - static:")
			for _, r := range poolRanges(p.ranges, p.size) {
				t.line("    - %s", r)
			}
			t.line("jobs:")
			for i := range jobs {
				t.line("- name: job%d\n  instances: 1\n  networks:\n  - name: net\n    static_ips: (( static_ips(%d) ))", i, i)
			}
			doc, stubs := load(b, Set{Template: t.String()})
			b.ReportAllocs()
			for b.Loop() {
				mergeDocs(b, doc, stubs)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/jobs, "ns/call")
		})
	}
}
