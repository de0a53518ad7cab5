// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dynaml/spiff"
)

// realSets are the commands of the shared manifest sets, by the folder they run
// in. A test that needs them is skipped without.
func realSets(t *testing.T) map[string][]string {
	cmds, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "realworld", "cases", "*", "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	if len(cmds) == 0 {
		t.Skip("../shared/realworld is not there")
	}
	sets := map[string][]string{}
	for _, cmd := range cmds {
		line, err := os.ReadFile(cmd)
		if err != nil {
			t.Fatal(err)
		}
		dir, err := filepath.Abs(filepath.Dir(cmd))
		if err != nil {
			t.Fatal(err)
		}
		if words := strings.Fields(string(line)); words[0] == "merge" {
			// Which format it is printed in does not matter, and graph has no such flag.
			sets[dir] = slices.DeleteFunc(words[1:], func(w string) bool { return w == "--json" })
		}
	}
	return sets
}

// TestInspectRealManifests explains, draws and counts all shared manifest sets.
// Those that fail must still have a graph.
func TestInspectRealManifests(t *testing.T) {
	for dir, words := range realSets(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) { inspectSet(t, dir, words) })
	}
}

func inspectSet(t *testing.T, dir string, words []string) {
	t.Chdir(dir)
	provenance := filepath.Join(t.TempDir(), "provenance.json")
	status, stdout, stderr := execute(append([]string{"merge", "--provenance", provenance, "--stats", "--profile"}, words...)...)
	plainStatus, plain, _ := execute(append([]string{"merge"}, words...)...)
	if status != plainStatus || stdout != plain {
		t.Errorf("the flags that observe a merge change it: status %d and %d", status, plainStatus)
	}
	if status != exitOK {
		if strings.Contains(stderr, "unresolved nodes") {
			if status, graph, stderr := execute(append([]string{"graph", "--format", "json"}, words...)...); status != exitOK || len(graph) == 0 {
				t.Errorf("graph of a merge that fails: status %d\n%s", status, stderr)
			}
		}
		return
	}
	for _, want := range []string{"bytes read", "instructions", "time: read"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
	for _, f := range graphFormats {
		if status, graph, stderr := execute(append([]string{"graph", "--format", f.name}, words...)...); status != exitOK || len(graph) == 0 {
			t.Errorf("graph as %s: status %d\n%s", f.name, status, stderr)
		}
	}
	origins := readProvenance(t, provenance)
	for i := 0; i < len(origins); i += 1 + len(origins)/5 {
		o := origins[i]
		status, text, stderr := execute(append([]string{"explain", "--json", o.Path}, words...)...)
		var x spiff.Explanation
		if err := json.Unmarshal([]byte(text), &x); status != exitOK || err != nil {
			t.Errorf("explain %s: status %d, %v\n%s", o.Path, status, err, stderr)
			continue
		}
		if x.Path != o.Path || x.State != "done" {
			t.Errorf("explain %s: path %s, state %s", o.Path, x.Path, x.State)
		}
	}
}

// execute runs a command line in the current folder.
func execute(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(args, &env{stdin: strings.NewReader(""), stdout: &out, stderr: &errs})
	return status, out.String(), errs.String()
}

type origin struct {
	Path, File string
	Line, Col  int
}

func readProvenance(t *testing.T, name string) []origin {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Version int
		Entries []origin
	}
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return p.Entries
}

// TestExplainOverrides overrides paths of the largest real manifest set, and of
// the one with the most expressions, one by one, by another stub behind or before all others, and holds the explanation against
// what the merge made of that: it names exactly this stub and the place in it
// if the manifest has the value, and else another.
func TestExplainOverrides(t *testing.T) {
	sets := realSets(t)
	for what, measure := range map[string]func([]byte) int{
		"largest":          func(text []byte) int { return len(text) },
		"most expressions": func(text []byte) int { return bytes.Count(text, []byte("((")) },
	} {
		t.Run(what, func(t *testing.T) {
			dir := most(t, sets, measure)
			checkOverrides(t, dir, sets[dir])
		})
	}
}

func checkOverrides(t *testing.T, dir string, words []string) {
	const overrides = 20
	t.Chdir(dir)
	scratch := t.TempDir()
	provenance := filepath.Join(scratch, "provenance.json")
	if status, _, stderr := execute(append([]string{"merge", "--provenance", provenance}, words...)...); status != exitOK {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	docs := documents(t, words)
	plain, err := spiff.Inspect(context.Background(), docs[0], docs[1:], spiff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	origins := readProvenance(t, provenance)
	done, kept := 0, 0
	for i := 0; i < len(origins) && done < overrides; i += 1 + len(origins)/97 {
		before, err := plain.Explain(origins[i].Path, 0)
		if err != nil {
			t.Fatal(err)
		}
		text, line, col, ok := overriding(before, fmt.Sprintf("value-%d", i))
		if !ok {
			continue // an entry of a list without a name has no place of its own in a stub
		}
		value := fmt.Sprintf("value-%d", i)
		extra, err := spiff.Load("extra.yml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v\n%s", origins[i].Path, err, text)
		}
		checkOverride(t, slices.Insert(slices.Clone(docs), 1, extra), origins[i].Path, value, line, col)
		if checkOverride(t, append(slices.Clone(docs), extra), origins[i].Path, value, line, col) {
			done++
		} else {
			kept++
		}
	}
	t.Logf("%s: %d paths overridden, %d kept their value", filepath.Base(dir), done, kept)
	if done < overrides {
		t.Errorf("only %d paths could be overridden", done)
	}
}

// checkOverride merges documents of which one is extra.yml with a value for the
// path. It reports whether that decided the value there.
func checkOverride(t *testing.T, docs []*spiff.Document, path, value string, line, col int) bool {
	t.Helper()
	i, err := spiff.Inspect(context.Background(), docs[0], docs[1:], spiff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if i.Result == nil {
		return false // what the value was is needed elsewhere, so the merge fails
	}
	there, overridden := false, false // in the manifest itself, whatever was recorded
	for _, o := range i.Result.Provenance().Entries {
		if o.Path == path {
			there, overridden = true, o.File == "extra.yml" && o.Line == line && o.Col == col
		}
	}
	if !there {
		return false // a merge took the short list of extra.yml as a whole
	}
	x, err := i.Explain(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(x.Value.JSON) == fmt.Sprintf("%q", value); got != overridden {
		t.Errorf("%s: the explained value is %s, but overridden is %v", path, x.Value.JSON, overridden)
	}
	for _, k := range x.Chain {
		if !k.Decides {
			continue
		}
		named := k.File == "extra.yml" && k.At != nil && k.At.Line == line && k.At.Col == col
		if named != overridden {
			var b strings.Builder
			if err := x.WriteText(&b); err != nil {
				t.Fatal(err)
			}
			t.Errorf("overridden is %v, but the explanation is\n%s", overridden, b.String())
		}
	}
	return overridden
}

var entry = regexp.MustCompile(`^\[\d+\]$`)

// overriding returns a stub with a value at the place of a node, and the place
// of the value in it. Entries of lists are there by their name; ok is false if
// one has none.
func overriding(x *spiff.Explanation, value string) (text string, line, col int, ok bool) {
	named := x.Named
	if named == "" {
		named = x.Path
	}
	steps, names := split(x.Path), split(named)
	if len(steps) != len(names) || entry.MatchString(steps[len(steps)-1]) {
		return "", 0, 0, false
	}
	var b strings.Builder
	indent := ""
	for i, step := range steps {
		line++
		switch {
		case entry.MatchString(step) && entry.MatchString(names[i]):
			return "", 0, 0, false
		case entry.MatchString(step):
			fmt.Fprintf(&b, "%s- name: %s\n", indent, names[i])
			indent += "  "
		case i == len(steps)-1:
			fmt.Fprintf(&b, "%s%s: %s\n", indent, step, value)
			col = len(indent) + len(step) + 3
		default:
			fmt.Fprintf(&b, "%s%s:\n", indent, step)
			indent += "  "
		}
	}
	return b.String(), line, col, true
}

// split returns the components of a path as they are written; quoted ones may
// have dots.
func split(path string) []string { return component.FindAllString(path, -1) }

var component = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[^.]+`)

// most returns the set whose files have the most of something, among those whose
// merge succeeds.
func most(t *testing.T, sets map[string][]string, measure func([]byte) int) (dir string) {
	t.Helper()
	found := -1
	for d, words := range sets {
		if _, err := os.Stat(filepath.Join(d, "expected.yml")); err != nil {
			continue
		}
		size := 0
		for _, w := range words {
			text, err := os.ReadFile(filepath.Join(d, w))
			if err != nil {
				size = 0
				break // a flag, or a file that is not there
			}
			size += measure(text)
		}
		if size > found || size == found && d < dir {
			found, dir = size, d
		}
	}
	return dir
}

func documents(t *testing.T, names []string) (docs []*spiff.Document) {
	t.Helper()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := spiff.Load(name, text)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	return docs
}

func TestExplainExamples(t *testing.T) {
	language, _ := docsPaths(t)
	testExamples(t, filepath.Join(filepath.Dir(language), "explain.md"))
}
