// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// formatFiles runs fmt in a new folder with the given files, all of mode 0640.
func formatFiles(t *testing.T, files map[string]string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, 0o640); err != nil { // whatever the umask is
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	status = run(append([]string{"fmt"}, args...), &env{stdin: strings.NewReader(""), stdout: &out, stderr: &errs})
	return status, out.String(), errs.String()
}

func fileIs(t *testing.T, name, want string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != want {
		t.Errorf("%s: got %q, want %q", name, text, want)
	}
	st, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if st.Mode().Perm() != 0o640 {
		t.Errorf("%s: mode %v, want 0640", name, st.Mode().Perm())
	}
}

// Files are rewritten with their mode; one that is no YAML stays, and does not
// keep the others from being rewritten.
func TestFormatWrites(t *testing.T) {
	files := map[string]string{"a.yml": "a:  (( b   c ))\n", "bad.yml": "b:  [1\n", "c.yml": "c:   1\n"}
	status, stdout, stderr := formatFiles(t, files, "-w", "a.yml", "bad.yml", "c.yml")
	if status != exitFailed || stdout != "" || !strings.Contains(stderr, "bad.yml:1:1: ") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	fileIs(t, "a.yml", "a: (( b c ))\n")
	fileIs(t, "bad.yml", "b:  [1\n")
	fileIs(t, "c.yml", "c: 1\n")
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 3 {
		t.Errorf("%d files are in the folder (%v), want 3", len(entries), err)
	}
}

// A link stays a link, and the file it leads to is rewritten.
func TestFormatWritesThroughLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("a.yml", "link"); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := os.WriteFile("a.yml", []byte("a:   1\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod("a.yml", 0o640); err != nil {
		t.Fatal(err)
	}
	if status := run([]string{"fmt", "-w", "link"}, &env{stdin: strings.NewReader(""), stdout: new(bytes.Buffer), stderr: new(bytes.Buffer)}); status != exitOK {
		t.Errorf("status %d", status)
	}
	fileIs(t, "a.yml", "a: 1\n")
	if st, err := os.Lstat("link"); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone (%v)", err)
	}
}

// CR LF, which an archive of test cases cannot hold, becomes LF. A byte order
// mark goes.
func TestFormatLineBreaks(t *testing.T) {
	status, _, stderr := formatFiles(t, map[string]string{"a.yml": "\ufeffa:  |\r\n   x\r\n\r\n   y\r\nb:  (( c\r\n   d ))\r\n"}, "-w", "a.yml")
	if status != exitOK || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	fileIs(t, "a.yml", "a: |\n  x\n\n  y\nb: (( c\n  d ))\n")
}

// Only files that change are written, and with -w, -l and -d say so.
func TestFormatWritesAndTells(t *testing.T) {
	files := map[string]string{"a.yml": "a:  1\n", "b.yml": "b: 1\n"}
	status, stdout, _ := formatFiles(t, files, "-w", "-l", "-d", "--check", "a.yml", "b.yml")
	want := "a.yml\n--- a.yml\n+++ a.yml\n@@ -1,1 +1,1 @@\n-a:  1\n+a: 1\n"
	if status != exitDiffers || stdout != want {
		t.Errorf("status %d, stdout %q, want %q", status, stdout, want)
	}
	fileIs(t, "a.yml", "a: 1\n")
}

func TestFormatRefusesReadOnlyFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.yml", []byte("a:  1\n"), 0o440); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	status := run([]string{"fmt", "-w", "--error-format=classic", "a.yml"}, &env{stdin: strings.NewReader(""), stdout: new(bytes.Buffer), stderr: &errs})
	if want := "error writing file [a.yml]: a.yml is read-only\n"; status != exitFailed || errs.String() != want {
		t.Errorf("status %d, stderr %q, want %q", status, errs.String(), want)
	}
}
