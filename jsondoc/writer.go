// SPDX-License-Identifier: Apache-2.0

// Package jsondoc prints a tree of nodes as JSON (RFC 8259). It knows no YAML,
// and of expressions only that they are texts.
package jsondoc

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// Options changes what Append prints.
type Options struct {
	// Compact prints each document in one line, without blanks.
	Compact bool
	// ShortFloats prints floats with the fewest digits that tell them apart, as
	// in a manifest, and not as they were written.
	ShortFloats bool
	// MaxBytes bounds the output; 0 stands for half a gigabyte.
	MaxBytes int
}

// defaultMaxBytes bounds the output if the caller gives no bound: aliases, which
// JSON does not have, may stand for far more than was read. It is the bound of
// the YAML output, too.
const defaultMaxBytes = 1 << 29

// Append appends a node as JSON, which ends in a newline. Keys are sorted
// bytewise, levels are indented by two blanks. Integers keep all their digits,
// and floats those they were written with. Expressions, binary texts, in base64,
// and timestamps are strings.
//
// It fails, with the place, at what JSON cannot express: infinities, NaN, and
// text that is not valid UTF-8.
func Append(dst []byte, s *value.Store, id value.ID, o Options) ([]byte, error) {
	w := &writer{s: s, compact: o.Compact, short: o.ShortFloats, dst: dst, base: len(dst), limit: o.MaxBytes}
	if w.limit == 0 {
		w.limit = defaultMaxBytes
	}
	if err := w.node(id, 0); err != nil {
		return dst, err
	}
	return append(w.dst, '\n'), nil
}

const indentStep = 2

type writer struct {
	s       *value.Store
	compact bool
	short   bool // floats
	dst     []byte
	base    int // where the output begins in dst
	limit   int
	order   []uint64 // sorted positions of the maps being printed, innermost last
}

// node prints a node in a line that is indented by indent.
func (w *writer) node(id value.ID, indent int) error {
	n := w.s.Node(id)
	if len(w.dst)-w.base > w.limit {
		return diag.Errorf(w.s.Span(id), "output exceeds %d bytes", w.limit)
	}
	switch n.Kind {
	case value.Null:
		w.dst = append(w.dst, "null"...)
	case value.Bool:
		w.dst = strconv.AppendBool(w.dst, n.Pay != 0)
	case value.Int:
		w.dst = strconv.AppendInt(w.dst, int64(n.Pay), 10)
	case value.Big:
		w.dst = append(w.dst, decimal(w.s.Text(n))...)
	case value.Float:
		return w.float(id, n)
	case value.String, value.Expr:
		return w.text(id, n)
	case value.List:
		return w.list(n, indent)
	case value.Map:
		return w.mapping(n, indent)
	default:
		return diag.Errorf(w.s.Span(id), "a %s cannot be expressed in JSON", n.Kind)
	}
	return nil
}

func (w *writer) list(n *value.Node, indent int) error {
	w.dst = append(w.dst, '[')
	for i, e := range w.s.Elems(n) {
		w.begin(i, indent)
		if err := w.node(e, indent+indentStep); err != nil {
			return err
		}
	}
	w.end(']', int(n.Len), indent)
	return nil
}

func (w *writer) mapping(n *value.Node, indent int) error {
	w.dst = append(w.dst, '{')
	vals, keys := w.s.Vals(n), w.s.Keys(n)
	base := len(w.order)
	w.order = w.s.Sorted(n, w.order)
	for i := range keys {
		pos := uint32(w.order[base+i])
		w.begin(i, indent)
		key := w.s.Name(keys[pos])
		if !utf8.ValidString(key) {
			return diag.Errorf(w.s.Span(vals[pos]), "the key of this value is not valid UTF-8, JSON cannot express it")
		}
		w.quote(key)
		w.dst = append(w.dst, ':')
		if !w.compact {
			w.dst = append(w.dst, ' ')
		}
		if err := w.node(vals[pos], indent+indentStep); err != nil {
			return err
		}
	}
	w.order = w.order[:base]
	w.end('}', len(keys), indent)
	return nil
}

// begin goes to where child i of a list or map is printed.
func (w *writer) begin(i, indent int) {
	if i > 0 {
		w.dst = append(w.dst, ',')
	}
	w.newline(indent + indentStep)
}

// end closes a list or map of n children.
func (w *writer) end(bracket byte, n, indent int) {
	if n > 0 {
		w.newline(indent)
	}
	w.dst = append(w.dst, bracket)
}

func (w *writer) newline(indent int) {
	if w.compact {
		return
	}
	w.dst = append(w.dst, '\n')
	for range indent {
		w.dst = append(w.dst, ' ')
	}
}

// float prints a float as it was written if that is JSON.
func (w *writer) float(id value.ID, n *value.Node) error {
	f := math.Float64frombits(n.Pay)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return diag.Errorf(w.s.Span(id), "%s cannot be expressed in JSON (quote it to make it a text)", value.FormatFloat(f))
	}
	if sp := w.s.Span(id); sp.Src != nil && !w.short {
		written := sp.Src.Text[sp.Start:sp.End]
		if g, err := strconv.ParseFloat(written, 64); err == nil && g == f && json.Valid([]byte(written)) {
			w.dst = append(w.dst, written...)
			return nil
		}
	}
	text := value.FormatFloat(f)
	if text == "-0" {
		text = "-0.0" // else it reads as an integer, which has no sign
	}
	w.dst = append(w.dst, text...)
	return nil
}

// decimal returns the digits of an integer, which may have another base, to the
// base 10.
func decimal(text string) string {
	if json.Valid([]byte(text)) {
		return text
	}
	n, ok := new(big.Int).SetString(strings.ToLower(text), 0)
	if !ok {
		panic("jsondoc: " + text + " is no integer")
	}
	return n.String()
}

func (w *writer) text(id value.ID, n *value.Node) error {
	t := w.s.Text(n)
	if n.Flags&value.Binary != 0 {
		t = strings.Join(strings.Fields(t), "") // base64, perhaps in several lines
	}
	if !utf8.ValidString(t) {
		return diag.Errorf(w.s.Span(id), "the text is not valid UTF-8, JSON cannot express it")
	}
	w.quote(t)
	return nil
}

const hex = "0123456789abcdef"

// quote prints a text in quotes. Only what must be escaped is (RFC 8259, 7).
func (w *writer) quote(t string) {
	w.dst = append(w.dst, '"')
	from := 0 // what precedes is printed
	for i, r := range t {
		if r >= ' ' && r != '"' && r != '\\' {
			continue
		}
		w.dst = append(w.dst, t[from:i]...)
		from = i + utf8.RuneLen(r)
		w.escape(r)
	}
	w.dst = append(w.dst, t[from:]...)
	w.dst = append(w.dst, '"')
}

func (w *writer) escape(r rune) {
	switch r {
	case '"', '\\':
		w.dst = append(w.dst, '\\', byte(r))
	case '\n':
		w.dst = append(w.dst, `\n`...)
	case '\r':
		w.dst = append(w.dst, `\r`...)
	case '\t':
		w.dst = append(w.dst, `\t`...)
	default:
		w.dst = append(w.dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&0xf])
	}
}
