// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/merge"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// FuzzOrder holds that starting children in the opposite order gives the same
// result.
func FuzzOrder(f *testing.F) {
	addMerges(f)
	f.Fuzz(func(t *testing.T, template, stub string) {
		a, b := ordered(template, stub, false), ordered(template, stub, true)
		if a != b {
			t.Fatalf("forwards\n%s\nbackwards\n%s", a, b)
		}
	})
}

func ordered(template, stub string, backwards bool) string {
	s := value.NewStore()
	var inputs []merge.Input
	for i, text := range []string{template, stub} {
		src := diag.NewSource([]string{"template.yml", "stub.yml"}[i], text)
		r, err := doc.Read(s, src)
		if err != nil || len(r.Docs) != 1 {
			return ""
		}
		in := merge.Input{Source: src, Root: r.Docs[0]}
		if r.Empty {
			in.Root = 0
		}
		inputs = append(inputs, in)
	}
	refuse := errors.New("not in a test")
	n := merge.NewSession(s, merge.Options{Backwards: backwards, Limits: vm.Limits{CallDepth: 100, Instructions: 50_000}, Files: merge.Files{
		ReadFile:  func(string) ([]byte, error) { return nil, refuse },
		LookupEnv: func(string) (string, bool) { return "", false },
		Exec:      func([]string, io.Writer) ([]byte, error) { return nil, refuse },
	}})
	stubs, err := n.Cascade(inputs[1:])
	var root value.ID
	if err == nil {
		root, err = n.Merge(inputs[0], stubs)
	}
	var u *merge.Unresolved
	if errors.As(err, &u) {
		var b bytes.Buffer
		u.Write(&b)
		if strings.Contains(b.String(), "instructions") {
			return ""
		}
		return b.String()
	}
	if err != nil || root == 0 {
		return ""
	}
	out, err := doc.Append(nil, s, root, doc.WriteOptions{MaxBytes: 1 << 20})
	if err != nil {
		return ""
	}
	return string(out)
}
