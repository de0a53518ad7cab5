// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// observed is one merge that the classic programs were seen to do.
type observed struct {
	File    string
	Title   string
	Files   [][2]string
	Newest  outcome `json:"spiffpp"`
	Classic outcome `json:"spiff2016"`
}

type outcome struct {
	RC       int
	Out, Err string
}

// TestObservedMerges compares with all observations of the shared
// specification. A case agrees if it gives the tree, or the report lines, of
// one of the classic programs; the others stand in docs/divergences.md.
func TestObservedMerges(t *testing.T) {
	f, err := os.Open(shared(t, "golden.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	known := divergences(t)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var o observed
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			t.Fatal(err)
		}
		id, _, _ := strings.Cut(o.Title, " ")
		status, stdout, stderr := mergeFiles(t, o.Files)
		agrees := o.Newest.agrees(t, status, stdout, stderr) || o.Classic.agrees(t, status, stdout, stderr)
		if listed := known[id]; agrees == listed {
			t.Errorf("%s %s: agrees %v, listed in docs/divergences.md %v\n%s%s", o.File, o.Title, agrees, listed, stdout, stderr)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// observedDocument is what the observed expressions are evaluated in
// (semantics, notation).
const observedDocument = `i: 3
j: 7
z: 0
s: str
e: ""
b: true
ff: false
nn: ~
fl: 2.5
l: [1,2,3]
sl: [a,b,c]
m: {a: 1, b: 2}
nl: [{name: alice, age: 25}, {name: bob, age: 24}]
ip: 10.0.0.1
cidr: 10.0.0.0/24
`

var resultLine = regexp.MustCompile(`^(.*?)\s*=> (.*)$`)

// TestObservedExpressions does the same for single expressions.
func TestObservedExpressions(t *testing.T) {
	text, err := os.ReadFile(shared(t, "expr.out"))
	if err != nil {
		t.Fatal(err)
	}
	known := divergences(t)
	type observation struct{ expr, newest, classic string }
	var all []observation
	for _, line := range strings.Split(string(text), "\n") {
		if old, ok := strings.CutPrefix(strings.TrimSpace(line), "OLD: "); ok {
			all[len(all)-1].classic = old
		} else if m := resultLine.FindStringSubmatch(line); m != nil {
			all = append(all, observation{m[1], m[2], m[2]})
		}
	}
	for _, o := range all {
		quoted := strings.ReplaceAll(o.expr, "'", "''")
		status, stdout, stderr := mergeFiles(t, [][2]string{{"t.yml", observedDocument + "r: '(( " + quoted + " ))'\n"}})
		agrees := expressionAgrees(t, o.newest, status, stdout, stderr) || expressionAgrees(t, o.classic, status, stdout, stderr)
		if listed := known[o.expr]; agrees == listed {
			t.Errorf("%s: agrees %v, listed in docs/divergences.md %v\nwant %s or %s\n%s%s", o.expr, agrees, listed, o.newest, o.classic, stdout, stderr)
		}
	}
}

// shared returns the path of an observation file, or skips the test.
func shared(t *testing.T, name string) string {
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "spec", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip("../shared/spec/cases is not there")
	}
	return path
}

// divergences returns the first column of docs/divergences.md.
func divergences(t *testing.T) map[string]bool {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "divergences.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, "| `"); ok {
			id, _, _ := strings.Cut(rest, "` |")
			known[id] = true
		}
	}
	return known
}

func mergeFiles(t *testing.T, files [][2]string) (status int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	args := []string{"merge", "--error-format=classic", "--all"}
	for _, f := range files {
		if err := os.WriteFile(f[0], []byte(f[1]), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, f[0])
	}
	var out, err bytes.Buffer
	status = run(args, &env{stdin: strings.NewReader(""), stdout: &out, stderr: &err})
	return status, out.String(), err.String()
}

func (o *outcome) agrees(t *testing.T, status int, stdout, stderr string) bool {
	if (o.RC == 0) != (status == 0) {
		return false
	}
	if status == 0 {
		return sameTree(t, o.Out, stdout)
	}
	report, _, _ := strings.Cut(o.Err, "error classification")
	return containsLines(stderr, strings.Split(report, "\n")[1:])
}

// containsLines reports whether all lines occur in text, white space aside.
func containsLines(text string, lines []string) bool {
	text = strings.Join(strings.Fields(text), " ")
	for _, l := range lines {
		if !strings.Contains(text, strings.Join(strings.Fields(l), " ")) {
			return false
		}
	}
	return true
}

// lambdaText finds lambdas printed in brackets by the newest program.
var lambdaText = regexp.MustCompile(`\(\( (lambda\|.*?) \)\)`)

// sameTree compares two YAML texts. How lambdas print is decided by no. 1 of
// the decisions: brackets around them, and within them, do not count.
func sameTree(t *testing.T, a, b string) bool {
	t.Helper()
	canonical := func(text string) string {
		s := value.NewStore()
		r, err := doc.Read(s, diag.NewSource("", text))
		if err != nil {
			return text // the older program prints some that nobody can read
		}
		out, err := doc.Append(nil, s, r.Docs[0], doc.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(out, []byte("lambda|")) {
			return string(out)
		}
		text = strings.Join(strings.Fields(string(out)), " ")
		text = lambdaText.ReplaceAllString(text, "$1")
		return strings.NewReplacer("( ", "", " )", "", "(", "", ")", "", "'", "").Replace(text)
	}
	return canonical(a) == canonical(b)
}

// expressionAgrees compares with a line of expr.out: an error, <absent>, or
// YAML in which quotes stand around several lines.
func expressionAgrees(t *testing.T, want string, status int, stdout, stderr string) bool {
	t.Helper()
	if msg, ok := strings.CutPrefix(want, "ERR "); ok {
		first, _, _ := strings.Cut(msg, `\n`)
		return status != 0 && containsLines(stderr, []string{first})
	}
	if status != 0 {
		return false
	}
	if want == "<absent>" {
		return sameTree(t, observedDocument, stdout)
	}
	if n := len(want); n > 1 && want[0] == '\'' && want[n-1] == '\'' && strings.Contains(want, `\n`) {
		if sameTree(t, observedDocument+"r: "+want+"\n", stdout) {
			return true // the text really has a backslash
		}
		want = strings.ReplaceAll(want[1:n-1], `\n`, "\n")
	}
	return sameTree(t, observedDocument+"r: "+want+"\n", stdout)
}
