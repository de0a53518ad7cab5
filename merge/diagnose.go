// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// A diagnoser makes diagnostics of the unresolved nodes of a level. It runs
// after the evaluation has ended, so it may look at everything.
type diagnoser struct {
	l     *level
	t     *tags
	trees map[string]ast.Expr
	// of tells which diagnostic a cell is explained by: its own, or that of
	// the node it waits for; nil if there is none.
	of map[uint32]*diag.Diagnostic
	// compared counts the names looked at for suggestions, see maxCompared.
	compared int
	depth    int                                 // of the instance being explained
	where    map[value.ID]map[value.Sym]foundKey // see elsewhere
}

// maxCompared bounds the work for suggestions: a report on a hundred thousand
// misspelt names in a map of as many keys must not take a quadratic time. The
// first failures get their suggestions, the last ones may not.
const maxCompared = 3_000_000

// diagnose turns the entries of a report into diagnostics: failures, cycles,
// and below each the nodes that only wait for it, all in the order of entries.
func (l *level) diagnose(t *tags, entries []Entry, cycles []cycle) diag.List {
	g := &diagnoser{l: l, t: t, trees: map[string]ast.Expr{}, of: map[uint32]*diag.Diagnostic{}, where: map[value.ID]map[value.Sym]foundKey{}}
	var list diag.List
	for i := range entries {
		if e := &entries[i]; e.cell != 0 && l.cell(e.cell).state == sFailed {
			d := g.failure(e.cell, e.Span)
			d.Path, d.Classic = e.Path, e.classic()
			g.of[e.cell] = d
			list = append(list, d)
		}
	}
	list = append(list, g.cycles(entries, cycles)...)
	explained := maps.Clone(g.of) // cause adds what waits
	for i := range entries {
		e := &entries[i]
		if explained[e.cell] != nil {
			continue
		}
		if d := g.cause(e.cell); d != nil {
			d.Waiting = append(d.Waiting, diag.Waiting{Path: e.Path, Span: e.mark, Classic: e.classic()})
			continue
		}
		list = append(list, &diag.Diagnostic{Code: diag.Waits, Span: e.mark, Path: e.Path, Msg: strings.Join(e.Lines, " "), Classic: e.classic()})
	}
	return l.fit(list)
}

// cycles makes a diagnostic of each cycle. The members that have entries are
// shown with it.
func (g *diagnoser) cycles(entries []Entry, cycles []cycle) diag.List {
	if len(cycles) == 0 {
		return nil
	}
	byCell := make(map[uint32]*Entry, len(entries))
	for i := range entries {
		byCell[entries[i].cell] = &entries[i]
	}
	var list diag.List
	for _, c := range cycles {
		d := &diag.Diagnostic{Code: diag.Cycle, Msg: "these nodes wait for each other: " + c.names, Span: c.first}
		if len(c.named) == 1 {
			d.Msg = "this node waits for itself: " + c.names
			d.Fix = g.ownName(c.named[0])
		}
		for i, v := range c.named {
			e := byCell[v]
			if e == nil {
				continue
			}
			d.Classic = append(d.Classic, e.classic()...)
			if i == 0 {
				d.Span, d.Path = e.mark, e.Path
			} else if i < maxCycle {
				next := g.l.pathOf(c.named[(i+1)%len(c.named)])
				d.Notes = append(d.Notes, note(e.mark, "%s needs %s", e.Path, next))
			}
		}
		for _, v := range c.members {
			g.of[v] = d
		}
		list = append(list, d)
	}
	return list
}

// ownName proposes what to do about a node that waits for itself. Often a name
// is meant that the document has further out, too.
func (g *diagnoser) ownName(v uint32) string {
	l := g.l
	c := l.cell(v)
	if c.flags&fEntry == 0 && c.parent != 0 && c.parent != l.root {
		name := l.s.Name(value.Sym(c.step))
		if l.s.Field(l.cell(l.root).node, name) != 0 {
			return fmt.Sprintf("the name %q means the nearest key, which is this one; write .%s for the key at the root", name, name)
		}
	}
	if r := g.around(v); r != "" {
		return fmt.Sprintf("%s contains this node; refer to the parts of it that are needed", r)
	}
	return "refer to the parts that are needed instead of the node itself or what contains it"
}

// around returns the first reference in the expression of v that leads to a
// node that contains v, as it is written, or "".
func (g *diagnoser) around(v uint32) string {
	l := g.l
	n := l.s.Node(l.written(l.cell(v)))
	if n.Kind != value.Expr {
		return ""
	}
	f := &failing{diagnoser: g, v: v, err: &vm.Error{}}
	found := ""
	ast.Walk(g.tree(exprText(l.s.Text(n))), func(x ast.Expr) bool {
		r, ok := x.(*ast.Ref)
		if !ok || found != "" {
			return found == ""
		}
		p := f.path(r)
		if p == nil || !p.Abs && p.Steps[0].Key == l.names.ctx {
			return true
		}
		to, err := l.lookup(v, nil, p, true)
		if err != nil || to.Kind != value.Deferred {
			return true
		}
		for up := l.cell(v).parent; up != 0; up = l.cell(up).parent {
			if up == cellOf(to.Ref) {
				found = ast.Print(r)
			}
		}
		return true
	})
	return found
}

// cause returns the diagnostic of the failure or cycle that v waits for. What
// a cell waits for is a function, and what it found is remembered, so this is
// linear in the number of all cells asked for.
func (g *diagnoser) cause(v uint32) *diag.Diagnostic {
	var way []uint32
	var d *diag.Diagnostic
	for v != 0 {
		known, ok := g.of[v]
		if ok {
			d = known
			break
		}
		g.of[v] = nil // the way leads round: there is nothing to be found
		way = append(way, v)
		v = g.next(v)
	}
	for _, w := range way {
		g.of[w] = d
	}
	return d
}

// next returns the cell that keeps v from having a value, or 0.
func (g *diagnoser) next(v uint32) uint32 {
	l := g.l
	c := l.cell(v)
	switch {
	case c.state == sFailed && c.flags&fInstance != 0:
		return c.parent
	case c.state == sFailed && c.inst != 0:
		return c.inst
	case c.state == sFailed:
		return 0
	case c.state == sBroken && l.extraOf(c).copyOf != 0:
		return l.extraOf(c).copyOf
	case c.state == sBroken && l.shape(c) != nil:
		for _, r := range l.shape(c).refs {
			if isCell(r) {
				if s := l.cell(cellOf(r)).state; s == sBroken || s == sFailed {
					return cellOf(r)
				}
			}
		}
		return 0
	}
	on, ok := l.sched.WaitsFor(v)
	if !ok {
		return 0
	}
	return uint32(on) / numEvents
}

func note(sp diag.Span, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{Severity: diag.Note, Span: sp, Msg: fmt.Sprintf(format, args...)}
}

// pathOf returns the path of a cell as reports print it.
func (l *level) pathOf(v uint32) string { return strings.Join(l.pathSteps(v, false), ".") }

// tree returns the syntax tree of an expression or lambda, or nil.
func (g *diagnoser) tree(text string) ast.Expr {
	if t, ok := g.trees[text]; ok {
		return t
	}
	t, err := parser.ParseAs(g.l.opt.Dialect, text)
	if err != nil {
		t = nil
		if f, err := parser.ParseLambdaAs(g.l.opt.Dialect, text); err == nil {
			t = f
		}
	}
	g.trees[text] = t
	return t
}

// inText returns the place of a range of an expression. at is the node that
// the text was written as, or computed by.
func inText(at diag.Span, text string, start, end int32) diag.Span {
	return at.Inside("(("+text+"))", "((", int(start)+2, int(end)+2)
}

// A failing is one failure that is being explained.
type failing struct {
	*diagnoser
	v    uint32
	err  *vm.Error // the innermost
	text string    // of the program that it happened in
	at   diag.Span // of the node with that text
	expr ast.Expr  // what failed, nil if that is not known
	d    *diag.Diagnostic
	seen map[string]bool // names whose values are shown
}

// failure explains why the cell v has failed; at is where its node stands.
func (g *diagnoser) failure(v uint32, at diag.Span) *diag.Diagnostic {
	c := g.l.cell(v)
	f := &failing{diagnoser: g, v: v, d: &diag.Diagnostic{Span: at}, seen: map[string]bool{}}
	f.at = g.l.s.Span(g.l.written(c))
	var frames []frame
	for f.err = g.l.extraOf(c).err; f.err.Inner != nil; f.err = f.err.Inner {
		frames = append(frames, frame{f.err.Lambda, f.place(f.err)})
		inner := f.err.Inner
		if fn := f.err.Lambda.Fn; fn.ID != 0 && inner.Prog != nil && fn.Prog.Text == inner.Prog.Text {
			f.at = g.l.s.Span(fn.ID)
		}
	}
	if f.err.Prog != nil {
		f.text = f.err.Prog.Text
		f.d.Span = f.place(f.err)
	}
	f.explain(g.l.extraOf(c).parse)
	if e := f.d.Code.Lookup(); f.d.Msg == "" && e != nil { // error("")
		f.d.Msg = strings.ToLower(e.Title[:1]) + e.Title[1:]
	}
	f.calls(frames)
	return f.d
}

// A frame is a call that led to a failure.
type frame struct {
	scope *vm.Scope
	at    diag.Span
}

// place returns where in a file err happened.
func (f *failing) place(err *vm.Error) diag.Span {
	if err.Prog == nil {
		return f.at
	}
	return inText(f.at, err.Prog.Text, err.Pos.Start, err.Pos.End)
}

// span returns the place of a part of the text.
func (f *failing) span(p ast.Pos) diag.Span { return inText(f.at, f.text, p.Start, p.End) }

// maxFrames bounds the calls that are noted, from the innermost outwards.
const maxFrames = 4

// calls notes the calls that led to the failure, innermost first.
func (f *failing) calls(frames []frame) {
	slices.Reverse(frames)
	for i, fr := range frames {
		if i == maxFrames && len(frames) > maxFrames+1 {
			f.notef(diag.Span{}, "%d more calls lead here", len(frames)-maxFrames-1)
		}
		if i >= maxFrames && i < len(frames)-1 {
			continue
		}
		f.notef(fr.at, "called here%s", f.bindings(fr.scope))
	}
}

// bindings returns the parameters of a call and their values.
func (f *failing) bindings(sc *vm.Scope) string {
	var parts []string
	for i, name := range sc.Names {
		if i == len(sc.Vals) {
			break
		}
		parts = append(parts, f.l.s.Name(name)+" = "+f.describe(sc.Vals[i]))
	}
	if len(parts) == 0 {
		return ""
	}
	return " with " + strings.Join(parts, ", ")
}

func (f *failing) notef(sp diag.Span, format string, args ...any) {
	f.d.Notes = append(f.d.Notes, note(sp, format, args...))
}

// describe returns a value in a few words: its kind in the words of the
// language, and as much of it as is short.
func (g *diagnoser) describe(v value.Value) string {
	v = g.l.settled(v)
	switch v.Kind {
	case value.Deferred:
		c := g.l.cell(cellOf(v.Ref))
		switch {
		case g.l.isMap(c):
			return "a map"
		case g.l.s.Kind(c.node) == value.List:
			return "a list"
		}
		return "a node without a value"
	case value.List:
		return "a list of " + count(int(g.l.s.Node(v.Ref).Len), "entry", "entries")
	case value.Map:
		return "a map with " + count(int(g.l.s.Node(v.Ref).Len), "key", "keys")
	case value.String, value.Expr:
		return "the string " + quoteShort(v.Str)
	case value.Undefined:
		return "undefined (~~)"
	case value.Lambda, value.Template:
		return "a " + v.Kind.String()
	}
	if t, ok := v.Text(); ok {
		return "the " + v.Kind.String() + " " + t
	}
	return v.Kind.String()
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// maxQuoted bounds the texts that a message quotes, in bytes.
const maxQuoted = 60

func quoteShort(s string) string {
	if len(s) <= maxQuoted {
		return strconv.Quote(s)
	}
	n := maxQuoted
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strconv.Quote(s[:n]) + "..."
}

// A cycle is a set of cells that wait for each other in a ring.
type cycle struct {
	members []uint32  // all of them
	named   []uint32  // those that a report lists, from the first in the document
	names   string    // their paths, beginning and ending with the first
	first   diag.Span // the place of the first
}

// maxCycle bounds the nodes that a printed cycle names.
const maxCycle = 20

// cycles finds the cells that wait for each other.
func (l *level) cycles() []cycle {
	blocked, found := l.waitingCycles()
	var out []cycle
	for _, path := range found {
		if c := l.cycle(blocked, path[:len(path)-1]); len(c.named) > 0 {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b cycle) int {
		return cmp.Or(strings.Compare(a.first.String(), b.first.String()), strings.Compare(a.names, b.names))
	})
	return out
}

// cycle describes a ring of blocked cells. It begins at what stands first in
// the document.
func (l *level) cycle(blocked []uint32, path []int) cycle {
	var out cycle
	at := 0
	for _, i := range path {
		v := blocked[i]
		out.members = append(out.members, v)
		c := l.cell(v)
		if c.state != sEval && l.written(c) == c.node {
			continue
		}
		if sp := l.s.Span(l.written(c)); len(out.named) == 0 || sp.Start < out.first.Start {
			out.first, at = sp, len(out.named)
		}
		out.named = append(out.named, v)
	}
	out.named = slices.Concat(out.named[at:], out.named[:at])
	var names []string
	for _, v := range out.named {
		names = append(names, l.pathOf(v))
	}
	if n := len(names) + 1; n > maxCycle {
		names = append(names[:maxCycle-1:maxCycle-1], fmt.Sprintf("... (%d more)", n-maxCycle))
	}
	if len(names) > 0 {
		out.names = strings.Join(append(names, names[0]), " -> ")
	}
	return out
}
