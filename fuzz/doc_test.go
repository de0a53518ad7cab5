// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/internal/readertest"
	"github.com/dynaml/spiff/value"
)

// maxOutput keeps documents of aliases to aliases from filling the memory.
const maxOutput = 1 << 20

// FuzzReader checks what holds for every text: it is read or refused with a
// place in it; what is read can be printed; and reading that again gives an
// equal tree, which prints as the same text.
func FuzzReader(f *testing.F) {
	for _, text := range yamlSeeds(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := value.NewStore()
		res, err := doc.Read(s, diag.NewSource("in.yml", text))
		if err != nil {
			checkDiagnostic(t, text, err)
			return
		}
		checkSpans(t, text, s)
		for _, id := range res.Docs {
			checkRewrite(t, s, id)
		}
	})
}

// FuzzDirect checks that a text which is read without the YAML library has the
// nodes that the library would give it, at the same places.
func FuzzDirect(f *testing.F) {
	for _, text := range yamlSeeds(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, difference := readertest.Compare(text); difference != "" {
			t.Fatalf("%q: %s", text, difference)
		}
	})
}

// FuzzWriter checks that any two texts, as key and value at several depths,
// are printed so that they come back.
func FuzzWriter(f *testing.F) {
	for _, text := range yamlSeeds(f) {
		f.Add("key", text)
		f.Add(text, "value")
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		s := value.NewStore()
		v := s.Put(value.OfString(text), value.Node{})
		k := []value.Sym{s.Intern(key)}
		list := s.ListNode(value.Node{}, []value.ID{v, v}, 0)
		inner := s.MapNode(value.Node{}, k, []value.ID{list})
		nested := s.ListNode(value.Node{}, []value.ID{list, inner}, 0)
		checkRewrite(t, s, v)
		checkRewrite(t, s, s.MapNode(value.Node{}, k, []value.ID{v}))
		checkRewrite(t, s, s.MapNode(value.Node{}, k, []value.ID{nested}))
	})
}

func yamlSeeds(f *testing.F) []string {
	files, err := filepath.Glob("../testdata/yaml/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	seeds := []string{"a: &x\n- b: 'c''d' # e\n  \"f\": >-\n   g\n   h\n\n    i\n  j: [*x , {k: l}]\n", "--- # a\n- - b\n  - |2+\n     c\n\n...\n---\nd\n e # f\n",
		"\ufeffa: 1\r\nb:\t[ x, \"\\x41\" ]\r", "# x\n--- |\n a\n...\n---\n? [a]\n: b\n", "!<x> &a\n? |\n"}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range a.Files {
			if strings.HasSuffix(s.Name, ".yml") {
				seeds = append(seeds, string(s.Data))
			}
		}
	}
	return seeds
}

func checkDiagnostic(t *testing.T, text string, err error) {
	t.Helper()
	var d *diag.Diagnostic
	if !errors.As(err, &d) {
		t.Fatalf("%q: got error %T, want a Diagnostic", text, err)
	}
	if d.Span.Src == nil || d.Span.Start > d.Span.End || int(d.Span.End) > len(text) {
		t.Fatalf("%q: error at %d to %d", text, d.Span.Start, d.Span.End)
	}
	if d.Msg == "" || strings.ContainsAny(d.Msg, "\r\n") || strings.Contains(d.Msg, "yaml:") {
		t.Fatalf("%q: message %q", text, d.Msg)
	}
}

// checkSpans checks that all nodes lie in the text, and that those said to be
// in the text as they are, are.
func checkSpans(t *testing.T, text string, s *value.Store) {
	t.Helper()
	for id := value.ID(1); int(id) <= s.Len(); id++ {
		n := s.Node(id)
		if n.Start > n.End || int(n.End) > len(text) {
			t.Fatalf("%q: %s at %d to %d", text, n.Kind, n.Start, n.End)
		}
		if n.Flags&value.Contiguous != 0 && text[n.Start:n.End] != s.Text(n) {
			t.Fatalf("%q: %q stands for %q", text, text[n.Start:n.End], s.Text(n))
		}
	}
}

func checkRewrite(t *testing.T, s *value.Store, id value.ID) {
	t.Helper()
	o := doc.WriteOptions{MaxBytes: maxOutput}
	printed, err := doc.Append(nil, s, id, o)
	if err != nil {
		if !strings.Contains(err.Error(), "output exceeds") {
			t.Fatal(err)
		}
		return
	}
	s2 := value.NewStore()
	res, err := doc.Read(s2, diag.NewSource("out.yml", string(printed)))
	if err != nil {
		t.Fatalf("%q cannot be read: %v", printed, err)
	}
	if len(res.Docs) != 1 {
		t.Fatalf("%q has %d documents", printed, len(res.Docs))
	}
	if !sameTree(s, id, s2, res.Docs[0]) {
		t.Fatalf("%q reads as something else", printed)
	}
	again, err := doc.Append(nil, s2, res.Docs[0], o)
	// The float -0 prints as -0, which is an integer without a sign; a key in
	// base64 is not decoded, and keys have no flag to say what it was.
	if bytes.Contains(printed, []byte("-0\n")) || bytes.Contains(printed, []byte("!!binary ")) {
		return
	}
	if err != nil || !bytes.Equal(again, printed) {
		t.Fatalf("%q prints as %q, %v", printed, again, err)
	}
}

// sameTree compares two trees. Whole floats print like integers, and text that
// is not UTF-8 as base64, so these may differ in kind.
func sameTree(s *value.Store, a value.ID, s2 *value.Store, b value.ID) bool {
	n, m := s.Node(a), s2.Node(b)
	const told = value.Dynamic | value.Verbatim | value.Inserts
	switch n.Kind {
	case value.Float:
		x, _ := s.Load(a).Text()
		y, _ := s2.Load(b).Text()
		return x == y || x == "-0" && y == "0"
	case value.String:
		if m.Flags&value.Binary != 0 {
			return true
		}
	case value.List, value.Map:
		if n.Len != m.Len {
			return false
		}
	}
	if n.Kind != m.Kind {
		return false
	}
	switch n.Kind {
	case value.List:
		x, y := s.Elems(n), s2.Elems(m)
		for i := range x {
			if !sameTree(s, x[i], s2, y[i]) {
				return false
			}
		}
		return true
	case value.Map:
		for i, k := range s.Keys(n) {
			v := s2.Field(b, s.Name(k))
			if v == 0 {
				return strings.ToValidUTF8(s.Name(k), "") != s.Name(k)
			}
			if !sameTree(s, s.Vals(n)[i], s2, v) {
				return false
			}
		}
		return true
	}
	x, y := s.Load(a), s2.Load(b)
	return x.Num == y.Num && x.Str == y.Str && n.Flags&told == m.Flags&told
}
