// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/dynaml/spiff/internal/golden"
)

// The cases under testdata/hostile are inputs that want to break the program.
// Each is merged by a process of its own whose address space is limited, so
// that one that fills the memory fails. A section NAME.gen is a file NAME that
// is generated, see generate. Beside what other cases have there are
//
//	memory      MiB of address space, by default defaultMemory
//	want.work   the exact counts of --stats
//
// A long output is shortened, see shortened.
func TestHostile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the address space of a process is limited by ulimit -v, which works on Linux")
	}
	dir, err := filepath.Abs("../../testdata/hostile")
	if err != nil {
		t.Fatal(err)
	}
	h := hostile{bin: buildBinary(t), done: map[*golden.Case]hostileOutcome{}}
	golden.Run(t, dir, h.want)
}

// defaultMemory is what a case may take: the runtime of Go alone reserves about
// half of it.
const defaultMemory = 2048

// processors are those of a child: how much memory is reserved for each must not
// depend on the machine.
const processors = "GOMAXPROCS=2"

type hostile struct {
	bin  string
	done map[*golden.Case]hostileOutcome
}

type hostileOutcome struct{ stdout, stderr, work, status string }

func (h *hostile) want(t *testing.T, c *golden.Case, want string) (string, bool) {
	t.Helper()
	o, ok := h.done[c]
	if !ok {
		o = h.run(t, c)
		h.done[c] = o
	}
	switch want {
	case "want.yml":
		return o.stdout, true
	case "want.err":
		return o.stderr, true
	case "want.work":
		return o.work, true
	case "want.status":
		return o.status, true
	}
	return "", false
}

func (h *hostile) run(t *testing.T, c *golden.Case) hostileOutcome {
	t.Helper()
	ch := child{bin: h.bin, dir: t.TempDir(), args: c.Args(), env: []string{processors}, memory: defaultMemory}
	var files []string
	for _, name := range c.Inputs() {
		text, _ := c.Get(name)
		if name == "memory" {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				t.Fatal(err)
			}
			ch.memory = n
			continue
		}
		if name == "env" {
			ch.env = append(ch.env, strings.Fields(text)...)
			continue
		}
		data := []byte(text)
		if of, ok := strings.CutSuffix(name, ".gen"); ok {
			name, data = of, generate(t, text)
		}
		if err := os.WriteFile(filepath.Join(ch.dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	if len(ch.args) == 0 {
		ch.args = append([]string{"merge"}, files...)
	}
	if ch.args[0] == "merge" {
		ch.args = append(ch.args, "--stats")
	}
	p := ch.run(t)
	if strings.Contains(p.stderr, "goroutine ") { // not to be golden by mistake
		t.Errorf("the program broke:\n%s", shortened(p.stderr))
	}
	stderr, work := splitWork(p.stderr)
	return hostileOutcome{shortened(p.stdout), shortened(stderr), work, fmt.Sprintln(p.status)}
}

// counted are the lines of --stats that a case pins.
var counted = []string{"cells evaluated", "programs compiled", "instructions", "calls", "suspensions", "bytes computed"}

// splitWork takes what --stats prints out of standard error. The second text are
// the counts that are the same on every machine.
func splitWork(text string) (stderr, work string) {
	text, stats, ok := strings.Cut(text, "bytes read  ")
	if !ok {
		return text, ""
	}
	for line := range strings.Lines(stats) {
		for _, name := range counted {
			if rest, ok := strings.CutPrefix(line, name+" "); ok {
				work += name + ": " + strings.TrimSpace(rest) + "\n"
			}
		}
	}
	return text, work
}

// generate makes a text from lines of the form
//
//	"text"
//	repeat 1000 "text"
//
// with texts as in Go. In one that is repeated, {i} is its number, from 0 on,
// and {i+1} the next.
func generate(t *testing.T, spec string) []byte {
	t.Helper()
	var b bytes.Buffer
	for line := range strings.Lines(spec) {
		times, quoted := 1, strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(quoted, "repeat "); ok {
			count, text, _ := strings.Cut(rest, " ")
			n, err := strconv.Atoi(count)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			times, quoted = n, text
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		numbered := strings.Contains(text, "{i")
		for i := range times {
			if !numbered {
				b.WriteString(text)
				continue
			}
			b.WriteString(strings.NewReplacer("{i}", strconv.Itoa(i), "{i+1}", strconv.Itoa(i+1)).Replace(text))
		}
	}
	return b.Bytes()
}

// A text longer than maxShown is shown by its beginning and its end.
const (
	maxShown = 2400
	shownEnd = 300
)

func shortened(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return fmt.Sprintf("%s\n... %d bytes ...\n%s", strings.ToValidUTF8(text[:shownEnd], ""), len(text)-2*shownEnd,
		strings.ToValidUTF8(text[len(text)-shownEnd:], ""))
}
