// SPDX-License-Identifier: Apache-2.0

package golden

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// upper stands for the program under test: want.upper is in.txt in capitals.
func upper(c *Case) func(want string) (string, bool) {
	return func(want string) (string, bool) {
		in, _ := c.Get("in.txt")
		return strings.ToUpper(in), want == "want.upper"
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"holds", "c\n-- in.txt --\na\n-- want.upper --\nA\n", nil},
		{"differs", "c\n-- in.txt --\na\n-- want.upper --\nB\n", []string{"want.upper differs\n--- got\nA\n--- want\nB\n"}},
		{"no comment", "-- in.txt --\na\n-- want.upper --\nA\n", []string{"no comment that says what the case shows"}},
		{"no want section", "c\n-- in.txt --\na\n", []string{"no want section"}},
		{"unknown want section", "c\n-- in.txt --\na\n-- want.lower --\na\n", []string{`unknown section "want.lower"`}},
		{"misspelt want section", "c\n-- in.txt --\na\n-- want_upper --\na\n", []string{`unknown section "want_upper"`}},
		{"section twice", "c\n-- in.txt --\na\n-- in.txt --\nb\n-- want.upper --\nA\n", []string{`section "in.txt" occurs twice`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &Case{txtar.Parse([]byte(tt.text))}
			got, changed := c.check(upper(c), false)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if changed {
				t.Error("the case was changed without being asked to")
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	c := &Case{txtar.Parse([]byte("c\n-- in.txt --\na\n-- want.upper --\nB\n"))}
	if problems, changed := c.check(upper(c), true); problems != nil || !changed {
		t.Errorf("got %q, changed %v; want none, changed", problems, changed)
	}
	if got, want := string(txtar.Format(c.archive)), "c\n-- in.txt --\na\n-- want.upper --\nA\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if problems, changed := c.check(upper(c), true); problems != nil || changed {
		t.Errorf("a second update: got %q, changed %v; want none, unchanged", problems, changed)
	}
}

func TestMissingFinalNewline(t *testing.T) {
	c := &Case{txtar.Parse([]byte("c\n-- want.x --\na\n-- want.empty --\n"))}
	problems, _ := c.check(func(want string) (string, bool) {
		return map[string]string{"want.x": "a"}[want], true
	}, false)
	if problems != nil {
		t.Errorf("got %q, want none", problems)
	}
}

func TestSections(t *testing.T) {
	c := &Case{txtar.Parse([]byte("c\n-- args --\nmerge  --partial\nt.yml\n-- t.yml --\n-- s.yml --\n-- want.yml --\n"))}
	if got, want := c.Args(), []string{"merge", "--partial", "t.yml"}; !slices.Equal(got, want) {
		t.Errorf("args: got %q, want %q", got, want)
	}
	if got, want := c.Inputs(), []string{"t.yml", "s.yml"}; !slices.Equal(got, want) {
		t.Errorf("inputs: got %q, want %q", got, want)
	}
	if _, ok := c.Get("u.yml"); ok {
		t.Error("got a section that does not exist")
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "area", "behaviour.txtar")
	if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("c\n-- in.txt --\na\n-- want.upper --\nA\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var names []string
	Run(t, dir, func(t *testing.T, c *Case, want string) (string, bool) {
		names = append(names, t.Name())
		return upper(c)(want)
	})
	if want := []string{"TestRun/area/behaviour"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
