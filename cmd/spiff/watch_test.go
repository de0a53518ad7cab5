// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/pflag"
)

// A script is a watcher that changes files itself: each step returns the names
// of those it changed.
type script struct {
	t       *testing.T
	steps   []func() []string
	watched []string
}

func (s *script) Watch(files []string) error {
	s.watched = files
	return nil
}

func (s *script) Next() ([]string, error) {
	if len(s.steps) == 0 {
		return nil, io.EOF
	}
	changed := s.steps[0]()
	s.steps = s.steps[1:]
	for _, name := range changed {
		if !slices.Contains(s.watched, name) {
			s.t.Errorf("%s is changed, but not one of %v", name, s.watched)
		}
	}
	return changed, nil
}

// watchBatch runs the command with a watcher in the working folder and returns
// what it printed.
func watchBatch(t *testing.T, w watcher, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	e := &env{stdin: strings.NewReader(""), stdout: &out, stderr: &errs}
	flags := pflag.NewFlagSet("batch", pflag.ContinueOnError)
	batchCommand.flags(flags)
	if err := flags.Parse(append(args, "--watch", "-q", "fleet.yml")); err != nil {
		t.Fatal(err)
	}
	if err := runBatchWith(e, flags, func() (watcher, error) { return w, nil }); err != nil {
		t.Fatal(err)
	}
	return out.String(), errs.String()
}

// change writes files into the working folder, and returns their names.
func change(t *testing.T, namesAndTexts ...string) (names []string) {
	t.Helper()
	for i := 0; i < len(namesAndTexts); i += 2 {
		if err := os.WriteFile(namesAndTexts[i], []byte(namesAndTexts[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, namesAndTexts[i])
	}
	return names
}

// watchedFleet are two targets with a stub each, and one stub of both.
var watchedFleet = []string{
	"fleet.yml", `
- {name: a, template: t.yml, stubs: [a.yml, all.yml], output: out/a.yml}
- {name: b, template: t.yml, stubs: [b.yml, all.yml], output: out/b.yml}
`,
	"t.yml", "name: (( merge ))\nall: (( merge ))\nnote: (( read(\"note.txt\", \"text\") || \"none\" ))\n",
	"a.yml", "name: a\n",
	"b.yml", "name: b\n",
	"all.yml", "all: 1\n",
}

// TestWatch pins what is said about rounds: which targets a change affects.
func TestWatch(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(formatVariable, "classic")
	change(t, watchedFleet...)
	w := &script{t: t, steps: []func() []string{
		func() []string { return change(t, "a.yml", "name: A\n") },
		func() []string { return change(t, "a.yml", "name: A\n") },
		func() []string { return change(t, "all.yml", "all: 2\n") },
		func() []string { return change(t, "b.yml", "name: [\n") },
		func() []string { return change(t, "b.yml", "name: b\n") },
		func() []string { return change(t, "note.txt", "seen") },
		func() []string {
			return change(t, "fleet.yml", watchedFleet[1]+"- {name: c, template: a.yml, output: out/c.yml}\n")
		},
		func() []string { return change(t, "fleet.yml", "[]\n") },
		func() []string { return change(t, "a.yml", "name: a\n") },
	}}
	_, got := watchBatch(t, w)
	want := `2 targets: 2 written; 4 inputs read once for 6 uses
round 2: 1 file read, 1 changed; 1 of 2 targets merged, 5 nodes evaluated; 1 written
round 3: 1 file read, 0 changed; 0 of 2 targets merged, 0 nodes evaluated
round 4: 1 file read, 1 changed; 2 of 2 targets merged, 10 nodes evaluated; 2 written
error parsing stub [b.yml]: b.yml:1:1: expected a value here
round 5: 1 file read, 1 changed; 1 of 2 targets merged, 0 nodes evaluated; 1 failed
round 6: 1 file read, 1 changed; 1 of 2 targets merged, 5 nodes evaluated
round 7: 1 file read, 1 changed; 2 of 2 targets merged, 10 nodes evaluated; 2 written
round 8: 0 files read, 0 changed; 1 of 3 targets merged, 0 nodes evaluated; 1 written
fleet.yml:1:1: error: there are no targets
round 9: 0 files read, 0 changed; 0 of 3 targets merged, 0 nodes evaluated
round 10: 1 file read, 1 changed; 2 of 3 targets merged, 5 nodes evaluated; 2 written
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if text := readText(t, "out/b.yml"); text != "all: 2\nname: b\nnote: seen\n" {
		t.Errorf("out/b.yml is %q", text)
	}
}

// TestWatchJSON: each round is a line.
func TestWatchJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	change(t, watchedFleet...)
	w := &script{t: t, steps: []func() []string{func() []string { return change(t, "a.yml", "name: A\n") }}}
	stdout, stderr := watchBatch(t, w, "--json")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) != 2 || stderr != "" {
		t.Fatalf("got\n%s%s", stdout, stderr)
	}
	for i, part := range []string{`"round":1,`, `"round":2,`} {
		if !strings.Contains(lines[i], part) {
			t.Errorf("line %d lacks %s: %s", i+1, part, lines[i])
		}
	}
}

// testWatcher returns a fileWatcher whose events the test sends.
func testWatcher(t *testing.T, files ...string) (w *fileWatcher, events chan fsnotify.Event, errs chan error, folders *[]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	events, errs, folders = make(chan fsnotify.Event, 100), make(chan error, 1), new([]string)
	w = &fileWatcher{events: events, errors: errs, quiet: time.Millisecond}
	w.add = func(folder string) error {
		if _, err := os.Stat(folder); err != nil {
			return err
		}
		*folders = append(*folders, folder)
		return nil
	}
	if err := w.Watch(files); err != nil {
		t.Fatal(err)
	}
	return w, events, errs, folders
}

func TestFileWatcher(t *testing.T) {
	w, events, errs, folders := testWatcher(t, "a.yml", "b.yml", filepath.Join("later", "c.yml"))
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(*folders)
	for _, f := range slices.Compact(*folders) {
		if f != here && f != identity(here) {
			t.Errorf("watches %s; it should be %s, in which the other folder may appear", f, here)
		}
	}
	next := func(want ...string) {
		t.Helper()
		got, err := w.Next()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
	send := func(names ...string) {
		for _, name := range names {
			events <- fsnotify.Event{Name: filepath.Join(here, name), Op: fsnotify.Write}
		}
	}
	send("b.yml", "other.yml", "b.yml", "a.yml", ".b.yml.swp", "b.yml~")
	next("a.yml", "b.yml")
	send("later") // the folder appears
	next(filepath.Join("later", "c.yml"))
	errs <- fsnotify.ErrEventOverflow
	next("a.yml", "b.yml", filepath.Join("later", "c.yml"))
	errs <- errors.New("lost")
	if _, err := w.Next(); err == nil || err.Error() != "lost" {
		t.Errorf("got %v, want the error of the watcher", err)
	}
	close(events)
	if _, err := w.Next(); err != io.EOF {
		t.Errorf("got %v at the end", err)
	}
}

// A lockedBuffer is written by the command and read by the test.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// eventually waits until a condition holds. It is generous: nothing of what is
// waited for takes long unless it never comes.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("%s does not happen", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestWatchFiles watches real files: one is written, one replaced as editors do,
// one removed and written again.
func TestWatchFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	change(t, watchedFleet...)
	real, err := newFileWatcher()
	if err != nil {
		t.Fatal(err)
	}
	stderr := &lockedBuffer{}
	e := &env{stdin: strings.NewReader(""), stdout: io.Discard, stderr: stderr}
	flags := pflag.NewFlagSet("batch", pflag.ContinueOnError)
	batchCommand.flags(flags)
	if err := flags.Parse([]string{"--watch", "fleet.yml"}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- runBatchWith(e, flags, func() (watcher, error) { return real, nil }) }()
	output := func(name string) func() bool {
		return func() bool {
			text, err := os.ReadFile("out/a.yml")
			return err == nil && strings.Contains(string(text), "name: "+name+"\n")
		}
	}
	eventually(t, "the first round", output("a"))
	change(t, "a.yml", "name: written\n")
	eventually(t, "a round after a file is written", output("written"))
	change(t, "a.yml.new", "name: replaced\n")
	if err := os.Rename("a.yml.new", "a.yml"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a round after a file is replaced", output("replaced"))
	if err := os.Remove("a.yml"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a round after a file is removed", func() bool { return strings.Contains(stderr.String(), "cannot read a.yml") })
	change(t, "a.yml", "name: back\n")
	eventually(t, "a round after a file is back", output("back"))
	if err := real.close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
