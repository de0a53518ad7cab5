// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/format"
)

// Formatted is the result of Format.
type Formatted = format.Result

// Format lays out the text of a template: its indentation, blanks, empty lines
// and the form of its expressions. Comments, quotes and what a merge makes of it
// stay. A text that cannot be formatted safely is returned as it is, with the
// reason. The error, if the text is no YAML, is a *diag.Diagnostic with the
// place; name is how messages call the text.
func Format(name string, text []byte) (Formatted, error) {
	return format.Source(diag.NewSource(name, string(text)))
}

// FormatDiff returns how formatting changed a file, as a unified diff.
func FormatDiff(name, before, after string) string { return format.Diff(name, before, after) }
