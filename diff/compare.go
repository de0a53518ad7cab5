// SPDX-License-Identifier: Apache-2.0

// Package diff compares YAML documents by their structure, as "spiff diff"
// does: maps by key, list entries by their name where they have one. It knows
// the store the documents live in and how they are written; it does not know
// files, terminals or expressions, which are plain text to it.
//
// The rules are those of the classic spiff. Where that lost a difference,
// told one twice or crashed, every entry is accounted for exactly once:
// package tests and testdata/diff say where.
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
}

// ErrTooMany says that the list of differences outgrew maxBytes.
var ErrTooMany = errors.New("too many differences")

// maxBytes bounds the list of differences. Documents with aliases of aliases
// may differ at exponentially many places; people read a few thousand.
const maxBytes = 1 << 28

// Compare returns the differences between two nodes of a store: those of maps
// in bytewise order of the keys, those of lists in order, what only b has
// last. It adds nodes to the store, as the entries of jobs are shown with
// their index. The only error is ErrTooMany.
//
//   - Two maps are compared key by key.
//   - A map and a list of maps with distinct names are compared as if the list
//     was a map from the name to the entry without it. (Not the reverse.)
//   - In two lists, an entry belongs to the one of the same name, or else to
//     the one at the same index if no other entry has claimed that. Several
//     entries of one name are paired in order.
//   - The entries of the lists at the path jobs belong together only by name,
//     and their order counts: each gets a field index unless it has one.
//     Entries without a name belong together by index.
//   - Other values are equal if their type and value are.
func Compare(s *value.Store, a, b value.ID) ([]Difference, error) {
	c := &comparer{
		s:     s,
		name:  s.Intern("name"),
		index: s.Intern("index"),
		equal: map[[2]value.ID]bool{},
		maps:  map[value.ID]value.ID{},
	}
	c.todo = []task{{a: a, b: b}}
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

// A comparer keeps its own stack of pairs to compare: the depth of a document
// is bounded by memory only.
type comparer struct {
	s           *value.Store
	name, index value.Sym
	todo        []task
	found       []Difference
	bytes       int

	// equal holds pairs of lists and maps known to have no difference, so
	// that what aliases share is compared once.
	equal map[[2]value.ID]bool
	maps  map[value.ID]value.ID // from a list to the map it stands for, or 0
}

// A task is a pair to compare, or one whose parts have all been compared.
type task struct {
	a, b   value.ID
	at     place
	finish bool
	before int // if finish: how many differences there were before
}

// A place is the last step of a path. The root has no up.
type place struct {
	up   *place
	name string // or else
	nth  int    // index+1 in a list
}

func (p place) String() string {
	var steps []string
	for ; p.up != nil; p = *p.up {
		if p.nth > 0 {
			p.name = "[" + strconv.Itoa(p.nth-1) + "]"
		}
		steps = append(steps, p.name)
	}
	slices.Reverse(steps)
	return strings.Join(steps, ".")
}

func (p place) isJobs() bool {
	return p.name == "jobs" && p.nth == 0 && p.up != nil && p.up.up == nil
}

// compare reports a pair that differs as a whole and stacks the parts of one
// that may differ in parts.
func (c *comparer) compare(t task) {
	if t.a == 0 || t.b == 0 {
		c.report(t)
		return
	}
	a, b := c.s.Node(t.a), c.s.Node(t.b)
	isList := b.Kind == value.List
	switch {
	case a.Kind == value.Map && (b.Kind == value.Map || isList):
		if isList {
			id := c.asMap(t.b)
			if id == 0 {
				c.report(t)
				return
			}
			b = c.s.Node(id)
		}
		if up := c.enter(t); up != nil {
			c.compareMaps(a, b, up)
		}
	case a.Kind == value.List && isList && t.at.isJobs():
		at := t.at
		c.compareJobs(c.s.Elems(a), c.s.Elems(b), &at)
	case a.Kind == value.List && isList:
		if up := c.enter(t); up != nil {
			c.compareLists(c.s.Elems(a), c.s.Elems(b), up)
		}
	case !c.same(t.a, t.b):
		c.report(t)
	}
}

func (c *comparer) report(t task) {
	d := Difference{t.at.String(), t.a, t.b}
	c.found = append(c.found, d)
	c.bytes += len(d.Path) + 32
}

// enter stacks the task that finishes a pair, to go below those of its parts,
// and returns the place of the pair. It returns nil if the pair is known to
// have no difference.
func (c *comparer) enter(t task) *place {
	if c.equal[[2]value.ID{t.a, t.b}] {
		return nil
	}
	at := t.at
	t.finish, t.before = true, len(c.found)
	c.todo = append(c.todo, t)
	return &at
}

// same compares two values of which not both are lists or maps. A date or a
// !!binary is not the same as its text in quotes.
func (c *comparer) same(ida, idb value.ID) bool {
	const typed = value.Verbatim | value.Binary
	a, b := c.s.Load(ida), c.s.Load(idb)
	if a.Kind != b.Kind || (c.s.Node(ida).Flags^c.s.Node(idb).Flags)&typed != 0 {
		return false
	}
	switch a.Kind {
	case value.Float:
		return a.Num == b.Num || a.Float() == b.Float() // .nan is .nan
	case value.Lambda, value.Template:
		return ida == idb // documents hold none
	}
	return a.Num == b.Num && a.Str == b.Str
}

// compareMaps stacks the values of two maps.
func (c *comparer) compareMaps(a, b *value.Node, up *place) {
	fa, fb := c.fields(a), c.fields(b)
	for len(fa) > 0 || len(fb) > 0 {
		order := -1
		switch {
		case len(fa) == 0:
			order = 1
		case len(fb) > 0:
			order = strings.Compare(fa[0].key, fb[0].key)
		}
		t := task{at: place{up: up}}
		if order <= 0 {
			t.a, t.at.name, fa = fa[0].val, fa[0].key, fa[1:]
		}
		if order >= 0 {
			t.b, t.at.name, fb = fb[0].val, fb[0].key, fb[1:]
		}
		c.todo = append(c.todo, t)
	}
}

type field struct {
	key string
	val value.ID
}

// fields returns what a map has, in bytewise order of the keys.
func (c *comparer) fields(n *value.Node) []field {
	vals := c.s.Vals(n)
	fields := make([]field, len(vals))
	for i, k := range c.s.Keys(n) {
		fields[i] = field{c.s.Name(k), vals[i]}
	}
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.key, b.key) })
	return fields
}

// compareLists stacks the entries of two lists.
func (c *comparer) compareLists(a, b []value.ID, up *place) {
	anyKind := func(int, int) bool { return true }
	for _, p := range c.match(a, b, anyKind) {
		t := task{at: place{up: up}}
		switch {
		case p.byName:
			t.at.name, _ = c.nameOf(a[p.a])
		case p.a >= 0:
			t.at.nth = p.a + 1
		default:
			t.at.nth = p.b + 1
		}
		if p.a >= 0 {
			t.a = a[p.a]
		}
		if p.b >= 0 {
			t.b = b[p.b]
		}
		c.todo = append(c.todo, t)
	}
}

// compareJobs stacks the entries of two lists of jobs: by name, then those
// without a name.
func (c *comparer) compareJobs(a, b []value.ID, up *place) {
	_, namedA := c.names(a)
	_, namedB := c.names(b)
	nameless := func(i, j int) bool { return !namedA[i] && !namedB[j] }
	pairs := c.match(a, b, nameless)
	tasks := make([]task, len(pairs))
	for k, p := range pairs {
		t := &tasks[k]
		t.at.up = up
		// What only b has comes last; the name is the same on both sides.
		if p.b >= 0 {
			t.b = c.withIndex(b[p.b], p.b)
			t.at = c.jobPlace(up, b[p.b], p.b)
		}
		if p.a >= 0 {
			t.a = c.withIndex(a[p.a], p.a)
			t.at = c.jobPlace(up, a[p.a], p.a)
		}
	}
	slices.SortStableFunc(tasks, func(x, y task) int {
		return cmp.Or(cmp.Compare(x.at.nth, y.at.nth), strings.Compare(x.at.name, y.at.name))
	})
	c.todo = append(c.todo, tasks...)
}

func (c *comparer) jobPlace(up *place, job value.ID, i int) place {
	if name, ok := c.nameOf(job); ok {
		return place{up: up, name: name}
	}
	return place{up: up, nth: i + 1}
}

// withIndex returns a named entry of jobs with its index as a field.
func (c *comparer) withIndex(job value.ID, i int) value.ID {
	if _, named := c.nameOf(job); !named || c.s.Get(job, c.index) != 0 {
		return job
	}
	n := *c.s.Node(job)
	at := c.s.Put(value.OfInt(int64(i)), value.Node{File: n.File, Start: n.Start, End: n.End})
	keys := append(slices.Clone(c.s.Keys(&n)), c.index)
	vals := append(slices.Clone(c.s.Vals(&n)), at)
	return c.s.MapNode(n, keys, vals)
}
