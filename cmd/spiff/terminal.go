// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dynaml/spiff"
	"golang.org/x/term"
)

// historyVariable names the file in which the lines of repl are kept.
const historyVariable = "SPIFF_HISTORY"

// A terminal edits the lines that are typed. It is in raw mode only while it
// reads one, so that what expressions do meets an ordinary terminal.
type terminal struct {
	t     *term.Terminal
	fd    int // -1 in a test
	lines *history
}

// newTerminal returns the terminal of the process, for a session.
func newTerminal(e *env, s *session) *terminal {
	lines, err := openHistory()
	if err != nil {
		fmt.Fprintf(e.stderr, "note: lines are not kept: %s\n", err)
	}
	in := e.stdin.(*os.File)
	t := newTerminalOn(struct {
		io.Reader
		io.Writer
	}{in, e.stdout}, s, lines)
	t.fd = int(in.Fd())
	return t
}

func newTerminalOn(rw io.ReadWriter, s *session, lines *history) *terminal {
	t := &terminal{fd: -1, lines: lines}
	t.t = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{&interruptible{r: rw}, rw}, "")
	t.t.History = lines
	c := &completer{s: s, w: t.t}
	t.t.AutoCompleteCallback = c.key
	return t
}

func (t *terminal) close() { t.lines.close() }

func (t *terminal) line(prompt string) (string, error) {
	t.t.SetPrompt(prompt)
	if t.fd >= 0 {
		if w, h, err := term.GetSize(t.fd); err == nil && w > 0 {
			_ = t.t.SetSize(w, h) // only redrawing the line could fail
		}
		old, err := term.MakeRaw(t.fd)
		if err != nil {
			return "", err
		}
		defer term.Restore(t.fd, old)
	}
	text, err := t.t.ReadLine()
	if text == cancelMark {
		return "", errCancelled
	}
	if err == io.EOF {
		_, _ = t.t.Write([]byte("\n")) // the shell's prompt begins a line
	}
	return text, err
}

// In place of Ctrl-C, which a term.Terminal takes for the end, it gets the keys
// that empty the line, a mark, and the return key.
const (
	ctrlC      = 3
	cancelMark = "^C"
	cancelKeys = "\x05\x15" + cancelMark + "\r"
)

// An interruptible replaces Ctrl-C in what it reads.
type interruptible struct {
	r     io.Reader
	ahead []byte // replaced and not yet given out
	err   error  // to follow it
}

func (i *interruptible) Read(p []byte) (int, error) {
	if len(i.ahead) == 0 && i.err == nil {
		buf := make([]byte, len(p))
		n, err := i.r.Read(buf)
		i.ahead, i.err = bytes.ReplaceAll(buf[:n], []byte{ctrlC}, []byte(cancelKeys)), err
	}
	if len(i.ahead) == 0 {
		return 0, i.err
	}
	n := copy(p, i.ahead)
	i.ahead = i.ahead[n:]
	return n, nil
}

// maxHistory is how many lines are kept: a file of some ten kilobytes.
const maxHistory = 1000

// A history is the lines that were typed, the oldest first. A file keeps them, if
// there is one.
type history struct {
	lines []string
	file  *os.File
}

// historyFile returns the name of the file, "" if none is wanted.
func historyFile() (string, error) {
	if name, ok := os.LookupEnv(historyVariable); ok {
		return name, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "spiff")
	return filepath.Join(dir, "history"), os.MkdirAll(dir, 0o700)
}

// openHistory reads the lines that were kept. If that fails the history is empty
// and keeps nothing.
func openHistory() (*history, error) {
	h := &history{}
	name, err := historyFile()
	if err != nil || name == "" {
		return h, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return h, err
	}
	text, err := io.ReadAll(f)
	if err == nil {
		err = f.Chmod(0o600) // it may have been there; the lines concern nobody else
	}
	if err != nil {
		return h, errors.Join(err, f.Close())
	}
	for line := range strings.Lines(string(text)) {
		h.lines = append(h.lines, strings.TrimSuffix(line, "\n"))
	}
	h.file = f
	return h, h.shorten()
}

// shorten drops the oldest lines from a file that has twice as many as are kept.
func (h *history) shorten() error {
	if len(h.lines) <= 2*maxHistory {
		return nil
	}
	h.lines = slices.Clone(h.lines[len(h.lines)-maxHistory:])
	if err := h.file.Truncate(0); err != nil {
		return err
	}
	_, err := io.WriteString(h.file, strings.Join(h.lines, "\n")+"\n")
	return err
}

func (h *history) close() {
	if h.file != nil {
		h.file.Close()
	}
}

// Add keeps a line, unless it is blank or the same as the one before.
func (h *history) Add(line string) {
	if strings.TrimSpace(line) == "" || line == cancelMark || len(h.lines) > 0 && h.At(0) == line {
		return
	}
	h.lines = append(h.lines, line)
	if h.file != nil {
		_, _ = h.file.WriteString(line + "\n") // a full disk is no reason to stop
	}
}

// Len returns the number of lines.
func (h *history) Len() int { return len(h.lines) }

// At returns a line, 0 is the one that was typed last.
func (h *history) At(i int) string { return h.lines[len(h.lines)-1-i] }

// A completer completes what is typed before the tab key. If there are several
// ways to go on, a second tab lists them.
type completer struct {
	s    *session
	w    io.Writer
	tabs int // in a row
}

func (c *completer) key(line string, pos int, key rune) (string, int, bool) {
	if key != '\t' {
		c.tabs = 0
		return "", 0, false
	}
	c.tabs++
	word, candidates := c.candidates(line[:pos])
	if len(candidates) == 0 {
		return line, pos, true
	}
	more := strings.TrimPrefix(commonPrefix(candidates), word)
	if more == "" && len(candidates) > 1 && c.tabs > 1 {
		fmt.Fprintf(c.w, "%s\n", strings.Join(candidates, "  "))
	}
	return line[:pos] + more + line[pos:], pos + len(more), true
}

// candidates returns the part of a line that is to be completed, and what it may
// become.
func (c *completer) candidates(before string) (word string, list []string) {
	if name, ok := strings.CutPrefix(before, ":"); ok && !strings.Contains(name, " ") {
		for _, sc := range sessionCommands() {
			list = append(list, sc.name+" ")
		}
		return name, withPrefix(name, list)
	}
	if args, ok := strings.CutPrefix(before, ":load "); ok {
		word = args[strings.LastIndex(args, " ")+1:]
		found, _ := filepath.Glob(globQuoted.Replace(word) + "*")
		return word, found
	}
	path := before[strings.LastIndexFunc(before, endsPath)+1:]
	dot := strings.LastIndexByte(path, '.')
	word = path[dot+1:]
	fields, err := c.s.v.e.Fields(strings.TrimPrefix(path[:dot+1], "."))
	if err != nil {
		return word, nil
	}
	if dot < 0 {
		for _, f := range spiff.Functions() {
			fields = append(fields, f+"(")
		}
		slices.Sort(fields)
		fields = slices.Compact(fields)
	}
	return word, withPrefix(word, fields)
}

// globQuoted quotes what has a meaning in patterns of file names.
var globQuoted = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// endsPath says whether a character cannot be part of a path of plain names.
func endsPath(r rune) bool { return strings.ContainsRune(" \t()!+*/%,=<>|&?:{}\"", r) }

func withPrefix(prefix string, words []string) (list []string) {
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			list = append(list, w)
		}
	}
	return list
}

func commonPrefix(words []string) string {
	prefix := words[0]
	for _, w := range words[1:] {
		n := 0
		for n < len(prefix) && n < len(w) && prefix[n] == w[n] {
			n++
		}
		prefix = prefix[:n]
	}
	return prefix
}
