// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/value"
)

// A Function can be called by the expressions of a merge like those of the
// language: name(argument, ...). It is an Option: passed to Merge, the merge has
// it.
type Function struct {
	// Name is a name that an expression may call and that no function of the
	// language has.
	Name string
	// Min and Max bound the number of arguments, which is checked before
	// Call; a negative Max stands for any number.
	Min, Max int
	// Args names the arguments for messages, the last for all that follow.
	// Without it they are numbered.
	Args []string
	// Doc says in a few words what the function returns, behind its signature
	// in the advice of a message.
	Doc string
	// Call computes the result of a call, which may be whatever LoadValue
	// takes, or a Node; a text in (( )) is an expression that is evaluated.
	// The arguments are complete, and valid until Call returns. An error
	// fails the expression, with its place, unless || catches it; a panic is
	// such an error. Calls with the same arguments should have the same
	// result: it is not said how often and in which order they come. Several
	// merges that run at the same time call at the same time.
	Call func(ctx context.Context, args []Node) (any, error)
}

func (f Function) apply(to *Options) {
	to.Functions = append(to.Functions[:len(to.Functions):len(to.Functions)], f)
}

// functions returns what the expressions of a merge can call.
func functions(ctx context.Context, own []Function) (*builtin.Functions, error) {
	seen := map[string]bool{}
	rows := make([]builtin.Row, len(own))
	for i := range own {
		reason := own[i].unusable()
		if seen[own[i].Name] {
			reason = "there are two of that name"
		}
		if reason != "" {
			return nil, &diag.Diagnostic{Code: diag.OwnFunction, Msg: fmt.Sprintf("the function %q cannot be defined: %s", own[i].Name, reason)}
		}
		seen[own[i].Name] = true
		rows[i] = own[i].row(ctx)
	}
	return builtin.With(rows), nil
}

// unusable says why a merge cannot have f, or returns "".
func (f *Function) unusable() string {
	switch {
	case !callable(f.Name):
		return "no expression can call that name"
	case builtin.Lookup(f.Name) >= 0:
		return "it is a function of the language"
	case f.Call == nil:
		return "it has no Call"
	case f.Min < 0 || f.Max >= 0 && f.Max < f.Min:
		return fmt.Sprintf("it takes %d to %d arguments", f.Min, f.Max)
	}
	return ""
}

// callable says whether a name is one that the parser takes for that of a
// function, and for no keyword.
func callable(name string) bool {
	call, _ := parser.Parse(name + "()")
	c, ok := call.(*ast.Call)
	if !ok || name == "_" {
		return false
	}
	alone, _ := parser.Parse(name)
	for _, x := range []ast.Expr{c.Fn, alone} {
		r, ok := x.(*ast.Ref)
		if !ok || r.Abs || len(r.Steps) != 1 || r.Steps[0].Kind != ast.StepName || r.Steps[0].Name != name {
			return false
		}
	}
	return true
}

// row is f as a function of the language.
func (f *Function) row(ctx context.Context) builtin.Row {
	r := builtin.Row{Name: f.Name, Min: f.Min, Max: f.Max, Args: f.Args, Result: "any", Doc: f.Doc, Own: true}
	most := max(f.Min, f.Max)
	if f.Max < 0 {
		most++
	}
	for i := 0; i < most && len(f.Args) == 0; i++ {
		r.Args = append(r.Args, "argument"+strconv.Itoa(i+1))
	}
	r.Fn = func(c builtin.Context, args []value.Value) (value.Value, error) {
		if !r.Takes(len(args)) {
			return value.Value{}, errors.New(r.WrongCount(len(args)))
		}
		if err := ctx.Err(); err != nil {
			return value.Value{}, &builtin.Stop{Msg: err.Error()}
		}
		v, err := f.evaluate(ctx, c, args)
		if err != nil {
			return value.Value{}, diag.Coded(diag.OwnFunction, err)
		}
		return v, nil
	}
	return r
}

// evaluate calls f and converts arguments and result.
func (f *Function) evaluate(ctx context.Context, c builtin.Context, args []value.Value) (v value.Value, err error) {
	t := &tree{s: c.Store()}
	nodes := make([]Node, len(args))
	for i := range args {
		nodes[i] = t.at(c.Store().Put(args[i], c.At()))
	}
	defer func() { // Call may panic, and so may what marshals its result
		switch p := recover().(type) {
		case nil:
		case error:
			err = fmt.Errorf("%s panics: %w", f.Name, p)
		default:
			err = fmt.Errorf("%s panics: %v", f.Name, p)
		}
	}()
	result, err := f.Call(ctx, nodes)
	if err != nil {
		return v, err
	}
	if text, ok := result.(string); ok && utf8.ValidString(text) {
		return value.OfString(text), nil
	}
	id, err := newConverter(c.Store(), c.At()).convert(result)
	if err != nil {
		return v, fmt.Errorf("the result of %s: %w", f.Name, err)
	}
	return c.Store().Load(id), nil
}
