// SPDX-License-Identifier: Apache-2.0

package value

import "testing"

func TestRedact(t *testing.T) {
	s := NewStore()
	if got := s.Redact("nothing hidden"); got != "nothing hidden" {
		t.Errorf("without secrets: got %q", got)
	}
	for _, secret := range []string{"", "42", "pass", "correct-horse-battery", `quo"ted\secret`, "pass", "ab", "ababababab"} {
		s.Hide(secret)
	}
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"pin 42, 142 and x42, (42)", "pin ***, 142 and x42, (***)"},
		{"42", "***"},
		{"passpass compass", "****** com***"},
		{"x correct-horse-battery y", "x *** y"},
		{"x correct-hor... y", "x ***... y"},
		{"x ...rse-battery y", "x ...*** y"},
		{"x correct-horse y correct-horse-battery", "x *** y ***"},
		{"correct", "correct"},
		{`raw quo"ted\secret and "quo\"ted\\secret"`, `raw *** and "***"`},
		{"éab ab", "éab ***"},
		{"abababababab", "******"},
	} {
		if got := s.Redact(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}
