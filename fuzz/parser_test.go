// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/parser"
)

// FuzzParse checks what holds for every text: parsing ends without a panic, an
// error points into the text and its message is one line, and the canonical
// text of a tree parses to that tree.
func FuzzParse(f *testing.F) {
	for _, text := range parserSeeds(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := parser.Parse(text)
		if err != nil {
			checkError(t, text, err)
			return
		}
		printed := ast.Print(x)
		again, err := parser.Parse(printed)
		if err != nil {
			// Canonical text has more brackets, so a tree close to the limit
			// on nesting may have one beyond it.
			if !strings.Contains(err.Error(), "nests deeper") {
				t.Fatalf("%q prints as %q: %v", text, printed, err)
			}
			return
		}
		if got := ast.Print(again); got != printed {
			t.Fatalf("%q prints as %q, then as %q", text, printed, got)
		}
		checkLambdas(t, text, x)
		if !reflect.DeepEqual(unplaced(x), unplaced(again)) {
			t.Fatalf("%q and its canonical text %q have different trees", text, printed)
		}
	})
}

// checkLambdas compares the text that a lambda makes without its tree with that
// of the tree. Nested ones make it quadratic, so it is for short texts.
func checkLambdas(t *testing.T, text string, x ast.Expr) {
	if len(text) > 1000 {
		return
	}
	ast.Walk(x, func(x ast.Expr) bool {
		if l, ok := x.(*ast.Lambda); ok && l.Text() != ast.Print(l.Body) {
			t.Fatalf("%q: the lambda %s has the text %s", text, ast.Print(l), l.Text())
		}
		return true
	})
}

func checkError(t *testing.T, text string, err error) {
	var e *parser.Error
	if !errors.As(err, &e) {
		t.Fatalf("%q: got error %T, want an *Error", text, err)
	}
	if p := e.Pos; p.Start < 0 || p.Start > p.End || int(p.End) > len(text) {
		t.Fatalf("%q: error at %d to %d", text, p.Start, p.End)
	}
	if e.Msg == "" || strings.ContainsAny(e.Msg, "\r\n") {
		t.Fatalf("%q: message %q", text, e.Msg)
	}
}

// parserSeeds returns the expressions in testdata/parser.
func parserSeeds(f *testing.F) []string {
	files, err := filepath.Glob("../testdata/parser/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds in testdata/parser: %v", err)
	}
	var seeds []string
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range archive.Files {
			switch s.Name {
			case "expr":
				seeds = append(seeds, strings.Split(strings.TrimSuffix(string(s.Data), "\n"), "\n")...)
			case "text":
				seeds = append(seeds, string(s.Data))
			}
		}
	}
	return seeds
}

var posType = reflect.TypeFor[ast.Pos]()

// unplaced sets all positions and functions, which cannot be compared, in a tree
// to zero and returns the tree.
func unplaced(x ast.Expr) ast.Expr {
	clearPositions(reflect.ValueOf(x))
	return x
}

func clearPositions(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			clearPositions(v.Elem())
		}
	case reflect.Func:
		v.SetZero()
	case reflect.Slice:
		for i := range v.Len() {
			clearPositions(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == posType {
			v.SetZero()
			return
		}
		for i := range v.NumField() {
			clearPositions(v.Field(i))
		}
	}
}
