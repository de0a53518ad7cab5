// SPDX-License-Identifier: Apache-2.0

package spiff_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/internal/golden"
)

// modest bounds the sets that are there to reach limits.
var modest = spiff.Options{
	Limits: spiff.Limits{Instructions: 1 << 20, Memory: 1 << 24, Output: 1 << 22, Range: 1 << 12},
	Policy: spiff.Policy{DenyExec: true, DenyRead: true},
}

func mergeSet(set golden.Set) (*spiff.Result, error) {
	var docs []*spiff.Document
	for _, file := range set.Files {
		d, err := spiff.Load(file.Name, file.Data)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return spiff.Merge(context.Background(), docs[0], docs[1:], modest)
}

// eachResult merges all sets of the tests, own and real, and calls f for those
// that can be merged, with the canonical text.
func eachResult(t *testing.T, f func(t *testing.T, r *spiff.Result, canonical []byte)) {
	t.Helper()
	eachSetResult(t, func(t *testing.T, _ golden.Set, r *spiff.Result, canonical []byte) { f(t, r, canonical) })
}

// eachSetResult is eachResult for an f that looks at the files, too.
func eachSetResult(t *testing.T, f func(t *testing.T, set golden.Set, r *spiff.Result, canonical []byte)) {
	t.Helper()
	own, err := golden.OwnSets("testdata")
	if err != nil {
		t.Fatal(err)
	}
	real, err := golden.RealSets("../shared/realworld/cases")
	if err != nil {
		t.Fatal(err)
	}
	if len(real) == 0 {
		t.Log("without the real sets, which are not there")
	}
	merged := 0
	for _, set := range append(own, real...) {
		t.Run(set.Name, func(t *testing.T) {
			r, err := mergeSet(set)
			if err != nil {
				return
			}
			canonical, err := r.Append(nil)
			if err != nil {
				return
			}
			merged++
			f(t, set, r, canonical)
		})
	}
	if merged == 0 {
		t.Error("nothing was merged")
	}
}

// A result all of whose keys are selected is the whole result, and what stands at
// a key is what is printed with its path.
func TestSelectEverything(t *testing.T) {
	eachResult(t, func(t *testing.T, r *spiff.Result, canonical []byte) {
		whole, err := r.AppendOutput(nil, spiff.Output{JSON: true})
		var parts map[string]json.RawMessage
		if err != nil || json.Unmarshal(whole, &parts) != nil || len(parts) == 0 {
			return // not one map that JSON can express
		}
		var o spiff.Output
		for key, want := range parts {
			path := explain.Key(key)
			if _, err := strconv.Atoi(key); strings.HasPrefix(key, "/") || err == nil {
				path = strconv.Quote(key)
			}
			o.Select = append(o.Select, path)
			got, err := r.AppendOutput(nil, spiff.Output{Path: path, JSON: true})
			if err != nil || !bytes.Equal(bytes.TrimSuffix(got, []byte("\n")), want) {
				t.Errorf("%s: got %v %s, want %s", path, err, got, want)
			}
		}
		if got, err := r.AppendOutput(nil, o); err != nil || !bytes.Equal(got, canonical) {
			t.Errorf("all keys selected: got %v\n%s\nwant\n%s", err, got, canonical)
		}
	})
}

// JSON says the same as YAML.
func TestJSONSaysTheSame(t *testing.T) {
	eachResult(t, func(t *testing.T, r *spiff.Result, canonical []byte) {
		got, err := r.AppendOutput(nil, spiff.Output{JSON: true})
		if err != nil {
			var d *diag.Diagnostic
			if !errors.As(err, &d) || d.Span.Src == nil {
				t.Errorf("no place: %v", err)
			}
			return
		}
		d, err := spiff.LoadData("canonical.yml", canonical)
		if err != nil {
			t.Fatal(err)
		}
		want, err := d.AppendJSON(nil, spiff.JSONOptions{Compact: true})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// The real sets that are merged with --json, and that need no more than the
// language, give the bytes of the classic tool.
func TestRealJSON(t *testing.T) {
	const folder = "../shared/realworld/cases"
	sets, err := golden.RealSets(folder)
	if err != nil || len(sets) == 0 {
		t.Skipf("the real sets are not there: %v", err)
	}
	same := 0
	for _, set := range sets {
		dir := filepath.Join(folder, strings.TrimPrefix(set.Name, "real/"))
		cmd, err := os.ReadFile(filepath.Join(dir, "cmd"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(cmd), " --json ") || strings.Contains(string(cmd), " --state ") {
			continue
		}
		r, err := mergeSet(set)
		if err != nil {
			continue // it needs what only spiff++ has
		}
		want, err := os.ReadFile(filepath.Join(dir, "expected.yml"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.AppendOutput(nil, spiff.Output{JSON: true})
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got %v %s, want %s", set.Name, err, got, want)
			continue
		}
		same++
	}
	if same == 0 {
		t.Error("no set was merged")
	}
}

// A result in the order of the template says the same.
func TestInOrderSaysTheSame(t *testing.T) {
	eachResult(t, func(t *testing.T, r *spiff.Result, canonical []byte) {
		ordered, err := r.AppendOutput(nil, spiff.Output{InOrder: true})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := readAgain(t, ordered), readAgain(t, canonical); !bytes.Equal(got, want) {
			t.Errorf("in order\n%s\nwant the same as\n%s", ordered, canonical)
		}
	})
}

// Comments change nothing but that they are there: each line of a result with
// comments is one of the result without, or has a comment of the template, each of
// which is printed at most once. Such a result keeps all its comments when it is
// read and printed again.
func TestCommentsSayTheSame(t *testing.T) {
	commented := 0
	eachSetResult(t, func(t *testing.T, set golden.Set, r *spiff.Result, canonical []byte) {
		checkComments(t, set, r, canonical)
		for _, more := range []func(string) string{commentAbove, commentBehind} {
			with := set
			with.Files = slices.Clone(set.Files)
			with.Files[0].Data = []byte(more(string(set.Files[0].Data)))
			r, err := mergeSet(with)
			if err != nil {
				continue // what looks like a comment is none
			}
			if text, err := r.Append(nil); err == nil && bytes.Equal(text, canonical) {
				commented++
				checkComments(t, with, r, canonical)
			}
		}
	})
	if commented == 0 {
		t.Error("no result has comments")
	}
}

// commentAbove puts a comment above each line of a text, indented like that.
func commentAbove(text string) string {
	var b strings.Builder
	for i, line := range strings.SplitAfter(text, "\n") {
		fmt.Fprintf(&b, "%s# above %d.\n%s", line[:len(line)-len(strings.TrimLeft(line, " "))], i, line)
	}
	return b.String()
}

// commentBehind puts a comment behind each line of a text that has a word.
func commentBehind(text string) string {
	var b strings.Builder
	for i, line := range strings.SplitAfter(text, "\n") {
		line, end := strings.CutSuffix(line, "\n")
		b.WriteString(line)
		if strings.Trim(line, " ") != "" {
			fmt.Fprintf(&b, " # behind %d.", i)
		}
		if end {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func checkComments(t *testing.T, set golden.Set, r *spiff.Result, canonical []byte) {
	t.Helper()
	ordered, err := r.AppendOutput(nil, spiff.Output{InOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.AppendOutput(nil, spiff.Output{InOrder: true, Comments: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := readAgain(t, got), readAgain(t, canonical); !bytes.Equal(got, want) {
		t.Errorf("with comments\n%s\nwant the same as\n%s", got, canonical)
	}
	template := string(set.Files[0].Data)
	for c, n := range addedComments(t, string(ordered), string(got)) {
		if written := strings.Count(template, c); n > written {
			t.Errorf("%q is printed %d times and written %d times", c, n, written)
		}
	}
	evaluated := strings.Contains(template, "((") || strings.Contains(template, "<<") || len(set.Files) > 1
	if !evaluated && len(readWarnings(t, set)) == 0 && string(got) != "---\n" {
		// Nothing goes away, as there is no stub and no duplicate key.
		for _, mark := range []string{"# above ", "# behind "} {
			if got, want := strings.Count(string(got), mark), strings.Count(template, mark); got != want {
				t.Errorf("%d of %d comments are printed", got, want)
			}
		}
	}
	stable(t, got)
}

// readWarnings returns what is odd about the template alone.
func readWarnings(t *testing.T, set golden.Set) diag.List {
	t.Helper()
	d, err := spiff.Load(set.Files[0].Name, set.Files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	return d.Warnings()
}

// addedComments returns how often the comments occur that a text has more than
// another, and fails if it has anything else.
func addedComments(t *testing.T, plain, text string) map[string]int {
	t.Helper()
	added := map[string]int{}
	lines := strings.SplitAfter(text, "\n")
	for _, want := range strings.SplitAfter(plain, "\n") {
		for len(lines) > 0 && lines[0] != want {
			line := strings.TrimSpace(lines[0])
			if behind, ok := strings.CutPrefix(strings.TrimSuffix(lines[0], "\n"), strings.TrimSuffix(want, "\n")+" #"); ok && want != "" && want != "\n" {
				added["#"+behind]++
				lines[0] = want
				continue
			}
			if line != "" && line[0] != '#' {
				t.Errorf("%q was added", line)
				return nil
			}
			if line != "" {
				added[line]++
			}
			lines = lines[1:]
		}
		if len(lines) == 0 {
			t.Errorf("%q is not there\n%s", want, text)
			return nil
		}
		lines = lines[1:]
	}
	return added
}

// stable checks that a text with comments is printed as it is when it is merged
// with nothing. Texts with expressions that are escaped or not evaluated are not.
func stable(t *testing.T, text []byte) {
	t.Helper()
	if bytes.Contains(text, []byte("((")) {
		return
	}
	d, err := spiff.Load("result.yml", text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := spiff.Merge(context.Background(), d, nil, modest)
	if err != nil || len(text) == 0 {
		return // nothing is printed, or it holds words that mean something to a merge
	}
	again, err := r.AppendOutput(nil, spiff.Output{InOrder: true, Comments: true})
	if err != nil || !bytes.Equal(again, text) {
		t.Errorf("again: %v %s", err, spiff.FormatDiff("result.yml", string(text), string(again)))
	}
}

// readAgain returns the canonical text of a text.
func readAgain(t *testing.T, text []byte) []byte {
	t.Helper()
	d, err := spiff.Load("result.yml", text)
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.AppendYAML(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
