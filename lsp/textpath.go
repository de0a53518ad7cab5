// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"slices"
	"strings"
)

// A textStep leads into a map by a key, or into a list by the number of an
// entry.
type textStep struct {
	key   string
	index int
	name  string // of the entry, if its lines say so
}

// pathAt returns the path of the lists and maps around the line of an offset, as
// far as the indentation shows it. It reads lines and no YAML, so that it also
// works on a text that is none while it is being typed. It looks at each line
// before the offset once at most.
func pathAt(text string, off int) []textStep {
	lines := strings.Split(text, "\n")
	at := strings.Count(text[:off], "\n")
	start := strings.LastIndexByte(text[:off], '\n') + 1
	dashes, cur := marks(text[start:off])
	inList := false // cur is the column of the marks of a list
	var path []textStep
	for i := at; ; {
		for _, col := range slices.Backward(dashes) {
			if col < cur {
				path = append(path, textStep{index: entryNumber(lines, i, col), name: entryName(lines, i, cur)})
				cur, inList = col, true
			}
		}
		if i--; i < 0 || cur == 0 && !inList || strings.HasPrefix(lines[i], "---") {
			break
		}
		var col int
		if dashes, col = marks(lines[i]); col < 0 {
			continue // an empty line or a comment
		}
		if key, ok := keyOf(lines[i][col:]); ok && (col < cur || col == cur && inList && len(dashes) == 0) {
			path = append(path, textStep{key: key})
			cur, inList = col, false
		}
	}
	slices.Reverse(path)
	return path
}

// marks returns the columns of the marks of entries at the beginning of a line,
// and that of what follows, -1 if there is nothing.
func marks(line string) (dashes []int, col int) {
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == ' ':
		case line[i] == '-' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\r'):
			dashes = append(dashes, i)
		case (line[i] == '#' || line[i] == '\r') && dashes == nil:
			return nil, -1
		default:
			return dashes, i
		}
	}
	return dashes, len(line)
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// keyOf returns the key that a line begins with.
func keyOf(content string) (string, bool) {
	key, _, ok := strings.Cut(content+" ", ": ")
	if !ok {
		return "", false
	}
	return plainKey(strings.Trim(key, `"'`)), true
}

// entryNumber returns the number of the entry that begins in a line at a column.
func entryNumber(lines []string, at, col int) (n int) {
	for i := at - 1; i >= 0; i-- {
		body := strings.TrimLeft(lines[i], " ")
		ind := len(lines[i]) - len(body)
		body = strings.TrimRight(body, "\r")
		if body == "" || body[0] == '#' || ind > col {
			continue
		}
		if ind < col || body != "-" && !strings.HasPrefix(body, "- ") {
			return n
		}
		n++
	}
	return n
}

// entryName returns the text of the field name of the entry whose fields
// begin in a line at a column.
func entryName(lines []string, at, col int) string {
	for i := at; i < len(lines); i++ {
		line := lines[i]
		if i > at && (indentOf(line) < col || indentOf(line) == col && strings.HasPrefix(line[col:], "- ")) {
			return ""
		}
		if len(line) < col || i > at && indentOf(line) != col {
			continue
		}
		if name, ok := strings.CutPrefix(line[col:], "name: "); ok {
			return strings.Trim(strings.TrimSpace(name), `"'`)
		}
	}
	return ""
}

// follow returns the node that a path leads to, or -1.
func (t *tree) follow(path []textStep) int {
	node := 0
	if len(t.Nodes) == 0 {
		return -1
	}
	for _, s := range path {
		var ok bool
		if s.key != "" {
			node, ok = t.child(node, s.key)
		} else {
			node, ok = t.entry(node, int64(s.index))
		}
		if !ok {
			return -1
		}
	}
	return node
}
