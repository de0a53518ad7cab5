// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestCatalogue holds the table in shape: codes and names are unique and of
// one form, codes rise, and texts are sentences.
func TestCatalogue(t *testing.T) {
	code, name := regexp.MustCompile(`^[EW]\d{3}$`), regexp.MustCompile(`^[a-z][a-z0-9-]+$`)
	names := map[string]bool{}
	last := Code("")
	for _, g := range Catalogue {
		for _, e := range g.Entries {
			if !code.MatchString(string(e.Code)) || e.Code <= last {
				t.Errorf("code %q behind %q", e.Code, last)
			}
			last = e.Code
			if !name.MatchString(e.Name) || names[e.Name] {
				t.Errorf("%s: name %q", e.Code, e.Name)
			}
			names[e.Name] = true
			if strings.HasSuffix(e.Title, ".") || !strings.HasSuffix(e.Cause, ".") || !strings.HasSuffix(e.Fix, ".") {
				t.Errorf("%s: the title has no full stop, cause and fix have one", e.Code)
			}
			if e.Code.Lookup().Name != e.Name {
				t.Errorf("%s is not found by its code", e.Code)
			}
		}
	}
	if Code("E000").Lookup() != nil {
		t.Error("E000 is found")
	}
}

// TestErrorsDocument keeps docs/errors.md current; SPIFF_UPDATE=1 rewrites it.
func TestErrorsDocument(t *testing.T) {
	const file = "../docs/errors.md"
	var b strings.Builder
	WriteCatalogue(&b)
	if os.Getenv("SPIFF_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Errorf("%s is not what the table gives; SPIFF_UPDATE=1 go test ./diag rewrites it", file)
	}
}

func TestClosest(t *testing.T) {
	tests := []struct {
		name  string
		names string
		want  string
	}{
		{"domian", "range domain", "domain"},     // letters swapped
		{"hostnme", "host hostname", "hostname"}, // one is missing
		{"AdminPort", "adminport", "adminport"},  // case
		{"admin-port", "admin_port", "admin_port"},
		{"port", "host", ""},          // too different for its length
		{"ab", "ac ad", "ac"},         // the first of equally close ones
		{"a", "b", ""},                // one letter says nothing
		{"web", "web", ""},            // itself is no proposal
		{"größe", "grösse", "grösse"}, // bytes, not runes, are compared
	}
	for _, tt := range tests {
		if got := Closest(tt.name, strings.Fields(tt.names)); got != tt.want {
			t.Errorf("%s among %s: got %q, want %q", tt.name, tt.names, got, tt.want)
		}
	}
}

// TestInside maps [[...]] in the value to [[...]] in the source; a source
// without brackets cannot be mapped.
func TestInside(t *testing.T) {
	tests := []struct{ name, source, value string }{
		{"as it is", `(( a [[b]] ))`, `(( a [[b]] ))`},
		{"single quotes", `'(( "it''s" [[b]] ))'`, `(( "it's" [[b]] ))`},
		{"quoted quote", `'(( "[[it''s]]" b ))'`, `(( "[[it's]]" b ))`},
		{"double quotes", `"(( \"x\" [[b]] ))"`, `(( "x" [[b]] ))`},
		{"folded", ">-\n  (( a\n     [[b]]\n  ))", "(( a [[b]] ))"},
		{"literal", "|-\n  ((\n    a [[b]]\n  ))", "((\n  a [[b]]\n))"},
		{"plain on two lines", "(( a ||\n   [[b]] ))", "(( a || [[b]] ))"},
		{"unicode escape", `"(( \u0061 b ))"`, `(( a [[b]] ))`},
		{"computed", `(( x ))`, `(( a [[b]] ))`},
	}
	for _, tt := range tests {
		cut := func(s string) (text string, start, end int) {
			before, rest, _ := strings.Cut(s, "[[")
			in, after, _ := strings.Cut(rest, "]]")
			return before + in + after, len(before), len(before) + len(in)
		}
		text, start, end := cut(tt.value)
		raw, from, to := tt.source, 0, 0
		if strings.Contains(raw, "[[") {
			raw, from, to = cut(raw)
		}
		src := NewSource("f.yml", "key: "+raw+"\n")
		sp := Span{src, 5, uint32(5 + len(raw))}
		got := sp.Inside(text, "((", start, end)
		switch {
		case to == 0 && (got.Src == src || got.Src.Text != text || int(got.Start) != start || int(got.End) != end || got.File() != sp):
			t.Errorf("%s: got %v in %q, want a range of the value", tt.name, got, got.Src.Text)
		case to > 0 && (got.Src != src || int(got.Start) != 5+from || int(got.End) != 5+to):
			t.Errorf("%s: got %d-%d in %q, want %d-%d", tt.name, got.Start, got.End, got.Src.Text, 5+from, 5+to)
		}
	}
}
