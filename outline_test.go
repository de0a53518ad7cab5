// SPDX-License-Identifier: Apache-2.0

package spiff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
)

func TestOutline(t *testing.T) {
	text := "a: &x\n  'b c': (( d ))\n  l:\n  - name: e\n  - 2\nf: *x\n---\ng: {}\n"
	_, o, err := spiff.LoadOutline("t.yml", []byte(text), spiff.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, n := range o.Nodes {
		line := fmt.Sprintf("%d %s", n.Parent, n.Kind)
		if n.Index >= 0 {
			line += fmt.Sprintf(" [%d]", n.Index)
		}
		if n.Key != "" {
			line += fmt.Sprintf(" %s=%q", n.Key, text[n.KeyStart:n.KeyEnd])
		}
		if n.Alias {
			line += " alias"
		} else if n.Text != "" {
			line += fmt.Sprintf(" %s %q", n.Text, text[n.Start:n.End])
		}
		line += fmt.Sprint(" ", slices.Collect(o.Children(i)))
		got = append(got, line)
	}
	want := `-1 map [1 7]
0 map a="a" [2 3]
1 expression b c="b c" (( d )) "(( d ))" []
1 list l="l" [4 6]
3 map [0] [5]
4 string name="name" e "e" []
3 int [1] []
0 map f="f" alias []
-1 map [9]
8 map g="g" []`
	if g := strings.Join(got, "\n"); g != want {
		t.Errorf("got\n%s\nwant\n%s", g, want)
	}
	if _, _, err := spiff.LoadOutline("t.yml", []byte("a: [\n"), spiff.Limits{}); err == nil || err.(*diag.Diagnostic).Code != diag.YAMLSyntax {
		t.Errorf("broken YAML: got %v", err)
	}
}
