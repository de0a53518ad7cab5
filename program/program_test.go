// SPDX-License-Identifier: Apache-2.0

package program

import (
	"strings"
	"testing"

	"github.com/dynaml/spiff/value"
)

func TestEveryOpcodeHasARow(t *testing.T) {
	seen := map[string]Op{}
	for _, op := range Ops() {
		name := op.String()
		if name == "" {
			t.Errorf("opcode %d has no name", op)
		}
		if other, dup := seen[name]; dup {
			t.Errorf("opcodes %d and %d are both called %s", op, other, name)
		}
		seen[name] = op
		if !strings.Contains(ops[op].stack, "--") {
			t.Errorf("%s: no stack picture", name)
		}
	}
}

func TestVerify(t *testing.T) {
	tests := []struct {
		name string
		code []Instr
		want string // part of the error, "" for none
		max  int    // stack
	}{
		{"constant", []Instr{{Op: Const}, {Op: Return}}, "", 1},
		{"counted operands", []Instr{{Op: Const}, {Op: Const}, {Op: List, N: 2}, {Op: Return}}, "", 2},
		{"pairs", []Instr{{Op: Const}, {Op: Const}, {Op: Map, N: 1}, {Op: Return}}, "", 2},
		{"jump with another stack", []Instr{{Op: Try, Arg: 3}, {Op: Const}, {Op: OrElse, Arg: 4}, {Op: Const}, {Op: Return}}, "", 1},
		{"no code", nil, "no code", 0},
		{"runs off the end", []Instr{{Op: Const}}, "runs off the end", 0},
		{"underflow", []Instr{{Op: Add}, {Op: Return}}, "stack underflow", 0},
		{"too few counted operands", []Instr{{Op: Const}, {Op: List, N: 2}, {Op: Return}}, "stack underflow", 0},
		{"operand left", []Instr{{Op: Const}, {Op: Const}, {Op: Return}}, "leaves 1 operands", 0},
		{"constant out of range", []Instr{{Op: Const, Arg: 1}, {Op: Return}}, "argument 1 out of range", 0},
		{"negative argument", []Instr{{Op: Const, Arg: -1}, {Op: Return}}, "out of range", 0},
		{"jump out of range", []Instr{{Op: Jump, Arg: 9}, {Op: Return}}, "argument 9 out of range", 0},
		{"unequal depths", []Instr{{Op: Const}, {Op: JumpFalse, Arg: 3}, {Op: Const}, {Op: Const}, {Op: Return}}, "depth", 0},
		{"unknown opcode", []Instr{{Op: numOps}, {Op: Return}}, "op(", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &Func{Code: tt.code, Spans: make([]Pos, len(tt.code))}
			p := &Program{Text: "x", Consts: []value.Value{value.NullVal}, Funcs: []*Func{f}}
			err := p.Verify()
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("got %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got error %v, want one with %q", err, tt.want)
			case err == nil && f.MaxStack != tt.max:
				t.Errorf("got stack %d, want %d", f.MaxStack, tt.max)
			}
		})
	}
}

func TestFindDepsStopsBeforeWhatMayFail(t *testing.T) {
	f := &Func{Code: []Instr{{Op: Try, Arg: 6}, {Op: Ref, Arg: 0}, {Op: RefShape, Arg: 1}, {Op: Add}, {Op: Ref, Arg: 2}, {Op: Add}, {Op: Return}}}
	p := &Program{Funcs: []*Func{f}}
	deps := p.FindDeps(nil)
	if len(deps) != 2 || deps[0] != (Dep{0, false}) || deps[1] != (Dep{1, true}) {
		t.Errorf("got %v", deps)
	}
}
