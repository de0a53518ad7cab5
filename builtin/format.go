// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// maxWidth bounds width and precision of a verb of format. No text needs a
// wider column, and one verb must not fill the memory.
const maxWidth = 10_000

func format(c Context, args []value.Value) (value.Value, error) {
	t, err := formatted(c, "format", args)
	if err != nil {
		return value.Value{}, err
	}
	return value.OfString(t), nil
}

// fail is the function error of the language.
func fail(c Context, args []value.Value) (value.Value, error) {
	t, err := formatted(c, "error", args)
	if err == nil {
		err = diag.Coded(diag.ErrorFunction, errors.New(t))
	}
	return value.Value{}, err
}

func formatted(c Context, name string, args []value.Value) (string, error) {
	if len(args) == 0 {
		return "", fmt.Errorf("alt least one argument required for '%s'", name)
	}
	layout, ok := str(args[0])
	if !ok {
		return "", fmt.Errorf("%s: first argument is %s, format must be string", name, described[args[0].Kind])
	}
	operands := make([]any, len(args)-1)
	for i, v := range args[1:] {
		var err error
		if operands[i], err = printable(c, v); err != nil {
			return "", err
		}
	}
	if err := checkVerbs(name, layout, args[1:], operands); err != nil {
		return "", err
	}
	return fmt.Sprintf(layout, operands...), nil
}

var described = map[value.Kind]string{
	value.Null:     "nil",
	value.Bool:     "a boolean",
	value.Int:      "an integer",
	value.Float:    "a float",
	value.Big:      "an integer",
	value.List:     "a list",
	value.Map:      "a map",
	value.Lambda:   "a lambda",
	value.Template: "a template",
}

// printable returns v as a verb sees it.
func printable(c Context, v value.Value) (any, error) {
	switch v.Kind {
	case value.Null:
		return nil, nil
	case value.Bool:
		return v.Bool(), nil
	case value.Int:
		return v.Num, nil
	case value.Float:
		return v.Float(), nil
	case value.Big:
		if n, ok := new(big.Int).SetString(v.Str, 0); ok {
			return n, nil
		}
		return v.Str, nil
	case value.String, value.Expr:
		return v.Str, nil
	case value.Lambda:
		return lambdaText(c.Store(), v), nil
	case value.List, value.Map, value.Template:
		return c.YAML(v)
	}
	return v.Kind.String(), nil
}

// checkVerbs refuses a width or precision that is too large, an argument index
// that is none, the verb that prints the names of Go types, and a result that is
// too long. It reads a layout just like package fmt:
//
//	verb = "%" { "+" | "-" | "#" | " " | "0" } size [ "." size ] [ index ] char
//	size = [ index ] [ "*" | digits ]
func checkVerbs(name, layout string, args []value.Value, operands []any) error {
	d := verbs{rest: layout, args: args}
	total := len(layout)
	for {
		at := strings.IndexByte(d.rest, '%')
		if at < 0 {
			break
		}
		d.rest, d.indexed = strings.TrimLeft(d.rest[at+1:], "+-# 0"), false
		width, precision := d.size(), int64(0)
		if strings.HasPrefix(d.rest, ".") {
			d.rest = d.rest[1:]
			d.bad = d.bad || d.indexed
			precision = d.size()
		}
		if size := max(width, precision); size > maxWidth {
			return diag.Coded(diag.ArgumentValue, fmt.Errorf("%s: width %d is too large (limit %d)", name, size, maxWidth))
		}
		d.index()
		if d.bad {
			return diag.Coded(diag.ArgumentValue, fmt.Errorf("%s: invalid argument index in '%s'", name, clip(layout)))
		}
		if d.rest == "" {
			break
		}
		if d.rest[0] == 'T' {
			return diag.Coded(diag.ArgumentValue, fmt.Errorf("%s: verb %%T is not supported", name))
		}
		if d.rest[0] != '%' {
			total += int(max(width, precision)) + textLen(operands, d.next)
			d.next++
		}
		d.rest = d.rest[1:]
	}
	for ; d.next < len(operands); d.next++ { // printed as superfluous
		total += textLen(operands, d.next)
	}
	return fitsText(total)
}

// textLen returns the bytes of operand i; numbers do not count.
func textLen(operands []any, i int) int {
	if i < len(operands) {
		if t, ok := operands[i].(string); ok {
			return len(t)
		}
	}
	return 0
}

// verbs reads the verbs of a layout.
type verbs struct {
	rest    string
	args    []value.Value
	next    int  // the argument that is taken next
	indexed bool // an index was read, but not yet what it is for
	bad     bool // an index is none, or stands where none can
}

// size reads a width or precision and returns its magnitude.
func (d *verbs) size() int64 {
	d.index()
	if !strings.HasPrefix(d.rest, "*") {
		rest := d.rest
		n := d.number()
		d.bad = d.bad || d.indexed && d.rest != rest
		return n
	}
	d.rest = d.rest[1:]
	d.indexed = false
	d.next++
	if d.next > len(d.args) || d.args[d.next-1].Kind != value.Int {
		return 0
	}
	return int64(min(magnitude(d.args[d.next-1].Num), 1<<62))
}

// index reads an explicit argument index.
func (d *verbs) index() {
	if !strings.HasPrefix(d.rest, "[") {
		return
	}
	digits, rest, closed := strings.Cut(d.rest[1:], "]")
	inner := verbs{rest: digits}
	n := inner.number()
	if d.indexed || !closed || inner.rest != "" || n < 1 || n > int64(len(d.args)) {
		d.bad = true
		return
	}
	d.next, d.rest, d.indexed = int(n-1), rest, true
}

// number reads digits; what does not fit is as large as can be.
func (d *verbs) number() (n int64) {
	const limit = 1 << 50
	for d.rest != "" && d.rest[0] >= '0' && d.rest[0] <= '9' {
		n = min(n*10+int64(d.rest[0]-'0'), limit)
		d.rest = d.rest[1:]
	}
	return n
}
