// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"reflect"

	"github.com/expr-lang/expr"
	exprvm "github.com/expr-lang/expr/vm"
	lua "github.com/yuin/gopher-lua"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/dynaml/spiff/bench"
	"github.com/dynaml/spiff/value"
)

// An exprCase is one computation, as each language spells it. A spelling is
// empty if the language cannot express it. Starlark and Lua are languages of
// statements: their text defines a function main, whose call is measured.
type exprCase struct {
	name  string
	title string // for the table
	vars  map[string]any
	want  any // int64, string or []any of int64

	spiff, expr, starlark, lua string
}

var thousand = func() []int {
	list := make([]int, 1000)
	for i := range list {
		list[i] = i
	}
	return list
}()

func plusOne(list []int) (r []any) {
	for _, x := range list {
		r = append(r, int64(x+1))
	}
	return r
}

var exprCases = []exprCase{
	{
		name: "arith", title: "`1 + 2 * foo`",
		vars: map[string]any{"foo": 21}, want: int64(43),
		spiff:    `1 + 2 * foo`,
		expr:     `1 + 2 * foo`,
		starlark: "def main():\n\treturn 1 + 2 * foo\n",
		lua:      `function main() return 1 + 2 * foo end`,
	},
	{
		name: "concat", title: "concatenation of four",
		vars: map[string]any{"host": "api", "domain": "example.com"}, want: "https://api.example.com",
		spiff:    `"https://" host "." domain`,
		expr:     `"https://" + host + "." + domain`,
		starlark: "def main():\n\treturn \"https://\" + host + \".\" + domain\n",
		lua:      `function main() return "https://" .. host .. "." .. domain end`,
	},
	{
		// The lambdas of expr cannot call themselves.
		name: "fib", title: "fib(20), recursive",
		vars: map[string]any{"fib": `(( |n|->n < 2 ? n :_(n - 1) + _(n - 2) ))`}, want: int64(6765),
		spiff:    `.fib(20)`,
		starlark: "def fib(n):\n\treturn n if n < 2 else fib(n - 1) + fib(n - 2)\ndef main():\n\treturn fib(20)\n",
		lua:      "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end\nfunction main() return fib(20) end",
	},
	{
		name: "map", title: "map over 1000 numbers",
		vars: map[string]any{"list": thousand}, want: plusOne(thousand),
		spiff:    `map[list|x|->x + 1]`,
		expr:     `map(list, # + 1)`,
		starlark: "def main():\n\treturn [x + 1 for x in list]\n",
		lua:      `function main() local r = {} for i = 1, #list do r[i] = list[i] + 1 end return r end`,
	},
	{
		name: "sum", title: "sum over 1000 numbers",
		vars: map[string]any{"list": thousand}, want: int64(499_500),
		spiff:    `sum[list|0|s,x|->s + x]`,
		expr:     `reduce(list, #acc + #, 0)`,
		starlark: "def main():\n\ts = 0\n\tfor x in list:\n\t\ts += x\n\treturn s\n",
		lua:      `function main() local s = 0 for i = 1, #list do s = s + list[i] end return s end`,
	},
}

// compileTitle names the case in which the text of arith is compiled.
const compileTitle = "compile `1 + 2 * foo`"

// A prepared expression is compiled and has its variables.
type prepared struct {
	run    func() error        // what is measured
	result func() (any, error) // runs once and makes a Go value of the result
}

// An exprEngine is one implementation of a language.
type exprEngine struct {
	name string
	text func(c exprCase) string
	// prepare compiles a text once and returns what runs it.
	prepare func(text string, vars map[string]any) (prepared, error)
	// compile is all that is done for a text before it can run the first time.
	compile func(text string, vars map[string]any) (func() error, error)
}

// own is how the tables and results call this project.
const own = "spiff"

var exprEngines = []exprEngine{
	{own, func(c exprCase) string { return c.spiff }, prepareSpiff, compileSpiff},
	{"expr", func(c exprCase) string { return c.expr }, prepareExpr, compileExpr},
	{"starlark-go", func(c exprCase) string { return c.starlark }, prepareStarlark, compileStarlark},
	{"gopher-lua", func(c exprCase) string { return c.lua }, prepareLua, compileLua},
}

// load prepares a case and makes sure that the engine computes its result.
func (e exprEngine) load(c exprCase) (func() error, error) {
	p, err := e.prepare(e.text(c), c.vars)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", e.name, c.name, err)
	}
	got, err := p.result()
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", e.name, c.name, err)
	}
	if !reflect.DeepEqual(got, c.want) {
		return nil, fmt.Errorf("%s: %s: got %v, want %v", e.name, c.name, got, c.want)
	}
	return p.run, nil
}

// preparedAny is for engines whose results are interfaces anyway.
func preparedAny(run func() (any, error), plain func(any) any) prepared {
	return prepared{
		run: func() error {
			_, err := run()
			return err
		},
		result: func() (any, error) {
			v, err := run()
			return plain(v), err
		},
	}
}

func prepareSpiff(text string, vars map[string]any) (prepared, error) {
	e, err := bench.NewExpr(text, vars)
	return prepared{
		run: func() error {
			_, err := e.Run()
			return err
		},
		result: func() (any, error) {
			v, err := e.Run()
			return plainSpiff(e.Store(), v), err
		},
	}, err
}

func plainSpiff(s *value.Store, v value.Value) any {
	switch v.Kind {
	case value.Int:
		return v.Num
	case value.String:
		return v.Str
	case value.List:
		var list []any
		for _, id := range s.Elems(s.Node(v.Ref)) {
			list = append(list, plainSpiff(s, s.Load(id)))
		}
		return list
	}
	return fmt.Sprintf("a value of kind %s", v.Kind)
}

func compileSpiff(text string, _ map[string]any) (func() error, error) {
	return func() error { return bench.Compile(text) }, nil
}

func prepareExpr(text string, vars map[string]any) (prepared, error) {
	p, err := expr.Compile(text, expr.Env(vars))
	if err != nil {
		return prepared{}, err
	}
	var vm exprvm.VM // reused, as its documentation recommends for speed
	return preparedAny(func() (any, error) { return vm.Run(p, vars) }, plainExpr), nil
}

func plainExpr(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = plainExpr(x)
		}
		return list
	}
	return v
}

// compileExpr gives no environment: types would take expr three times as long.
func compileExpr(text string, _ map[string]any) (func() error, error) {
	return func() error {
		_, err := expr.Compile(text)
		return err
	}, nil
}

var starlarkOptions = &syntax.FileOptions{Recursion: true}

func starlarkVars(vars map[string]any) (starlark.StringDict, error) {
	env := starlark.StringDict{}
	for name, v := range vars {
		switch v := v.(type) {
		case int:
			env[name] = starlark.MakeInt(v)
		case string:
			env[name] = starlark.String(v)
		case []int:
			list := make([]starlark.Value, len(v))
			for i, x := range v {
				list[i] = starlark.MakeInt(x)
			}
			env[name] = starlark.NewList(list)
		default:
			return nil, fmt.Errorf("%s: no Starlark value", name)
		}
	}
	return env, nil
}

func prepareStarlark(text string, vars map[string]any) (prepared, error) {
	env, err := starlarkVars(vars)
	if err != nil {
		return prepared{}, err
	}
	thread := &starlark.Thread{Name: "main"}
	globals, err := starlark.ExecFileOptions(starlarkOptions, thread, "main.star", text, env)
	if err != nil {
		return prepared{}, err
	}
	main := globals["main"]
	return preparedAny(func() (any, error) { return starlark.Call(thread, main, nil, nil) }, plainStarlark), nil
}

func plainStarlark(v any) any {
	switch v := v.(type) {
	case starlark.Int:
		n, _ := v.Int64()
		return n
	case starlark.String:
		return string(v)
	case *starlark.List:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plainStarlark(v.Index(i))
		}
		return list
	}
	return v
}

func compileStarlark(text string, vars map[string]any) (func() error, error) {
	env, err := starlarkVars(vars)
	return func() error {
		_, _, err := starlark.SourceProgramOptions(starlarkOptions, "main.star", text, env.Has)
		return err
	}, err
}

func prepareLua(text string, vars map[string]any) (prepared, error) {
	state := lua.NewState()
	for name, v := range vars {
		switch v := v.(type) {
		case int:
			state.SetGlobal(name, lua.LNumber(v))
		case string:
			state.SetGlobal(name, lua.LString(v))
		case []int:
			list := state.CreateTable(len(v), 0)
			for _, x := range v {
				list.Append(lua.LNumber(x))
			}
			state.SetGlobal(name, list)
		default:
			return prepared{}, fmt.Errorf("%s: no Lua value", name)
		}
	}
	if err := state.DoString(text); err != nil {
		return prepared{}, err
	}
	call := lua.P{Fn: state.GetGlobal("main"), NRet: 1}
	return preparedAny(func() (any, error) {
		if err := state.CallByParam(call); err != nil {
			return nil, err
		}
		v := state.Get(-1)
		state.Pop(1)
		return v, nil
	}, plainLua), nil
}

func plainLua(v any) any {
	switch v := v.(type) {
	case lua.LNumber:
		return int64(v)
	case lua.LString:
		return string(v)
	case *lua.LTable:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plainLua(v.RawGetInt(i + 1))
		}
		return list
	}
	return v
}

func compileLua(text string, _ map[string]any) (func() error, error) {
	state := lua.NewState()
	return func() error {
		_, err := state.LoadString(text)
		return err
	}, nil
}
