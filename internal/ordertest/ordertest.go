// SPDX-License-Identifier: Apache-2.0

// Package ordertest merges files with the children of lists and maps started
// in the one or the other order, for the tests which hold that it does not
// matter.
package ordertest

import (
	"errors"
	"fmt"
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
// result, the report or the error as text, with all diagnostics. Only the files
// given can be read; there is no environment, and commands fail.
func Outcome(files []txtar.File, backwards bool, limits vm.Limits) string {
	text, diagnostics := merged(files, backwards, limits)
	var b strings.Builder
	b.WriteString(text)
	describe(&b, diagnostics)
	return b.String()
}

// Result is Outcome without the diagnostics, which depend on the layout of the
// files.
func Result(files []txtar.File) string {
	text, _ := merged(files, false, vm.Limits{})
	return text
}

func merged(files []txtar.File, backwards bool, limits vm.Limits) (text string, diagnostics diag.List) {
	s := value.NewStore()
	var inputs []merge.Input
	for _, f := range files {
		src := diag.NewSource(f.Name, string(f.Data))
		r, err := doc.Read(s, src)
		if err != nil {
			return err.Error(), nil
		}
		in := merge.Input{Source: src, Root: r.Docs[0]}
		if r.Empty {
			in.Root = 0
		}
		inputs = append(inputs, in)
	}
	n := merge.NewSession(s, merge.Options{Check: true, Backwards: backwards, Limits: merge.Limits{Limits: limits}, Files: only(files)})
	stubs, err := n.Cascade(inputs[1:])
	var root value.ID
	if err == nil {
		root, err = n.MergeTemplate(inputs[0])
	}
	var b strings.Builder
	var u *merge.Unresolved
	if errors.As(err, &u) {
		u.Write(&b)
		return b.String(), u.Diagnostics()
	}
	if err != nil {
		return err.Error(), nil
	}
	if root == 0 {
		b.WriteString("null\n")
	} else if out, err := doc.Append(nil, s, root, doc.WriteOptions{Unescape: true, MaxBytes: maxOutput}); err != nil {
		b.WriteString(err.Error())
	} else {
		b.Write(out)
	}
	return b.String(), n.Warnings(inputs[1:], stubs)
}

// describe writes all that the diagnostics say.
func describe(b *strings.Builder, list diag.List) {
	for _, d := range list {
		d.Write(b)
		fmt.Fprintf(b, "%s %s: %s\n%s\n", d.Code, d.Path, d.Advice(), strings.Join(d.Classic, "\n"))
		for _, w := range d.Waiting {
			fmt.Fprintf(b, "%s waits: %s\n%s\n", w.Span, w.Path, strings.Join(w.Classic, "\n"))
		}
	}
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
