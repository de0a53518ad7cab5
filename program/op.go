// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"strings"
)

// An Op is an opcode: what one instruction does.
type Op uint8

// The opcodes. The table below says what each takes and leaves; vm has one case
// for each, in this order.
const (
	// Stack
	Const Op = iota

	// Names
	Ref
	RefShape
	Local
	LocalShape
	LocalAdd
	LocalsAdd
	LocalIf
	Captured
	CapturedShape
	Self
	SelfAdd
	Select
	SelectShape
	Index

	// Document
	Merge
	Auto
	StaticIPs
	Read
	Instantiate

	// Operators
	Add
	Sub
	Mul
	Div
	Mod
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	AndOr
	Decide
	Not
	Concat

	// Construction
	List
	Map
	Range
	Closure
	ToLambda

	// Control
	Jump
	JumpFalse
	JumpUndef
	Try
	EndTry
	OrElse
	IsDefined
	IsValid
	Require
	Raise

	// Calls
	Call
	CallBuiltin
	Eval
	MapInit
	SumInit
	IterNext
	IterPut
	Bind
	Unbind
	Quiet
	Return

	numOps
)

// argKind says what an instruction's Arg means, and so how it is checked by
// Verify and shown by Disassemble.
type argKind uint8

const (
	argNone    argKind = iota
	argConst           // index into Program.Consts
	argSlot            // parameter of the function, or of one N levels further out
	argPath            // index into Program.Paths
	argMerge           // index into Program.Merges
	argNames           // index into Program.Names
	argFunc            // index into Program.Funcs
	argPC              // instruction index in the same Func
	argBuiltin         // index into the rows of builtin.Functions
	argInt             // a small number that means what the opcode says
)

// An opInfo describes one Op. The stack picture is the only statement of the
// opcode's effect on the stack: depths are computed from it. "x..." stands for
// N operands, "xy..." for N pairs. Where a jump leaves another stack than
// falling through, jump has its picture.
type opInfo struct {
	name  string
	arg   argKind
	stack string
	jump  string
	ends  bool // never falls through
}

var ops = [numOps]opInfo{
	Const: {name: "const", arg: argConst, stack: "-- v"},

	Ref:           {name: "ref", arg: argPath, stack: "-- v"},           // complete value
	RefShape:      {name: "refshape", arg: argPath, stack: "-- v"},      // children may be unfinished
	Local:         {name: "local", arg: argSlot, stack: "-- v"},         // parameter
	LocalShape:    {name: "localshape", arg: argSlot, stack: "-- v"},    // parameter, children may be unfinished
	LocalAdd:      {name: "localadd", arg: argSlot, stack: "-- v"},      // parameter; see Fuse
	LocalsAdd:     {name: "localsadd", arg: argSlot, stack: "-- v"},     // parameter; see Fuse
	LocalIf:       {name: "localif", arg: argSlot, stack: "-- v"},       // parameter; see Fuse
	Captured:      {name: "captured", arg: argSlot, stack: "-- v"},      // parameter of a function N levels out
	CapturedShape: {name: "capturedshape", arg: argSlot, stack: "-- v"}, // the same, children may be unfinished
	Self:          {name: "self", stack: "-- f"},                        // _
	SelfAdd:       {name: "selfadd", stack: "-- f"},                     // _; see Fuse
	Select:        {name: "select", arg: argPath, stack: "v -- v"},      // N steps are taken already
	SelectShape:   {name: "selectshape", arg: argPath, stack: "v -- v"},
	Index:         {name: "index", arg: argInt, stack: "v i -- v"}, // Arg 1: children may be unfinished,

	Merge:       {name: "merge", arg: argMerge, stack: "-- v"},
	Auto:        {name: "auto", stack: "-- v"},
	StaticIPs:   {name: "staticips", stack: "v... -- list"},
	Read:        {name: "read", stack: "v... -- v"},
	Instantiate: {name: "instantiate", stack: "t -- v"},

	Add:    {name: "add", stack: "a b -- v"},
	Sub:    {name: "sub", stack: "a b -- v"},
	Mul:    {name: "mul", stack: "a b -- v"},
	Div:    {name: "div", stack: "a b -- v"},
	Mod:    {name: "mod", stack: "a b -- v"},
	Eq:     {name: "eq", stack: "a b -- v"},
	Ne:     {name: "ne", stack: "a b -- v"},
	Le:     {name: "le", stack: "a b -- v"},
	Ge:     {name: "ge", stack: "a b -- v"},
	Gt:     {name: "gt", stack: "a b -- v"},
	Lt:     {name: "lt", stack: "a b -- v"},
	AndOr:  {name: "andor", arg: argInt, stack: "a b -- v"},     // Arg 0: -or, 1: -and
	Decide: {name: "decide", arg: argInt, stack: "a -- v"},      // the right operand failed: a decides, or raise again
	Not:    {name: "not", stack: "a -- v"},                      //
	Concat: {name: "concat", arg: argNames, stack: "v... -- v"}, // Arg: texts of the operands

	List:     {name: "list", arg: argInt, stack: "v... -- list"}, // Arg 1: undefined elements are null,
	Map:      {name: "map", stack: "kv... -- map"},
	Range:    {name: "range", stack: "a b -- list"},
	Closure:  {name: "closure", arg: argFunc, stack: "-- f"},
	ToLambda: {name: "tolambda", stack: "v -- f"},

	Jump:      {name: "jump", arg: argPC, stack: "--", ends: true},
	JumpFalse: {name: "jumpfalse", arg: argPC, stack: "v --"},
	JumpUndef: {name: "jumpundef", arg: argPC, stack: "v -- v"},
	Try:       {name: "try", arg: argPC, stack: "--"},                      // an error continues at Arg
	EndTry:    {name: "endtry", arg: argPC, stack: "--", ends: true},       // drop the handler, jump
	OrElse:    {name: "orelse", arg: argPC, stack: "v --", jump: "v -- v"}, // drop the handler; jump if v is defined (N=1: and not null)
	IsDefined: {name: "isdefined", stack: "v -- v"},
	IsValid:   {name: "isvalid", stack: "v -- v"},
	Require:   {name: "require", arg: argConst, stack: "v -- v"},       // Arg: message
	Raise:     {name: "raise", arg: argConst, stack: "--", ends: true}, // Arg: message

	Call:        {name: "call", arg: argNames, stack: "f v... -- v"}, // Arg: text of the callee
	CallBuiltin: {name: "callbuiltin", arg: argBuiltin, stack: "v... -- v"},
	Eval:        {name: "eval", stack: "s -- v"},
	MapInit:     {name: "mapinit", stack: "l f --"},
	SumInit:     {name: "suminit", stack: "l i f --"},
	IterNext:    {name: "iternext", arg: argPC, stack: "-- v"}, // call on the next element; at the end jump with the result
	IterPut:     {name: "iterput", arg: argPC, stack: "v --", ends: true},
	Bind:        {name: "bind", stack: "kv... --"}, // open a scope
	Unbind:      {name: "unbind", stack: "--"},
	Quiet:       {name: "quiet", arg: argInt, stack: "--"}, // 1: merges no longer count as taking part; 0: they do again
	Return:      {name: "return", stack: "v --", ends: true},
}

// String returns the name of the opcode.
func (op Op) String() string {
	if op < numOps {
		return ops[op].name
	}
	return fmt.Sprintf("op(%d)", uint8(op))
}

// Ops returns all opcodes.
func Ops() []Op {
	all := make([]Op, numOps)
	for i := range all {
		all[i] = Op(i)
	}
	return all
}

// A delta is how many operands an instruction takes and leaves, apart from N
// and 2N counted ones.
type delta struct{ pop, push, perN int }

var effects, jumpEffects = func() (e, j [numOps]delta) {
	for op, info := range ops {
		e[op] = parseEffect(info.stack)
		j[op] = e[op]
		if info.jump != "" {
			j[op] = parseEffect(info.jump)
		}
	}
	return e, j
}()

func parseEffect(picture string) (d delta) {
	before, after, _ := strings.Cut(picture, "--")
	for _, f := range strings.Fields(before) {
		switch names, many := strings.CutSuffix(f, "..."); {
		case many:
			d.perN = len(names)
		default:
			d.pop++
		}
	}
	d.push = len(strings.Fields(after))
	return d
}

func (in Instr) pops(d delta) int { return d.pop + d.perN*int(in.N) }

// Pops returns how many operands in takes from the stack.
func (in Instr) Pops() int { return in.pops(effects[in.Op]) }
