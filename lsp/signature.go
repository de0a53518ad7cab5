// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"

	"github.com/dynaml/spiff/builtin"
)

// signatureAt describes the innermost call of a function around a position.
func signatureAt(_ context.Context, v *view, p *positionParams) (any, error) {
	d := v.open[fileOf(p.TextDocument.URI)]
	if d == nil {
		return nil, nil
	}
	off := d.lines().offset(v.srv.encoding(), p.Position)
	start, inside := expressionAt(d.text, off)
	if !inside {
		return nil, nil
	}
	name, arg := callAt(d.text[start:off])
	i := builtin.Lookup(name)
	if i < 0 {
		return nil, nil
	}
	row := &builtin.Table[i]
	if last := len(row.Args) - 1; row.Max < 0 {
		arg = min(arg, last) // the last one repeats
	}
	return signatureHelp{Signatures: []signature{signatureOf(row)}, ActiveParameter: arg}, nil
}

// callAt returns the name of the innermost call that is open at the end of a
// text, and the number of the argument there.
func callAt(text string) (name string, arg int) {
	type bracket struct {
		name string
		arg  int
	}
	var open []bracket
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && (i == 0 || text[i-1] != '\\'):
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[' || c == '{':
			b := bracket{}
			if c == '(' {
				b.name = text[wordBefore(text, i, isWordByte):i]
			}
			open = append(open, b)
		case (c == ')' || c == ']' || c == '}') && len(open) > 0:
			open = open[:len(open)-1]
		case c == ',' && len(open) > 0:
			open[len(open)-1].arg++
		}
	}
	for i := len(open) - 1; i >= 0; i-- {
		if open[i].name != "" {
			return open[i].name, open[i].arg
		}
	}
	return "", 0
}
