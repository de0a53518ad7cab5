// SPDX-License-Identifier: Apache-2.0

package spiff_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
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
			f(t, r, canonical)
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
