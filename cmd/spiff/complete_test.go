// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"
)

// completable are the files that the tests of completion find.
var completable = []txtar.File{
	{Name: "t.yml", Data: []byte("meta:\n  domain: a\njobs:\n- name: api\n  count: 1\n- name: web\n")},
	{Name: "s.yml", Data: []byte("jobs:\n- name: db\n")},
	{Name: "broken.yml", Data: []byte("a: [\n")},
	{Name: "notes.txt"},
	{Name: "below/x.yml", Data: []byte("{}\n")},
}

// asked returns what the scripts of the shells are answered for a line up to
// the cursor, without descriptions, and the directive.
func asked(t *testing.T, line, after string) (list []string, directive string) {
	t.Helper()
	in := invocation{args: slices.Concat([]string{cobra.ShellCompNoDescRequestCmd}, strings.Split(line, " ")), files: completable, env: afterVariable + "=" + after + "\n"}
	stdout, _, status := in.run(t)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if status != exitOK {
		t.Errorf("%q: exit status %d", line, status)
	}
	return lines[:len(lines)-1], lines[len(lines)-1]
}

func TestCompletionAnswers(t *testing.T) {
	const (
		anyFiles = ":0"
		noFiles  = ":4"
		noSpace  = ":6" // and no files
		filter   = ":8" // files with extensions
		folders  = ":16"
	)
	for _, tt := range []struct{ line, after, want, directive string }{
		{"expl", "", "explain", noFiles},
		{"help expl", "", "explain", noFiles},
		{"help merge ", "", "", noFiles},
		{"merge ", "", "yml yaml", filter},
		{"merge t.yml ", "", "yml yaml", filter},
		{"m ", "", "yml yaml", filter},
		{"convert ", "", "yml yaml json", filter},
		{"convert t.yml ", "", "", noFiles},
		{"version ", "", "", noFiles},
		{"merge --prov", "", "--provenance", noFiles},
		{"diff -- --exit", "", "yml yaml", filter},
		{"merge --dialect ", "", "dynaml spiff++", noFiles},
		{"merge --dialect=s", "", "spiff++", noFiles},
		{"merge --error-format ", "", "rich classic json sarif github", noFiles},
		{"merge --provenance ", "", "json", filter},
		{"merge --allow-read ", "", "", folders},
		{"merge --max-depth ", "", "", noFiles},
		{"merge --color ", "", "always never auto", noFiles},
		{"completion ", "", "bash zsh fish powershell", noFiles},
		{"explain E20", "", "E201 E202 E203 E204", anyFiles},
		{"explain w10", "", "w101 w102", anyFiles},
		{"explain x", "", "", anyFiles},
		{"explain ", " t.yml", "jobs. meta.", noSpace},
		{"explain jo", " t.yml", "jobs.", noSpace},
		{"explain jobs.", " t.yml s.yml", "jobs.api. jobs.db. jobs.web.", noSpace},
		{"explain jobs.api.", " t.yml", "jobs.api.count jobs.api.name", noFiles},
		{"explain /jobs/name=a", " t.yml", "/jobs/name=api/", noSpace},
		{"explain jobs.", " --depth 1 --unknown --dialect spiff++ t.yml | less s.yml", "jobs.api. jobs.web.", noSpace},
		{"explain jobs.", "api t.yml", "jobs.api. jobs.web.", noSpace},
		{"explain jo", ` "t.yml" 's'\.yml`, "jobs.", noSpace},
		{"explain jo", " broken.yml missing.yml below t.yml", "jobs.", noSpace},
		{"explain jo", " broken.yml", "", noFiles},
		{"explain jobs ", "", "yml yaml", filter},
		{"graph t.yml --path m", "", "meta.", noSpace},
		{"graph t.yml --path=meta.", "", "meta.domain", noFiles},
		{"graph --path m", " t.yml", "meta.", noSpace},
		{"graph --path m", "", "", noFiles},
	} {
		got, directive := asked(t, tt.line, tt.after)
		if strings.HasPrefix(tt.line, "explain E2") || strings.HasPrefix(tt.line, "explain w") {
			got = got[:min(len(got), len(strings.Fields(tt.want)))] // the catalogue grows
		}
		if strings.Join(got, " ") != tt.want || directive != tt.directive {
			t.Errorf("spiff %s|%s completes to\n%q %s, want\n%q %s", tt.line, tt.after, got, directive, tt.want, tt.directive)
		}
	}
}

// TestCompletionOfAllFlags: every flag of every command is completed, and every
// value that is completed as one of some words is one that the command takes.
func TestCompletionOfAllFlags(t *testing.T) {
	for _, c := range commands() {
		flags, _ := c.flagSet(&env{})
		list, _ := asked(t, c.name+" --", "")
		if len(list) == 0 {
			t.Errorf("no flags of %s", c.name)
		}
		for _, flag := range list {
			f := flags.Lookup(strings.TrimPrefix(flag, "--"))
			if f == nil {
				t.Errorf("%s: %q is none of its flags", c.name, flag)
				continue
			}
			if f.NoOptDefVal != "" {
				continue // without a value
			}
			values, _ := asked(t, c.name+" "+flag+" ", "")
			if want := completionOf(f); want.kind == completeWords && !slices.Equal(values, want.words) {
				t.Errorf("%s %s completes to %q, want %q", c.name, flag, values, want.words)
			}
		}
	}
}
