// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/compiler"
	"github.com/dynaml/spiff/dialect"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// An Expr is one expression outside of a document, compiled and ready to run
// on the VM of the merge engine, any number of times. Its names are the keys
// of one map of finished values. It is not safe for concurrent use.
type Expr struct {
	text  string
	names map[string]any

	host  *finished
	vm    *vm.VM
	prog  *program.Program
	limit int      // nodes in the store from which on Run starts with a new one
	spent vm.Stats // of the VMs before
}

// maxNodes is how many nodes runs may add before the store is replaced, so that
// a benchmark of a million runs keeps within the memory of one. It is far more
// than one run needs: what building the names again takes is not noticed.
const maxNodes = 1 << 17

// NewExpr compiles text, which has no brackets around it, for the given names.
// A name is nil, a bool, int, int64, float64 or string, or a slice or a
// map[string]any of those. A string in (( )) is an expression that is evaluated
// once, such as a lambda; it may refer to names that stand before it in the
// order of the alphabet. The error is that of the parser, the compiler or the
// evaluation of a name.
func NewExpr(text string, names map[string]any) (*Expr, error) {
	e := &Expr{text: text, names: names}
	return e, e.build()
}

func (e *Expr) build() (err error) {
	s := value.NewStore()
	e.host = &finished{s: s}
	e.vm = vm.New(e.host, vm.Limits{Instructions: math.MaxInt64}, nil)
	for _, name := range sorted(e.names) {
		id, err := nodeOf(s, e.names[name])
		if err == nil && s.Kind(id) == value.Expr {
			id, err = e.evaluate(s.Text(s.Node(id)))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		e.host.define(name, s.Load(id))
	}
	e.prog, err = compileIn(s, e.text)
	e.limit = s.Len() + maxNodes
	return err
}

// evaluate returns the value of an expression in brackets.
func (e *Expr) evaluate(text string) (value.ID, error) {
	p, err := compileIn(e.host.s, text[2:len(text)-2])
	if err != nil {
		return 0, err
	}
	f := e.vm.Start(0, p, nil)
	defer e.vm.Release(f)
	v, err := e.vm.Run(f)
	if err != nil {
		return 0, err
	}
	return e.host.s.Put(v, value.Node{}), nil
}

// Run evaluates the expression. A list or map in the result is a node of Store
// until the next Run. It allocates nothing but what the VM does.
func (e *Expr) Run() (value.Value, error) {
	if e.host.s.Len() > e.limit {
		e.spent = e.Stats()
		if err := e.build(); err != nil {
			return value.Value{}, err
		}
	}
	f := e.vm.Start(0, e.prog, nil)
	v, err := e.vm.Run(f)
	e.vm.Release(f)
	return v, err
}

// Store returns the store of the last result.
func (e *Expr) Store() *value.Store { return e.host.s }

// Stats returns exact counts of the work of all runs, that for the names
// included.
func (e *Expr) Stats() vm.Stats {
	st := e.vm.Stats
	st.Instructions += e.spent.Instructions
	st.Calls += e.spent.Calls
	st.Suspensions += e.spent.Suspensions
	return st
}

// sessions are what Compile works in, as a merge has one store, one parser and
// one compiler for all its expressions.
var sessions = sync.Pool{New: func() any { return &session{s: value.NewStore()} }}

type session struct {
	s        *value.Store
	parser   parser.Parser
	compiler compiler.Compiler
}

// Compile parses and compiles an expression as the merge engine does when it
// meets a text for the first time.
func Compile(text string) error {
	n := sessions.Get().(*session)
	defer sessions.Put(n)
	x, err := n.parser.Parse(dialect.Dialect{}, text)
	if err == nil {
		_, err = n.compiler.Compile(n.s, text, x)
	}
	return err
}

func compileIn(s *value.Store, text string) (*program.Program, error) {
	x, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	return compiler.Compile(s, text, x)
}

// sorted returns the keys of a map in order.
func sorted(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// nodeOf makes a node of a Go value.
func nodeOf(s *value.Store, x any) (value.ID, error) {
	put := func(v value.Value) (value.ID, error) { return s.Put(v, value.Node{}), nil }
	switch x := x.(type) {
	case nil:
		return put(value.NullVal)
	case bool:
		return put(value.OfBool(x))
	case int:
		return put(value.OfInt(int64(x)))
	case int64:
		return put(value.OfInt(x))
	case float64:
		return put(value.OfFloat(x))
	case string:
		return put(value.OfString(x))
	case []int:
		return listOf(s, x)
	case []string:
		return listOf(s, x)
	case []any:
		return listOf(s, x)
	case map[string]any:
		keys := sorted(x)
		syms, ids := make([]value.Sym, len(keys)), make([]value.ID, len(keys))
		for i, k := range keys {
			var err error
			if ids[i], err = nodeOf(s, x[k]); err != nil {
				return 0, err
			}
			syms[i] = s.Intern(k)
		}
		return s.MapNode(value.Node{}, syms, ids), nil
	}
	return 0, fmt.Errorf("a value of the type %T has no counterpart in the language", x)
}

func listOf[T any](s *value.Store, elems []T) (value.ID, error) {
	ids := make([]value.ID, len(elems))
	for i, x := range elems {
		var err error
		if ids[i], err = nodeOf(s, x); err != nil {
			return 0, err
		}
	}
	return s.ListNode(value.Node{}, ids, 0), nil
}

// finished is a vm.Host without a document: every name has its value, so
// nothing waits, and what needs the place of a node is refused.
type finished struct {
	s     *value.Store
	names []value.Value // by symbol
}

func (h *finished) define(name string, v value.Value) {
	y := h.s.Intern(name)
	for len(h.names) <= int(y) {
		h.names = append(h.names, value.Value{})
	}
	h.names[y] = v
}

func (h *finished) Store() *value.Store { return h.s }

func (h *finished) At() value.Node { return value.Node{} }

func (h *finished) Ref(_ *vm.Fiber, scope *vm.Scope, p *program.Path, _ bool) (value.Value, error) {
	name := p.Steps[0].Key
	if !p.Abs {
		if v, ok := scope.Lookup(name); ok {
			return h.follow(v, p, 1)
		}
	}
	if int(name) >= len(h.names) || h.names[name].Kind == value.None {
		return value.Value{}, h.notFound(p, 1)
	}
	if len(p.Steps) == 1 {
		return h.names[name], nil
	}
	return h.follow(h.names[name], p, 1)
}

func (h *finished) notFound(p *program.Path, steps int) error {
	return fmt.Errorf("'%s' not found", p.Prefix(h.s, steps))
}

// follow takes the steps of p from number i on.
func (h *finished) follow(v value.Value, p *program.Path, i int) (value.Value, error) {
	for ; i < len(p.Steps); i++ {
		if v.Kind == value.Undefined {
			return v, nil
		}
		id := h.step(v, &p.Steps[i])
		if id == 0 {
			return value.Value{}, h.notFound(p, i+1)
		}
		v = h.s.Load(id)
	}
	return v, nil
}

func (h *finished) step(v value.Value, st *program.Step) value.ID {
	switch v.Kind {
	case value.Map:
		if !st.IsIndex {
			return h.s.Get(v.Ref, st.Key)
		}
	case value.List:
		i, n := st.Index, h.s.Node(v.Ref)
		if !st.IsIndex {
			field := st.Field
			if field == 0 {
				field = h.s.Intern("name")
			}
			i = int64(h.s.FindKeyed(v.Ref, field, h.s.Name(st.Val)))
		} else if i < 0 {
			i += int64(n.Len)
		}
		if i >= 0 && i < int64(n.Len) {
			return h.s.Elems(n)[i]
		}
	}
	return 0
}

func (h *finished) Select(_ *vm.Fiber, v value.Value, p *program.Path, taken int, _ bool) (value.Value, error) {
	return h.follow(v, p, taken)
}

func (h *finished) Index(_ *vm.Fiber, v, index value.Value, _ bool) (value.Value, error) {
	p := &program.Path{Steps: make([]program.Step, 1)}
	switch index.Kind {
	case value.Int:
		p.Steps[0] = program.Step{IsIndex: true, Index: index.Num}
	case value.String:
		p.Steps[0] = program.NameStep(h.s, index.Str)
	default:
		return value.Value{}, errors.New("outside of a document an index is an integer or a string")
	}
	return h.follow(v, p, 0)
}

func (h *finished) Force(_ *vm.Fiber, v value.Value, _ bool) (value.Value, error) { return v, nil }

func (h *finished) Open(v value.Value) value.Value { return v }

func (h *finished) Overlap([]value.Value) error { return nil }

func (h *finished) Children(v value.Value) (keys []value.Sym, children []value.Value) {
	n := h.s.Node(v.Ref)
	if n.Kind == value.List {
		for _, id := range h.s.Elems(n) {
			children = append(children, h.s.Load(id))
		}
		return nil, children
	}
	for _, i := range h.s.Sorted(n, nil) {
		keys = append(keys, h.s.Keys(n)[i])
		children = append(children, h.s.Load(h.s.Vals(n)[i]))
	}
	return keys, children
}

// needsDocument is the answer of what only a document can do.
func needsDocument(what string) error {
	return fmt.Errorf("%s works only in a document", what)
}

func (h *finished) Merge(*vm.Fiber, *program.MergeForm) (value.Value, error) {
	return value.Value{}, needsDocument("merge")
}

func (h *finished) Auto(*vm.Fiber, *vm.Scope) (value.Value, error) {
	return value.Value{}, needsDocument("auto")
}

func (h *finished) StaticIPs(*vm.Fiber, *vm.Scope, []value.Value) (value.Value, error) {
	return value.Value{}, needsDocument("static_ips")
}

func (h *finished) Instantiate(*vm.Fiber, *vm.Scope, value.Value) (uint32, error) {
	return 0, needsDocument("a template")
}

func (h *finished) Read(*vm.Fiber, *vm.Scope, []value.Value) (value.Value, uint32, error) {
	return value.Value{}, 0, needsDocument("read")
}

func (h *finished) Instance(*vm.Fiber, uint32) (value.Value, error) {
	return value.Value{}, needsDocument("a template")
}

func (h *finished) Compile(text string) (*program.Program, error) { return compileIn(h.s, text) }

func (h *finished) CompileLambda(text string) (*program.Program, error) {
	l, err := parser.ParseLambda(text)
	if err != nil {
		return nil, err
	}
	return compiler.Compile(h.s, text, l)
}

func (h *finished) YAML(v value.Value) (string, error) {
	out, err := doc.Append(nil, h.s, h.s.Put(v, value.Node{}), doc.WriteOptions{})
	return string(out), err
}

func (h *finished) ParseYAML(string, string) (value.Value, error) {
	return value.Value{}, needsDocument("the output of a command")
}

func (h *finished) Regexp(pattern string) (*builtin.Pattern, error) {
	return builtin.CompilePattern(pattern)
}

func (h *finished) Exec([]string) (string, error) { return "", needsDocument("exec") }

func (h *finished) LookupEnv(name string) (string, bool, error) {
	t, ok := os.LookupEnv(name)
	return t, ok, nil
}

func (h *finished) MaxRange() int { return builtin.DefaultMaxRange }

func (h *finished) Spend(int) error { return nil }
