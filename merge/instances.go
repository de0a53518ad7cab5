// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"

	"github.com/dynaml/spiff/diag"
)

// maxNested bounds the nodes of an instance that are explained, and maxLevels
// how deep in instances of instances.
const (
	maxNested = 10
	maxLevels = 3
)

// instance explains the failure of a copy that a template or file was made
// into, by the nodes in it that failed.
func (f *failing) instance() {
	f.d.Code = diag.TemplateFailed
	f.d.Msg = fmt.Sprintf("the copy of %s that is made here has nodes that fail", f.l.describeInstance(f.err.Instance))
	if f.depth == maxLevels {
		cause := f.l.rootCause(f.err.Instance)
		f.notef(diag.Span{}, "what failed inside of it is left out here; the first error is: %s", cause.Text())
		if cause.Fatal {
			f.d.Fix = (&diag.Diagnostic{Code: diag.EndlessComputation}).Advice()
		}
		return
	}
	f.depth++
	f.nested(f.err.Instance)
	f.depth--
}

func (l *level) describeInstance(inst uint32) string {
	if t := l.extraOf(l.cell(inst)).template; t != "" {
		return t
	}
	return "the template"
}

// nested notes the failures in an instance, and in the instances inside.
func (f *failing) nested(inst uint32) {
	n := 0
	f.l.walkInstance(inst, func(v uint32) {
		c := f.l.cell(v)
		if c.state != sFailed {
			return
		}
		if n++; n > maxNested {
			return
		}
		d := f.diagnoser.failure(v, f.l.s.Span(f.l.written(c)))
		path := f.l.pathOf(v)
		f.d.Notes = append(f.d.Notes, diag.Diagnostic{Severity: diag.Note, Span: d.Span, Msg: fmt.Sprintf("%s in the copy: %s", path, d.Msg)})
		f.d.Notes = append(f.d.Notes, d.Notes...)
		if f.d.Fix == "" {
			f.d.Fix = d.Advice()
		}
	})
	if n > maxNested {
		f.notef(diag.Span{}, "%d more nodes of the copy failed", n-maxNested)
	}
}
