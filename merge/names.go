// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// missingName explains a path that leads nowhere.
func (f *failing) missingName(nf *notFound) {
	p, n := nf.path, nf.steps
	if n == 0 || n > len(p.Steps) {
		f.d.Code = diag.UnknownName
		return
	}
	ref := f.refOf(p)
	st := &p.Steps[n-1]
	if ref != nil && n <= len(ref.Steps) {
		if sp := ref.Steps[n-1].Span(); sp.End > sp.Start {
			f.d.Span = f.span(sp)
		}
	}
	name := stepName(f.l.s, st)
	if n == 1 && !p.Abs && ref == nil && f.err.Op != program.Ref && f.err.Op != program.RefShape {
		f.neededField(name)
		return
	}
	if n == 1 && f.err.Op == program.StaticIPs {
		f.d.Code = diag.StaticIPs
		f.d.Msg = "static_ips takes the addresses from .networks, and the document has no key \"networks\" at its root"
		f.d.Fix = "add the networks to the document, or take them from a stub: networks: (( merge ))"
		return
	}
	if n == 1 {
		f.d.Code = diag.UnknownName
		f.d.Msg = fmt.Sprintf("there is no key %q around this node, and no parameter of that name", name)
		if p.Abs {
			f.d.Msg = fmt.Sprintf("the document has no key %q at its root", name)
			if f.l.boundNode(&program.Path{Steps: p.Steps[:1]}) != 0 {
				f.d.Fix = fmt.Sprintf("%s is bound from outside: leave the dot before it out, and call it as (%s)(...)", name, name)
				return
			}
		}
		f.d.Fix = fmt.Sprintf("add the key to the document, take it from a stub with merge, or give a default: (( %s || \"default\" ))", name)
		if fix := f.noName(name, p.Abs); fix != "" {
			f.d.Fix = fix
			return
		}
		if s := f.suggest(name, func() []string { return f.visible(p.Abs) }); s != "" {
			r := &ast.Ref{Abs: p.Abs, Steps: []ast.Step{{Name: s}}}
			if v, ok := f.lookup(r); ok {
				f.value(s, r, v)
			}
		}
		return
	}
	f.missingStep(p, n, name)
	if f.err.Op != program.StaticIPs {
		return
	}
	f.staticIPs()
	switch {
	case f.d.Fix != "":
	case n == 2:
		f.d.Fix = "write static_ips into an entry of the networks of a job, beside the name of one of these networks"
	default:
		f.d.Fix = fmt.Sprintf("give the network the field %s: a list of maps with static: [10.0.0.10 - 10.0.0.20]", name)
	}
}

// wordOps are the operators that other languages write as words.
var wordOps = map[string]string{"and": "-and", "or": "-or", "not": "!"}

// noName proposes what is meant by a name that is none: an operator, a function
// without its brackets, or a subtraction without blanks.
func (f *failing) noName(name string, abs bool) string {
	if abs {
		return ""
	}
	if op, ok := wordOps[name]; ok {
		return fmt.Sprintf("the logical %s is written %s", name, op)
	}
	if f.l.opt.Functions.Lookup(name) >= 0 {
		return fmt.Sprintf("%s is a function, its arguments stand in brackets directly behind it: %[1]s(...)", name)
	}
	left, right, ok := strings.Cut(name, "-")
	if !ok || f.compared > maxCompared {
		return ""
	}
	known := f.visible(false)
	f.compared += len(known)
	if slices.Contains(known, left) && (slices.Contains(known, right) || strings.Trim(right, "0123456789") == "") {
		return fmt.Sprintf("a name may have dashes; to subtract, put blanks around the dash: %s - %s", left, right)
	}
	return ""
}

// missingStep explains step n of a path, behind others that are there.
func (f *failing) missingStep(p *program.Path, n int, name string) {
	before := p.Prefix(f.l.s, n-1)
	holder, ok := f.follow(p, n-1)
	f.seen[before] = true
	switch {
	case !ok:
		f.d.Code = diag.UnknownKey
		return
	case holder.Kind == value.Map:
		f.d.Code = diag.UnknownKey
		f.d.Msg = fmt.Sprintf("the map %s has no key %q", before, name)
	case holder.Kind == value.List:
		f.d.Code = diag.UnknownEntry
		size := count(int(f.l.s.Node(holder.Ref).Len), "entry", "entries")
		if p.Steps[n-1].IsIndex {
			f.d.Msg = fmt.Sprintf("the list %s has %s, none with the index %s", before, size, name)
		} else {
			f.d.Msg = fmt.Sprintf("the list %s has %s, none named %q", before, size, name)
		}
	default:
		f.d.Code = diag.NoFields
		f.d.Msg = fmt.Sprintf("%s is %s, it has no field %q", before, f.describe(holder), name)
		if holder.Kind == value.Null {
			f.d.Fix = fmt.Sprintf("give %s a value that is a map, or write a default: (( %s || ... ))", before, p.Prefix(f.l.s, n))
		}
	}
	if holder.Ref != 0 && p.Steps[0].Key != f.l.names.ctx { // __ctx stands nowhere
		f.notef(f.l.s.Span(holder.Ref).Key(stepName(f.l.s, &p.Steps[n-2])), "%s is here", before)
	}
	switch {
	case f.d.Code == diag.NoFields:
	case p.Steps[n-1].IsIndex:
		f.d.Fix = f.indexFix(int(f.l.s.Node(holder.Ref).Len))
	default:
		f.suggest(name, func() []string { return f.keysOf(holder) })
		if f.d.Fix == "" && holder.Kind == value.List && len(f.keysOf(holder)) == 0 {
			f.d.Fix = fmt.Sprintf("its entries have no names; pick one by its index, which begins with 0: %s.[0]", before)
		}
	}
}

// indexFix says which indices a list of n entries has.
func (f *failing) indexFix(n int) string {
	switch n {
	case 0:
		return "the list is empty: add entries, or give a default behind ||"
	case 1:
		return "the only index is 0"
	}
	return fmt.Sprintf("use an index from 0 to %d", n-1)
}

// neededField explains that a function looked for a field around its node.
func (f *failing) neededField(name string) {
	what := "static_ips"
	f.d.Code = diag.StaticIPs
	if f.err.Op == program.Auto {
		f.d.Code, what = diag.Auto, "auto"
	}
	f.d.Msg = fmt.Sprintf("%s needs a field %q around the node, and there is none", what, name)
	switch name {
	case "instances":
		f.d.Fix = "add the number of instances to the job, such as instances: 1"
	case "name":
		f.d.Fix = "write static_ips into an entry of the networks of a job, beside the name of the network"
	}
}

func stepName(s *value.Store, st *program.Step) string {
	if st.IsIndex {
		return fmt.Sprint(st.Index)
	}
	return s.Name(st.Key)
}

// refOf returns the reference or selection that p is compiled from.
func (f *failing) refOf(p *program.Path) *ast.Ref {
	if r, ok := f.expr.(*ast.Ref); ok && len(r.Steps) >= len(p.Steps) && (r.Abs == p.Abs || p.Abs) {
		return r
	}
	return nil
}

// path returns the program path of a reference of names and numbers.
func (f *failing) path(r *ast.Ref) *program.Path {
	p := &program.Path{Abs: r.Abs}
	for _, st := range r.Steps {
		switch st.Kind {
		case ast.StepName:
			p.Steps = append(p.Steps, program.NameStep(f.l.s, st.Name))
		case ast.StepIndex:
			p.Steps = append(p.Steps, program.Step{IsIndex: true, Index: st.Index})
		default:
			return nil
		}
	}
	return p
}

func (f *failing) scope() *vm.Scope {
	if f.err.Trace == nil {
		return nil
	}
	return f.err.Trace.Scope
}

// lookup returns what a reference leads to, if that is known now.
func (f *failing) lookup(r *ast.Ref) (value.Value, bool) {
	p := f.path(r)
	if p == nil || !p.Abs && p.Steps[0].Key == f.l.names.ctx {
		return value.Value{}, false
	}
	return f.follow(p, len(p.Steps))
}

// follow returns what the first n steps of a path lead to.
func (f *failing) follow(p *program.Path, n int) (value.Value, bool) {
	v, err := f.l.lookup(f.v, f.scope(), &program.Path{Abs: p.Abs, Steps: p.Steps[:n]}, true)
	if err != nil {
		return v, false
	}
	if v.Kind == value.Deferred {
		return f.opened(v), true
	}
	return v, true
}

// opened is Open for a list or map that failed, too.
func (f *failing) opened(v value.Value) value.Value {
	c := f.l.cell(cellOf(v.Ref))
	if c.state == sDone || f.l.shape(c) != nil {
		o := f.l.Open(v)
		if n := f.l.s.Node(o.Ref); c.node != 0 {
			// The place of the operand is that of the running expression.
			at := *n
			w := f.l.s.Node(f.l.written(c))
			at.File, at.Start, at.End = w.File, w.Start, w.End
			o.Ref = f.l.s.New(at)
		}
		return o
	}
	return f.l.s.Load(c.node)
}

// maxValues bounds the names whose values are noted.
const maxValues = 4

// values notes the values of the names in an expression, and which stub a
// value comes from that the document has otherwise.
func (f *failing) values(x ast.Expr) {
	shown := 0
	ast.Walk(x, func(x ast.Expr) bool {
		if _, ok := x.(*ast.Lambda); ok {
			return false // its parameters have no values yet
		}
		r, ok := x.(*ast.Ref)
		if !ok || shown == maxValues {
			return true
		}
		name := ast.Print(r)
		if f.seen[name] {
			return true
		}
		f.seen[name] = true
		if v, ok := f.lookup(r); ok {
			f.value(name, r, v)
			shown++
		}
		return true
	})
}

// value notes what a name stands for and where that was written.
func (f *failing) value(name string, r *ast.Ref, v value.Value) {
	var sp diag.Span
	if v.Ref != 0 {
		sp = f.l.s.Span(v.Ref)
	}
	msg := name + " is " + f.describe(v)
	if raw := f.written(r); raw != 0 && v.Ref != 0 {
		n := f.l.s.Node(raw)
		switch {
		case n.File != f.l.s.Node(v.Ref).File:
			what := "the expression"
			if n.Kind != value.Expr {
				what = f.describe(f.l.load(raw))
			}
			msg += fmt.Sprintf(", from a stub, in place of %s at %s", what, f.l.s.Span(raw))
		case n.Kind == value.Expr && f.l.s.Span(raw) != sp:
			msg += fmt.Sprintf(", by the expression at %s", f.l.s.Span(raw))
		}
	}
	f.notef(sp, "%s", msg)
}

// written returns the node that the document itself has where a reference
// leads, or 0: the value may come from a stub.
func (f *failing) written(r *ast.Ref) value.ID {
	p := f.path(r)
	if p == nil {
		return 0
	}
	var id value.ID
	steps := p.Steps
	if p.Abs {
		id = f.l.cell(f.l.root).node
	} else {
		key := p.Steps[0].Key
		for cur := f.l.cell(f.v).parent; cur != 0 && id == 0; cur = f.l.cell(cur).parent {
			id = f.l.s.Get(f.l.cell(cur).node, key)
		}
		steps = steps[1:]
	}
	for i := range steps {
		if id == 0 || id > value.MaxID {
			return 0
		}
		id = f.l.nodeStep(id, &steps[i])
	}
	if id > value.MaxID {
		return 0
	}
	return id
}

// visible returns the names that a reference may begin with.
func (f *failing) visible(abs bool) []string {
	var names []string
	add := func(c *cell) {
		if !f.l.isMap(c) {
			return
		}
		keys := f.l.s.Keys(f.l.s.Node(c.node))
		if sh := f.l.shape(c); sh != nil && sh.keys != nil {
			keys = sh.keys
		}
		for _, k := range keys {
			if k != f.l.names.insert {
				names = append(names, f.l.s.Name(k))
			}
		}
	}
	if abs {
		add(f.l.cell(f.l.root))
		return names
	}
	for sc := f.scope(); sc != nil; sc = sc.Outer {
		for _, n := range sc.Names {
			names = append(names, f.l.s.Name(n))
		}
	}
	for cur := f.l.cell(f.v).parent; cur != 0; cur = f.l.cell(cur).parent {
		add(f.l.cell(cur))
	}
	names = append(names, f.l.boundNames()...)
	return append(names, "merge", "true", "false", "nil")
}

// keysOf returns the keys of a map, or the names of the entries of a list.
func (f *failing) keysOf(v value.Value) []string {
	n := f.l.s.Node(v.Ref)
	var names []string
	switch v.Kind {
	case value.Map:
		for _, k := range f.l.s.Keys(n) {
			names = append(names, f.l.s.Name(k))
		}
	case value.List:
		field := f.l.s.KeyField(n)
		if field == 0 {
			field = f.l.names.name
		}
		for _, e := range f.l.s.Elems(n) {
			if name, ok, _, wait := f.l.keyOf(e, field); ok && !wait {
				names = append(names, name)
			}
		}
	}
	return names
}

// maxListed bounds the names that are listed when none is close.
const maxListed = 8

// suggest proposes the name that is most like the missing one, or says what
// there is, or where else the document has the key. It returns the proposal.
func (f *failing) suggest(name string, names func() []string) string {
	s, there := f.closest(name, names)
	if s != "" {
		f.d.Fix = fmt.Sprintf("did you mean %q?", s)
		return s
	}
	for _, root := range append([]value.ID{f.l.cell(f.l.root).node}, f.l.stubRoots()...) {
		where, ok := f.elsewhere(root, name)
		if !ok {
			continue
		}
		if root == f.l.cell(f.l.root).node {
			f.notef(where.span, "the document has the key at %s", where.path)
			if f.d.Code != diag.UnknownKey && !strings.Contains(where.path, "[") {
				f.d.Fix = "write the whole path: " + where.path
			}
			return ""
		}
		f.notef(where.span, "a stub has %s, but references see only the document itself", where.path)
		f.d.Fix = fmt.Sprintf("add %s to the document with the value (( merge )), which takes it from the stub", where.path)
		return ""
	}
	if f.d.Code != diag.UnknownName && len(there) > 0 && len(there) <= maxListed {
		f.notef(diag.Span{}, "there is %s", strings.Join(there, ", "))
	}
	return ""
}

// notInStubs explains a merge that found nothing: how far its path leads in
// the stubs.
func (f *failing) notInStubs() {
	f.d.Code = diag.NotInStubs
	m, ok := f.err.Cause.(*missing)
	if !ok {
		return
	}
	path := f.l.mergePath(m.v, m.m)
	f.d.Msg = fmt.Sprintf("merge takes the value from a stub, and no stub has %s", path)
	if f.l.stubs == 0 {
		f.d.Msg = fmt.Sprintf("merge takes the value of %s from a stub, and no stub follows this file", cmp.Or(path, "the whole document"))
		f.d.Fix = `name a stub behind this file on the command line, or give a default: (( merge || "default" ))`
		return
	}
	steps := strings.Split(path, ".")
	if m.m.Path != nil && m.m.Path.Abs {
		f.d.Fix = "write the path of merge without the leading dot"
		return
	}
	found := false
	for _, root := range f.l.stubRoots() {
		found = f.nearest(root, steps, m.m.Path == nil) || found
	}
	if found {
		return
	}
	for _, root := range f.l.stubRoots() {
		if where, ok := f.elsewhere(root, steps[len(steps)-1]); ok {
			f.notef(where.span, "a stub has a value at %s", where.path)
			f.d.Fix = fmt.Sprintf("write the value at %s in the stub, or take it from where it is: (( merge %s ))", path, where.path)
			return
		}
	}
}

// nearest notes where the path of a merge ends in a stub. It reports whether
// there is a key that may have been meant. own is set if the path is that of
// the node itself.
func (f *failing) nearest(root value.ID, steps []string, own bool) bool {
	id := root
	for i, name := range steps {
		st := program.NameStep(f.l.s, name)
		var n int64
		if _, err := fmt.Sscanf(name, "[%d]", &n); err == nil {
			st = program.Step{IsIndex: true, Index: n}
		}
		next := f.l.stepIn(id, &st)
		if next != 0 {
			id = next
			continue
		}
		wanted := f.l.s.Name(st.Val)
		if st.IsIndex {
			wanted = name
		}
		if s, _ := f.closest(wanted, func() []string { return f.keysOf(f.l.s.Load(id)) }); s != "" {
			f.notef(f.l.s.Span(f.child(id, s)).Key(s), "the stub has %q here", s)
			f.d.Fix = fmt.Sprintf("did you mean %q?", s)
			if own {
				f.d.Fix = fmt.Sprintf("call it %q in the stub, or %q in this file", wanted, s)
			}
			return true
		}
		if i > 0 {
			f.notef(f.l.s.Span(id), "the stub has %s, without %s", strings.Join(steps[:i], "."), strings.Join(steps[i:], "."))
		}
		return false
	}
	return false
}

// child returns the entry of a map or list by its name.
func (f *failing) child(id value.ID, name string) value.ID {
	st := program.NameStep(f.l.s, name)
	if next := f.l.stepIn(id, &st); next != 0 {
		return next
	}
	return id
}

// A foundKey is the first place where a document has it.
type foundKey struct {
	path string
	span diag.Span
}

// elsewhere returns the first place of a key in a document. All keys of the
// document are indexed when that is first asked for.
func (g *diagnoser) elsewhere(root value.ID, name string) (foundKey, bool) {
	index, ok := g.where[root]
	if !ok {
		index = map[value.Sym]foundKey{}
		g.index(index, map[value.ID]bool{}, root, nil)
		g.where[root] = index
	}
	y, ok := g.l.s.Symbol(name)
	if !ok {
		return foundKey{}, false
	}
	w, ok := index[y]
	return w, ok
}

// index adds the keys in a node. seen are lists and maps that were looked at:
// aliases lead to them again.
func (g *diagnoser) index(index map[value.Sym]foundKey, seen map[value.ID]bool, id value.ID, path []string) {
	s := g.l.s
	n := s.Node(id)
	if n.Kind != value.Map && n.Kind != value.List || seen[id] {
		return
	}
	seen[id] = true
	switch n.Kind {
	case value.Map:
		for i, k := range s.Keys(n) {
			child := s.Vals(n)[i]
			if child > value.MaxID {
				continue
			}
			below := append(path, s.Name(k))
			if _, ok := index[k]; !ok {
				index[k] = foundKey{strings.Join(below, "."), s.Span(child)}
			}
			g.index(index, seen, child, below)
		}
	case value.List:
		for i, child := range s.Elems(n) {
			if child > value.MaxID {
				continue
			}
			step := fmt.Sprintf("[%d]", i)
			if name, ok := s.KeyOf(child, g.l.names.name); ok {
				step = name
			}
			g.index(index, seen, child, append(path, step))
		}
	}
}

// closest returns the name that is most like the given one, or "" if none is
// close, and the names, unless too many were looked at before.
func (g *diagnoser) closest(name string, names func() []string) (string, []string) {
	if g.compared > maxCompared {
		return "", nil
	}
	there := names()
	g.compared += len(there)
	return diag.Closest(name, there), there
}

// stubRoots returns the evaluated stubs, nearest first.
func (l *level) stubRoots() []value.ID {
	switch {
	case l.stubs == 0:
		return nil
	case !isGroup(l.stubs):
		return []value.ID{value.ID(l.stubs)}
	}
	roots := slices.Clone(l.group(l.stubs).ids)
	slices.Reverse(roots)
	return roots
}
