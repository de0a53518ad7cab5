// SPDX-License-Identifier: Apache-2.0

package ast

// Walk calls f for e and then for every expression inside it, in the order of
// the text: also for those in steps, entries, arguments and lambda bodies. It
// does not look inside an expression for which f returns false.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	switch e := e.(type) {
	case *Lit, *Merge, *Auto:
	case *Ref:
		walkSteps(e.Steps, f)
	case *Select:
		Walk(e.X, f)
		walkSteps(e.Steps, f)
	case *Lambda:
		Walk(e.Body, f)
	case *LambdaRef:
		Walk(e.X, f)
	case *Map:
		walkAll(f, e.List, e.Fn)
	case *Sum:
		walkAll(f, e.List, e.Init, e.Fn)
	case *List:
		walkAll(f, e.Elems...)
	case *Range:
		walkAll(f, e.From, e.To)
	case *MapLit:
		walkEntries(e.Entries, f)
	case *Scope:
		walkEntries(e.Entries, f)
		Walk(e.X, f)
	case *Group:
		Walk(e.X, f)
	case *Call:
		Walk(e.Fn, f)
		walkAll(f, e.Args...)
	case *Not:
		Walk(e.X, f)
	case *Instantiate:
		Walk(e.X, f)
	case *Chain:
		Walk(e.First, f)
		for _, o := range e.Rest {
			Walk(o.X, f)
		}
	case *Concat:
		walkAll(f, e.Xs...)
	case *Cond:
		walkAll(f, e.If, e.Then, e.Else)
	case *Or:
		walkAll(f, e.Xs...)
	case *Prefer:
		Walk(e.X, f)
	case *Marker:
		Walk(e.X, f)
	}
}

func walkAll(f func(Expr) bool, xs ...Expr) {
	for _, x := range xs {
		Walk(x, f)
	}
}

func walkEntries(entries []Entry, f func(Expr) bool) {
	for _, e := range entries {
		walkAll(f, e.Key, e.Value)
	}
}

func walkSteps(steps []Step, f func(Expr) bool) {
	for _, s := range steps {
		walkAll(f, s.X, s.From, s.To)
	}
}
