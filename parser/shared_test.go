// SPDX-License-Identifier: Apache-2.0

package parser_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/dynaml/spiff/parser"
)

// shared holds the cases that the classic programs were observed on. It lies
// beside the checkout and is no part of it.
const shared = "../../shared"

func sharedPath(t *testing.T, name string) string {
	path := filepath.Join(shared, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the observed cases are not here: %v", err)
	}
	return path
}

// TestConformance parses the expressions of all cases whose subject is the
// parser.
func TestConformance(t *testing.T) {
	f, err := os.Open(sharedPath(t, "conformance/cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	parsed := 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c struct {
			ID, Kind, Scope string
			CLI             struct{ Files map[string]string }
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if c.Kind != "parse" || c.Scope != "seed" {
			continue
		}
		for name, text := range c.CLI.Files {
			n, err := parseAll([]byte(text))
			parsed += n
			if err != nil {
				t.Errorf("%s: %s: %v", c.ID, name, err)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
	if parsed == 0 {
		t.Error("found no expressions")
	}
	t.Logf("%d expressions", parsed)
}

// otherLanguage are the beginnings of the names of sets that use the extensions
// of spiff++.
var otherLanguage = []string{"garden", "landscape", "spiffpp"}

// TestRealWorld parses the expressions of the manifests that people merge.
func TestRealWorld(t *testing.T) {
	root := sharedPath(t, "realworld/cases")
	parsed := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		isOther := slices.ContainsFunc(otherLanguage, func(p string) bool { return strings.HasPrefix(d.Name(), p) })
		switch {
		case err != nil:
			return err
		case d.IsDir() && isOther:
			return fs.SkipDir
		case filepath.Ext(path) != ".yml" || strings.HasPrefix(d.Name(), "expected"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n, err := parseAll(text)
		parsed += n
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if parsed == 0 {
		t.Error("found no expressions")
	}
	t.Logf("%d expressions", parsed)
}

// parseAll parses every expression in the first document of a YAML text and
// returns their number.
func parseAll(text []byte) (n int, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return 0, nil // what is no YAML has no expressions
	}
	var visit func(*yaml.Node) error
	visit = func(node *yaml.Node) error {
		if v := node.Value; len(v) >= 4 && strings.HasPrefix(v, "((") && strings.HasSuffix(v, "))") && v[2] != '!' {
			n++
			if _, err := parser.Parse(v[2 : len(v)-2]); err != nil {
				return fmt.Errorf("line %d: %s: %w", node.Line, v, err)
			}
		}
		for _, child := range node.Content {
			if err := visit(child); err != nil {
				return err
			}
		}
		return nil
	}
	return n, visit(&doc)
}

// accepted are the expressions in the observations that the classic parser
// rejects and this one does not.
var accepted = map[string]string{
	`"a\qb"`: "only the newest program has escapes other than for the quotation mark, and fails at unknown ones",
}

// TestObservedExpressions compares with what the classic programs said about
// each expression: whether it parses and, if not, what the first part of the
// message is.
func TestObservedExpressions(t *testing.T) {
	text, err := os.ReadFile(sharedPath(t, "spec/cases/expr.out"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		expr, result := cutResult(line)
		if expr == "" {
			continue
		}
		_, err := parser.Parse(" " + expr + " ")
		_, classic, rejected := strings.Cut(result, "*parse error near ")
		switch {
		case accepted[expr] != "":
			if err != nil {
				t.Errorf("%s: %v, though %s", expr, err, accepted[expr])
			}
		case rejected && err == nil:
			t.Errorf("%s parses, want: parse error near %s", expr, classic)
		case !rejected && err != nil:
			t.Errorf("%s: %v", expr, err)
		case rejected && !strings.HasPrefix(err.Error(), "parse error near "+strings.TrimSuffix(classic, "\n")+": "):
			t.Errorf("%s: got %v, want: parse error near %s", expr, err, classic)
		}
	}
}

// cutResult splits a line of expr.out, which has the expression in a column of
// fixed width that long ones exceed. The expression is empty for lines with
// further results of the one before.
func cutResult(line string) (expr, result string) {
	const column = 45
	if len(line) < column {
		return "", ""
	}
	expr, result, found := strings.Cut(line[column:], " => ")
	if !found {
		return "", ""
	}
	return strings.TrimSpace(line[:column] + expr), result
}
