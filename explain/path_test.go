// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"testing"
)

func TestParsePath(t *testing.T) {
	tests := []struct {
		path string
		want []Step
		err  string
	}{
		{path: ""},
		{path: "/"},
		{path: "a", want: []Step{{Name: "a"}}},
		{path: ".a.b", want: []Step{{Name: "a"}, {Name: "b"}}},
		{path: "a.[2].b", want: []Step{{Name: "a"}, {Name: "[2]", Index: 2, IsIndex: true}, {Name: "b"}}},
		{path: "a[2][0]", want: []Step{{Name: "a"}, {Name: "[2]", Index: 2, IsIndex: true}, {Name: "[0]", IsIndex: true}}},
		{path: "a.2", want: []Step{{Name: "a"}, {Name: "2", Index: 2, IsIndex: true}}},
		{path: "a.id:7", want: []Step{{Name: "a"}, {Name: "7", Field: "id"}}},
		{path: `a."b.c".d`, want: []Step{{Name: "a"}, {Name: "b.c"}, {Name: "d"}}},
		{path: `"b\"c"[1]`, want: []Step{{Name: `b"c`}, {Name: "[1]", Index: 1, IsIndex: true}}},
		{path: `"7"`, want: []Step{{Name: "7"}}},
		{path: "/a/name=x/0/b", want: []Step{{Name: "a"}, {Name: "x", Field: "name"}, {Name: "0", IsIndex: true}, {Name: "b"}}},
		{path: "/a~1b/c~0d/", want: []Step{{Name: "a/b"}, {Name: "c~d"}}},
		{path: "/a.b/id=1.2", want: []Step{{Name: "a.b"}, {Name: "1.2", Field: "id"}}},
		{path: "a..b", err: `path "a..b": a name is missing before .b`},
		{path: "a[x]", err: `path "a[x]": brackets hold the number of a list entry, found [x]`},
		{path: "a[1", err: `path "a[1": brackets hold the number of a list entry, found [1`},
		{path: `a."b`, err: `path "a.\"b": the quote at "b does not end`},
		{path: `"a"b`, err: `path "\"a\"b": a dot is expected before b`},
	}
	for _, tt := range tests {
		got, err := ParsePath(tt.path)
		switch {
		case err != nil && err.Error() != tt.err, err == nil && tt.err != "":
			t.Errorf("%q: error %v, want %q", tt.path, err, tt.err)
		case err == nil && !slices.Equal(got, tt.want):
			t.Errorf("%q: got %+v, want %+v", tt.path, got, tt.want)
		}
	}
}

// TestKey holds that what Key and Entry print is read as that name again.
func TestKey(t *testing.T) {
	for _, name := range []string{"a", "", "a.b", "[1]", "a[1]", `a"b`, `a\b`, "a\nb", "7", "a b", "id:7", "<<", "ä"} {
		path := Join(Join("x", Entry(name)), "z")
		steps, err := ParsePath(path)
		if err != nil || len(steps) != 3 || steps[1] != (Step{Name: name}) {
			t.Errorf("%q: %s is read as %+v, %v", name, path, steps, err)
		}
		var parents []string
		Parents(path, func(p string) bool { parents = append(parents, p); return true })
		if want := []string{Join("x", Entry(name)), "x"}; !slices.Equal(parents, want) {
			t.Errorf("%s: parents %q, want %q", path, parents, want)
		}
	}
}
