// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"slices"
	"sort"
	"strings"

	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// A Trace is what a session recorded about its cells, for those who ask later
// why a node has its value (Explain) and what it needed (Graph). It keeps the
// documents and is linear in the work of the merge. Without Options.Trace there
// is none, and the merge pays a test for nil in a few places.
type Trace struct {
	n     *Session
	docs  []*traced // in the order they were evaluated: stubs from the right, then the template
	total int       // stubs there are
	notes []*record // by cell
	reads map[readKey]int
	ended bool // the evaluation of the document has: reports may run expressions again

	kept    map[uint32]*kids  // of cells that never finished, made when asked for
	splices map[within]uint32 // << cells by the entries that they brought into lists, made when asked for
	insts   map[within]uint32 // template instances by what made them and their values, made when asked for
	labels  map[uint32]string // paths of cells
	work    int               // steps from node to node that were taken to answer
}

// A traced is a document and its evaluation.
type traced struct {
	in     Input
	l      *level   // nil if there was nothing to evaluate
	out    value.ID // of a stub: what the documents to its left see
	isStub bool
	first  uint32 // number of its first cell
	stubs  int    // documents to its right: the first ones of Trace.docs
}

// A record is what was recorded about a cell.
type record struct {
	written value.ID // as the cell began
	raw     value.ID // value of its own, before the stubs were asked
	hit     value.ID // value of the nearest stub then, 0 for none
	err     *vm.Error
	copyOf  uint32 // cell whose value this one started from
	kids    *kids
	reads   []read
	merges  []merged
	caught  []caught
}

// A read is a reference that an expression looked up.
type read struct {
	from uint32 // map around the node in which the path begins, or 0 if there was none
	path *program.Path
}

type readKey struct {
	cell uint32
	path *program.Path
}

// A merged is a merge that an expression made.
type merged struct {
	form *program.MergeForm
	hit  value.ID // 0 if no stub had a value
}

// A caught is an error that made an expression take an alternative.
type caught struct {
	operand string // text of what failed
	or      bool   // it stood before a ||
	err     *vm.Error
	fn      *program.Func
	pc      int
}

// kids are the children of a list or map, as they were decided.
type kids struct {
	node    value.ID // list or map whose children they are
	keys    []value.Sym
	refs    []ref
	raw     []value.ID // entries of a list before they were matched
	spliced []bool     // those that << inserted
	insert  uint32     // cell of the << value of a map
	field   value.Sym
	names   []string // by which entries were matched with the stubs, nil if by index
	alone   bool     // entries have no place in the stubs

	present []int // indices in refs of the children that did not vanish
	table   value.KeyTable
	fields  map[value.Sym]*value.NameIndex
}

// observe prepares what the options ask to be recorded.
func (n *Session) observe() {
	if n.opt.Trace {
		n.trace = &Trace{n: n, reads: map[readKey]int{}}
	}
	if n.opt.Profile {
		n.prof = newProfile()
	}
}

// Work returns how many steps from node to node the answers so far took.
func (t *Trace) Work() int { return t.work }

// Trace returns what was recorded, or nil without Options.Trace.
func (n *Session) Trace() *Trace { return n.trace }

// document notes that a document is merged.
func (t *Trace) document(in Input) {
	if t == nil {
		return
	}
	d := &traced{in: in, first: uint32(t.n.cells.len()) + 1}
	for _, other := range t.docs {
		if other.isStub {
			d.stubs++
		}
	}
	t.docs = append(t.docs, d)
}

// evaluates notes the evaluation of the document.
func (t *Trace) evaluates(l *level) {
	if t != nil {
		t.last().l, t.ended = l, false
	}
}

// end notes that the evaluation of the document is over.
func (t *Trace) end() {
	if t != nil {
		t.ended = true
	}
}

// stub notes that the document is one of several stubs, and what the others see
// of it, 0 if nothing.
func (t *Trace) stub(out value.ID, of int) {
	if t != nil {
		t.last().isStub, t.last().out = true, out
		t.total = of
	}
}

func (t *Trace) last() *traced { return t.docs[len(t.docs)-1] }

// docOf returns the index of the document that a cell belongs to.
func (t *Trace) docOf(v uint32) int {
	return sort.Search(len(t.docs), func(i int) bool { return t.docs[i].first > v }) - 1
}

// note returns the record of a cell, to write it.
func (t *Trace) note(v uint32) *record {
	for int(v) >= len(t.notes) {
		t.notes = append(t.notes, nil)
	}
	if t.notes[v] == nil {
		t.notes[v] = &record{}
	}
	return t.notes[v]
}

// noteOf returns the record of a cell, to read it.
func (t *Trace) noteOf(v uint32) *record {
	if int(v) < len(t.notes) && t.notes[v] != nil {
		return t.notes[v]
	}
	return &noRecord
}

var noRecord record // never written

// begin notes what a cell starts from.
func (t *Trace) begin(l *level, v uint32) {
	c, n := l.cell(v), t.note(v)
	if w := l.extraOf(c).copyOf; w != 0 {
		n.copyOf = w
	}
	if n.written == 0 {
		n.written = c.node
	}
}

// settle notes what stands against each other when a cell is decided.
func (t *Trace) settle(l *level, v uint32) {
	c, n := l.cell(v), t.note(v)
	n.raw, n.hit, n.err = c.out, l.hit(c), l.extraOf(c).err
}

// keep notes the children of a cell that is done.
func (t *Trace) keep(l *level, v uint32) {
	c := l.cell(v)
	if l.shape(c) != nil {
		t.note(v).kids = keepKids(l, c)
	}
}

func keepKids(l *level, c *cell) *kids {
	sh := l.shape(c)
	k := &kids{node: c.node, keys: slices.Clone(sh.keys), refs: slices.Clone(sh.refs), insert: sh.insert, field: sh.field,
		alone: sh.merged && !sh.keyed}
	if sh.keyed {
		k.names = slices.Clone(sh.names.Names())
	}
	if l.isMap(c) {
		k.field = 0
		return k
	}
	k.raw, k.spliced = make([]value.ID, len(k.refs)), make([]bool, len(k.refs))
	for i := range k.refs {
		k.raw[i], k.spliced[i] = sh.entries[i].id, sh.entries[i].spliced
	}
	return k
}

// noteRead notes that the expression of v looked a path up, from a map around
// it. A look-up that had to wait is made again, and may then begin elsewhere.
func (l *level) noteRead(v, from uint32, p *program.Path) {
	if l.trace != nil {
		l.trace.read(v, from, p)
	}
}

func (t *Trace) read(v, from uint32, p *program.Path) {
	if t.ended {
		return
	}
	n, key := t.note(v), readKey{v, p}
	if i, ok := t.reads[key]; ok {
		n.reads[i].from = from
		return
	}
	t.reads[key] = len(n.reads)
	n.reads = append(n.reads, read{from, p})
}

// A tracingHost is a level that notes what the expressions ask it. What they
// look up by name is noted by lookup, which others use too.
type tracingHost struct{ *level }

// host returns whom the VM asks.
func (l *level) host() vm.Host {
	if l.trace != nil {
		return tracingHost{l}
	}
	return l
}

// Select notes where the path leads if that begins in an unfinished list or
// map; other values came with a reference that is noted.
func (h tracingHost) Select(f *vm.Fiber, v value.Value, p *program.Path, taken int, shape bool) (value.Value, error) {
	if v.Kind == value.Deferred && taken < len(p.Steps) {
		h.trace.read(f.Cell, cellOf(v.Ref), &program.Path{Steps: p.Steps[taken:]})
	}
	return h.level.Select(f, v, p, taken, shape)
}

// Index does the same for a computed index.
func (h tracingHost) Index(f *vm.Fiber, v, index value.Value, shape bool) (value.Value, error) {
	if v.Kind == value.Deferred {
		p := &program.Path{}
		if h.indexSteps(p, index) == nil && len(p.Steps) > 0 {
			h.trace.read(f.Cell, cellOf(v.Ref), p)
		}
	}
	return h.level.Index(f, v, index, shape)
}

// Merge notes what the stubs had.
func (h tracingHost) Merge(f *vm.Fiber, m *program.MergeForm) (value.Value, error) {
	v, err := h.level.Merge(f, m)
	n := h.trace.note(f.Cell)
	if h.trace.ended || err == vm.ErrWait || slices.ContainsFunc(n.merges, func(o merged) bool { return o.form == m }) {
		return v, err
	}
	hit := value.ID(0)
	if err == nil {
		hit = v.Ref
	}
	n.merges = append(n.merges, merged{m, hit})
	return v, err
}

// catcher returns what notes the errors after which an expression went on.
func (t *Trace) catcher() func(*vm.Fiber, *program.Func, int, *vm.Error) {
	if t == nil {
		return nil
	}
	return t.catch
}

// catch notes an error after which f continues at pc.
func (t *Trace) catch(f *vm.Fiber, fn *program.Func, pc int, e *vm.Error) {
	n := t.note(f.Cell)
	if t.ended || slices.ContainsFunc(n.caught, func(o caught) bool { return o.fn == fn && o.pc == pc }) {
		return
	}
	p, _ := f.At()
	at := fn.Spans[pc-1] // the handler ends before the alternative begins
	if in := fn.Code[pc-1]; in.Op == program.OrElse && strings.TrimSpace(p.Text) == p.Text[at.Start:at.End] {
		// With //, the operand has the place of the whole expression.
		if at = (program.Pos{}); e != nil && e.Prog == p {
			at = e.Pos
		}
	}
	n.caught = append(n.caught, caught{operand: p.Text[at.Start:at.End], or: fn.Code[pc-1].Op == program.OrElse, err: e, fn: fn, pc: pc})
}
