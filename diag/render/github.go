// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/dynaml/spiff/diag"
)

// In workflow commands some characters of a message are written by number, and
// two more in a property.
var (
	githubMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes workflow commands, which GitHub Actions shows as annotations
// at the lines of the files.
func GitHub(out io.Writer, list diag.List, _ Options) error {
	w := bufio.NewWriter(out)
	for _, d := range list {
		fmt.Fprintf(w, "::%s", d.Severity)
		sep := " "
		property := func(name, value string) {
			fmt.Fprintf(w, "%s%s=%s", sep, name, githubProperty.Replace(value))
			sep = ","
		}
		if l := jsonSpan(d.Span); l != nil {
			property("file", l.File)
			property("line", fmt.Sprint(l.Start.Line))
			property("endLine", fmt.Sprint(l.End.Line))
			if l.Start.Line == l.End.Line { // columns are for a single line only
				property("col", fmt.Sprint(l.Start.Column))
				property("endColumn", fmt.Sprint(l.End.Column))
			}
		}
		if e := d.Code.Lookup(); e != nil {
			property("title", string(e.Code)+" "+e.Name)
		}
		fmt.Fprintf(w, "::%s\n", githubMessage.Replace(plain(d)))
	}
	return w.Flush()
}

// plain returns a diagnostic with its notes as lines of text without excerpts.
func plain(d *diag.Diagnostic) string {
	var b strings.Builder
	b.WriteString(d.Msg)
	for i := range d.Notes {
		b.WriteString("\n")
		if n := &d.Notes[i]; n.Span.Src != nil {
			fmt.Fprintf(&b, "%s: ", n.Span)
		}
		b.WriteString(d.Notes[i].Msg)
	}
	if fix := d.Advice(); fix != "" {
		b.WriteString("\nfix: " + fix)
	}
	if n := len(d.Waiting); n > 0 {
		b.WriteString("\n" + waitFor(n, "more ", 1))
	}
	return b.String()
}
