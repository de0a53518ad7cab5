// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// suite is a folder with the public YAML test suite. It is not part of the
// repository.
const suite = "../../shared/yaml-test-suite"

// A suiteCase is one case of the suite: a text, and the events of its nodes
// unless it is no YAML.
type suiteCase struct {
	Yaml string `yaml:"yaml"`
	Tree string `yaml:"tree"`
	Fail bool   `yaml:"fail"`
}

// visible are the marks that the suite uses for what cannot be seen, and tabs
// those for tabs, which have the length of the tab.
var (
	visible = strings.NewReplacer("␣", " ", "↵", "", "∎\n", "", "←", "\r", "⇔", "\ufeff")
	tabs    = regexp.MustCompile("—*»")
)

// TestSuite reads all cases of the suite. Where the text is YAML, the nodes must
// be those of its events, with plain scalars typed by our rules; where it is
// not, it must be refused. Each exception is listed with its reason.
func TestSuite(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(suite, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Skipf("%s is not there", suite)
	}
	ran, direct := 0, 0
	for _, file := range files {
		for i, c := range suiteCases(t, file) {
			name := fmt.Sprintf("%s/%d", strings.TrimSuffix(filepath.Base(file), ".yaml"), i)
			res, problem := runSuiteCase(c)
			ran++
			if problem == "" && !c.Fail && !res.Library {
				direct++
			}
			switch reason := suiteExceptions[name]; {
			case problem != "" && reason == "":
				t.Errorf("%s: %s\n%s", name, problem, c.Yaml)
			case problem == "" && reason != "":
				t.Errorf("%s passes, though %s", name, reason)
			}
		}
	}
	t.Logf("%d cases, %d exceptions, %d read without the library", ran, len(suiteExceptions), direct)
}

// suiteCases returns the cases of a file. A case without a text has the one of
// the case before.
func suiteCases(t *testing.T, file string) []suiteCase {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []suiteCase
	if err := yaml.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		c := &cases[i]
		if c.Yaml == "" && i > 0 {
			c.Yaml = cases[i-1].Yaml
		}
		if c.Tree == "" && i > 0 && !c.Fail {
			c.Tree = cases[i-1].Tree
		}
		c.Yaml = visible.Replace(tabs.ReplaceAllString(c.Yaml, "\t"))
	}
	return cases
}

// runSuiteCase says what is wrong with the result for a case.
func runSuiteCase(c suiteCase) (res Result, problem string) {
	s := value.NewStore()
	res, err := Read(s, diag.NewSource("in.yml", c.Yaml))
	switch {
	case c.Fail && err == nil:
		return res, "is read, though it is no YAML"
	case c.Fail:
		return res, ""
	case err != nil:
		return res, err.Error()
	}
	var got strings.Builder
	if !res.Empty || strings.Contains(c.Tree, "+DOC") {
		for _, id := range res.Docs {
			outline(&got, s, id)
		}
	}
	if want := expected(c.Tree); got.String() != want {
		return res, fmt.Sprintf("got\n%swant\n%s", got.String(), want)
	}
	return res, ""
}

// outline prints a tree, one line for each scalar and each bracket.
func outline(b *strings.Builder, s *value.Store, id value.ID) {
	n := s.Node(id)
	switch n.Kind {
	case value.List:
		b.WriteString("[\n")
		for _, e := range s.Elems(n) {
			outline(b, s, e)
		}
		b.WriteString("]\n")
	case value.Map:
		b.WriteString("{\n")
		for i, k := range s.Keys(n) {
			fmt.Fprintf(b, "%q:\n", s.Name(k))
			outline(b, s, s.Vals(n)[i])
		}
		b.WriteString("}\n")
	default:
		v := s.Load(id)
		fmt.Fprintf(b, "%s %d %q\n", n.Kind, v.Num, v.Str)
	}
}

// expected prints the events of a case like outline.
func expected(tree string) string {
	e := events{anchored: map[string]string{}}
	for line := range strings.Lines(tree) {
		e.add(strings.Trim(line, " \n"))
	}
	return e.out.String()
}

// events turns a stream of events into an outline.
type events struct {
	out      strings.Builder
	open     []level
	anchored map[string]string
}

// A level is a list or map that is not complete.
type level struct {
	mapping bool
	n       int // children so far, keys and values
	anchor  string
	start   int // where it begins in the output
}

func (e *events) add(line string) {
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "+SEQ", "+MAP":
		anchor, _ := cutProperties(strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(rest, "[]"), "{}"), " "))
		e.child()
		e.open = append(e.open, level{mapping: kind == "+MAP", anchor: anchor, start: e.out.Len()})
		e.out.WriteString(map[string]string{"+SEQ": "[\n", "+MAP": "{\n"}[kind])
	case "-SEQ", "-MAP":
		last := len(e.open) - 1
		e.out.WriteString(map[string]string{"-SEQ": "]\n", "-MAP": "}\n"}[kind])
		if a := e.open[last].anchor; a != "" {
			e.anchored[a] = e.out.String()[e.open[last].start:]
		}
		e.open = e.open[:last]
	case "=VAL":
		anchor, rest := cutProperties(rest)
		e.scalar(anchor, rest)
	case "=ALI":
		key := e.child()
		text := e.anchored[strings.TrimPrefix(rest, "*")]
		if key {
			_, text, _ = strings.Cut(strings.TrimSuffix(text, "\n"), " 0 ")
			text += ":\n"
		}
		e.out.WriteString(text)
	}
}

// child counts a child of the innermost list or map. It reports whether the
// child is a key.
func (e *events) child() bool {
	if len(e.open) == 0 {
		return false
	}
	l := &e.open[len(e.open)-1]
	l.n++
	return l.mapping && l.n%2 == 1
}

// scalar adds a scalar, given by the sign of its style and its text.
func (e *events) scalar(anchor, t string) {
	style, t := t[0], unmark.Replace(t[1:])
	v := text(t)
	if style == ':' {
		v = resolve(t)
	}
	if v.kind == value.String && value.LooksLikeExpr(t) {
		v.kind = value.Expr
	}
	line := fmt.Sprintf("%s %d %q\n", v.kind, int64(v.pay), v.text)
	if anchor != "" {
		e.anchored[anchor] = line
	}
	if e.child() {
		line = fmt.Sprintf("%q:\n", t)
	}
	e.out.WriteString(line)
}

// cutProperties cuts the anchor and the tag from an event.
func cutProperties(t string) (anchor, rest string) {
	for {
		switch {
		case strings.HasPrefix(t, "&"):
			anchor, t, _ = strings.Cut(t[1:], " ")
		case strings.HasPrefix(t, "<"):
			_, t, _ = strings.Cut(t, "> ")
		default:
			return anchor, t
		}
	}
}

// unmark undoes the escapes in the texts of events.
var unmark = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\b`, "\b", "␣", " ")

// suiteExceptions are the cases that come out otherwise, by the reason. Most are
// YAML 1.2 where the library, to which rare constructs are left, knows 1.1.
var suiteExceptions = byCase(map[string]string{
	"keys are strings here: no list or map is one": "4FJ6/0 6BFJ/0 6PBE/0 9MMW/0 KK5P/0 LX3P/0 M2N8/1 " +
		"M5DY/0 Q9WF/0 RZP5/0 SBG9/0 V9D5/0 X38W/0 XW4D/0",
	"keys are strings here: no number, truth value or null is one (semantics 8)": "74H7/0 C4HZ/0 DFF7/0 FH7J/0 PW8X/0",
	"%YAML 1.2 is a version that the library refuses":                            "27NA/0 6ZKB/0 9DXL/0 BEC7/0 DK95/7 RTP8/0 W4TN/0",
	"the library refuses directives that it does not know":                       "2LFX/0 6LVF/0 M7A3/0 MUS6/5 MUS6/6 ZYU8/0 ZYU8/1 ZYU8/2 ZYU8/3",
	"the library wants the colon on the line of the key, and a blank behind it": "4MUZ/0 4MUZ/1 4MUZ/2 5MUD/0 5T43/0 " +
		"9SA2/0 K3WX/0 NJ66/0 UT92/0 VJP3/1 WZ62/0 58MP/0",
	"the library knows no plain scalar in brackets that begins with a colon or question mark": "652Z/0 CFD4/0 DBG4/0 FRK4/0 HM87/0 HM87/1 HWV9/0 JR7V/0 QT73/0",
	"the library takes a colon before a comma for text":                                       "4ABK/0",
	"the library knows anchors of letters, digits, dashes and underscores only":               "2SXE/0 8XYN/0 W5VH/0 Y2GN/0",
	"the library knows no key that is empty, or that only an anchor or tag stands for":        "2JQS/0 6M2F/0 M2N8/0 NHX8/0 NKF9/0 S3PD/0 SM9W/1 UKK6/0",
	"the library refuses tabs here":                                                           "6BCT/0 6CA3/0 96NN/0 96NN/1 A2M4/0 DK95/0 DK95/3 DK95/4 Q5MG/0 R4YG/0 Y79Y/1 Y79Y/10",
	"the library wants --- before every document but the first":                               "7Z25/0 DK3J/0 FP8R/0",
	"the library knows no escape of a slash":                                                  "3UYS/0",
	"the library drops blanks at the end of a file":                                           "JEF9/2 L24T/1",
	"the library does not look at the indentation of lines in brackets and quotes":            "9C9N/0 DK95/1 QB6E/0 Y79Y/3",
	"the library needs no blank before a comment":                                             "9JBA/0 CVW2/0 MUS6/0 SU5Z/0 X4QW/0",
	"the library is lenient with directives":                                                  "9HCY/0",
	"the library takes a dash and a comma between brackets for text":                          "G5U8/0 U99R/0 YJV2/0",
	"the library knows escapes that YAML has not":                                             "HRE5/0",
	"the library takes empty lines with more blanks than text for text":                       "S98Z/0",
})

func byCase(reasons map[string]string) map[string]string {
	cases := map[string]string{}
	for reason, names := range reasons {
		for _, name := range strings.Fields(names) {
			cases[name] = reason
		}
	}
	return cases
}
