// SPDX-License-Identifier: Apache-2.0

package ast

import (
	"strconv"
	"strings"
)

// Print returns the canonical text of e: what error reports show and what a
// lambda becomes as a string. Parsing it gives the same tree again, positions
// aside.
//
// Four forms have brackets of their own, which are not a Group: !(X), *(X),
// (X).path and &marker (X). The parser drops the Group that it reads there.
func Print(e Expr) string {
	var p printer
	p.expr(e)
	return p.String()
}

type printer struct {
	strings.Builder
	mergeEnd int // length of the text after the last merge
}

// put writes its arguments: strings as they are, expressions as text.
func (p *printer) put(parts ...any) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			p.WriteString(part)
		case Expr:
			p.expr(part)
		}
	}
}

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *Lit:
		p.literal(e)
	case *Ref:
		p.path(e.Abs, e.Steps)
	case *Select:
		p.put("(", e.X, ")")
		p.steps(e.Steps)
	case *Merge:
		p.merge(e)
	case *Auto:
		p.put("auto")
	case *Lambda:
		p.put("lambda")
		p.lambda(e)
	case *LambdaRef:
		p.put("lambda ", e.X)
	case *Map:
		p.put("map[", e.List)
		p.function(e.Fn, e.Inline)
	case *Sum:
		p.put("sum[", e.List, "|", e.Init)
		p.function(e.Fn, e.Inline)
	case *List:
		p.put("[")
		p.list(e.Elems)
		p.put("]")
	case *Range:
		p.put("[", e.From, "..", e.To, "]")
	case *MapLit:
		p.mapLit(e)
	case *Scope:
		p.put("(")
		p.entries(e.Entries)
		p.put(") ", e.X)
	case *Group:
		p.put("( ", e.X, " )")
	case *Call:
		p.put(e.Fn, "(")
		p.list(e.Args)
		p.put(")")
	default:
		p.operator(e)
	}
}

// operator prints the expressions that need no brackets of their own, because
// the tree has a Group wherever the text had brackets.
func (p *printer) operator(e Expr) {
	switch e := e.(type) {
	case *Not:
		p.put("!(", e.X, ")")
	case *Instantiate:
		p.put("*(", e.X, ")")
	case *Chain:
		p.put(e.First)
		for _, o := range e.Rest {
			p.put(" ", o.Op.String(), " ", o.X)
		}
	case *Concat:
		for i, x := range e.Xs {
			if i > 0 {
				p.put(" ")
			}
			p.put(x)
		}
	case *Cond:
		p.put(e.If, " ? ", e.Then, " : ", e.Else)
	case *Or:
		p.or(e)
	case *Prefer:
		p.put("prefer ", e.X)
	case *Marker:
		p.marker(e)
	}
}

func (p *printer) literal(e *Lit) {
	switch e.Kind {
	case LitString:
		if e.Raw != "" {
			p.put(`"`, e.Raw, `"`) // as it was written, whatever its escapes mean
		} else {
			p.put(quote(e.Str))
		}
	case LitInt:
		if e.Int == 0 && p.followsMerge() {
			p.put("-")
		}
		p.put(strconv.FormatInt(e.Int, 10))
	case LitFloat:
		p.put(formatFloat(e.Float))
	case LitBool:
		p.put(strconv.FormatBool(e.Bool))
	case LitNull:
		if p.followsMerge() {
			p.put("~")
		} else {
			p.put("nil")
		}
	case LitUndefined:
		p.put("~~")
	}
}

// followsMerge says whether the next operand stands behind merge, which would
// take the words nil and 0 for its path: the text had ~ or -0 there.
func (p *printer) followsMerge() bool {
	return p.mergeEnd > 0 && p.String()[p.mergeEnd:] == " "
}

// quote writes s as a string literal. A quotation mark is the only thing that
// the language can escape, so everything else stands for itself. No literal
// can express a final backslash.
func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

// formatFloat writes f so that it cannot be taken for an integer.
func formatFloat(f float64) string {
	s := strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "e+", "e", 1)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

func (p *printer) path(abs bool, steps []Step) {
	for i := range steps {
		if i == 0 && !abs {
			p.put(steps[0].Name)
			continue
		}
		p.step(&steps[i])
	}
}

func (p *printer) steps(steps []Step) {
	for i := range steps {
		p.step(&steps[i])
	}
}

func (p *printer) step(s *Step) {
	switch s.Kind {
	case StepName:
		p.put(".", s.Name)
	case StepIndex:
		p.put(".[", strconv.FormatInt(s.Index, 10), "]")
	case StepExpr:
		p.put(".[", s.X, "]")
	case StepSlice:
		p.put(".[", s.From, "..", s.To, "]") // a missing bound prints nothing
	case StepAll:
		p.put(".[*]")
	}
}

func (p *printer) merge(e *Merge) {
	p.put("merge")
	if e.Replace {
		p.put(" replace")
	}
	if e.Required {
		p.put(" required")
	}
	if e.None {
		p.put(" none")
	}
	if e.On != "" {
		p.put(" on ", e.On)
	}
	if e.Path != nil {
		p.put(" ")
		p.path(e.AbsPath, e.Path)
	}
	p.mergeEnd = p.Len()
}

func (p *printer) lambda(e *Lambda) {
	p.put("|", strings.Join(e.Params, ","), "|->", e.Body)
}

// function prints the last part of map[ and sum[ with the closing bracket. An
// inline lambda brings its own bar.
func (p *printer) function(fn Expr, inline bool) {
	if l, ok := fn.(*Lambda); ok && inline {
		p.lambda(l)
	} else {
		p.put("|", fn)
	}
	p.put("]")
}

func (p *printer) list(xs []Expr) {
	for i, x := range xs {
		if i > 0 {
			p.put(", ")
		}
		p.put(x)
	}
}

func (p *printer) entries(entries []Entry) {
	for i, e := range entries {
		if i > 0 {
			p.put(", ")
		}
		p.put(e.Key, " = ", e.Value)
	}
}

func (p *printer) mapLit(e *MapLit) {
	p.put("{ ")
	if len(e.Entries) > 0 {
		p.entries(e.Entries)
		p.put(" ")
	}
	p.put("}")
}

func (p *printer) or(e *Or) {
	for i, x := range e.Xs {
		switch {
		case i == 0:
		case e.Nil[i-1]:
			p.put(" // ")
		default:
			p.put(" || ")
		}
		p.put(x)
	}
}

func (p *printer) marker(e *Marker) {
	var words []string
	if e.Temporary {
		words = append(words, "&temporary")
	}
	if e.Template {
		words = append(words, "&template")
	}
	p.put(strings.Join(words, " "))
	if e.X != nil {
		p.put(" (", e.X, ")")
	}
}
