// SPDX-License-Identifier: Apache-2.0

package batch_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/batch"
	"github.com/dynaml/spiff/diag"
)

func TestParsePaths(t *testing.T) {
	abs, err := filepath.Abs("elsewhere.yml")
	if err != nil {
		t.Fatal(err)
	}
	text := "- {template: ../t.yml, stubs: [s.yml, " + abs + "], output: out/x.yml}\n"
	p, err := batch.Parse(filepath.Join("sets", "fleet.yml"), []byte(text), batch.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	target := p.Targets[0]
	for _, tt := range []struct{ got, want string }{
		{target.Name, "out/x.yml"},
		{target.Template, "t.yml"},
		{target.Stubs[0], filepath.Join("sets", "s.yml")},
		{target.Stubs[1], abs},
		{target.Output, filepath.Join("sets", "out", "x.yml")},
		{target.Span.String()[:len("sets/fleet.yml:1:")], filepath.Join("sets", "fleet.yml") + ":1:"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

// FuzzParse: a batch file is refused with places, or gives targets that have
// what they need, each with a name and an output of its own; bindings are
// such that a merge takes them.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		sites,
		"targets:\n- {template: t, output: o, bindings: {a: [1, (( b ))], \"c.d\": null}, json: true, path: a.b, select: [/c]}\n",
		"- {nam: a, template: 1, stubs: s, output: [], partial: 1}\n- {name: a, output: o}\n- x\n",
		"a: &x {template: t}\ntargets: [*x]\n", "targets: {}", "--- 1\n--- 2\n", "", "- <<: {template: t}\n", "- {template: t, output: o, bindings: {<<: 1}}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := batch.Parse("fleet.yml", []byte(text), batch.ParseOptions{})
		var list diag.List
		if errors.As(err, &list) {
			for _, d := range list {
				if d.Span.Src == nil || d.Code != diag.BatchFile {
					t.Errorf("%q: %v has the code %q, and maybe no place", text, d, d.Code)
				}
			}
		}
		if err != nil {
			return
		}
		names, outputs := map[string]bool{}, map[string]bool{}
		for _, target := range p.Targets {
			if target.Template == "" || target.Output == "" || names[target.Name] || outputs[target.Output] {
				t.Errorf("%q: got %+v", text, target)
			}
			names[target.Name], outputs[target.Output] = true, true
			if _, err := spiff.Define(nil, target.Bindings...); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}
