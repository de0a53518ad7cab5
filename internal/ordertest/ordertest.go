// SPDX-License-Identifier: Apache-2.0

// Package ordertest merges files with the children of lists and maps started
// in the one or the other order, for the tests which hold that it does not
// matter.
package ordertest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/merge"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// maxOutput bounds what is compared, in bytes.
const maxOutput = 16 << 20

// Outcome merges the first file with the others as stubs and returns the
// result, the report or the error as text. Only the files given can be read;
// there is no environment, and commands fail.
func Outcome(files []txtar.File, backwards bool, limits vm.Limits) string {
	s := value.NewStore()
	var inputs []merge.Input
	for _, f := range files {
		src := diag.NewSource(f.Name, string(f.Data))
		r, err := doc.Read(s, src)
		if err != nil {
			return err.Error()
		}
		in := merge.Input{Source: src, Root: r.Docs[0]}
		if r.Empty {
			in.Root = 0
		}
		inputs = append(inputs, in)
	}
	n := merge.NewSession(s, merge.Options{Backwards: backwards, Limits: merge.Limits{Limits: limits}, Files: only(files)})
	_, err := n.Cascade(inputs[1:])
	var root value.ID
	if err == nil {
		root, err = n.Merge(inputs[0])
	}
	var u *merge.Unresolved
	if errors.As(err, &u) {
		var b strings.Builder
		u.Write(&b)
		return b.String()
	}
	if err != nil {
		return err.Error()
	}
	if root == 0 {
		return "null\n"
	}
	out, err := doc.Append(nil, s, root, doc.WriteOptions{Unescape: true, MaxBytes: maxOutput})
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// only is a world of the files given.
func only(files []txtar.File) merge.Files {
	return merge.Files{
		ReadFile: func(name string) ([]byte, error) {
			for _, f := range files {
				if f.Name == name {
					return f.Data, nil
				}
			}
			return nil, &os.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		},
		LookupEnv: func(string) (string, bool) { return "", false },
		Exec:      func([]string, io.Writer) ([]byte, error) { return nil, errors.New("not in a test") },
	}
}
