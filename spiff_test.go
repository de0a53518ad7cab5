// SPDX-License-Identifier: Apache-2.0

package spiff_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dynaml/spiff"
)

func loadFile(t *testing.T, name string) *spiff.Document {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := spiff.Load(filepath.Base(name), text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// example is the set that the README merges.
func example(t *testing.T) (*spiff.Document, []*spiff.Document) {
	dir := filepath.Join("testdata", "example")
	var stubs []*spiff.Document
	for _, name := range []string{"infrastructure.yml", "properties.yml", "sizing.yml"} {
		stubs = append(stubs, loadFile(t, filepath.Join(dir, name)))
	}
	return loadFile(t, filepath.Join(dir, "template.yml")), stubs
}

func TestExampleSet(t *testing.T) {
	template, stubs := example(t)
	r, err := spiff.Merge(context.Background(), template, stubs, spiff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "example", "expected.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the merge differs from testdata/example/expected.yml:\n%s", got)
	}
}

// TestConcurrentMerges merges the same documents in several goroutines; the
// race detector watches.
func TestConcurrentMerges(t *testing.T) {
	template, stubs := example(t)
	var wg sync.WaitGroup
	results := make([][]byte, 8)
	for i := range results {
		wg.Go(func() {
			r, err := spiff.Merge(context.Background(), template, stubs, spiff.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			results[i], err = r.Append(nil)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, r := range results[1:] {
		if !bytes.Equal(r, results[0]) {
			t.Error("two merges of the same documents differ")
		}
	}
}

// TestChainOfReferences: neither the length of a chain nor its direction may
// need recursion.
func TestChainOfReferences(t *testing.T) {
	const n = 200_000
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "v%d: (( v%d ))\n", i, i+1)
	}
	fmt.Fprintf(&b, "v%d: end\n", n)
	d, err := spiff.Load("chain.yml", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	r, err := spiff.Merge(context.Background(), d, nil, spiff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	st := r.Stats()
	if st.VM.Suspensions != 0 || st.Graph.Blocks > 2*n || st.VM.Instructions != 2*n {
		t.Errorf("%d suspensions, %d blocks, %d instructions", st.VM.Suspensions, st.Graph.Blocks, st.VM.Instructions)
	}
}

// TestLimits: work without bound ends in an ordinary error.
func TestLimits(t *testing.T) {
	const fib = "f: (( |n|-> n < 2 ? n :_(n - 1) + _(n - 2) ))\n"
	tests := []struct {
		name     string
		template string
		limits   spiff.Limits
		want     string
	}{
		{"instructions", fib + "a: (( .f(25) ))\n", spiff.Limits{Instructions: 10_000},
			"more than 10000 instructions: does a lambda call itself without end?"},
		{"a limit cannot be caught", fib + "a: (( .f(25) || 1 ))\n", spiff.Limits{Instructions: 10_000},
			"more than 10000 instructions: does a lambda call itself without end?"},
		{"call depth", "f: (( |n|-> _(n + 1) ))\na: (( .f(0) ))\n", spiff.Limits{CallDepth: 50},
			"calls nest deeper than 50: does a lambda or eval call itself without end?"},
		{"output", "a: (( [1..100] ))\n", spiff.Limits{Output: 100}, "output exceeds 100 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := spiff.Load("template.yml", []byte(tt.template))
			if err != nil {
				t.Fatal(err)
			}
			r, err := spiff.Merge(context.Background(), d, nil, spiff.Options{Limits: tt.limits})
			if err == nil {
				_, err = r.Append(nil)
			}
			var u *spiff.Unresolved
			got := fmt.Sprint(err)
			if errors.As(err, &u) {
				var b bytes.Buffer
				u.Write(&b)
				got = b.String()
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestWorkIsCounted pins what an example costs, so that an optimisation that
// gets lost is noticed.
func TestWorkIsCounted(t *testing.T) {
	template, stubs := example(t)
	r, err := spiff.Merge(context.Background(), template, stubs, spiff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	st := r.Stats()
	got := fmt.Sprintf("cells %d, programs %d, instructions %d, suspensions %d", st.Cells, st.Programs, st.VM.Instructions, st.VM.Suspensions)
	if want := "cells 244, programs 62, instructions 392, suspensions 2"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
