// SPDX-License-Identifier: Apache-2.0

package diag

import "strings"

// Inside returns the place of the bytes [start, end) of text, which is the
// value of the YAML scalar at sp that begins with mark. It reads the scalar
// beside its value: folding changes only the blanks, quotes only what they
// escape. Where the two do not agree, as with a text that was computed, the
// result is a range of a Source that holds the text.
func (sp Span) Inside(text, mark string, start, end int) Span {
	if sp.Src != nil {
		raw := sp.Src.Text[sp.Start:sp.End]
		if at := strings.Index(raw, mark); at >= 0 {
			if from, to, ok := align(raw, at, text, start, end); ok {
				return Span{sp.Src, sp.Start + uint32(from), sp.Start + uint32(to)}
			}
		}
		// An expression may be written without its brackets, on a command line.
		inner := strings.TrimSuffix(strings.TrimPrefix(text, mark), "))")
		if at := strings.Index(text, raw); raw != "" && strings.TrimSpace(inner) == raw {
			inside := func(i int) uint32 { return sp.Start + uint32(min(max(i-at, 0), len(raw))) }
			return Span{sp.Src, inside(start), inside(end)}
		}
	}
	name := "expression"
	if sp.Src != nil {
		name = sp.Src.Name
	}
	return Span{&Source{Name: name, Text: text, Origin: sp}, uint32(start), uint32(end)}
}

// align walks raw from i on and text together, and returns where in raw the
// bytes start and end of text stand.
func align(raw string, i int, text string, start, end int) (from, to int, ok bool) {
	quote := raw[0]
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
	for j := 0; ; {
		if j <= start {
			from = i
		}
		if j <= end {
			to = i
		}
		switch {
		case j == len(text):
			return from, max(from, to), true
		case i >= len(raw):
			return 0, 0, false
		case raw[i] == text[j] && !(quote == '"' && raw[i] == '\\') && !(quote == '\'' && raw[i] == '\'') && !blank(raw[i]):
			i, j = i+1, j+1
		case blank(raw[i]) && blank(text[j]):
			// The end of a range stands before blanks, its start behind them.
			for i < len(raw) && blank(raw[i]) {
				i++
			}
			for j < len(text) && blank(text[j]) {
				if j++; j == end {
					to = i
				}
			}
		case i+1 < len(raw) && quote == '"' && raw[i] == '\\' && raw[i+1] == text[j],
			i+1 < len(raw) && quote == '\'' && raw[i] == '\'' && raw[i+1] == '\'' && text[j] == '\'':
			i, j = i+2, j+1
		default:
			return 0, 0, false
		}
	}
}
