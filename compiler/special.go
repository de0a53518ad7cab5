// SPDX-License-Identifier: Apache-2.0

package compiler

import (
	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
)

// call compiles a call. A callee of one plain name is always a function
// (semantics 3.4).
func (c *compiler) call(e *ast.Call) {
	name, plain := calleeName(e)
	if !plain || name == "_" {
		c.expr(e.Fn)
		c.args(e)
		c.emit(e, program.Call, c.operandNames(e.Fn), len(e.Args))
		return
	}
	row := c.functions.Lookup(name)
	switch {
	case row < 0:
		c.args(e)
		c.raise(e, "unknown function '%s'", name)
	case c.functions.Rows()[row].Special:
		c.special(e, name)
	default:
		c.args(e)
		c.emit(e, program.CallBuiltin, row, len(e.Args))
	}
}

func (c *compiler) args(e *ast.Call) {
	for _, a := range e.Args {
		c.expr(a)
	}
}

// special compiles the rows whose operands are not simply evaluated.
func (c *compiler) special(e *ast.Call, name string) {
	switch name {
	case "defined":
		c.check(e, program.IsDefined)
	case "valid":
		c.check(e, program.IsValid)
	case "require":
		c.require(e)
	case "eval":
		c.args(e)
		if len(e.Args) != 1 {
			c.raise(e, "one argument required for 'eval'")
			return
		}
		c.emit(e, program.Eval, 0, 0)
	case "read":
		c.args(e)
		c.emit(e, program.Read, 0, len(e.Args))
	case "static_ips":
		c.args(e)
		c.emit(e, program.StaticIPs, 0, len(e.Args))
	default:
		c.fail(e, "compiler bug: special form %s is not compiled", name)
	}
}

// check compiles defined and valid: every argument in turn must evaluate and
// pass the test.
func (c *compiler) check(e *ast.Call, test program.Op) {
	c.quietly(e, func() {
		var falses, ends []int
		for _, a := range e.Args {
			try := c.emit(a, program.Try, 0, 0)
			c.shape(a)
			c.emit(a, test, 0, 0)
			ok := c.emit(a, program.EndTry, 0, 0)
			c.here(try)
			falses = append(falses, c.emit(a, program.Jump, 0, 0))
			c.here(ok)
			falses = append(falses, c.emit(a, program.JumpFalse, 0, 0))
		}
		c.push(e, value.True)
		ends = append(ends, c.emit(e, program.Jump, 0, 0))
		for _, pc := range falses {
			c.here(pc)
		}
		if len(falses) > 0 {
			c.push(e, value.False)
		}
		for _, pc := range ends {
			c.here(pc)
		}
	})
}

// require compiles require: whatever is wrong with the argument, the message
// names the argument.
func (c *compiler) require(e *ast.Call) {
	if len(e.Args) != 1 {
		c.args(e)
		c.raise(e, "one argument expected for 'require'")
		return
	}
	msg := c.constant(value.OfString(`required expression "` + ast.Print(e.Args[0]) + `" undefined`))
	c.quietly(e, func() {
		try := c.emit(e, program.Try, 0, 0)
		c.expr(e.Args[0])
		ok := c.emit(e, program.EndTry, 0, 0)
		c.here(try)
		c.emit(e, program.Raise, msg, 0)
		c.here(ok)
		c.emit(e, program.Require, msg, 0)
	})
}
