// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// doc turns ' into `, which a raw string cannot have.
func doc(text string) string { return strings.ReplaceAll(text, "'", "`") }

const sample = `# Title

## First

The file 'a/b.txt':

'''text a/b.txt
one
'''

'''console
$ cat \
>   a/b.txt
one
$ cd a
$ cat nothing 2>/dev/null
$ echo $?
1
'''

## Second

'''sh
not run
'''

'''console
$ cat b.txt; printf '%s' end
one
end
'''

Another 'c':

'''text c
two
'''

'''console
$ cat ../a/c
two
'''
`

func TestParse(t *testing.T) {
	steps, err := Parse(doc(sample))
	if err != nil {
		t.Fatal(err)
	}
	type step struct {
		line                      int
		section, file, body, want string
	}
	want := []step{
		{8, "First", "a/b.txt", "one\n", ""},
		{12, "First", "", "cat \\\n  a/b.txt", "one\n"},
		{15, "First", "", "cd a", ""},
		{16, "First", "", "cat nothing 2>/dev/null", ""},
		{17, "First", "", "echo $?", "1\n"},
		{28, "Second", "", "cat b.txt; printf `%s` end", "one\nend\n"},
		{36, "Second", "c", "two\n", ""},
		{40, "Second", "", "cat ../a/c", "two\n"},
	}
	var got []step
	for _, s := range steps {
		got = append(got, step{s.Line, s.Section, s.File, s.Body, s.Want})
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if n := len(Sections(steps)); n != 2 {
		t.Errorf("%d sections, want 2", n)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"* an item\n\n  '''console\n  $ ls\n  '''\n":    "indented fence",
		"text\n'''console\n$ ls\n":                      "not closed",
		"Write this:\n\n'''yaml t.yml\na: 1\n'''\n":     "does not name the file `t.yml`",
		"The file 't.yml' or:\n\n'''console\nls\n'''\n": "begins with",
	} {
		if _, err := Parse(doc(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// follow runs a document and returns it as it should be.
func followed(t *testing.T, text string) (rewritten string, problems []string) {
	t.Helper()
	steps, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	outputs, problems, err := Run(t.Context(), steps, t.TempDir(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	return Rewrite(text, steps, outputs), problems
}

func TestRun(t *testing.T) {
	text := strings.Replace(doc(sample), "printf `%s` end", "printf '%s' end", 1)
	if got, problems := followed(t, text); problems != nil || got != text {
		t.Errorf("problems %q, text\n%s", problems, got)
	}
}

// What is not as the document says is found, and put right by Rewrite.
func TestRunFinds(t *testing.T) {
	tests := []struct{ console, want, right string }{
		{"$ false\n", "exit status 1", "$ false\n"},
		{"$ false\n$ echo $?\n0\n", "prints\n1\nwant\n0\n", "$ false\n$ echo $?\n1\n"},
		{"$ echo a\nb\n$ echo c\nc\n", "prints\na\nwant\nb\n", "$ echo a\na\n$ echo c\nc\n"},
		{"$ echo a\n", "prints\na\nwant\n", "$ echo a\na\n"},
		{"$ true\nb\n", "prints\nwant\nb\n", "$ true\n"},
		{"$ echo a >&2\nb\n", "prints\na\nwant\nb\n", "$ echo a >&2\na\n"},
	}
	for _, tt := range tests {
		got, problems := followed(t, doc("'''console\n"+tt.console+"'''\n"))
		if len(problems) != 1 || !strings.Contains(problems[0], tt.want) {
			t.Errorf("%q: problems %q, want %q", tt.console, problems, tt.want)
		}
		if want := doc("'''console\n" + tt.right + "'''\n"); got != want {
			t.Errorf("%q: rewritten as %q, want %q", tt.console, got, want)
		}
	}
}

func TestRunEnds(t *testing.T) {
	for _, command := range []string{"exit", "echo 'a"} {
		steps := []Step{{Line: 1, Body: command}, {Line: 2, Body: "true"}}
		if _, _, err := Run(t.Context(), steps, t.TempDir(), os.Environ()); err == nil || !strings.Contains(err.Error(), "the shell ended") {
			t.Errorf("%s: %v", command, err)
		}
	}
	steps := []Step{{Line: 1, File: filepath.Join("a", "b"), Body: "x"}}
	if _, _, err := Run(t.Context(), steps, filepath.Join(t.TempDir(), "none"), os.Environ()); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}

func TestCalls(t *testing.T) {
	text := doc("Use 'spiff diff a b', not 'spiff'.\n\n'''sh\ncat t | spiff merge --strict \\\n  - $STUB > x  # spiff\n(spiff d \"a b\")\n'''\n\n'''text\nspiff no\n'''\n")
	want := []Call{
		{4, []string{"merge", "--strict", "-", "x"}},
		{4, []string{"d", "a", "b"}},
		{1, []string{"diff", "a", "b"}},
	}
	if got := Calls(text); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
