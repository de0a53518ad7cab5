// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"errors"
	"strings"
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/diff"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// FuzzDiff holds that comparing two streams ends without a panic, within
// bounds, and gives the same each time; that a stream does not differ from
// itself; and that if there are differences in one direction there are in the
// other, but for a map and a list, of which one way round may be equal by the
// rules of diff.Compare.
func FuzzDiff(f *testing.F) {
	for _, a := range archives(f) {
		if len(a.Files) > 1 && !strings.HasPrefix(a.Files[1].Name, "want") {
			f.Add(string(a.Files[0].Data), string(a.Files[1].Data))
		}
	}
	for _, seed := range [][2]string{
		{"- {name: a, x: 1}\n- {name: b}\n", "- {name: b}\n- {name: a, x: 2}\n"},
		{"jobs:\n- {name: a}\n- {name: b}\n", "jobs:\n- {name: b}\n- {name: a}\n"},
		{"a: &a [1]\nb: [*a, *a]\n", "a: [1]\nb: [[1], [2]]\n"},
		{"- {name: a}\n- {name: a}\n", "a: {}\n"},
		{"- {name: a, x: 1}\n", "a: {x: 1}\n"},
		{"x:\n- {name: a, x: 1}\n", "x: {a: {x: 1}}\n"},
		{"a: .nan\n", "a: .nan\n"},
		{"---\n1\n---\n2\n", "---\n2\n---\n1\n"},
		{"a: (( b ))\n", "a: ((b))\n"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, left, right string) {
		s := value.NewStore()
		a, okA := readStream(s, left)
		b, okB := readStream(s, right)
		if !okA || !okB {
			return
		}
		if r, err := diff.Streams(s, a, a); err == nil && !r.Equal() {
			t.Errorf("%q differs from itself:\n%s", left, comparison(t, s, r))
		}
		ab, errAB := diff.Streams(s, a, b)
		again, errAgain := diff.Streams(s, a, b)
		ba, errBA := diff.Streams(s, b, a)
		if (errAB == nil) != (errBA == nil) || (errAB == nil) != (errAgain == nil) {
			t.Fatalf("%q and %q: %v, %v, the other way round %v", left, right, errAB, errAgain, errBA)
		}
		if errAB != nil {
			return
		}
		if x, y := comparison(t, s, ab), comparison(t, s, again); x != y {
			t.Errorf("%q and %q compared twice:\n%s\n%s", left, right, x, y)
		}
		if ab.Equal() != ba.Equal() && !mapAndList(s, ab) && !mapAndList(s, ba) {
			t.Errorf("%q and %q: equal %v, the other way round %v", left, right, ab.Equal(), ba.Equal())
		}
		for i := range ab.Docs {
			checkSides(t, ab.Docs[i])
			checkSides(t, ba.Docs[i])
		}
	})
}

func readStream(s *value.Store, text string) ([]value.ID, bool) {
	r, err := doc.Read(s, diag.NewSource("in.yml", text))
	return r.Docs, err == nil
}

// maxComparison bounds the text of a comparison in this test.
const maxComparison = 1 << 16

func comparison(t *testing.T, s *value.Store, r diff.Result) string {
	t.Helper()
	for _, found := range r.Docs {
		if len(found) > maxComparison/16 {
			return ""
		}
	}
	var all []byte
	for _, format := range []diff.Format{diff.Text, diff.JSON, diff.Markdown} {
		text, err := r.Append(nil, s, diff.Options{A: "a", B: "b", Format: format, Positions: true})
		if err != nil && !errors.Is(err, diff.ErrTooMany) && !strings.Contains(err.Error(), "output exceeds") {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	return string(all)
}

// mapAndList reports whether a difference is between a map and a list.
func mapAndList(s *value.Store, r diff.Result) bool {
	for _, found := range r.Docs {
		for _, d := range found {
			if d.A == 0 || d.B == 0 {
				continue
			}
			if a, b := s.Kind(d.A), s.Kind(d.B); a == value.Map && b == value.List || a == value.List && b == value.Map {
				return true
			}
		}
	}
	return false
}

// checkSides checks that every difference has at least one side.
func checkSides(t *testing.T, found []diff.Difference) {
	t.Helper()
	for _, d := range found {
		if d.A == 0 && d.B == 0 {
			t.Errorf("%s: a difference between nothing and nothing", d.Path)
		}
	}
}
