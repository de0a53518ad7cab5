// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dynaml/spiff/value"
)

// Concat returns the operands put side by side. The rule of the language is
// binary and applied from left to right; the accumulated text, list or map is
// kept open meanwhile, so that n operands take linear time. names returns the
// source text of an operand, for the message. There is at least one operand.
func Concat(c Context, operands []value.Value, names func(i int) string) (value.Value, error) {
	if err := fitsConcat(c.Store(), operands); err != nil {
		return value.Value{}, err
	}
	if len(operands) == 1 {
		return operands[0], nil
	}
	f := concatenation{c: c, s: c.Store()}
	f.start(operands)
	for i, v := range operands[1:] {
		if !f.add(v) {
			return value.Value{}, f.mismatch(v, i+1, names)
		}
	}
	return f.result(), nil
}

// ConcatTexts is Concat for strings. It reports false if an operand is something
// else or the text would be too long.
func ConcatTexts(operands []value.Value) (value.Value, bool) {
	size := 0
	for i := range operands {
		if operands[i].Kind != value.String {
			return value.Value{}, false
		}
		size += len(operands[i].Str)
	}
	if size > maxText {
		return value.Value{}, false
	}
	var text strings.Builder
	text.Grow(size)
	for i := range operands {
		text.WriteString(operands[i].Str)
	}
	return value.OfString(text.String()), true
}

// fitsConcat checks the size of what the operands make before any of it is
// built.
func fitsConcat(s *value.Store, operands []value.Value) error {
	text, entries := 0, 0
	for i := range operands {
		v := &operands[i]
		text += len(v.Str)
		if v.Kind == value.List {
			entries += int(s.Node(v.Ref).Len)
		}
	}
	if err := fitsText(text); err != nil {
		return err
	}
	return fitsList(entries)
}

// mismatch describes operand i, which does not fit those before it.
func (f *concatenation) mismatch(v value.Value, i int, names func(i int) string) error {
	left := make([]string, i)
	for j := range left {
		left[j] = names(j)
	}
	return fmt.Errorf("type '%s'(%s) cannot be concatenated with type '%s'(%s)",
		v.Kind, names(i), f.kind, strings.Join(left, " "))
}

// A concatenation is the accumulated left side.
type concatenation struct {
	c    Context
	s    *value.Store
	kind value.Kind

	isText bool
	text   strings.Builder // of a simple value

	elems []value.ID // of a list
	key   value.Sym

	entries mapBuilder // of a map
}

func (f *concatenation) start(operands []value.Value) {
	v := operands[0]
	f.kind = v.Kind
	switch v.Kind {
	case value.List:
		n := f.s.Node(v.Ref)
		f.elems, f.key = slices.Clone(f.s.Elems(n)), f.s.KeyField(n)
	case value.Map:
		n := f.s.Node(v.Ref)
		f.entries.keys, f.entries.vals = slices.Clone(f.s.Keys(n)), slices.Clone(f.s.Vals(n))
	default:
		if t, ok := simple(v); ok {
			size := len(t)
			for _, o := range operands[1:] {
				size += len(o.Str)
			}
			f.text.Grow(size)
			f.text.WriteString(t)
			f.isText = true
		}
	}
}

// add appends an operand; it returns false if the kinds do not fit.
func (f *concatenation) add(v value.Value) bool {
	switch f.kind {
	case value.List:
		f.addToList(v)
		return true
	case value.Map:
		if v.Kind == value.Map {
			f.addToMap(v)
		}
		return v.Kind == value.Map || v.Kind == value.Null
	}
	if !f.isText {
		return false
	}
	t, ok := simple(v)
	if !ok && v.Kind == value.Lambda {
		t, ok = lambdaText(f.s, v), true
	}
	if ok {
		f.kind = value.String
		f.text.WriteString(t)
	}
	return ok
}

func (f *concatenation) addToList(v value.Value) {
	switch v.Kind {
	case value.Null:
	case value.List:
		n := f.s.Node(v.Ref)
		f.elems = append(f.elems, f.s.Elems(n)...)
		if f.key == 0 {
			f.key = f.s.KeyField(n)
		}
	default:
		f.elems = append(f.elems, element(f.c, v))
	}
}

func (f *concatenation) addToMap(v value.Value) {
	n := f.s.Node(v.Ref)
	vals := f.s.Vals(n)
	for i, k := range f.s.Keys(n) {
		f.entries.set(k, vals[i])
	}
}

func (f *concatenation) result() value.Value {
	switch f.kind {
	case value.List:
		return newList(f.c, f.elems, f.key)
	case value.Map:
		return f.entries.result(f.c)
	}
	return value.OfString(f.text.String())
}
