// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// join takes the first text among its arguments as the separator. Null
// arguments do not count, not even the first.
func join(c Context, args []value.Value) (value.Value, error) {
	if len(args) == 0 {
		return value.Value{}, errors.New("at least one argument required for 'join'")
	}
	if args[0].Kind == value.List {
		return value.Value{}, errors.New("first argument for join must be a string")
	}
	parts, err := texts(c, args, func(i int) error {
		return fmt.Errorf("argument %d to join must be simple value or list", i)
	}, "join")
	if err != nil {
		return value.Value{}, err
	}
	if len(parts) == 0 {
		return value.Value{}, errors.New("first argument for join must be a string")
	}
	size := len(parts[0]) * (len(parts) - 2)
	for _, t := range parts[1:] {
		size += len(t)
	}
	if err := fitsText(size); err != nil {
		return value.Value{}, err
	}
	return value.OfString(strings.Join(parts[1:], parts[0])), nil
}

func split(c Context, args []value.Value) (value.Value, error) {
	if len(args) < 2 || len(args) > 3 {
		return value.Value{}, errors.New("split takes 2 or 3 arguments")
	}
	sep, isText := str(args[0])
	if !isText && args[0].Kind != value.Int {
		return value.Value{}, errors.New("first argument for split must be a string")
	}
	text, ok := str(args[1])
	if !ok {
		return value.Value{}, errors.New("second argument for split must be a string")
	}
	limit := -1
	if len(args) == 3 {
		if args[2].Kind != value.Int {
			return value.Value{}, errors.New("third argument for split must be an integer")
		}
		limit = count(args[2].Num, len(text)+1)
	}
	if isText {
		if err := fitsParts(c, countParts(text, sep), limit); err != nil {
			return value.Value{}, err
		}
		return newStrings(c, strings.SplitN(text, sep, limit)), nil
	}
	if args[0].Num <= 0 {
		return value.Value{}, diag.Coded(diag.ArgumentValue, fmt.Errorf("split into parts of length %d is not possible", args[0].Num))
	}
	size := count(args[0].Num, len(text)+1)
	if err := fitsParts(c, (utf8.RuneCountInString(text)+size-1)/size, limit); err != nil {
		return value.Value{}, err
	}
	return newStrings(c, chunks(text, size, limit)), nil
}

// countParts returns how many parts a separator makes of a text.
func countParts(text, sep string) int {
	if sep == "" {
		return utf8.RuneCountInString(text)
	}
	return strings.Count(text, sep) + 1
}

// fitsParts fails if split would make more elements than a range may have.
func fitsParts(c Context, n, limit int) error {
	if limit >= 0 {
		n = min(n, limit)
	}
	if most := c.MaxRange(); n > most {
		return Stopf(diag.TooLarge, "split would yield %d parts (limit %d)", n, most)
	}
	return nil
}

// count turns an integer of the language into an int: negative numbers mean
// "all", and more than most makes no difference.
func count(n int64, most int) int {
	if n < 0 {
		return -1
	}
	return int(min(n, int64(most)))
}

// chunks cuts a text into parts of size characters, at most limit of them if
// that is not negative.
func chunks(text string, size, limit int) []string {
	var parts []string
	for text != "" && len(parts) != limit {
		end := 0
		for i := 0; i < size && end < len(text); i++ {
			_, n := utf8.DecodeRuneInString(text[end:])
			end += n
		}
		if len(parts) == limit-1 {
			end = len(text) // the last part takes the rest
		}
		parts, text = append(parts, text[:end]), text[end:]
	}
	return parts
}

func trim(c Context, args []value.Value) (value.Value, error) {
	if len(args) < 1 || len(args) > 2 {
		return value.Value{}, errors.New("trim takes one or two arguments")
	}
	cut := " \t"
	if len(args) == 2 {
		t, ok := str(args[1])
		if !ok {
			// The reference names split here.
			return value.Value{}, errors.New("second argument of split must be a string")
		}
		cut = t
	}
	if t, ok := str(args[0]); ok {
		return value.OfString(strings.Trim(t, cut)), nil
	}
	if args[0].Kind != value.List {
		return value.Value{}, errors.New("trim accepts only a string or list")
	}
	ids := elems(c.Store(), args[0])
	texts := make([]string, len(ids))
	for i, id := range ids {
		t, ok := str(load(c.Store(), id))
		if !ok {
			return value.Value{}, errors.New("list elements must be strings to be trimmed")
		}
		texts[i] = strings.Trim(t, cut)
	}
	return newStrings(c, texts), nil
}

func replace(_ Context, args []value.Value) (value.Value, error) {
	switch {
	case len(args) < 3:
		return value.Value{}, errors.New("replace requires at least 3 arguments")
	case len(args) > 4:
		return value.Value{}, errors.New("replace takes 3 or 4 arguments")
	}
	text, ok := str(args[0])
	if !ok {
		return value.Value{}, errors.New("first argument for replace must be a string")
	}
	old, ok := str(args[1])
	if !ok {
		return value.Value{}, errors.New("second argument for replace must be a string")
	}
	by, ok := str(args[2])
	switch {
	case args[2].Kind == value.Lambda:
		return value.Value{}, errors.New("replace: a lambda as substitution is not supported")
	case !ok:
		return value.Value{}, errors.New("replace: replace substitution must be string or lambda")
	}
	n := -1
	if len(args) == 4 {
		if args[3].Kind != value.Int {
			return value.Value{}, errors.New("fourth argument for replace must be an integer")
		}
		n = count(args[3].Num, len(text)+1)
	}
	if grows := len(by) - len(old); grows > 0 {
		hits := strings.Count(text, old)
		if n >= 0 {
			hits = min(hits, n)
		}
		if err := fitsText(len(text) + hits*grows); err != nil {
			return value.Value{}, err
		}
	}
	return value.OfString(strings.Replace(text, old, by, n)), nil
}

func match(c Context, args []value.Value) (value.Value, error) {
	if len(args) != 2 {
		return value.Value{}, errors.New("function match takes exactly two arguments")
	}
	pattern, ok := str(args[0])
	if !ok {
		return value.Value{}, errors.New("pattern string for argument one of function match required")
	}
	if args[1].Kind == value.Null {
		return value.False, nil
	}
	text, ok := simple(args[1])
	if !ok {
		return value.Value{}, errors.New("simple value for argument two of function match required")
	}
	re, err := c.Regexp(pattern)
	if err != nil {
		return value.Value{}, diag.Coded(diag.ArgumentValue, fmt.Errorf("match: %w", err))
	}
	parts, err := re.submatches(c, text)
	if err != nil {
		return value.Value{}, err
	}
	return newStrings(c, parts), nil
}

func length(c Context, args []value.Value) (value.Value, error) {
	if len(args) != 1 {
		return value.Value{}, errors.New("length takes exactly 1 argument")
	}
	switch v := args[0]; v.Kind {
	case value.List, value.Map:
		return value.OfInt(int64(c.Store().Node(v.Ref).Len)), nil
	case value.String, value.Expr:
		return value.OfInt(int64(len(v.Str))), nil
	}
	return value.Value{}, errors.New("invalid type for function length")
}
