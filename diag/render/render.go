// SPDX-License-Identifier: Apache-2.0

// Package render writes diagnostics: as text for people, or in a format that
// other programs read. It knows what a diagnostic is made of, and nothing of
// how it came about.
package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/dynaml/spiff/diag"
)

// Options say how diagnostics are written. Formats other than rich use none but
// Version.
type Options struct {
	Header  string // first line, "" for none
	Legend  string // text behind the diagnostics
	All     bool   // list all nodes that wait for another one
	Color   bool   // with the escape sequences of a terminal
	Version string // of the program
}

// A Format writes diagnostics in one of the formats.
type Format func(w io.Writer, list diag.List, o Options) error

// counts returns the numbers of errors, warnings, and nodes that wait.
func counts(list diag.List) (errors, warnings, waiting int) {
	for _, d := range list {
		if d.Severity == diag.Error {
			errors++
		} else {
			warnings++
		}
		waiting += len(d.Waiting)
	}
	return errors, warnings, waiting
}

// Summary counts what a list has in words.
func Summary(list diag.List) string {
	errors, warnings, waiting := counts(list)
	var parts []string
	if errors > 0 {
		parts = append(parts, count(errors, "error"))
	}
	if warnings > 0 {
		parts = append(parts, count(warnings, "warning"))
	}
	text := strings.Join(parts, ", ")
	if waiting > 0 {
		text += "; " + waitFor(waiting, "", errors)
	}
	for _, d := range list {
		if d.Code != "" {
			return text + " (spiff explain " + string(d.Code) + " tells more)"
		}
	}
	return text
}

func waitFor(n int, more string, errors int) string {
	nodes, verb, what := "nodes", "wait", "this"
	if n == 1 {
		nodes, verb = "node", "waits"
	}
	if errors > 1 {
		what = "these"
	}
	return fmt.Sprintf("%d %s%s %s for %s", n, more, nodes, verb, what)
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
