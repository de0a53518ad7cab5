// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/dynaml/spiff/value"
)

// A scalar is the value of a plain scalar, as the fields of a node.
type scalar struct {
	kind  value.Kind
	flags value.Flags
	pay   uint64 // Bool, Int, Float
	text  string // Big, String
}

func text(t string) scalar { return scalar{kind: value.String, text: t} }

func truth(b bool) scalar {
	if b {
		return scalar{kind: value.Bool, pay: 1}
	}
	return scalar{kind: value.Bool}
}

func float(f float64) scalar { return scalar{kind: value.Float, pay: math.Float64bits(f)} }

// String returns the value as the classic message about keys shows it.
func (v scalar) String() string {
	switch v.kind {
	case value.Bool:
		return strconv.FormatBool(v.pay != 0)
	case value.Int:
		return strconv.FormatInt(int64(v.pay), 10)
	case value.Float:
		return value.FormatFloat(math.Float64frombits(v.pay))
	case value.Big, value.String:
		return v.text
	}
	return "<nil>"
}

// resolve types a plain scalar. The rules are those of YAML 1.1 as the classic
// tools apply them, see semantics 8.
func resolve(t string) scalar {
	if t == "" {
		return scalar{kind: value.Null}
	}
	switch c := t[0]; {
	case c >= '0' && c <= '9', c == '+', c == '-':
		switch n, form := digits(t); form {
		case decimal:
			return scalar{kind: value.Int, pay: n}
		case dotted:
			return text(t)
		}
		if timestamp(t) {
			return scalar{kind: value.String, flags: value.Verbatim, text: t}
		}
		return number(t)
	case c == '.':
		if f, ok := special(t); ok {
			return float(f)
		}
		if len(t) > 1 && t[1] >= '0' && t[1] <= '9' {
			if f, err := strconv.ParseFloat(t, 64); err == nil {
				return float(f)
			}
		}
	case strings.IndexByte("~nNtTfFyYoO", c) >= 0:
		return word(t)
	}
	return text(t)
}

// A numeral says what a text of digits is, as far as that is quickly seen.
type numeral uint8

const (
	unclear numeral = iota
	decimal         // a number without sign and leading zero that fits an integer
	dotted          // digits and two or more dots: an address or a version
)

// digits looks at a text that begins with a digit or sign. Most are plain
// numbers and addresses, for which the patterns need not be tried.
func digits(t string) (n uint64, form numeral) {
	dots := 0
	for i := 0; i < len(t); i++ {
		switch c := t[i]; {
		case c == '.':
			dots++
		case c < '0' || c > '9':
			return 0, unclear
		default:
			n = n*10 + uint64(c-'0')
		}
	}
	switch {
	case dots > 1:
		return 0, dotted
	case dots == 0 && (t[0] != '0' || len(t) == 1) && len(t) <= 18:
		return n, decimal
	}
	return 0, unclear
}

// word resolves the names of null and of the truth values.
func word(t string) scalar {
	if len(t) > len("false") {
		return text(t)
	}
	switch t {
	case "~", "null", "Null", "NULL":
		return scalar{kind: value.Null}
	}
	switch strings.ToLower(t) {
	case "y", "yes", "true", "on":
		return truth(true)
	case "n", "no", "false", "off":
		return truth(false)
	}
	return text(t)
}

// special resolves the infinities and NaN, without a sign.
func special(t string) (float64, bool) {
	switch {
	case strings.EqualFold(t, ".inf"):
		return math.Inf(1), true
	case strings.EqualFold(t, ".nan"):
		return math.NaN(), true
	}
	return 0, false
}

// number resolves what begins with a digit or a sign.
func number(t string) scalar {
	digits := strings.ReplaceAll(t, "_", "")
	neg := digits[0] == '-'
	if neg || digits[0] == '+' {
		digits = digits[1:]
	}
	if digits == "" || digits[0] == '+' || digits[0] == '-' {
		return text(t)
	}
	if v, ok := integer(digits, neg); ok {
		return v
	}
	f, ok := special(digits)
	if !ok {
		var err error
		if f, err = strconv.ParseFloat(digits, 64); err != nil {
			return text(t)
		}
	}
	if neg {
		f = -f
	}
	return float(f)
}

// integer resolves unsigned digits with their base.
func integer(t string, neg bool) (scalar, bool) {
	digits, base := t, 10
	if len(t) > 1 && t[0] == '0' {
		switch t[1] {
		case 'x', 'X':
			digits, base = t[2:], 16
		case 'b', 'B':
			digits, base = t[2:], 2
		case 'o':
			digits, base = t[2:], 8
		default:
			digits, base = t[1:], 8
		}
	}
	u, err := strconv.ParseUint(digits, base, 64)
	switch {
	case err == nil && neg && u <= 1<<63:
		return scalar{kind: value.Int, pay: -u}, true
	case err == nil && !neg && u < 1<<63:
		return scalar{kind: value.Int, pay: u}, true
	case err != nil && !(errors.Is(err, strconv.ErrRange) && allDigits(digits, base)):
		return scalar{}, false
	}
	if neg {
		t = "-" + t
	}
	return scalar{kind: value.Big, text: t}, true
}

// allDigits looks at what ParseUint does not: it stops where the number becomes
// too large.
func allDigits(t string, base int) bool {
	const digits = "0123456789abcdef"
	return strings.Trim(strings.ToLower(t), digits[:base]) == ""
}

// pattern compiles a pattern when it is first needed: few documents need one.
func pattern(form string) func(string) bool {
	re := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(form) })
	return func(t string) bool { return re().MatchString(t) }
}

var timestampForm = pattern(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}` +
	`(([Tt]| +)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}([.,][0-9]*)?( *(Z|[-+][0-9]{1,2}(:?[0-9]{2})?))?)?$`)

// timestamp reports whether t is a date or a date with a time. Whether there is
// such a day does not matter.
func timestamp(t string) bool {
	return len(t) >= len("2000-1-1") && t[4] == '-' && timestampForm(t)
}

var (
	// floatForm is a float of YAML 1.2, or of 1.1 without its underscores. Those
	// out of range are strings here but infinite to others.
	floatForm = pattern(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	// base60Form is a number of YAML 1.1 to the base 60, with colons.
	base60Form = pattern(`^[-+]?([1-9][0-9_]*(:[0-5]?[0-9])+|[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*)$`)
	// signedForm is a number in a base with a sign behind it, to some readers.
	signedForm = pattern(`^0(b[-+][01]+|o[-+][0-7]+)$`)
	// octalForm is taken for an octal number by readers that follow Go.
	octalForm = pattern(`^[-+]?0O[0-7]+$`)
)

// ambiguous reports whether a reader of YAML 1.1 or 1.2 would take t, written
// without quotes, for something else than this string.
func ambiguous(t string) bool {
	v := resolve(t)
	if v.kind != value.String || v.flags != 0 {
		return true
	}
	switch c := t[0]; {
	case c == '=' || c == '<':
		return t == "=" || t == insertKey
	case c == 'n' || c == 'N':
		return strings.EqualFold(t, "nan")
	case c >= '0' && c <= '9', c == '+', c == '-', c == '.':
		if _, form := digits(t); form == dotted {
			return false
		}
		if base := strings.TrimLeft(strings.TrimRight(t, "_"), "+-"); len(base) < len(t) && (base == "0b" || base == "0x") {
			return true // a number without digits, to some
		}
		if rest := strings.TrimLeft(t[1:], "_"); c == '0' && rest != "" && (rest[0] == 'b' || rest[0] == 'o') {
			return signedForm(strings.ReplaceAll(t, "_", ""))
		}
		if strings.Trim(t, "0123456789+-._:eEO") != "" {
			return false // the usual case: spares the three patterns
		}
		bare := strings.ReplaceAll(t, "_", "")
		return floatForm(bare) || base60Form(t) || octalForm(bare)
	}
	return false
}
