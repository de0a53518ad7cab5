// SPDX-License-Identifier: Apache-2.0

// Package ast holds the syntax tree of a dynaml expression, a walk over it, and
// its canonical printing. It knows no values, no YAML and no evaluation.
//
// Positions are byte offsets into the text of the expression, not the file, so
// that one tree serves every node that spells the same expression.
package ast

// Pos is the half-open byte range of a node in the expression text.
type Pos struct{ Start, End int32 }

// Span returns p itself; embedding Pos gives every node the method.
func (p Pos) Span() Pos { return p }

// An Expr is a node of the tree. The set is closed: only this package defines
// implementations.
type Expr interface {
	Span() Pos
	expr()
}

// LitKind says which literal a Lit is.
type LitKind uint8

// The literals.
const (
	LitString    LitKind = iota // "text"; Str holds the decoded text, Raw the written one
	LitInt                      // Int
	LitFloat                    // Float
	LitBool                     // Bool
	LitNull                     // ~ or nil
	LitUndefined                // ~~
)

// A Lit is a constant. A symbol ($name) and a bare IPv4 address are strings.
type Lit struct {
	Pos
	Kind  LitKind
	Str   string
	Raw   string
	Int   int64
	Float float64
	Bool  bool
}

// StepKind says how a Step selects.
type StepKind uint8

// The kinds of steps.
const (
	StepName  StepKind = iota // .name, also K:v; Name
	StepIndex                 // .[n] or [n]; Index, may be negative
	StepExpr                  // .[expr] or [expr]; X yields a string, an integer or a list of both
	StepSlice                 // .[a..b]; From and To, either may be nil
	StepAll                   // .[*]
)

// A Step is one component of a path.
type Step struct {
	Pos
	Kind  StepKind
	Name  string
	Index int64
	X     Expr
	From  Expr
	To    Expr
}

// A Ref is a reference: a.b.[0], or .a.b if Abs. The first step of a relative
// Ref has kind StepName.
type Ref struct {
	Pos
	Abs   bool
	Steps []Step
}

// A Select is a postfix path on any other expression: (x).a.[0]. Consecutive
// steps make one Select.
type Select struct {
	Pos
	X     Expr
	Steps []Step
}

// A Merge is merge with its qualifiers: merge [replace] [required] [on K] [path].
type Merge struct {
	Pos
	Replace  bool
	Required bool
	None     bool   // merge none
	On       string // key field, or ""
	Path     []Step // redirect, or nil; StepName and StepIndex only
	AbsPath  bool   // the path was written with a leading dot, which never matches
}

// Auto is the keyword auto.
type Auto struct{ Pos }

// A Lambda is |params|->body.
type Lambda struct {
	Pos
	Params []string
	Body   Expr
	// Text returns the canonical text of the body, also when the tree is gone.
	Text func() string
}

// A LambdaRef is lambda X: X yields a lambda or the text of one.
type LambdaRef struct {
	Pos
	X Expr
}

// A Map is map[list|x|->e] or map[list|f].
type Map struct {
	Pos
	List Expr
	Fn   Expr
	// Inline is set if Fn was written as a lambda without a separating bar.
	Inline bool
}

// A Sum is sum[list|init|s,x|->e] or sum[list|init|f].
type Sum struct {
	Pos
	List   Expr
	Init   Expr
	Fn     Expr
	Inline bool
}

// A List is [a, b].
type List struct {
	Pos
	Elems []Expr
}

// A Range is [from..to].
type Range struct {
	Pos
	From, To Expr
}

// An Entry is k = v in a map literal or a scope.
type Entry struct{ Key, Value Expr }

// A MapLit is { k = v, ... }.
type MapLit struct {
	Pos
	Entries []Entry
}

// A Scope is (k = v, ...) X: local bindings for X.
type Scope struct {
	Pos
	Entries []Entry
	X       Expr
}

// A Group is ( X ).
type Group struct {
	Pos
	X Expr
}

// A Call is Fn(Args).
type Call struct {
	Pos
	Fn   Expr
	Args []Expr
}

// A Not is !X.
type Not struct {
	Pos
	X Expr
}

// An Instantiate is *X.
type Instantiate struct {
	Pos
	X Expr
}

// Op is a binary operator.
type Op uint8

// The left-associative binary operators, by falling precedence.
const (
	OpMul Op = iota
	OpDiv
	OpMod
	OpAdd
	OpSub
	OpEq
	OpNe
	OpLe
	OpGe
	OpGt
	OpLt
	OpOr  // -or
	OpAnd // -and
)

var opNames = [...]string{"*", "/", "%", "+", "-", "==", "!=", "<=", ">=", ">", "<", "-or", "-and"}

// String returns the operator as it is written.
func (o Op) String() string { return opNames[o] }

// An Operand is one further operand of a Chain. OpPos is the place of the
// operator.
type Operand struct {
	Op    Op
	OpPos Pos
	X     Expr
}

// A Chain is First op X op X ... of one precedence level, applied from left to
// right. A chain is flat, so a thousand operands do not nest.
type Chain struct {
	Pos
	First Expr
	Rest  []Operand
}

// A Concat is the juxtaposition of two or more operands.
type Concat struct {
	Pos
	Xs []Expr
}

// A Cond is If ? Then : Else.
type Cond struct {
	Pos
	If, Then, Else Expr
}

// An Or is A || B || ...; Nil[i] is set if Xs[i] is followed by // instead,
// which also replaces null. len(Nil) == len(Xs)-1.
type Or struct {
	Pos
	Xs  []Expr
	Nil []bool
}

// A Prefer is prefer X; it occurs only as the whole expression.
type Prefer struct {
	Pos
	X Expr
}

// A Marker is a sequence such as &temporary &template (X); it occurs only as
// the whole expression. X is nil if there is no operand.
type Marker struct {
	Pos
	Temporary bool
	Template  bool
	X         Expr
}

func (*Lit) expr()         {}
func (*Ref) expr()         {}
func (*Select) expr()      {}
func (*Merge) expr()       {}
func (*Auto) expr()        {}
func (*Lambda) expr()      {}
func (*LambdaRef) expr()   {}
func (*Map) expr()         {}
func (*Sum) expr()         {}
func (*List) expr()        {}
func (*Range) expr()       {}
func (*MapLit) expr()      {}
func (*Scope) expr()       {}
func (*Group) expr()       {}
func (*Call) expr()        {}
func (*Not) expr()         {}
func (*Instantiate) expr() {}
func (*Chain) expr()       {}
func (*Concat) expr()      {}
func (*Cond) expr()        {}
func (*Or) expr()          {}
func (*Prefer) expr()      {}
func (*Marker) expr()      {}
