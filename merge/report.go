// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// The tags of the classic report (semantics 6).
const (
	tagError  = '*' // the evaluation itself failed
	tagFailed = '-' // waits for a node that failed
	tagCycle  = '@' // waits for something else
	tagNone   = 0   // pending without a message
)

// An Entry is one unresolved node of the report. Its first line is the message;
// the others continue a message of several lines, or are nested.
type Entry struct {
	Expr  string // canonical text with brackets, or <map>, <list>
	File  string
	Path  string
	Ref   string
	Tag   byte
	Lines []string
	Span  diag.Span

	cell uint32
	mark diag.Span // the part of the expression that failed or waits
}

// Unresolved is the error of a document with nodes that have no value.
type Unresolved struct {
	Entries []Entry
	Cycles  []string // each as a path, with the place of its first node

	once     sync.Once
	diagnose func() diag.List
	diags    diag.List
	more     []func() diag.List
}

// Add adds what is wrong with documents that are not part of the report: those
// behind it in a stream, or those that were not evaluated for it. What the
// report has already is left out.
func (u *Unresolved) Add(more func() diag.List) { u.more = append(u.more, more) }

// Unwrap returns the diagnostics: errors.As finds the first, and errors.Is the
// errors of functions that the program defines.
func (u *Unresolved) Unwrap() []error { return u.Diagnostics().Unwrap() }

// Diagnostics returns what is wrong: failed nodes first, then cycles, each in
// the order of the document. Nodes that only wait for one of those are listed
// with it. They are made when they are first asked for.
func (u *Unresolved) Diagnostics() diag.List {
	u.once.Do(func() {
		u.diags = u.diagnose()
		seen := map[diag.Span]bool{}
		for _, d := range u.diags {
			seen[d.Span] = true
		}
		for _, more := range u.more {
			for _, d := range more() {
				if !seen[d.Span] {
					u.diags = append(u.diags, d)
				}
			}
		}
		u.diagnose, u.more = nil, nil
	})
	return u.diags
}

// Error returns the first entry and the number of the others.
func (u *Unresolved) Error() string {
	e := &u.Entries[0]
	msg := strings.Join(e.Lines, " ")
	if len(u.Entries) == 1 {
		return fmt.Sprintf("%s: unresolved node %s: %s", e.Span, e.Path, msg)
	}
	return fmt.Sprintf("%s: unresolved node %s: %s (and %d more)", e.Span, e.Path, msg, len(u.Entries)-1)
}

// Write writes the classic report. Each entry ends with its place, which the
// classic tools do not print.
func (u *Unresolved) Write(w io.Writer) {
	fmt.Fprintf(w, "unresolved nodes:\n")
	for i := range u.Entries {
		for _, line := range u.Entries[i].classic() {
			fmt.Fprintln(w, line)
		}
	}
	fmt.Fprint(w, Legend)
	if len(u.Cycles) > 0 {
		fmt.Fprint(w, "cycles:\n")
		for _, c := range u.Cycles {
			fmt.Fprintf(w, " %s\n", c)
		}
	}
}

// Legend is what the classic report ends with.
const Legend = "error classification:\n *: error in local dynaml expression\n" +
	" @: dependent of or involved in a cycle\n -: depending on a node with an error\n"

// classic returns the lines of an entry in the classic report.
func (e *Entry) classic() []string {
	head := fmt.Sprintf("\t%s\tin %s\t%s\t(%s)", e.Expr, e.File, e.Path, e.Ref)
	if e.Tag == tagNone {
		return strings.Split(head+"\tat "+e.Span.String(), "\n")
	}
	head += fmt.Sprintf("\t%c%s\tat %s", e.Tag, e.Lines[0], e.Span)
	return append(strings.Split(head, "\n"), e.Lines[1:]...)
}

// report lists what is unresolved: errors, then pending nodes, then those that
// wait for a failed one, each in the order of the document.
func (l *level) report() *Unresolved {
	u := &Unresolved{}
	t := l.newTags()
	stats := l.vm.Stats
	l.walk(l.top, func(v uint32) { u.Entries = append(u.Entries, l.entry(v, t, 0, 1)) })
	l.vm.Stats = stats
	slices.SortStableFunc(u.Entries, byTag)
	if len(u.Entries) == 0 {
		u.Entries = append(u.Entries, Entry{Expr: "<document>", File: l.src.Name, Tag: tagCycle,
			Lines: []string{"the document cannot be resolved"}, Span: diag.Span{Src: l.src}, mark: diag.Span{Src: l.src}})
	}
	cycles := l.cycles()
	for _, c := range cycles {
		u.Cycles = append(u.Cycles, c.first.String()+": "+c.names)
	}
	u.diagnose = func() diag.List { return l.diagnose(t, u.Entries, cycles) }
	return u
}

// byTag orders entries: errors, then what is pending, then what waits for an
// error.
func byTag(a, b Entry) int {
	rank := func(e Entry) int { return strings.IndexByte("*@-", e.Tag) }
	if a.Tag == tagNone {
		a.Tag = tagCycle
	}
	if b.Tag == tagNone {
		b.Tag = tagCycle
	}
	return rank(a) - rank(b)
}

// walk calls f for each unresolved expression and failed container below v, in
// the order of the document.
func (l *level) walk(v uint32, f func(v uint32)) {
	c := l.cell(v)
	switch c.state {
	case sEval, sValued, sFailed:
		f(v)
	case sShaping, sShaped, sBroken:
		if l.written(c) != c.node {
			f(v)
		}
		l.walkChildren(v, f)
	}
}

// walkChildren is walk for the children of a list or map, as far as they are
// known. Those shared with another list or map are reported there.
func (l *level) walkChildren(v uint32, f func(v uint32)) {
	sh := l.shape(l.cell(v))
	if sh == nil {
		return
	}
	for _, w := range []uint32{sh.insert, sh.splice} {
		if w != 0 {
			l.walk(w, f)
		}
	}
	for _, r := range sh.refs {
		if isCell(r) && l.cell(cellOf(r)).parent == v {
			l.walk(cellOf(r), f)
		}
	}
}

// entry describes one unresolved cell. In an instance, inst is its root and
// depth how many levels its lines are indented.
func (l *level) entry(v uint32, t *tags, inst uint32, depth int) Entry {
	c := l.cell(v)
	n := l.s.Node(l.written(c))
	e := Entry{Expr: strings.ReplaceAll(visible(shorten(l.exprText(l.written(c)))), "\n", "\n\t"), Span: l.s.Span(l.written(c)), File: l.src.Name, Tag: t.of(v)}
	if e.Span.Src != nil {
		e.File = e.Span.Src.Name
	}
	e.cell, e.mark = v, e.Span
	e.Path = l.pathOf(v)
	if inst != 0 {
		e.Path = strings.Join(l.relSteps(v, inst), ".")
	}
	e.Ref = l.refPath(v, n, e.Path)
	if c.state == sFailed {
		e.Lines = l.errorLines(l.extraOf(c).err, t, depth)
		if e.Lines[0] == "" {
			e.Tag = tagNone
		}
		l.point(&e.Span, n, l.extraOf(c).err)
		return e
	}
	msg, silent := l.waitText(v, &e.mark)
	if silent {
		e.Tag = tagNone
	}
	e.Lines = []string{msg}
	return e
}

// point narrows the span of an entry to where in the expression the error is,
// if the expression stands in the file as it is.
func (l *level) point(sp *diag.Span, n *value.Node, err *vm.Error) {
	if n.Flags&value.Contiguous == 0 || n.Kind != value.Expr || err.Prog == nil {
		return
	}
	text := exprText(l.s.Text(n))
	if err.Prog.Text != text || int(err.Pos.End) > len(text) {
		return
	}
	start := sp.Start + 2
	sp.Start, sp.End = start+uint32(err.Pos.Start), start+uint32(err.Pos.End)
}

// exprText is the canonical text of an unresolved node.
func (l *level) exprText(id value.ID) string {
	n := l.s.Node(id)
	switch n.Kind {
	case value.Map:
		return "<map>"
	case value.List:
		return "<list>"
	}
	if n.Kind != value.Expr {
		return l.s.Text(n)
	}
	text := l.s.Text(n)
	if e, err := parser.ParseAs(l.opt.Dialect, exprText(text)); err == nil {
		text = "(( " + ast.Print(e) + " ))"
	}
	return text
}

// maxExpr is the length beyond which a report shortens an expression, to head
// and tail: some carry an image or a certificate as the default.
const (
	maxExpr  = 4096
	headExpr = 1024
	tailExpr = 256
)

func shorten(text string) string {
	if len(text) <= maxExpr {
		return text
	}
	return strings.ToValidUTF8(text[:headExpr], "") + " ... " + strings.ToValidUTF8(text[len(text)-tailExpr:], "")
}

// refPath is the path in brackets: where a merge looks, or the place by which
// the node is evaluated if that reads differently.
func (l *level) refPath(v uint32, n *value.Node, path string) string {
	c := l.cell(v)
	if n.Kind == value.Expr {
		pr := l.program(exprText(l.s.Text(n)))
		if pr.err != nil && c.flags&fInsert != 0 {
			return "" // it was never evaluated for the list or map around it
		}
		if pr.err == nil {
			code := pr.p.Funcs[0].Code
			switch {
			case code[0].Op == program.Merge && len(code) == 2:
				return l.mergePath(v, &pr.p.Merges[code[0].Arg])
			case code[0].Op == program.Auto && len(code) == 2:
				return strings.Join(l.pathSteps(v, true), ".")
			}
		}
	}
	at := v
	if c.flags&fInsert != 0 && v != l.root {
		at = c.parent
	}
	abs := strings.Join(l.pathSteps(at, true), ".")
	if abs == path {
		return ""
	}
	return abs
}

// settled returns a value that was Deferred when it was passed, and is not now:
// what a report says does not depend on what was evaluated first.
func (l *level) settled(v value.Value) value.Value {
	switch {
	case v.Kind != value.Deferred:
		return v
	case l.cell(cellOf(v.Ref)).state == sUndefined:
		return value.Undef
	}
	return l.operand(v.Ref)
}

// errorLines returns the message of an error, and below it those of the calls
// and instances inside, deeper by three tabs per instance.
func (l *level) errorLines(e *vm.Error, t *tags, depth int) []string {
	var lines []string
	indent := strings.Repeat("\t", 3*depth-1)
	for ; e != nil; e = e.Inner {
		msg := e.Text()
		if e.Lambda != nil {
			for i, v := range e.Lambda.Vals {
				e.Lambda.Vals[i] = l.settled(v)
			}
			msg = e.CallText(l.s)
		}
		if len(lines) > 0 {
			msg = indent + "... " + msg
		}
		first, more, _ := strings.Cut(visible(l.s.Redact(msg)), "\n")
		if lines = append(lines, first); more != "" {
			lines = append(lines, strings.Split(more, "\n")...)
		}
		if len(lines) > maxChain && e.Inner != nil {
			lines = append(lines, fmt.Sprintf("%s... (more calls)", indent), indent+"... "+l.s.Redact(e.Root().Text()))
			break
		}
		if e.Instance != 0 {
			lines = append(lines, l.instanceLines(e.Instance, t, depth)...)
		}
	}
	return lines
}

// maxChain bounds the calls that a message lists.
const maxChain = 20

// instanceLines describes the unresolved nodes of a template instance.
func (l *level) instanceLines(inst uint32, t *tags, depth int) []string {
	var lines []string
	indent := strings.Repeat("\t", 3*depth)
	if depth > maxChain {
		return []string{indent + "... (deeper levels left out)", indent + "... " + l.rootCause(inst).Text()}
	}
	var entries []Entry
	l.walkInstance(inst, func(v uint32) { entries = append(entries, l.nestedEntry(v, inst, t, depth)) })
	slices.SortStableFunc(entries, byTag)
	for _, e := range entries {
		head := fmt.Sprintf("%s%s\tin %s\t%s\t(%s)", indent, e.Expr, e.File, e.Path, e.Ref)
		var rest []string
		if e.Tag != tagNone {
			head += string(rune(e.Tag)) + e.Lines[0]
			rest = e.Lines[1:]
		}
		lines = append(lines, head+"\tat "+e.Span.String())
		lines = append(lines, rest...)
	}
	return lines
}

// rootCause returns the error of the first node that failed, in the instances
// below inst.
func (l *level) rootCause(inst uint32) *vm.Error {
	var cause *vm.Error
	for inst != 0 {
		var first *vm.Error
		l.walkInstance(inst, func(v uint32) {
			if c := l.cell(v); first == nil && c.state == sFailed {
				first = l.extraOf(c).err.Root()
			}
		})
		if first == nil {
			break
		}
		cause, inst = first, first.Instance
	}
	if cause == nil {
		return l.extraOf(l.cell(inst)).err
	}
	return cause
}

func (l *level) nestedEntry(v, inst uint32, t *tags, depth int) Entry {
	e := l.entry(v, t, inst, depth+1)
	abs := strings.Join(l.pathSteps(v, true), ".")
	e.Ref = abs
	if rest, ok := strings.CutPrefix(abs, e.Path+"."); ok {
		e.Ref = "..." + rest
	}
	return e
}

// walkInstance is walk for the nodes of an instance whose root has failed.
func (l *level) walkInstance(inst uint32, f func(v uint32)) {
	c := l.cell(inst)
	if l.shape(c) == nil && l.s.Kind(c.node) == value.Expr && c.flags&fPoisoned == 0 {
		f(inst)
	}
	l.walkChildren(inst, f)
}

// waitText says what a pending cell waits for, by running it to the same point
// again. silent is set for defined, valid and require, which give no message.
// mark, the place of the expression, is narrowed to what waits.
func (l *level) waitText(v uint32, mark *diag.Span) (msg string, silent bool) {
	c := l.cell(v)
	l.wait = wait{}
	l.at = *l.s.Node(c.node)
	if f := l.waiting(v); f != nil {
		if _, err := l.vm.Run(f); err != vm.ErrWait {
			return "unresolved", false
		}
		silent = f.Silent()
		if p, at := f.At(); p == f.Program() {
			*mark = inText(*mark, p.Text, at.Start, at.End)
		}
	}
	if l.written(c) != c.node {
		for _, r := range l.shape(c).refs {
			if isCell(r) && l.cell(cellOf(r)).state != sDone && l.cell(cellOf(r)).state != sUndefined {
				return "'" + strings.Join(l.pathSteps(cellOf(r), false), ".") + "' unresolved", false
			}
		}
	}
	w := &l.wait
	if w.path == nil || len(w.path.Steps) == 0 {
		return "waits for " + l.describeWait(w), silent
	}
	word := "unresolved"
	if w.open {
		word = "not complete"
	}
	return fmt.Sprintf("'%s' %s", w.path.Prefix(l.s, w.steps), word), silent
}

func (l *level) describeWait(w *wait) string {
	if w.cell == 0 {
		return "a node that cannot be resolved"
	}
	if c := l.cell(w.cell); c.flags&fInstance != 0 {
		return l.extraOf(c).template
	}
	return "'" + strings.Join(l.pathSteps(w.cell, false), ".") + "'"
}

// tags classifies pending cells.
type tags struct {
	l    *level
	memo map[uint32]byte
}

func (l *level) newTags() *tags { return &tags{l, map[uint32]byte{}} }

// of returns the tag of an unresolved cell. It follows what each waits for
// until the answer is known or the way leads round.
func (t *tags) of(v uint32) byte {
	var way []uint32
	tag := byte(tagCycle)
	for {
		if m, ok := t.memo[v]; ok {
			tag = m
			break
		}
		c := t.l.cell(v)
		if c.state == sFailed {
			tag = tagError
			t.memo[v] = tag
			break
		}
		t.memo[v] = tagCycle
		way = append(way, v)
		if c.state != sEval {
			break // a list or map: what waits for it does not name the failed node
		}
		on, ok := t.l.sched.WaitsFor(v)
		if !ok {
			break
		}
		w := uint32(on) / numEvents
		if wc := t.l.cell(w); wc.state == sFailed {
			if t.l.extraOf(wc).parse {
				break
			}
			tag = tagFailed
			break
		} else if wc.state != sEval {
			break
		}
		v = w
	}
	if tag == tagError {
		tag = tagFailed
	}
	for _, w := range way {
		t.memo[w] = tag
	}
	if len(way) == 0 {
		return t.memo[v]
	}
	return tag
}

// notFound is the error of a path that leads nowhere. Its text is made when it
// is reported.
type notFound struct {
	l     *level
	path  *program.Path
	steps int // of path, with the one that is not there
}

func (e *notFound) Error() string {
	return fmt.Sprintf("'%s' not found", e.path.Prefix(e.l.s, e.steps))
}
