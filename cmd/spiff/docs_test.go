// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/internal/golden"
	"golang.org/x/tools/txtar"
)

// The language reference is a test: its examples are run, and its part on
// functions is made from builtin.Table and testdata/docs/functions.
//
//	SPIFF_UPDATE=1 go test ./cmd/spiff -run TestLanguage    rewrites both

var updateDocs = os.Getenv("SPIFF_UPDATE") != ""

// docsPaths returns the absolute paths of the reference and of the examples of
// functions; cases run in folders of their own.
func docsPaths(t *testing.T) (language, functions string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "docs", "language.md"), filepath.Join(root, "testdata", "docs", "functions")
}

// The marks around the generated part.
const (
	beginFunctions = "<!-- functions: generated -->\n"
	endFunctions   = "<!-- end -->\n"
)

func TestLanguageFunctions(t *testing.T) {
	language, functions := docsPaths(t)
	t.Run("examples", func(t *testing.T) { golden.Run(t, functions, runCase) })
	before, rest, ok := strings.Cut(readText(t, language), beginFunctions)
	got, after, ok2 := strings.Cut(rest, endFunctions)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks %q and %q", language, beginFunctions, endFunctions)
	}
	want := functionsText(t, functions)
	switch {
	case got == want:
	case updateDocs:
		writeText(t, language, before+beginFunctions+want+endFunctions+after)
	default:
		t.Errorf("%s is not what builtin.Table and %s give; SPIFF_UPDATE=1 rewrites it", language, functions)
	}
}

// functionsText returns the generated part: a list of all functions, and a
// section for each.
func functionsText(t *testing.T, dir string) string {
	t.Helper()
	var list, sections strings.Builder
	for _, row := range builtin.Table {
		fmt.Fprintf(&list, "* [`%s`](#%s)\n", signature(row), row.Name)
		fmt.Fprintf(&sections, "\n### %s\n\n`%s`\n\n%s\n", row.Name, typedSignature(row), wrap(row.Doc))
		example, err := txtar.ParseFile(filepath.Join(dir, row.Name+".txtar"))
		if err != nil {
			t.Fatalf("every function needs an example: %v", err)
		}
		sections.WriteString(exampleText(example))
	}
	return list.String() + sections.String()
}

// signature returns "split(separator, text[, limit])".
func signature(row builtin.Row) string {
	return rowSignature(row, func(arg string) string {
		name, _, _ := strings.Cut(arg, ":")
		return name
	})
}

// typedSignature returns the signature with the kinds of arguments and result.
func typedSignature(row builtin.Row) string {
	return rowSignature(row, func(arg string) string { return arg }) + " -> " + row.Result
}

func rowSignature(row builtin.Row, show func(arg string) string) string {
	var b strings.Builder
	optional := 0
	for i, arg := range row.Args {
		sep := ", "
		if i == 0 {
			sep = ""
		}
		if i >= row.Min {
			optional++
			sep = "[" + sep
		}
		b.WriteString(sep + show(arg))
	}
	if row.Max < 0 {
		b.WriteString(", ...")
	}
	return row.Name + "(" + b.String() + strings.Repeat("]", optional) + ")"
}

// exampleText returns an archive as blocks of the reference. Its comment stands
// before them if there is more than one file.
func exampleText(a *txtar.Archive) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(string(a.Comment)))
	for _, f := range a.Files {
		lang, name := "yaml", f.Name
		switch filepath.Ext(name) {
		case ".yml", ".yaml":
		default:
			lang = "text"
		}
		switch name {
		case "args":
			continue
		case "want.yml":
			name = "result"
		case "want.err":
			lang, name = "text", "error"
		}
		fmt.Fprintf(&b, "\n```%s %s\n%s```\n", lang, name, f.Data)
	}
	return b.String()
}

// wrap breaks a paragraph into lines of the width of this file's comments.
func wrap(text string) string {
	const width = 80
	var b strings.Builder
	n := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case n+1+len(word) > width:
			b.WriteByte('\n')
			n = 0
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += len(word)
	}
	return b.String()
}

// An example is a group of blocks in the reference: files, and what merging
// them prints. Files named template... and stub... are merged in order, the
// others are only there to be read.
//
//	```yaml NAME       a file
//	```text NAME       a file
//	```text args       the command line, in place of a merge of those files
//	```text env        environment variables, NAME=value
//	```yaml result     standard output; ends the example
//	```text error      standard error of a merge that fails; ends the example
type example struct {
	section string // the heading above
	line    int    // of the first block
	in      invocation
	wants   string // "result" or "error"
	want    string
	from    int // where want stands in the text
}

var (
	blocks  = regexp.MustCompile("(?m)^```(yaml|text) ([^ \n]+)\n((?s:.*?))^```$")
	heading = regexp.MustCompile(`(?m)^(#+) (.*)$`)
)

// examplesOf finds the examples in the text of the reference.
func examplesOf(t *testing.T, text string) []*example {
	t.Helper()
	var all []*example
	var e *example
	var args []string
	for _, at := range blocks.FindAllStringSubmatchIndex(text, -1) {
		name, body := text[at[4]:at[5]], text[at[6]:at[7]]
		if e == nil {
			e = &example{line: 1 + strings.Count(text[:at[0]], "\n"), in: invocation{args: []string{"merge"}}}
			if h := heading.FindAllStringSubmatch(blocks.ReplaceAllString(text[:at[0]], ""), -1); h != nil {
				e.section = h[len(h)-1][2]
			}
		}
		switch name {
		case "result", "error":
			e.wants, e.want, e.from = name, body, at[6]
			if args != nil {
				e.in.args = args
			}
			all = append(all, e)
			e, args = nil, nil
		case "args":
			args = strings.Fields(body)
		case "env":
			e.in.env = body
		default:
			e.in.files = append(e.in.files, txtar.File{Name: name, Data: []byte(body)})
			if strings.HasPrefix(name, "template") || strings.HasPrefix(name, "stub") {
				e.in.args = append(e.in.args, name)
			}
		}
	}
	if e != nil {
		t.Errorf("line %d: the example has no result", e.line)
	}
	return all
}

func TestLanguageExamples(t *testing.T) {
	language, _ := docsPaths(t)
	testExamples(t, language)
}

// testExamples runs the examples of a document.
func testExamples(t *testing.T, file string) {
	t.Helper()
	text := readText(t, file)
	examples := examplesOf(t, text)
	if len(examples) == 0 {
		t.Fatalf("%s has no examples", file)
	}
	var b strings.Builder
	done := 0
	for _, e := range examples {
		got := e.want
		t.Run(fmt.Sprintf("%s/line %d", e.section, e.line), func(t *testing.T) { got = e.check(t) })
		b.WriteString(text[done:e.from] + got)
		done = e.from + len(e.want)
	}
	b.WriteString(text[done:])
	if updateDocs && b.String() != text {
		writeText(t, file, b.String())
	}
}

// check runs an example and returns what it should say.
func (e *example) check(t *testing.T) string {
	stdout, stderr, status := e.in.run(t)
	got := stdout
	if e.wants == "error" {
		got = stderr
	}
	if failed := status != exitOK; failed != (e.wants == "error") {
		t.Fatalf("exit status %d\n%s%s", status, stdout, stderr)
	}
	if got != e.want && !updateDocs {
		t.Errorf("got\n%swant\n%s", got, e.want)
	}
	return got
}

// Every section shows an example, and every link within the reference leads to
// a section.
func TestLanguageSections(t *testing.T) {
	language, _ := docsPaths(t)
	text := readText(t, language)
	shown := map[string]bool{}
	for _, e := range examplesOf(t, text) {
		shown[e.section] = true
	}
	prose := blocks.ReplaceAllString(text, "")
	anchors := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(prose, -1) {
		if h[1] == "###" && !shown[h[2]] {
			t.Errorf("section %q has no example", h[2])
		}
		a := anchor(h[2])
		if anchors[a] {
			t.Errorf("two sections have the anchor %q", a)
		}
		anchors[a] = true
	}
	for _, l := range regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(prose, -1) {
		if !anchors[l[1]] {
			t.Errorf("link to #%s, but there is no such section", l[1])
		}
	}
}

// anchor returns the name that the usual Markdown renderers give a heading.
func anchor(title string) string {
	title = regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(title), "")
	return strings.ReplaceAll(title, " ", "-")
}

func readText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeText(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
