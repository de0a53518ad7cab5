// SPDX-License-Identifier: Apache-2.0

// Package value holds the values of the language and the store they live in:
// one arena of nodes per merge, addressed by index. A node is 24 bytes without
// a pointer; keys are interned, text is a slice of the source it was read from,
// and every node knows the file and the bytes it came from.
//
// Nodes are immutable once built and are shared freely: a reference to a list
// of a thousand maps copies one index. The package knows neither YAML syntax
// nor expressions; it only keeps expression texts apart from plain strings.
package value

import (
	"math"
	"strconv"
)

// An ID addresses a node of a Store. The zero ID is no node. IDs stay below
// 1<<31; the merge engine uses the upper half for nodes still being computed.
type ID uint32

// MaxID bounds node indexes; see ID.
const MaxID ID = 1<<31 - 1

// A Sym is an interned key. The zero Sym is the empty string.
type Sym uint32

// A File numbers a source text of a Store. File 0 is "no source".
type File uint16

// Kind is the kind of a value.
type Kind uint8

// The kinds. Room is left for opaque references of other frontends.
const (
	None      Kind = iota // no value at all
	Undefined             // ~~: a node with this value vanishes
	Null
	Bool
	Int   // int64
	Float // float64
	Big   // integer beyond int64: the digits are kept, arithmetic is refused
	String
	Expr // text of an expression with its brackets, not evaluated yet
	List
	Map
	Lambda
	Template
	Deferred // a node still being computed; only on the VM's stack

	numKinds
)

var kindNames = [numKinds]string{
	"none", "undef", "nil", "bool", "int", "float", "int", "string", "expression",
	"list", "map", "lambda", "template", "deferred",
}

// String returns the kind in the language's words, as messages use them.
func (k Kind) String() string { return kindNames[k] }

// Flags are attributes of a node.
type Flags uint8

// The flags. Attributes that only spiff++ has (local, inject, state, ...) go to
// a side table of the Store, guarded by one more bit, when they come.
const (
	Temporary  Flags = 1 << iota // dropped from the final output
	Dynamic                      // an expression, a << or a key: tag is in the subtree
	Verbatim                     // scalar whose source text is printed unquoted (timestamps)
	Binary                       // !!binary text
	Keyed                        // list with an explicit key field
	Inserts                      // map with a << entry, or list with such an entry
	Contiguous                   // text stands in its file as is: [Start, End) is exactly the text
	Open                         // a child, or a child of one, is still being computed (its ID is above MaxID)
)

// A Node is one value in a Store. What Pay and Len mean depends on Kind:
//
//	Bool, Int     Pay is the value as int64
//	Float         Pay holds the bits of the float64
//	Big, String, Expr
//	              Pay is text<<32 | offset, Len the length in bytes
//	List, Map     Pay is chunk<<32 | offset of the children, Len their number
//	Lambda, Template
//	              Pay is the index of the object
type Node struct {
	Kind       Kind
	Flags      Flags
	File       File
	Start, End uint32 // span in File
	Len        uint32
	Pay        uint64
}

// A Value is an operand: a scalar held inline, or a list, map, lambda or
// template in the store. Ref is the node the value came from, or 0 if the
// scalar was computed.
//
// It has four fields and not one more: the compiler of Go keeps structs of up to
// four in registers and moves larger ones through memory. With a fifth, running
// 1 + 2 * foo takes 51 ns instead of 30.
type Value struct {
	Kind Kind
	Ref  ID
	Num  int64  // Bool (0 or 1), Int, Float bits
	Str  string // Big, String, Expr
}

// Constants and constructors of operands.
var (
	Undef   = Value{Kind: Undefined}
	NullVal = Value{Kind: Null}
	True    = Value{Kind: Bool, Num: 1}
	False   = Value{Kind: Bool}
)

// OfInt returns an integer operand.
func OfInt(n int64) Value { return Value{Kind: Int, Num: n} }

// OfFloat returns a float operand.
func OfFloat(f float64) Value { return Value{Kind: Float, Num: int64(math.Float64bits(f))} }

// OfString returns a string operand.
func OfString(s string) Value { return Value{Kind: String, Str: s} }

// OfBool returns a boolean operand.
func OfBool(b bool) Value {
	if b {
		return True
	}
	return False
}

// Bool returns the value of a Bool operand.
func (v Value) Bool() bool { return v.Num != 0 }

// Float returns the value of a Float operand.
func (v Value) Float() float64 { return math.Float64frombits(uint64(v.Num)) }

// Scalar reports whether v is held inline.
func (v Value) Scalar() bool { return v.Kind >= Null && v.Kind <= Expr }

// Text returns the text of a string, integer, boolean, float or big operand as
// concatenation and join print it, and whether v is one of those.
func (v Value) Text() (string, bool) {
	switch v.Kind {
	case String, Expr, Big:
		return v.Str, true
	case Int:
		return strconv.FormatInt(v.Num, 10), true
	case Bool:
		return strconv.FormatBool(v.Num != 0), true
	case Float:
		return FormatFloat(v.Float()), true
	}
	return "", false
}

// FormatFloat returns f in the output format (output.md): the shortest %g text,
// with the YAML spellings of the infinities and NaN.
func FormatFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return ".nan"
	case math.IsInf(f, 1):
		return ".inf"
	case math.IsInf(f, -1):
		return "-.inf"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// A Texter is an object of the store that has a text in the language: a lambda.
type Texter interface{ Text() string }

// LooksLikeExpr reports whether s has the shape of an expression: it begins
// with "((" and ends with "))" and is not escaped by "((!" (semantics 1.1).
func LooksLikeExpr(s string) bool {
	n := len(s)
	return n >= 4 && s[0] == '(' && s[1] == '(' && s[n-1] == ')' && s[n-2] == ')' && s[2] != '!'
}

// Escaped reports whether s is an escaped expression, ((! text )).
func Escaped(s string) bool {
	n := len(s)
	return n >= 5 && s[0] == '(' && s[1] == '(' && s[2] == '!' && s[n-1] == ')' && s[n-2] == ')'
}
