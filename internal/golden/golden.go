// SPDX-License-Identifier: Apache-2.0

// Package golden runs the cases under testdata. A case is a txtar archive: a
// comment that says what it shows, sections of input, and sections named
// want.* with what must come out. It does not know what the inputs are; that
// is up to the test that calls Run.
//
//	SPIFF_UPDATE=1 go test ./...    rewrite the want sections that differ
package golden

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// update is an environment variable because a flag would have to be defined by
// the tests of every package for "go test ./..." to accept it.
var update = os.Getenv("SPIFF_UPDATE") != ""

// A Case is one archive.
type Case struct {
	archive *txtar.Archive
}

// Get returns the text of a section and whether there is one.
func (c *Case) Get(name string) (text string, ok bool) {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// Wants reports whether there is one of the sections.
func (c *Case) Wants(names ...string) bool {
	return slices.ContainsFunc(c.archive.Files, func(f txtar.File) bool { return slices.Contains(names, f.Name) })
}

// Args returns the words of the section args, none if there is no such
// section.
func (c *Case) Args() []string {
	text, _ := c.Get("args")
	var args []string
	for i, part := range strings.Split(text, "'") {
		if i%2 == 0 {
			args = append(args, strings.Fields(part)...)
		} else {
			args = append(args, part)
		}
	}
	return args
}

// Inputs returns the names of the other sections, in order: all but args and
// what is wanted.
func (c *Case) Inputs() []string {
	var names []string
	for _, f := range c.archive.Files {
		if f.Name != "args" && !isWant(f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// A Func produces the text that belongs in a want section. A missing final
// newline is added, as an archive cannot express its absence. ok is false if
// there is no such section for this kind of case.
type Func func(t *testing.T, c *Case, want string) (got string, ok bool)

// Run checks every archive under dir, each as a subtest. f is called once for
// each want section.
func Run(t *testing.T, dir string, f Func) {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		found = true
		name, err := filepath.Rel(dir, strings.TrimSuffix(path, ".txtar"))
		if err != nil {
			return err
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) { runFile(t, path, f) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Fatalf("no cases under %s", dir)
	}
}

func runFile(t *testing.T, path string, f Func) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &Case{archive}
	problems, changed := c.check(func(want string) (string, bool) { return f(t, c, want) }, update)
	for _, p := range problems {
		t.Errorf("%s: %s", path, p)
	}
	if changed {
		if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// check returns what is wrong with the case. With update it takes over what f
// produces instead of comparing, and says whether that changed anything.
func (c *Case) check(f func(want string) (got string, ok bool), update bool) (problems []string, changed bool) {
	problemf := func(format string, args ...any) {
		problems = append(problems, fmt.Sprintf(format, args...))
	}
	if strings.TrimSpace(string(c.archive.Comment)) == "" {
		problemf("no comment that says what the case shows")
	}
	seen := map[string]bool{}
	wanted := false
	for i := range c.archive.Files {
		s := &c.archive.Files[i]
		if seen[s.Name] {
			problemf("section %q occurs twice", s.Name)
		}
		seen[s.Name] = true
		if !isWant(s.Name) {
			continue
		}
		wanted = true
		got, ok := f(s.Name)
		got = withNewline(got)
		switch {
		case !ok:
			problemf("unknown section %q", s.Name)
		case got == string(s.Data):
		case update:
			s.Data, changed = []byte(got), true
		default:
			problemf("%s differs\n--- got\n%s--- want\n%s", s.Name, got, s.Data)
		}
	}
	if !wanted {
		problemf("no want section")
	}
	return problems, changed
}

// isWant is generous, so that a slip like "want_yml" is an unknown section and
// not an input that nothing reads.
func isWant(section string) bool { return strings.HasPrefix(section, "want") }

func withNewline(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
