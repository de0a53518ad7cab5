// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/value"
)

// keywords are the words of the language that are no functions, with what they
// insert where that is a form with gaps.
var keywords = []struct{ word, snippet, doc string }{
	{"merge", "", "The value that the nearest stub has at the path of this node."},
	{"required", "", "After merge under <<: a stub must have a value."},
	{"replace", "", "After merge under <<: the value takes the place of the whole list or map."},
	{"prefer", "", "At the beginning: this value goes before that of a stub."},
	{"auto", "", "The number of instances of a resource pool, from the jobs that use it."},
	{"map", "map[${1:list}|${2:x}|->${3:x}]", "A list or map of what a lambda makes of each entry."},
	{"sum", "sum[${1:list}|${2:0}|${3:s},${4:x}|->${5:s + x}]", "What a lambda makes of the entries, one after the other."},
	{"lambda", "lambda |${1:x}|->${2:x}", "A function as a value."},
	{"true", "", ""}, {"false", "", ""}, {"nil", "", "No value."},
}

// maxExpression is how far before the position the start of an expression is
// sought.
const maxExpression = 1 << 14

// maxCompletions bounds a list of proposals. The client asks again when more of
// the word is typed.
const maxCompletions = 1000

// complete proposes what may stand at a position: in an expression names,
// members, functions and keywords, in a stub the keys of the template that it
// does not have yet.
func complete(_ context.Context, v *view, p *positionParams) (any, error) {
	list := completionList{Items: []completionItem{}}
	d := v.open[fileOf(p.TextDocument.URI)]
	if d == nil {
		return list, nil
	}
	off := d.lines().offset(v.srv.encoding(), p.Position)
	for _, s := range v.setsOf(d.file) {
		c := &completer{v: v, d: d, off: off, x: s.run.laid(), doc: slices.Index(s.docs, d), seen: map[string]bool{}, list: &list}
		if c.doc >= 0 {
			c.complete()
		}
	}
	if len(list.Items) > maxCompletions {
		list.Items, list.IsIncomplete = list.Items[:maxCompletions], true
	}
	return list, nil
}

type completer struct {
	v    *view
	d    *document
	off  int
	x    *index
	doc  int // in the set
	seen map[string]bool
	list *completionList

	word int // where the word at the position begins
}

func (c *completer) complete() {
	start, inside := expressionAt(c.d.text, c.off)
	if !inside {
		c.word = wordBefore(c.d.text, c.off, isKeyByte)
		c.keys()
		return
	}
	text := c.d.text[start:c.off]
	c.word = wordBefore(c.d.text, c.off, isWordByte)
	base := pathBefore(c.d.text, start, c.word)
	if base != "" {
		c.members(base, text)
		return
	}
	c.locals(text)
	c.namesInScope()
	c.functions()
}

// expressionAt returns where the expression around an offset begins, behind its
// brackets. It looks at the text only, since an expression that is being typed
// is often no YAML.
func expressionAt(text string, off int) (start int, inside bool) {
	from := max(0, off-maxExpression)
	open := strings.LastIndex(text[from:off], "((")
	for open >= 0 {
		// Brackets in an expression may come in pairs as well; the first of a
		// value is the one that counts.
		before := strings.TrimRight(text[from:from+open], " \t\r\n\"'|>-&")
		if before == "" || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "[") || strings.HasSuffix(before, ",") || endsLine(text[:from+open]) {
			break
		}
		open = strings.LastIndex(text[from:from+open], "((")
	}
	if open < 0 {
		return 0, false
	}
	start = from + open + 2
	return start, !closed(text[start:off])
}

// endsLine reports whether only the mark of an entry stands before the end of a
// text in its line.
func endsLine(text string) bool {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return strings.Trim(line, " -\"'") == ""
}

// closed reports whether an expression ends in a text, outside of its strings.
func closed(text string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && (i == 0 || text[i-1] != '\\'):
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')':
			return true
		}
	}
	return false
}

func isWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

func isKeyByte(c byte) bool { return isWordByte(c) || c >= 0x80 }

func wordBefore(text string, off int, in func(byte) bool) int {
	for off > 0 && in(text[off-1]) {
		off--
	}
	return off
}

// pathBefore returns the path that ends in a dot before a word, with the dot.
func pathBefore(text string, start, word int) string {
	i := word
	for i > start && (isWordByte(text[i-1]) || strings.IndexByte(".:[]", text[i-1]) >= 0) {
		i--
	}
	path := text[i:word]
	if !strings.HasSuffix(path, ".") {
		return ""
	}
	return path
}

// add proposes a word in place of what stands before the position.
func (c *completer) add(item completionItem, text string) {
	if c.seen[item.Label] || !strings.HasPrefix(item.Label, c.d.text[c.word:c.off]) {
		return
	}
	c.seen[item.Label] = true
	item.TextEdit = &textEdit{c.d.lines().span(c.v.srv.encoding(), c.word, c.off), text}
	c.list.Items = append(c.list.Items, item)
}

// here returns the nodes around the position, innermost first, in the outline of
// the document, and its place. They come from the text if there is no outline.
func (c *completer) here() (l loc, p int, ok bool) {
	t := c.x.trees[c.doc]
	if t == nil {
		return l, 0, false
	}
	c.d.load()
	if c.d.tree == t {
		if i, _ := t.nodeAt(c.off); i >= 0 && t.Nodes[i].Kind != value.Map && t.Nodes[i].Kind != value.List {
			return loc{c.doc, i}, c.x.of[c.doc][i], true
		}
	}
	node := t.follow(pathAt(c.d.text, c.off))
	if node < 0 {
		return l, 0, false
	}
	return loc{c.doc, node}, c.x.of[c.doc][node], true
}

// namesInScope proposes the keys of the maps around the node.
func (c *completer) namesInScope() {
	l, _, ok := c.here()
	t := c.x.trees[c.doc]
	if !ok {
		if t == nil || len(t.Nodes) == 0 {
			return
		}
		c.children(0, "z")
		return
	}
	depth := 0
	for i := l.node; i >= 0; i = t.Nodes[i].Parent {
		if t.Nodes[i].Kind == value.Map {
			c.children(c.x.of[c.doc][i], fmt.Sprintf("%02d", min(depth, 99)))
			depth++
		}
	}
}

// children proposes what is in a place that a plain path can lead to. rank puts
// what is near before what is far.
func (c *completer) children(p int, rank string) {
	for _, q := range c.x.below(p) {
		name := c.x.places[q].name
		if !isName(name) {
			continue
		}
		l := c.x.places[q].at[0]
		n := &c.x.trees[l.doc].Nodes[l.node]
		c.add(completionItem{Label: name, Kind: completeVariable, Detail: detail(n.Kind, n.Text), SortText: "1" + rank + name}, name)
	}
}

// below returns the places in a place, with those that its values come from, in
// order of their names.
func (x *index) below(p int) []int {
	seen := map[string]int{}
	x.collect(p, far(), seen)
	var list []int
	for _, q := range seen {
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b int) int { return strings.Compare(x.places[a].name, x.places[b].name) })
	return list
}

func (x *index) collect(p int, r reach, seen map[string]int) {
	for _, l := range x.places[p].at {
		t := x.trees[l.doc]
		for c := range t.Children(l.node) {
			q := x.of[l.doc][c]
			if _, ok := seen[x.places[q].name]; !ok && x.places[q].name != insertKey {
				seen[x.places[q].name] = q
			}
		}
		behind, ok := r.follow()
		if !ok {
			continue
		}
		for _, q := range x.sourcesOf(l, behind) {
			if q != p {
				x.collect(q, behind, seen)
			}
		}
	}
}

// isName reports whether a key can be a component of a path.
func isName(key string) bool {
	if key == "" || key[0] == '-' {
		return false
	}
	for i := range len(key) {
		if !isWordByte(key[i]) {
			return false
		}
	}
	return true
}

// maxDetail is how long the text beside a proposal or a symbol may be.
const maxDetail = 60

func detail(k value.Kind, text string) string {
	if text == "" {
		return k.String()
	}
	text = strings.Join(strings.Fields(explain.Clip(text)), " ")
	if len(text) > maxDetail {
		text = strings.ToValidUTF8(text[:maxDetail], "") + " ..."
	}
	return text
}

// members proposes what is in what a path leads to.
func (c *completer) members(path, text string) {
	x, err := parser.Parse(strings.TrimSuffix(path, "."))
	if path == "." {
		c.children(0, "")
		return
	}
	ref, ok := x.(*ast.Ref)
	if err != nil || !ok {
		return
	}
	from := 0
	if !strings.HasSuffix(strings.TrimRight(text[:max(0, len(text)-(c.off-c.word)-len(path))], " "), "merge") && !ref.Abs {
		l, _, ok := c.here()
		if !ok {
			l = loc{c.doc, 0}
		}
		if from = c.x.scopeAt(l, ref.Steps[0].Name); from < 0 {
			return
		}
	}
	if p := c.x.walk(from, ref.Steps, far()); p >= 0 {
		c.children(p, "")
	}
}

// scopeAt is scope for a node that may itself be the map.
func (x *index) scopeAt(l loc, name string) int {
	t := x.trees[l.doc]
	if t == nil {
		return -1
	}
	if t.Nodes[l.node].Kind == value.Map {
		if x.named(x.of[l.doc][l.node], name, far()) >= 0 {
			return x.of[l.doc][l.node]
		}
	}
	return x.scope(l, name, far())
}

// locals proposes the parameters of lambdas that begin before the position.
func (c *completer) locals(text string) {
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, "|")
		if !ok {
			return
		}
		params, body, ok := strings.Cut(after, "|")
		if ok && strings.HasPrefix(strings.TrimLeft(body, " "), "->") {
			for p := range strings.SplitSeq(params, ",") {
				if p = strings.TrimSpace(p); isName(p) {
					c.add(completionItem{Label: p, Kind: completeVariable, Detail: "parameter", SortText: "0" + p}, p)
				}
			}
		}
		rest = after
	}
}

// functions proposes functions and keywords.
func (c *completer) functions() {
	c.v.srv.mu.Lock()
	snippets := c.v.srv.snippet
	c.v.srv.mu.Unlock()
	for i := range builtin.Table {
		row := &builtin.Table[i]
		s := signatureOf(row)
		item := completionItem{Label: row.Name, Kind: completeFunction, Detail: s.Label, Documentation: s.Documentation, SortText: "2" + row.Name}
		text := row.Name
		if snippets {
			text, item.InsertTextFormat = row.Name+"("+gaps(row)+")", insertSnippet
		}
		c.add(item, text)
	}
	for _, k := range keywords {
		item := completionItem{Label: k.word, Kind: completeKeyword, Detail: k.doc, SortText: "3" + k.word}
		text := k.word
		if snippets && k.snippet != "" {
			text, item.InsertTextFormat = k.snippet, insertSnippet
		}
		c.add(item, text)
	}
}

// gaps returns the required arguments of a function as gaps to be filled in.
func gaps(row *builtin.Row) string {
	var parts []string
	for i, arg := range row.Args[:min(row.Min, len(row.Args))] {
		name, _, _ := strings.Cut(arg, ":")
		parts = append(parts, fmt.Sprintf("${%d:%s}", i+1, name))
	}
	if parts == nil {
		return "$1"
	}
	return strings.Join(parts, ", ")
}

// keys proposes, in a stub, the keys that the template has at the place of the
// position and the stub has not.
func (c *completer) keys() {
	line := c.d.text[strings.LastIndexByte(c.d.text[:c.word], '\n')+1 : c.word]
	if c.doc == 0 || strings.Trim(line, " -") != "" {
		return
	}
	p := c.placeOf(pathAt(c.d.text, c.off))
	if p < 0 {
		return
	}
	for _, q := range c.x.below(p) {
		name := c.x.places[q].name
		at := c.x.places[q].at
		inStub := slices.ContainsFunc(at, func(l loc) bool { return l.doc == c.doc })
		if at[0].doc != 0 || inStub || c.x.isIndex(q) {
			continue
		}
		n := &c.x.trees[0].Nodes[at[0].node]
		if n.Index >= 0 {
			continue // an entry of a list is no key
		}
		c.add(completionItem{Label: name, Kind: completeProperty, Detail: detail(n.Kind, n.Text), SortText: name}, name+": ")
	}
}

// placeOf returns the place of a path of the text, or -1. Entries of lists are
// those of the outline of the document.
func (c *completer) placeOf(path []textStep) int {
	p := 0
	if t := c.x.trees[c.doc]; t != nil {
		if node := t.follow(path); node >= 0 {
			return c.x.of[c.doc][node]
		}
	}
	for _, s := range path {
		name := s.key
		if s.key == "" {
			name = explain.Index(s.index)
			if s.name != "" {
				name = s.name
			}
		}
		q, ok := c.x.names[placeStep{p, name}]
		if !ok {
			return -1
		}
		p = q
	}
	return p
}
