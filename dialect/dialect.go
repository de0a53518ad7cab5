// SPDX-License-Identifier: Apache-2.0

// Package dialect lists the few points in which the specification and its
// successor spiff++ differ and users may want the one or the other (semantics,
// section 0). Nothing else in the project may depend on the dialect, and the
// package knows nothing of the project.
package dialect

// A Dialect is one row of Table. The zero value is the specification.
type Dialect struct {
	Name string

	// JSONEscapes decodes \n, \t, \u0041 and the other escapes of JSON in
	// string literals; an unknown escape stays as it is. Otherwise \" is the
	// only escape (no. 2).
	JSONEscapes bool

	// LambdaBrackets prints a lambda in the result as an expression,
	// (( lambda|x|->x )), not as its bare text (no. 1).
	LambdaBrackets bool
}

// Table holds the dialects, the default first.
var Table = []Dialect{
	{Name: "dynaml"},
	{Name: "spiff++", JSONEscapes: true, LambdaBrackets: true},
}
