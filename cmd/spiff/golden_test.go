// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dynaml/spiff/internal/golden"
	"golang.org/x/tools/txtar"
)

// areas are the folders of testdata whose cases are command lines. The
// sections of a case are its files; args is the command line, by default a
// merge of the files in order; env sets environment variables, NAME=value on
// each line. Wanted are:
//
//	want.yml     standard output of a command that succeeds
//	want.out     the same, where it is no YAML
//	want.html    the same, without the style and script of the page
//	want.json    the file provenance.json after that
//	want.files   the files below out after that
//	want.err     standard error, of one that fails unless want.yml is there
//	want.asm     standard output of disasm on the first file
//	want.status  the exit status
var areas = []string{"dialect", "merge", "ref", "expr", "lambda", "template", "builtin", "error", "cli", "yaml-cli", "order", "diff", "explain", "graph", "fmt", "convert", "limits", "sandbox", "batch"}

// TestGolden pins what the language does. Its errors are pinned in the classic
// format, whose lines scripts rely on; TestMistakes pins the others.
func TestGolden(t *testing.T) {
	t.Setenv(formatVariable, "classic")
	root, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, area := range areas {
		dir := filepath.Join(root, area)
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		t.Run(area, func(t *testing.T) { golden.Run(t, dir, runCase) })
	}
}

func runCase(t *testing.T, c *golden.Case, want string) (string, bool) {
	t.Helper()
	in := invocation{args: c.Args()}
	in.env, _ = c.Get("env")
	for _, name := range c.Inputs() {
		if name != "env" {
			text, _ := c.Get(name)
			in.files = append(in.files, txtar.File{Name: name, Data: []byte(text)})
		}
	}
	if len(in.args) == 0 {
		in.args = []string{"merge"}
		for _, f := range in.files {
			in.args = append(in.args, f.Name)
		}
	}
	if want == "want.asm" {
		in.args = []string{"disasm", in.files[0].Name}
	}
	stdout, stderr, status := in.run(t)
	switch want {
	case "want.yml", "want.asm", "want.out", "want.html":
		if status != exitOK && status != exitDiffers && in.args[0] != "repl" {
			t.Errorf("exit status %d:\n%s", status, stderr)
		}
		if want == "want.html" {
			stdout = pageParts.ReplaceAllString(stdout, "$1$3")
		}
		if strings.HasSuffix(in.args[0], "version") {
			stdout = builds.ReplaceAllString(stdout, "$1$2...")
		}
		return stdout, true
	case "want.json":
		text, err := os.ReadFile("provenance.json")
		if err != nil {
			t.Error(err)
		}
		return string(text), true
	case "want.files":
		return filesBelow(t, "out"), true
	case "want.err":
		if status == exitOK && !c.Wants("want.yml", "want.out", "want.files") {
			t.Errorf("exit status 0, want a failure; stdout:\n%s", stdout)
		}
		return durations.ReplaceAllString(stderr, "$1 ..."), true
	case "want.status":
		return fmt.Sprintf("%d\n", status), true
	}
	return "", false
}

// filesBelow returns the names and texts of the files below a folder.
func filesBelow(t *testing.T, folder string) string {
	var b strings.Builder
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		fmt.Fprintf(&b, "== %s\n%s", filepath.ToSlash(name), text)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return b.String()
}

// durations are the times that --stats prints.
var durations = regexp.MustCompile(`\b(read|merge|write) [0-9.]+(µs|ms|s)`)

// builds are what version prints about how the program was built.
var builds = regexp.MustCompile(`(?m)^(spiff ).*|("(?:version|commit|modified|go|os|arch)": )[^,\n]*`)

// pageParts are the style and the script of a page.
var pageParts = regexp.MustCompile(`(?s)(<style>\n|<script>\n)(.*?)(</style>|</script>)`)

// An invocation is a command line with the files it finds.
type invocation struct {
	args  []string
	files []txtar.File // "-" is the standard input
	env   string       // NAME=value lines
}

// run executes the command line in a new folder.
func (in *invocation) run(t *testing.T) (stdout, stderr string, status int) {
	t.Helper()
	t.Chdir(t.TempDir())
	for line := range strings.Lines(in.env) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !ok {
			t.Fatalf("env: %q is not of the form NAME=value", name)
		}
		t.Setenv(name, value)
	}
	var stdin string
	for _, f := range in.files {
		if f.Name == "-" {
			stdin = string(f.Data)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	status = run(in.args, &env{stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs})
	prints := in.args[0] == "repl" || slices.Contains(in.args, "--json") // although it fails
	if status != exitOK && status != exitDiffers && out.Len() > 0 && !prints {
		t.Errorf("exit status %d with output on stdout:\n%s", status, out.String())
	}
	return out.String(), errs.String(), status
}
