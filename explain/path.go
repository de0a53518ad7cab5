// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Step is one component of a path that a user wrote. In a map it is the key
// Name. In a list it is the entry number Index if IsIndex, else the entry whose
// field Field (by default the key field of the list) is Name.
type Step struct {
	Name    string
	Field   string
	Index   int
	IsIndex bool
}

// ParsePath reads a path in one of two forms; the empty path is the root.
//
//	jobs.[0].networks[1].name   dotted; an entry also by its name, jobs.api,
//	                            or by any field, jobs.id:7; "a.b" quotes a key
//	/jobs/name=api/networks/0   with slashes; ~1 stands for / and ~0 for ~
func ParsePath(text string) ([]Step, error) {
	if strings.HasPrefix(text, "/") {
		return slashed(text), nil
	}
	return dotted(text)
}

func slashed(text string) (steps []Step) {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for part := range strings.SplitSeq(strings.Trim(text, "/"), "/") {
		if part == "" {
			continue
		}
		if field, name, ok := strings.Cut(part, "="); ok && field != "" {
			steps = append(steps, Step{Name: unescape.Replace(name), Field: unescape.Replace(field)})
			continue
		}
		steps = append(steps, word(unescape.Replace(part)))
	}
	return steps
}

// word returns the step of a component that is not quoted.
func word(part string) Step {
	inner, ok := strings.CutPrefix(part, "[")
	if ok {
		inner = strings.TrimSuffix(inner, "]")
	}
	if i, err := strconv.Atoi(inner); err == nil && i >= 0 {
		return Step{Name: part, Index: i, IsIndex: true}
	}
	if field, name, ok := strings.Cut(part, ":"); ok && field != "" {
		return Step{Name: name, Field: field}
	}
	return Step{Name: part}
}

func dotted(text string) (steps []Step, err error) {
	rest := strings.TrimPrefix(text, ".")
	for rest != "" {
		if rest[0] == '"' {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, fmt.Errorf("path %q: the quote at %s does not end", text, rest)
			}
			name, _ := strconv.Unquote(quoted)
			steps = append(steps, Step{Name: name})
			rest = rest[len(quoted):]
			if rest != "" && rest[0] != '.' && rest[0] != '[' {
				return nil, fmt.Errorf("path %q: a dot is expected before %s", text, rest)
			}
			rest = strings.TrimPrefix(rest, ".")
			continue
		}
		n := strings.IndexAny(rest[1:], ".[") + 1
		if n == 0 {
			n = len(rest)
		}
		if rest[0] == '.' {
			return nil, fmt.Errorf("path %q: a name is missing before %s", text, rest)
		}
		part := rest[:n]
		if part[0] == '[' && (!strings.HasSuffix(part, "]") || !word(part).IsIndex) {
			return nil, fmt.Errorf("path %q: brackets hold the number of a list entry, found %s", text, part)
		}
		steps = append(steps, word(part))
		rest = strings.TrimPrefix(rest[n:], ".")
	}
	return steps, nil
}

// Key returns a key as a component of a dotted path: quoted where it would
// read as something else.
func Key(key string) string {
	if key == "" || strings.ContainsAny(key, ".[\"\\\n\t") {
		return strconv.Quote(key)
	}
	return key
}

// Entry returns the name of a list entry as a component of a dotted path.
func Entry(name string) string {
	if _, err := strconv.Atoi(name); err == nil || strings.Contains(name, ":") {
		return strconv.Quote(name)
	}
	return Key(name)
}

// Parents calls yield for the paths of what is around the node at a path, the
// innermost first, until yield returns false. The root is not among them.
func Parents(path string, yield func(parent string) bool) {
	var dots []int
	quoted := false
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case '\\':
			i++ // only quoted keys have any
		case '"':
			quoted = !quoted
		case '.':
			if !quoted {
				dots = append(dots, i)
			}
		}
	}
	for _, i := range slices.Backward(dots) {
		if !yield(path[:i]) {
			return
		}
	}
}

// Index returns the component of list entry i.
func Index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// Join appends a component to a dotted path.
func Join(path, component string) string {
	if path == "" || component == "" {
		return path + component
	}
	return path + "." + component
}
