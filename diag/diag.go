// SPDX-License-Identifier: Apache-2.0

// Package diag holds source texts, positions in them, and the diagnostics that
// refer to those positions. It imports only the standard library and every
// other package may import it. It knows nothing about YAML or dynaml.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Source is one input text. Positions are byte offsets into Text; lines and
// columns are computed only when a diagnostic is shown.
type Source struct {
	Name string
	Text string

	// Origin is the place that Text was made from, for a text that is not a
	// file: a folded scalar, or an expression that was computed.
	Origin Span

	once  sync.Once
	lines []uint32 // offset of the start of each line
}

// NewSource returns a source with the given display name and text.
func NewSource(name, text string) *Source { return &Source{Name: name, Text: text} }

func (s *Source) index() {
	s.once.Do(func() {
		s.lines = append(s.lines, 0)
		for i := 0; ; {
			n := strings.IndexByte(s.Text[i:], '\n')
			if n < 0 {
				return
			}
			i += n + 1
			s.lines = append(s.lines, uint32(i))
		}
	})
}

// LineCol returns the 1-based line of the byte offset off and its 1-based
// column, counted in runes.
func (s *Source) LineCol(off uint32) (line, col int) {
	s.index()
	off = min(off, uint32(len(s.Text)))
	i, found := slices.BinarySearch(s.lines, off)
	if !found {
		i--
	}
	return i + 1, utf8.RuneCountInString(s.Text[s.lines[i]:off]) + 1
}

// Offset returns the byte offset of a 1-based line and a 1-based column in
// runes, clamped to the text.
func (s *Source) Offset(line, col int) uint32 {
	s.index()
	if line < 1 {
		return 0
	}
	if line > len(s.lines) {
		return uint32(len(s.Text))
	}
	off := int(s.lines[line-1])
	for ; col > 1 && off < len(s.Text) && s.Text[off] != '\n'; col-- {
		_, n := utf8.DecodeRuneInString(s.Text[off:])
		off += n
	}
	return uint32(off)
}

// A Span is the half-open byte range [Start, End) of Src. The zero Span means
// "no position".
type Span struct {
	Src        *Source
	Start, End uint32
}

// File returns the place in a file: sp, or where the text of sp comes from.
func (sp Span) File() Span {
	for sp.Src != nil && sp.Src.Origin.Src != nil {
		sp = sp.Src.Origin
	}
	return sp
}

// Line returns the line of the text in which sp starts.
func (sp Span) Line() string {
	start := strings.LastIndexByte(sp.Src.Text[:sp.Start], '\n') + 1
	line, _, _ := strings.Cut(sp.Src.Text[start:], "\n")
	return line
}

// String returns file:line:col, or "-" if there is no position.
func (sp Span) String() string {
	if sp = sp.File(); sp.Src == nil {
		return "-"
	}
	line, col := sp.Src.LineCol(sp.Start)
	return fmt.Sprintf("%s:%d:%d", sp.Src.Name, line, col)
}

// Severity orders diagnostics by weight.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
	Note
)

func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// A Diagnostic is one message for the user. It is also an error.
type Diagnostic struct {
	Severity Severity
	Code     Code
	Span     Span
	Path     string // of the node in its document, "" if it is about no node
	Msg      string // lower case, no final period; one line unless the user's own text has more
	Fix      string // what to do about it; "" for what the catalogue says
	Notes    []Diagnostic
	Cause    error // what errors.Is and errors.As find behind it; may be nil

	// Classic are the lines of the classic report about the node, if it has one.
	Classic []string
	// Waiting are the nodes that have no value only because of this.
	Waiting []Waiting
}

// Waiting is a node that has no value because another one failed.
type Waiting struct {
	Path    string
	Span    Span
	Classic []string
}

// Advice returns what to do about d, like a message without a capital and a
// final period.
func (d *Diagnostic) Advice() string {
	if e := d.Code.Lookup(); d.Fix == "" && e != nil {
		return strings.ToLower(e.Fix[:1]) + strings.TrimSuffix(e.Fix[1:], ".")
	}
	return d.Fix
}

// Errorf returns an error-severity Diagnostic at sp.
func Errorf(sp Span, format string, args ...any) *Diagnostic {
	return &Diagnostic{Span: sp, Msg: fmt.Sprintf(format, args...)}
}

// Warnf returns a warning-severity Diagnostic at sp.
func Warnf(sp Span, format string, args ...any) *Diagnostic {
	return &Diagnostic{Severity: Warning, Span: sp, Msg: fmt.Sprintf(format, args...)}
}

// WithNote returns d with a note added.
func (d *Diagnostic) WithNote(sp Span, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Diagnostic{Severity: Note, Span: sp, Msg: fmt.Sprintf(format, args...)})
	return d
}

// Unwrap returns the cause.
func (d *Diagnostic) Unwrap() error { return d.Cause }

// Error returns the first line only: file:line:col: severity: message.
func (d *Diagnostic) Error() string {
	if d.Span.Src == nil {
		return fmt.Sprintf("%s: %s", d.Severity, d.Msg)
	}
	return fmt.Sprintf("%s: %s: %s", d.Span, d.Severity, d.Msg)
}

// A List collects diagnostics. The zero List is ready to use.
type List []*Diagnostic

// Err returns l as an error, or nil if it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Unwrap returns the diagnostics.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, d := range l {
		errs[i] = d
	}
	return errs
}

// Error returns the first diagnostic and the number of the others.
func (l List) Error() string {
	switch len(l) {
	case 0:
		return "no errors"
	case 1:
		return l[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", l[0].Error(), len(l)-1)
}

// Sort orders l by file, then offset, then message, so output is stable.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b *Diagnostic) int {
		return cmp.Or(
			strings.Compare(name(a), name(b)),
			cmp.Compare(a.Span.Start, b.Span.Start),
			strings.Compare(a.Msg, b.Msg),
		)
	})
}

func name(d *Diagnostic) string {
	if d.Span.Src == nil {
		return ""
	}
	return d.Span.Src.Name
}
