// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dynaml/spiff/doc"
	"golang.org/x/tools/txtar"
)

// What DiffResults compares is what the merges print: for all cases under
// testdata that give a manifest, reading that back makes no difference.
func TestFinalIsWhatIsPrinted(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := mergeCase(t, a)
		if r == nil {
			continue
		}
		text, err := r.Append(nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		printed, err := Load("printed", text)
		if err != nil {
			continue // some lambdas print what is no YAML, as in the classic program
		}
		s := r.s.Clone()
		c, err := compare(s, doc.Final(s, r.docs, r.writeOptions()), printed.s, printed.docs, Comparison{a: "final", b: "printed"}, nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		checked++
		if !c.Equal() {
			t.Errorf("%s:", path)
			_ = c.Write(os.Stderr, DiffOptions{Positions: true})
		}
	}
	if checked < 100 {
		t.Errorf("only %d cases gave a manifest", checked)
	}
}

// mergeCase merges the files of a case in order, or returns nil if that fails or
// the case is no merge.
func mergeCase(t *testing.T, a *txtar.Archive) *Result {
	t.Helper()
	var docs []*Document
	for _, f := range a.Files {
		switch filepath.Ext(f.Name) {
		case ".yml", ".yaml":
		default:
			return nil
		}
		if f.Name == "want.yml" {
			continue
		}
		d, err := Load(f.Name, f.Data)
		if err != nil {
			return nil
		}
		docs = append(docs, d)
	}
	if len(docs) == 0 {
		return nil
	}
	r, err := Merge(t.Context(), docs[0], docs[1:])
	if err != nil {
		return nil
	}
	return r
}

func TestDiffResults(t *testing.T) {
	merge := func(stub string) *Result {
		t.Helper()
		var docs []*Document
		for _, text := range []string{"x: (( merge || 1 ))\nf: (( |y|->y ))\n", stub} {
			d, err := Load("file.yml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, d)
		}
		r, err := Merge(t.Context(), docs[0], docs[1:])
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	one, two := merge(""), merge("x: 2")
	for range 2 { // results are not changed
		c, err := DiffResults(one, two)
		if err != nil || c.Equal() {
			t.Fatalf("got equal, %v", err)
		}
		text, err := c.Append(nil, DiffOptions{B: "other"})
		if want := "Difference in x\n  a has:\n    1\n  other has:\n    2\n"; err != nil || string(text) != want {
			t.Errorf("got %q, %v, want %q", text, err, want)
		}
		if c, err = DiffResults(one, merge("x: 1")); err != nil || !c.Equal() {
			t.Errorf("got a difference, %v", err)
		}
	}
}
