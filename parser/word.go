// SPDX-License-Identifier: Apache-2.0

package parser

import (
	"strings"

	"github.com/dynaml/spiff/ast"
)

// word parses what begins with a letter: a keyword form or a reference. A word
// ends before a colon: in "c ? true:x" the colon separates the branches.
//
//	word = "true" | "false" | "nil" | "auto" | merge | lambda | mapping | sum | reference
func (p *parser) word() ast.Expr {
	start, end := p.pos, p.wordEnd(p.pos)
	word := p.text[start:end]
	switch c := p.at(end); {
	case word == "lambda" && c == '|' && p.startsParams(end):
		p.take(end)
		return p.lambda(start)
	case word == "lambda" && isBlank(c) && p.startsExpr(p.afterBlanks(end)):
		p.take(end)
		return p.lambdaRef(start)
	case word == "map" && c == '[':
		p.take(end)
		return p.mapping(start)
	case word == "sum" && c == '[':
		p.take(end)
		return p.sum(start)
	case c == '(':
		return p.reference()
	}
	p.reserved(start, end)
	if x := p.keyword(word, span(start, end)); x != nil {
		p.take(end)
		return x
	}
	if word == "merge" {
		p.take(end)
		return p.merge(start)
	}
	return p.reference()
}

// keywords are the words that no relative reference may begin with, not even as
// a part of its first name (semantics 1.3): mergeable, true-ish and merge.x do
// not parse, x.mergeable and .mergeable do.
var keywords = [...]string{"true", "false", "nil", "auto", "merge"}

// reserved fails if the word from start to end begins with a keyword and is not
// just that, or has a path. (With arguments it is the name of a function.)
func (p *parser) reserved(start, end int) {
	switch p.text[start] {
	case 't', 'f', 'n', 'a', 'm': // the first letters of keywords
	default:
		return
	}
	for _, k := range keywords {
		if !strings.HasPrefix(p.text[start:end], k) {
			continue
		}
		switch c := p.at(end); {
		case end-start > len(k):
			p.take(start + len(k))
			p.failAt(start, end, "a reference cannot begin with the keyword %s; write .%s if the key is at the root", k, clip(p.text[start:end]))
		case c == '[' || c == '.' && p.at(end+1) != '.':
			p.take(end)
			p.failAt(start, end, "the keyword %s has no path; write .%s if the key is at the root", k, k)
		}
	}
}

func (p *parser) keyword(word string, at ast.Pos) ast.Expr {
	lit := ast.Lit{Pos: at}
	switch word {
	case "true", "false":
		lit.Kind, lit.Bool = ast.LitBool, word == "true"
	case "nil":
		lit.Kind = ast.LitNull
	case "auto":
		return &ast.Auto{Pos: at}
	default:
		return nil
	}
	x := p.lits.New()
	*x = lit
	return x
}

// reference = [ "." ] key step*
func (p *parser) reference() ast.Expr {
	start := p.pos
	r := p.refs.New()
	if r.Abs = p.at(start) == '.'; r.Abs {
		p.pos++
	}
	n := len(p.scratch.steps)
	p.nameStep(p.pos)
	r.Steps = p.steps(n)
	r.Pos = p.from(start)
	return r
}

// nameStep adds a name to the steps in scratch.
func (p *parser) nameStep(start int) {
	name := p.take(p.keyEnd(p.pos))
	p.scratch.steps = append(p.scratch.steps, ast.Step{Pos: p.from(start), Kind: ast.StepName, Name: name})
}

// startsStep says whether a path continues at the current place.
func (p *parser) startsStep() bool {
	c := p.at(p.pos)
	if c == '.' {
		next := p.at(p.pos + 1)
		return isNameByte(next) || next == '['
	}
	return c == '['
}

// steps parses the rest of a path whose steps so far are in scratch from number
// n on, and returns all of them.
func (p *parser) steps(n int) []ast.Step {
	for p.startsStep() {
		start := p.pos
		if len(p.scratch.steps)-n >= p.maxDepth {
			p.failAt(start, start, "path has more than %d steps", p.maxDepth)
		}
		if p.at(p.pos) == '.' {
			p.pos++
		}
		if p.at(p.pos) == '[' {
			step := p.index(start)
			p.scratch.steps = append(p.scratch.steps, step)
		} else {
			p.nameStep(start)
		}
	}
	steps := p.nodes.steps.Copy(p.scratch.steps[n:])
	p.scratch.steps = p.scratch.steps[:n]
	return steps
}

// step  = "." key | [ "." ] index
// index = "[" ( blanks "*" blanks | expr | [ expr ] ".." [ expr ] ) "]"
func (p *parser) index(start int) ast.Step {
	open := p.open()
	p.skip()
	var s ast.Step
	switch {
	case p.at(p.pos) == '*' && p.at(p.afterBlanks(p.pos+1)) == ']':
		p.pos++
		p.skip()
		s.Kind = ast.StepAll
	case p.has(p.pos, ".."):
		s.To = p.sliceEnd()
		s.Kind = ast.StepSlice
	default:
		x := p.expr()
		if p.has(p.pos, "..") {
			s.From, s.To = x, p.sliceEnd()
			s.Kind = ast.StepSlice
		} else if n, ok := x.(*ast.Lit); ok && n.Kind == ast.LitInt {
			s.Kind, s.Index = ast.StepIndex, n.Int
		} else {
			s.Kind, s.X = ast.StepExpr, x
		}
	}
	p.close(open, "]")
	s.Pos = p.from(start)
	return s
}

// sliceEnd moves past the dots of a slice and returns its upper bound, if any.
func (p *parser) sliceEnd() ast.Expr {
	p.pos += len("..")
	p.skip()
	if p.at(p.pos) == ']' {
		return nil
	}
	return p.expr()
}

// merge parses what follows the word merge. The words after it are qualifiers
// only in this order; "merge replace on k" is a path on, and then k.
//
//	merge = "merge" [ BLANKS "required" ]
//	      | "merge" [ BLANKS ( "replace" | "on" BLANKS name ) ] [ BLANKS mergePath ]
func (p *parser) merge(start int) ast.Expr {
	m := p.merges.New()
	switch word := p.wordAfterGap(); word {
	case "required":
		p.takeWord()
		m.Required = true
		m.Pos = p.from(start)
		return m
	case "replace":
		p.takeWord()
		m.Replace = true
	case "on":
		p.mergeOn(m)
	default:
		// The classic parser takes these for the qualifier and stumbles over
		// the rest. A manifest that has one cannot mean the path.
		if strings.HasPrefix(word, "required") || strings.HasPrefix(word, "replace") {
			g := p.gap()
			p.failAt(g, g+len(word), "%q after merge is neither required nor replace", clip(word))
		}
	}
	p.mergePath(m)
	m.Pos = p.from(start)
	return m
}

// wordAfterGap returns the key that stands behind blanks, or "".
func (p *parser) wordAfterGap() string {
	g := p.gap()
	if g == p.pos {
		return ""
	}
	return p.text[g:p.keyEnd(g)]
}

func (p *parser) takeWord() {
	p.skip()
	p.take(p.keyEnd(p.pos))
}

// mergeOn takes "on" and the key field. Without a field, on is a path.
func (p *parser) mergeOn(m *ast.Merge) {
	end := p.gap() + len("on")
	if field := p.afterBlanks(end); field == end || !isNameByte(p.at(field)) {
		return
	}
	p.takeWord()
	p.skip()
	m.On = p.take(p.nameEnd(p.pos))
}

// mergePath = [ "." ] key ( "." key | [ "." ] "[" integer "]" )*
func (p *parser) mergePath(m *ast.Merge) {
	g := p.gap()
	abs := p.at(g) == '.'
	if g == p.pos || !isNameByte(p.at(g)) && !(abs && isNameByte(p.at(g+1))) {
		return
	}
	p.pos = g
	path := p.reference().(*ast.Ref).Steps
	for _, s := range path {
		if s.Kind != ast.StepName && s.Kind != ast.StepIndex {
			p.failAt(int(s.Start), int(s.End), "the path of merge can have only names and numbers as indices")
		}
	}
	if !abs && !m.Replace && m.On == "" && len(path) == 1 && path[0].Name == "none" {
		m.None = true
		return
	}
	m.Path, m.AbsPath = path, abs
}
