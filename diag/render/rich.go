// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/dynaml/spiff/diag"
)

// maxWaiting is how many nodes that wait for another one are listed below it;
// of the others only the number is printed unless all are asked for.
const maxWaiting = 10

// The colours, as escape sequences.
const (
	bold   = "\x1b[1m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	cyan   = "\x1b[1;36m"
	green  = "\x1b[1;32m"
	end    = "\x1b[0m"
)

// Rich writes diagnostics for people: for each the place and the message, the
// lines of the classic report as they are, the line of the source with a mark
// below the part that failed, notes, and what to do.
func Rich(out io.Writer, list diag.List, o Options) error {
	w := &rich{Writer: bufio.NewWriter(out), o: o}
	if o.Header != "" {
		fmt.Fprintln(w, o.Header)
	}
	for i, d := range list {
		if i > 0 || o.Header != "" {
			fmt.Fprintln(w)
		}
		w.diagnostic(d)
	}
	if len(list) > 0 {
		fmt.Fprintf(w, "\n%s%s\n", o.Legend, Summary(list))
	}
	return w.Flush()
}

type rich struct {
	*bufio.Writer
	o Options
}

// in returns text in a colour.
func (w *rich) in(color, text string) string {
	if !w.o.Color {
		return text
	}
	return color + text + end
}

// place returns "file:line:col: ", or "" if there is none.
func (w *rich) place(sp diag.Span) string {
	if sp.Src == nil {
		return ""
	}
	return w.in(bold, sp.String()) + ": "
}

// word returns the severity and the code.
func (w *rich) word(d *diag.Diagnostic) string {
	color := map[diag.Severity]string{diag.Error: red, diag.Warning: yellow, diag.Note: cyan}[d.Severity]
	text := d.Severity.String()
	if d.Code != "" {
		text += "[" + string(d.Code) + "]"
	}
	return w.in(color, text)
}

func (w *rich) diagnostic(d *diag.Diagnostic) {
	fmt.Fprintf(w, "%s%s: %s\n", w.place(d.Span), w.word(d), d.Msg)
	w.lines(d.Classic)
	w.excerpt(d.Span, "", d.Severity)
	shown := map[string]bool{w.row(d.Span): true}
	for i := range d.Notes {
		n := &d.Notes[i]
		fmt.Fprintf(w, "  %s%s: %s\n", w.place(n.Span), w.word(n), n.Msg)
		if row := w.row(n.Span); !shown[row] || n.Span.Src != nil && n.Span.Src.Origin.Src != nil {
			shown[row] = true
			w.excerpt(n.Span, "  ", n.Severity)
		}
	}
	if fix := d.Advice(); fix != "" {
		fmt.Fprintf(w, "  %s: %s\n", w.in(green, "fix"), fix)
	}
	w.waiting(d.Waiting)
}

// row identifies the line of a place: it is quoted only once per diagnostic.
func (w *rich) row(sp diag.Span) string {
	if sp.Src == nil {
		return ""
	}
	line, _ := sp.Src.LineCol(sp.Start)
	return fmt.Sprintf("%s:%d", sp.Src.Name, line)
}

func (w *rich) excerpt(sp diag.Span, indent string, s diag.Severity) {
	marks := diag.Plain
	if w.o.Color {
		marks = diag.Marks{Gutter: cyan, Marker: map[diag.Severity]string{diag.Error: red, diag.Warning: yellow, diag.Note: cyan}[s], End: end}
	}
	sp.WriteExcerpt(w, indent, marks)
}

func (w *rich) lines(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
}

// waiting lists the nodes that wait, the first of them if they are many.
func (w *rich) waiting(nodes []diag.Waiting) {
	if len(nodes) == 0 {
		return
	}
	listed := len(nodes)
	if !w.o.All {
		listed = min(listed, maxWaiting)
	}
	fmt.Fprintf(w, "  %s:\n", waitFor(len(nodes), "", 1))
	for _, n := range nodes[:listed] {
		w.lines(n.Classic)
	}
	if rest := len(nodes) - listed; rest > 0 {
		fmt.Fprintf(w, "  %s, --all lists them\n", waitFor(rest, "more ", 1))
	}
}

// Classic writes diagnostics as the classic tools do: their lines only.
func Classic(w io.Writer, list diag.List, o Options) error {
	var b strings.Builder
	for _, d := range list {
		if len(d.Classic) > 0 {
			b.WriteString(strings.Join(d.Classic, "\n") + "\n")
			continue
		}
		b.WriteString(d.Error() + "\n")
		for i := range d.Notes {
			b.WriteString("  " + d.Notes[i].Error() + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
