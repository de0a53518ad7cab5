// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// openPty returns the two ends of a pseudo terminal.
func openPty(t *testing.T) (typist, tty *os.File) {
	t.Helper()
	typist, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	t.Cleanup(func() { typist.Close() })
	var unlock, number int32
	for request, arg := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, typist.Fd(), request, uintptr(unsafe.Pointer(arg))); errno != 0 {
			t.Skipf("no pseudo terminals: %v", errno)
		}
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	t.Cleanup(func() { tty.Close() })
	return typist, tty
}

// A session on a terminal prompts, prints, and keeps what was typed.
func TestReplOnATerminal(t *testing.T) {
	typist, tty := openPty(t)
	kept := filepath.Join(t.TempDir(), "history")
	t.Setenv(historyVariable, kept)
	screen := make(chan string)
	go func() {
		var all bytes.Buffer
		buf := make([]byte, 1<<10)
		for typed := false; ; {
			n, err := typist.Read(buf)
			all.Write(buf[:n])
			if !typed && strings.Contains(all.String(), prompt) { // the terminal is in raw mode
				typed = true
				_, _ = io.WriteString(typist, "20 + 22\r\x04")
			}
			if err != nil { // the other end is closed
				screen <- all.String()
				return
			}
		}
	}()
	status := run([]string{"repl"}, &env{stdin: tty, stdout: tty, stderr: tty})
	tty.Close()
	if got := <-screen; status != exitOK || !strings.Contains(got, "42") {
		t.Errorf("status %d, on the screen %q", status, got)
	}
	if text, err := os.ReadFile(kept); err != nil || string(text) != "20 + 22\n" {
		t.Errorf("kept: %v %q", err, text)
	}
}
