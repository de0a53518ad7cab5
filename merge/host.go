// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"
	"fmt"
	"sort"

	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// The methods of vm.Host. A level answers for the cell that the fiber belongs
// to.

// Store returns the store of the session.
func (l *level) Store() *value.Store { return l.s }

// At returns the place of the running expression.
func (l *level) At() value.Node {
	return value.Node{File: l.at.File, Start: l.at.Start, End: l.at.End}
}

// Ref resolves a reference.
func (l *level) Ref(f *vm.Fiber, scope *vm.Scope, p *program.Path, shape bool) (value.Value, error) {
	if v, ok := l.read.take(); ok {
		return v, nil
	}
	v, err := l.lookup(f.Cell, scope, p, shape)
	if err == vm.ErrWait && shape && l.unparsable() && l.wait.steps == len(p.Steps) && f.Silent() {
		// For defined and valid a text that does not parse is a plain string
		// (semantics 1.1).
		return l.s.Load(l.cell(l.wait.cell).node), nil
	}
	return v, err
}

// unparsable reports whether what was waited for last is text that does not
// parse.
func (l *level) unparsable() bool {
	c := l.cell(l.wait.cell)
	return c.state == sFailed && l.extraOf(c).parse
}

// Select follows a path from a value.
func (l *level) Select(_ *vm.Fiber, v value.Value, p *program.Path, taken int, shape bool) (value.Value, error) {
	return l.selectFrom(v, p, taken, shape)
}

// Index selects by a computed index.
func (l *level) Index(_ *vm.Fiber, v, index value.Value, shape bool) (value.Value, error) {
	if v.Kind == value.Undefined || index.Kind == value.Undefined {
		return value.Undef, nil
	}
	p := &program.Path{}
	if err := l.indexSteps(p, index); err != nil {
		return value.Value{}, err
	}
	return l.selectFrom(v, p, 0, shape)
}

// indexSteps appends the steps that an index value stands for.
func (l *level) indexSteps(p *program.Path, index value.Value) error {
	switch index.Kind {
	case value.Int:
		p.Steps = append(p.Steps, program.Step{IsIndex: true, Index: index.Num})
	case value.String:
		p.Steps = append(p.Steps, program.NameStep(l.s, index.Str))
	case value.List:
		for _, id := range l.s.Elems(l.s.Node(index.Ref)) {
			v := l.s.Load(id)
			if v.Kind == value.List {
				return errors.New("index list must contain integers and strings")
			}
			if err := l.indexSteps(p, v); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("index must be an integer, a string or a list of both, found %s", index.Kind)
	}
	return nil
}

// Force completes a Deferred operand.
func (l *level) Force(_ *vm.Fiber, v value.Value, shape bool) (value.Value, error) {
	if l.cell(cellOf(v.Ref)).state == sUndefined {
		return value.Undef, nil // an element of map[] or sum[] that vanished
	}
	return l.final(v.Ref, noPath, 0, shape)
}

// Open returns a Deferred list or map as a node with unfinished children.
func (l *level) Open(v value.Value) value.Value {
	c := l.cell(cellOf(v.Ref))
	if c.state == sDone {
		return l.load(c.out)
	}
	sh := l.shape(c)
	refs := make([]ref, 0, len(sh.refs))
	var keys []value.Sym
	for i, r := range sh.refs {
		if isCell(r) {
			switch e := l.cell(cellOf(r)); e.state {
			case sDone:
				r = e.out
			case sUndefined:
				continue
			}
		}
		refs = append(refs, r)
		if sh.keys != nil {
			keys = append(keys, sh.keys[i])
		}
	}
	at := l.At()
	if l.isMap(c) {
		return value.Value{Kind: value.Map, Ref: l.s.MapNode(at, keys, refs)}
	}
	var field value.Sym
	if sh.explicit {
		field = sh.field
	}
	return value.Value{Kind: value.List, Ref: l.s.ListNode(at, refs, field)}
}

// Children returns the elements of a list or the entries of a map, sorted by
// key. Entries of a map that may still become undefined are included.
func (l *level) Children(v value.Value) (keys []value.Sym, children []value.Value) {
	if v.Kind == value.Deferred {
		v = l.Open(v)
	}
	n := l.s.Node(v.Ref)
	if n.Kind == value.List {
		elems := l.s.Elems(n)
		children = make([]value.Value, len(elems))
		for i, r := range elems {
			children[i] = l.operand(r)
		}
		return nil, children
	}
	ks, vs := l.s.Keys(n), l.s.Vals(n)
	order := make([]int, len(ks))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return l.s.Name(ks[order[a]]) < l.s.Name(ks[order[b]]) })
	keys = make([]value.Sym, len(ks))
	children = make([]value.Value, len(ks))
	for i, j := range order {
		keys[i], children[i] = ks[j], l.operand(vs[j])
	}
	return keys, children
}

// Overlap prepares maps for concatenation, see vm.Host.
func (l *level) Overlap(operands []value.Value) error {
	open := false
	for i := range operands {
		open = open || operands[i].Kind == value.Map && l.s.Node(operands[i].Ref).Flags&value.Open != 0
	}
	if !open {
		return nil
	}
	seen := map[value.Sym]bool{}
	for i, v := range operands {
		if v.Kind != value.Map {
			continue
		}
		n := *l.s.Node(v.Ref)
		var keys []value.Sym
		var vals []value.ID
		for j, r := range l.s.Vals(&n) {
			key := l.s.Keys(&n)[j]
			if isCell(r) {
				c := l.cell(cellOf(r))
				switch {
				case c.state == sUndefined:
					continue
				case seen[key] && c.state == sValued:
					return l.pend(cellOf(r), evDone, noPath, 0)
				case seen[key] && c.state < sShaped:
					return l.pend(cellOf(r), evShape, noPath, 0)
				}
			}
			keys, vals = append(keys, key), append(vals, r)
		}
		for _, k := range keys {
			seen[k] = true
		}
		if len(keys) < int(n.Len) {
			operands[i].Ref = l.s.MapNode(l.At(), keys, vals)
		}
	}
	return nil
}

// operand returns a child as an operand, Deferred if it is not finished.
func (l *level) operand(r ref) value.Value {
	if isCell(r) {
		c := l.cell(cellOf(r))
		if c.state != sDone {
			return value.Value{Kind: value.Deferred, Ref: r}
		}
		r = c.out
	}
	return l.load(r)
}

// Merge returns the stub value for a merge expression (semantics 2.6).
func (l *level) Merge(f *vm.Fiber, m *program.MergeForm) (value.Value, error) {
	c := l.cell(f.Cell)
	if m.Path == nil {
		if w, ok := l.located(f.Cell); !ok {
			return value.Value{}, l.pend(w, evLocated, noPath, 0)
		}
	}
	if m.On != 0 {
		f.Info.KeyField = m.On
	}
	if m.None {
		f.Info.Merged = true
		return value.NullVal, nil
	}
	var hit value.ID
	if m.Path != nil {
		f.Info.Redirect = m.Path
		hit = l.nearest(l.find(m.Path))
	} else {
		hit = l.hit(c)
	}
	if hit == 0 {
		return value.Value{}, &missing{l, f.Cell, m}
	}
	l.take(hit)
	f.Info.Merged = true
	f.Info.Replaced = f.Info.Replaced || m.Replace
	return l.s.Load(hit), nil
}

// missing is the error of a merge that found nothing. Its text is made when it
// is reported: the path may lead through keys that are not known before.
type missing struct {
	l *level
	v uint32
	m *program.MergeForm
}

func (e *missing) Error() string {
	return fmt.Sprintf("'%s' not found in any stub", e.l.mergePath(e.v, e.m))
}

// mergePath names the place in the stubs where a merge looks.
func (l *level) mergePath(v uint32, m *program.MergeForm) string {
	if m.Path != nil {
		return m.Path.Prefix(l.s, len(m.Path.Steps))
	}
	return l.stubPath(v)
}

// Compile compiles computed expression text; brackets around it are allowed.
func (l *level) Compile(text string) (*program.Program, error) {
	if value.LooksLikeExpr(text) {
		text = exprText(text)
	}
	return l.inner(text).result()
}

// CompileLambda compiles the text of a lambda.
func (l *level) CompileLambda(text string) (*program.Program, error) { return l.lambda(text).result() }
