// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/big"
	"slices"
	"strconv"
	"sync"

	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// A Node is one value of a tree: of a merged document, of a loaded one, or an
// argument of a Function. It refers to the tree, which is not copied, and knows
// the place where it was written. The zero Node is none; all that is asked of it
// is zero, too, so that Get need not be checked at each step.
type Node struct {
	t  *tree
	id value.ID
}

// A tree is what its nodes share.
type tree struct {
	s    *value.Store
	done bool       // all is evaluated: what looks like an expression is text
	mu   sync.Mutex // held while s may change: it keeps what it finds out about large maps
}

// Kind is the kind of a Node.
type Kind uint8

// The kinds.
const (
	NoNode     Kind = iota // the zero Node
	Null                   // null
	Bool                   // true or false
	Int                    // an integer of any size
	Float                  // a number with a fraction or an exponent
	String                 // text
	Expression             // (( )) that is not evaluated, or a lambda
	List                   // see Index
	Map                    // see Get
)

// String returns the name of the kind as messages have it.
func (k Kind) String() string {
	return [...]string{"none", "null", "bool", "int", "float", "string", "expression", "list", "map"}[k]
}

// kindOf says what the kinds of values are for a Node.
var kindOf = [value.Deferred + 1]Kind{
	value.Null: Null, value.Undefined: Null, value.Bool: Bool, value.Int: Int, value.Big: Int, value.Float: Float,
	value.String: String, value.Expr: Expression, value.Lambda: Expression, value.List: List, value.Map: Map,
}

// at returns the node with an ID, which may be 0. A template is what it is made
// of.
func (t *tree) at(id value.ID) Node {
	if id == 0 {
		return Node{}
	}
	for t.s.Kind(id) == value.Template {
		id = t.s.Object(id).(doc.Sourcer).Source()
	}
	return Node{t, id}
}

// node returns what n refers to, or nil.
func (n Node) node() *value.Node {
	if n.id == 0 {
		return nil
	}
	return n.t.s.Node(n.id)
}

// Kind returns the kind of n.
func (n Node) Kind() Kind {
	p := n.node()
	switch {
	case p == nil:
		return NoNode
	case p.Kind == value.Expr && n.t.done:
		return String
	}
	return kindOf[p.Kind]
}

// IsZero says whether there is no such node.
func (n Node) IsZero() bool { return n.id == 0 }

// Len returns the number of the entries of a list or map.
func (n Node) Len() int {
	if p := n.node(); p != nil && (p.Kind == value.List || p.Kind == value.Map) {
		return int(p.Len)
	}
	return 0
}

// Index returns entry i of a list.
func (n Node) Index(i int) Node {
	if n.Kind() != List || i < 0 || i >= n.Len() {
		return Node{}
	}
	return n.t.at(n.t.s.Elems(n.node())[i])
}

// Get follows a path: a string is the key of a map, or the name of an entry in a
// list, which is what the entry has under the key "name"; an int is the index in
// a list. Anything else, or a step that leads nowhere, gives the zero Node.
func (n Node) Get(path ...any) Node {
	for _, step := range path {
		switch step := step.(type) {
		case int:
			n = n.Index(step)
		case string:
			n = n.field(step)
		default:
			return Node{}
		}
	}
	return n
}

func (n Node) field(key string) Node {
	k := n.Kind()
	if k != Map && k != List {
		return Node{}
	}
	s := n.t.s
	n.t.mu.Lock()
	defer n.t.mu.Unlock()
	if k == Map {
		return n.t.at(s.Field(n.id, key))
	}
	field := s.KeyField(n.node())
	if field == 0 {
		name, ok := s.Symbol("name")
		if !ok {
			return Node{}
		}
		field = name
	}
	if i := s.FindKeyed(n.id, field, key); i >= 0 {
		return n.t.at(s.Elems(n.node())[i])
	}
	return Node{}
}

// Elems yields the entries of a list with their indices.
func (n Node) Elems() iter.Seq2[int, Node] {
	return func(yield func(int, Node) bool) {
		if n.Kind() != List {
			return
		}
		for i, id := range n.t.s.Elems(n.node()) {
			if !yield(i, n.t.at(id)) {
				return
			}
		}
	}
}

// Entries yields the keys of a map with their values, in the order in which they
// are printed: bytewise by key.
func (n Node) Entries() iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) {
		if n.Kind() != Map {
			return
		}
		s, p := n.t.s, n.node()
		type entry struct {
			key string
			id  value.ID
		}
		entries := make([]entry, p.Len)
		for i, k := range s.Keys(p) {
			entries[i] = entry{s.Name(k), s.Vals(p)[i]}
		}
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
		for _, e := range entries {
			if !yield(e.key, n.t.at(e.id)) {
				return
			}
		}
	}
}

// children returns the nodes below n, in the order they were written.
func (n Node) children() []value.ID {
	switch n.Kind() {
	case List:
		return n.t.s.Elems(n.node())
	case Map:
		return n.t.s.Vals(n.node())
	}
	return nil
}

// Text returns the text of a string, and whether n is one.
func (n Node) Text() (string, bool) {
	if n.Kind() != String {
		return "", false
	}
	return n.t.s.Text(n.node()), true
}

// Int returns the value of an integer, and whether n is one that fits.
func (n Node) Int() (int64, bool) {
	if p := n.node(); p != nil && p.Kind == value.Int {
		return int64(p.Pay), true
	}
	return 0, false
}

// Float returns the value of a number, and whether n is one.
func (n Node) Float() (float64, bool) {
	switch p := n.node(); {
	case p == nil:
	case p.Kind == value.Int:
		return float64(int64(p.Pay)), true
	case p.Kind == value.Float:
		return math.Float64frombits(p.Pay), true
	case p.Kind == value.Big:
		f, err := strconv.ParseFloat(n.t.s.Text(p), 64)
		return f, err == nil
	}
	return 0, false
}

// Bool returns the value of a boolean, and whether n is one.
func (n Node) Bool() (v, ok bool) {
	if n.Kind() != Bool {
		return false, false
	}
	return n.node().Pay != 0, true
}

// String returns the text of a scalar, or a list or map as canonical YAML.
func (n Node) String() string {
	switch n.Kind() {
	case NoNode, Null:
		return ""
	case List, Map:
		n.t.mu.Lock()
		defer n.t.mu.Unlock()
		text, err := doc.Append(nil, n.t.s, n.id, doc.WriteOptions{KeepTemporary: true})
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
	if p := n.node(); p.Kind == value.Lambda {
		return n.t.s.Object(n.id).(value.Texter).Text()
	}
	text, _ := n.t.s.Load(n.id).Text()
	return text
}

// Value returns n as a Go value: nil, bool, int64 or *big.Int, float64, string,
// []any, or map[string]any. What stands in several places of the tree, such as
// what an alias or a reference refers to, is one list or map in all of them:
// change nothing in it, or use Decode, which copies.
func (n Node) Value() any {
	if n.id == 0 {
		return nil
	}
	return (&reader{n.t.s, map[value.ID]any{}}).value(n)
}

// A reader makes Go values of nodes, each list and map once.
type reader struct {
	s    *value.Store
	done map[value.ID]any
}

func (r *reader) value(n Node) any {
	if v, ok := r.done[n.id]; ok {
		return v
	}
	switch n.Kind() {
	case Null:
		return nil
	case Bool:
		v, _ := n.Bool()
		return v
	case Int:
		if i, ok := n.Int(); ok {
			return i
		}
		if i, ok := new(big.Int).SetString(n.String(), 0); ok {
			return i
		}
		return n.String()
	case Float:
		v, _ := n.Float()
		return v
	case List:
		list := make([]any, 0, n.Len())
		for _, e := range n.Elems() {
			list = append(list, r.value(e))
		}
		r.done[n.id] = list
		return list
	case Map:
		m := make(map[string]any, n.Len())
		p := n.node()
		for i, k := range r.s.Keys(p) {
			m[r.s.Name(k)] = r.value(n.t.at(r.s.Vals(p)[i]))
		}
		r.done[n.id] = m
		return m
	}
	return n.String()
}

// A Position is a place in a file. The zero Position is none.
type Position struct {
	File      string // as the document was called when it was loaded
	Line, Col int    // from 1; columns count characters
}

// String returns file:line:col, or "-" for no place.
func (p Position) String() string {
	if p.Line == 0 {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Pos returns the place where n was written: of a value that an expression
// computed, that of the expression.
func (n Node) Pos() Position {
	if n.id == 0 {
		return Position{}
	}
	sp := n.t.s.Span(n.id).File()
	if sp.Src == nil {
		return Position{}
	}
	line, col := sp.Src.LineCol(sp.Start)
	return Position{sp.Src.Name, line, col}
}
