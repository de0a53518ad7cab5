// SPDX-License-Identifier: Apache-2.0

// Package explain holds what can be told about a merge when it is over: why a
// node has its value, where every value came from, and which node needed which
// other. It renders that as text, JSON, DOT, Mermaid and as a page of HTML. It
// knows values and places, but neither how they were computed nor how to find
// them; the merge engine fills it in.
package explain

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dynaml/spiff/diag"
)

// Version is that of the JSON shapes. It grows when a member changes its
// meaning or goes away; new members may come without that.
const Version = 1

// A Place is where something stands. The zero Place is nowhere: a value that
// a command or the merge itself made.
type Place struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"col,omitempty"`
}

// PlaceOf returns the place where a span begins.
func PlaceOf(sp diag.Span) Place {
	if sp.Src == nil {
		return Place{}
	}
	line, col := sp.Src.LineCol(sp.Start)
	return Place{sp.Src.Name, line, col}
}

// String returns file:line:col, or "-" for nowhere.
func (p Place) String() string {
	if p.File == "" {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// The states of a node.
const (
	Done      = "done"
	Undefined = "undefined" // the node vanished
	Failed    = "failed"
	Waiting   = "waiting" // for a node that failed, or in a cycle
	Absent    = "absent"  // there is no such node
)

// An Explanation says why a node has its value.
type Explanation struct {
	Path  string `json:"path"`
	Named string `json:"named,omitempty"` // the path with the names of list entries, if it has any
	State string `json:"state"`
	Error string `json:"error,omitempty"`
	Value *Value `json:"value,omitempty"`
	// Why is the deciding rule in a sentence.
	Why string `json:"why"`
	// Chain is the node in the document itself, then the place of it in each
	// stub, from the left to the right.
	Chain []Link `json:"chain,omitempty"`
	// Elsewhere is set where the same node was explained before; Chain is
	// not repeated then.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// A Link is one document of the cascade at the place of a node.
type Link struct {
	Role    string `json:"role"` // "template" or "stub"
	Stub    int    `json:"stub,omitempty"`
	File    string `json:"file"`
	At      *Place `json:"at,omitempty"`      // where the node is written; absent if it is not
	Path    string `json:"path"`              // of the node in this document
	Written string `json:"written,omitempty"` // the text there, on one line
	State   string `json:"state"`             // after its own evaluation
	Value   *Value `json:"value,omitempty"`   // the same
	Why     string `json:"why"`
	Decides bool   `json:"decides"`
	Reads   []Read `json:"reads,omitempty"`
}

// A Read is something that the expression of a link asked for.
type Read struct {
	As   string       `json:"as"` // as the expression spells it
	Kind string       `json:"kind"`
	Node *Explanation `json:"node"`
}

// The kinds of reads, and of edges.
const (
	Reads      = "reads"
	Merges     = "merges"        // takes the value of a stub
	Overridden = "overridden by" // a stub value takes the place
	Inserted   = "inserted by"   // a << value brought the node in
	Contains   = "contains"      // a list or map needs its entries
	WaitsFor   = "waits for"     // what is needed beside that, such as the keys of a list
)

// WriteJSON writes the explanation as one JSON object with its version.
func (e *Explanation) WriteJSON(w io.Writer) error {
	return writeJSON(w, struct {
		Version int `json:"version"`
		*Explanation
	}{Version, e})
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// WriteText writes the explanation for people.
func (e *Explanation) WriteText(w io.Writer) error {
	p := printer{}
	p.explanation(e, "", "")
	_, err := io.WriteString(w, p.b.String())
	return err
}

type printer struct{ b strings.Builder }

func (p *printer) linef(indent, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		p.b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
}

// explanation prints e; as is how a reader spells it, if that is another text.
func (p *printer) explanation(e *Explanation, as, indent string) {
	head := e.Path
	if head == "" {
		head = "(the whole document)"
	}
	switch {
	case as != "" && as != e.Path && as != e.Named:
		head += " (read as " + as + ")"
	case e.Named != "":
		head += " (" + e.Named + ")"
	}
	switch {
	case e.State != Done:
		p.linef(indent, "%s: %s", head, e.State)
	case indent == "" && e.Value.YAML != "":
		p.linef(indent, "%s:", head)
		p.linef(indent+"    ", "%s", e.Value.YAML)
	default:
		p.linef(indent, "%s: %s", head, e.Value.Brief())
	}
	indent += "  "
	if e.Error != "" {
		p.linef(indent, "error: %s", e.Error)
	}
	if len(e.Chain) == 0 || e.Chain[0].Why != e.Why {
		p.linef(indent, "%s", e.Why)
	}
	if e.Elsewhere {
		p.linef(indent, "(explained above)")
		return
	}
	for i := range e.Chain {
		if k := &e.Chain[i]; as == "" || k.State != Absent {
			p.link(k, indent)
		}
	}
}

func (p *printer) link(k *Link, indent string) {
	mark := "  "
	if k.Decides {
		mark = "* "
	}
	switch {
	case k.At == nil && k.State == Absent:
		p.linef(indent, "%s%s: not there", mark, k.File)
		return
	case k.At == nil:
		p.linef(indent, "%s%s", mark, k.File)
		p.linef(indent, "      %s", k.result())
	default:
		p.linef(indent, "%s%s  %s", mark, k.At, k.Written)
		if k.Value == nil || k.Written != k.Value.Brief() {
			p.linef(indent, "      %s", k.result())
		}
	}
	p.linef(indent, "      %s", k.Why)
	for _, r := range k.Reads {
		if r.Kind == Merges {
			p.linef(indent, "      merged from the stubs:")
		}
		p.explanation(r.Node, r.As, indent+"      ")
	}
}

// result says what came out of a link.
func (k *Link) result() string {
	switch k.State {
	case Done:
		return "gave " + k.Value.Brief()
	case Undefined:
		return "gave undefined"
	case Failed:
		return "failed"
	}
	return "has no value"
}
