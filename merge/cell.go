// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"github.com/dynaml/spiff/graph"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// A ref is a child of a list or map under evaluation: a finished node if it is
// at most value.MaxID, else a cell.
type ref = value.ID

const cellBit ref = value.MaxID + 1

func cellRef(v uint32) ref { return ref(v) | cellBit }

func isCell(r ref) bool { return r >= cellBit }

func cellOf(r ref) uint32 { return uint32(r &^ cellBit) }

// state is how far a cell has come. States only grow, except that a computed
// expression or a value to be merged further starts again.
type state uint8

const (
	sNew       state = iota
	sEval            // an expression that runs or waits
	sValued          // the expression has a value or error; overriding is still open
	sShaping         // a list or map whose << values or keys are not known yet
	sShaped          // the children are known
	sDone            // out is the result
	sUndefined       // the node vanishes
	sBroken          // a descendant failed, so there will be no result
	sFailed          // x.err says why
)

type cflags uint16

const (
	fEntry    cflags = 1 << iota // entry of a list
	fInsert                      // value of a << key or << entry
	fInstance                    // root of a template instance
	fBody                        // node is the body of a template: its marker is not looked at
	fLocated                     // hits is known
	fTemp                        // marked &temporary
	fExempt                      // the result is not replaced by a stub (semantics 2.2)
	fPrefer                      // the result is merged with the stub
	fMerged                      // a merge took part
	fReplaced                    // merge replace took part
	fPoisoned                    // instance root: a node of the instance failed
)

// A cell is the evaluation of one node at one place of the document. Plain
// subtrees that no stub touches have no cells.
//
// There are more cells than anything else, so a cell holds numbers only: the
// collector need not look at it, and what few cells have at a time is found in
// arenas of the level.
type cell struct {
	node   value.ID
	out    value.ID   // result; in sValued the raw value, 0 if undefined
	parent uint32     // enclosing container; for an instance root the cell that uses it
	inst   uint32     // root of the template instance the cell belongs to, or 0
	step   uint32     // key, or index in the list
	hits   candidates // nodes of the stubs at the place of the cell
	shape  uint32     // of a list or map whose children are known or sought
	run    uint32     // of an expression that waits
	x      uint32     // what few cells have, see extra
	flags  cflags
	state  state
}

// extra holds what few cells have.
type extra struct {
	err      *vm.Error
	parse    bool // err is a syntax error
	info     vm.Info
	scope    *vm.Scope // of an instance root: the names at the place of use
	depth    int       // of an instance root: how deep instances nest
	template string    // of an instance root: what was instantiated
	again    int       // how often a computed expression was evaluated again
	copyOf   uint32    // cell whose finished value this one starts from, see adopt
	expr     value.ID  // expression whose value shares unfinished entries, see value.Open
}

// A run is an expression that waits.
type run struct {
	prog  *program.Program
	fiber *vm.Fiber // nil if it waits for a static dependency
	deps  int       // static dependencies already met
}

// A shape is the known children of a list or map. Shapes are used again, and
// their slices with them.
type shape struct {
	keys  []value.Sym // of a map
	refs  []ref
	table value.KeyTable
	next  int // children collected

	insert uint32 // map: cell of the << value

	// lists
	entries  []entry // while the shape is found
	raw      int     // raw elements looked at
	splice   uint32  // cell of the << entry being waited for
	counted  int     // entries that count for indices, or are known not to
	present  []ref   // those of them that are there
	merged   bool    // a spliced value came from a merge
	replaced bool
	known    bool // entries are known, though maybe not matched
	field    value.Sym
	explicit bool            // field was named by key: or merge on
	names    value.NameIndex // by field, of the first named entries
	named    int             // names found so far, -1 if none are sought
	keyed    bool            // every entry has a distinct name
	nameless bool            // matchNames looked for keys in vain
	fields   []*fieldIndex

	broken bool
}

// A fieldIndex finds the entries of a list by one of their fields.
type fieldIndex struct {
	field value.Sym
	names value.NameIndex
	next  int // entries looked at
}

// An entry is one element of a list before matching.
type entry struct {
	id      value.ID // raw node or spliced value
	spliced bool
}

// Events of a cell, for the scheduler.
const (
	evShape   = iota // more is known: the entries, the children, the raw value or the result
	evDone           // finished, or never will be
	evLocated        // hits is known
	numEvents
)

func event(v uint32, kind int) graph.Event { return graph.Event(v*numEvents + uint32(kind)) }

func (l *level) cell(v uint32) *cell { return l.cells.at(v) }

// cellBytes is what a cell of an instance counts for the limit of memory. The
// document has no more cells than nodes, but templates that instantiate each
// other twice double their cells with every line.
const cellBytes = 128

func (l *level) newCell(node value.ID, parent uint32, step uint32, flags cflags) uint32 {
	v := l.cells.add()
	c := l.cell(v)
	c.node, c.parent, c.step, c.flags = node, parent, step, flags
	if parent != 0 {
		p := l.cell(parent)
		c.inst = p.inst
		if p.flags&fInstance != 0 {
			c.inst = parent
		}
		if c.inst != 0 {
			l.s.Charge(cellBytes)
		}
	}
	return v
}

// extra returns what few cells have, for c to write it.
func (l *level) extra(c *cell) *extra {
	if c.x == 0 {
		c.x = l.extras.add()
	}
	return l.extras.at(c.x)
}

// extraOf is extra to read it.
func (l *level) extraOf(c *cell) *extra {
	if c.x == 0 {
		return &noExtra
	}
	return l.extras.at(c.x)
}

var noExtra extra // never written

// shape returns the children of c, or nil if they are not sought, or no longer
// of interest since c is done.
func (l *level) shape(c *cell) *shape {
	if c.shape == 0 {
		return nil
	}
	return l.shapes.at(c.shape)
}

// newShape begins to find the children of c.
func (l *level) newShape(c *cell) *shape {
	c.shape = l.shapes.add()
	return l.shapes.at(c.shape)
}

// maxReuse bounds the slices of a shape that are used again, so that those of
// a long list do not stay with a short one.
const maxReuse = 1 << 8

// dropShape forgets the children of c.
func (l *level) dropShape(c *cell) {
	if c.shape == 0 {
		return
	}
	sh := l.shapes.at(c.shape)
	if cap(sh.refs)+cap(sh.entries)+cap(sh.present) < maxReuse {
		sh.names.Reset(maxReuse)
		*sh = shape{refs: sh.refs[:0], entries: sh.entries[:0], present: sh.present[:0], names: sh.names}
	} else {
		*sh = shape{}
	}
	l.shapes.put(c.shape)
	c.shape = 0
}

func (c *cell) settled() bool { return c.state >= sDone }

// hit returns the stub value for the place of c, or 0.
func (l *level) hit(c *cell) value.ID { return l.nearest(c.hits) }

// place makes hits the candidates of c.
func (c *cell) place(hits candidates) {
	c.hits = hits
	c.flags |= fLocated
}

// block makes v wait for an event of w, which is started if nobody did.
func (l *level) block(v, w uint32, kind int) {
	l.demand(w)
	l.sched.Block(v, event(w, kind))
}

// demand makes w run next unless it waits itself.
func (l *level) demand(w uint32) {
	if c := l.cell(w); !c.settled() {
		if _, waits := l.sched.WaitsFor(w); !waits {
			l.sched.Ready(w)
		}
	}
}

func (l *level) fire(v uint32, kinds ...int) {
	for _, k := range kinds {
		l.sched.Fire(event(v, k))
	}
}

// done finishes v with the node id.
func (l *level) done(v uint32, id value.ID) {
	c := l.cell(v)
	if c.flags&fTemp != 0 {
		id = l.s.With(id, value.Temporary)
	}
	c.out, c.state = id, sDone
	if l.trace != nil {
		l.trace.keep(l, v)
	}
	l.dropShape(c)
	l.fire(v, evShape, evDone)
}

func (l *level) undefined(v uint32) {
	c := l.cell(v)
	c.out, c.state = 0, sUndefined
	l.fire(v, evShape, evDone)
}

// failed ends v without a value. The instance it belongs to fails with it.
func (l *level) failed(v uint32, err *vm.Error) {
	c := l.cell(v)
	l.extra(c).err = err
	c.state = sFailed
	l.fire(v, evShape, evDone)
	if c.inst != 0 {
		l.poison(c.inst)
	}
}

// poison fails a template instance of which a node failed. Its other nodes go
// on, so that the report can name all that is wrong.
func (l *level) poison(inst uint32) {
	c := l.cell(inst)
	if c.settled() {
		return
	}
	c.flags |= fPoisoned
	l.extra(c).err = &vm.Error{Msg: "resolution of template failed", Instance: inst}
	c.state = sFailed
	l.fire(inst, evShape, evDone)
}

func (l *level) isMap(c *cell) bool {
	return l.s.Kind(c.node) == value.Map
}
