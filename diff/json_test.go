// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynaml/spiff"
	"golang.org/x/tools/txtar"
)

// report is the shape that docs/diff.md describes.
type report struct {
	Version int
	A, B    struct {
		Name      string
		Documents int
	}
	Equal       bool
	Differences []struct {
		Document int
		Path     string
		Steps    []any
		Change   string
		A, B     struct {
			File         string
			Line, Column int
			Type         string
			Value        json.RawMessage
		}
	}
}

// For all pairs of files under testdata/diff the JSON has that shape and no
// other member, and tells what the text tells.
func TestJSON(t *testing.T) {
	paths, err := filepath.Glob("../testdata/diff/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range paths {
		a, b := pairIn(t, path)
		if a == nil {
			continue // the case is about a wrong command line
		}
		c, err := spiff.Diff(a, b)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out, err := c.Append(nil, spiff.DiffOptions{Format: spiff.DiffJSON})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var r report
		d := json.NewDecoder(strings.NewReader(string(out)))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			t.Fatalf("%s: %v\n%s", path, err, out)
		}
		text, err := c.Append(nil, spiff.DiffOptions{})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if got, want := len(r.Differences), strings.Count("\n"+string(text), "\n"+heading); got != want {
			t.Errorf("%s: %d differences in JSON, %d in text", path, got, want)
		}
		if r.Version != 1 || r.Equal != c.Equal() || r.Equal != (len(r.Differences) == 0) {
			t.Errorf("%s: version %d, equal %v, %d differences", path, r.Version, r.Equal, len(r.Differences))
		}
		for _, d := range r.Differences {
			has := [2]bool{d.A.Value != nil, d.B.Value != nil}
			if want := map[string][2]bool{"added": {false, true}, "removed": {true, false}, "changed": {true, true}}[d.Change]; has != want {
				t.Errorf("%s: %s %s, but the sides have values: %v", path, d.Path, d.Change, has)
			}
			if (d.A.Type != "") != has[0] || (d.B.Type != "") != has[1] {
				t.Errorf("%s: %s: types %q and %q, values %v", path, d.Path, d.A.Type, d.B.Type, has)
			}
			for _, at := range []int{d.A.Line, d.B.Line} {
				if at == 0 && len(d.Steps) > 0 {
					t.Errorf("%s: %s has no place", path, d.Path)
				}
			}
		}
	}
}

// pairIn returns the first two files of a case; the second is the first again
// if there is one only, both are nil if there is none.
func pairIn(t *testing.T, path string) (a, b *spiff.Document) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var docs []*spiff.Document
	for _, f := range archive.Files {
		if filepath.Ext(f.Name) != ".yml" && f.Name != "-" || f.Name == "want.yml" {
			continue
		}
		d, err := spiff.Load(f.Name, f.Data)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		docs = append(docs, d)
	}
	if len(docs) == 0 {
		return nil, nil
	}
	return docs[0], docs[min(1, len(docs)-1)]
}

// What a YAML file cannot say, or no test of the command line.
func TestMarkdownSpans(t *testing.T) {
	for _, tt := range []struct{ key, want string }{
		{"x", "`x`"},
		{"", "` `"},
		{"a`b", "``a`b``"},
		{"`a", "`` `a ``"},
		{"a``", "``` a`` ```"},
		{" a ", "`  a  `"},
		{"a\nb", "`a␤b`"},
	} {
		quoted, err := json.Marshal(tt.key)
		if err != nil {
			t.Fatal(err)
		}
		out, err := compare(t, string(quoted)+": 1", string(quoted)+": 2").Append(nil, spiff.DiffOptions{Format: spiff.DiffMarkdown})
		if want := "\n- " + tt.want + ": `1` → `2`\n"; err != nil || !strings.HasSuffix(string(out), want) {
			t.Errorf("%q: got %q, %v, want the end %q", tt.key, out, err, want)
		}
	}
}
