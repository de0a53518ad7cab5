// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const (
	manifestSource = "a: 1\nb: (( a + 1 ))\n"
	manifest       = "a: 1\nb: 2\n"
)

// runIn writes files to a new working folder and runs a command line there.
func runIn(t *testing.T, files map[string]string, args string) (stderr string, status int) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return again(t, args)
}

// again runs a command line where the last one ran. It must not print anything
// on standard output.
func again(t *testing.T, args string) (stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(strings.Fields(args), &env{stdin: strings.NewReader(""), stdout: &out, stderr: &errs})
	if out.Len() > 0 {
		t.Errorf("spiff %s prints %q", args, out.String())
	}
	return errs.String(), status
}

// wantFile checks the content of a file, and that no other file of the folder
// was left behind.
func wantFile(t *testing.T, name, want string, all ...string) {
	t.Helper()
	if got := readText(t, name); got != want {
		t.Errorf("%s: got %q, want %q", name, got, want)
	}
	var names []string
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got, want := strings.Join(names, " "), strings.Join(all, " "); got != want {
		t.Errorf("files: got %s, want %s", got, want)
	}
}

func TestOutputFile(t *testing.T) {
	stderr, status := runIn(t, map[string]string{"t.yml": manifestSource}, "merge -o out.yml t.yml")
	if status != exitOK || stderr != "" {
		t.Fatalf("status %d: %s", status, stderr)
	}
	wantFile(t, "out.yml", manifest, "out.yml", "t.yml")

	for _, mode := range []fs.FileMode{0o640, 0o600, 0o755} {
		if err := os.WriteFile("out.yml", []byte("old\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod("out.yml", mode); err != nil {
			t.Fatal(err)
		}
		again(t, "merge --output=out.yml t.yml")
		wantFile(t, "out.yml", manifest, "out.yml", "t.yml")
		if st, err := os.Stat("out.yml"); err != nil || st.Mode() != mode {
			t.Errorf("mode %v, %v, want %v", st.Mode(), err, mode)
		}
	}

	// The input may be the output.
	again(t, "merge -o t.yml t.yml")
	wantFile(t, "t.yml", manifest, "out.yml", "t.yml")
}

// A merge that fails, and one that cannot write, leave the file as it was.
func TestOutputFileStays(t *testing.T) {
	stderr, status := runIn(t, map[string]string{"t.yml": "a: (( b ))\n", "out.yml": "old\n"}, "merge -o out.yml t.yml")
	if status != exitFailed || !strings.Contains(stderr, "'b' not found") {
		t.Errorf("status %d: %s", status, stderr)
	}
	wantFile(t, "out.yml", "old\n", "out.yml", "t.yml")

	stderr, status = again(t, "merge -o missing/out.yml t.yml")
	if status != exitFailed || !strings.Contains(stderr, "'b' not found") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if err := os.WriteFile("t.yml", []byte(manifestSource), 0o666); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"merge -o missing/out.yml t.yml":        "no such file or directory",
		"merge -o . t.yml":                      "is a directory",
		"merge -o t.yml/out t.yml":              "not a directory",
		"merge --max-output 3 -o out.yml t.yml": "output exceeds 3 bytes",
	} {
		stderr, status := again(t, args)
		if status != exitFailed || !strings.Contains(stderr, "error writing manifest: ") || !strings.Contains(stderr, want) {
			t.Errorf("spiff %s: status %d: %s", args, status, stderr)
		}
	}
	wantFile(t, "out.yml", "old\n", "out.yml", "t.yml")
}

// What a symbolic link leads to is replaced, not the link.
func TestOutputLink(t *testing.T) {
	runIn(t, map[string]string{"t.yml": manifestSource, "old.yml": "old\n"}, "version x")
	for link, to := range map[string]string{"link.yml": "old.yml", "second.yml": "link.yml", "to-nothing.yml": "new.yml", "to-itself.yml": "to-itself.yml"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	again(t, "merge -o second.yml t.yml")
	again(t, "merge -o to-nothing.yml t.yml")
	all := []string{"link.yml", "new.yml", "old.yml", "second.yml", "t.yml", "to-itself.yml", "to-nothing.yml"}
	wantFile(t, "old.yml", manifest, all...)
	wantFile(t, "new.yml", manifest, all...)
	for _, link := range []string{"link.yml", "second.yml", "to-nothing.yml"} {
		if st, err := os.Lstat(link); err != nil || st.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s is a link no more: %v", link, err)
		}
	}
	if stderr, status := again(t, "merge -o to-itself.yml t.yml"); status != exitFailed || !strings.Contains(stderr, "too many levels of symbolic links") {
		t.Errorf("a link to itself: status %d: %s", status, stderr)
	}
}

// A full disk is an error that says so, on standard output and in a file.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full: ", err)
	}
	defer full.Close()
	runIn(t, map[string]string{"t.yml": manifestSource, "u.yml": "a: 2\n"}, "version x")
	for _, args := range []string{"merge t.yml", "diff t.yml u.yml", "disasm t.yml", "version", "help", "merge --help"} {
		var errs bytes.Buffer
		status := run(strings.Fields(args), &env{stdin: strings.NewReader(""), stdout: full, stderr: &errs})
		if status != exitFailed || !strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("spiff %s: status %d: %s", args, status, errs.String())
		}
	}
	stderr, status := again(t, "merge -o /dev/full t.yml")
	if want := "error[E904]: error writing manifest: write /dev/full: no space left on device\n"; status != exitFailed || !strings.HasPrefix(stderr, want) {
		t.Errorf("-o /dev/full: status %d: %s", status, stderr)
	}
}

// start runs the binary in a folder with a template, and returns it running.
func start(t *testing.T, bin, template string, args ...string) (*exec.Cmd, *bytes.Buffer, io.Reader) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.yml"), []byte(template), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = dir
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, &stdout, stderr
}

// A signal ends the process quietly, as the shell expects it, together with the
// commands that it runs.
func TestSignals(t *testing.T) {
	bin := buildBinary(t)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		// The command says on standard error that it runs.
		cmd, stdout, stderr := start(t, bin, `a: (( exec("sh", "-c", "echo runs >&2; sleep 1000; echo late") ))`, "merge", "-o", "out.yml", "t.yml")
		lines := bufio.NewReader(stderr)
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		// This ends when all processes that hold standard error have ended.
		rest, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		waitErr := cmd.Wait()
		if st := cmd.ProcessState.Sys().(syscall.WaitStatus); !st.Signaled() || st.Signal() != s {
			t.Errorf("%v: %v", s, waitErr)
		}
		if stdout.Len() > 0 || len(rest) > 0 {
			t.Errorf("%v: it says %q and %q", s, stdout.String(), rest)
		}
		if _, err := os.Stat(filepath.Join(cmd.Dir, "out.yml")); err == nil {
			t.Errorf("%v: there is an output", s)
		}
	}
}

// A reader that has seen enough ends the process quietly.
func TestClosedPipe(t *testing.T) {
	bin := buildBinary(t)
	c := child{bin: bin, dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(c.dir, "t.yml"), []byte("a: (( [1..200000] ))\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	shell := func(line string) outcomeOf {
		return child{bin: "sh", dir: c.dir, args: []string{"-c", line, "sh", bin}}.run(t)
	}
	o := shell(`{ "$1" merge t.yml; echo "status $?" >&2; } | head -n 2`)
	if want := "status 141\n"; o.stderr != want || o.stdout != "a:\n- 1\n" {
		t.Errorf("standard output: %q and %q, want %q", o.stdout, o.stderr, want)
	}
	o = shell(`mkfifo pipe; head -n 2 pipe & "$1" merge -o pipe t.yml; echo "status $?" >&2; wait`)
	if want := "status 141\n"; o.stderr != want || o.stdout != "a:\n- 1\n" {
		t.Errorf("a named pipe: %q and %q, want %q", o.stdout, o.stderr, want)
	}
}
