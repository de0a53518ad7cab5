// SPDX-License-Identifier: Apache-2.0

// Package builtin holds the operators and functions of the language as Go
// functions over values, and the one table that lists every callable name. It
// knows no expressions and no documents: what a function needs from its
// surroundings comes through Context.
package builtin

import (
	"fmt"
	"slices"

	"github.com/dynaml/spiff/value"
)

// A Context is what a function may ask of the evaluation that calls it.
type Context interface {
	Store() *value.Store
	// At is the place of the call, for nodes that are computed.
	At() value.Node
	// YAML returns the canonical YAML text of v; it ends in a newline. It
	// fails with a *Stop if the text would be too long.
	YAML(v value.Value) (string, error)
	// ParseYAML reads a document that a command printed. It fails if the
	// text is not exactly one YAML document.
	ParseYAML(name, text string) (value.Value, error)
	// Regexp is CompilePattern, once per merge and pattern.
	Regexp(pattern string) (*Pattern, error)
	// Exec runs a command once per merge and argument list; it returns its
	// standard output. A *Stop says that it may not be run, or not so long.
	Exec(argv []string) (string, error)
	// LookupEnv returns an environment variable. The error is a *Stop that
	// says that it may not be read.
	LookupEnv(name string) (text string, ok bool, err error)
	// MaxRange bounds the entries of a list that one small operand makes.
	MaxRange() int
	// Spend counts work that no instruction stands for, in units of about an
	// instruction. It fails with a *Stop if there was too much.
	Spend(n int) error
}

// A Func computes a result from evaluated arguments. No argument is undefined
// or deferred; lists and maps are complete. Errors are one line in the
// language's words; the caller adds the place.
type Func func(c Context, args []value.Value) (value.Value, error)

// A Row describes one callable name: a function, or a special form, which the
// compiler translates itself because its operands are not simply evaluated.
type Row struct {
	Name     string
	Min, Max int      // number of arguments; Max < 0 means any number
	Args     []string // what each argument is, as the reference prints it; the last repeats if Max < 0
	Result   string   // kind of the result, for a later static checker
	Doc      string   // one paragraph for the language reference
	Spec     string   // where the rule comes from
	Special  bool
	Own      bool // not of the language: the program that merges adds it
	Fn       Func // nil for special forms
}

// Takes says whether r can be called with n arguments.
func (r *Row) Takes(n int) bool { return n >= r.Min && (n <= r.Max || r.Max < 0) }

// WrongCount says that r does not take n arguments.
func (r *Row) WrongCount(n int) string {
	want, given := "1 argument", "1 is"
	switch {
	case r.Max > r.Min:
		want = fmt.Sprintf("%d to %d arguments", r.Min, r.Max)
	case r.Min != 1:
		want = fmt.Sprintf("%d arguments", r.Min)
	}
	if r.Max < 0 {
		want = "at least " + want
	}
	if n != 1 {
		given = fmt.Sprintf("%d are", n)
	}
	return fmt.Sprintf("%s takes %s, and %s given", r.Name, want, given)
}

// Functions are what the expressions of a merge may call: the rows of Table, and
// behind them those that the program adds. Nil has none of its own. It does not
// change, so several merges may use it at once.
type Functions struct {
	rows []Row
	own  map[string]int // index in rows
}

// With returns the rows of Table and others, whose names differ from all others.
func With(own []Row) *Functions {
	if len(own) == 0 {
		return nil
	}
	f := &Functions{rows: slices.Concat(Table, own), own: map[string]int{}}
	for i, r := range own {
		f.own[r.Name] = len(Table) + i
	}
	return f
}

// Rows returns all rows. An index in them is that of program.CallBuiltin.
func (f *Functions) Rows() []Row {
	if f == nil {
		return Table
	}
	return f.rows
}

// Lookup returns the index in Rows of a name, or -1.
func (f *Functions) Lookup(name string) int {
	if i := Lookup(name); i >= 0 || f == nil {
		return i
	}
	if i, ok := f.own[name]; ok {
		return i
	}
	return -1
}

// Lookup returns the index in Table of a name, or -1.
func Lookup(name string) int {
	if i, ok := byName[name]; ok {
		return i
	}
	return -1
}

var byName = func() map[string]int {
	m := make(map[string]int, len(Table))
	for i, r := range Table {
		m[r.Name] = i
	}
	return m
}()
