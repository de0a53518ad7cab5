// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
)

var evalCommand = command{
	name:  "eval",
	args:  "[flags] EXPR",
	short: "print the value of an expression",
	long: `
Evaluates the expression EXPR, with or without its (( )), and prints its value as
YAML. With -f, the files are merged first, the template before the stubs, and EXPR
sees what an expression at the root of the result sees, or with --path at a node
inside: the keys of that map, or of the map around that scalar, list or entry, and
so on outwards. An expression that begins with a dash follows "--".`,
	examples: []usageExample{
		{"spiff eval '1 + 2'", "calculate"},
		{"spiff eval -f template.yml -f stub.yml 'jobs.api.instances * 2'", "ask the result of a merge"},
		{"spiff eval -f template.yml --path jobs.api 'name'", "evaluate as if it stood in that map"},
		{"spiff eval -D n=5 --json '[1..n]'", "give the expression a name from outside, print JSON"},
	},
	complete: []completion{nothing},
	flags: func(f *pflag.FlagSet) {
		evalFlags(f)
		f.Bool("json", false, "print the value as one line of JSON")
		f.String("path", "", "evaluate as if EXPR stood at the node at `PATH`")
		completes(f, "path", nodePath)
	},
	limited: true,
	merges:  true,
	before:  1,
	run:     runEval,
}

// evalFlags defines the flags that newEvaluation reads.
func evalFlags(f *pflag.FlagSet) {
	f.StringArrayP("file", "f", nil, "merge `FILE`; the first is the template, others are stubs")
	completes(f, "file", yamlFiles)
	bindingFlags(f)
	dialectFlag(f)
	formatFlag(f)
	colorFlag(f, "colour errors and warnings")
}

func runEval(e *env, flags *pflag.FlagSet) error {
	if flags.NArg() != 1 {
		return usageError{"one expression is required, in quotes for the shell"}
	}
	v, err := newEvaluation(e, flags)
	if err != nil {
		return err
	}
	var out []byte
	if v.e != nil {
		path, _ := flags.GetString("path")
		asJSON, _ := flags.GetBool("json")
		out, err = v.print(flags.Arg(0), path, spiff.Output{JSON: asJSON})
		var d *diag.Diagnostic
		if errors.As(err, &d) && d.Code == diag.Usage {
			return usageError{d.Msg}
		}
		v.fail(err)
	}
	if err := v.report.print(false); err != nil {
		return err
	}
	_, err = e.stdout.Write(out)
	return err
}

// An evaluation is an Evaluator for the files of a command line.
type evaluation struct {
	merged
	e     *spiff.Evaluator // nil if the files cannot be merged
	flags *pflag.FlagSet
}

// newEvaluation merges the files of the flags. What is wrong with them is in the
// report; the error is one of the command line.
func newEvaluation(e *env, flags *pflag.FlagSet) (*evaluation, error) {
	v := &evaluation{flags: flags}
	var err error
	if v.merged, err = newMerged(e, flags, spiff.Options{}); err != nil {
		return nil, err
	}
	files, _ := flags.GetStringArray("file")
	return v, v.load(files)
}

// load merges files and makes the Evaluator for their result. If that fails,
// what was loaded before stays. The error is one of the command line.
func (v *evaluation) load(files []string) (err error) {
	m := v.merged
	if m.opt.Policy, err = policy(v.flags, files); err != nil {
		return err
	}
	m.docs, m.result = nil, nil
	if len(files) > 0 {
		m.merge(files, nil)
	}
	if len(m.report.errors) > 0 {
		return nil
	}
	e, err := spiff.NewEvaluator(context.Background(), m.result, m.opt)
	if err != nil {
		m.report.fail(err, "", "")
		return nil
	}
	v.merged, v.e = m, e
	return nil
}

// print returns the text of the value of an expression.
func (v *evaluation) print(expr, path string, o spiff.Output) ([]byte, error) {
	r, err := v.e.Eval(expr, path)
	if err != nil {
		return nil, err
	}
	return r.AppendOutput(nil, o)
}

// fail adds the error of an expression to the report, nil for none.
func (v *evaluation) fail(err error) {
	var u *spiff.Unresolved
	var d *diag.Diagnostic
	switch {
	case err == nil:
	case errors.As(err, &u):
		v.report.errors = append(v.report.errors, u.Diagnostics()...)
	case errors.As(err, &d):
		v.report.fail(err, diag.Output, "")
	default:
		v.report.fail(err, diag.Usage, "")
	}
}
