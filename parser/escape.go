// SPDX-License-Identifier: Apache-2.0

package parser

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// unescape decodes what stands between the marks of a string. Only \" is an
// escape; any other backslash is itself, unless the dialect has those of JSON.
func (p *parser) unescape(raw string) string {
	if !strings.Contains(raw, `\`) {
		return raw
	}
	if !p.dialect.JSONEscapes {
		return strings.ReplaceAll(raw, `\"`, `"`)
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(raw, '\\')
		if i < 0 || i+1 == len(raw) {
			b.WriteString(raw)
			return b.String()
		}
		b.WriteString(raw[:i])
		text, n := jsonEscape(raw[i:])
		b.WriteString(text)
		raw = raw[i+n:]
	}
}

// jsonEscapes are the escapes of one character.
var jsonEscapes = map[byte]string{'"': `"`, '\\': `\`, '/': "/", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t"}

// jsonEscape decodes the escape at the start of raw, which has at least two
// bytes, and returns how many it took. What is no escape stays as it is.
func jsonEscape(raw string) (text string, n int) {
	if t, ok := jsonEscapes[raw[1]]; ok {
		return t, 2
	}
	r, ok := hexEscape(raw)
	if !ok {
		return raw[:2], 2
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hexEscape(raw[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != '\uFFFD' {
				return string(pair), 12
			}
		}
	}
	return string(r), 6
}

// hexEscape decodes \uXXXX at the start of raw.
func hexEscape(raw string) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(raw[2:6], 16, 16)
	return rune(n), err == nil
}
