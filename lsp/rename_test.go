// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestRename renames a key to names that it can have and names that it cannot,
// in a template and a stub with all ways to refer to it. want is the template
// afterwards, or a part of the reason why not.
func TestRename(t *testing.T) {
	const stub = "old: 2\nother: (( .old ))\n"
	for _, tt := range []struct{ text, mark, name, want string }{
		{"old: (( merge ))\nx: (( old ))\n", "o|ld: ", "new", "new: (( merge ))\nx: (( new ))\n"},
		{"old: (( merge ))\r\nx: (( old ))\r\n", "x: (( o|ld", "new", "new: (( merge ))\r\nx: (( new ))\r\n"},
		{"s: {old: 1}\n\U0001f600: (( s.old ))\n", "s.o|ld", "new", "s: {new: 1}\n\U0001f600: (( s.new ))\n"},
		{"\"old\": (( merge ))\nx: (( old ))\n", "o|ld", "new", "\"new\": (( merge ))\nx: (( new ))\n"},
		{"s: {old: 1}\nx: (( s.old ))\nz: (( s.\"old\" ))\n", "s.o|ld", "new", "s: {new: 1}\nx: (( s.new ))\nz: (( s.\"old\" ))\n"},
		{"s: {old: 1}\nz: (( s.[\"old\"] ))\n", "o|ld: ", "new", "the result differs at z"},
		{"s: {old: 1}\nk: old\nz: (( s.[k] ))\n", "o|ld: ", "new", "the result differs at z"},
		{"old: 1\nx: (( \"\\\"\" old ))\n", "o|ld: ", "new", "new: 1\nx: (( \"\\\"\" new ))\n"},
		{"old: 1\nx: \"(( \\\"a\\\" old ))\"\n", "o|ld: ", "new", "new: 1\nx: \"(( \\\"a\\\" new ))\"\n"},
		{"old: 1\nx: (( old ))\nnew: 2\n", "o|ld: ", "new", "there is a key new beside it already, at t.yml:3:1"},
		{"old: 1\ns: {new: 2, x: (( old ))}\n", "o|ld: ", "new", "at t.yml:2:19, new would stand for something else"},
		{"old: 1\ns: {new: 1, x: (( old ))}\n", "o|ld: ", "new", "at t.yml:2:19, new would stand for something else"},
		{"old: 1\nx: (( lambda |new|->new + old ))\nz: (( x(2) ))\n", "o|ld: ", "new", "at t.yml:2:27, new would stand for something else"},
		{"old: 1\nx: (( old ))\n", "o|ld: ", "merge", "at t.yml:2:7, merge would stand for something else"},
		{"old: 1\nx: (( .old ))\n", "o|ld: ", "nil", "nil: 1\nx: (( .nil ))\n"},
		{"old: 1\nx: (( old ))\n", "o|ld: ", "not", "not: 1\nx: (( not ))\n"},
		{"old: 1\nx: (( old ))\n", "o|ld: ", "5", "does not read"},
		{"old: 1\nx: (( old ))\n", "o|ld: ", "true", "does not read"},
		{"old: 1\nx: (( old ))\n", "o|ld: ", "a b", "no key"},
		{"old: 1\nx: (( old ))\n", "o|ld: ", "", "no key"},
		{"old: 1\nx: (( old ))\n", "o|ld: ", "a\nb", "no key"},
		{"old: 1\nx: (( old ))\n", "o|ld: ", "<<", "no key"},
		{"old: nope\nx: (( join(\"\", old) ))\n", "jo|in", "new", "a function of the language"},
	} {
		files := map[string]string{"s.yml": stub}
		sets := `{"sets": [{"template": "t.yml", "stubs": ["s.yml"]}]}`
		c := start(t, Options{}, files, "", sets)
		c.open("t.yml", tt.text)
		params := strings.Replace(c.at("t.yml", tt.text, tt.mark), `"renamed"`, quote(tt.name), 1)
		result, err := c.try("textDocument/rename", params)
		var w workspaceEdit
		switch {
		case err != nil:
			if !strings.Contains(err.Error(), tt.want) || strings.Contains(tt.want, "\n") {
				t.Errorf("%q to %q: %v, want %q", tt.text, tt.name, err, tt.want)
			}
		case json.Unmarshal([]byte(result), &w) != nil:
			t.Errorf("%q to %q: %s", tt.text, tt.name, result)
		default:
			if got := edited(tt.text, w.Changes[c.uri("t.yml")]); got != tt.want {
				t.Errorf("%q to %q: %q, want %q", tt.text, tt.name, got, tt.want)
			}
		}
		c.alive()
	}
}

// edited applies edits, which do not overlap.
func edited(text string, edits []textEdit) string {
	slices.SortFunc(edits, func(a, b textEdit) int {
		if a.Range.Start.Line != b.Range.Start.Line {
			return b.Range.Start.Line - a.Range.Start.Line
		}
		return b.Range.Start.Character - a.Range.Start.Character
	})
	for _, e := range edits {
		text = newLineIndex(text).change(utf16Units, contentChange{&e.Range, e.NewText})
	}
	return text
}
