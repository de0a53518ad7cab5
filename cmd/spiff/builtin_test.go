// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/merge"
)

// Each callable name has a case with results and one with its errors. Cases
// may have more words behind a dash, NAME-word.txtar.
func TestEveryBuiltinHasCases(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "builtin")
	for _, row := range builtin.Table {
		for _, name := range []string{row.Name + ".txtar", row.Name + "-errors.txtar"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("function %s: no case %s", row.Name, name)
			}
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name, _, _ := strings.Cut(strings.TrimSuffix(f.Name(), ".txtar"), "-")
		if builtin.Lookup(name) < 0 {
			t.Errorf("%s: there is no function %s", f.Name(), name)
		}
	}
}

// A command line runs once in a merge, in whatever document it stands and
// whether it succeeds or not. What it complains about is passed on.
func TestExecRunsOnce(t *testing.T) {
	const template = `
a: (( exec("count") ))
b: (( exec(["co" "unt"]) ))
c: (( merge ))
other: (( exec("count", 1) ))
d: (( exec("fail") || "failed" ))
e: (( exec("fail") || "failed" ))
`
	const stub = `c: (( exec("count") ))`
	ran := map[string]int{}
	var stderr strings.Builder
	opt := spiff.Options{Files: merge.Files{Stderr: &stderr, Exec: func(argv []string, stderr io.Writer) ([]byte, error) {
		line := strings.Join(argv, " ")
		ran[line]++
		fmt.Fprintf(stderr, "%s runs\n", line)
		if argv[0] == "fail" {
			return nil, errors.New("exit status 1")
		}
		return []byte(line + "\n"), nil
	}}}
	got, err := mergeTexts(opt, template, stub)
	if err != nil {
		t.Fatal(err)
	}
	if want := "a: count\nb: count\nc: count\nd: failed\ne: failed\nother: count 1\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, want := fmt.Sprint(ran), "map[count:1 count 1:1 fail:1]"; got != want {
		t.Errorf("runs: got %s, want %s", got, want)
	}
	if got := strings.Count(stderr.String(), "\n"); got != len(ran) {
		t.Errorf("%d lines on stderr for %d runs:\n%s", got, len(ran), stderr.String())
	}
}

// mergeTexts merges a template with stubs and returns what is printed.
func mergeTexts(opt spiff.Options, texts ...string) (string, error) {
	docs := make([]*spiff.Document, len(texts))
	for i, text := range texts {
		d, err := spiff.Load(fmt.Sprintf("%d.yml", i), []byte(text))
		if err != nil {
			return "", err
		}
		docs[i] = d
	}
	r, err := spiff.Merge(context.Background(), docs[0], docs[1:], opt)
	if err != nil {
		return "", err
	}
	out, err := r.Append(nil)
	return string(out), err
}
