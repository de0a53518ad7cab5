// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// Explain says why the node at a path of the document that was merged last, or
// of one before it in the same file, has its value. What expressions read is
// explained in turn, to a depth. If a stub could not be resolved, it is the
// document that was merged last. The error says which part of the path is not
// there.
func (t *Trace) Explain(path []explain.Step, depth int) (*explain.Explanation, error) {
	sp, err := t.find(path)
	if err != nil {
		return nil, err
	}
	x := &explainer{t: t, seen: map[string]bool{}}
	e := x.explain(sp, depth)
	x.whole(e, sp)
	return e, nil
}

// resolve follows a path that a user wrote.
func (t *Trace) resolve(d int, path []explain.Step) (spot, error) {
	sp := t.start(d)
	for _, us := range path {
		st := t.userStep(sp, us)
		next, ok := t.step(sp, &st)
		if !ok {
			return sp, t.noStep(sp, us)
		}
		sp = next
	}
	return sp, nil
}

// userStep returns what a component means at a spot: digits and names with a
// colon may be keys as well.
func (t *Trace) userStep(sp spot, us explain.Step) program.Step {
	s := t.n.s
	name := s.Intern(us.Name)
	switch {
	case us.IsIndex && !t.isMap(sp):
		return program.Step{IsIndex: true, Index: int64(us.Index)}
	case us.Field != "":
		return program.Step{Key: s.Intern(us.Field + ":" + us.Name), Field: s.Intern(us.Field), Val: name}
	}
	return program.Step{Key: name, Val: name}
}

func (t *Trace) isMap(sp spot) bool {
	if sp.how == byCell {
		if k := t.kids(t.into(sp).cell); k != nil {
			return k.isMap(t.n.s)
		}
	}
	return sp.out != 0 && t.n.s.Kind(sp.out) == value.Map
}

// noStep is the error of a component that leads nowhere.
func (t *Trace) noStep(sp spot, us explain.Step) error {
	at := "'" + sp.path + "'"
	if sp.path == "" {
		at = t.docs[sp.doc].in.Source.Name
	}
	name := us.Name
	if us.Field != "" {
		name = us.Field + ":" + us.Name
	}
	var keys []string
	kind := "node"
	if sp.out != 0 {
		n := t.n.s.Node(sp.out)
		kind = n.Kind.String()
		switch n.Kind {
		case value.Map:
			for _, k := range t.n.s.Keys(n) {
				keys = append(keys, t.n.s.Name(k))
			}
		case value.List:
			return fmt.Errorf("there is no entry '%s' in %s, a list of %d", name, at, n.Len)
		default:
			return fmt.Errorf("there is no '%s' in %s, which is %s %s", name, at, n.Kind, explain.ValueOf(t.n.s, sp.out).Brief())
		}
	}
	slices.Sort(keys)
	if len(keys) > maxKeys {
		keys = append(keys[:maxKeys], "...")
	}
	if len(keys) == 0 {
		return fmt.Errorf("there is no '%s' in %s", name, at)
	}
	return fmt.Errorf("there is no '%s' in %s, a %s with the keys %s", name, at, kind, strings.Join(keys, ", "))
}

// maxKeys bounds the keys that a message lists.
const maxKeys = 20

// An explainer explains spots, each once.
type explainer struct {
	t    *Trace
	seen map[string]bool // documents and paths
}

// whole adds the text of the value that was asked for.
func (x *explainer) whole(e *explain.Explanation, sp spot) {
	if sp.out == 0 || e.Value.Size == nil || *e.Value.Size == 0 {
		return
	}
	if text, err := doc.Append(nil, x.t.n.s, sp.out, doc.WriteOptions{Unescape: true}); err == nil {
		e.Value.YAML = string(text)
	}
}

// explain explains a spot and, as far as depth goes, what was read for it.
func (x *explainer) explain(sp spot, depth int) *explain.Explanation {
	t := x.t
	e := &explain.Explanation{Path: sp.path}
	if sp.named != sp.path {
		e.Named = sp.named
	}
	e.State, e.Error = x.state(sp)
	if sp.out != 0 {
		e.Value = explain.ValueOf(t.n.s, sp.out)
	}
	chain := x.cascade(sp)
	e.Why = x.why(chain)
	key := fmt.Sprint(sp.doc, " ", sp.path)
	if x.seen[key] {
		e.Elsewhere = true
		return e
	}
	x.seen[key] = true
	decider := 0
	for from := chain[0].rule.from; from > 0; from = chain[decider].rule.from {
		decider = from
	}
	for i := range chain {
		e.Chain = append(e.Chain, x.link(chain, i))
		e.Chain[i].Decides = i == decider && sp.out != 0
	}
	if depth > 0 {
		for i := range chain {
			e.Chain[i].Reads = x.reads(chain[i].sp, depth-1)
		}
	}
	return e
}

// A rung is a document of the cascade at the place of a spot.
type rung struct {
	doc  int
	sp   spot
	ok   bool // there is something at the place
	rule rule
}

// A rule is what decided a rung.
type rule struct {
	why  string
	from int // index of the rung whose value it took, or 0 for none
}

// cascade returns the document of a spot and the stubs to its right, each with
// what decided it. The stubs beyond the nearest one that has a value are looked
// at where that asked them, which in lists may be another place.
func (x *explainer) cascade(sp spot) []rung {
	chain := []rung{{doc: sp.doc, sp: sp, ok: true}}
	asking := sp
	for d := x.t.docs[sp.doc].stubs - 1; d >= 0; d-- {
		r := rung{doc: d}
		if r.sp, r.ok = x.t.inStub(d, asking.stub); r.ok && r.sp.out != 0 && !r.sp.lone {
			asking = r.sp
		}
		chain = append(chain, r)
	}
	for i := range slices.Backward(chain) {
		if chain[i].ok {
			chain[i].rule = x.decide(chain, i)
		}
	}
	return chain
}

// inStub returns the spot of a stub at a place.
func (t *Trace) inStub(d int, place []program.Step) (spot, bool) {
	if t.docs[d].in.Root == 0 || t.docs[d].out == 0 {
		return spot{}, false
	}
	return t.steps(t.start(d), place)
}

// nearest returns the index of the first stub after rung i that has a value at
// its place, or 0.
func nearest(chain []rung, i int) int {
	for j := i + 1; j < len(chain); j++ {
		if chain[j].ok && chain[j].sp.out != 0 {
			return j
		}
	}
	return 0
}

// at returns where a rung is written, or where its value comes from.
func (x *explainer) at(r *rung) diag.Span {
	s := x.t.n.s
	if !r.ok {
		return diag.Span{Src: x.t.docs[r.doc].in.Source}
	}
	if id, _ := x.source(r.sp); id != 0 {
		return s.Span(id)
	}
	if r.sp.out != 0 {
		return s.Span(r.sp.out)
	}
	return diag.Span{}
}

// source returns what stands in the document for a spot, and whether that is a
// << value.
func (x *explainer) source(sp spot) (id value.ID, insert bool) {
	t := x.t
	switch {
	case sp.holder != 0:
		return t.noteOf(sp.holder).written, false
	case sp.how == partial:
		return t.noteOf(sp.cell).written, false
	case sp.insert != 0 && (sp.written == 0 || t.n.s.Kind(sp.written) != value.Expr):
		return t.noteOf(sp.insert).written, true
	}
	return sp.written, false
}

// decide applies the rules of overriding (semantics 2.2) to what was recorded.
func (x *explainer) decide(chain []rung, i int) rule {
	sp := chain[i].sp
	near := nearest(chain, i)
	if sp.lone {
		near = 0
	}
	switch sp.how {
	case plain:
		return x.decidePlain(sp, chain, i, near)
	case byStub:
		return x.overridden(chain, near, "")
	case partial:
		return x.decidePart(sp, chain, near)
	}
	if sp.holder != 0 {
		return rule{why: fmt.Sprintf("the node '%s', which the expression of '%s' took over", x.t.place(sp.cell), x.t.place(sp.holder))}
	}
	return x.decideCell(sp, chain, near)
}

// decidePlain is decide for a node without a cell that is as it was.
func (x *explainer) decidePlain(sp spot, chain []rung, i, near int) rule {
	r := rule{why: "as written"}
	if sp.came {
		r.why = "inserted by << from " + x.t.n.s.Span(sp.out).String()
		if there := nearest(chain, i); there > 0 && chain[there].sp.out == sp.out {
			r.from = there
			return r
		}
	}
	if near > 0 && sp.out == chain[near].sp.out {
		near = 0
	}
	if near == 0 {
		return r
	}
	switch k := x.t.n.s.Kind(sp.out); k {
	case value.Map, value.List:
		r.why += fmt.Sprintf("; a %s is merged entry by entry, and %s has none for it", k, x.at(&chain[near]))
	default:
		r.why += "; an entry of a list that is no list or map itself is not overridden"
	}
	return r
}

// overridden is the rule that the nearest stub's value counts.
func (x *explainer) overridden(chain []rung, near int, reason string) rule {
	if near == 0 { // the place of the stub cannot be told, as that of a stub that failed
		return rule{why: "overridden by a stub" + reason}
	}
	return rule{why: "overridden by " + x.at(&chain[near]).String() + reason, from: near}
}

// decidePart is decide for a part of a value that came as a whole.
func (x *explainer) decidePart(sp spot, chain []rung, near int) rule {
	whole := x.t.spotOf(sp.cell)
	r := rule{why: "part of the value of '" + whole.path + "'"}
	if whole.path == "" {
		r.why = "part of the value of the document"
	}
	above := x.cascade(whole)
	r.why += ": " + above[0].rule.why
	if from := above[0].rule.from; from > 0 && from < len(chain) && near > 0 {
		r.from = near
	}
	return r
}

// decideCell is decide for a spot with a cell.
func (x *explainer) decideCell(sp spot, chain []rung, near int) rule {
	t := x.t
	c, n := t.n.cells.at(sp.cell), t.noteOf(sp.cell)
	switch c.state {
	case sFailed:
		return rule{why: "the expression failed"}
	case sBroken:
		return rule{why: "a node below it has no value"}
	case sDone, sUndefined:
	default:
		return rule{why: x.waits(sp.cell)}
	}
	kind := value.None
	if n.written != 0 {
		kind = t.n.s.Kind(n.written)
	}
	replaceable := c.flags&(fEntry|fInsert|fInstance) == 0
	exempt := c.flags&fExempt != 0
	switch {
	case n.copyOf != 0 && kind == value.None:
		return rule{why: fmt.Sprintf("the entry '%s', merged with the stubs", t.place(n.copyOf))}
	case n.hit == 0 || !replaceable || (exempt && n.err == nil):
	case n.err != nil:
		return x.overridden(chain, near, "; its own error does not count: "+n.err.Error())
	case n.raw == 0:
		return x.overridden(chain, near, "; its own value was undefined")
	case c.out == n.hit && (kind != value.Map && kind != value.List || n.raw != 0):
		return x.overridden(chain, near, "")
	}
	if c.state == sUndefined {
		return rule{why: "the value is undefined, so the node vanishes" + x.alternatives(n)}
	}
	if kind != value.Expr {
		return x.decideWritten(sp, chain, near, kind)
	}
	return x.decideExpr(sp, chain, near)
}

// decideWritten is decideCell for what is no expression.
func (x *explainer) decideWritten(sp spot, chain []rung, near int, kind value.Kind) rule {
	t := x.t
	came := ""
	if sp.came {
		came = "inserted by << from " + t.n.s.Span(sp.written).String() + "; "
	}
	switch {
	case t.n.s.Kind(sp.out) == value.Template:
		return rule{why: came + "a template"}
	case kind == value.Map || kind == value.List:
		if t.kids(sp.cell) == nil {
			r := rule{why: came + "replaced as a whole by its << entry"}
			if near > 0 && chain[near].sp.out == sp.out {
				r.from = near
			}
			return r
		}
		r := rule{why: fmt.Sprintf("%sa %s, of which every entry is decided on its own", came, kind)}
		if sp.came && near > 0 && chain[near].sp.out == sp.out {
			r.from = near
		}
		return r
	}
	return rule{why: came + "as written"}
}

// decideExpr is decideCell for an expression that was not overridden.
func (x *explainer) decideExpr(sp spot, chain []rung, near int) rule {
	t := x.t
	c, n := t.n.cells.at(sp.cell), t.noteOf(sp.cell)
	why := "the expression gave it"
	whole := false // the value is that of a merge
	r := rule{}
	for _, m := range n.merges {
		switch {
		case m.hit == 0:
		case m.form.Path != nil:
			whole = m.hit == c.out
			why = fmt.Sprintf("merge took the value of '%s' in the stubs, at %s", m.form.Path.Text(t.n.s), t.n.s.Span(m.hit))
		case m.hit == c.out || m.hit == n.raw:
			why, whole = "merge took the value of the stubs", true
			if near > 0 {
				why = "merge took the value of " + x.at(&chain[near]).String()
			}
			r.from = near
		default:
			why = "the expression gave it, with the value that merge took from the stubs"
			if near > 0 {
				why = "the expression gave it, with the value that merge took from " + x.at(&chain[near]).String()
			}
		}
	}
	switch {
	case n.hit == 0:
	case t.overlaid(sp.cell) && t.kids(sp.cell) != nil:
		why += ", merged entry by entry with the stubs"
	case c.flags&fExempt != 0 && whole:
	case c.flags&fExempt != 0:
		why += ", and what a merge took part in is not overridden"
	case c.flags&fEntry != 0:
		why += "; an entry of a list that is no list or map itself is not overridden"
	}
	r.why = why + x.alternatives(n)
	return r
}

// alternatives says which operands of || did not count, and why.
func (x *explainer) alternatives(n *record) string {
	var parts []string
	for _, c := range n.caught {
		if !c.or {
			continue
		}
		operand := "what is before it"
		if c.operand != "" {
			operand = "'" + explain.Clip(c.operand) + "'"
		}
		var m *missing
		switch {
		case c.err == nil:
			parts = append(parts, operand+" was undefined or null")
		case errors.As(c.err.Root().Cause, &m):
			parts = append(parts, operand+" found no value in the stubs")
		default:
			parts = append(parts, operand+" failed: "+explain.Clip(c.err.Root().Text()))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; the default after || was used because " + strings.Join(parts, ", and ")
}

// waits says what a cell without a value waits for.
func (x *explainer) waits(v uint32) string {
	t := x.t
	l := t.docs[t.docOf(v)].l
	on, ok := l.sched.WaitsFor(v)
	if !ok {
		return "it was not evaluated, as what is around it has no value"
	}
	w := uint32(on) / numEvents
	if w == v {
		return "it waits for the keys of the list that it is in"
	}
	return fmt.Sprintf("it waits for '%s'", t.place(w))
}

// why sums a cascade up.
func (x *explainer) why(chain []rung) string {
	why := chain[0].rule.why
	for from := chain[0].rule.from; from > 0 && chain[from].rule.from > 0; from = chain[from].rule.from {
		why += "; there: " + chain[from].rule.why
	}
	return why
}

// state returns how a spot ended, and its error.
func (x *explainer) state(sp spot) (state, err string) {
	switch {
	case sp.how != byCell && sp.out == 0:
		return explain.Undefined, "" // an empty document
	case sp.how != byCell:
		return explain.Done, ""
	}
	return x.t.stateOf(sp.cell)
}

// stateOf returns how a cell ended, and its error.
func (t *Trace) stateOf(v uint32) (state, err string) {
	switch c := t.n.cells.at(v); c.state {
	case sDone:
		return explain.Done, ""
	case sUndefined:
		return explain.Undefined, ""
	case sFailed:
		return explain.Failed, t.n.extras.at(c.x).err.Error()
	case sBroken:
		return explain.Failed, ""
	}
	return explain.Waiting, ""
}

// link describes rung i of a chain.
func (x *explainer) link(chain []rung, i int) explain.Link {
	r := &chain[i]
	d := x.t.docs[r.doc]
	k := explain.Link{Role: "template", File: d.in.Source.Name, State: explain.Absent}
	if d.isStub {
		k.Role, k.Stub = "stub", x.t.total-r.doc
	}
	if !r.ok {
		k.Why = "not there"
		return k
	}
	k.State, _ = x.state(r.sp)
	k.Path, k.Why = r.sp.path, r.rule.why
	if i > 0 && nearest(chain, 0) != i && r.sp.out != 0 && chain[0].rule.from > 0 && !x.onWay(chain, i) {
		k.Why += "; not used, as a stub to its left has a value"
	}
	if at := x.at(r); at.Src != nil {
		p := explain.PlaceOf(at)
		k.At = &p
	}
	if r.sp.out != 0 {
		k.Value = explain.ValueOf(x.t.n.s, r.sp.out)
	}
	k.Written = x.written(r.sp)
	return k
}

// onWay reports whether the value of the first rung came through rung i.
func (x *explainer) onWay(chain []rung, i int) bool {
	for from := chain[0].rule.from; from > 0; from = chain[from].rule.from {
		if from == i {
			return true
		}
	}
	return false
}

// written returns what stands at a spot, on one line.
func (x *explainer) written(sp spot) string {
	id, insert := x.source(sp)
	if id == 0 {
		return ""
	}
	prefix := ""
	if insert {
		prefix = "<<: "
	}
	if n := x.t.n.s.Node(id); n.Kind == value.Expr {
		return explain.Clip(prefix + x.t.n.s.Redact(x.t.n.s.Text(n)))
	}
	return prefix + explain.ValueOf(x.t.n.s, id).Brief()
}

// reads explains what the expression of a spot asked for.
func (x *explainer) reads(sp spot, depth int) (out []explain.Read) {
	t := x.t
	v := sp.cell
	_, inserted := x.source(sp)
	switch {
	case inserted:
		v = sp.insert
	case v == 0 || sp.how == plain || sp.how == byStub:
		return nil
	case t.noteOf(v).kids != nil && t.kids(v) == nil && t.noteOf(v).kids.insert != 0:
		v = t.noteOf(v).kids.insert // its << value replaced it
	}
	if sp.holder != 0 {
		own := t.spotOf(sp.cell)
		return []explain.Read{{As: own.path, Kind: explain.Reads, Node: x.explain(own, depth)}}
	}
	n := t.noteOf(v)
	for _, m := range n.merges {
		if m.form.Path == nil || m.hit == 0 {
			continue
		}
		for d := t.docs[sp.doc].stubs - 1; d >= 0; d-- {
			if there, ok := t.inStub(d, m.form.Path.Steps); ok && there.out != 0 {
				out = append(out, explain.Read{As: "merge " + m.form.Path.Text(t.n.s), Kind: explain.Merges, Node: x.explain(there, depth)})
				break
			}
		}
	}
	for _, r := range n.reads {
		out = append(out, explain.Read{As: r.path.Text(t.n.s), Kind: explain.Reads, Node: x.read(sp, r, depth)})
	}
	return out
}

// read explains what a reference of the expression of a spot led to.
func (x *explainer) read(sp spot, r read, depth int) *explain.Explanation {
	t := x.t
	text := r.path.Text(t.n.s)
	if r.from == 0 {
		if id := t.n.boundNode(r.path); id != 0 {
			return &explain.Explanation{Path: text, State: explain.Done, Value: explain.ValueOf(t.n.s, id),
				Why: fmt.Sprintf("a binding from outside of the documents (%s)", t.n.s.Span(id))}
		}
		return &explain.Explanation{Path: text, State: explain.Absent,
			Why: fmt.Sprintf("no map around the node has '%s'", r.path.Prefix(t.n.s, 1))}
	}
	there, ok := t.steps(t.spotOf(r.from), r.path.Steps)
	if !ok {
		return &explain.Explanation{Path: text, State: explain.Absent, Why: fmt.Sprintf("there is nothing beyond '%s'", there.path)}
	}
	// A part of a value that is a reference alone is that part of what it
	// refers to.
	if sp.how == partial && there.out != 0 && there.out == t.outOf(sp.cell) {
		if part, ok := t.steps(there, sp.below); ok {
			there = part
		}
	}
	return x.explain(there, depth)
}

// spotOf returns the spot of a cell.
func (t *Trace) spotOf(v uint32) spot {
	d := t.docOf(v)
	root := t.docs[d].l.root
	var way []uint32
	for w := v; w != root && w != 0; w = t.n.cells.at(w).parent {
		way = append(way, w)
	}
	sp := t.start(d)
	for _, w := range slices.Backward(way) {
		c := t.n.cells.at(w)
		next := sp
		if k := t.kids(sp.cell); k != nil && c.flags&(fInsert|fInstance) == 0 {
			if i := t.position(k, w); i >= 0 {
				sp = t.stepInto(sp, k, i)
				continue
			}
		}
		// An instance has the place of the node that made it, a << value that of
		// the list or map around it.
		next.how, next.cell, next.out, next.written = byCell, w, t.outOf(w), t.noteOf(w).written
		next.path, next.named = t.place(w), explain.Join(sp.named, t.stepOf(w))
		sp = next
	}
	return sp
}

// position returns which child of k the cell w is, or -1.
func (t *Trace) position(k *kids, w uint32) int {
	step := t.n.cells.at(w).step
	i := int(step)
	if k.isMap(t.n.s) {
		i = k.table.Find(k.keys, value.Sym(step))
	}
	if i < 0 || i >= len(k.refs) || k.refs[i] != cellRef(w) {
		return -1
	}
	return i
}
