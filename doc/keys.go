// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"slices"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// ReadKeys is ReadWithin for tools that show and change texts: the result also
// knows where the keys of maps are written, see Result.Key.
func ReadKeys(s *value.Store, src *diag.Source, l Limits) (Result, error) {
	l.keys = true
	return ReadWithin(s, src, l)
}

// keep notes where the keys of a map are written. A map that is copied with
// another flag has the same payload, an empty one has no keys.
func (r *Result) keep(n *value.Node, at []extent) {
	if len(at) == 0 {
		return
	}
	if r.keys == nil {
		r.keys = map[uint64][]extent{}
	}
	r.keys[n.Pay] = slices.Clone(at)
}

// Key returns the bytes of the text, without quotes, in which key i of a map of
// the document is written; ok is false unless ReadKeys made the result.
func (r *Result) Key(n *value.Node, i int) (start, end uint32, ok bool) {
	at := r.keys[n.Pay]
	if n.Kind != value.Map || i >= len(at) {
		return 0, 0, false
	}
	return at[i].start, at[i].end, true
}
