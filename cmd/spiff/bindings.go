// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
)

// bindingFlags defines the flags that bindings reads.
func bindingFlags(f *pflag.FlagSet) {
	f.StringArrayP("define", "D", nil, "bind a name to a value for all expressions, `KEY=VALUE`; dots in\nthe key make maps, the value is YAML")
	f.String("bindings", "", "bind the names in `FILE`, a YAML map; -D wins over them")
	completes(f, "bindings", yamlFiles)
}

// bindings returns what the command line binds, nil for nothing. What is wrong
// with the file or a value is in the report; the error is one of the command
// line.
func (r *report) bindings(flags *pflag.FlagSet) (*spiff.Document, error) {
	definitions, _ := flags.GetStringArray("define")
	file := bindingsFile(flags)
	if file == "" && len(definitions) == 0 {
		return nil, nil
	}
	var base *spiff.Document
	if file != "" {
		if base = r.load(file, "bindings"); base == nil {
			return nil, nil
		}
	}
	d, err := spiff.Define(base, definitions...)
	var known *diag.Diagnostic
	if errors.As(err, &known) && known.Code == diag.Usage {
		return nil, usageError{"-D: " + known.Msg}
	}
	if err != nil {
		r.fail(err, diag.YAMLSyntax, "error parsing bindings")
	}
	return d, nil
}

// bindingsFile returns the file of --bindings, "" for none.
func bindingsFile(flags *pflag.FlagSet) string {
	file, _ := flags.GetString("bindings")
	return file
}
