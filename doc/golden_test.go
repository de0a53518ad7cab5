// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/internal/golden"
	"github.com/dynaml/spiff/value"
)

// TestGolden runs testdata/yaml. in.yml is read; want.yml is what is printed,
// with "unescape" in args as final output; want.tree has a line for every node;
// want.err and want.warn are the messages.
func TestGolden(t *testing.T) {
	golden.Run(t, "../testdata/yaml", func(t *testing.T, c *golden.Case, want string) (string, bool) {
		in, ok := c.Get("in.yml")
		if !ok {
			t.Fatal("no in.yml")
		}
		s := value.NewStore()
		res, err := Read(s, diag.NewSource("in.yml", in))
		if want == "want.err" {
			return messages(err), true
		}
		if err != nil {
			t.Fatal(err)
		}
		switch want {
		case "want.yml":
			var o WriteOptions
			o.Unescape = strings.Join(c.Args(), " ") == "unescape"
			out, err := rewrite(in, o)
			if err != nil {
				t.Fatal(err)
			}
			return out, true
		case "want.tree":
			var b strings.Builder
			for _, id := range res.Docs {
				dump(&b, s, id, "", "")
			}
			return b.String(), true
		case "want.warn":
			return messages(res.Warnings...), true
		}
		return "", false
	})
}

// messages returns whole messages with their excerpts.
func messages[E error](list ...E) string {
	var b strings.Builder
	for _, e := range list {
		if d, ok := error(e).(*diag.Diagnostic); ok {
			d.Write(&b)
		} else {
			fmt.Fprintf(&b, "no diagnostic: %v\n", e)
		}
	}
	return b.String()
}

var flagNames = []string{"temporary", "dynamic", "verbatim", "binary", "keyed", "inserts", "contiguous", "open"}

// dump prints a line for a node and indented ones for those below it.
func dump(b *strings.Builder, s *value.Store, id value.ID, indent, label string) {
	n := s.Node(id)
	src := s.Source(n.File)
	line, col := src.LineCol(n.Start)
	toLine, toCol := src.LineCol(n.End)
	fmt.Fprintf(b, "%s%s%s %d:%d-%d:%d", indent, label, n.Kind, line, col, toLine, toCol)
	for i, name := range flagNames {
		if n.Flags&(1<<i) != 0 {
			b.WriteString(" " + name)
		}
	}
	switch v := s.Load(id); n.Kind {
	case value.String, value.Expr:
		fmt.Fprintf(b, " %q", v.Str)
	case value.List, value.Map, value.Null:
	default:
		t, _ := v.Text()
		b.WriteString(" " + t)
	}
	b.WriteByte('\n')
	switch n.Kind {
	case value.List:
		for _, e := range s.Elems(n) {
			dump(b, s, e, indent+"  ", "- ")
		}
	case value.Map:
		for i, k := range s.Keys(n) {
			dump(b, s, s.Vals(n)[i], indent+"  ", fmt.Sprintf("%q: ", s.Name(k)))
		}
	}
}
