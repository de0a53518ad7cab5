// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"testing"

	"github.com/dynaml/spiff/value"
)

// entries makes a list of n entries with a key field and three others, in the
// order that the function gives.
func entries(s *value.Store, n int, field string, order func(i int) int) value.ID {
	keys := []value.Sym{s.Intern(field), s.Intern("v"), s.Intern("m"), s.Intern("port")}
	elems := make([]value.ID, n)
	for i := range elems {
		name := s.Put(value.OfString(fmt.Sprint("entry", order(i))), value.Node{})
		one := s.Put(value.OfInt(1), value.Node{})
		elems[i] = s.MapNode(value.Node{}, keys, []value.ID{name, one, s.ListNode(value.Node{}, []value.ID{one, one}, 0), one})
	}
	return s.ListNode(value.Node{}, elems, 0)
}

// cost compares two lists below a key and returns how many parts, keys and
// entries were looked at, and how many differences there are.
func cost(t *testing.T, path, field string, n int, order func(i int) int) (looked, found int) {
	t.Helper()
	s := value.NewStore()
	top := func(list value.ID) value.ID {
		return s.MapNode(value.Node{}, []value.Sym{s.Intern(path)}, []value.ID{list})
	}
	a := top(entries(s, n, field, func(i int) int { return i }))
	b := top(entries(s, n, field, order))
	c := newComparer(s, nil)
	d, err := c.run(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return c.looked + c.classes.looked, len(d)
}

// Two documents of a list of maps, equal or in another order.
func BenchmarkCompare(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		for _, order := range []string{"same", "reversed"} {
			b.Run(fmt.Sprintf("order=%s/entries=%d", order, n), func(b *testing.B) {
				s := value.NewStore()
				up := entries(s, n, "name", func(i int) int { return i })
				other := entries(s, n, "name", func(i int) int {
					if order == "reversed" {
						return n - 1 - i
					}
					return i
				})
				b.ReportAllocs()
				for b.Loop() {
					if d, err := Compare(s, up, other); err != nil || len(d) > 0 {
						b.Fatal(d, err)
					}
				}
			})
		}
	}
}

// The work for n entries is a constant for each: the counters are exact, so
// they are compared with the constant. One million equal entries cost no more
// for each than a thousand.
func TestCost(t *testing.T) {
	const many = 1_000_000
	same := func(i int) int { return i }
	reversed := func(n int) func(i int) int { return func(i int) int { return n - 1 - i } }
	lastDiffers := func(n int) func(i int) int {
		return func(i int) int {
			if i == n-1 {
				return n
			}
			return i
		}
	}
	tests := []struct {
		name, path, field string
		order             func(n int) func(i int) int
		each, once        int // looks at each entry, and besides
		found             func(n int) int
	}{
		// 4 fields and 2 elements of m for each of both, and the entry itself
		{"equal", "l", "name", func(int) func(int) int { return same }, 14, 2, func(int) int { return 0 }},
		// and once for its name
		{"reordered", "l", "name", reversed, 16, 4, func(int) int { return 0 }},
		// and once for each of name, id (does everyone have it?) and id
		{"reordered by id", "l", "id", reversed, 20, 4, func(int) int { return 0 }},
		{"one renamed", "l", "name", lastDiffers, 16, 12, func(int) int { return 1 }},
	}
	for _, tt := range tests {
		sizes := []int{1000, 2000}
		if tt.name == "equal" {
			sizes = append(sizes, many)
		}
		for _, n := range sizes {
			looked, found := cost(t, tt.path, tt.field, n, tt.order(n))
			if want := tt.each*n + tt.once; looked != want || found != tt.found(n) {
				t.Errorf("%s: %d entries: looked %d times, found %d; want %d, %d", tt.name, n, looked, found, want, tt.found(n))
			}
		}
	}
}
