// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/dynaml/spiff/value"
)

// load returns an element of a list or map. An element that is still being
// computed has no node to look at; it is passed on as it is.
func load(s *value.Store, id value.ID) value.Value {
	if id > value.MaxID {
		return value.Value{Kind: value.Deferred, Ref: id}
	}
	return s.Load(id)
}

// element returns the node of an operand that becomes part of a new list or
// map. Being temporary belongs to the node an operand came from, not to what
// is made of it.
func element(c Context, v value.Value) value.ID {
	id := c.Store().Put(v, c.At())
	if id > value.MaxID {
		return id
	}
	return c.Store().Without(id, value.Temporary)
}

func newList(c Context, elems []value.ID, key value.Sym) value.Value {
	s := c.Store()
	return s.Load(s.ListNode(c.At(), elems, key))
}

func newMap(c Context, keys []value.Sym, vals []value.ID) value.Value {
	s := c.Store()
	return s.Load(s.MapNode(c.At(), keys, vals))
}

func newStrings(c Context, texts []string) value.Value {
	elems := make([]value.ID, len(texts))
	for i, t := range texts {
		elems[i] = element(c, value.OfString(t))
	}
	return newList(c, elems, 0)
}

func elems(s *value.Store, v value.Value) []value.ID { return s.Elems(s.Node(v.Ref)) }

// str returns the text of a string. A computed text of the shape of an
// expression is a string too as long as nobody evaluates it.
func str(v value.Value) (string, bool) {
	return v.Str, v.Kind == value.String || v.Kind == value.Expr
}

// simple returns the text of a simple value: string, integer or boolean.
func simple(v value.Value) (string, bool) {
	switch v.Kind {
	case value.Null, value.Float:
		return "", false
	}
	return v.Text()
}

// texts returns the texts of simple arguments and of the elements of lists,
// one level deep; null arguments do not count. refuse words the error for
// another argument; caller is the function that the elements are for.
func texts(c Context, args []value.Value, refuse func(i int) error, caller string) ([]string, error) {
	out := make([]string, 0, len(args))
	for i, v := range args {
		if v.Kind == value.Null {
			continue
		}
		if v.Kind != value.List {
			t, ok := simple(v)
			if !ok {
				return nil, refuse(i)
			}
			out = append(out, t)
			continue
		}
		for _, id := range elems(c.Store(), v) {
			t, ok := simple(load(c.Store(), id))
			if !ok {
				return nil, fmt.Errorf("elements of list(arg %d) to %s must be simple values", i, caller)
			}
			out = append(out, t)
		}
	}
	return out, nil
}

// lambdaText returns the text of a lambda.
func lambdaText(s *value.Store, v value.Value) string {
	if t, ok := s.Object(v.Ref).(value.Texter); ok {
		return t.Text()
	}
	return v.Kind.String()
}

// clipMax is how much of a user's text a message repeats: long enough for any
// path of a command.
const clipMax = 160

// clip returns a text as a message shows it: as it is if it is short and
// printable, quoted and cut if not.
func clip(s string) string {
	plain := len(s) <= clipMax
	for _, r := range s[:min(len(s), clipMax)] {
		plain = plain && unicode.IsPrint(r) && r != utf8.RuneError
	}
	if plain {
		return s
	}
	if len(s) <= clipMax {
		return strconv.Quote(s)
	}
	n := clipMax
	for n > clipMax-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return strconv.Quote(s[:n]) + "..."
}
