// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"errors"
	"strings"

	"github.com/dynaml/spiff/diag"
)

// coded gives an error a code if it has none.
func coded(err error, code diag.Code) error {
	var d *diag.Diagnostic
	if errors.As(err, &d) && d.Code == "" {
		d.Code = code
	}
	return err
}

// unread gives an error of the reader a code and advice if it has none.
func unread(err error) error {
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != "" {
		return err
	}
	d.Code = diag.YAMLSyntax
	if strings.HasPrefix(d.Msg, "map key must be a string") {
		d.Code = diag.YAMLKey
	} else if d.Fix == "" && d.Span.Src != nil {
		d.Fix = yamlFix(d)
	}
	return err
}

// yamlFix proposes what is most likely meant, by what stands at the place where
// the reader gave up.
func yamlFix(d *diag.Diagnostic) string {
	line, rest := d.Span.Line(), d.Span.Src.Text[d.Span.Start:]
	begins := func(chars string) bool { return rest != "" && strings.ContainsRune(chars, rune(rest[0])) }
	switch {
	case strings.HasPrefix(line, "\t"):
		return "indent with blanks, as many on each line of a list or map"
	case begins(":") && strings.Contains(line, "(("):
		return "put the whole expression in single quotes, as YAML requires if it has a colon before a blank: '(( ... ))'"
	case begins(":"):
		return "put the text in quotes if the colon belongs to it"
	case begins("\"'"):
		return "write the same quote at the end of the text"
	case begins("*"):
		return "define the anchor on a node before this one, or put the text in quotes if it is no alias"
	case begins("@`%"):
		return "put the text in quotes"
	case strings.Contains(d.Msg, `","`):
		return "close the bracket that was opened before, or put a comma between the entries"
	}
	return ""
}
