// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/dynaml/spiff/value"
)

// jsonVersion is that of the shape which docs/diff.md describes. New members do
// not change it; another meaning of a member, or one that is gone, does.
const jsonVersion = 1

// A jsonStream is one of the two inputs.
type jsonStream struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"`
}

// A jsonDifference is one difference. Sides that have nothing lack a type.
type jsonDifference struct {
	Document int      `json:"document"`
	Path     string   `json:"path"`
	Steps    []any    `json:"steps"`
	Change   string   `json:"change"`
	A        jsonSide `json:"a"`
	B        jsonSide `json:"b"`
}

type jsonSide struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Type   string `json:"type,omitempty"`
	Value  any    `json:"value,omitempty"` // a json.RawMessage, so that null is there
}

// json appends one object, each difference on a line of its own.
func (p *printer) json(dst []byte, r *Result) ([]byte, error) {
	a, err := encode(jsonStream{p.o.A, r.A})
	if err != nil {
		return nil, err
	}
	b, err := encode(jsonStream{p.o.B, r.B})
	if err != nil {
		return nil, err
	}
	dst = fmt.Appendf(dst, "{\n  \"version\": %d,\n  \"a\": %s,\n  \"b\": %s,\n  \"equal\": %t,\n  \"differences\": [", jsonVersion, a, b, r.Equal())
	separator := "\n    "
	for i, found := range r.Docs {
		for k := range found {
			line, err := p.jsonDifference(i, &found[k])
			if err != nil {
				return nil, err
			}
			dst = append(append(dst, separator...), line...)
			if err := p.check(dst); err != nil {
				return nil, err
			}
			separator = ",\n    "
		}
	}
	if !r.Equal() {
		dst = append(dst, "\n  "...)
	}
	return append(dst, "]\n}\n"...), nil
}

func (p *printer) jsonDifference(document int, d *Difference) ([]byte, error) {
	j := jsonDifference{Document: document + 1, Path: d.Path, Steps: []any{}, Change: "changed"}
	switch {
	case d.A == 0:
		j.Change = "added"
	case d.B == 0:
		j.Change = "removed"
	}
	for _, s := range d.Steps() {
		switch {
		case s.Index >= 0:
			j.Steps = append(j.Steps, s.Index)
		case s.Integer:
			j.Steps = append(j.Steps, map[string]any{s.Field: json.Number(s.Name)})
		case s.Field != "":
			j.Steps = append(j.Steps, map[string]any{s.Field: s.Name})
		default:
			j.Steps = append(j.Steps, s.Name)
		}
	}
	var err error
	if j.A, err = p.jsonSide(d.A, d.InA); err != nil {
		return nil, err
	}
	if j.B, err = p.jsonSide(d.B, d.InB); err != nil {
		return nil, err
	}
	return encode(j)
}

// jsonSide describes a node, or the place where there is none.
func (p *printer) jsonSide(id, in value.ID) (j jsonSide, err error) {
	at := id
	if id == 0 {
		at = in
	}
	if at != 0 {
		if sp := p.s.Span(at); sp.Src != nil {
			j.File = sp.Src.Name
			j.Line, j.Column = sp.Src.LineCol(sp.Start)
		}
	}
	if id == 0 {
		return j, nil
	}
	j.Type = typeOf(p.s.Node(id))
	p.buf, err = p.value(p.buf[:0], id)
	j.Value = json.RawMessage(bytes.Clone(p.buf))
	return j, err
}

// typeOf returns the type of a value as docs/diff.md calls it.
func typeOf(n *value.Node) string {
	switch {
	case n.Flags&value.Verbatim != 0:
		return "timestamp"
	case n.Flags&value.Binary != 0:
		return "binary"
	case n.Kind == value.Null:
		return "null"
	}
	return n.Kind.String()
}

// value appends a node as JSON, the keys of maps in bytewise order. What JSON
// has no number for is the text that YAML has.
func (p *printer) value(dst []byte, id value.ID) ([]byte, error) {
	if err := p.check(dst); err != nil {
		return nil, err
	}
	n := p.s.Node(id)
	var err error
	switch n.Kind {
	case value.List:
		dst = append(dst, '[')
		for i, e := range p.s.Elems(n) {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = p.value(dst, e); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case value.Map:
		return p.object(dst, n)
	case value.Bool:
		return strconv.AppendBool(dst, n.Pay != 0), nil
	case value.Int:
		return strconv.AppendInt(dst, int64(n.Pay), 10), nil
	case value.Float:
		f := math.Float64frombits(n.Pay)
		text := value.FormatFloat(f)
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return quote(dst, text)
		}
		return append(dst, text...), nil
	case value.Big:
		if text := p.s.Text(n); json.Valid([]byte(text)) {
			return append(dst, text...), nil
		}
		return quote(dst, p.s.Text(n))
	case value.String, value.Expr:
		return quote(dst, p.s.Text(n))
	}
	return append(dst, "null"...), nil
}

func (p *printer) object(dst []byte, n *value.Node) ([]byte, error) {
	keys, vals := p.s.Keys(n), p.s.Vals(n)
	dst = append(dst, '{')
	for i, pos := range p.s.Sorted(n, nil) {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = quote(dst, p.s.Name(keys[uint32(pos)])); err != nil {
			return nil, err
		}
		if dst, err = p.value(append(dst, ':'), vals[uint32(pos)]); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// quote appends a text as JSON. Bytes that are no UTF-8 become U+FFFD.
func quote(dst []byte, text string) ([]byte, error) {
	quoted, err := encode(text)
	return append(dst, quoted...), err
}

// encode is json.Marshal without escapes for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
