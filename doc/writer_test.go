// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"math"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/dynaml/spiff/value"
)

type lambdaText string

func (l lambdaText) Text() string { return string(l) }

type templateOf value.ID

func (t templateOf) Source() value.ID { return value.ID(t) }

func printed(t *testing.T, s *value.Store, id value.ID, o WriteOptions) string {
	t.Helper()
	out, err := Append(nil, s, id, o)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func mapOf(s *value.Store, pairs ...any) value.ID {
	var keys []value.Sym
	var vals []value.ID
	for i := 0; i < len(pairs); i += 2 {
		keys = append(keys, s.Intern(pairs[i].(string)))
		vals = append(vals, pairs[i+1].(value.ID))
	}
	return s.MapNode(value.Node{}, keys, vals)
}

func put(s *value.Store, v value.Value) value.ID { return s.Put(v, value.Node{}) }

func TestDropped(t *testing.T) {
	s := value.NewStore()
	one := put(s, value.OfInt(1))
	temp := s.With(one, value.Temporary)
	undef := put(s, value.Undef)
	list := s.ListNode(value.Node{}, []value.ID{temp, one, undef}, 0)
	none := s.ListNode(value.Node{}, []value.ID{temp, undef}, 0)
	m := mapOf(s, "a", temp, "b", list, "c", none, "d", undef, "e", mapOf(s, "x", temp))
	if got, want := printed(t, s, m, WriteOptions{}), "b:\n- 1\nc: []\ne: {}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := printed(t, s, temp, WriteOptions{}); got != "" {
		t.Errorf("temporary root: got %q", got)
	}
	if got := printed(t, s, undef, WriteOptions{}); got != "null\n" {
		t.Errorf("undefined root: got %q", got)
	}
}

// A template prints as it was written: nothing in it is dropped or unescaped.
func TestTemplate(t *testing.T) {
	s, res, err := read("<<: (( &template ))\nb: ((! x ))\na:\n- key:id: (( y ))\n")
	if err != nil {
		t.Fatal(err)
	}
	temp := s.With(res.Docs[0], value.Temporary)
	id := s.New(value.Node{Kind: value.Template, Pay: s.AddObject(templateOf(temp))})
	lambda := s.New(value.Node{Kind: value.Lambda, Pay: s.AddObject(lambdaText("lambda|x|->x"))})
	m := mapOf(s, "t", id, "u", s.ListNode(value.Node{}, []value.ID{id, lambda}, 0), "v", put(s, value.OfString("((! x ))")))
	want := `t:
  <<: (( &template ))
  a:
  - key:id: (( y ))
  b: ((! x ))
u:
- <<: (( &template ))
  a:
  - key:id: (( y ))
  b: ((! x ))
- lambda|x|->x
v: (( x ))
`
	if got := printed(t, s, m, WriteOptions{Unescape: true}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestExprOption(t *testing.T) {
	s, res, err := read("a: (( x ))\n")
	if err != nil {
		t.Fatal(err)
	}
	o := WriteOptions{Expr: func(id value.ID) string { return s.Text(s.Node(id)) + " # why" }}
	if got, want := printed(t, s, res.Docs[0], o), "a: '(( x )) # why'\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestComputedScalars(t *testing.T) {
	tests := []struct {
		v    value.Value
		want string
	}{
		{value.OfFloat(math.Inf(1)), ".inf"},
		{value.OfFloat(math.Inf(-1)), "-.inf"},
		{value.OfFloat(math.NaN()), ".nan"},
		{value.OfFloat(1e21), "1e+21"},
		{value.OfInt(math.MinInt64), "-9223372036854775808"},
		{value.Value{Kind: value.Big, Str: "18446744073709551616"}, "18446744073709551616"},
		{value.OfString("\xff\xfe"), "!!binary //4="},
		{value.OfString("a\x00b"), `"a\0b"`},
		{value.OfString("\ufffe \U000e0001"), `"\uFFFE \U000E0001"`},
		{value.OfString(strings.Repeat("x", 90) + " y"), strings.Repeat("x", 90) + "\n  y"},
	}
	for _, tt := range tests {
		s := value.NewStore()
		if got := printed(t, s, put(s, tt.v), WriteOptions{}); got != tt.want+"\n" {
			t.Errorf("%v: got %q, want %q", tt.v, got, tt.want)
		}
	}
}

// awkward are pieces of text that mean something in YAML.
var awkward = []string{
	"", " ", "  ", "\n", "\n\n", "\t", "\r", "a", "word", "#", " #", ":", ": ", "-", "- ", "?", "? ", "---", "...",
	"'", `"`, `\`, "{", "[", "]", ",", "&a", "*a", "!a", "|", ">", "%", "@", "`", "<<", "=", "~", "null", "yes", "y",
	"1", "1.5", "0x1", "1:30", "2014-01-02", "é", "日本", "\u0085", "\u00a0", "\u2028", "\ufeff", "\x00", "\x7f", "\xff",
	"(( ", " ))", "((!", strings.Repeat("x", 78), strings.Repeat("word ", 20),
}

// All texts made of two awkward pieces, with and without something between
// them, come back when they are read, here and by the YAML library, as values
// and as keys.
func TestAwkwardTexts(t *testing.T) {
	for _, a := range awkward {
		var texts []string
		for _, b := range awkward {
			for _, between := range []string{"", "x", " ", "\n"} {
				if text := a + between + b; text != insertKey { // as a key it is not quoted
					texts = append(texts, text)
				}
			}
		}
		checkTexts(t, texts)
	}
}

func checkTexts(t *testing.T, texts []string) {
	t.Helper()
	s := value.NewStore()
	var list []value.ID
	for _, text := range texts {
		v := put(s, value.OfString(text))
		key := text
		list = append(list, mapOf(s, key, s.ListNode(value.Node{}, []value.ID{v}, 0), key+"2", v))
	}
	out := printed(t, s, s.ListNode(value.Node{}, list, 0), WriteOptions{})

	var library []map[string]yaml.Node
	if err := yaml.Unmarshal([]byte(out), &library); err != nil {
		t.Fatalf("%q...: %v", texts[0], err)
	}
	s, res, err := read(out)
	if err != nil {
		t.Fatalf("%q...: %v", texts[0], err)
	}
	ours := s.Elems(s.Node(res.Docs[0]))
	for i, want := range texts {
		checkText(t, library[i], s, ours[i], want)
	}
}

func checkText(t *testing.T, library map[string]yaml.Node, s *value.Store, ours value.ID, want string) {
	t.Helper()
	for _, key := range []string{want, want + "2"} {
		node, ok := library[key]
		if !ok {
			t.Errorf("%q: the library finds no such key", key)
			continue
		}
		var got []string
		if key == want {
			if err := node.Decode(&got); err != nil || len(got) != 1 {
				t.Errorf("%q: %v", want, err)
				continue
			}
		} else {
			got = make([]string, 1)
			if err := node.Decode(&got[0]); err != nil {
				t.Errorf("%q: %v", want, err)
				continue
			}
		}
		if got[0] != want {
			t.Errorf("the library reads %q, want %q", got[0], want)
		}
	}
	if strings.Contains(want, "\xff") {
		return // !!binary is kept as it is
	}
	v := s.Load(s.Field(ours, want+"2"))
	if v.Kind != value.String && v.Kind != value.Expr || v.Str != want {
		t.Errorf("got %s %q, want %q", v.Kind, v.Str, want)
	}
}
