// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"strings"

	"github.com/dynaml/spiff/diag"
)

// secretParts are words that make the name of an environment variable one of a
// secret, wherever they stand in it.
var secretParts = []string{"PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "CREDENTIAL", "APIKEY", "PRIVATE"}

// secretWords are words that do so between underscores only: "KEY" is part of
// KEYBOARD, and PWD by itself is the working folder.
var secretWords = []string{"KEY", "KEYS", "PASS", "PWD", "PW", "PIN", "AUTH", "CREDS", "JWT"}

// LooksSecret says whether an environment variable holds a secret, by its name.
func LooksSecret(name string) bool {
	name = strings.ToUpper(name)
	if name == "PWD" || name == "OLDPWD" {
		return false
	}
	for _, p := range secretParts {
		if strings.Contains(name, p) {
			return true
		}
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') })
	for _, w := range words {
		for _, s := range secretWords {
			if w == s {
				return true
			}
		}
	}
	return false
}

// fit makes diagnostics fit to be shown: without secrets, and without characters
// that a terminal takes for commands.
func (l *level) fit(list diag.List) diag.List {
	clean := func(text string) string { return visible(l.s.Redact(text)) }
	for _, d := range list {
		d.Msg, d.Fix = clean(d.Msg), clean(d.Fix)
		for i := range d.Notes {
			n := &d.Notes[i]
			n.Msg, n.Fix = clean(n.Msg), clean(n.Fix)
		}
	}
	return list
}
