// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/value"
)

// A Value is a value as a report shows it.
type Value struct {
	Kind string `json:"kind"`
	// JSON is the value, unless it is a list or map of more than MaxNodes
	// nodes. Numbers beyond the floats of JSON, lambdas and templates are
	// strings; Kind tells them apart.
	JSON json.RawMessage `json:"value,omitempty"`
	// Size is the number of entries of a list or map.
	Size *int `json:"size,omitempty"`
	// YAML is the canonical text of a list or map, where it was asked for.
	YAML string `json:"-"`
}

// MaxNodes is how many nodes of a value a report shows. What expressions read
// is often a whole section of a manifest, which nobody wants to see each time.
const MaxNodes = 200

// ValueOf returns a node of a store as a report shows it.
func ValueOf(s *value.Store, id value.ID) *Value {
	n := s.Node(id)
	v := &Value{Kind: n.Kind.String()}
	if n.Kind == value.List || n.Kind == value.Map {
		size := int(n.Len)
		v.Size = &size
	}
	e := encoder{s: s, left: MaxNodes}
	e.node(id)
	if e.left >= 0 {
		v.JSON = e.out
	}
	return v
}

// maxBrief is how long a value may be on its line.
const maxBrief = 160

// Brief returns the value on one line, shortened; of a list or map that does not
// fit, what it is.
func (v *Value) Brief() string {
	if v.JSON == nil || v.Size != nil && len(v.JSON) > maxBrief/2 {
		unit := " entries"
		if *v.Size == 1 {
			unit = " entry"
		}
		return v.Kind + " of " + strconv.Itoa(*v.Size) + unit
	}
	return Clip(string(v.JSON))
}

// Clip shortens a text so that it fits a line.
func Clip(text string) string {
	text = strings.ReplaceAll(text, "\n", "\\n")
	if len(text) <= maxBrief {
		return text
	}
	return strings.ToValidUTF8(text[:maxBrief], "") + " ..."
}

// An encoder writes nodes as JSON, until left of them are written.
type encoder struct {
	s    *value.Store
	out  []byte
	left int
}

func (e *encoder) node(id value.ID) {
	if e.left--; e.left < 0 {
		return
	}
	if id > value.MaxID {
		e.text("(not finished)")
		return
	}
	v := e.s.Load(id)
	switch n := e.s.Node(id); v.Kind {
	case value.Null:
		e.out = append(e.out, "null"...)
	case value.Bool, value.Int:
		t, _ := v.Text()
		e.out = append(e.out, t...)
	case value.Float:
		if b, err := json.Marshal(v.Float()); err == nil {
			e.out = append(e.out, b...)
		} else {
			e.text(value.FormatFloat(v.Float()))
		}
	case value.Big, value.String, value.Expr:
		e.text(e.s.Redact(v.Str))
	case value.List:
		e.out = append(e.out, '[')
		for i, c := range e.s.Elems(n) {
			e.comma(i)
			if e.node(c); e.left < 0 {
				return
			}
		}
		e.out = append(e.out, ']')
	case value.Map:
		e.mapping(n)
	case value.Lambda:
		if t, ok := e.s.Object(id).(value.Texter); ok {
			e.text(t.Text())
			return
		}
		e.text(v.Kind.String())
	default:
		e.text(v.Kind.String())
	}
}

func (e *encoder) mapping(n *value.Node) {
	keys, vals := e.s.Keys(n), e.s.Vals(n)
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(e.s.Name(keys[a]), e.s.Name(keys[b])) })
	e.out = append(e.out, '{')
	for i, j := range order {
		e.comma(i)
		e.text(e.s.Name(keys[j]))
		e.out = append(e.out, ':')
		if e.node(vals[j]); e.left < 0 {
			return
		}
	}
	e.out = append(e.out, '}')
}

func (e *encoder) comma(i int) {
	if i > 0 {
		e.out = append(e.out, ',')
	}
}

// text appends a JSON string. Nothing of it is escaped that need not be.
func (e *encoder) text(s string) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	e.out = append(e.out, strings.TrimSuffix(b.String(), "\n")...)
}
