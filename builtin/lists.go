// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dynaml/spiff/value"
)

// uniq keeps the first of equal elements. Whether a later element equals an
// earlier one is decided by == with the later one on the left.
func uniq(c Context, args []value.Value) (value.Value, error) {
	if len(args) != 1 {
		return value.Value{}, errors.New("uniq takes exactly 1 argument")
	}
	if args[0].Kind != value.List {
		return value.Value{}, errors.New("invalid type for function uniq")
	}
	s := c.Store()
	n := s.Node(args[0].Ref)
	all := s.Elems(n)
	set := newElemSet(c, all)
	kept := make([]value.ID, 0, len(all))
	for _, id := range all {
		v := load(s, id)
		found, err := set.has(v)
		if err != nil {
			return value.Value{}, err
		}
		if !found {
			set.add(v)
			kept = append(kept, id)
		}
	}
	return newList(c, kept, s.KeyField(n)), nil
}

// An elemSet finds equal elements: scalars by the hash of their forms, lists
// and maps one by one among those of the same length.
type elemSet struct {
	c      Context
	lefts  []value.Kind // kinds of scalars that are looked for
	forms  map[leftForm]struct{}
	nested map[shape][]value.Value
}

type leftForm struct {
	left value.Kind
	form form
}

type shape struct {
	kind value.Kind
	n    uint32
}

func newElemSet(c Context, all []value.ID) *elemSet {
	x := &elemSet{c: c, forms: make(map[leftForm]struct{}, len(all)), nested: map[shape][]value.Value{}}
	for _, id := range all {
		k := load(c.Store(), id).Kind
		if k != value.List && k != value.Map && !slices.Contains(x.lefts, k) {
			x.lefts = append(x.lefts, k)
		}
	}
	return x
}

func (x *elemSet) has(v value.Value) (bool, error) {
	s := x.c.Store()
	if v.Kind != value.List && v.Kind != value.Map {
		f, ok := convert(s, v.Kind, v)
		if ok {
			_, ok = x.forms[leftForm{v.Kind, f}]
		}
		return ok, nil
	}
	same := x.nested[shape{v.Kind, s.Node(v.Ref).Len}]
	for _, w := range same {
		if equalElement(x.c, v, w) {
			return true, nil
		}
	}
	return false, x.c.Spend(nestedWork * len(same))
}

func (x *elemSet) add(v value.Value) {
	s := x.c.Store()
	if v.Kind == value.List || v.Kind == value.Map {
		h := shape{v.Kind, s.Node(v.Ref).Len}
		x.nested[h] = append(x.nested[h], v)
		return
	}
	for _, left := range x.lefts {
		if f, ok := convert(s, left, v); ok {
			x.forms[leftForm{left, f}] = struct{}{}
		}
	}
}

// nestedWork is the work of comparing two lists or maps, of which most differ
// early. The list of uniq may have a great many of the same length.
const nestedWork = 8

// equalElement is == for a search: what cannot be compared is not equal.
func equalElement(c Context, a, b value.Value) bool {
	eq, err := Equal(c, a, b)
	return eq && err == nil
}

func contains(c Context, args []value.Value) (value.Value, error) {
	if len(args) == 2 && args[0].Kind == value.Map {
		if args[1].Kind == value.Null {
			return value.False, nil
		}
		key, ok := simple(args[1])
		if !ok {
			return value.Value{}, errors.New("invalid type for check string")
		}
		return value.OfBool(c.Store().Field(args[0].Ref, key) != 0), nil
	}
	at, err := position(c, "contains", args, strings.Index, false)
	if err != nil {
		return value.Value{}, err
	}
	return value.OfBool(at >= 0), nil
}

func index(c Context, args []value.Value) (value.Value, error) {
	at, err := position(c, "index", args, strings.Index, false)
	if err != nil {
		return value.Value{}, err
	}
	return value.OfInt(int64(at)), nil
}

// lastindex calls itself index in messages, as the reference does.
func lastindex(c Context, args []value.Value) (value.Value, error) {
	at, err := position(c, "index", args, strings.LastIndex, true)
	if err != nil {
		return value.Value{}, err
	}
	return value.OfInt(int64(at)), nil
}

// position returns where the second argument is in the first, a list or a
// text, or -1. A null is nowhere, even in a list that has one.
func position(c Context, name string, args []value.Value, find func(s, sub string) int, backward bool) (int, error) {
	if len(args) != 2 {
		return 0, fmt.Errorf("function %s takes exactly two arguments", name)
	}
	text, isText := str(args[0])
	switch {
	case !isText && args[0].Kind != value.List:
		return 0, fmt.Errorf("list or string expected for argument one of function %s", name)
	case args[1].Kind == value.Null:
		return -1, nil
	case isText:
		sub, ok := simple(args[1])
		if !ok {
			return 0, errors.New("invalid type for check string")
		}
		return find(text, sub), nil
	}
	ids := elems(c.Store(), args[0])
	for i := range ids {
		if backward {
			i = len(ids) - 1 - i
		}
		if equalElement(c, load(c.Store(), ids[i]), args[1]) {
			return i, nil
		}
	}
	return -1, nil
}
