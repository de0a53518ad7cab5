// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The cases of testdata/diff show the text; here are the statuses.
func TestDiffStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"a.yml": "x: 1\n", "b.yml": "x: 2\n", "two.yml": "---\nx: 1\n---\nx: 1\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		args string
		want int
	}{
		{"diff a.yml a.yml", exitOK},
		{"diff a.yml b.yml", exitOK},
		{"d a.yml b.yml", exitOK},
		{"diff --exit-code a.yml a.yml", exitOK},
		{"diff --exit-code a.yml b.yml", exitDiffers},
		{"diff --exit-code a.yml two.yml", exitDiffers},
		{"diff a.yml - ", exitOK},
		{"diff - - ", exitFailed},
		{"diff a.yml missing.yml", exitFailed},
		{"diff a.yml", exitUsage},
		{"diff a.yml a.yml a.yml", exitUsage},
		{"diff --color=sometimes a.yml a.yml", exitUsage},
	}
	for _, tt := range tests {
		var stdout, stderr bytes.Buffer
		got := run(strings.Fields(tt.args), &env{stdin: strings.NewReader("x: 1\n"), stdout: &stdout, stderr: &stderr})
		if got != tt.want {
			t.Errorf("spiff %s: got exit status %d, want %d\n%s%s", tt.args, got, tt.want, stdout.String(), stderr.String())
		}
	}
}

// A file is not a terminal; a new pseudo-terminal is one.
func TestUseColor(t *testing.T) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal to test with: %v", err)
	}
	defer tty.Close()
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tests := []struct {
		when          string
		out           *os.File
		noColor, term string
		want          bool
	}{
		{"always", file, "1", "dumb", true},
		{"never", tty, "", "xterm", false},
		{"auto", file, "", "xterm", false},
		{"auto", tty, "", "xterm", true},
		{"auto", tty, "1", "xterm", false},
		{"auto", tty, "", "dumb", false},
	}
	for _, tt := range tests {
		t.Setenv("NO_COLOR", tt.noColor)
		t.Setenv("TERM", tt.term)
		if got := useColor(tt.when, tt.out); got != tt.want {
			t.Errorf("%+v: got %v", tt, got)
		}
	}
}

// The examples of docs/diff.md are run; SPIFF_UPDATE=1 rewrites their results.
func TestDiffDoc(t *testing.T) {
	path, err := filepath.Abs("../../docs/diff.md")
	if err != nil {
		t.Fatal(err)
	}
	testExamples(t, path)
}
