// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/compiler"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// explain fills in the code, the message, the place and the notes. What failed
// is known from the instruction, the operands it had, and the tree of the
// expression; the text of the error itself is the classic message, which is
// used where nothing better is known.
func (f *failing) explain(parse bool) {
	f.d.Msg, _, _ = strings.Cut(f.err.Text(), "\n")
	f.d.Code = diag.CodeOf(f.err.Cause)
	switch {
	case parse:
		f.syntax()
		return
	case f.err.Instance != 0:
		f.instance()
		return
	case f.err.Prog == nil:
		f.outside()
		return
	}
	f.expr = f.find()
	if f.err.Fatal {
		f.code(diag.EndlessComputation)
		return
	}
	f.byInstruction()
	if f.expr != nil {
		f.values(f.expr)
	}
}

// byInstruction explains the failure of an instruction.
func (f *failing) byInstruction() {
	var nf *notFound
	if errors.As(f.err.Cause, &nf) {
		f.missingName(nf)
		return
	}
	switch op := f.err.Op; op {
	case program.Index:
		f.index()
	case program.Self:
		f.code(diag.NoLambdaAround)
		f.d.Msg = "_ stands for the lambda around it, and there is none"
	case program.Merge:
		f.notInStubs()
	case program.Auto:
		f.code(diag.Auto)
		if strings.HasPrefix(f.d.Msg, "auto only") {
			f.d.Msg = "auto is allowed only for the size of a resource pool, this is " + f.l.pathOf(f.v)
		}
	case program.StaticIPs:
		f.staticIPs()
	case program.Read:
		f.read()
	case program.Instantiate:
		f.template()
	case program.Add, program.Sub, program.Mul, program.Div, program.Mod:
		f.arithmetic()
	case program.Eq, program.Ne, program.Lt, program.Le, program.Gt, program.Ge:
		f.comparison()
	case program.Concat:
		f.concatenation()
	case program.Map, program.Bind:
		f.keys()
	case program.Range:
		f.bounds()
	case program.ToLambda:
		f.toLambda()
	case program.Require:
		f.raised()
	case program.Raise:
		f.raised()
	case program.Call:
		f.call()
	case program.CallBuiltin:
		f.builtin()
	case program.Eval:
		f.eval()
	case program.MapInit, program.SumInit:
		f.mapping()
	case program.IterNext:
		f.code(diag.LambdaArguments)
	}
}

// code sets the code unless the error has one of its own.
func (f *failing) code(c diag.Code) {
	if f.d.Code == "" {
		f.d.Code = c
	}
}

// outside explains a failure that belongs to no instruction.
func (f *failing) outside() {
	n := f.l.s.Node(f.l.written(f.l.cell(f.v)))
	if n.Kind != value.Map {
		f.d.Code = diag.EndlessComputation
		return
	}
	f.d.Code = diag.InsertNoMap
	raw := f.l.s.Get(f.l.written(f.l.cell(f.v)), f.l.names.insert)
	if raw == 0 {
		return
	}
	f.d.Span = f.l.s.Span(raw)
	v := f.l.load(raw)
	if sh := f.l.shape(f.l.cell(f.v)); sh != nil && sh.insert != 0 {
		if w := f.l.cell(sh.insert); w.out != 0 {
			v = f.l.load(w.out)
		}
	}
	f.d.Msg = fmt.Sprintf("<< in a map needs a map to insert, found %s", f.describe(v))
	if v.Kind == value.List {
		f.d.Fix = "in a list, write << as an entry of its own: - <<: (( list )); in a map, insert a map"
	}
	if text := f.l.s.Text; f.l.s.Kind(raw) == value.Expr {
		f.text, f.at = exprText(text(f.l.s.Node(raw))), f.l.s.Span(raw)
		f.values(f.tree(f.text))
	}
}

// syntax explains a text that does not parse or compile.
func (f *failing) syntax() {
	e, err := parser.ParseAs(f.l.opt.Dialect, f.text)
	var pe *parser.Error
	if errors.As(err, &pe) {
		f.d.Code = diag.SyntaxError
		if f.d.Msg = pe.Reason; pe.Reason == "" {
			f.d.Msg = pe.Msg
		}
		f.syntaxFix()
		return
	}
	var ce *compiler.Error
	if _, err = compiler.Compile(f.l.s, f.text, e); errors.As(err, &ce) {
		f.d.Code, f.d.Msg = diag.NotInLanguage, ce.Msg
	}
}

// syntaxFix proposes what is most likely meant.
func (f *failing) syntaxFix() {
	at := min(int(f.err.Pos.Start), len(f.text))
	rest := f.text[at:]
	switch {
	case strings.HasPrefix(rest, "&") && !strings.HasPrefix(rest, "&&"):
		word, _, _ := strings.Cut(rest, " ")
		if s := diag.Closest(word, []string{"&temporary", "&template"}); s != "" {
			f.d.Fix = fmt.Sprintf("did you mean %s?", s)
		}
	case strings.TrimSpace(f.text) == "":
		f.d.Fix = "write an expression, or escape the brackets: ((! ... ))"
	case strings.HasPrefix(rest, "'"):
		f.d.Fix = `texts are written in double quotes: "text"`
	case strings.HasPrefix(rest, "|"):
		f.d.Fix = "a default is written || with blanks on both sides"
	case strings.HasPrefix(rest, "$"):
		f.d.Fix = "refer to a key of the document by its name alone, without $"
	case strings.HasPrefix(rest, ")") && strings.HasSuffix(strings.TrimRight(f.text[:at], " \t\n"), ","):
		f.d.Fix = "remove the comma behind the last argument"
	case strings.HasPrefix(rest, "="):
		f.d.Fix = "equality is written == with blanks on both sides"
	case strings.HasPrefix(rest, "?"), strings.Contains(f.d.Msg, `before the other branch`):
		f.d.Fix = "a condition is written: test ? yes :no, with blanks around ? and before :"
		if _, rest, ok := strings.Cut(f.d.Msg, `found the end: "`); ok {
			name, _, _ := strings.Cut(rest, `"`)
			if i := strings.LastIndex(f.text, name); i >= 0 {
				f.d.Span = f.span(ast.Pos{Start: int32(i), End: int32(i + len(name))})
			}
		}
	case strings.HasPrefix(rest, "&&"):
		f.d.Fix = "write -and for the logical and, with blanks on both sides"
	case strings.Contains(f.d.Msg, "needs blanks on both sides"):
		f.d.Fix = "put a blank on both sides of the operator; without them it is read as part of a name or a number"
	case strings.Contains(f.d.Msg, "is not closed"):
		f.d.Fix = `close the text with a double quote; a quote inside a text is written \"`
	case strings.HasPrefix(rest, `"`):
		f.d.Fix = "write a double quote at both ends of a text, and a blank between it and what stands before or behind it"
	case strings.Contains(f.d.Msg, "to close"):
		f.d.Fix = "close the bracket; every ( [ { needs its partner inside of the expression"
	}
}

// find returns the part of the expression that failed: the innermost of the
// kind that the instruction is compiled from.
func (f *failing) find() ast.Expr {
	var found ast.Expr
	ast.Walk(f.tree(f.text), func(x ast.Expr) bool {
		p := x.Span()
		if p.Start == f.err.Pos.Start && (p.End == f.err.Pos.End || isChain(x) && p.End >= f.err.Pos.End) && f.fits(x) {
			found = x
		}
		return p.Start <= f.err.Pos.Start && p.End >= f.err.Pos.End
	})
	return found
}

func isChain(x ast.Expr) bool { _, ok := x.(*ast.Chain); return ok }

// fits says whether the instruction may come from x.
func (f *failing) fits(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Group:
		return false
	case *ast.Chain:
		return f.err.Op >= program.Add && f.err.Op <= program.Decide
	case *ast.Concat:
		return f.err.Op == program.Concat
	case *ast.Or, *ast.Cond:
		return false
	}
	return true
}

// operands returns the operands of the instruction, nil if they are not known.
func (f *failing) operands() []value.Value {
	if f.err.Trace == nil {
		return nil
	}
	return f.err.Trace.Operands
}

// mark moves the place of the diagnostic to a part of the expression.
func (f *failing) mark(x ast.Expr) {
	if x != nil {
		f.d.Span = f.span(x.Span())
	}
}

// binary returns the operands of a binary operator as they are written, and
// the operator.
func (f *failing) binary() (left ast.Pos, right ast.Expr, op string, ok bool) {
	ch, ok := f.expr.(*ast.Chain)
	if !ok {
		return left, nil, "", false
	}
	start, end := ch.Pos.Start, ch.First.Span().End
	for _, o := range ch.Rest {
		if o.X.Span().End == f.err.Pos.End {
			return ast.Pos{Start: start, End: end}, o.X, o.Op.String(), true
		}
		end = o.X.Span().End
	}
	return left, nil, "", false
}

// source returns a part of the expression as it is written.
func (f *failing) source(p ast.Pos) string { return f.text[p.Start:p.End] }

func (f *failing) arithmetic() {
	ops := f.operands()
	left, right, op, ok := f.binary()
	if !ok || len(ops) != 2 {
		f.code(diag.OperandType)
		return
	}
	a, b := ops[0], ops[1]
	switch f.d.Code {
	case diag.DivisionByZero:
		f.mark(right)
		f.d.Msg = fmt.Sprintf("division by zero: the right operand of %s is 0", op)
		if _, ok := right.(*ast.Ref); ok {
			f.d.Fix = fmt.Sprintf("check the divisor first: (( %s == 0 ? 0 :%s %s %[1]s ))", ast.Print(right), f.source(left), op)
		}
		return
	case "":
	default:
		return
	}
	f.d.Code = diag.OperandType
	address := a.Kind == value.String && looksLikeAddress(a.Str)
	switch {
	case op == "%" && a.Kind != value.Int:
		f.operandMsg("left", left, op, a, "an int")
	case op == "%" && b.Kind != value.Int:
		f.operandMsg("right", right.Span(), op, b, "an int")
	case !address && !number(a):
		f.operandMsg("left", left, op, a, "a number, an IP address or a network")
		if op == "*" {
			f.operandMsg("left", left, op, a, "a number")
		}
	case !number(b):
		f.operandMsg("right", right.Span(), op, b, "a number")
		if op == "-" && address {
			f.operandMsg("right", right.Span(), op, b, "a number or an IP address")
		}
	}
	f.quotedNumber(a)
	f.quotedNumber(b)
}

// operandMsg says that the operand v, which stands at p, is of a wrong kind.
func (f *failing) operandMsg(side string, p ast.Pos, op string, v value.Value, want string) {
	f.d.Span = f.span(p)
	switch v.Kind {
	case value.Null:
		f.d.Fix = fmt.Sprintf("give it a value, or a default in brackets: (%s // 0)", f.source(p))
	case value.List, value.Map:
		f.d.Fix = fmt.Sprintf("pick the part that holds the number, or take the number of entries: length(%s)", f.source(p))
	}
	f.d.Msg = fmt.Sprintf("the %s operand of %s must be %s, found %s", side, op, want, f.describe(v))
}

func number(v value.Value) bool {
	return v.Kind == value.Int || v.Kind == value.Float
}

func looksLikeAddress(s string) bool {
	return strings.Count(s, ".") == 3 || strings.Contains(s, "/") || strings.Count(s, ":") > 1
}

// quotedNumber proposes to take the quotes away from digits.
func (f *failing) quotedNumber(v value.Value) {
	if v.Kind != value.String || v.Str == "" || strings.Trim(v.Str, "0123456789") != "" {
		return
	}
	f.d.Fix = fmt.Sprintf("write the number %s without quotes", v.Str)
	if v.Ref != 0 {
		f.d.Fix += " at " + f.l.s.Span(v.Ref).String()
	}
}

func (f *failing) comparison() {
	f.code(diag.NotComparable)
	ops := f.operands()
	if _, _, op, ok := f.binary(); ok && len(ops) == 2 {
		f.d.Msg = fmt.Sprintf("%s compares two integers or two strings, found %s and %s", op, f.describe(ops[0]), f.describe(ops[1]))
		if f.err.Op == program.Eq || f.err.Op == program.Ne {
			f.d.Msg = fmt.Sprintf("%s cannot compare %s with %s", op, f.describe(ops[0]), f.describe(ops[1]))
		}
		f.quotedNumber(ops[0])
		f.quotedNumber(ops[1])
	}
}

// class is what can be concatenated with its like.
func class(k value.Kind) value.Kind {
	switch k {
	case value.List, value.Map, value.Float:
		return k
	case value.Null, value.Lambda, value.Template:
		return value.None
	}
	return value.String
}

func (f *failing) concatenation() {
	f.code(diag.NotConcatenable)
	x, ok := f.expr.(*ast.Concat)
	ops := f.operands()
	if !ok || len(ops) != len(x.Xs) || f.d.Code != diag.NotConcatenable {
		return
	}
	f.open(ops)
	for i, v := range ops {
		if i > 0 && class(v.Kind) == class(ops[0].Kind) && class(v.Kind) != value.None {
			continue
		}
		if i == 0 && class(v.Kind) != value.None {
			continue
		}
		f.mark(x.Xs[i])
		if i == 0 {
			f.d.Msg = fmt.Sprintf("%s cannot be put together with anything", f.describe(v))
			f.d.Fix = concatFix(value.String, v.Kind, "", f.source(x.Xs[i].Span()))
			return
		}
		f.d.Msg = fmt.Sprintf("cannot put %s behind %s", f.describe(v), f.describe(ops[0]))
		f.d.Fix = concatFix(ops[0].Kind, v.Kind, f.source(x.Xs[0].Span()), f.source(x.Xs[i].Span()))
		return
	}
}

// concatFix proposes how to put a value behind one of another kind. first and x
// are the two as they are written.
func concatFix(before, k value.Kind, first, x string) string {
	switch {
	case k == value.Null:
		return fmt.Sprintf(`give it a value, or a default in brackets: (%s // "default")`, x)
	case k == value.Lambda:
		return "call the lambda, with its arguments in brackets"
	case k == value.Template:
		return "make an instance of the template: *" + x
	case before == value.List:
		return fmt.Sprintf("write [%s] to add it to the list as an entry", x)
	case k == value.List && before != value.Map:
		return fmt.Sprintf(`make a text of the list: join(",", %s)`, x)
	case k == value.Float:
		return fmt.Sprintf(`make a text of the float: format("%%g", %s)`, x)
	case before == value.Float:
		return fmt.Sprintf(`make a text of the float before it: format("%%g", %s)`, first)
	}
	return "pick the field of the map that is meant"
}

// open makes Deferred operands what they are.
func (f *failing) open(ops []value.Value) {
	for i, v := range ops {
		if v.Kind == value.Deferred {
			ops[i] = f.l.Open(v)
		}
	}
}

func (f *failing) bounds() {
	f.code(diag.RangeBound)
	x, ok := f.expr.(*ast.Range)
	ops := f.operands()
	if !ok || len(ops) != 2 {
		return
	}
	for i, e := range []ast.Expr{x.From, x.To} {
		if ops[i].Kind != value.Int {
			f.mark(e)
			f.d.Msg = "the bounds of a range must be integers, found " + f.describe(ops[i])
			f.quotedNumber(ops[i])
			return
		}
	}
}

func (f *failing) template() {
	f.code(diag.TemplateRequired)
	if ops := f.operands(); len(ops) == 1 {
		f.d.Msg = "* makes an instance of a template, found " + f.describe(ops[0])
	}
}

func (f *failing) toLambda() {
	ops := f.operands()
	if len(ops) != 1 || ops[0].Kind == value.String {
		f.code(diag.ComputedExpression)
		return
	}
	f.code(diag.NotCallable)
	f.d.Msg = "lambda needs a lambda or the text of one, found " + f.describe(ops[0])
}

// raised explains errors that the compiler knew already.
func (f *failing) raised() {
	x, ok := f.expr.(*ast.Call)
	if !ok {
		f.code(diag.Required)
		return
	}
	name := ast.Print(x.Fn)
	switch {
	case f.l.opt.Functions.Lookup(name) < 0:
		f.unknownFunction(x, name)
	case name == "require" && len(x.Args) == 1:
		f.code(diag.Required)
		f.mark(x.Args[0])
		f.d.Msg = fmt.Sprintf("a value is required here, and %s has none", ast.Print(x.Args[0]))
		f.d.Fix = fmt.Sprintf("set the value, or give a default: (( require(%s) || \"default\" ))", ast.Print(x.Args[0]))
	default:
		f.arity(f.l.opt.Functions.Lookup(name), len(x.Args))
	}
}

func (f *failing) unknownFunction(x *ast.Call, name string) {
	f.code(diag.UnknownFunction)
	f.mark(x.Fn)
	f.d.Msg = fmt.Sprintf("there is no function %q", name)
	if v, ok := f.lookup(&ast.Ref{Steps: []ast.Step{{Name: name}}}); ok && v.Kind == value.Lambda {
		f.d.Fix = fmt.Sprintf("%s is a lambda, no function; call it in brackets: (%s)(...)", name, name)
		return
	}
	rows := f.l.opt.Functions.Rows()
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.Name
	}
	if s := diag.Closest(name, names); s != "" {
		f.d.Fix = fmt.Sprintf("did you mean %q? It is %s", s, described(rows[f.l.opt.Functions.Lookup(s)]))
	}
}

func (f *failing) call() {
	ops := f.operands()
	x, ok := f.expr.(*ast.Call)
	if !ok || len(ops) == 0 {
		f.code(diag.NotCallable)
		return
	}
	name := ast.Print(x.Fn)
	f.mark(x.Fn)
	if ops[0].Kind != value.Lambda {
		f.code(diag.NotCallable)
		f.d.Msg = fmt.Sprintf("%s is no function: it is %s", name, f.describe(ops[0]))
		return
	}
	f.code(diag.LambdaArguments)
	t := f.l.s.Object(ops[0].Ref).(value.Texter).Text()
	f.d.Msg = fmt.Sprintf("%s takes %s, and %s given", name, f.parameters(t), are(len(x.Args)))
	if ops[0].Ref != 0 {
		f.seen[name] = true
		f.notef(f.l.s.Span(ops[0].Ref), "%s is %s", name, shorten(t))
	}
}

func are(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}

// parameters counts the parameters in the text of a lambda.
func (f *failing) parameters(text string) string {
	if l, ok := f.tree(text).(*ast.Lambda); ok {
		return count(len(l.Params), "argument", "arguments")
	}
	return "fewer arguments"
}

// builtin explains the failure of a function by its row in the table: whether
// the number of arguments fits, and which argument is not of a kind it takes.
func (f *failing) builtin() {
	if f.err.Trace == nil {
		f.code(diag.ArgumentValue)
		return
	}
	row := int(f.err.Trace.Instr.Arg)
	x, _ := f.expr.(*ast.Call)
	ops := f.operands()
	r := f.l.opt.Functions.Rows()[row]
	if !r.Takes(len(ops)) {
		f.arity(row, len(ops))
		return
	}
	if r.Own {
		f.code(diag.OwnFunction)
		f.d.Cause = errors.Unwrap(f.err.Cause)
		f.d.Fix = "the function is " + described(r)
		return
	}
	if f.d.Code != "" {
		f.argumentValue(r.Name, x, ops)
		return
	}
	f.d.Code = diag.ArgumentType
	f.d.Fix = "the function is " + signature(r)
	for i, v := range ops {
		arg := r.Args[min(i, len(r.Args)-1)]
		_, kinds, _ := strings.Cut(arg, ": ")
		if kinds == "any" || v.Kind == value.Undefined || takes(kinds, v.Kind) {
			continue
		}
		if x != nil && i < len(x.Args) {
			f.mark(x.Args[i])
		}
		f.d.Msg = fmt.Sprintf("argument %d of %s must be %s, found %s", i+1, r.Name, alternatives(kinds), f.describe(v))
		return
	}
	f.element(r.Name, x, ops)
}

// argumentValue explains an argument of the right kind with a wrong value.
func (f *failing) argumentValue(name string, x *ast.Call, ops []value.Value) {
	if f.d.Code == diag.ErrorFunction || x == nil || len(x.Args) == 0 || len(x.Args) != len(ops) {
		return
	}
	f.mark(x.Args[0])
	switch {
	case f.d.Code == diag.NotAnAddress:
		f.d.Msg = fmt.Sprintf("%s needs a network such as 10.0.0.0/24, found %s", name, f.describe(ops[0]))
		if strings.Count(ops[0].Str, ".") == 3 && !strings.Contains(ops[0].Str, "/") {
			f.d.Fix = fmt.Sprintf("add the length of the prefix: %s/24", ops[0].Str)
		} else if !strings.Contains(ops[0].Str, ":") {
			f.d.Fix = "write four numbers from 0 to 255 with dots between them, and the length of the prefix from 0 to 32"
		}
	case f.d.Code == diag.EnvironmentVariable && ops[0].Kind == value.String:
		f.d.Msg = fmt.Sprintf("the environment variable %s is not set", ops[0].Str)
		f.d.Fix = fmt.Sprintf("set %s, or give a default: (( env(%q) || \"default\" ))", ops[0].Str, ops[0].Str)
	case name == "match":
		f.d.Msg = "the pattern is no regular expression: " + strings.TrimPrefix(f.d.Msg, "match: error parsing regexp: ")
		f.d.Fix = "correct the pattern; special characters such as ( and [ stand for themselves behind a backslash"
	case name == "list_to_map":
		list := ast.Print(x.Args[0])
		if rest, ok := strings.CutPrefix(f.d.Msg, "key field '"); ok {
			field, rest, _ := strings.Cut(rest, "'")
			f.d.Msg = fmt.Sprintf("list_to_map takes the keys from the field %q of the entries, and an entry of %s does not have it", field, list)
			if !strings.HasPrefix(rest, " not found") {
				f.d.Msg = fmt.Sprintf("list_to_map takes the keys from the field %q of the entries, and in an entry of %s it is no string", field, list)
			}
		}
		f.d.Fix = fmt.Sprintf("name the field that holds the keys: list_to_map(%s, \"field\"); it must be a string in every entry", list)
	case name == "makemap":
		f.d.Fix = "each entry must be a map with the fields key and value"
	}
}

// element explains a list among the arguments with an element of a kind that
// is not taken.
func (f *failing) element(name string, x *ast.Call, ops []value.Value) {
	for i, v := range ops {
		if v.Kind != value.List {
			continue
		}
		for j, e := range f.l.s.Elems(f.l.s.Node(v.Ref)) {
			if e > value.MaxID {
				continue
			}
			v := f.l.s.Load(e)
			if v.Scalar() && v.Kind != value.Null {
				continue
			}
			if x != nil && i < len(x.Args) {
				f.mark(x.Args[i])
			}
			f.d.Msg = fmt.Sprintf("the entries of a list for %s must be simple values; entry %d of argument %d is %s", name, j, i+1, f.describe(v))
			f.d.Fix = "make a list of simple values first, such as map[list|x|->x.name]"
			return
		}
	}
}

// index explains an index of a wrong kind.
func (f *failing) index() {
	f.code(diag.IndexType)
	var steps []ast.Step
	switch x := f.expr.(type) {
	case *ast.Ref:
		steps = x.Steps
	case *ast.Select:
		steps = x.Steps
	}
	var computed []ast.Expr
	for _, st := range steps {
		if st.Kind == ast.StepExpr {
			computed = append(computed, st.X)
		}
	}
	ops := f.operands()
	if len(computed) != 1 || len(ops) != 2 {
		return
	}
	f.mark(computed[0])
	f.d.Msg = "an index must be an int, a string or a list of both, found " + f.describe(ops[1])
}

// keys explains a key of a map literal or scope that is no text.
func (f *failing) keys() {
	f.code(diag.KeyType)
	var entries []ast.Entry
	switch x := f.expr.(type) {
	case *ast.MapLit:
		entries = x.Entries
	case *ast.Scope:
		entries = x.Entries
	}
	ops := f.operands()
	if len(ops) != 2*len(entries) {
		return
	}
	for i, e := range entries {
		if k := ops[2*i]; k.Kind != value.String {
			f.mark(e.Key)
			f.d.Msg = "the key of an entry must be a string, found " + f.describe(k)
			if t, ok := k.Text(); ok {
				f.d.Fix = fmt.Sprintf("write the key as a text: %q, or make one of the value: (\"\" %s)", t, f.source(e.Key.Span()))
			}
			return
		}
	}
}

// staticIPs explains what static_ips took from around the node.
func (f *failing) staticIPs() {
	f.code(diag.StaticIPs)
	f.staticIPsFix()
	var network string
	for _, name := range []string{"name", "instances"} {
		r := &ast.Ref{Steps: []ast.Step{{Name: name}}}
		if v, ok := f.lookup(r); ok {
			f.value(name, r, v)
			if name == "name" {
				network = v.Str
			}
		}
	}
	p := &program.Path{Abs: true, Steps: []program.Step{program.NameStep(f.l.s, "networks"), program.NameStep(f.l.s, network), program.NameStep(f.l.s, "subnets")}}
	if v, ok := f.follow(p, len(p.Steps)); ok && v.Ref != 0 {
		f.notef(f.l.s.Span(v.Ref).Key("subnets"), "the subnets of the network %s are here", network)
	}
}

// staticIPsFix words what static_ips did not find enough of, and what to do.
func (f *failing) staticIPsFix() {
	var few *fewOffsets
	var none *noOffset
	switch {
	case errors.As(f.err.Cause, &few):
		f.d.Msg = fmt.Sprintf("static_ips picks %s for %s, each needs one", count(few.offsets, "address", "addresses"), count(int(few.instances), "instance", "instances"))
		f.d.Fix = fmt.Sprintf("give static_ips an offset for each instance; the network %s has those from 0 to %d", few.network, few.has-1)
	case errors.As(f.err.Cause, &none):
		f.d.Msg = fmt.Sprintf("the network %s has no static address with the offset %d: it has %d, the first has the offset 0", none.network, none.offset, none.has)
		f.d.Fix = fmt.Sprintf("use offsets from 0 to %d, or add addresses to the static ranges of the network", none.has-1)
	case strings.HasSuffix(f.d.Msg, "ends before it begins"):
		f.d.Fix = "write the lower address first"
	case strings.HasPrefix(f.d.Msg, "invalid static IP range"):
		f.d.Fix = "write an address, or two with a dash between them: 10.0.0.10 - 10.0.0.20"
	case strings.HasPrefix(f.d.Msg, "no static ips"):
		f.d.Fix = "add the field static to a subnet of the network: static: [10.0.0.10 - 10.0.0.20]"
	case strings.HasSuffix(f.d.Msg, "must be a list") && strings.HasPrefix(f.d.Msg, "static ips"):
		f.d.Fix = "write the ranges in brackets: static: [10.0.0.10 - 10.0.0.20]"
	case strings.HasPrefix(f.d.Msg, "'instances'"):
		f.d.Fix = "write the number of instances as an integer without quotes"
	case strings.HasPrefix(f.d.Msg, "arguments to static_ips"), strings.HasPrefix(f.d.Msg, "static_ips requires the number"):
		f.d.Fix = "give the offsets of the addresses as integers, such as static_ips(0, 1), or as a list of them"
	}
}

// read explains why the function read did not get a file.
func (f *failing) read() {
	f.code(diag.FileFunction)
	x, ok := f.expr.(*ast.Call)
	var pe *fs.PathError
	ops := f.operands()
	if !ok || len(ops) == 0 || f.d.Code != diag.FileFunction {
		return
	}
	f.mark(x.Args[0])
	if errors.As(f.err.Cause, &pe) || strings.HasPrefix(f.d.Msg, "read: error reading") {
		reason := f.d.Msg[strings.LastIndex(f.d.Msg, ": ")+2:]
		f.d.Msg = fmt.Sprintf("the file %s cannot be read: %s", ops[0].Str, reason)
		f.d.Fix = "correct the name; one that is relative starts at the working directory"
	}
}

// takes says whether a list of kinds such as "string|int" has k.
func takes(kinds string, k value.Kind) bool {
	for kind := range strings.SplitSeq(kinds, "|") {
		if kind == k.String() {
			return true
		}
	}
	return false
}

// alternatives returns "a string, int or bool".
func alternatives(kinds string) string {
	all := strings.Split(kinds, "|")
	for i, k := range all {
		article := "a "
		if strings.IndexByte("aeiou", k[0]) >= 0 {
			article = "an "
		}
		if k != "nil" {
			all[i] = article + k
		}
	}
	if n := len(all) - 1; n > 0 {
		return strings.Join(all[:n], ", ") + " or " + all[n]
	}
	return all[0]
}

func (f *failing) arity(row, n int) {
	r := f.l.opt.Functions.Rows()[row]
	f.d.Code = diag.ArgumentCount
	f.d.Msg = r.WrongCount(n)
	f.d.Fix = "the function is " + described(r)
	if x, ok := f.expr.(*ast.Call); ok && n < r.Min {
		for _, a := range x.Args {
			if c, ok := a.(*ast.Concat); ok {
				parts := make([]string, len(c.Xs))
				for i, p := range c.Xs {
					parts[i] = ast.Print(p)
				}
				f.d.Fix = fmt.Sprintf("separate the arguments by commas: %s(%s)", r.Name, strings.Join(parts, ", "))
			}
		}
	}
}

// described returns the signature of a function, and what it does if no reference
// says so.
func described(r builtin.Row) string {
	if r.Own && r.Doc != "" {
		return signature(r) + ": " + r.Doc
	}
	return signature(r)
}

// signature returns "split(separator: string|int, text: string[, limit: int])".
func signature(r builtin.Row) string {
	var b strings.Builder
	for i, arg := range r.Args {
		switch {
		case i >= r.Min && i > 0:
			b.WriteString("[, ")
		case i >= r.Min:
			b.WriteByte('[')
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(arg)
	}
	b.WriteString(strings.Repeat("]", max(0, len(r.Args)-r.Min)))
	if r.Max < 0 {
		b.WriteString(", ...")
	}
	return r.Name + "(" + b.String() + ")"
}

func (f *failing) eval() {
	f.code(diag.ComputedExpression)
	ops := f.operands()
	if len(ops) != 1 {
		return
	}
	if x, ok := f.expr.(*ast.Call); ok && len(x.Args) == 1 {
		f.mark(x.Args[0])
	}
	if ops[0].Kind != value.String {
		f.d.Msg = "eval needs the text of an expression, found " + f.describe(ops[0])
		return
	}
	_, err := parser.ParseAs(f.l.opt.Dialect, ops[0].Str)
	var pe *parser.Error
	if errors.As(err, &pe) {
		f.d.Msg = fmt.Sprintf("the text for eval is no expression: %s", pe.Reason)
		f.notef(inText(diag.Span{Src: f.d.Span.File().Src, Start: f.d.Span.File().Start, End: f.d.Span.File().Start}, ops[0].Str, pe.Pos.Start, pe.Pos.End), "the text is")
	}
}

func (f *failing) mapping() {
	ops := f.operands()
	if len(ops) < 2 {
		f.code(diag.MappingOperand)
		return
	}
	name, list, fn := "map", ast.Expr(nil), ast.Expr(nil)
	switch x := f.expr.(type) {
	case *ast.Map:
		list, fn = x.List, x.Fn
	case *ast.Sum:
		name, list, fn = "sum", x.List, x.Fn
	}
	over, with := ops[0], ops[len(ops)-1]
	switch {
	case with.Kind != value.Lambda:
		f.code(diag.NotCallable)
		f.mark(fn)
		f.d.Msg = fmt.Sprintf("%s[] applies a lambda, found %s", name, f.describe(with))
	case over.Kind != value.List && over.Kind != value.Map && over.Kind != value.Deferred:
		f.code(diag.MappingOperand)
		f.mark(list)
		f.d.Msg = fmt.Sprintf("%s[] goes through a list or a map, found %s", name, f.describe(over))
		if list == nil {
			return
		}
		switch over.Kind {
		case value.String:
			f.d.Fix = fmt.Sprintf(`make a list of the text first: split(",", %s)`, f.source(list.Span()))
		case value.Int:
			f.d.Fix = fmt.Sprintf("to go through the numbers up to it, write the range [1..%s]", f.source(list.Span()))
		}
	default:
		f.code(diag.MappingOperand)
		f.mark(fn)
		want := "one or two"
		if name == "sum" {
			want = "two or three"
		}
		t := f.l.s.Object(with.Ref).(value.Texter).Text()
		f.d.Msg = fmt.Sprintf("the lambda of %s[] has %s parameters, this one takes %s", name, want, f.parameters(t))
		f.d.Fix = map[string]string{
			"map": "write map[list|x|->...], map[list|index,x|->...] or map[map|key,value|->...]",
			"sum": "write sum[list|start|total,x|->...] or sum[list|start|total,index,x|->...]",
		}[name]
	}
}
