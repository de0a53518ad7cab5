// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
)

var explainCommand = command{
	name:  "explain",
	args:  "[flags] PATH TEMPLATE [STUB...] | CODE",
	short: "tell why a node has its value, or what an error is",
	long: `
Merges TEMPLATE with the STUBs and prints, for the node at PATH, its value, what
each of the files has there and which of them decided (marked *) and why, and
the same for what its expression reads, to a depth of N. A merge that fails is
explained as far as it came.

PATH is dotted, with list entries by number or name: jobs.[0].instances,
jobs.api.instances. Keys with dots are quoted: a."x.y". With slashes an entry is
found by any of its fields: /jobs/name=api/instances.

With a CODE such as E201 instead, prints what this error or warning is, what
causes it, and what to do about it.`,
	examples: []usageExample{
		{"spiff explain jobs.web.instances template.yml stub.yml", "tell what decided a value, and why"},
		{"spiff explain --depth 5 /jobs/name=web/networks/0 template.yml stub.yml", "the same further back, with a path of the other form"},
		{"spiff explain --json meta.domain template.yml stub.yml", "the same for a program"},
		{"spiff explain E201", "tell what an error is, and what to do about it"},
	},
	complete: []completion{pathOrCode, yamlFiles},
	flags: func(f *pflag.FlagSet) {
		f.Int("depth", 2, "follow what expressions read over at most `N` steps")
		f.Bool("json", false, "print JSON")
		inspectFlags(f)
	},
	limited: true,
	merges:  true,
	before:  1,
	run: func(e *env, flags *pflag.FlagSet) error {
		if flags.NArg() == 1 {
			return explainCode(e, flags.Arg(0))
		}
		return runExplain(e, flags)
	},
}

// explainCode prints the entry of the catalogue of errors.
func explainCode(e *env, code string) error {
	entry := diag.Code(strings.ToUpper(code)).Lookup()
	if entry == nil {
		return usageError{fmt.Sprintf("%q is no code of an error; for a path, a template is required", code)}
	}
	_, err := fmt.Fprintf(e.stdout, "%s %s\n\n%s.\n\ncause: %s\n\nfix:   %s\n", entry.Code, entry.Name, entry.Title, entry.Cause, entry.Fix)
	return err
}

func runExplain(e *env, flags *pflag.FlagSet) error {
	if flags.NArg() == 0 {
		return usageError{"a path and a template are required, or the code of an error"}
	}
	depth, _ := flags.GetInt("depth")
	if depth < 0 {
		return usageError{"--depth is a number from 0 on"}
	}
	i, err := inspect(e, flags, flags.Args()[1:])
	if err != nil {
		return err
	}
	x, err := i.Explain(flags.Arg(0), depth)
	if err != nil {
		return fmt.Errorf("error explaining [%s]: %w", flags.Arg(0), err)
	}
	write := x.WriteText
	if asJSON, _ := flags.GetBool("json"); asJSON {
		write = x.WriteJSON
	}
	return write(e.stdout)
}
