// SPDX-License-Identifier: Apache-2.0

package value

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden stands for a secret in what is shown to people.
const Hidden = "***"

// Hide makes Redact leave out a text from now on.
func (s *Store) Hide(secret string) {
	quoted := strconv.Quote(secret)
	for _, t := range []string{secret, quoted[1 : len(quoted)-1]} {
		if t != "" && !slices.Contains(s.secrets, t) {
			s.secrets = append(s.secrets, t)
		}
	}
	// Long ones first: a secret may be part of another.
	slices.SortStableFunc(s.secrets, func(a, b string) int { return len(b) - len(a) })
}

// minPart is the length from which on a part of a secret, its beginning or its
// end, is hidden too: messages shorten what is long. minInside is that from
// which on a secret is hidden inside a word; a shorter one would take half of
// the letters out of every message.
const (
	minPart   = 8
	minInside = 4
)

// Redact returns a text for people, such as a message or a trace, with Hidden in
// the place of every secret.
func (s *Store) Redact(text string) string {
	for _, secret := range s.secrets {
		switch {
		case len(secret) < minInside:
			text = redactWords(text, secret)
		case len(secret) <= minPart:
			text = strings.ReplaceAll(text, secret, Hidden)
		default:
			text = redactParts(text, secret)
		}
	}
	return text
}

// redactWords hides a secret that is not part of a longer word.
func redactWords(text, secret string) string {
	var b strings.Builder
	from := 0
	for {
		i := strings.Index(text[from:], secret)
		if i < 0 {
			b.WriteString(text[from:])
			return b.String()
		}
		at, end := from+i, from+i+len(secret)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[end:])
		b.WriteString(text[from:at])
		if inWord(before) || inWord(after) {
			b.WriteString(secret)
		} else {
			b.WriteString(Hidden)
		}
		from = end
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// redactParts hides a long secret, and what begins or ends like it for minPart
// bytes or more.
func redactParts(text, secret string) string {
	head, tail := secret[:minPart], secret[len(secret)-minPart:]
	var b strings.Builder
	for {
		i, j := strings.Index(text, head), strings.Index(text, tail)
		if i < 0 && j < 0 {
			b.WriteString(text)
			return b.String()
		}
		var from, to int
		if i >= 0 && (j < 0 || i <= j) {
			from, to = i, i+commonPrefix(text[i:], secret)
		} else {
			to = j + minPart
			from = to - commonSuffix(text[:to], secret)
		}
		b.WriteString(text[:from])
		b.WriteString(Hidden)
		text = text[to:]
	}
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
