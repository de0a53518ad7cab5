// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"slices"

	"github.com/dynaml/spiff/value"
)

// A pair says which entries of two lists belong together, by their indexes.
// One of them is -1 if an entry is alone.
type pair struct {
	a, b   int
	byName bool
}

// match finds for every entry of a the first free one of b with the same name,
// then for the others the one at the same index if that is still free and
// allowed says so. It returns every entry of a in order, then what is left of
// b.
func (c *comparer) match(a, b []value.ID, allowed func(i, j int) bool) []pair {
	pairs := make([]pair, len(a), max(len(a), len(b)))
	taken := make([]bool, len(b))
	byName, _ := c.names(b)
	for i, e := range a {
		pairs[i] = pair{i, -1, false}
		name, ok := c.nameOf(e)
		if js := byName[name]; ok && len(js) > 0 {
			pairs[i] = pair{i, js[0], true}
			taken[js[0]], byName[name] = true, js[1:]
		}
	}
	for i := range pairs {
		if pairs[i].b < 0 && i < len(b) && !taken[i] && allowed(i, i) {
			pairs[i].b, taken[i] = i, true
		}
	}
	for j := range b {
		if !taken[j] {
			pairs = append(pairs, pair{-1, j, false})
		}
	}
	return pairs
}

// names returns where in a list the entries of each name are, and which
// entries have one.
func (c *comparer) names(list []value.ID) (byName map[string][]int, named []bool) {
	named = make([]bool, len(list))
	for i, e := range list {
		name, ok := c.nameOf(e)
		if !ok {
			continue
		}
		if byName == nil {
			byName = make(map[string][]int, len(list))
		}
		byName[name], named[i] = append(byName[name], i), true
	}
	return byName, named
}

// nameOf returns the name of a list entry: the text in the field name of a
// map. That may well be an expression.
func (c *comparer) nameOf(entry value.ID) (name string, ok bool) {
	id := c.s.Get(entry, c.name)
	if id == 0 {
		return "", false
	}
	n := c.s.Node(id)
	if n.Kind != value.String && n.Kind != value.Expr {
		return "", false
	}
	return c.s.Text(n), true
}

// asMap returns the map that a list stands for, from the names of its entries
// to what else they hold, or 0 if an entry has no name of its own.
func (c *comparer) asMap(list value.ID) value.ID {
	if id, known := c.maps[list]; known {
		return id
	}
	c.maps[list] = 0
	n := *c.s.Node(list)
	elems := c.s.Elems(&n)
	byName, _ := c.names(elems)
	if len(byName) < len(elems) {
		return 0
	}
	keys, vals := make([]value.Sym, len(elems)), make([]value.ID, len(elems))
	for i, e := range elems {
		name, _ := c.nameOf(e)
		keys[i], vals[i] = c.s.Intern(name), c.withoutName(e)
	}
	n.Flags &^= value.Keyed
	c.maps[list] = c.s.MapNode(n, keys, vals)
	return c.maps[list]
}

func (c *comparer) withoutName(entry value.ID) value.ID {
	n := *c.s.Node(entry)
	keys, vals := slices.Clone(c.s.Keys(&n)), slices.Clone(c.s.Vals(&n))
	i := slices.Index(keys, c.name)
	return c.s.MapNode(n, slices.Delete(keys, i, i+1), slices.Delete(vals, i, i+1))
}
