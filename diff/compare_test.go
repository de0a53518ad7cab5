// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dynaml/spiff/diff"
	"github.com/dynaml/spiff/value"
)

// What Compare finds in YAML is in testdata/diff; here is what a YAML file
// cannot say, or only at length.

func scalar(s *value.Store, v value.Value) value.ID { return s.Put(v, value.Node{}) }

func object(s *value.Store, key string, val value.ID) value.ID {
	return s.MapNode(value.Node{}, []value.Sym{s.Intern(key)}, []value.ID{val})
}

func list(s *value.Store, elems ...value.ID) value.ID {
	return s.ListNode(value.Node{}, elems, 0)
}

func TestScalars(t *testing.T) {
	tests := []struct {
		name string
		a, b value.Value
		same bool
	}{
		{"the same integer", value.OfInt(1), value.OfInt(1), true},
		{"an integer and a float", value.OfInt(1), value.OfFloat(1), false},
		{"an integer and a string", value.OfInt(1), value.OfString("1"), false},
		{"an integer and a bool", value.OfInt(1), value.True, false},
		{"null and false", value.NullVal, value.False, false},
		{"null and null", value.NullVal, value.NullVal, true},
		{"the two zeros", value.OfFloat(0), value.OfFloat(math.Copysign(0, -1)), true},
		{"not a number, twice", value.OfFloat(math.NaN()), value.OfFloat(math.NaN()), true},
		{"big integers", value.Value{Kind: value.Big, Str: "9223372036854775808"}, value.Value{Kind: value.Big, Str: "9223372036854775809"}, false},
		{"the same expression", value.OfString("(( a ))"), value.OfString("(( a ))"), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := value.NewStore()
			d, err := diff.Compare(s, scalar(s, tt.a), scalar(s, tt.b))
			if err != nil || (len(d) == 0) != tt.same {
				t.Errorf("got %v, %v, want the same: %v", d, err, tt.same)
			}
		})
	}
}

func TestDateAndItsText(t *testing.T) {
	s := value.NewStore()
	text := scalar(s, value.OfString("2020-01-01"))
	date := s.With(text, value.Verbatim)
	for _, tt := range []struct {
		other value.ID
		want  int
	}{{text, 1}, {s.With(text, value.Verbatim), 0}} {
		if d, err := diff.Compare(s, date, tt.other); err != nil || len(d) != tt.want {
			t.Errorf("got %v, %v, want %d differences", d, err, tt.want)
		}
	}
}

// A document of any depth can be compared.
func TestDepth(t *testing.T) {
	const depth = 200_000
	s := value.NewStore()
	nest := func(v value.ID) value.ID {
		for range depth {
			v = list(s, v)
		}
		return v
	}
	d, err := diff.Compare(s, nest(scalar(s, value.True)), nest(scalar(s, value.False)))
	if err != nil || len(d) != 1 {
		t.Fatalf("got %d differences, %v, want 1", len(d), err)
	}
	if want := strings.Repeat(".[0]", depth)[1:]; d[0].Path != want {
		t.Error("the path is wrong")
	}
}

// doubled nests lists of twice the same list, as aliases of aliases do.
func doubled(s *value.Store, v value.ID, depth int) value.ID {
	for range depth {
		v = list(s, v, v)
	}
	return v
}

func TestSharedParts(t *testing.T) {
	s := value.NewStore()
	a := doubled(s, object(s, "x", scalar(s, value.OfInt(1))), 1000)
	b := doubled(s, object(s, "x", scalar(s, value.OfInt(1))), 1000)
	d, err := diff.Compare(s, a, b)
	if err != nil || len(d) != 0 {
		t.Errorf("got %d differences, %v, want none", len(d), err)
	}
	a, b = doubled(s, a, 3), doubled(s, scalar(s, value.True), 3)
	if d, err = diff.Compare(s, a, b); err != nil || len(d) != 8 {
		t.Errorf("got %d differences, %v, want 8", len(d), err)
	}
	key := strings.Repeat("k", 1<<20)
	a = object(s, key, doubled(s, scalar(s, value.True), 100))
	b = object(s, key, doubled(s, scalar(s, value.False), 100))
	if d, err = diff.Compare(s, a, b); !errors.Is(err, diff.ErrTooMany) {
		t.Errorf("got %d differences, %v, want ErrTooMany", len(d), err)
	}
}

// The time grows with the number of entries, not with its square.
func TestLongLists(t *testing.T) {
	const n = 200_000
	s := value.NewStore()
	entries := func(order func(i int) int) value.ID {
		elems := make([]value.ID, n)
		for i := range elems {
			elems[i] = object(s, "name", scalar(s, value.OfString(fmt.Sprint("entry", order(i)))))
		}
		return list(s, elems...)
	}
	up := entries(func(i int) int { return i })
	down := entries(func(i int) int { return n - 1 - i })
	for _, tt := range []struct {
		key  string
		want int
	}{{"entries", 0}, {"jobs", n}} {
		d, err := diff.Compare(s, object(s, tt.key, up), object(s, tt.key, down))
		if err != nil || len(d) != tt.want {
			t.Errorf("%s: got %d differences, %v, want %d", tt.key, len(d), err, tt.want)
		}
	}
}

// Every entry of a list, of whatever names, is in exactly one pair: compared
// with itself reordered a list without nameless entries has no difference, and
// an entry added to one side is the only difference.
func TestEveryEntryOnce(t *testing.T) {
	for mask := range 1 << 8 {
		s := value.NewStore()
		entry := func(v int) value.ID { return object(s, "name", scalar(s, value.OfString(fmt.Sprint("n", v)))) }
		var up, down []value.ID
		for i := range 4 {
			e := entry(mask >> (2 * i) & 3)
			up, down = append(up, e), append([]value.ID{e}, down...)
		}
		d, _ := diff.Compare(s, list(s, up...), list(s, down...))
		if len(d) != 0 {
			t.Fatalf("%08b: got %v, want no difference", mask, d)
		}
		more := list(s, append(down, entry(9))...)
		d, _ = diff.Compare(s, list(s, up...), more)
		if len(d) != 1 || d[0].Path != "[4]" || d[0].A != 0 {
			t.Fatalf("%08b: got %v, want the entry only in b", mask, d)
		}
		d, _ = diff.Compare(s, more, list(s, up...))
		if len(d) != 1 || d[0].Path != "[4]" || d[0].B != 0 {
			t.Fatalf("%08b: got %v, want the entry only in a", mask, d)
		}
	}
}
