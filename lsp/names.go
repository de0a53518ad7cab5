// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"slices"

	"github.com/dynaml/spiff/ast"
)

// A nameKind says what a name in an expression stands for.
type nameKind uint8

const (
	nameStep     nameKind = iota // of a reference
	nameFunction                 // of the table of functions
	nameLocal                    // a parameter or a binding, or what is in it
	nameMerge                    // the word merge
	nameRedirect                 // of the path of a merge
)

// A name is a word of an expression that stands for something.
type name struct {
	kind nameKind
	at   ast.Pos // without a dot before it
	text string

	ref  *ast.Ref   // of a step
	path []ast.Step // of a step or redirect: up to this one
	from ast.Pos    // of a local: what binds it
	free bool       // of a step in the body of a lambda, whose names belong to its caller
}

// namesOf returns the names in an expression, in the order of its text.
func namesOf(x ast.Expr) []name {
	c := &collector{}
	c.visit(x, nil, false)
	slices.SortStableFunc(c.names, func(a, b name) int { return int(a.at.Start - b.at.Start) })
	return c.names
}

type collector struct{ names []name }

// A binding is a name that an expression itself binds.
type binding struct {
	name string
	at   ast.Pos
}

// self is the name of the lambda around an expression.
const self = "_"

func (c *collector) visit(x ast.Expr, bound []binding, free bool) {
	switch x := x.(type) {
	case *ast.Lambda:
		bound = slices.Clip(append(slices.Clip(bound), binding{self, x.Pos}))
		for _, p := range x.Params {
			bound = append(bound, binding{p, x.Pos})
		}
		c.visit(x.Body, bound, true)
	case *ast.Scope:
		inner := slices.Clip(bound)
		for _, e := range x.Entries {
			c.visit(e.Key, bound, free)
			c.visit(e.Value, bound, free)
			if l, ok := e.Key.(*ast.Lit); ok && l.Kind == ast.LitString {
				inner = append(inner, binding{l.Str, l.Pos})
			}
		}
		c.visit(x.X, inner, free)
	case *ast.Call:
		if f, ok := x.Fn.(*ast.Ref); ok && !f.Abs && len(f.Steps) == 1 {
			c.names = append(c.names, name{kind: nameFunction, at: wordOf(&f.Steps[0]), text: f.Steps[0].Name})
		} else {
			c.visit(x.Fn, bound, free)
		}
		for _, a := range x.Args {
			c.visit(a, bound, free)
		}
	case *ast.Ref:
		c.reference(x, bound, free)
	case *ast.Merge:
		c.names = append(c.names, name{kind: nameMerge, at: ast.Pos{Start: x.Start, End: x.Start + int32(len("merge"))}, text: "merge", path: x.Path})
		if !x.AbsPath { // with a dot before it, it never matches
			c.steps(x.Path, name{kind: nameRedirect})
		}
	default:
		ast.Walk(x, func(in ast.Expr) bool {
			if in == x {
				return true
			}
			c.visit(in, bound, free)
			return false
		})
	}
}

func (c *collector) reference(r *ast.Ref, bound []binding, free bool) {
	of := name{kind: nameStep, ref: r, free: free}
	if !r.Abs {
		for _, b := range slices.Backward(bound) {
			if b.name == r.Steps[0].Name {
				of.kind, of.from = nameLocal, b.at
				break
			}
		}
	}
	c.steps(r.Steps, of)
	for _, s := range r.Steps {
		for _, x := range []ast.Expr{s.X, s.From, s.To} {
			if x != nil {
				c.visit(x, bound, free)
			}
		}
	}
}

// steps adds the names of a path.
func (c *collector) steps(path []ast.Step, of name) {
	for i := range path {
		if s := &path[i]; s.Kind == ast.StepName {
			of.at, of.text, of.path = wordOf(s), s.Name, path[:i+1]
			c.names = append(c.names, of)
		}
	}
}

// wordOf returns the place of the name of a step.
func wordOf(s *ast.Step) ast.Pos { return ast.Pos{Start: s.End - int32(len(s.Name)), End: s.End} }

// sources returns the references and the merges with a path whose value an
// expression may have as a whole: what is below its node may come from there.
func sources(x ast.Expr) (list []ast.Expr) {
	switch x := x.(type) {
	case *ast.Ref:
		return []ast.Expr{x}
	case *ast.Merge:
		if x.Path != nil && !x.AbsPath {
			return []ast.Expr{x}
		}
	case *ast.Group:
		return sources(x.X)
	case *ast.Prefer:
		return sources(x.X)
	case *ast.Marker:
		if x.X != nil {
			return sources(x.X)
		}
	case *ast.Instantiate:
		return sources(x.X)
	case *ast.Or:
		for _, o := range x.Xs {
			list = append(list, sources(o)...)
		}
	case *ast.Concat:
		for _, o := range x.Xs {
			list = append(list, sources(o)...)
		}
	case *ast.Cond:
		return append(sources(x.Then), sources(x.Else)...)
	}
	return list
}
