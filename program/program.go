// SPDX-License-Identifier: Apache-2.0

// Package program defines the compiled form of an expression: the opcode table,
// the Program that the compiler builds and the VM runs, a verifier and a
// disassembler. It is the neutral ground between compiler and VM and knows
// neither the syntax tree nor the evaluation. Another frontend that compiles
// to the same Program needs no change here.
package program

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/value"
)

// An Instr is one instruction. All have the same size, so a program counter is
// an index into Code. Arg means what the opcode's argKind says; N counts
// operands where the stack picture has "...".
type Instr struct {
	Op  Op
	Arg int32
	N   int32
}

// A Pos is a byte range in Program.Text.
type Pos struct{ Start, End int32 }

// A Step is one component of a path.
type Step struct {
	Key     value.Sym // the whole component: a name, or K:v as a map key
	Field   value.Sym // K of K:v, else 0
	Val     value.Sym // v of K:v, else Key
	IsIndex bool
	Index   int64
}

// NameStep returns the step that a name stands for, which may have the form K:v.
func NameStep(s *value.Store, name string) Step {
	y := s.Intern(name)
	st := Step{Key: y, Val: y}
	if k, v, ok := strings.Cut(name, ":"); ok {
		st.Field, st.Val = s.Intern(k), s.Intern(v)
	}
	return st
}

// A Path is where a reference leads.
type Path struct {
	Abs   bool
	Steps []Step
}

// Text spells the path.
func (p *Path) Text(s *value.Store) string { return p.Prefix(s, len(p.Steps)) }

// Prefix returns the text of the first n steps, as messages name them.
func (p *Path) Prefix(s *value.Store, n int) string {
	if n == 1 && !p.Abs && !p.Steps[0].IsIndex {
		return s.Name(p.Steps[0].Key)
	}
	var b strings.Builder
	if p.Abs {
		b.WriteByte('.')
	}
	for i := range p.Steps[:n] {
		if i > 0 {
			b.WriteByte('.')
		}
		st := &p.Steps[i]
		if st.IsIndex {
			b.WriteByte('[')
			b.WriteString(strconv.FormatInt(st.Index, 10))
			b.WriteByte(']')
			continue
		}
		b.WriteString(s.Name(st.Key))
	}
	return b.String()
}

// A MergeForm is one spelling of merge with its qualifiers.
type MergeForm struct {
	Replace  bool
	Required bool
	None     bool
	On       value.Sym // key field or 0
	Path     *Path     // redirect or nil
}

// A Program is a compiled expression. It is immutable once verified.
type Program struct {
	Text   string // the expression without its brackets
	Consts []value.Value
	Paths  []*Path
	Merges []MergeForm
	Names  [][]string // texts of operands, for messages
	Funcs  []*Func    // Funcs[0] is the expression itself

	// Attributes of the node that the expression gives, semantics 1.4.
	Prefer    bool
	Temporary bool
	Template  bool
	NoOperand bool // a marker alone
	BareMerge bool // exactly merge or merge on K: optional under <<

	// MayVanish is set if the result may be undefined. It follows from the
	// code, so that only entries that may vanish make indices uncertain.
	MayVanish bool

	// Deps are the paths that are certainly read first, in order, before
	// anything can fail or branch: the static edges of the graph.
	Deps []Dep
}

// A Dep is a path that a program is certain to read.
type Dep struct {
	Path  int32
	Shape bool
}

// A Func is the code of one expression or lambda.
type Func struct {
	Params   []value.Sym
	Inline   bool          // a lambda of map[] or sum[], to which _ does not refer
	Text     func() string // canonical text of the body of a lambda; made when it is asked for, nil for an expression
	Code     []Instr
	Spans    []Pos // Spans[pc] is the place of Code[pc]
	MaxStack int
}

// Verify checks operand ranges and that the stack depth is the same on every
// path to each instruction, and sets MaxStack. A failure is a compiler bug and
// says so.
func (p *Program) Verify() error {
	for i, f := range p.Funcs {
		if err := p.verify(f); err != nil {
			return fmt.Errorf("compiler bug: func %d of (( %s )): %w", i, p.Text, err)
		}
	}
	return nil
}

func (p *Program) verify(f *Func) error {
	if len(f.Spans) != len(f.Code) {
		return fmt.Errorf("%d spans for %d instructions", len(f.Spans), len(f.Code))
	}
	var buf [64]int // nearly all functions are shorter
	depth := buf[:min(len(buf), len(f.Code))]
	if len(f.Code) > len(buf) {
		depth = make([]int, len(f.Code))
	}
	for i := range depth {
		depth[i] = -1
	}
	flow := func(from, to, d int) error {
		switch {
		case to >= len(f.Code):
			return fmt.Errorf("%d: runs off the end", from)
		case depth[to] >= 0 && depth[to] != d:
			return fmt.Errorf("%d: depth %d, but %d at %d", from, d, depth[to], to)
		case to <= from && depth[to] < 0:
			return fmt.Errorf("%d: jumps back to %d, which nothing reaches", from, to)
		}
		depth[to] = d
		return nil
	}
	if len(f.Code) == 0 {
		return fmt.Errorf("no code")
	}
	depth[0] = 0
	for pc, in := range f.Code {
		if depth[pc] < 0 {
			continue // not reached
		}
		if in.Op >= numOps {
			return fmt.Errorf("%d: %s", pc, in.Op)
		}
		if limit := p.limit(f, in); in.Arg < 0 || in.N < 0 || limit >= 0 && int(in.Arg) >= limit {
			return fmt.Errorf("%d: %s: argument %d out of range", pc, in.Op, in.Arg)
		}
		e, j := effects[in.Op], jumpEffects[in.Op]
		if in.pops(e) > depth[pc] {
			return fmt.Errorf("%d: %s: stack underflow", pc, in.Op)
		}
		d := depth[pc] - in.pops(e) + e.push
		f.MaxStack = max(f.MaxStack, d, depth[pc])
		if ops[in.Op].arg == argPC {
			dj := depth[pc] - in.pops(j) + j.push
			f.MaxStack = max(f.MaxStack, dj)
			if err := flow(pc, int(in.Arg), dj); err != nil {
				return err
			}
		}
		if in.Op == Return && d != 0 {
			return fmt.Errorf("%d: return leaves %d operands", pc, d)
		}
		if !ops[in.Op].ends {
			if err := flow(pc, pc+1, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// limit returns the exclusive upper bound of in's argument, or -1 for none.
func (p *Program) limit(f *Func, in Instr) int {
	switch ops[in.Op].arg {
	case argNone:
		return 1
	case argConst:
		return len(p.Consts)
	case argSlot:
		if in.Op != Captured && in.Op != CapturedShape {
			return len(f.Params)
		}
	case argPath:
		return len(p.Paths)
	case argMerge:
		return len(p.Merges)
	case argNames:
		return len(p.Names)
	case argFunc:
		return len(p.Funcs)
	case argPC:
		return len(f.Code)
	}
	return -1
}

// FindDeps appends to deps what Deps is for the code: the references at the start of the
// expression, up to the first instruction that may fail, branch or have an
// effect. Waiting for those before running cannot change a result.
func (p *Program) FindDeps(deps []Dep) []Dep {
	for _, in := range p.Funcs[0].Code {
		switch in.Op {
		case Ref, RefShape:
			deps = append(deps, Dep{Path: in.Arg, Shape: in.Op == RefShape})
		case Const, Try, Closure, Quiet, List:
		default:
			return deps
		}
	}
	return deps
}

// Fuse marks the beginnings of sequences that the VM executes at once if the
// parameters in them are integers:
//
//	localadd:  local const add, or sub
//	localsadd: local local add, or sub
//	localif:   local const, a comparison, jumpundef jumpfalse
//	selfadd:   self localadd const, add or sub, call with this argument
//
// The instructions behind the mark stay as they are. They hold the operands, and
// they run if the parameter is something else. All of them count in any case.
func (p *Program) Fuse() {
	for _, f := range p.Funcs[1:] {
		for i := range len(f.Code) - 3 {
			in := f.Code[i:]
			if in[0].Op != Local {
				continue
			}
			integer := in[1].Op == Const && p.Consts[in[1].Arg].Kind == value.Int
			switch op := in[2].Op; {
			case op == Add || op == Sub:
				if integer {
					in[0].Op = LocalAdd
				} else if in[1].Op == Local {
					in[0].Op = LocalsAdd
				}
			case integer && op >= Eq && op <= Ge && in[3].Op == JumpUndef && in[4].Op == JumpFalse:
				in[0].Op = LocalIf
			}
		}
		for i := range len(f.Code) - 4 {
			if in := f.Code[i:]; in[0].Op == Self && in[1].Op == LocalAdd && in[4].Op == Call && in[4].N == 1 {
				in[0].Op = SelfAdd
			}
		}
	}
}

// FindVanish sets MayVanish from the code: an undefined constant, or a call of
// something written elsewhere.
func (p *Program) FindVanish() {
	for _, c := range p.Consts {
		p.MayVanish = p.MayVanish || c.Kind == value.Undefined
	}
	for _, f := range p.Funcs {
		for _, in := range f.Code {
			switch in.Op {
			case Call, Eval, Instantiate, Read, IterNext:
				p.MayVanish = true
			}
		}
	}
}

// Disassemble writes a listing of p to w. name gives the name of a builtin.
func (p *Program) Disassemble(w io.Writer, s *value.Store, name func(int) string) {
	for i, f := range p.Funcs {
		params := make([]string, len(f.Params))
		for j, y := range f.Params {
			params[j] = s.Name(y)
		}
		fmt.Fprintf(w, "func %d(%s) stack=%d\n", i, strings.Join(params, ", "), f.MaxStack)
		last := Pos{-1, -1}
		for pc, in := range f.Code {
			line := fmt.Sprintf("%4d  %-13s", pc, in.Op)
			if ops[in.Op].arg != argNone {
				line += fmt.Sprintf(" %-4d", in.Arg)
			}
			if in.N != 0 {
				line += fmt.Sprintf(" n=%d", in.N)
			}
			if c := p.comment(s, f, in, name); c != "" {
				line += " ; " + c
			}
			if at := f.Spans[pc]; at != last {
				line = fmt.Sprintf("%-44s @ %d-%d", line, at.Start, at.End)
				last = at
			}
			fmt.Fprintln(w, strings.TrimRight(line, " "))
		}
	}
}

func (p *Program) comment(s *value.Store, f *Func, in Instr, name func(int) string) string {
	switch ops[in.Op].arg {
	case argConst:
		v := p.Consts[in.Arg]
		if v.Kind == value.String {
			return strconv.Quote(v.Str)
		}
		if t, ok := v.Text(); ok {
			return t
		}
		return v.Kind.String()
	case argSlot:
		if in.N == 0 && int(in.Arg) < len(f.Params) {
			return s.Name(f.Params[in.Arg])
		}
	case argPath:
		return p.Paths[in.Arg].Text(s)
	case argMerge:
		return p.Merges[in.Arg].text(s)
	case argNames:
		return clip(strings.Join(p.Names[in.Arg], " "))
	case argBuiltin:
		return name(int(in.Arg))
	}
	return ""
}

// maxComment bounds the operand texts in a listing: operands nest, so whole
// ones would make it quadratic.
const maxComment = 80

func clip(text string) string {
	if len(text) <= maxComment {
		return text
	}
	return strings.ToValidUTF8(text[:maxComment], "") + " ..."
}

func (m *MergeForm) text(s *value.Store) string {
	t := "merge"
	if m.Replace {
		t += " replace"
	}
	if m.Required {
		t += " required"
	}
	if m.None {
		t += " none"
	}
	if m.On != 0 {
		t += " on " + s.Name(m.On)
	}
	if m.Path != nil {
		t += " " + m.Path.Text(s)
	}
	return t
}
