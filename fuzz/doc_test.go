// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"bytes"
	"encoding/base64"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"

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
// are printed so that they come back, for other readers of YAML too.
func FuzzWriter(f *testing.F) {
	for _, text := range append(yamlSeeds(f), "1:30", "-1_0.5e+3", ".", "+.", "_1", "0o7", "0_7", "1e3", "2001-1-1 1:1:1", "1_000:59.5", "=", "<<", ".5_0", "0b1_0", "0b+01", "0_o-7", "0x_F", "-", "1.2.3", "10.0.0.1") {
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
		checkUnquoted(t, s, v)
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
	checkOthers(t, s, id, printed)
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

// checkOthers checks that another reader finds the same lists, maps and texts.
func checkOthers(t *testing.T, s *value.Store, id value.ID, printed []byte) {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal(printed, &doc); err != nil {
		t.Fatalf("%q cannot be read by yaml.v3: %v", printed, err)
	}
	if len(doc.Content) == 1 && !sameAsNode(s, id, doc.Content[0]) {
		t.Fatalf("%q is something else for yaml.v3", printed)
	}
}

// notText are the patterns by which readers of YAML 1.1 and of 1.2 (its core
// schema) take a plain scalar for something else than text. (The patterns of the
// specification of 1.1 take addresses for floats; no reader follows them.)
var notText = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF`,
	`~|null|Null|NULL|`,
	`[-+]?0b[0-1_]+|[-+]?0o?[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+|[-+]?[0-9]+`,
	`[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*`,
	`[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)`,
	`[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?`,
	`<<|=`,
}, "|") + `)$`)

// checkUnquoted checks that a text is printed without quotes only if no reader
// takes it for something else.
func checkUnquoted(t *testing.T, s *value.Store, id value.ID) {
	t.Helper()
	printed, err := doc.Append(nil, s, id, doc.WriteOptions{})
	if n := s.Node(id); err == nil && string(printed) == s.Text(n)+"\n" && notText.MatchString(s.Text(n)) {
		t.Fatalf("%q is printed without quotes", s.Text(n))
	}
}

// sameAsNode compares a tree with one of yaml.v3.
func sameAsNode(s *value.Store, id value.ID, m *yaml.Node) bool {
	n := s.Node(id)
	switch n.Kind {
	case value.List:
		elems := s.Elems(n)
		if m.Kind != yaml.SequenceNode || len(m.Content) != len(elems) {
			return false
		}
		for i, e := range elems {
			if !sameAsNode(s, e, m.Content[i]) {
				return false
			}
		}
		return true
	case value.Map:
		if m.Kind != yaml.MappingNode || len(m.Content) != 2*int(n.Len) {
			return false
		}
		for i := 0; i < len(m.Content); i += 2 {
			if v := s.Field(id, m.Content[i].Value); v != 0 && !sameAsNode(s, v, m.Content[i+1]) {
				return false
			}
		}
		return true
	case value.String, value.Expr:
		text := s.Text(n)
		if n.Flags&(value.Verbatim|value.Binary) != 0 || strings.ToValidUTF8(text, "") != text {
			return true // a date, or text that is printed as base64
		}
		return m.Kind == yaml.ScalarNode && m.Value == text && m.ShortTag() == "!!str"
	}
	return m.Kind == yaml.ScalarNode && m.ShortTag() != "!!str" || n.Kind == value.Big
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
	case value.String, value.Expr:
		if m.Flags&value.Binary != 0 && n.Flags&value.Binary == 0 { // it is not UTF-8
			text, err := base64.StdEncoding.DecodeString(s2.Text(m))
			return err == nil && string(text) == s.Text(n)
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
