// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/compiler"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/value"
	"golang.org/x/tools/txtar"
)

// FuzzScan holds that every node of a tree stands within the text and within
// its parent.
func FuzzScan(f *testing.F) {
	for _, text := range expressions(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parser.Parse(text)
		if err != nil {
			return
		}
		whole := e.Span()
		ast.Walk(e, func(x ast.Expr) bool {
			p := x.Span()
			if p.Start < 0 || p.Start > p.End || int(p.End) > len(text) || p.Start < whole.Start || p.End > whole.End {
				t.Fatalf("%T at [%d,%d) of a text of %d bytes, expression at [%d,%d)", x, p.Start, p.End, len(text), whole.Start, whole.End)
			}
			return true
		})
	})
}

// FuzzVerify holds that what parses compiles to a program that verifies, or is
// refused with a message, and that compiling is deterministic.
func FuzzVerify(f *testing.F) {
	for _, text := range expressions(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parser.Parse(text)
		if err != nil {
			return
		}
		listing := func() string {
			s := value.NewStore()
			p, err := compiler.Compile(s, text, e)
			var refused *compiler.Error
			if errors.As(err, &refused) {
				return err.Error()
			}
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			p.Disassemble(&b, s, compiler.BuiltinName)
			return b.String()
		}
		if a, b := listing(), listing(); a != b {
			t.Fatalf("compiled twice:\n%s\n%s", a, b)
		}
	})
}

// FuzzMerge holds that merging two documents ends within limits, without a
// panic, with the same result each time; and that a result can be read again.
func FuzzMerge(f *testing.F) {
	addMerges(f)
	f.Fuzz(func(t *testing.T, template, stub string) {
		out, err := mergeText(template, stub)
		again, err2 := mergeText(template, stub)
		if out != again || (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("merged twice:\n%s%v\n%s%v", out, err, again, err2)
		}
		if err != nil {
			return
		}
		if _, err := spiff.Load("result", []byte(out)); err != nil {
			t.Fatalf("the result cannot be read: %v\n%s", err, out)
		}
	})
}

// mergeText merges within small limits and without the world outside.
func mergeText(template, stub string) (string, error) {
	d, err := spiff.Load("template.yml", []byte(template))
	if err != nil {
		return "", err
	}
	s, err := spiff.Load("stub.yml", []byte(stub))
	if err != nil {
		return "", err
	}
	refuse := errors.New("not in a test")
	r, err := spiff.Merge(context.Background(), d, []*spiff.Document{s}, spiff.Options{
		Limits: spiff.Limits{CallDepth: 200, Instructions: 100_000, Memory: 1 << 26, Output: 1 << 20},
		Files: spiff.Files{
			ReadFile:  func(string) ([]byte, error) { return nil, refuse },
			LookupEnv: func(string) (string, bool) { return "", false },
			Exec:      func([]string, io.Writer) ([]byte, error) { return nil, refuse },
		},
	})
	var u *spiff.Unresolved
	if errors.As(err, &u) {
		var b bytes.Buffer
		u.Write(&b)
		return b.String(), err
	}
	if err != nil {
		return "", err
	}
	out, err := r.Append(nil)
	return string(out), err
}

// addMerges adds the first two files of each case as template and stub.
func addMerges(f *testing.F) {
	f.Helper()
	for _, a := range archives(f) {
		if len(a.Files) > 0 {
			template, stub := string(a.Files[0].Data), ""
			if len(a.Files) > 1 && !strings.HasPrefix(a.Files[1].Name, "want") {
				stub = string(a.Files[1].Data)
			}
			f.Add(template, stub)
		}
	}
}

// archives returns all cases under testdata.
func archives(f *testing.F) (all []*txtar.Archive) {
	f.Helper()
	err := filepath.WalkDir("../testdata", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		a, err := txtar.ParseFile(path)
		all = append(all, a)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return all
}

// expressions returns the texts in brackets of all cases, one line each.
func expressions(f *testing.F) (texts []string) {
	f.Helper()
	for _, a := range archives(f) {
		for _, file := range a.Files {
			for line := range strings.Lines(string(file.Data)) {
				if i, j := strings.Index(line, "(("), strings.LastIndex(line, "))"); i >= 0 && j > i+2 {
					texts = append(texts, line[i+2:j])
				}
			}
		}
	}
	return texts
}
