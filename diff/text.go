// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"bytes"
	"fmt"

	"github.com/dynaml/spiff/value"
)

// The colours of the sides.
const (
	red   = "\x1b[31m"
	green = "\x1b[32m"
	reset = "\x1b[0m"
)

// text appends the text of the classic spiff. That said no more about streams
// of different length than that.
func (p *printer) text(dst []byte, r *Result) ([]byte, error) {
	if r.Equal() {
		return append(dst, "no differences!\n"...), nil
	}
	if r.A != r.B {
		dst = fmt.Appendf(dst, "Different number of documents (%d != %d)\n", r.A, r.B)
	}
	for i, found := range r.Docs {
		label := ""
		if len(r.Docs) > 1 {
			label = fmt.Sprintf("document %d ", i+1)
			if len(found) == 0 {
				dst = fmt.Appendf(dst, "No difference in document %d\n", i+1)
			}
		}
		for _, d := range found {
			var err error
			if dst, err = p.difference(dst, label, d); err != nil {
				return nil, err
			}
		}
	}
	return dst, nil
}

func (p *printer) difference(dst []byte, label string, d Difference) ([]byte, error) {
	dst = fmt.Appendf(dst, "Difference in %s%s\n", label, d.Path)
	dst, err := p.side(dst, p.o.A, d.A, d.InA, red)
	if err != nil {
		return nil, err
	}
	if dst, err = p.side(dst, p.o.B, d.B, d.InB, green); err != nil {
		return nil, err
	}
	dst = append(dst, p.o.Separator...)
	return dst, p.check(dst)
}

// side shows what one side has, indented by four blanks. The classic text
// indents empty lines too, also the one after the last newline, which holds
// the reset sequence. Without colours no line consists of blanks.
func (p *printer) side(dst []byte, name string, id, in value.ID, color string) ([]byte, error) {
	if id == 0 {
		if at := p.position(in); at != "" && p.o.Positions {
			dst = fmt.Appendf(dst, "  %s lacks it at %s\n", name, at)
		}
		return dst, nil
	}
	dst = append(append(append(dst, "  "...), name...), " has"...)
	if at := p.position(id); at != "" && p.o.Positions {
		dst = append(append(dst, " at "...), at...)
	}
	dst = append(dst, ":\n"...)
	yaml, err := p.yaml(id)
	if err != nil {
		return nil, err
	}
	if p.o.Color {
		dst = append(append(dst, "    "...), color...)
		dst = append(dst, bytes.ReplaceAll(yaml, []byte("\n"), []byte("\n    "))...)
		return append(append(dst, reset...), '\n'), nil
	}
	return indent(dst, yaml, "    "), nil
}

// indent appends lines, those that are not empty behind a prefix.
func indent(dst, lines []byte, prefix string) []byte {
	for line := range bytes.Lines(lines) {
		if line[0] != '\n' {
			dst = append(dst, prefix...)
		}
		dst = append(dst, line...)
	}
	return dst
}
