// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/internal/golden"
)

// mistakes returns the absolute path of the cases of TestMistakes.
func mistakes(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../../testdata/mistakes")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestMistakes pins the whole text of errors and warnings as it is printed by
// default. Each case is a mistake that people make.
func TestMistakes(t *testing.T) {
	t.Setenv(formatVariable, "")
	golden.Run(t, mistakes(t), runCase)
}

// noCase are the codes without a case under testdata/mistakes, with the reason.
var noCase = map[diag.Code]string{
	diag.Output:       "takes an output of 256 MB, or a disk that is full",
	diag.Waits:        "stands in where the node that is waited for is not known, which no input is known to cause",
	diag.NotDecodable: "the command line decodes into no type of Go",
	diag.NotAValue:    "the command line has no values of Go",
	diag.OwnFunction:  "the command line has only the functions of the language",
	diag.Canceled:     "a program that uses the library ends a merge, the command line does not",
	diag.Usage:        "errors of the command line are printed without a code",
}

// TestEveryCodeHasAMistake compares the catalogue with the codes that occur.
func TestEveryCodeHasAMistake(t *testing.T) {
	seen := map[string]bool{}
	code := regexp.MustCompile(`(?:error|warning)\[([EW]\d+)\]`)
	eachMistake(t, func(_ string, a *txtar.Archive) {
		for _, f := range a.Files {
			if f.Name == "want.err" {
				for _, m := range code.FindAllSubmatch(f.Data, -1) {
					seen[string(m[1])] = true
				}
			}
		}
	})
	for _, g := range diag.Catalogue {
		for _, e := range g.Entries {
			if _, listed := noCase[e.Code]; seen[string(e.Code)] == listed {
				t.Errorf("%s %s: occurs %v, listed as without a case %v", e.Code, e.Name, !listed, listed)
			}
		}
	}
}

func eachMistake(t *testing.T, f func(name string, a *txtar.Archive)) {
	t.Helper()
	eachCase(t, mistakes(t), f)
}

// eachCase calls f for the archives below dir.
func eachCase(t *testing.T, dir string, f func(name string, a *txtar.Archive)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		a, err := txtar.ParseFile(path)
		if err == nil {
			f(strings.TrimSuffix(filepath.Base(path), ".txtar"), a)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// schemas returns the compiled schemas of the formats that have one.
func schemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	compiled := map[string]*jsonschema.Schema{}
	for format, file := range map[string]string{"json": "../../docs/diagnostics.schema.json", "sarif": "../../testdata/schema/sarif-schema-2.1.0.json"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource(format+".schema", doc); err != nil {
			t.Fatal(err)
		}
		if compiled[format], err = c.Compile(format + ".schema"); err != nil {
			t.Fatal(err)
		}
	}
	return compiled
}

// TestFormats runs every mistake in every format: json and sarif follow their
// schemas, github has a command per line, classic and rich name the same nodes,
// and nothing is ever on standard output or differs on a second run.
func TestFormats(t *testing.T) {
	schema := schemas(t)
	command := regexp.MustCompile(`^::(error|warning) (file=[^,:]*,line=\d+,endLine=\d+(,col=\d+,endColumn=\d+)?,)?title=[EW]\d{3} [a-z-]+::[^\r\n]+$`)
	eachMistake(t, func(name string, a *txtar.Archive) {
		in := mistake(a)
		if in == nil {
			return
		}
		t.Run(name, func(t *testing.T) {
			got := map[string]string{}
			for _, f := range formats {
				t.Setenv(formatVariable, f.name)
				stdout, stderr, status := in.run(t)
				if status == exitOK || stdout != "" || stderr == "" {
					t.Errorf("%s: exit status %d, stdout %q, stderr %q", f.name, status, stdout, stderr)
				}
				if f.name == "json" { // which has everything
					if _, again, _ := in.run(t); again != stderr {
						t.Errorf("the second run prints\n%s\nthe first\n%s", again, stderr)
					}
				}
				got[f.name] = stderr
				if s := schema[f.name]; s != nil {
					doc, err := jsonschema.UnmarshalJSON(strings.NewReader(stderr))
					if err == nil {
						err = s.Validate(doc)
					}
					if err != nil {
						t.Errorf("%s: %v\n%s", f.name, err, stderr)
					}
				}
			}
			for line := range strings.Lines(got["github"]) {
				if !command.MatchString(strings.TrimSuffix(line, "\n")) {
					t.Errorf("no workflow command: %s", line)
				}
			}
			classicLines(t, in, got["classic"])
		})
	})
}

// mistake returns the command line of a case, or nil for one of those that are
// about the command line itself.
func mistake(a *txtar.Archive) *invocation {
	in := &invocation{args: []string{"merge"}}
	var files []string
	for _, f := range a.Files {
		switch {
		case f.Name == "want.status":
			return nil
		case f.Name == "args":
			files = nil
			in.args = strings.Fields(string(f.Data))
		case f.Name == "env":
			in.env = string(f.Data)
		case strings.HasPrefix(f.Name, "want"):
		default:
			in.files = append(in.files, f)
			files = append(files, f.Name)
		}
	}
	if len(in.args) == 1 {
		in.args = append(in.args, files...)
	}
	return in
}

// classicLines checks that a rich report with all nodes has each line of the
// classic one on unresolved nodes, and that JSON has it, too.
func classicLines(t *testing.T, in *invocation, classic string) {
	t.Helper()
	if !strings.Contains(classic, "unresolved nodes:\n") {
		return
	}
	classic, _, _ = strings.Cut(classic, "cycles:\n")
	all := *in
	all.args = append([]string{in.args[0], "--all"}, in.args[1:]...)
	t.Setenv(formatVariable, "rich")
	_, rich, _ := all.run(t)
	have := map[string]bool{}
	for line := range strings.Lines(rich) {
		have[line] = true
	}
	t.Setenv(formatVariable, "json")
	_, text, _ := in.run(t)
	var report struct {
		Diagnostics []struct {
			Classic []string
			Waiting []struct{ Classic []string }
		}
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, d := range report.Diagnostics {
		for _, line := range d.Classic {
			listed[line+"\n"] = true
		}
		for _, w := range d.Waiting {
			for _, line := range w.Classic {
				listed[line+"\n"] = true
			}
		}
	}
	for line := range strings.Lines(classic) {
		if !have[line] {
			t.Errorf("the rich report lacks %q", line)
		}
		if strings.HasPrefix(line, "\t") && !listed[line] {
			t.Errorf("the JSON report lacks %q", line)
		}
	}
}

// TestReportsOfAllCases runs the cases of the language that fail: their reports
// have every classic line, and follow the schema, too.
func TestReportsOfAllCases(t *testing.T) {
	schema := schemas(t)["json"]
	root, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, area := range areas {
		if _, err := os.Stat(filepath.Join(root, area)); err != nil || area == "diff" {
			continue
		}
		eachCase(t, filepath.Join(root, area), func(name string, a *txtar.Archive) {
			in := mistake(a)
			if in == nil || in.args[0] != "merge" {
				return
			}
			t.Run(area+"/"+name, func(t *testing.T) {
				t.Setenv(formatVariable, "classic")
				_, classic, status := in.run(t)
				if status != exitFailed {
					return
				}
				classicLines(t, in, classic)
				t.Setenv(formatVariable, "json")
				_, text, _ := in.run(t)
				doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
				if err == nil {
					err = schema.Validate(doc)
				}
				if err != nil {
					t.Errorf("%v\n%s", err, text)
				}
			})
		})
	}
}

// TestExplain: every code has its text, small letters do, and what is no code
// is refused.
func TestExplain(t *testing.T) {
	for _, g := range diag.Catalogue {
		for _, e := range g.Entries {
			in := invocation{args: []string{"explain", strings.ToLower(string(e.Code))}}
			stdout, _, status := in.run(t)
			if status != exitOK || !strings.Contains(stdout, e.Cause) || !strings.Contains(stdout, e.Fix) {
				t.Errorf("%s: exit status %d\n%s", e.Code, status, stdout)
			}
		}
	}
	in := invocation{args: []string{"explain", "E999"}}
	if _, stderr, status := in.run(t); status != exitUsage || !strings.Contains(stderr, `"E999" is no code`) {
		t.Errorf("exit status %d\n%s", status, stderr)
	}
}

// TestEmptyReports: json and sarif print a document also if all is well, the
// others nothing.
func TestEmptyReports(t *testing.T) {
	schema := schemas(t)
	for _, f := range formats {
		in := invocation{args: []string{"check", "--error-format=" + f.name, "t.yml"}, files: []txtar.File{{Name: "t.yml", Data: []byte("a: 1\n")}}}
		stdout, stderr, status := in.run(t)
		if status != exitOK || stdout != "" || (stderr == "") == f.always {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q", f.name, status, stdout, stderr)
		}
		if s := schema[f.name]; s != nil {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(stderr))
			if err == nil {
				err = s.Validate(doc)
			}
			if err != nil {
				t.Errorf("%s: %v", f.name, err)
			}
		}
	}
}

// TestColor: escape sequences only where they are asked for, and without them
// the text is the same.
func TestColor(t *testing.T) {
	t.Setenv(formatVariable, "rich")
	run := func(flag string) string {
		in := invocation{args: []string{"merge", flag, "t.yml"}, files: []txtar.File{{Name: "t.yml", Data: []byte("a: (( b ))\n")}}}
		_, stderr, _ := in.run(t)
		return stderr
	}
	plain, colored := run("--color=auto"), run("--color=always")
	if strings.Contains(plain, "\x1b") || plain != run("--color=never") {
		t.Errorf("colours although this is no terminal: %q", plain)
	}
	if !strings.Contains(colored, "\x1b[1;31merror[E201]\x1b[0m") {
		t.Errorf("no colours: %q", colored)
	}
	if got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(colored, ""); got != plain {
		t.Errorf("without its colours the text is\n%s\nwant\n%s", got, plain)
	}
}
