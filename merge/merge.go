// SPDX-License-Identifier: Apache-2.0

// Package merge evaluates documents: it applies the cascade of stubs to a
// template, decides which stub value overrides what, matches keyed lists,
// splices << entries, and runs the expressions in an order that their
// references choose.
//
// Every place that needs work is a cell. A cell that needs another one blocks
// on it in the scheduler and is continued when the other is ready; each is
// evaluated once, and nothing walks the document to see whether it changed.
// Plain subtrees that no stub touches are shared with the result as they are.
// What is still blocked when nothing can run is a cycle or waits for a failed
// node; the report says which.
//
// The package knows values and programs, not YAML text or syntax trees beyond
// handing text to the parser.
package merge

import (
	"context"
	"errors"
	"slices"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/compiler"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/dialect"
	"github.com/dynaml/spiff/graph"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// An Input is one document to merge.
type Input struct {
	Source *diag.Source
	Root   value.ID // 0 for an empty document
}

// Options of a merge.
type Options struct {
	// Context ends the merge when it is done. The zero value never is. It is
	// here because a merge is one call, which a Session stands for.
	Context context.Context
	// Partial asks for a result even if nodes are unresolved: they are
	// printed as the expressions they are.
	Partial bool
	Limits  Limits
	Files   Files
	Policy  Policy
	Dialect dialect.Dialect
	// Functions are what expressions may call; nil for those of the language.
	Functions *builtin.Functions
	// Check keeps track of what is used of the stubs, for Session.Warnings.
	Check bool

	// Backwards starts the children of lists and maps in the opposite
	// order. No result depends on it, which is what tests use it for.
	Backwards bool

	Trace   bool // record what Session.Trace returns
	Profile bool // record what Session.Profile returns
}

// Stats counts the work of a merge exactly.
type Stats struct {
	VM       vm.Stats
	Graph    graph.Stats
	Cells    int   // places evaluated
	Steps    int   // lists and maps passed in search of a name
	Hits     int   // nodes of stubs looked at to find those of a place
	Programs int   // expressions compiled
	Nodes    int   // nodes in the store at the end
	Memory   int64 // bytes of what was computed, as for the limit
}

// A Session holds what the documents of one merge share: the store, compiled
// programs, and the results of commands and files. It is not safe for
// concurrent use.
type Session struct {
	s     *value.Store
	opt   Options
	stats Stats
	ext   external
	progs programCache
	evals programCache
	lams  programCache
	names symbols

	trace *Trace   // nil unless it is asked for
	prof  *Profile // the same

	bindings value.ID // see Bind

	stubs  candidates // evaluated so far
	groups arena[group]

	// Cells are numbered through all documents: a lambda in the result of a
	// stub may have captured one.
	cells  arena[cell]
	shapes arena[shape]
	runs   arena[run]
	extras arena[extra]

	parser   parser.Parser
	compiler compiler.Compiler
	sights   sights
	used     *usage // with Options.Check
}

// symbols are keys that the engine itself looks up.
type symbols struct {
	insert, name, ctx, networks, subnets, static, instances, jobs, pools, pool, size value.Sym
}

// NewSession returns a session on a store into which the documents were read.
func NewSession(s *value.Store, opt Options) *Session {
	n := &Session{s: s, opt: opt}
	n.opt.Limits.setDefaults()
	if opt.Context == nil {
		n.opt.Context = context.Background()
	}
	n.parser.MaxDepth = opt.Limits.Depth
	n.compiler.Functions = opt.Functions
	s.Mark()
	n.observe()
	if opt.Check {
		n.used = &usage{}
	}
	n.names = symbols{
		insert: s.Intern("<<"), name: s.Intern("name"), ctx: s.Intern("__ctx"),
		networks: s.Intern("networks"), subnets: s.Intern("subnets"), static: s.Intern("static"),
		instances: s.Intern("instances"), jobs: s.Intern("jobs"),
		pools: s.Intern("resource_pools"), pool: s.Intern("resource_pool"), size: s.Intern("size"),
	}
	return n
}

// Stats returns the counts so far.
func (n *Session) Stats() Stats {
	st := n.stats
	st.Cells, st.Programs, st.Nodes = n.cells.len(), n.progs.made, n.s.Len()
	st.Memory = n.s.Grown()
	return st
}

// Cascade evaluates stubs from right to left, each against those to its right
// (semantics 2.1), and returns their results in the order given. What is merged
// after that is merged with all of them. It fails with an *Unresolved,
// or with the error of Ended.
func (n *Session) Cascade(stubs []Input) ([]value.ID, error) {
	results := make([]value.ID, len(stubs))
	for i, in := range slices.Backward(stubs) {
		if n.used != nil {
			n.used.doc = uint16(i + firstStub)
		}
		id, err := n.Merge(in)
		var u *Unresolved
		if err != nil && (!n.opt.Partial || !errors.As(err, &u)) {
			n.trace.stub(0, len(stubs))
			return nil, err
		}
		if err != nil {
			id = n.plain(id)
		}
		n.trace.stub(id, len(stubs))
		n.addStub(id)
		results[i] = id
	}
	return results, nil
}

// Merge evaluates one document against the evaluated stubs and returns its
// root, or 0 if the document is empty or undefined. If nodes are unresolved it
// returns an *Unresolved, with Partial beside a root in which they are
// expressions.
func (n *Session) Merge(in Input) (value.ID, error) {
	n.trace.document(in)
	if in.Root == 0 {
		return 0, nil
	}
	l := &level{Session: n, s: n.s, src: in.Source}
	n.trace.evaluates(l)
	root := n.s.Node(in.Root)
	if l.stubs == 0 && root.Flags&value.Dynamic == 0 {
		return in.Root, nil
	}
	l.vm = vm.New(l.host(), n.opt.Limits.Limits, n.opt.Functions)
	l.vm.Caught, l.vm.Ended = n.trace.catcher(), n.opt.Context.Err
	l.root = l.newCell(in.Root, 0, 0, fInsert)
	l.top = l.root
	l.cell(l.root).place(l.stubs)
	l.sched.Ready(l.root)
	l.drain()
	l.vm.Ended = nil // what is asked about the merge later has no context
	n.trace.end()
	defer l.vm.Settle()
	n.count(l)
	if err := Ended(n.opt.Context); err != nil {
		return 0, err
	}
	l.nameCells()
	c := l.cell(l.root)
	switch c.state {
	case sDone:
		return c.out, nil
	case sUndefined:
		return 0, nil
	}
	err := l.report()
	if n.opt.Partial {
		return l.partial(cellRef(l.root)), err
	}
	return 0, err
}

// MergeTemplate is Merge for a document that is not a stub.
func (n *Session) MergeTemplate(in Input) (value.ID, error) {
	if n.used != nil && in.Root != 0 {
		n.used.doc = theTemplate
		n.used.template = append(n.used.template, in.Root)
	}
	return n.Merge(in)
}

func (n *Session) count(l *level) {
	v, g := l.vm.Stats, l.sched.Stats()
	n.stats.VM.Instructions += v.Instructions
	n.stats.VM.Calls += v.Calls
	n.stats.VM.Suspensions += v.Suspensions
	n.stats.Graph.Runs += g.Runs
	n.stats.Graph.Blocks += g.Blocks
	n.stats.Graph.Fires += g.Fires
}

// A level is the evaluation of one document against its stubs.
type level struct {
	*Session
	s     *value.Store
	src   *diag.Source
	root  uint32
	top   uint32 // what is evaluated: the root, or an expression in a finished document
	sched graph.Scheduler
	vm    *vm.VM

	at        value.Node // place of the running expression
	wait      wait       // what the last ErrWait was for
	read      readAhead
	instances []uint32
	lists     []uint32 // lists that had to wait for keys
	pools     map[value.ID]pool
	autos     map[value.ID]map[string]int64
	paths     paths
	valBuf    []value.ID // children of a node that is put together
	indices   []int64    // of static_ips
	text      []byte     // of an address
	resolved  string     // file name without symbolic links, once it was asked for
}

// drain runs until nothing is ready and nothing more can be decided, or until
// the merge is to end.
func (l *level) drain() {
	for turn := 1; ; turn++ {
		for ; ; turn++ {
			v, ok := l.sched.Next()
			if !ok {
				break
			}
			l.run(v)
			if turn%endedEvery == 0 && l.opt.Context.Err() != nil {
				return
			}
		}
		if !l.matchByIndex() && !l.failInstances() {
			return
		}
	}
}

// run continues one cell.
func (l *level) run(v uint32) {
	switch l.cell(v).state {
	case sNew:
		l.begin(v)
	case sEval:
		l.evaluate(v)
	case sValued:
		l.settle(v)
	case sShaping:
		l.shapeUp(v)
	case sShaped:
		l.collect(v)
	}
}
