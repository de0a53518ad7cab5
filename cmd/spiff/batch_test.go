// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"
)

// TestBatchSignal ends a batch while one of its targets waits for a command: it
// says nothing, and leaves no output, not even that of the other target.
func TestBatchSignal(t *testing.T) {
	bin := buildBinary(t)
	t.Chdir(t.TempDir())
	change(t,
		"fleet.yml", "[{template: plain.yml, output: plain.out}, {template: t.yml, output: t.out}]\n",
		"plain.yml", "a: 1\n",
		"t.yml", `a: (( exec("sh", "-c", "echo > started; sleep 1000") ))`)
	cmd := exec.Command(bin, "batch", "-k", "-j", "1", "fleet.yml")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the command", func() bool {
		_, err := os.Stat("started")
		return err == nil
	})
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if st := cmd.ProcessState.Sys().(syscall.WaitStatus); !st.Signaled() || st.Signal() != syscall.SIGINT {
		t.Errorf("it ends with %v", err)
	}
	if output.Len() > 0 {
		t.Errorf("it says %q", output.String())
	}
	files, err := filepath.Glob("*")
	hidden, err2 := filepath.Glob(".[!.]*")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if got := strings.Join(append(files, hidden...), " "); got != "fleet.yml plain.yml started t.yml" {
		t.Errorf("there are the files %s", got)
	}
}

// TestUnchangedOutputs: an output that is right keeps its time, and one that is
// replaced its mode.
func TestUnchangedOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	change(t, "fleet.yml", "[{template: a.yml, output: a.out}, {template: b.yml, output: b.out}]\n",
		"a.yml", "a: 1\n", "b.yml", "b: 1\n", "a.out", "a: 1\n", "b.out", "b: 0\n")
	if err := os.Chmod("b.out", 0o640); err != nil {
		t.Fatal(err)
	}
	before := [2]os.FileInfo{stat(t, "a.out"), stat(t, "b.out")}
	var errs bytes.Buffer
	if status := run([]string{"batch", "fleet.yml"}, &env{stderr: &errs}); status != exitOK {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	if !os.SameFile(before[0], stat(t, "a.out")) {
		t.Error("a.out was replaced")
	}
	if after := stat(t, "b.out"); os.SameFile(before[1], after) || after.Mode() != before[1].Mode() {
		t.Errorf("b.out is the same file, or has the mode %s", after.Mode())
	}
	if text := readText(t, "b.out"); text != "b: 1\n" {
		t.Errorf("b.out is %q", text)
	}
}

func stat(t *testing.T, name string) os.FileInfo {
	t.Helper()
	st, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// schema compiles one of the schemas of docs.
func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	s, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBatchSchemas holds the schema of batch files against the program for every
// case: both take a file or refuse it. Reports must be as their schema says.
func TestBatchSchemas(t *testing.T) {
	files, reports := schema(t, "batch.schema.json"), schema(t, "batch-report.schema.json")
	root, err := filepath.Abs("../../testdata/batch")
	if err != nil {
		t.Fatal(err)
	}
	took, refused := 0, 0
	eachCase(t, root, func(name string, a *txtar.Archive) {
		for _, f := range a.Files {
			if filepath.Base(f.Name) != "fleet.yml" {
				continue
			}
			var v any
			if yaml.Unmarshal(f.Data, &v) != nil {
				continue
			}
			err := files.Validate(v)
			wrong := strings.HasPrefix(name, "wrong-file") && !schemaCannotSay[name]
			switch {
			case wrong != (err != nil):
				t.Errorf("%s: the schema says %v", name, err)
			case wrong:
				refused++
			default:
				took++
			}
		}
		for _, f := range a.Files {
			if f.Name != "want.out" || f.Data[0] != '{' {
				continue
			}
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(f.Data))
			if err != nil {
				t.Fatal(err)
			}
			if err := reports.Validate(v); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			took++
		}
	})
	if took < 10 || refused < 3 {
		t.Errorf("only %d files are right and %d wrong", took, refused)
	}
}

// schemaCannotSay are cases whose file is wrong in a way that no schema
// expresses.
var schemaCannotSay = map[string]bool{
	"wrong-file-same-file": true, // names of one file
	"wrong-file-documents": true, // the first document is right
}

// TestFailedBatchJSON reads the report of a batch that fails.
func TestFailedBatchJSON(t *testing.T) {
	in := invocation{args: []string{"batch", "--json", "fleet.yml"}, files: []txtar.File{
		{Name: "fleet.yml", Data: []byte("[{template: a.yml, output: a.out}, {template: b.yml, output: b.out}, {template: none.yml, output: c.out}]\n")},
		{Name: "a.yml", Data: []byte("a: (( b ))\n")},
		{Name: "b.yml", Data: []byte("a: 1\n")},
	}}
	stdout, _, status := in.run(t)
	if status != exitFailed {
		t.Errorf("status %d", status)
	}
	var d struct {
		Targets []struct {
			Name, Status string
			Errors       []string
		}
	}
	if err := json.Unmarshal([]byte(stdout), &d); err != nil {
		t.Fatal(err)
	}
	want := []string{"a.out failed 1", "b.out withheld 0", "c.out failed 1"}
	for i, target := range d.Targets {
		if got := fmt.Sprintf("%s %s %d", target.Name, target.Status, len(target.Errors)); got != want[i] {
			t.Errorf("got %s, want %s", got, want[i])
		}
	}
}
