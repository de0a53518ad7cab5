// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/internal/golden"
	"github.com/dynaml/spiff/internal/ordertest"
	"github.com/dynaml/spiff/value"
)

// check formats a text and checks that nothing is lost: reading gives the same
// tree, formatting again changes nothing, and outside of expressions only white
// space and nothing else has changed. It reports whether the text was formatted.
func check(t *testing.T, name, text string) bool {
	t.Helper()
	r, err := Source(diag.NewSource(name, text))
	if err != nil {
		return false
	}
	if r.Left != nil {
		if r.Text != text {
			t.Errorf("%s: left as it is, and yet changed", name)
		}
		t.Log(r.Left)
		return false
	}
	before, err := read(diag.NewSource(name, text))
	if err != nil {
		t.Fatal(err)
	}
	after, err := read(diag.NewSource(name, r.Text))
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, r.Text)
		return true
	}
	if differ(before, after) {
		t.Errorf("%s: the tree has changed\n%s", name, r.Text)
	}
	again, err := Source(diag.NewSource(name, r.Text))
	if err != nil || again.Left != nil || again.Text != r.Text {
		t.Errorf("%s: formatted again it changes (%v, %v)\n%s\n--- again\n%s", name, err, again.Left, r.Text, again.Text)
	}
	if got, want := ink(r.Text), ink(text); got != want {
		t.Errorf("%s: more than white space has changed: %s", name, firstDifference(got, want))
	}
	if got, want := comments(r.Text), comments(text); !slices.Equal(got, want) {
		t.Errorf("%s: comments %q, want %q", name, got, want)
	}
	return true
}

// ink returns a text without white space, its expressions in canonical form.
func ink(text string) string {
	tr, err := read(diag.NewSource("", text))
	if err != nil {
		return err.Error()
	}
	// All nodes of the store count: those of duplicate keys are not in the tree.
	exprs := map[int][2]string{} // by offset: how it is written, its canonical text
	c := comparison{canonical: map[string]string{}}
	for id := value.ID(1); int(id) <= tr.s.Len(); id++ {
		n := tr.s.Node(id)
		if n.Kind != value.Expr {
			continue
		}
		start, end := int(n.Start), int(n.End)
		if q := text[start]; q == '"' || q == '\'' {
			start, end = start+1, end-1
		}
		exprs[start] = [2]string{text[start:end], c.print(tr.s.Text(n))}
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if e, ok := exprs[i]; ok {
			b.WriteString(strings.Join(strings.Fields(e[1]), ""))
			i += len(e[0]) - 1
		} else if strings.IndexByte(" \t\r\n", text[i]) < 0 {
			b.WriteByte(text[i])
		}
	}
	return strings.TrimPrefix(b.String(), bom)
}

// comments returns the rest of each line behind a # that may begin a comment,
// without its blanks. It also finds those that are part of a text.
func comments(text string) (all []string) {
	for line := range strings.Lines(text) {
		for i := range line {
			if line[i] == '#' && (i == 0 || isBlank(line[i-1])) {
				all = append(all, strings.Join(strings.Fields(line[i:]), ""))
			}
		}
	}
	return all
}

func firstDifference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return "got " + a[max(0, i-20):min(len(a), i+40)] + ", want " + b[max(0, i-20):min(len(b), i+40)]
}

// tally counts what became of the texts that a test formats.
type tally struct{ formatted, left int }

func (n *tally) add(t *testing.T, name, text string) {
	if check(t, name, text) {
		n.formatted++
	} else {
		n.left++
	}
}

// Every file in the archives of testdata.
func TestNeutralForTestdata(t *testing.T) {
	var n tally
	err := filepath.WalkDir("../testdata", func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		a, err := txtar.ParseFile(path)
		if err != nil {
			return err
		}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".yml") {
				n.add(t, path+":"+f.Name, string(f.Data))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d formatted, %d left as they are", n.formatted, n.left)
	if n.formatted < 10*n.left {
		t.Errorf("%d texts are formatted, but %d are not", n.formatted, n.left)
	}
}

// Every input of the real manifest sets: all are formatted.
func TestNeutralForRealManifests(t *testing.T) {
	files, err := filepath.Glob("../../shared/realworld/cases/*/*.yml")
	if err != nil || len(files) == 0 {
		t.Skip("../shared/realworld is not there")
	}
	var n tally
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n.add(t, file, string(text))
	}
	if n.left > 0 {
		t.Errorf("%d texts are not formatted", n.left)
	}
	t.Logf("%d formatted, %d left as they are", n.formatted, n.left)
}

// Every file of the conformance cases.
func TestNeutralForConformance(t *testing.T) {
	f, err := os.Open("../../shared/conformance/cases.jsonl")
	if err != nil {
		t.Skip("../shared/conformance is not there")
	}
	defer f.Close()
	var n tally
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c struct {
			ID  string
			CLI struct{ Files map[string]string }
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		for name, text := range c.CLI.Files {
			n.add(t, c.ID+":"+name, text)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d formatted, %d left as they are", n.formatted, n.left)
}

// The YAML of the test suite: most of it is not formatted, but none is damaged.
func TestNeutralForYAMLSuite(t *testing.T) {
	files, err := filepath.Glob("../../shared/yaml-test-suite/*.yaml")
	if err != nil || len(files) == 0 {
		t.Skip("../shared/yaml-test-suite is not there")
	}
	special := strings.NewReplacer("␣", " ", "————»", "\t", "———»", "\t", "——»", "\t", "—»", "\t", "»", "\t", "↵", "", "∎\n", "", "←", "\r", "⇔", "\ufeff")
	var n tally
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n.add(t, file, string(text))
		var cases []struct{ YAML string }
		if err := yaml.Unmarshal(text, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			n.add(t, file+" case", special.Replace(c.YAML))
		}
	}
	t.Logf("%d formatted, %d left as they are", n.formatted, n.left)
}

// A position is what the layout may change in reports: where something stands.
var position = regexp.MustCompile(`:[0-9]+:[0-9]+`)

func isReport(outcome string) bool { return strings.HasPrefix(outcome, "unresolved nodes:") }

// sameMerge merges files as they are and formatted.
func sameMerge(t *testing.T, name string, files []txtar.File) {
	t.Helper()
	formatted := slices.Clone(files)
	for i, f := range files {
		if r, err := Source(diag.NewSource(f.Name, string(f.Data))); err == nil && strings.HasSuffix(f.Name, ".yml") {
			formatted[i].Data = []byte(r.Text)
		}
	}
	want := position.ReplaceAllString(ordertest.Result(files), "")
	got := position.ReplaceAllString(ordertest.Result(formatted), "")
	if isReport(got) && isReport(want) && strings.Count(got, "\n") == strings.Count(want, "\n") {
		return // reports quote expressions as they are written
	}
	if got != want {
		t.Errorf("%s: the merge differs: %s", name, firstDifference(got, want))
	}
}

// Merging formatted files gives the same bytes, or a report of the same nodes.
func TestMergesStay(t *testing.T) {
	sets, err := golden.OwnSets("../testdata")
	if err != nil || len(sets) == 0 {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	for _, set := range sets {
		sameMerge(t, set.Name, set.Files)
	}
}

func TestRealMergesStay(t *testing.T) {
	sets, err := golden.RealSets("../../shared/realworld/cases")
	if err != nil {
		t.Fatal(err)
	}
	if len(sets) == 0 {
		t.Skip("../shared/realworld is not there")
	}
	for _, set := range sets {
		sameMerge(t, set.Name, set.Files)
	}
}
