// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dynaml/spiff/internal/follow"
	"gopkg.in/yaml.v3"
)

// The documents for newcomers are followed: their files are written, their
// commands are run by a shell, and what these print is compared.
//
//	SPIFF_UPDATE=1 go test ./cmd/spiff -run TestFollow    rewrites what they print

// A followed document.
type followedDoc struct {
	file     string
	sections bool // every section of level 2 begins in an empty folder
	// The programs that sections need and not every machine has; the sections are
	// left out there.
	needs map[string]string
}

var followedDocs = []followedDoc{
	{file: "docs/tutorial.md"},
	{file: "docs/howto.md", sections: true},
	{file: "docs/ci.md", sections: true, needs: map[string]string{"GitLab": "jq"}},
	{file: "docs/migrating.md", sections: true},
	{file: "docs/scale.md", needs: map[string]string{"A batch file": "tar"}},
}

func TestFollow(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a POSIX shell:", err)
	}
	// A program of the reader finds this tree, as if he had got the module.
	work := filepath.Join(t.TempDir(), "go.work")
	writeText(t, work, fmt.Sprintf("go 1.26.0\nuse %q\n", rootDir(t)))
	env := append(readerEnv(filepath.Dir(buildBinary(t))), "GOWORK="+work)
	for _, d := range followedDocs {
		t.Run(filepath.Base(d.file), func(t *testing.T) { d.follow(t, env) })
	}
}

// The README begins with a clone of the repository and the build from it, which
// takes longer than all other documents. Git finds this tree in place of the
// public repository.
func TestFollowReadme(t *testing.T) {
	if os.Getenv("SPIFF_FOLLOW_README") == "" {
		t.Skip("clones and builds what is committed; .ci/follow does that")
	}
	root := rootDir(t)
	bin := t.TempDir()
	env := append(readerEnv(bin), "GOBIN="+bin,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+root+".insteadOf", "GIT_CONFIG_VALUE_0=https://github.com/dynaml/spiff")
	followedDoc{file: "README.md"}.follow(t, env)
}

// readerEnv is the environment of somebody who has the programs of a folder
// and no settings.
func readerEnv(bin string) []string {
	env := []string{"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")}
	for _, v := range os.Environ() {
		if !regexp.MustCompile(`^(PATH|SPIFF_.*|GIT_.*|NO_COLOR)=`).MatchString(v) {
			env = append(env, v)
		}
	}
	return env
}

func (d followedDoc) follow(t *testing.T, env []string) {
	t.Helper()
	file := filepath.Join(rootDir(t), filepath.FromSlash(d.file))
	text := readText(t, file)
	steps, err := follow.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	parts := [][]follow.Step{steps}
	if d.sections {
		parts = follow.Sections(steps)
	}
	var outputs []string
	commands := 0
	for _, part := range parts {
		if program := d.needs[part[0].Section]; !installed(program) {
			t.Logf("%s: section %s is left out: there is no %s here", d.file, part[0].Section, program)
			outputs = append(outputs, wanted(part)...)
			continue
		}
		printed, problems, err := follow.Run(t.Context(), part, t.TempDir(), env)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, p := range problems {
			if !updateDocs {
				t.Errorf("%s: %s", file, p)
			} else if strings.Contains(p, "\nexit status ") {
				t.Errorf("%s: not rewritten: %s", file, p)
			}
		}
		for _, s := range part {
			if s.File == "" {
				commands++
			}
		}
		outputs = append(outputs, printed...)
	}
	if commands == 0 {
		t.Fatalf("%s has no commands", file)
	}
	if got := follow.Rewrite(text, steps, outputs); updateDocs && got != text && !t.Failed() {
		writeText(t, file, got)
	}
}

// installed reports whether a program can be run, which is true of none.
func installed(program string) bool {
	if program == "" {
		return true
	}
	_, err := exec.LookPath(program)
	return err == nil
}

// wanted returns the outputs that a document has.
func wanted(steps []follow.Step) []string {
	var outputs []string
	for _, s := range steps {
		outputs = append(outputs, s.Want)
	}
	return outputs
}

// rootDir returns the folder of the repository.
func rootDir(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// userDocs returns the documents for users.
func userDocs(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(rootDir(t), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return append(files, filepath.Join(rootDir(t), "README.md"))
}

// Every command line of spiff that a document shows, and does not run, is one
// that the program takes.
func TestDocsCommandLines(t *testing.T) {
	n := 0
	for _, file := range userDocs(t) {
		for _, c := range follow.Calls(readText(t, file)) {
			n++
			var said strings.Builder
			args := append([]string{c.Args[0], "--help"}, c.Args[1:]...)
			if status := run(args, &env{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &said}); status != exitOK {
				t.Errorf("%s:%d: spiff %s\n%s", file, c.Line, strings.Join(c.Args, " "), said.String())
			}
		}
	}
	if n == 0 {
		t.Error("no command lines found")
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]*)\)`)

// Every relative link of a document leads to a file, and to a heading of it.
func TestDocsLinks(t *testing.T) {
	anchors := map[string]map[string]bool{}
	for _, file := range userDocs(t) {
		prose := inlineCode.ReplaceAllString(fenced.ReplaceAllString(readText(t, file), ""), "")
		for _, l := range link.FindAllStringSubmatch(prose, -1) {
			name, fragment, _ := strings.Cut(l[1], "#")
			if strings.Contains(name, "://") {
				continue
			}
			target := file
			if name != "" {
				target = filepath.Join(filepath.Dir(file), filepath.FromSlash(name))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: link to %s: %v", file, l[1], err)
				continue
			}
			if fragment == "" {
				continue
			}
			if anchors[target] == nil {
				anchors[target] = anchorsOf(t, target)
			}
			if !anchors[target][fragment] {
				t.Errorf("%s: link to %s: there is no such heading", file, l[1])
			}
		}
	}
}

var (
	fenced     = regexp.MustCompile("(?ms)^```.*?^```$")
	inlineCode = regexp.MustCompile("`[^`\n]*`")
)

// anchorsOf returns the names of the headings of a document.
func anchorsOf(t *testing.T, file string) map[string]bool {
	t.Helper()
	anchors := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(readText(t, file), ""), -1) {
		anchors[anchor(h[2])] = true
	}
	return anchors
}

// The marks around the table of commands in the README.
const beginCommands = "<!-- commands: generated -->\n"

// SPIFF_UPDATE=1 rewrites the table.
func TestReadmeCommands(t *testing.T) {
	file := filepath.Join(rootDir(t), "README.md")
	before, rest, ok := strings.Cut(readText(t, file), beginCommands)
	got, after, ok2 := strings.Cut(rest, endFunctions)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks %q and %q", file, beginCommands, endFunctions)
	}
	var want strings.Builder
	want.WriteString("| command | what it does |\n|---|---|\n")
	for _, c := range commands() {
		names := "`spiff " + strings.Join(append([]string{c.name}, c.aliases...), "`, `") + "`"
		fmt.Fprintf(&want, "| %s | %s |\n", names, c.short)
	}
	switch {
	case got == want.String():
	case updateDocs:
		writeText(t, file, before+beginCommands+want.String()+endFunctions+after)
	default:
		t.Errorf("%s does not have the commands; SPIFF_UPDATE=1 rewrites it", file)
	}
}

// The YAML of the pipelines in the documents about them is read, and the shell
// scripts in it parse. What the pipelines are for is only known to their services.
func TestPipelines(t *testing.T) {
	for _, name := range []string{"ci.md", "scale.md"} {
		scripts := 0
		for _, b := range follow.Blocks(readText(t, filepath.Join(rootDir(t), "docs", name))) {
			if b.Lang != "yaml" {
				continue
			}
			var doc any
			if err := yaml.Unmarshal([]byte(b.Body), &doc); err != nil {
				t.Errorf("docs/%s:%d: %v", name, b.Line, err)
			}
			for _, script := range scriptsOf(doc) {
				scripts++
				if out, err := exec.Command("sh", "-n", "-c", script).CombinedOutput(); err != nil {
					t.Errorf("docs/%s:%d: %v\n%s%s", name, b.Line, err, script, out)
				}
			}
		}
		if scripts == 0 {
			t.Errorf("docs/%s: no scripts found", name)
		}
	}
}

// expression is what GitHub replaces in a script before a shell sees it.
var expression = regexp.MustCompile(`\$\{\{.*?\}\}`)

// scriptsOf returns the texts in a tree of YAML that spiff is called in.
func scriptsOf(node any) []string {
	var all []string
	switch node := node.(type) {
	case string:
		if strings.Contains(node, "spiff ") || strings.Contains(node, "manifests.sh") {
			all = append(all, expression.ReplaceAllString(node, "x"))
		}
	case []any:
		for _, child := range node {
			all = append(all, scriptsOf(child)...)
		}
	case map[string]any:
		for _, child := range node {
			all = append(all, scriptsOf(child)...)
		}
	}
	return all
}
