// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
)

var convertCommand = command{
	name:  "convert",
	args:  "[--to yaml|json] [--compact] [FILE]",
	short: "convert a file between YAML and JSON",
	long: `
Prints FILE, by default the standard input, as YAML or JSON. Nothing is
evaluated: expressions are texts. Keys are sorted, numbers keep their digits.
Several documents become one JSON text behind the other. Without --to, a file
named *.json becomes YAML and any other JSON.`,
	examples: []usageExample{
		{"spiff convert manifest.yml > manifest.json", "YAML to JSON"},
		{"spiff convert manifest.json > manifest.yml", "JSON to YAML"},
		{"spiff merge template.yml stub.yml | spiff convert --compact", "a manifest as JSON in one line"},
	},
	complete: []completion{files("yml", "yaml", "json"), nothing},
	flags: func(f *pflag.FlagSet) {
		f.String("to", "", "the `FORMAT` to print, yaml or json")
		completes(f, "to", words("yaml", "json"))
		f.Bool("compact", false, "print JSON in one line for each document")
		formatFlag(f)
		colorFlag(f, "colour errors and warnings")
	},
	limited: true,
	run:     runConvert,
}

func runConvert(e *env, flags *pflag.FlagSet) error {
	name := "-"
	switch flags.NArg() {
	case 0:
	case 1:
		name = flags.Arg(0)
	default:
		return usageError{"one file is converted at a time"}
	}
	to, _ := flags.GetString("to")
	compact, _ := flags.GetBool("compact")
	if !flags.Changed("to") {
		to = "json"
		if strings.EqualFold(filepath.Ext(name), ".json") {
			to = "yaml"
		}
	}
	if to == "yaml" && compact {
		return usageError{"--compact is about JSON, not YAML"}
	}
	r, err := newReport(e, flags)
	if err != nil {
		return err
	}
	out := r.convert(name, to, spiff.JSONOptions{Compact: compact})
	if err := r.print(false); err != nil {
		return err
	}
	if _, err := e.stdout.Write(out); err != nil {
		return fmt.Errorf("error writing %s for [%s]: %w", strings.ToUpper(to), name, err)
	}
	return nil
}

// convert returns the text of a file in another format. What is wrong with it
// is in the report.
func (r *report) convert(name, to string, opt spiff.JSONOptions) (out []byte) {
	text, err := readInput(r.e, name)
	if err != nil {
		r.fail(err, diag.FileRead, fmt.Sprintf("error reading file [%s]", name))
		return nil
	}
	d, err := spiff.LoadData(name, text)
	if err != nil {
		r.fail(err, diag.YAMLSyntax, fmt.Sprintf("error parsing file [%s]", name))
		return nil
	}
	r.warnings = append(r.warnings, d.Warnings()...)
	if to == "json" {
		out, err = d.AppendJSON(nil, opt)
	} else {
		out, err = d.AppendYAML(nil)
	}
	if err != nil {
		r.fail(err, diag.Output, fmt.Sprintf("error writing %s for [%s]", strings.ToUpper(to), name))
	}
	return out
}
