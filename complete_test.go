// SPDX-License-Identifier: Apache-2.0

package spiff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dynaml/spiff"
)

func load(t *testing.T, name, text string) *spiff.Document {
	t.Helper()
	d, err := spiff.Load(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const completeTemplate = `
<<: (( merge ))
meta:
  domain: example.org
  "a.b": {"c/d": 1, "7": 2, "x=y": 3, "k:v": {z: 1}}
  empty: {}
jobs:
- name: api
  id: one
  networks: [{static: 1}]
- name: "7"
- name: v1.2
  id: x.y
- count: 3
expr: (( meta ))
`

func TestCompletePath(t *testing.T) {
	docs := []*spiff.Document{
		load(t, "t.yml", completeTemplate),
		load(t, "s.yml", "jobs:\n- name: web\n  x: 1\nexpr:\n  yy: 1\n"),
	}
	for _, tt := range []struct{ typed, want string }{
		{"", "expr. jobs. meta."},
		{"jo", "jobs."},
		{"jobs", "jobs."},
		{"x", ""},
		{"jobs.", `"7". "v1.2". [3]. api. web.`},
		{"jobs.a", "jobs.api."},
		{"jobs.[", "jobs.[0]. jobs.[1]. jobs.[2]. jobs.[3]."},
		{"jobs[2", "jobs[2]."},
		{"jobs.2", "jobs.2."},
		{"jobs.id:", "jobs.id:one."},
		{"jobs.id:one.na", "jobs.id:one.name"},
		{"jobs.web.", "name x"},
		{"jobs.api.networks.", "[0]."},
		{"jobs[0].networks[0].", "static"},
		{`jobs."v`, `jobs."v1.2".`},
		{`jobs."v1.2".`, `id name`},
		{"meta.", `"a.b". domain empty`},
		{`meta."a.b`, `meta."a.b".`},
		{`meta."a.b".`, `7 c/d k:v. x=y`},
		{`meta."a.b".k:v.`, `z`},
		{"expr.", "yy"},
		{"/", "/expr/ /jobs/ /meta/"},
		{"/jobs/", "/jobs/3/ /jobs/name=7/ /jobs/name=api/ /jobs/name=v1.2/ /jobs/name=web/"},
		{"/jobs/name=a", "/jobs/name=api/"},
		{"/jobs/id=", "/jobs/id=one/ /jobs/id=x.y/"},
		{"/jobs/1", "/jobs/1/"},
		{"/jobs/name=api/networks/", "/jobs/name=api/networks/0/"},
		{"/meta/a.b/", "/meta/a.b/7 /meta/a.b/c~1d /meta/a.b/k:v/"},
		{"a..b", ""},
		{"jobs[x].", ""},
		{`"a`, ""},
		{"jobs.99.", ""},
	} {
		// After a dot only what follows is listed.
		shown := ""
		if strings.HasSuffix(tt.typed, ".") {
			shown = tt.typed
		}
		var got []string
		for _, p := range spiff.CompletePath(tt.typed, docs...) {
			if !strings.HasPrefix(p, tt.typed) {
				t.Errorf("%q completes to %q", tt.typed, p)
			}
			got = append(got, strings.TrimPrefix(p, shown))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q completes to\n%q, want\n%q", tt.typed, got, tt.want)
		}
	}
}

// TestCompletePathLeadsThere: from nothing, completion reaches every part of a
// document in both forms, and what it says is understood by Explain.
func TestCompletePathLeadsThere(t *testing.T) {
	d := load(t, "t.yml", strings.Replace(completeTemplate, "<<: (( merge ))\n", "", 1))
	i, err := spiff.Inspect(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for begin, want := range map[string]int{"": 24, "/": 23} { // "x=y" has no form with slashes
		reached := 0
		open := []string{begin}
		for len(open) > 0 {
			typed := open[0]
			open = open[1:]
			for _, p := range spiff.CompletePath(typed, d) {
				reached++
				if x, err := i.Explain(p, 0); err != nil || x.Value == nil {
					t.Errorf("explain %s: %v", p, err)
				}
				if strings.HasSuffix(p, ".") || strings.HasSuffix(p, "/") {
					open = append(open, p)
				}
			}
		}
		if reached != want {
			t.Errorf("%d paths from %q, want %d", reached, begin, want)
		}
	}
}

// TestCompleteManyPaths: what all paths begin with is that of all, although not
// all are returned.
func TestCompleteManyPaths(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, "key%d: 1\n", i)
	}
	text.WriteString("kez: 1\n")
	got := spiff.CompletePath("k", load(t, "t.yml", text.String()))
	if len(got) != 1000 || got[0] != "key0" || got[999] != "kez" || !slices.IsSorted(got) {
		t.Errorf("%d paths from %s to %s", len(got), got[0], got[len(got)-1])
	}
}
