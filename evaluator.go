// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/merge"
	"github.com/dynaml/spiff/value"
)

// An Evaluator evaluates expressions in a finished result. It is not safe for
// concurrent use.
type Evaluator struct {
	s    *value.Store
	n    *merge.Session
	docs []value.ID
	opt  Options
}

// NewEvaluator returns an Evaluator for a result, which may be nil for an empty
// document. Of the options the dialect, the limits, files, policy, bindings and
// functions count. It fails if the bindings cannot be resolved.
func NewEvaluator(ctx context.Context, r *Result, opts ...Option) (*Evaluator, error) {
	opt := options(opts)
	v := &Evaluator{s: value.NewStore(), opt: opt}
	if r != nil {
		v.s, v.docs = r.s.Clone(), r.docs
	}
	own, err := functions(ctx, opt.Functions)
	if err != nil {
		return nil, err
	}
	v.n = merge.NewSession(v.s, merge.Options{Context: ctx, Limits: opt.Limits.merge(), Files: opt.Files, Policy: opt.Policy, Dialect: opt.Dialect, Functions: own})
	return v, bind(v.n, v.s, opt.Bindings)
}

// ExpressionName is what the text of an expression is called in messages.
const ExpressionName = "<expression>"

// Eval evaluates an expression, with or without its brackets. With a path, it
// sees what an expression in that map, or at the place of that scalar, list or
// list entry sees. Of several documents the first counts, with a path the first
// that has it. It fails with an *Unresolved, or with a *diag.Diagnostic if there
// is no such path.
func (v *Evaluator) Eval(expr, path string) (*Result, error) {
	around, err := v.around(path)
	if err != nil {
		return nil, err
	}
	id, err := v.n.Evaluate(around, v.expression(expr))
	if err != nil {
		return nil, err
	}
	return &Result{s: v.s, docs: []value.ID{id}, complete: true, brackets: v.opt.Dialect.LambdaBrackets, limit: v.opt.Limits.Output}, nil
}

// expression returns the node of an expression.
func (v *Evaluator) expression(text string) merge.Input {
	src := diag.NewSource(ExpressionName, text)
	in := merge.Input{Source: src}
	file, ok := v.s.AddFile(src)
	text = strings.TrimSpace(text)
	start := strings.Index(src.Text, text)
	end := start + len(text)
	if !value.LooksLikeExpr(text) {
		text = "(( " + text + " ))"
	}
	at := value.Node{Kind: value.Expr, Flags: value.Dynamic, Len: uint32(len(text)), Pay: v.s.PutText(text)}
	if ok { // else errors have no place, after some ten thousand expressions
		at.File, at.Start, at.End = file, uint32(start), uint32(end)
	}
	in.Root = v.s.New(at)
	return in
}

// around returns the nodes around an expression at a path.
func (v *Evaluator) around(path string) ([]merge.Place, error) {
	steps, err := explain.ParsePath(path)
	if err != nil {
		return nil, usageOf(err)
	}
	var first *diag.Diagnostic
	for _, root := range v.docs {
		at, d := walk(v.s, root, steps)
		if d == nil {
			return v.places(at), nil
		}
		if first == nil {
			first = d
		}
	}
	if first != nil {
		first.Msg = fmt.Sprintf("path %q: %s", path, first.Msg)
		return nil, first
	}
	if path != "" {
		return nil, &diag.Diagnostic{Code: diag.NoFields, Msg: fmt.Sprintf("path %q: there is no document", path)}
	}
	return nil, nil
}

// places returns the lists and maps on a way from the root.
func (v *Evaluator) places(way []place) []merge.Place {
	var list []merge.Place
	for i, p := range way {
		if p.id == 0 {
			break // an empty document
		}
		n := v.s.Node(p.id)
		if n.Kind != value.Map && (n.Kind != value.List || i == len(way)-1) {
			break
		}
		at := merge.Place{Node: p.id, Step: uint32(p.pos)}
		if i > 0 {
			if around := v.s.Node(way[i-1].id); around.Kind == value.Map {
				at.Step = uint32(v.s.Keys(around)[p.pos])
			}
		}
		list = append(list, at)
	}
	return list
}

// Define binds a name to the one document of a result of Eval, for the
// expressions that follow.
func (v *Evaluator) Define(name string, r *Result) { v.n.Define(v.s.Intern(name), r.docs[0]) }

// Names returns the names that an expression at the root may begin with: those of
// the first document, then those that are bound, each sorted.
func (v *Evaluator) Names() (keys, bound []string) {
	if len(v.docs) > 0 && v.docs[0] != 0 {
		keys = v.keysOf(v.docs[0])
	}
	if b := v.n.Bindings(); b != 0 {
		bound = v.keysOf(b)
	}
	return keys, bound
}

// keysOf returns the keys of a map, sorted, nil for anything else.
func (v *Evaluator) keysOf(id value.ID) (names []string) {
	n := v.s.Node(id)
	if n.Kind != value.Map {
		return nil
	}
	for _, k := range v.s.Keys(n) {
		names = append(names, v.s.Name(k))
	}
	slices.Sort(names)
	return names
}

// Fields returns what may follow a dotted path: the keys of the map there, sorted,
// or the names of the entries of the list, written as in a path. The path begins
// with a key of the first document or with a name that is bound; behind the empty
// path both may follow. It fails with a *diag.Diagnostic if there is no such path.
func (v *Evaluator) Fields(path string) ([]string, error) {
	steps, err := explain.ParsePath(path)
	if err != nil {
		return nil, usageOf(err)
	}
	keys, bound := v.Names()
	if len(steps) == 0 {
		return append(quoted(keys), quoted(bound)...), nil
	}
	root := v.n.Bindings()
	if len(v.docs) > 0 && (root == 0 || slices.Contains(keys, steps[0].Name)) {
		root = v.docs[0]
	}
	at, d := walk(v.s, root, steps)
	if d != nil {
		return nil, d
	}
	id := at[len(at)-1].id
	n := *v.s.Node(id)
	if n.Kind != value.List {
		return quoted(v.keysOf(id)), nil
	}
	field := v.s.KeyField(&n)
	if field == 0 {
		field = v.s.Intern("name")
	}
	var names []string
	for i, e := range v.s.Elems(&n) {
		if name, ok := v.s.KeyOf(e, field); ok {
			names = append(names, explain.Entry(name))
		} else {
			names = append(names, explain.Index(i))
		}
	}
	return names, nil
}

// quoted returns keys as components of a path.
func quoted(keys []string) (parts []string) {
	for _, k := range keys {
		parts = append(parts, explain.Key(k))
	}
	return parts
}

// Functions returns the names of the functions of the language, sorted.
func Functions() (names []string) {
	for _, row := range builtin.Table {
		names = append(names, row.Name)
	}
	slices.Sort(names)
	return names
}

// Kind returns what the one document of a result is, in the words of the
// language: int, string, list, map, lambda and so on.
func (r *Result) Kind() (string, error) {
	if len(r.docs) != 1 {
		return "", errors.New("the result is not one document")
	}
	if r.docs[0] == 0 {
		return value.Undefined.String(), nil
	}
	return r.s.Kind(r.docs[0]).String(), nil
}
