// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"strings"
	"unicode"
)

// visible returns a text from a document as a report may show it: a control
// character, which a terminal would take for a command, is written as its code.
func visible(text string) string {
	if strings.IndexFunc(text, isCommand) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !isCommand(r):
			b.WriteRune(r)
		case r < unicode.MaxASCII:
			fmt.Fprintf(&b, "\\x%02x", r)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

// isCommand reports whether a terminal may do something else for r than show it.
func isCommand(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }
