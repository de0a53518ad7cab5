// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// Bind evaluates a document without stubs. If its root is a map, references find
// its keys from then on where no map around them has the name: what a document
// means does not change by a binding with the name of one of its keys. It fails
// with an *Unresolved.
func (n *Session) Bind(in Input) error {
	trace, used, stubs := n.trace, n.used, n.stubs
	n.trace, n.used, n.stubs = nil, nil, 0 // bindings are not part of what is merged
	id, err := n.Merge(in)
	n.trace, n.used, n.stubs = trace, used, stubs
	if err == nil && id != 0 && n.s.Kind(id) == value.Map {
		n.bindings = id
	}
	return err
}

// bound resolves a reference whose name no map around its node has.
func (l *level) bound(name value.Sym, p *program.Path, shape bool) (value.Value, error) {
	if l.bindings != 0 {
		if id := l.s.Get(l.bindings, name); id != 0 {
			return l.follow(id, p, 1, shape)
		}
	}
	return value.Value{}, l.notFound(p, 1)
}

// boundNode returns the node of the bindings that a path leads to, or 0.
func (n *Session) boundNode(p *program.Path) value.ID {
	if n.bindings == 0 || p.Abs {
		return 0
	}
	l := &level{Session: n, s: n.s}
	id := n.s.Get(n.bindings, p.Steps[0].Key)
	for i := 1; id != 0 && i < len(p.Steps); i++ {
		id = l.nodeStep(id, &p.Steps[i])
	}
	return id
}

// boundNames returns the names that are bound.
func (l *level) boundNames() (names []string) {
	if l.bindings == 0 {
		return nil
	}
	for _, k := range l.s.Keys(l.s.Node(l.bindings)) {
		names = append(names, l.s.Name(k))
	}
	return names
}

// Define binds a name to a finished value, 0 for an undefined one, in addition
// to what is bound.
func (n *Session) Define(name value.Sym, id value.ID) {
	var at value.Node
	var keys []value.Sym
	var vals []value.ID
	if n.bindings != 0 {
		at = *n.s.Node(n.bindings)
		for i, k := range n.s.Keys(&at) {
			if k != name {
				keys, vals = append(keys, k), append(vals, n.s.Vals(&at)[i])
			}
		}
	}
	if id != 0 {
		keys, vals = append(keys, name), append(vals, id)
	}
	n.bindings = n.s.MapNode(at, keys, vals)
}

// Bindings returns the map of what is bound, or 0.
func (n *Session) Bindings() value.ID { return n.bindings }
