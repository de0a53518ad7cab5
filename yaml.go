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
	start := strings.LastIndexByte(d.Span.Src.Text[:d.Span.Start], '\n') + 1
	before := d.Span.Src.Text[start:d.Span.Start]
	if strings.HasPrefix(d.Msg, "a tab cannot") {
		return "indent with blanks, as many on each line of a list or map"
	}
	begins := func(chars string) bool { return rest != "" && strings.ContainsRune(chars, rune(rest[0])) }
	switch {
	case begins(":") && strings.Contains(before, "(("):
		return "put the whole expression in single quotes, as YAML requires if it has a colon before a blank: '(( ... ))'"
	case begins(":"):
		return colonFix(d, before)
	case strings.HasPrefix(d.Msg, `expected ":"`) && strings.Contains(line, ":"):
		return "put a blank behind the colon"
	case strings.HasPrefix(d.Msg, "expected a key") && (strings.HasSuffix(before, `"`) || strings.HasSuffix(before, "'")):
		return `the quote before the mark ends the text; a quote inside a text is written \" in double quotes and '' in single quotes`
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

// colonFix proposes what to do about a colon that is not allowed, by the lines
// in front of it. key is what stands before it in its own line.
func colonFix(d *diag.Diagnostic, key string) string {
	text := d.Span.Src.Text[:d.Span.Start]
	above := strings.TrimRight(text[:len(text)-len(key)], " \t\r\n")
	above = above[strings.LastIndexByte(above, '\n')+1:]
	switch {
	case strings.Contains(strings.TrimLeft(key, " -"), ":"), above == "", strings.HasSuffix(above, ":"):
	case indented(key) > indented(above):
		return "indent the line like the one before it, or remove the value of that one"
	case !strings.Contains(above, ": ") && strings.Contains(above, ":"):
		return "put a blank behind the colon in the line before"
	}
	return "put the text in quotes if the colon belongs to it"
}

// indented counts the blanks at the beginning of a line.
func indented(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
