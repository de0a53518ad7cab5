// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// newSession returns a session on a small document.
func newSession(t *testing.T, out, errs io.Writer) *session {
	t.Helper()
	t.Chdir(t.TempDir())
	text := "jobs:\n- name: api\n  instances: 3\n- name: apex\n- {}\nmeta:\n  domain: example.org\n  a.b: 1\n"
	if err := os.WriteFile("t.yml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e := &env{stdin: strings.NewReader(""), stdout: out, stderr: errs}
	flags := replCommand.allFlags()
	if err := flags.Parse([]string{"-f", "t.yml", "-D", "zone=z1", "--error-format=classic"}); err != nil {
		t.Fatal(err)
	}
	v, err := newEvaluation(e, flags)
	if err != nil || v.e == nil {
		t.Fatalf("%v %v", err, v.report.errors)
	}
	return &session{env: e, v: v}
}

func TestCompletion(t *testing.T) {
	c := &completer{s: newSession(t, io.Discard, io.Discard), w: io.Discard}
	tests := []struct{ typed, behind, want string }{
		{typed: "zo", want: "zone"},
		{typed: "1 + me", behind: " + 2", want: "1 + meta"},
		{typed: "met", want: "meta"},
		{typed: "meta.d", want: "meta.domain"},
		{typed: ".meta.d", want: ".meta.domain"},
		{typed: "meta.dx", want: "meta.dx"},
		{typed: "jobs.", want: "jobs."},
		{typed: "jobs.a", want: "jobs.ap"},
		{typed: "(jobs.api.i", behind: ")", want: "(jobs.api.instances"},
		{typed: "jobs.nope.i", want: "jobs.nope.i"},
		{typed: "min_", want: "min_ip("},
		{typed: "join(\",\", me", want: "join(\",\", meta"},
		{typed: ":pa", want: ":paths "},
		{typed: ":load t", want: ":load t.yml"},
		{typed: ":load other.yml t.", want: ":load other.yml t.yml"},
		{typed: ":type jobs.api.n", want: ":type jobs.api.name"},
		{typed: "x = met", want: "x = meta"},
		{typed: "meta.a", want: "meta.a"}, // "a.b" would need quotes
	}
	for _, tt := range tests {
		got, pos, ok := c.key(tt.typed+tt.behind, len(tt.typed), '\t')
		if got != tt.want+tt.behind || pos != len(tt.want) || !ok {
			t.Errorf("%q: got %q at %d, want %q", tt.typed, got, pos, tt.want+tt.behind)
		}
	}
	if _, _, ok := c.key("x", 1, 'y'); ok {
		t.Error("a letter is completed")
	}
}

// A second tab lists how to go on.
func TestCompletionLists(t *testing.T) {
	var out bytes.Buffer
	c := &completer{s: newSession(t, io.Discard, io.Discard), w: &out}
	c.key("jobs.", 5, '\t')
	if out.Len() > 0 {
		t.Errorf("listed at once: %q", &out)
	}
	c.key("jobs.", 5, '\t')
	if got, want := out.String(), "api  apex  [2]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What is typed on a terminal: editing, Ctrl-C, history, several lines, Ctrl-D.
func TestTerminal(t *testing.T) {
	var out, errs bytes.Buffer
	s := newSession(t, &out, &errs)
	typed := "1 + 2\r" +
		"nonsense )(" + "\x03" + // given up
		"(1 +\r" + "\x03" + // given up in the second line
		"zo\t\r" + // completed
		"\x1b[A\x1b[A\x1b[A\r" + // up three times: the first line
		"[1,\r2]\r" +
		"nope\r" +
		"4\x01" + "4\r" + // Ctrl-A: at the beginning of the line
		"\x04" + "5\r" // Ctrl-D: this is not read
	lines := &history{}
	for name, in := range map[string]io.Reader{"at once": strings.NewReader(typed), "key by key": iotest.OneByteReader(strings.NewReader(typed))} {
		out.Reset()
		errs.Reset()
		*lines = history{}
		screen := struct {
			io.Reader
			io.Writer
		}{in, io.Discard}
		if err := s.read(newTerminalOn(screen, s, lines)); err != nil {
			t.Fatal(err)
		}
		if got, want := out.String(), "3\nz1\n3\n- 1\n- 2\n44\n"; got != want {
			t.Errorf("%s: got %q, want %q\n%s", name, got, want, &errs)
		}
		if !strings.Contains(errs.String(), "'nope' not found") || strings.Contains(errs.String(), "nonsense") {
			t.Errorf("%s: errors\n%s", name, &errs)
		}
		want := []string{"1 + 2", "(1 +", "zone", "1 + 2", "[1,", "2]", "nope", "44"}
		if got := lines.lines; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: history %q, want %q", name, got, want)
		}
	}
}

func TestHistory(t *testing.T) {
	name := filepath.Join(t.TempDir(), "history")
	t.Setenv(historyVariable, name)
	if err := os.WriteFile(name, []byte("old\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h, err := openHistory()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"a", "a", " ", cancelMark, "b"} {
		h.Add(line)
	}
	h.close()
	if h, err = openHistory(); err != nil {
		t.Fatal(err)
	}
	defer h.close()
	if got := fmt.Sprintln(h.Len(), h.At(0), h.At(1), h.At(2)); got != "3 b a old\n" {
		t.Errorf("got %s", got)
	}
	st, err := os.Stat(name)
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, st.Mode())
	}
}

// Of too long a file the newest lines stay.
func TestHistoryIsShortened(t *testing.T) {
	name := filepath.Join(t.TempDir(), "history")
	t.Setenv(historyVariable, name)
	var text bytes.Buffer
	for i := range 2*maxHistory + 1 {
		fmt.Fprintf(&text, "%d\n", i)
	}
	if err := os.WriteFile(name, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := openHistory()
	if err != nil {
		t.Fatal(err)
	}
	h.Add("last")
	h.close()
	if h, err = openHistory(); err != nil {
		t.Fatal(err)
	}
	defer h.close()
	if got, want := fmt.Sprintln(h.Len(), h.At(0), h.At(1), h.At(maxHistory)), fmt.Sprintln(maxHistory+1, "last", 2*maxHistory, maxHistory+1); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Without a place for it, there is a history of this session.
func TestHistoryWithoutFile(t *testing.T) {
	for _, name := range []string{"", filepath.Join(t.TempDir(), "missing", "history")} {
		t.Setenv(historyVariable, name)
		h, err := openHistory()
		if (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
		h.Add("a")
		if h.Len() != 1 || h.At(0) != "a" {
			t.Errorf("%q: %q", name, h.lines)
		}
		h.close()
	}
}

func TestOpenBrackets(t *testing.T) {
	tests := map[string]bool{
		"":             false,
		"1 + (2":       true,
		"[1, {":        true,
		"[1]":          false,
		`"(" + x`:      false,
		`"\"(" f(`:     true,
		")(":           false,
		"f(\n  1,\n  ": true,
	}
	for text, want := range tests {
		if got := open(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
