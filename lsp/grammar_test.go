// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dynaml/spiff/builtin"
)

const grammarFile = "../editors/textmate/dynaml.tmLanguage.json"

// A rule is a pattern of a TextMate grammar: a match, or a begin and an end with
// patterns between them, or the name of others.
type rule struct {
	Include  string           `json:"include,omitempty"`
	Name     string           `json:"name,omitempty"`
	Match    string           `json:"match,omitempty"`
	Begin    string           `json:"begin,omitempty"`
	BeginCap map[string]*rule `json:"beginCaptures,omitempty"`
	End      string           `json:"end,omitempty"`
	EndCap   map[string]*rule `json:"endCaptures,omitempty"`
	Patterns []*rule          `json:"patterns,omitempty"`
	compiled map[string]*regexp.Regexp
}

type grammar struct {
	Comment           string           `json:"comment"`
	ScopeName         string           `json:"scopeName"`
	InjectionSelector string           `json:"injectionSelector"`
	Patterns          []*rule          `json:"patterns"`
	Repository        map[string]*rule `json:"repository"`
}

// theGrammar returns the grammar. Its patterns are of the kind that Oniguruma and
// RE2 both know, so that a test can run them; that is why a name with a dash
// comes before the keywords, where others would look ahead.
func theGrammar() *grammar {
	var functions, words, constants []string
	for _, row := range builtin.Table {
		functions = append(functions, row.Name)
	}
	for _, k := range keywords {
		switch k.word {
		case "true", "false", "nil":
			constants = append(constants, k.word)
		default:
			words = append(words, k.word)
		}
	}
	words = append(words, "on", "none")
	bracket := func(name string) map[string]*rule { return map[string]*rule{"0": {Name: name}} }
	expr := []*rule{{Include: "#expression"}}
	return &grammar{
		Comment:           "Written by the test of the package lsp from the tables of functions and keywords; SPIFF_UPDATE=1 go test ./lsp writes it anew.",
		ScopeName:         "dynaml.injection.yaml",
		InjectionSelector: "L:source.yaml -comment",
		Patterns: []*rule{
			{Name: "string.unquoted.escaped.dynaml", Match: `\(\(!.*?\)\)`},
			{
				Name: "meta.embedded.inline.dynaml", Begin: `\(\(`, BeginCap: bracket("punctuation.section.embedded.begin.dynaml"),
				End: `\)\)`, EndCap: bracket("punctuation.section.embedded.end.dynaml"), Patterns: expr,
			},
		},
		Repository: map[string]*rule{"expression": {Patterns: []*rule{
			{Name: "string.quoted.double.dynaml", Begin: `\\"`, End: `\\"`},
			{Name: "string.quoted.double.dynaml", Begin: `"`, End: `"`, Patterns: []*rule{{Name: "constant.character.escape.dynaml", Match: `\\"`}}},
			{Name: "storage.modifier.dynaml", Match: `&(?:temporary|template)\b`},
			{
				Begin: `\b(` + strings.Join(functions, "|") + `)(\()`, BeginCap: map[string]*rule{"1": {Name: "support.function.dynaml"}},
				End: `\)`, Patterns: expr,
			},
			{Begin: `\(`, End: `\)`, Patterns: expr},
			{Name: "constant.numeric.address.dynaml", Match: `\b[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+\b`},
			{Name: "variable.other.member.dynaml", Match: `\.[A-Za-z0-9_][A-Za-z0-9_-]*(?::[A-Za-z0-9_][A-Za-z0-9_-]*)?`},
			{Name: "keyword.operator.logical.dynaml", Match: `-(?:or|and)\b`},
			{Name: "variable.other.dynaml", Match: `\b[A-Za-z_][A-Za-z0-9_]*-[A-Za-z0-9_-]*`},
			{Name: "constant.language.dynaml", Match: `\b(?:` + strings.Join(constants, "|") + `)\b|~~?`},
			{Name: "keyword.control.dynaml", Match: `\b(?:` + strings.Join(words, "|") + `)\b`},
			{Name: "variable.language.dynaml", Match: `\b(?:__ctx|_)\b`},
			{Name: "constant.numeric.dynaml", Match: `-?\b[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\b`},
			{Name: "variable.other.dynaml", Match: `\b[A-Za-z_][A-Za-z0-9_]*|\$[A-Za-z_][A-Za-z0-9_-]*`},
			{Name: "storage.type.function.arrow.dynaml", Match: `->`},
			{Name: "keyword.operator.dynaml", Match: `\|\||//|==|!=|<=|>=|\.\.|[-+*/%<>!?:=|]`},
		}}},
	}
}

func TestGrammarIsCurrent(t *testing.T) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(theGrammar()); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("SPIFF_UPDATE") != "" {
		if err := os.WriteFile(grammarFile, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(grammarFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, b.Bytes()) {
		t.Errorf("%s is not what the tables of functions and keywords say; SPIFF_UPDATE=1 go test ./lsp writes it", grammarFile)
	}
}

// A tokenizer runs a grammar over one line as editors do: of the patterns that
// match first, the one listed first counts, and the end of the innermost rule
// goes before its patterns.
type tokenizer struct {
	g   *grammar
	t   *testing.T
	out []string // "text scope"
}

func (k *tokenizer) expand(rules []*rule) (list []*rule) {
	for _, r := range rules {
		if r.Include != "" {
			list = append(list, k.expand(k.g.Repository[strings.TrimPrefix(r.Include, "#")].Patterns)...)
			continue
		}
		list = append(list, r)
	}
	return list
}

func (k *tokenizer) find(r *rule, pattern, line string, at int) []int {
	if r.compiled == nil {
		r.compiled = map[string]*regexp.Regexp{}
	}
	re := r.compiled[pattern]
	if re == nil {
		var err error
		if re, err = regexp.Compile(pattern); err != nil {
			k.t.Fatalf("%s: %v", pattern, err)
		}
		r.compiled[pattern] = re
	}
	for _, m := range re.FindAllStringSubmatchIndex(line, -1) { // \b looks at what is before
		if m[0] >= at {
			return m
		}
	}
	if m := re.FindStringSubmatchIndex(line[at:]); m != nil {
		for i := range m {
			m[i] += at
		}
		return m
	}
	return nil
}

func (k *tokenizer) emit(text, scope string) {
	if strings.TrimSpace(text) != "" && scope != "" {
		k.out = append(k.out, text+" "+strings.TrimSuffix(scope, ".dynaml"))
	}
}

// run tokenizes a line from a byte on inside a rule, and returns where that ends.
func (k *tokenizer) run(in *rule, rules []*rule, line string, at int) int {
	for at <= len(line) {
		var best *rule
		var m []int
		if in != nil {
			if m = k.find(in, in.End, line, at); m != nil {
				best = in
			}
		}
		for _, r := range k.expand(rules) {
			pattern := r.Match + r.Begin // one of them
			if n := k.find(r, pattern, line, at); n != nil && (m == nil || n[0] < m[0]) {
				best, m = r, n
			}
		}
		if best == nil {
			break
		}
		if in != nil && strings.HasPrefix(in.Name, "string") {
			k.emit(line[at:m[0]], in.Name)
		}
		switch {
		case best == in:
			if c := in.EndCap["0"]; c != nil {
				k.emit(line[m[0]:m[1]], c.Name)
			}
			return m[1]
		case best.Match != "":
			k.emit(line[m[0]:m[1]], best.Name)
			at = m[1]
		default:
			if c := best.BeginCap["0"]; c != nil {
				k.emit(line[m[0]:m[1]], c.Name)
			}
			if c := best.BeginCap["1"]; c != nil {
				k.emit(line[m[2]:m[3]], c.Name)
			}
			at = k.run(best, best.Patterns, line, m[1])
		}
	}
	return len(line)
}

func TestGrammarTokens(t *testing.T) {
	g := theGrammar()
	for _, tt := range []struct{ line, want string }{
		{`a: (( merge || "x" ))`, `(( punctuation.section.embedded.begin|merge keyword.control|"||" keyword.operator|x string.quoted.double|)) punctuation.section.embedded.end`},
		{`a: plain merge`, ``},
		{`a: ((! no )) x`, `((! no )) string.unquoted.escaped`},
		{`a: (( join(", ", l.x-y) ))`, `(( punctuation.section.embedded.begin|join support.function|,  string.quoted.double|l variable.other|.x-y variable.other.member|)) punctuation.section.embedded.end`},
		{`a: ((f(g(1))))`, `(( punctuation.section.embedded.begin|f variable.other|g variable.other|1 constant.numeric|)) punctuation.section.embedded.end`},
		{`a: (( merge-x mergey true nil ~~ ))`, `(( punctuation.section.embedded.begin|merge-x variable.other|mergey variable.other|true constant.language|nil constant.language|~~ constant.language|)) punctuation.section.embedded.end`},
		{`a: (( 10.0.0.1 + 1_000 -or 1.5e3 ))`, `(( punctuation.section.embedded.begin|10.0.0.1 constant.numeric.address|+ keyword.operator|1_000 constant.numeric|-or keyword.operator.logical|1.5e3 constant.numeric|)) punctuation.section.embedded.end`},
		{`a: (( map[l|x|->x.name:web] ))`, `(( punctuation.section.embedded.begin|map keyword.control|l variable.other|"|" keyword.operator|x variable.other|"|" keyword.operator|-> storage.type.function.arrow|x variable.other|.name:web variable.other.member|)) punctuation.section.embedded.end`},
		{`a: "(( \"q ))\" b ))"`, `(( punctuation.section.embedded.begin|q )) string.quoted.double|b variable.other|)) punctuation.section.embedded.end`},
		{`a: (( &temporary &template (__ctx.FILE) ))`, `(( punctuation.section.embedded.begin|&temporary storage.modifier|&template storage.modifier|__ctx variable.language|.FILE variable.other.member|)) punctuation.section.embedded.end`},
	} {
		k := &tokenizer{g: g, t: t}
		k.run(nil, g.Patterns, tt.line, 0)
		for i, o := range k.out {
			if strings.HasPrefix(o, "|") {
				op, scope, _ := strings.Cut(o, " ")
				k.out[i] = `"` + op + `" ` + scope
			}
		}
		if got := strings.Join(k.out, "|"); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.line, got, tt.want)
		}
	}
}

// TestEveryPatternCompiles also finds includes that lead nowhere.
func TestEveryPatternCompiles(t *testing.T) {
	g := theGrammar()
	var walk func(r *rule)
	walk = func(r *rule) {
		for _, p := range []string{r.Match, r.Begin, r.End} {
			if _, err := regexp.Compile(p); err != nil {
				t.Error(err)
			}
		}
		if r.Include != "" && g.Repository[strings.TrimPrefix(r.Include, "#")] == nil {
			t.Errorf("include %s", r.Include)
		}
		if (r.Begin == "") != (r.End == "") || r.Match == "" && r.Begin == "" && r.Include == "" && r.Patterns == nil {
			t.Errorf("%+v is no rule", r)
		}
		for _, in := range r.Patterns {
			walk(in)
		}
	}
	for _, r := range g.Patterns {
		walk(r)
	}
	for _, r := range g.Repository {
		walk(r)
	}
}

// TestVSCodeExtension holds the manifest of the extension against the files it
// names.
func TestVSCodeExtension(t *testing.T) {
	var m struct {
		Main        string
		Contributes struct {
			Grammars []struct{ ScopeName, Path string }
		}
		Scripts map[string]string
	}
	text, err := os.ReadFile("../editors/vscode/package.json")
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Contributes.Grammars) != 1 || m.Contributes.Grammars[0].ScopeName != theGrammar().ScopeName {
		t.Errorf("grammars are %v", m.Contributes.Grammars)
	}
	if !strings.Contains(m.Scripts["vscode:prepublish"], "../textmate/dynaml.tmLanguage.json") {
		t.Errorf("the grammar is not packed: %v", m.Scripts)
	}
	if _, err := os.Stat("../editors/vscode/" + m.Main); err != nil {
		t.Error(err)
	}
}
