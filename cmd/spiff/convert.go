// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/dynaml/spiff"
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
	flags: func(f *pflag.FlagSet) {
		f.String("to", "", "the `FORMAT` to print, yaml or json")
		f.Bool("compact", false, "print JSON in one line for each document")
	},
	run: runConvert,
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
	switch {
	case to != "yaml" && to != "json":
		return usageError{fmt.Sprintf("--to is yaml or json, not %q", to)}
	case to == "yaml" && compact:
		return usageError{"--compact is about JSON, not YAML"}
	}
	text, err := readInput(e, name)
	if err != nil {
		return fmt.Errorf("error reading file [%s]: %w", name, err)
	}
	d, err := spiff.LoadData(name, text)
	if err != nil {
		return fmt.Errorf("error parsing file [%s]: %s", name, placed(err))
	}
	warn(e, d)
	var out []byte
	if to == "json" {
		out, err = d.AppendJSON(nil, spiff.JSONOptions{Compact: compact})
	} else {
		out, err = d.AppendYAML(nil)
	}
	if err == nil {
		_, err = e.stdout.Write(out)
	}
	if err != nil {
		return fmt.Errorf("error writing %s for [%s]: %s", strings.ToUpper(to), name, placed(err))
	}
	return nil
}

// readInput reads a file or the standard input.
func readInput(e *env, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(e.stdin)
	}
	return readFile(name)
}
