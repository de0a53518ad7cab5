// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"cmp"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// A converter makes nodes of Go values.
type converter struct {
	s    *value.Store
	at   value.Node // place of all nodes
	path []string   // of the value that is being converted
	deep int        // how many others it is in, counting pointers
}

// maxDeep bounds converter.deep: there is at most one pointer for each level.
const maxDeep = 2 * doc.DefaultDepth

// shown is how many steps of the path to what is too deep a message has.
const shown = 3

func newConverter(s *value.Store, at value.Node) *converter { return &converter{s: s, at: at} }

// convert returns the node of a value. The error names the part of the value
// that has none.
func (c *converter) convert(v any) (value.ID, error) { return c.value(reflect.ValueOf(v)) }

// fail returns an error about the value that is being converted.
func (c *converter) fail(format string, args ...any) error {
	if len(c.path) == 0 {
		return fmt.Errorf(format, args...)
	}
	return fmt.Errorf("at "+strings.Join(c.path, ".")+": "+format, args...)
}

// below converts a part of the value.
func (c *converter) below(step string, v reflect.Value) (value.ID, error) {
	c.path = append(c.path, step)
	id, err := c.value(v)
	if err == nil {
		c.path = c.path[:len(c.path)-1]
	}
	return id, err
}

func (c *converter) put(v value.Value) (value.ID, error) { return c.s.Put(v, c.at), nil }

func (c *converter) text(t string) (value.ID, error) {
	if !utf8.ValidString(t) {
		return 0, c.fail("the text %q is not valid UTF-8 (a []byte may hold anything)", clip(t))
	}
	return c.put(value.OfString(t))
}

// maxClip bounds how much of a text a message has.
const maxClip = 40

func clip(t string) string { return t[:min(len(t), maxClip)] }

// value converts what says itself what it is, and leaves the others to kind.
func (c *converter) value(v reflect.Value) (value.ID, error) {
	if c.deep++; c.deep > maxDeep {
		return 0, c.tooDeep()
	}
	defer func() { c.deep-- }()
	if !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
		return c.put(value.NullVal)
	}
	if !v.CanInterface() {
		return c.kind(v)
	}
	switch x := v.Interface().(type) {
	case Node:
		if x.id != 0 && x.t.s == c.s {
			return x.id, nil
		}
		return c.value(reflect.ValueOf(x.Value()))
	case *big.Int:
		return c.put(integer(x.String()))
	case json.Number:
		if i, ok := new(big.Int).SetString(string(x), 10); ok {
			return c.put(integer(i.String()))
		}
		f, err := x.Float64()
		if err != nil {
			return 0, c.fail("%q is no number", string(x))
		}
		return c.put(value.OfFloat(f))
	case time.Duration:
		return c.put(value.OfString(x.String()))
	case interface{ MarshalYAML() (any, error) }:
		m, err := x.MarshalYAML()
		if err != nil {
			return 0, c.fail("%w", err)
		}
		return c.value(reflect.ValueOf(m))
	case encoding.TextMarshaler:
		text, err := x.MarshalText()
		if err != nil {
			return 0, c.fail("%w", err)
		}
		return c.text(string(text))
	}
	return c.kind(v)
}

func (c *converter) tooDeep() error {
	c.path = c.path[:min(shown, len(c.path))]
	return c.fail("it nests deeper than %d levels: does it contain itself?", doc.DefaultDepth)
}

// integer returns the operand for the digits of an integer.
func integer(digits string) value.Value {
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return value.OfInt(n)
	}
	return value.Value{Kind: value.Big, Str: digits}
}

// kind converts a value by its kind.
func (c *converter) kind(v reflect.Value) (value.ID, error) {
	switch v.Kind() {
	case reflect.Bool:
		return c.put(value.OfBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return c.put(value.OfInt(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return c.put(integer(strconv.FormatUint(v.Uint(), 10)))
	case reflect.Float32: // 0.1 is to be 0.1
		f, _ := strconv.ParseFloat(strconv.FormatFloat(v.Float(), 'g', -1, 32), 64)
		return c.put(value.OfFloat(f))
	case reflect.Float64:
		return c.put(value.OfFloat(v.Float()))
	case reflect.String:
		return c.text(v.String())
	case reflect.Pointer, reflect.Interface:
		return c.value(v.Elem())
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
			return c.binary(v.Bytes())
		}
		return c.list(v)
	case reflect.Map:
		return c.mapping(v)
	case reflect.Struct:
		var m entries
		if err := c.fields(v, &m); err != nil {
			return 0, err
		}
		return c.s.MapNode(c.at, m.keys, m.vals), nil
	}
	return 0, c.fail("a %s cannot be a value", v.Type())
}

// binary converts bytes, which are a text with the tag !!binary.
func (c *converter) binary(b []byte) (value.ID, error) {
	id, err := c.put(value.OfString(base64.StdEncoding.EncodeToString(b)))
	return c.s.With(id, value.Binary), err
}

func (c *converter) list(v reflect.Value) (value.ID, error) {
	ids := make([]value.ID, v.Len())
	for i := range ids {
		id, err := c.below("["+strconv.Itoa(i)+"]", v.Index(i))
		if err != nil {
			return 0, err
		}
		ids[i] = id
	}
	return c.s.ListNode(c.at, ids, 0), nil
}

// entries are those of a map that is being made.
type entries struct {
	keys  []value.Sym
	vals  []value.ID
	table value.KeyTable
}

// add converts an entry.
func (c *converter) add(m *entries, key string, v reflect.Value) error {
	if !utf8.ValidString(key) {
		return c.fail("the key %q is not valid UTF-8", clip(key))
	}
	y := c.s.Intern(key)
	if m.table.Find(m.keys, y) >= 0 {
		return c.fail("there are two keys %q", key)
	}
	id, err := c.below(key, v)
	m.keys, m.vals = append(m.keys, y), append(m.vals, id)
	return err
}

func (c *converter) mapping(v reflect.Value) (value.ID, error) {
	var m entries
	if err := c.all(v, &m); err != nil {
		return 0, err
	}
	return c.s.MapNode(c.at, m.keys, m.vals), nil
}

// all adds the entries of a map.
func (c *converter) all(v reflect.Value, m *entries) error {
	if v.Type().Key().Kind() != reflect.String && v.Type().Key().Kind() != reflect.Interface {
		return c.fail("the keys of a map are strings, not of type %s", v.Type().Key())
	}
	type entry struct {
		key string
		val reflect.Value
	}
	var all []entry
	for it := v.MapRange(); it.Next(); {
		key := it.Key()
		if key.Kind() == reflect.Interface {
			key = key.Elem()
		}
		if !key.IsValid() || key.Kind() != reflect.String {
			return c.fail("the keys of a map are strings, not %v", it.Key())
		}
		all = append(all, entry{key.String(), it.Value()})
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	for _, e := range all {
		if err := c.add(m, e.key, e.val); err != nil {
			return err
		}
	}
	return nil
}

// fields adds the fields of a struct, by the tags that gopkg.in/yaml.v3 knows.
func (c *converter) fields(v reflect.Value, m *entries) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		tag, known := f.Tag.Lookup("yaml")
		if !known && !strings.Contains(string(f.Tag), ":") {
			tag = string(f.Tag)
		}
		name, rest, _ := strings.Cut(tag, ",")
		flags := strings.Split(rest, ",")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		var err error
		switch {
		case slices.Contains(flags, "inline"):
			err = c.inline(v.Field(i), m)
		case !f.IsExported(), slices.Contains(flags, "omitempty") && isEmpty(v.Field(i)):
		default:
			err = c.add(m, cmp.Or(name, strings.ToLower(f.Name)), v.Field(i))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inline adds the entries of a field to the map of its struct.
func (c *converter) inline(v reflect.Value, m *entries) error {
	if c.deep++; c.deep > maxDeep {
		return c.tooDeep()
	}
	defer func() { c.deep-- }()
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return c.inline(v.Elem(), m)
	}
	switch v.Kind() {
	case reflect.Struct:
		return c.fields(v, m)
	case reflect.Map:
		return c.all(v, m)
	case reflect.Pointer:
		return nil
	}
	return c.fail("only a struct or a map can be inline, not a %s", v.Type())
}

// isEmpty says whether omitempty leaves out a field.
func isEmpty(v reflect.Value) bool {
	if z, ok := v.Interface().(interface{ IsZero() bool }); ok && (v.Kind() != reflect.Pointer || !v.IsNil()) {
		return z.IsZero()
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && !isEmpty(v.Field(i)) {
				return false
			}
		}
		return true
	}
	return v.IsZero()
}
