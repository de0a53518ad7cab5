// SPDX-License-Identifier: Apache-2.0

package parser_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/ast"
)

// dump writes a tree as nested lists, each beginning with the kind of its node.
// Constants stand for themselves. It is the notation of testdata/parser.
func dump(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Lit:
		return dumpLit(e)
	case *ast.Ref:
		return form("ref"+flag(e.Abs, "-abs"), dumpSteps(e.Steps))
	case *ast.Select:
		return form("select", dump(e.X), dumpSteps(e.Steps))
	case *ast.Merge:
		return dumpMerge(e)
	case *ast.Auto:
		return "auto"
	case *ast.Lambda:
		return form("lambda", "["+strings.Join(e.Params, " ")+"]", dump(e.Body))
	case *ast.LambdaRef:
		return form("lambda-ref", dump(e.X))
	case *ast.Map:
		return form("map"+flag(e.Inline, "-inline"), dump(e.List), dump(e.Fn))
	case *ast.Sum:
		return form("sum"+flag(e.Inline, "-inline"), dump(e.List), dump(e.Init), dump(e.Fn))
	case *ast.List:
		return form("list", dumpAll(e.Elems)...)
	case *ast.Range:
		return form("range", dump(e.From), dump(e.To))
	case *ast.MapLit:
		return form("map-lit", dumpEntries(e.Entries)...)
	case *ast.Scope:
		return form("scope", append(dumpEntries(e.Entries), dump(e.X))...)
	case *ast.Group:
		return form("group", dump(e.X))
	case *ast.Call:
		return form("call", append([]string{dump(e.Fn)}, dumpAll(e.Args)...)...)
	}
	return dumpOperator(e)
}

func dumpOperator(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Not:
		return form("not", dump(e.X))
	case *ast.Instantiate:
		return form("instantiate", dump(e.X))
	case *ast.Chain:
		parts := []string{dump(e.First)}
		for _, o := range e.Rest {
			parts = append(parts, o.Op.String(), dump(o.X))
		}
		return form("chain", parts...)
	case *ast.Concat:
		return form("concat", dumpAll(e.Xs)...)
	case *ast.Cond:
		return form("cond", dump(e.If), dump(e.Then), dump(e.Else))
	case *ast.Or:
		parts := []string{dump(e.Xs[0])}
		for i, isNil := range e.Nil {
			parts = append(parts, map[bool]string{false: "||", true: "//"}[isNil], dump(e.Xs[i+1]))
		}
		return form("or", parts...)
	case *ast.Prefer:
		return form("prefer", dump(e.X))
	case *ast.Marker:
		name := "marker" + flag(e.Temporary, "-temporary") + flag(e.Template, "-template")
		if e.X == nil {
			return form(name)
		}
		return form(name, dump(e.X))
	}
	return fmt.Sprintf("(unknown %T)", e)
}

func form(kind string, parts ...string) string {
	return "(" + strings.Join(append([]string{kind}, parts...), " ") + ")"
}

func flag(set bool, name string) string {
	if set {
		return name
	}
	return ""
}

func dumpAll(xs []ast.Expr) []string {
	var parts []string
	for _, x := range xs {
		parts = append(parts, dump(x))
	}
	return parts
}

func dumpEntries(entries []ast.Entry) []string {
	var parts []string
	for _, e := range entries {
		parts = append(parts, "("+dump(e.Key)+" = "+dump(e.Value)+")")
	}
	return parts
}

func dumpLit(e *ast.Lit) string {
	switch e.Kind {
	case ast.LitString:
		return strconv.Quote(e.Str)
	case ast.LitInt:
		return strconv.FormatInt(e.Int, 10)
	case ast.LitFloat:
		return "(float " + strconv.FormatFloat(e.Float, 'g', -1, 64) + ")"
	case ast.LitBool:
		return strconv.FormatBool(e.Bool)
	case ast.LitNull:
		return "nil"
	case ast.LitUndefined:
		return "undefined"
	}
	return fmt.Sprintf("(unknown literal %d)", e.Kind)
}

func dumpSteps(steps []ast.Step) string {
	var parts []string
	for _, s := range steps {
		switch s.Kind {
		case ast.StepName:
			parts = append(parts, s.Name)
		case ast.StepIndex:
			parts = append(parts, "["+strconv.FormatInt(s.Index, 10)+"]")
		case ast.StepExpr:
			parts = append(parts, form("at", dump(s.X)))
		case ast.StepSlice:
			parts = append(parts, form("slice", dumpBound(s.From), dumpBound(s.To)))
		case ast.StepAll:
			parts = append(parts, "[*]")
		}
	}
	return strings.Join(parts, " ")
}

func dumpBound(x ast.Expr) string {
	if x == nil {
		return "-"
	}
	return dump(x)
}

func dumpMerge(e *ast.Merge) string {
	kind := "merge" + flag(e.Replace, "-replace") + flag(e.Required, "-required") + flag(e.None, "-none")
	var parts []string
	if e.On != "" {
		parts = append(parts, form("on", e.On))
	}
	if e.Path != nil {
		parts = append(parts, form("path"+flag(e.AbsPath, "-abs"), dumpSteps(e.Path)))
	}
	return form(kind, parts...)
}
