// SPDX-License-Identifier: Apache-2.0

package spiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
)

// checked merges texts, the template first, and returns the warnings about how
// they fit together.
func checked(t *testing.T, texts ...string) diag.List {
	t.Helper()
	var docs []*spiff.Document
	for i, text := range texts {
		d, err := spiff.Load(fmt.Sprintf("%d.yml", i), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	r, err := spiff.Merge(t.Context(), docs[0], docs[1:], spiff.Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	return r.Warnings()
}

// TestUnusedStubKeys: a key counts as used if its value, or one around or
// inside of it, was taken by a document to its left or by an expression of its
// own file.
func TestUnusedStubKeys(t *testing.T) {
	tests := []struct {
		name  string
		texts []string
		want  string // file and message of each warning
	}{
		{"all used", []string{"a: 1\nm: {b: 2}", "a: 3\nm: {b: 4}"}, ""},
		{"below a used parent", []string{"m: {a: 1, b: 2}", "m: {a: 3, c: 4}"}, "1.yml: m.c"},
		{"the topmost key only", []string{"a: 1", "a: 2\nm: {b: {c: 1}, d: 2}"}, "1.yml: m"},
		{"taken as a whole", []string{"m: (( merge ))", "m: {b: {c: 1}, d: [1, 2]}"}, ""},
		{"by insertion", []string{"m:\n  <<: (( merge ))\n  a: 1", "m: {a: 2, b: 3}"}, ""},
		{"from another place", []string{"a: (( merge b.c ))", "b: {c: 1, d: 2}"}, "1.yml: b.d"},
		{"merge with a default", []string{"a: (( merge || 1 ))", "a: 2\nb: 3"}, "1.yml: b"},
		{"expression that is replaced", []string{"a: (( b ))\nb: 1", "a: 2"}, ""},
		{"referred to in its own stub", []string{"url: x", "host: h\nurl: (( \"http://\" host ))"}, ""},
		{"whole map referred to in its own stub", []string{"m: (( merge ))", "o: {a: 1}\nm: (( o ))"}, ""},
		{"the rightmost stub overrides the other", []string{"a: 1", "a: 2", "a: 3"}, ""},
		{"used by a stub that is not used", []string{"a: 1", "a: 2\nb: (( merge ))", "b: 3"}, "1.yml: b"},
		{"used by a stub to its left", []string{"b: 1", "a: 2\nb: (( merge ))", "b: 3"}, "1.yml: a"},
		{"entries of a list by name", []string{"l:\n- name: x\n  v: 1", "l:\n- name: x\n  v: 2\n  w: 3\n- name: z\n  v: 4"}, "1.yml: l.x.w, 1.yml: l.z"},
		{"a list never replaces a literal list of scalars", []string{"l: [1, 2]", "l: [3, 4]"}, "1.yml: l"},
		{"scalar for a map", []string{"m: {a: 1}", "m: 2"}, "1.yml: m"},
		{"undefined", []string{"a: 1", "a: (( ~~ ))"}, ""},
		{"empty map", []string{"m: {}", "m: {}"}, ""},
		{"null replaces", []string{"a: 1", "a: ~"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := unused(t, tt.texts...); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// unused merges texts and returns the file and path of each key that is not
// used.
func unused(t *testing.T, texts ...string) string {
	t.Helper()
	var list []string
	for _, d := range checked(t, texts...) {
		words := strings.Fields(d.Msg)
		if d.Code != diag.UnusedStubKey || len(words) < 5 {
			t.Fatalf("got %v", d)
		}
		list = append(list, d.Span.Src.Name+": "+words[4])
	}
	return strings.Join(list, ", ")
}

// TestUnusedKeysOfManyStubs: what is taken from stubs is known also where they
// are so many that their keys, names and entries are indexed.
func TestUnusedKeysOfManyStubs(t *testing.T) {
	const n = 9
	texts := []string{`
m: {common: 0, own3: 0}
l: [{name: x, v: 0}]
p: [{v: 0}, {v: 0}]
q: (( merge from.here ))
`}
	var want []string
	for i := 1; i <= n; i++ {
		texts = append(texts, fmt.Sprintf(`
m: {common: %[1]d, own%[1]d: 1}
l: [{name: own%[1]d}, {name: x, v: %[1]d}]
p: [{v: %[1]d}, {own%[1]d: 1}]
from: {here: %[1]d, own%[1]d: 1}
`, i))
		for _, path := range []string{fmt.Sprint("m.own", i), fmt.Sprint("l.own", i), "p.[1]", fmt.Sprint("from.own", i)} {
			if path != "m.own3" {
				want = append(want, fmt.Sprintf("%d.yml: %s", i, path))
			}
		}
	}
	if got := unused(t, texts...); got != strings.Join(want, ", ") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestManyUnusedKeys: every key that is not used is found, but names are compared
// for the first of them only, as that takes the time of the keys of the stub
// times those of the template.
func TestManyUnusedKeys(t *testing.T) {
	const n = 4000
	var template, stub strings.Builder
	for i := range n {
		fmt.Fprintf(&template, "key_%d_t: 1\n", i)
		fmt.Fprintf(&stub, "key_%d_s: 1\n", i)
	}
	list := checked(t, template.String(), stub.String())
	if len(list) != n {
		t.Fatalf("got %d warnings, want %d", len(list), n)
	}
	if got, want := list[0].Fix, `did you mean "key_0_t"?`; got != want {
		t.Errorf("the advice for the first is %q, want %q", got, want)
	}
	if got := list[n-1].Fix; got != "" {
		t.Errorf("the last has the advice %q, and should have none", got)
	}
}

// TestReplacedScalars: a literal value of the template, but not null, that a
// stub replaces by a list or map.
func TestReplacedScalars(t *testing.T) {
	tests := []struct {
		name     string
		template string
		want     int
	}{
		{"scalars", "a: 1\nb: text", 2},
		{"null is a place to fill", "a: ~\nb:", 0},
		{"merge asks for it", "a: (( merge ))\nb: (( merge ))", 0},
	}
	for _, tt := range tests {
		list := checked(t, tt.template, "a: [1]\nb: {c: 2}")
		if len(list) != tt.want {
			t.Errorf("%s: got %v, want %d warnings", tt.name, list, tt.want)
		}
		for _, d := range list {
			if d.Code != diag.ScalarReplaced || len(d.Notes) != 1 {
				t.Errorf("%s: got %v", tt.name, d)
			}
		}
	}
}

// TestNoWarningsUnlessAsked: without Check nothing is recorded.
func TestNoWarningsUnlessAsked(t *testing.T) {
	template, _ := spiff.Load("t.yml", []byte("a: 1"))
	stub, _ := spiff.Load("s.yml", []byte("b: 1"))
	r, err := spiff.Merge(t.Context(), template, []*spiff.Document{stub}, spiff.Options{})
	if err != nil || len(r.Warnings()) > 0 {
		t.Errorf("got %v, %v", r.Warnings(), err)
	}
}

// TestDiagnostics: the error of a merge gives typed diagnostics, also of a
// hundred thousand nodes, and the nodes that wait stand with their cause.
func TestDiagnostics(t *testing.T) {
	const n = 100_000
	var b strings.Builder
	b.WriteString("base: (( nmae ))\nname: x\n")
	for i := range n {
		fmt.Fprintf(&b, "k%d: (( base \"-%d\" ))\n", i, i)
	}
	doc, err := spiff.Load("t.yml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	_, err = spiff.Merge(t.Context(), doc, nil, spiff.Options{})
	u, ok := err.(*spiff.Unresolved)
	if !ok {
		t.Fatalf("got %v", err)
	}
	list := u.Diagnostics()
	if len(list) != 1 || len(list[0].Waiting) != n {
		t.Fatalf("got %d diagnostics", len(list))
	}
	d := list[0]
	if d.Code != diag.UnknownName || d.Severity != diag.Error || d.Path != "base" || d.Span.String() != "t.yml:1:10" || d.Fix != `did you mean "name"?` {
		t.Errorf("got %+v", d)
	}
	if w := d.Waiting[n-1]; w.Path != "k99999" || w.Span.String() != "t.yml:100002:12" {
		t.Errorf("the last one that waits is %+v at %v", w, w.Span)
	}
}
