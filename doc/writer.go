// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// WriteOptions changes what Append prints.
type WriteOptions struct {
	// Unescape takes one "!" from escaped expressions: ((! x )) prints as (( x )).
	Unescape bool
	// KeepTemporary prints temporary nodes too.
	KeepTemporary bool
	// LambdaBrackets prints lambdas as expressions, (( lambda|x|->x )).
	LambdaBrackets bool
	// InOrder prints the keys of maps in the order that the nodes have, instead
	// of sorted.
	InOrder bool
	// Comments, if set, are printed with what they belong to. The node is the root
	// of document number Document of their text or, if that is AnyNode, one that
	// is found by its place.
	Comments *Comments
	Document int
	// MaxBytes bounds the output; 0 stands for DefaultMaxBytes.
	MaxBytes int
	// Expr, if set, gives the text to print for an expression.
	Expr func(id value.ID) string
}

// AnyNode stands for the number of a document, see WriteOptions.
const AnyNode = -1

// A Sourcer is an object of the store that stands for a node: a template.
type Sourcer interface{ Source() value.ID }

// Append appends the canonical YAML of a node, which ends in a newline. Map
// keys are sorted bytewise, unless the options say otherwise. Temporary and undefined children are left out; a
// temporary root appends nothing.
//
// The text is what the classic tools print, since operators compare manifests
// as text. They use the emitter of libyaml, whose choice of styles and folding
// is imitated here. It differs where their text is hard to read or is read as
// something else: see readable and ambiguous.
func Append(dst []byte, s *value.Store, id value.ID, o WriteOptions) ([]byte, error) {
	if s.Node(id).Flags&value.Temporary != 0 && !o.KeepTemporary {
		return dst, nil
	}
	w := &writer{s: s, o: o, dst: dst, base: len(dst), line: len(dst), limit: o.MaxBytes}
	if w.limit == 0 {
		w.limit = DefaultMaxBytes
	}
	if err := w.node(id, rootIndent, true, w.root(id)); err != nil {
		return w.dst[:w.base], err
	}
	return w.dst, nil
}

const (
	indentStep = 2
	// rootIndent is that of the imagined parent of the root, so that the root
	// comes to stand in column 0.
	rootIndent = -indentStep
)

type writer struct {
	s     *value.Store
	o     WriteOptions
	dst   []byte
	base  int // where the output begins in dst
	line  int // where the current line begins in dst
	limit int

	// dropped counts the children that were left out. They count for the limit
	// like bytes: a large map of temporary nodes may be shared a thousand times.
	dropped  int
	depth    int
	verbatim int       // depth of templates
	order    []uint64  // sorted positions of the maps being printed, innermost last
	keys     []keyForm // by symbol
}

// node prints a node and a newline. The output ends in "key:", "-" or, at the
// root, nothing. indent is the column of the parent's keys or dashes; inline
// says that a list or map begins on this line. it has the comments of the node
// and may be nil.
func (w *writer) node(id value.ID, indent int, inline bool, it *item) error {
	n := w.s.Node(id)
	if err := w.room(id, n); err != nil {
		return err
	}
	switch n.Kind {
	case value.List, value.Map:
		if w.depth++; w.depth > DefaultDepth {
			return diag.Errorf(w.s.Span(id), "document nests deeper than %d levels", DefaultDepth)
		}
		var err error
		if n.Kind == value.List {
			err = w.list(n, indent, inline, it)
		} else {
			err = w.mapping(n, indent, inline, it)
		}
		w.depth--
		return err
	case value.Template:
		w.verbatim++
		defer func() { w.verbatim-- }()
		return w.node(w.s.Object(id).(Sourcer).Source(), indent, inline, it)
	}
	w.lead(indent)
	start, line := len(w.dst), w.line
	w.scalar(id, n, indent)
	w.behindScalar(it, start, line)
	w.endLine()
	return nil
}

// room checks that there is room for a node.
func (w *writer) room(id value.ID, n *value.Node) error {
	size := len(w.dst) - w.base + w.dropped
	switch n.Kind {
	case value.String, value.Expr, value.Big:
		size += int(n.Len)
	}
	if size > w.limit {
		return diag.Errorf(w.s.Span(id), "output exceeds %d bytes", w.limit)
	}
	return nil
}

// lead separates what follows from the dash or key before it.
func (w *writer) lead(indent int) {
	if indent != rootIndent {
		w.dst = append(w.dst, ' ')
	}
}

// endLine ends the line. A literal text that ends in a newline has done so.
func (w *writer) endLine() {
	if w.dst[len(w.dst)-1] != '\n' {
		w.dst = append(w.dst, '\n')
	}
	w.line = len(w.dst)
}

const blanks = "                                                                "

// indent begins a line in the given column.
func (w *writer) indent(column int) {
	for ; column > len(blanks); column -= len(blanks) {
		w.dst = append(w.dst, blanks...)
	}
	w.dst = append(w.dst, blanks[:column]...)
}

// begin goes to where a child of a list or map is printed: to column, or behind
// the dash of the parent if it is the first. around and it have the comments of
// the list or map and of the child.
func (w *writer) begin(first, inline bool, indent, column int, around, it *item) {
	if first && inline {
		w.aboveLine(around, it)
		w.lead(indent)
		return
	}
	if first {
		w.behind(around)
		w.endLine()
	}
	if it != nil {
		w.lines(it.head, column)
	}
	w.indent(column)
}

// list prints the elements. Under a key their dashes stand below the key.
func (w *writer) list(n *value.Node, indent int, inline bool, it *item) error {
	column := indent
	if inline {
		column += indentStep
	}
	inside, foot := w.inside(n, it)
	first := true
	for i, e := range w.s.Elems(n) {
		if w.drops(e) {
			continue
		}
		w.begin(first, inline, indent, column, it, inside[i])
		w.dst = append(w.dst, '-')
		if err := w.node(e, column, true, inside[i]); err != nil {
			return err
		}
		first = false
	}
	if first {
		w.empty("[]", indent, it)
		return nil
	}
	if !inline {
		column += indentStep // not to stand above the next key
	}
	w.lines(foot, column)
	return nil
}

// mapping prints the entries in the order of their keys, or as they are.
func (w *writer) mapping(n *value.Node, indent int, inline bool, it *item) error {
	column := indent + indentStep
	vals, keys := w.s.Vals(n), w.s.Keys(n)
	base := len(w.order)
	if w.o.InOrder {
		for i := range keys {
			w.order = append(w.order, uint64(i))
		}
	} else {
		w.order = w.s.Sorted(n, w.order)
	}
	inside, foot := w.inside(n, it)
	first := true
	for i := range keys {
		pos := uint32(w.order[base+i])
		if w.drops(vals[pos]) {
			continue
		}
		child := inside[int(pos)]
		w.begin(first, inline, indent, column, it, child)
		long := w.key(keys[pos], column)
		if err := w.node(vals[pos], column, long, child); err != nil {
			return err
		}
		first = false
	}
	w.order = w.order[:base]
	if first {
		w.empty("{}", indent, it)
		return nil
	}
	w.lines(foot, column)
	return nil
}

func (w *writer) empty(brackets string, indent int, it *item) {
	w.lead(indent)
	w.dst = append(w.dst, brackets...)
	w.behind(it)
	w.endLine()
}

// drops reports whether a child is left out.
func (w *writer) drops(id value.ID) bool {
	n := w.s.Node(id)
	if n.Kind > value.Undefined && (n.Flags&value.Temporary == 0 || w.verbatim > 0 || w.o.KeepTemporary) {
		return false
	}
	w.dropped++
	return true
}

// scalar prints a scalar, of which further lines are indented more than indent.
func (w *writer) scalar(id value.ID, n *value.Node, indent int) {
	column := max(indent, 0) + indentStep
	switch n.Kind {
	case value.None, value.Undefined, value.Null:
		w.dst = append(w.dst, "null"...)
	case value.Bool:
		w.dst = strconv.AppendBool(w.dst, n.Pay != 0)
	case value.Int:
		w.dst = strconv.AppendInt(w.dst, int64(n.Pay), 10)
	case value.Float:
		w.dst = append(w.dst, value.FormatFloat(math.Float64frombits(n.Pay))...)
	case value.Big:
		w.dst = append(w.dst, w.s.Text(n)...)
	case value.Expr:
		t := w.s.Text(n)
		if w.o.Expr != nil {
			t = w.o.Expr(id)
		}
		w.text(t, column)
	case value.Lambda:
		text := w.s.Object(id).(value.Texter).Text()
		if w.o.LambdaBrackets {
			text = "(( " + text + " ))"
		}
		w.text(text, column)
	case value.String:
		w.string(n, column)
	default:
		panic(fmt.Sprintf("doc: a %s cannot be printed", n.Kind))
	}
}

func (w *writer) string(n *value.Node, column int) {
	t := w.s.Text(n)
	switch {
	case n.Flags&value.Verbatim != 0:
		w.dst = append(w.dst, t...)
		return
	case n.Flags&value.Binary != 0:
		w.dst = append(w.dst, binaryTag+" "...)
	case w.o.Unescape && w.verbatim == 0 && value.Escaped(t):
		t = withoutMark(t)
	}
	w.text(t, column)
}

// maxSimpleKey is the length in bytes up to which a key is written "key:".
const maxSimpleKey = 128

// key prints a key and its colon. It reports whether the key was too long to
// stand on a line with its value; then the value begins behind the colon, like
// an element of a list behind its dash.
func (w *writer) key(k value.Sym, column int) (long bool) {
	if w.keys == nil {
		w.keys = make([]keyForm, w.s.Syms())
	}
	t := w.s.Name(k)
	if w.keys[k] == unknownKey {
		w.keys[k] = formOf(t)
	}
	switch w.keys[k] {
	case simpleKey:
		w.dst = append(w.dst, t...)
		w.dst = append(w.dst, ':')
		return false
	case shortKey:
		w.styled(styleOf(t, true), t, column, unfolded)
		w.dst = append(w.dst, ':')
		return false
	}
	st := styleOf(t, true)
	w.dst = append(w.dst, "? "...)
	w.styled(st, t, column+indentStep, unfolded)
	w.endLine()
	w.indent(column)
	w.dst = append(w.dst, ':')
	return true
}

// A keyForm says how a key is printed, which does not depend on its place.
type keyForm uint8

const (
	unknownKey keyForm = iota
	simpleKey          // as it is
	shortKey           // on the line of its value
	longKey            // on a line of its own
)

func formOf(key string) keyForm {
	switch {
	case len(key) > maxSimpleKey || strings.Contains(key, "\n"):
		return longKey
	case simple(key), styleOf(key, true) == asPlain:
		return simpleKey
	}
	return shortKey
}
