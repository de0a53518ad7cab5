// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"testing"

	"github.com/dynaml/spiff/diag"
)

func str(s *Store, text string) ID { return s.Put(OfString(text), Node{}) }

func TestMapLookup(t *testing.T) {
	for _, n := range []int{0, 1, hashMin - 1, hashMin, 1000} {
		s := NewStore()
		var keys []Sym
		var vals []ID
		for i := range n {
			keys = append(keys, s.Intern(fmt.Sprint("k", i)))
			vals = append(vals, s.Put(OfInt(int64(i)), Node{}))
		}
		m := s.MapNode(Node{}, keys, vals)
		for i := range n {
			id := s.Field(m, fmt.Sprint("k", i))
			if id == 0 || s.Load(id).Num != int64(i) {
				t.Errorf("%d keys: k%d is %v", n, i, id)
			}
		}
		if id := s.Field(m, "other"); id != 0 {
			t.Errorf("%d keys: a key that is not there is %v", n, id)
		}
		if id := s.Get(m, s.Intern("other")); id != 0 {
			t.Errorf("%d keys: an interned key that is not there is %v", n, id)
		}
	}
}

func TestKeyTableFollowsAGrowingSlice(t *testing.T) {
	var table KeyTable
	var keys []Sym
	for i := range 500 {
		k := Sym(i * 7)
		if at := table.Find(keys, k); at != -1 {
			t.Fatalf("key %d found at %d before it was added", k, at)
		}
		keys = append(keys, k)
		if at := table.Find(keys, k); at != i {
			t.Fatalf("key %d found at %d, want %d", k, at, i)
		}
	}
}

func TestFindKeyedTakesTheFirst(t *testing.T) {
	for _, n := range []int{3, 100} {
		s := NewStore()
		name := s.Intern("name")
		var elems []ID
		for i := range n {
			elems = append(elems, s.MapNode(Node{}, []Sym{name}, []ID{str(s, fmt.Sprint("e", i/2))}))
		}
		elems[1] = str(s, "e0") // not a map
		l := s.ListNode(Node{}, elems, 0)
		if got := s.FindKeyed(l, name, "e0"); got != 0 {
			t.Errorf("%d entries: e0 at %d, want 0", n, got)
		}
		if got := s.FindKeyed(l, name, "e1"); got != 2 {
			t.Errorf("%d entries: e1 at %d, want 2", n, got)
		}
		if got := s.FindKeyed(l, name, "none"); got != -1 {
			t.Errorf("%d entries: none at %d, want -1", n, got)
		}
	}
}

func TestListKeepsItsKeyField(t *testing.T) {
	s := NewStore()
	id := s.Intern("id")
	l := s.ListNode(Node{}, []ID{str(s, "a"), str(s, "b")}, id)
	n := s.Node(l)
	if s.KeyField(n) != id || len(s.Elems(n)) != 2 || s.Load(s.Elems(n)[1]).Str != "b" {
		t.Errorf("got field %q, %d elements", s.Name(s.KeyField(n)), len(s.Elems(n)))
	}
}

func TestSortedIsBytewise(t *testing.T) {
	s := NewStore()
	var keys []Sym
	var vals []ID
	for _, k := range []string{"a_b", "aB", "a2", "_z", "a10", "A"} {
		keys, vals = append(keys, s.Intern(k)), append(vals, str(s, k))
	}
	m := s.MapNode(Node{}, keys, vals)
	var got []string
	for _, i := range s.Sorted(s.Node(m), nil) {
		got = append(got, s.Name(keys[uint32(i)]))
	}
	if want := "[A _z a10 a2 aB a_b]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestComputedExpressionsAreDynamic(t *testing.T) {
	s := NewStore()
	for _, tt := range []struct {
		text string
		want Kind
	}{{"(( a ))", Expr}, {"((!a ))", String}, {"(( a ", String}, {"(())", Expr}, {"x (( a ))", String}} {
		id := str(s, tt.text)
		if got := s.Kind(id); got != tt.want {
			t.Errorf("%q is %s, want %s", tt.text, got, tt.want)
		}
		l := s.ListNode(Node{}, []ID{id}, 0)
		if dynamic := s.Node(l).Flags&Dynamic != 0; dynamic != (tt.want == Expr) {
			t.Errorf("list of %q: dynamic is %v", tt.text, dynamic)
		}
	}
}

// TestCloneAndImport builds the same document in two stores and checks that
// what is added to a clone leaves the original alone.
func TestCloneAndImport(t *testing.T) {
	build := func(file string) (*Store, ID) {
		s := NewStore()
		src := diag.NewSource(file, "hello world")
		f, _ := s.AddFile(src)
		text := s.AddText(src.Text)
		word := s.New(Node{Kind: String, File: f, Start: 6, End: 11, Len: 5, Pay: Slice(text, 6)})
		list := s.ListNode(Node{File: f}, []ID{word, s.Put(OfInt(7), Node{File: f})}, s.Intern("id"))
		return s, s.MapNode(Node{File: f}, []Sym{s.Intern(file), s.Intern("list")}, []ID{word, list})
	}
	a, rootA := build("a")
	b, rootB := build("b")
	before := a.Len()
	c := a.Clone()
	ids, ok := c.Import(b, []ID{rootB})
	if !ok {
		t.Fatal("no room")
	}
	if a.Len() != before {
		t.Errorf("the original grew from %d to %d nodes", before, a.Len())
	}
	for _, tt := range []struct {
		root ID
		file string
	}{{rootA, "a"}, {ids[0], "b"}} {
		word := c.Field(tt.root, tt.file)
		if word == 0 || c.Load(word).Str != "world" || c.Span(word).String() != tt.file+":1:7" {
			t.Errorf("%s: got %v at %v", tt.file, c.Load(word), c.Span(word))
		}
		list := c.Node(c.Field(tt.root, "list"))
		if c.Name(c.KeyField(list)) != "id" || c.Load(c.Elems(list)[1]).Num != 7 {
			t.Errorf("%s: list is %v", tt.file, list)
		}
	}
}

func TestTextsOfAllSizes(t *testing.T) {
	s := NewStore()
	var ids []ID
	var texts []string
	for n := 0; n < 3*textChunk; n = n*3/2 + 1 {
		text := fmt.Sprintf("%0*d", n, n)
		texts, ids = append(texts, text), append(ids, str(s, text))
	}
	for i, id := range ids {
		if got := s.Load(id).Str; got != texts[i] {
			t.Errorf("text of %d bytes came back with %d", len(texts[i]), len(got))
		}
	}
}
