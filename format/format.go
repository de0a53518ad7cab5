// SPDX-License-Identifier: Apache-2.0

// Package format lays out the text of a template anew: indentation, blanks,
// empty lines and the spelling of expressions. What the text means, its
// comments, its quotes and the order of its lines stay.
//
// It works on the text by lines. The YAML that manifests are written in is
// taken apart here; at anything else, or if the new text does not read as the
// same nodes, the text is left as it is and the result says why. So the package
// needs no rare rules, only doubt.
//
// It does not know merging, except that a template node is printed as it was
// written: expressions in one keep their text.
package format

import (
	"strings"

	"github.com/dynaml/spiff/diag"
)

// A Result is a formatted text.
type Result struct {
	Text string
	// Left, if set, is a warning that says why the text is not formatted but
	// returned as it was.
	Left *diag.Diagnostic
}

// Source formats the text of src. A text that is no YAML is an error, a
// *diag.Diagnostic with its place.
func Source(src *diag.Source) (Result, error) {
	before, err := read(src)
	if err != nil {
		return Result{}, err
	}
	if strings.Contains(src.Text, "\r\n") {
		// The layout knows one line break. Where the lines are does not change,
		// so places in messages are right in both texts.
		src = diag.NewSource(src.Name, strings.ReplaceAll(src.Text, "\r\n", "\n"))
		unix, err := read(src)
		if err != nil || differ(before, unix) {
			return left(before.src, doubt{0, "its line breaks are part of its values"}), nil
		}
		unix.src, before = before.src, unix
	}
	if strings.LastIndex(src.Text, bom) > 0 {
		return left(before.src, doubt{0, "it has a byte order mark inside"}), nil
	}
	text, d := arrange(src.Text, before.verbatim)
	if d != nil {
		r := left(src, *d)
		r.Text = before.src.Text
		return r, nil
	}
	after, err := read(diag.NewSource(src.Name, text))
	if err != nil || differ(before, after) {
		return left(before.src, doubt{0, "the new layout would change its meaning"}), nil
	}
	return Result{Text: text}, nil
}

// left returns the result for a text that is not formatted.
func left(src *diag.Source, d doubt) Result {
	at := diag.Span{Src: src, Start: uint32(d.at), End: uint32(min(d.at+1, len(src.Text)))}
	return Result{Text: src.Text, Left: diag.Warnf(at, "left as it is: %s", d.why)}
}
