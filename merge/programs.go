// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/compiler"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// compiled is the program of a text, or why there is none.
type compiled struct {
	p    *program.Program
	err  *vm.Error
	text string
	hash uint64
}

// result returns the program, or the reason in words for the expression that
// computed the text.
func (c compiled) result() (*program.Program, error) {
	if c.err != nil {
		return nil, errors.New(c.err.Msg)
	}
	return c.p, nil
}

// maxPrograms bounds the programs that a cache keeps in a generation, about a
// kilobyte each. A document of a hundred thousand jobs has a quarter of a
// million texts, most of which stand in one place; those that stand everywhere
// go from generation to generation.
const maxPrograms = 1 << 13

// A programCache finds compiled texts. It keeps two generations: what was used
// since the current one began, and what was used in the one before. The zero
// value is empty.
type programCache struct {
	seed         maphash.Seed
	current, old generation
	made         int // texts compiled
}

// A generation is an open-addressing table, at most half full.
type generation struct {
	slots   []uint32 // position in entries + 1, 0 if free
	entries []compiled
}

// get returns what compile makes of a text, unless it is known.
func (t *programCache) get(text string, compile func(text string) (*program.Program, error)) compiled {
	if t.current.slots == nil {
		t.seed = maphash.MakeSeed()
		t.current.slots = make([]uint32, 1<<6)
	}
	hash := maphash.String(t.seed, text)
	if c := t.current.find(text, hash); c != nil {
		return *c
	}
	c := compiled{text: text, hash: hash}
	if o := t.old.find(text, hash); o != nil {
		c = *o
	} else {
		t.made++
		p, err := compile(text)
		if c.p = p; err != nil {
			c.p, c.err = nil, syntaxError(text, err)
		}
	}
	if len(t.current.entries) == maxPrograms {
		t.current, t.old = t.old, t.current
		t.current.clear(len(t.old.slots))
	}
	t.current.add(c)
	return c
}

func (g *generation) clear(slots int) {
	if len(g.slots) != slots {
		g.slots = make([]uint32, slots)
	}
	clear(g.slots)
	clear(g.entries)
	g.entries = g.entries[:0]
}

func (g *generation) find(text string, hash uint64) *compiled {
	if len(g.entries) == 0 {
		return nil
	}
	for h := hash; ; h++ {
		i := g.slots[h&uint64(len(g.slots)-1)]
		if i == 0 {
			return nil
		}
		if c := &g.entries[i-1]; c.hash == hash && c.text == text {
			return c
		}
	}
}

func (g *generation) add(c compiled) {
	if 2*len(g.entries) >= len(g.slots) {
		g.slots = make([]uint32, 2*len(g.slots))
		for i := range g.entries {
			g.occupy(g.entries[i].hash, i)
		}
	}
	g.entries = append(g.entries, c)
	g.occupy(c.hash, len(g.entries)-1)
}

// occupy makes a free slot lead to entry i.
func (g *generation) occupy(hash uint64, i int) {
	for h := hash; ; h++ {
		if s := &g.slots[h&uint64(len(g.slots)-1)]; *s == 0 {
			*s = uint32(i) + 1
			return
		}
	}
}

// program compiles an expression, once per session and text as far as the cache
// goes.
func (n *Session) program(text string) compiled { return n.progs.get(text, n.compileText) }

// inner is program for the operand of eval.
func (n *Session) inner(text string) compiled { return n.evals.get(text, n.compileInner) }

// lambda compiles text that must be a lambda.
func (n *Session) lambda(text string) compiled { return n.lams.get(text, n.compileLambda) }

func (n *Session) compileText(text string) (*program.Program, error) {
	return n.compileAs(text, n.compiler.Compile)
}

func (n *Session) compileInner(text string) (*program.Program, error) {
	return n.compileAs(text, n.compiler.CompileInner)
}

func (n *Session) compileAs(text string, compile func(*value.Store, string, ast.Expr) (*program.Program, error)) (*program.Program, error) {
	e, err := n.parser.Parse(n.opt.Dialect, text)
	if err != nil {
		return nil, err
	}
	return compile(n.s, text, e)
}

func (n *Session) compileLambda(text string) (*program.Program, error) {
	e, err := parser.ParseLambdaAs(n.opt.Dialect, text)
	if err != nil {
		return nil, fmt.Errorf("'%s' is no lambda expression", text)
	}
	return n.compiler.Compile(n.s, text, e)
}

// syntaxError gives the error of the parser or compiler its place.
func syntaxError(text string, err error) *vm.Error {
	e := &vm.Error{Msg: err.Error(), Prog: &program.Program{Text: text}}
	var pe *parser.Error
	var ce *compiler.Error
	switch {
	case errors.As(err, &pe):
		e.Pos = program.Pos{Start: pe.Pos.Start, End: pe.Pos.End}
	case errors.As(err, &ce):
		e.Pos = program.Pos{Start: ce.Pos.Start, End: ce.Pos.End}
	}
	return e
}
