// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/internal/golden"
)

// TestLSPOnRealSets makes an error in the template of each real set, takes it
// back, and asks and renames, as somebody with an editor would. What a merge
// without an editor says is what the diagnostics must be.
func TestLSPOnRealSets(t *testing.T) {
	sets, err := golden.RealSets("../../../shared/realworld/cases")
	if err != nil || len(sets) == 0 {
		t.Skip("../shared/realworld is not there")
	}
	bin := buildBinary(t)
	for _, s := range sets {
		t.Run(filepath.Base(s.Name), func(t *testing.T) { playReal(t, bin, s) })
	}
}

// probe is added to templates: an error that is there and goes away, and a key
// that is referred to.
const (
	probeBroken = "zz-user: (( zz-prob + 1 ))\nzz-probe: 1\n"
	probe       = "zz-user: (( zz-probe + 1 ))\nzz-probe: 1\n"
)

func playReal(t *testing.T, bin string, s golden.Set) {
	template := string(s.Files[0].Data)
	if _, err := spiff.Load("t", []byte(withProbe(template, probe))); err != nil {
		t.Skip("the template is no map in block style, to which keys could be added")
	}
	with := func(probe string) golden.Set {
		files := slices.Clone(s.Files)
		files[0].Data = []byte(withProbe(template, probe))
		return golden.Set{Files: files}
	}
	files, options, names := realFiles(s)
	e := startEditor(t, bin, files)
	e.play("init " + options)
	for _, name := range names {
		e.play("open " + name)
	}
	want := realErrors(t, s)
	counts := e.check()
	if got := e.errors(); got != want {
		t.Errorf("%d errors, a merge has %d\n%s", got, want, e.transcript.String())
	}
	if counts.Loads != len(names) || counts.Merges != 1 {
		t.Errorf("%+v at the beginning, want %d loads and 1 merge", counts, len(names))
	}
	e.changed("template.yml", len(template), len(template), withProbe(template, probeBroken)[len(template):])
	again := e.check()
	if again.Loads != counts.Loads+1 || again.Merges != counts.Merges+1 {
		t.Errorf("%+v after a change, %+v before: more than one load and one merge", again, counts)
	}
	if got, want := e.errors(), realErrors(t, with(probeBroken)); got != want {
		t.Errorf("%d errors with a wrong name, a merge has %d\n%s", got, want, e.transcript.String())
	}
	e.change("template.yml", "zz-prob ", "zz-probe ")
	e.check()
	if got, want := e.errors(), realErrors(t, with(probe)); got != want {
		t.Errorf("%d errors after the repair, a merge has %d\n%s", got, want, e.transcript.String())
	}
	if e.check().Inspections != 0 {
		t.Errorf("%+v: an inspection that nobody needs", e.check())
	}
	e.askReal(want == 0)
	if got := e.check().Inspections; got != 1 {
		t.Errorf("%d inspections for all questions, want 1", got)
	}
	e.play("shutdown")
	e.play("exit")
	if text := e.transcript.String(); !strings.HasSuffix(text, "exit status 0\n") {
		t.Errorf("the end of the session: %s", text[max(0, len(text)-300):])
	}
}

// withProbe adds a probe to a template.
func withProbe(template, probe string) string {
	if !strings.HasSuffix(template, "\n") {
		template += "\n"
	}
	return template + probe
}

// realFiles returns the files of a set as a workspace, the settings for it, and
// the names in order.
func realFiles(s golden.Set) (files map[string]string, options string, names []string) {
	files, names = map[string]string{"template.yml": string(s.Files[0].Data)}, []string{"template.yml"}
	for i, f := range s.Files[1:] {
		name := fmt.Sprintf("stub-%d.yml", i+1)
		files[name], names = string(f.Data), append(names, name)
	}
	b, _ := json.Marshal(map[string]any{"sets": []any{map[string]any{"template": names[0], "stubs": names[1:]}}})
	return files, string(b), names
}

// realErrors returns how many errors a merge of the set has.
func realErrors(t *testing.T, s golden.Set) int {
	var docs []*spiff.Document
	for i, f := range s.Files {
		d, err := spiff.Load(fmt.Sprint(i), f.Data)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	_, err := spiff.Merge(context.Background(), docs[0], docs[1:], spiff.Options{Policy: spiff.Policy{DenyExec: true, DenyEnv: true, DenyRead: true}})
	if u, ok := err.(*spiff.Unresolved); ok {
		seen := map[string]bool{}
		for _, d := range u.Diagnostics() {
			seen[fmt.Sprint(d.Error(), d.Span.End, d.Notes)] = true
		}
		return len(seen)
	} else if err != nil {
		t.Fatal(err)
	}
	return 0
}

type lspCounts struct{ Loads, Merges, Inspections int }

// check waits for the diagnostics.
func (e *editor) check() (c lspCounts) {
	r := e.request("spiff/check", nil)
	if r.Error != nil || json.Unmarshal(r.Result, &c) != nil {
		e.t.Fatalf("spiff/check: %v", r.Error)
	}
	return c
}

// errors counts the errors that are shown.
func (e *editor) errors() (n int) {
	for _, list := range e.shown {
		for _, d := range list {
			if bytes.Contains(d, []byte(`"severity":1,`)) {
				n++
			}
		}
	}
	return n
}

// askReal asks about the probe. If the set merges, its name is changed, too.
func (e *editor) askReal(merges bool) {
	result := func(method, text string, more ...any) string {
		p := e.at("template.yml", text)
		for i := 0; i+1 < len(more); i += 2 {
			p[more[i].(string)] = more[i+1]
		}
		r := e.request(method, p)
		if r.Error != nil {
			e.t.Errorf("%s: %s", method, r.Error.Message)
		}
		return string(r.Result)
	}
	if h := result("textDocument/hover", "(( zz-pro|be"); !strings.Contains(h, "zz-probe") || merges && !strings.Contains(h, "`1`") {
		e.t.Errorf("hover: %s", h)
	}
	key := fmt.Sprintf(`"line":%d,"character":0`, position(e.texts["template.yml"], strings.Index(e.texts["template.yml"], "\nzz-probe")+1)["line"])
	if d := result("textDocument/definition", "(( zz-pro|be"); !strings.Contains(d, key) {
		e.t.Errorf("definition: %s, want %s", d, key)
	}
	refs := result("textDocument/references", "\nzz-pro|be", "context", map[string]bool{"includeDeclaration": true})
	if strings.Count(refs, `"uri"`) != 2 || !strings.Contains(refs, key) {
		e.t.Errorf("references: %s", refs)
	}
	if c := result("textDocument/completion", "(( zz-pro|be"); !strings.Contains(c, `"label":"zz-probe"`) {
		e.t.Errorf("completion: %.500s", c)
	}
	symbols := e.request("textDocument/documentSymbol", map[string]any{"textDocument": map[string]string{"uri": e.uri("template.yml")}})
	var list []struct{ Name string }
	if err := json.Unmarshal(symbols.Result, &list); err != nil || !slices.ContainsFunc(list, func(s struct{ Name string }) bool { return s.Name == "zz-probe" }) {
		e.t.Errorf("symbols: %v, %.500s", err, symbols.Result)
	}
	if !merges {
		return
	}
	e.play(`rename template.yml "(( zz-pro|be" "zz-other"`)
	e.play("apply")
	e.check()
	if text := e.texts["template.yml"]; !strings.HasSuffix(text, strings.ReplaceAll(probe, "zz-probe", "zz-other")) || e.errors() != 0 {
		e.t.Errorf("after the rename there are %d errors, and the template ends in %q", e.errors(), text[max(0, len(text)-100):])
	}
}
