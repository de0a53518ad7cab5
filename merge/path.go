// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/value"
)

// pathSteps returns the path of a cell from the root of its document. With
// matching, entries of lists appear by the step that matches them with stubs,
// K:v, where every entry has a distinct key; else as [n].
func (l *level) pathSteps(v uint32, matching bool) []string { return l.stepsFrom(l.root, v, matching) }

// relSteps is pathSteps from the root of the template instance, as indices.
func (l *level) relSteps(v, inst uint32) []string { return l.stepsFrom(inst, v, false) }

// stepsFrom returns the path of v below one of the cells around it.
func (l *level) stepsFrom(top, v uint32, matching bool) []string {
	var steps []string
	for v != top && v != l.root && v != 0 {
		c := l.cell(v)
		if c.flags&fInstance == 0 {
			steps = append(steps, l.stepText(v, matching)...)
		}
		v = c.parent
	}
	slices.Reverse(steps)
	return steps
}

// stepText returns the step of v below its parent, last component first.
func (l *level) stepText(v uint32, matching bool) []string {
	c := l.cell(v)
	switch {
	case c.flags&(fInsert|fEntry) == fInsert|fEntry:
		return []string{"<<", index(int(c.step))}
	case c.flags&fEntry == 0:
		return []string{l.s.Name(value.Sym(c.step))}
	}
	i := int(c.step)
	if matching {
		if names := l.matchNames(c.parent); names != nil {
			return []string{l.s.Name(l.shape(l.cell(c.parent)).field) + ":" + names[i]}
		}
	}
	return []string{index(i)}
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// matchNames returns the keys of the entries of a list if they are all known
// and distinct, else nil.
func (l *level) matchNames(v uint32) []string {
	names, _, _ := l.findNames(v)
	return names
}

// findNames is matchNames; if a key is not known yet it returns the cell to
// wait for.
func (l *level) findNames(v uint32) (names []string, w uint32, wait bool) {
	sh := l.shape(l.cell(v))
	if sh == nil {
		return nil, 0, false
	}
	if sh.keyed {
		return sh.names.Names(), 0, false
	}
	if sh.nameless || sh.named >= 0 {
		return nil, 0, false
	}
	if l.cell(v).hits != 0 {
		sh.nameless = true // match looked for them
		return nil, 0, false
	}
	for i := len(sh.names.Names()); i < len(sh.refs); i++ {
		name, ok, w, wait := l.keyOf(sh.refs[i], sh.field)
		if wait {
			return nil, w, true
		}
		if !ok || !sh.names.Add(name, i) {
			sh.nameless = true
			return nil, 0, false
		}
	}
	sh.keyed = true
	return sh.names.Names(), 0, false
}

// pathKnown waits for the keys that the path of v is written with.
func (l *level) pathKnown(v uint32) error {
	for ; v != l.root && v != 0; v = l.cell(v).parent {
		if l.cell(v).flags&(fEntry|fInsert) == fEntry {
			if _, w, wait := l.findNames(l.cell(v).parent); wait {
				return l.pend(w, evShape, noPath, 0)
			}
		}
	}
	return nil
}

// stubPath returns where the stubs are asked for the place of v: its own path,
// or below the redirect of a list or map around it.
func (l *level) stubPath(v uint32) string {
	var steps []string
	for v != l.root && v != 0 {
		c := l.cell(v)
		if c.flags&fInsert == 0 && l.extraOf(c).info.Redirect != nil && l.shape(c) != nil {
			p := l.extraOf(c).info.Redirect
			steps = append(steps, p.Prefix(l.s, len(p.Steps)))
			break
		}
		if c.flags&(fInstance|fInsert) == 0 {
			steps = append(steps, l.stepText(v, true)...)
		}
		v = c.parent
	}
	slices.Reverse(steps)
	return strings.Join(steps, ".")
}
