// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// Limits bound what a text may stand for. Zero fields mean the defaults.
type Limits struct {
	Depth   int // of lists and maps within each other, at most DefaultDepth
	Aliases int // nodes that aliases stand for

	keys bool // see ReadKeys
}

// ReadWithin is Read with limits.
func ReadWithin(s *value.Store, src *diag.Source, l Limits) (Result, error) {
	if l.Depth == 0 || l.Depth > DefaultDepth {
		l.Depth = DefaultDepth
	}
	if l.Aliases == 0 {
		l.Aliases = DefaultAliases
	}
	return load(s, src, true, l)
}
