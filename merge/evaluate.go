// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// A Place is a node of a finished document on the way to an expression that is
// evaluated there. Step is its key in the map around it, or its index in the
// list around it; that of the root is not looked at.
type Place struct {
	Node value.ID
	Step uint32
}

// Evaluate evaluates the expression in.Root as if it stood in the innermost of
// the nodes around it: references see the maps among those, then what is bound.
// The nodes are finished and stay as they are; the first is the root of their
// document. There is no stub at that place. The result is 0 if the value is
// undefined. It fails with an *Unresolved, or with the error of Ended.
func (n *Session) Evaluate(around []Place, in Input) (value.ID, error) {
	stubs := n.stubs
	n.stubs = 0
	defer func() { n.stubs = stubs }()
	l := &level{Session: n, s: n.s, src: in.Source}
	l.vm = vm.New(l.host(), n.opt.Limits.Limits, n.opt.Functions)
	l.vm.Ended = n.opt.Context.Err
	parent := uint32(0)
	for _, at := range around {
		flags := fLocated
		if parent != 0 && l.s.Kind(l.cell(parent).node) == value.List {
			flags |= fEntry
		}
		v := l.newCell(at.Node, parent, at.Step, flags)
		l.cell(v).out, l.cell(v).state = at.Node, sDone
		if parent == 0 {
			l.root = v
		}
		parent = v
	}
	v := l.newCell(in.Root, parent, uint32(l.s.Intern(in.Source.Name)), fLocated)
	if l.root == 0 {
		l.root = v
	}
	l.top = v
	l.sched.Ready(v)
	l.drain()
	l.vm.Ended = nil
	defer l.vm.Settle()
	n.count(l)
	if err := Ended(n.opt.Context); err != nil {
		return 0, err
	}
	switch c := l.cell(v); c.state {
	case sDone:
		return c.out, nil
	case sUndefined:
		return 0, nil
	}
	return 0, l.report()
}
