// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// A mapBuilder collects entries; a later entry replaces an earlier one of the
// same key, at the place of the earlier.
type mapBuilder struct {
	keys  []value.Sym
	vals  []value.ID
	index value.KeyTable
}

func (m *mapBuilder) set(key value.Sym, val value.ID) {
	if at := m.index.Find(m.keys, key); at >= 0 {
		m.vals[at] = val
		return
	}
	m.keys, m.vals = append(m.keys, key), append(m.vals, val)
}

func (m *mapBuilder) result(c Context) value.Value { return newMap(c, m.keys, m.vals) }

func listToMap(c Context, args []value.Value) (value.Value, error) {
	if len(args) < 1 || len(args) > 2 {
		return value.Value{}, errors.New("list_to_map takes 1 or 2 arguments")
	}
	if args[0].Kind != value.List {
		return value.Value{}, errors.New("list_to_map requires a list as first argument")
	}
	s := c.Store()
	field := "name"
	if y := s.KeyField(s.Node(args[0].Ref)); y != 0 {
		field = s.Name(y)
	}
	if len(args) == 2 {
		t, ok := str(args[1])
		if !ok {
			return value.Value{}, errors.New("list_to_map requires a string as second argument")
		}
		field = t
	}
	var m mapBuilder
	for _, id := range elems(s, args[0]) {
		v := load(s, id)
		if v.Kind != value.Map {
			return value.Value{}, errors.New("list entries must by maps")
		}
		at := s.Field(id, field)
		if at == 0 {
			return value.Value{}, diag.Coded(diag.ArgumentValue, fmt.Errorf("key field '%s' not found", clip(field)))
		}
		key, ok := str(load(s, at))
		if !ok {
			return value.Value{}, diag.Coded(diag.ArgumentValue, fmt.Errorf("key field '%s' contains no string value", clip(field)))
		}
		m.set(s.Intern(key), without(s, id, s.Intern(field)))
	}
	return m.result(c), nil
}

// without returns a copy of a map node that lacks a key. The copy keeps the
// place of the original, so that messages about it point there.
func without(s *value.Store, id value.ID, key value.Sym) value.ID {
	n := s.Node(id)
	all, from := s.Keys(n), s.Vals(n)
	keys := make([]value.Sym, 0, len(all))
	vals := make([]value.ID, 0, len(all))
	for i, k := range all {
		if k != key {
			keys, vals = append(keys, k), append(vals, from[i])
		}
	}
	at := value.Node{File: n.File, Start: n.Start, End: n.End, Flags: n.Flags & value.Temporary}
	return s.MapNode(at, keys, vals)
}

// makemap calls itself mapentry in messages, as the reference does.
func makemap(c Context, args []value.Value) (value.Value, error) {
	if len(args) == 1 {
		return makemapOf(c, args[0])
	}
	if len(args) == 0 || len(args)%2 != 0 {
		return value.Value{}, errors.New("mapentry takes one or two arguments")
	}
	var m mapBuilder
	for i := 0; i < len(args); i += 2 {
		key, ok := simple(args[i])
		if !ok {
			return value.Value{}, fmt.Errorf("invalid type for key value of arument pair %d", i/2)
		}
		m.set(c.Store().Intern(key), element(c, args[i+1]))
	}
	return m.result(c), nil
}

// makemapOf makes a map of a list of entries, each with a key and a value.
func makemapOf(c Context, list value.Value) (value.Value, error) {
	if list.Kind != value.List {
		return value.Value{}, errors.New("single argument flavor of mapentry requires a list")
	}
	s := c.Store()
	var m mapBuilder
	for i, id := range elems(s, list) {
		if load(s, id).Kind != value.Map {
			return value.Value{}, fmt.Errorf("entry %d is no map entry", i)
		}
		k, v := s.Field(id, "key"), s.Field(id, "value")
		switch {
		case k == 0:
			return value.Value{}, diag.Coded(diag.ArgumentValue, fmt.Errorf("entry %d has no entry 'key'", i))
		case v == 0:
			return value.Value{}, diag.Coded(diag.ArgumentValue, fmt.Errorf("entry %d has no entry 'value'", i))
		}
		key, ok := simple(load(s, k))
		if !ok {
			return value.Value{}, fmt.Errorf("invalid type for 'key' value of entry %d", i)
		}
		m.set(s.Intern(key), v)
	}
	return m.result(c), nil
}
