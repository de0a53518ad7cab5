// SPDX-License-Identifier: Apache-2.0

// Package diff compares YAML documents by their structure, as "spiff diff"
// does: maps by key, list entries by their name or another key where they have
// one. It knows the store the documents live in and how they are written; it
// does not know files, terminals or expressions, which are plain text to it.
//
// The rules are those of the classic spiff (semantics 7). Where that lost a
// difference, told one twice or crashed, every entry is accounted for exactly
// once: package tests and testdata/diff say where.
package diff

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/value"
)

// A Difference is a place at which two documents differ. A side that has
// nothing there is 0; a null is a value like others.
type Difference struct {
	Path string // such as jobs.web.networks.[0]; "" is the whole document
	A, B value.ID

	// InA and InB are the lists or maps around A and B, also where those are
	// 0. They are 0 for whole documents.
	InA, InB value.ID

	at *place
}

// A Step is one step of a path: a key of a map, or an entry of a list.
type Step struct {
	Name    string // the key; or of an entry what it has in Field, if that is set
	Integer bool   // Name is an integer
	Field   string
	Index   int // of an entry without Field; else -1
}

// Steps returns the path in parts, as Path is ambiguous if keys contain dots.
func (d *Difference) Steps() []Step {
	var steps []Step
	for p := d.at; p.up != nil; p = p.up {
		steps = append(steps, Step{p.name, p.integer, p.field, p.nth - 1})
	}
	slices.Reverse(steps)
	return steps
}

// ErrTooMany says that the list of differences outgrew maxBytes.
var ErrTooMany = errors.New("too many differences")

// maxBytes bounds the list of differences. Documents with aliases of aliases
// may differ at exponentially many places; people read a few thousand.
const maxBytes = 1 << 28

// Compare returns the differences between two nodes of a store: those of maps
// in bytewise order of the keys, those of lists in order, what only b has
// last. It adds nodes to the store, as the entries of jobs are shown with
// their index. The only error is ErrTooMany. The time is linear in the size of
// both.
//
//   - Two maps are compared key by key.
//   - In two lists, an entry belongs to the one of the same key, or else to
//     the one at the same index if no other entry has claimed that. Several
//     entries of one key are paired in order. Which field is the key says
//     comparer.match; usually it is name.
//   - The entries of the lists at the path jobs belong together only by key,
//     and their order counts: each gets a field index unless it has one.
//     Entries without a key belong together by index.
//   - A map and a list of maps with distinct keys are compared as if the list
//     was a map from the key to the entry without it. (Not the reverse.)
//   - Other values are equal if their type and value are.
//
// keys are fields to try as keys before the usual ones.
func Compare(s *value.Store, a, b value.ID, keys ...string) ([]Difference, error) {
	return newComparer(s, keys).run(a, b)
}

// A comparer keeps its own stack of pairs to compare.
type comparer struct {
	s       *value.Store
	classes *classes
	name    value.Sym
	index   value.Sym
	chosen  []value.Sym // keys that were asked for
	usual   []value.Sym // usualKeys
	tags    tags
	todo    []task
	found   []Difference
	bytes   int
	looked  int // at keys and entries, for tests of the cost

	// equal holds pairs of lists and maps that are not the same and yet have no
	// difference, so that what aliases share is compared once.
	equal map[[2]value.ID]bool
	maps  map[value.ID]value.ID // from a list to the map it stands for, or 0
}

func newComparer(s *value.Store, keys []string) *comparer {
	c := &comparer{
		s:     s,
		name:  s.Intern("name"),
		index: s.Intern("index"),
		equal: map[[2]value.ID]bool{},
		maps:  map[value.ID]value.ID{},
	}
	for _, k := range keys {
		c.chosen = append(c.chosen, s.Intern(k))
	}
	for _, k := range usualKeys {
		c.usual = append(c.usual, s.Intern(k))
	}
	c.tags = newTags(s)
	c.classes = newClasses(s)
	return c
}

// run returns the differences between two nodes.
func (c *comparer) run(a, b value.ID) ([]Difference, error) {
	c.found = nil
	c.todo = append(c.todo[:0], task{a: a, b: b, at: &place{}})
	for len(c.todo) > 0 {
		last := len(c.todo) - 1
		t := c.todo[last]
		c.todo = c.todo[:last]
		if t.finish {
			if len(c.found) == t.before {
				c.equal[[2]value.ID{t.a, t.b}] = true
			}
			continue
		}
		first := len(c.todo)
		c.compare(t)
		if first < len(c.todo) && c.todo[first].finish {
			first++
		}
		slices.Reverse(c.todo[first:]) // what comes first must be on top
		if c.bytes > maxBytes {
			return nil, ErrTooMany
		}
	}
	return c.found, nil
}

// A task is a pair to compare, or one whose parts have all been compared.
type task struct {
	a, b   value.ID
	at     *place
	finish bool
	before int // if finish: how many differences there were before
}

// A place is the last step of a path. The root has no up.
type place struct {
	up      *place
	name    string // or else
	nth     int    // index+1 in a list
	field   string // that has the name, of an entry of a list
	integer bool   // the name is one
	a, b    value.ID
}

func (p *place) String() string {
	var steps []string
	for ; p.up != nil; p = p.up {
		step := p.name
		if p.nth > 0 {
			step = "[" + strconv.Itoa(p.nth-1) + "]"
		}
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	return strings.Join(steps, ".")
}

func (p *place) isJobs() bool {
	return p.name == "jobs" && p.nth == 0 && p.up != nil && p.up.up == nil
}

// push stacks a pair unless both sides are the same.
func (c *comparer) push(a, b value.ID, at place) {
	if a == 0 || b == 0 || !c.classes.same(a, b) {
		p := at // so that only places of differences take memory
		c.todo = append(c.todo, task{a: a, b: b, at: &p})
	}
}

// compare reports a pair that differs as a whole and stacks the parts of one
// that may differ in parts.
func (c *comparer) compare(t task) {
	if t.a == 0 || t.b == 0 {
		c.report(t)
		return
	}
	t.at.a, t.at.b = t.a, t.b
	a, b := c.s.Kind(t.a), c.s.Kind(t.b)
	switch {
	case c.classes.same(t.a, t.b):
	case a == value.Map && b == value.Map:
		c.enter(t, func() { c.compareMaps(t.a, t.b, t.at) })
	case a == value.Map && b == value.List:
		if m := c.asMap(t.b); m != 0 {
			c.enter(t, func() { c.compareMaps(t.a, m, t.at) })
		} else {
			c.report(t)
		}
	case a == value.List && b == value.List && t.at.isJobs():
		c.compareJobs(t.a, t.b, t.at)
	case a == value.List && b == value.List:
		c.enter(t, func() { c.compareLists(t.a, t.b, t.at) })
	default:
		c.report(t)
	}
}

func (c *comparer) report(t task) {
	d := Difference{Path: t.at.String(), A: t.a, B: t.b, at: t.at}
	if up := t.at.up; up != nil {
		d.InA, d.InB = up.a, up.b
	}
	c.found = append(c.found, d)
	c.bytes += len(d.Path) + 64
}

// enter stacks the parts of a pair above the task that finishes it, unless it
// is known to have no difference.
func (c *comparer) enter(t task, parts func()) {
	if c.equal[[2]value.ID{t.a, t.b}] {
		return
	}
	t.finish, t.before = true, len(c.found)
	c.todo = append(c.todo, t)
	parts()
}

// compareMaps stacks the values of two maps in bytewise order of their keys.
func (c *comparer) compareMaps(a, b value.ID, up *place) {
	first := len(c.todo)
	na, nb := *c.s.Node(a), *c.s.Node(b)
	ka, kb, va, vb := c.s.Keys(&na), c.s.Keys(&nb), c.s.Vals(&na), c.s.Vals(&nb)
	c.looked += len(ka) + len(kb)
	for i, k := range ka {
		other := value.ID(0)
		if i < len(kb) && kb[i] == k { // as in most maps that differ in a value
			other = vb[i]
		} else {
			other = c.s.Get(b, k)
		}
		c.push(va[i], other, place{up: up, name: c.s.Name(k)})
	}
	for i, k := range kb {
		if (i >= len(ka) || ka[i] != k) && c.s.Get(a, k) == 0 {
			c.push(0, vb[i], place{up: up, name: c.s.Name(k)})
		}
	}
	slices.SortFunc(c.todo[first:], func(x, y task) int { return strings.Compare(x.at.name, y.at.name) })
}

// compareLists stacks the entries of two lists.
func (c *comparer) compareLists(a, b value.ID, up *place) {
	m := c.match(a, b)
	for _, p := range m.pairs(true) {
		at := place{up: up}
		switch {
		case p.byKey:
			at = c.keyedPlace(up, m.field, m.a.keys[p.a])
		case p.a >= 0:
			at.nth = p.a + 1
		default:
			at.nth = p.b + 1
		}
		c.push(m.a.at(p.a), m.b.at(p.b), at)
	}
}

func (c *comparer) keyedPlace(up *place, field value.Sym, k key) place {
	return place{up: up, name: k.String(), field: c.s.Name(field), integer: k.kind == value.Int}
}

// compareJobs stacks the entries of two lists of jobs: by key, then those
// without one.
func (c *comparer) compareJobs(a, b value.ID, up *place) {
	first := len(c.todo)
	m := c.match(a, b)
	for _, p := range m.pairs(false) {
		side, i := m.a, p.a
		if i < 0 { // what only b has comes last; the key is the same on both sides
			side, i = m.b, p.b
		}
		at := place{up: up, nth: i + 1}
		ida, idb := m.a.at(p.a), m.b.at(p.b)
		if k := side.keys[i]; k.ok() {
			at = c.keyedPlace(up, m.field, k)
			if p.a == p.b && c.classes.same(ida, idb) {
				continue
			}
			ida, idb = c.withIndex(ida, p.a), c.withIndex(idb, p.b)
		}
		c.push(ida, idb, at)
	}
	slices.SortStableFunc(c.todo[first:], func(x, y task) int {
		return cmp.Or(cmp.Compare(x.at.nth, y.at.nth), strings.Compare(x.at.name, y.at.name))
	})
}

// withIndex returns an entry of jobs with its index as a field.
func (c *comparer) withIndex(job value.ID, i int) value.ID {
	if job == 0 || c.s.Get(job, c.index) != 0 {
		return job
	}
	n := *c.s.Node(job)
	at := c.s.Put(value.OfInt(int64(i)), value.Node{File: n.File, Start: n.Start, End: n.End})
	keys := append(slices.Clone(c.s.Keys(&n)), c.index)
	vals := append(slices.Clone(c.s.Vals(&n)), at)
	return c.s.MapNode(n, keys, vals)
}
