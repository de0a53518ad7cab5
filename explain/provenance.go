// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"

	"github.com/dynaml/spiff/value"
)

// A Provenance says where each value of a result was written: the place of the
// literal in a template or stub, or of the expression that computed it.
type Provenance struct {
	Version int
	Entries []Origin
}

// An Origin is the place of one scalar, or of an empty list or map. A value
// that no file has, such as the output of a command, has no place.
type Origin struct {
	Document int    `json:"document,omitempty"` // of a result of several, from 0
	Path     string `json:"path"`
	Place
}

// Add appends the values of document number doc, in the order in which they
// are printed. Temporary nodes are left out unless temporary is set.
func (p *Provenance) Add(s *value.Store, root value.ID, doc int, temporary bool) {
	w := &originWalk{p: p, s: s, doc: doc, temporary: temporary}
	if root != 0 && !w.drops(root) {
		w.walk(root, "")
	}
}

type originWalk struct {
	p         *Provenance
	s         *value.Store
	doc       int
	temporary bool
	order     []uint64 // sorted positions of the maps being walked, innermost last
}

// drops reports whether a node is not printed.
func (w *originWalk) drops(id value.ID) bool {
	n := w.s.Node(id)
	return n.Kind <= value.Undefined || n.Flags&value.Temporary != 0 && !w.temporary
}

func (w *originWalk) walk(id value.ID, path string) {
	n := w.s.Node(id)
	before := len(w.p.Entries)
	switch n.Kind {
	case value.Map:
		keys, vals := w.s.Keys(n), w.s.Vals(n)
		base := len(w.order)
		w.order = w.s.Sorted(n, w.order)
		for i := range keys {
			if j := uint32(w.order[base+i]); !w.drops(vals[j]) {
				w.walk(vals[j], Join(path, Key(w.s.Name(keys[j]))))
			}
		}
		w.order = w.order[:base]
	case value.List:
		i := 0
		for _, e := range w.s.Elems(n) {
			if !w.drops(e) {
				w.walk(e, Join(path, Index(i)))
				i++
			}
		}
	case value.Template: // printed as it was written
		inner := *w
		inner.temporary = true
		inner.walk(w.s.Object(id).(interface{ Source() value.ID }).Source(), path)
	}
	if len(w.p.Entries) == before {
		w.p.Entries = append(w.p.Entries, Origin{w.doc, path, PlaceOf(w.s.Span(id))})
	}
}

// WriteJSON writes one object with the version and the list of entries, each on
// a line of its own, so that such files can be compared line by line.
func (p *Provenance) WriteJSON(w io.Writer) error {
	b := bufio.NewWriter(w)
	v, err := json.Marshal(p.Version)
	if err != nil {
		return err
	}
	b.WriteString("{\n  \"version\": ")
	b.Write(v)
	b.WriteString(",\n  \"entries\": [")
	for i := range p.Entries {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		var line strings.Builder
		lineEnc := json.NewEncoder(&line)
		lineEnc.SetEscapeHTML(false)
		if err := lineEnc.Encode(&p.Entries[i]); err != nil {
			return err
		}
		b.WriteString(strings.TrimSuffix(line.String(), "\n"))
	}
	b.WriteString("\n  ]\n}\n")
	return b.Flush()
}
