// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"regexp"
	"strings"
	"sync"
)

// beforeValue is what may stand between a key and its value.
var beforeValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^["']?[ \t]*:(?:[ \t\r\n]|[&!]\S+|#[^\n]*\n)*["']?$`)
})

// maxKeyDistance bounds how far a key is looked for in front of its value.
const maxKeyDistance = 1000

// Key returns the place of the key name in front of the YAML value at sp, or
// else sp.
func (sp Span) Key(name string) Span {
	if sp.Src == nil || name == "" {
		return sp
	}
	from := max(0, int(sp.Start)-maxKeyDistance)
	before := sp.Src.Text[from:sp.Start]
	i := strings.LastIndex(before, name)
	if i < 0 || !beforeValue().MatchString(before[i+len(name):]) {
		return sp
	}
	start := uint32(from + i)
	return Span{Src: sp.Src, Start: start, End: start + uint32(len(name))}
}
