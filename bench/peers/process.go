// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/dynaml/spiff/bench"
)

// A bed holds the built programs and the generated sets of a run.
type bed struct {
	ctx    context.Context
	dir    string
	rounds int
	spiff  string
	yamlv3 string
	hello  string
	gen    string // generator of the shared folder, or empty
	sets   map[string]set
}

// A set is files that were generated.
type set struct {
	files []string // the template first
	bytes int64
}

func newBed(ctx context.Context, rounds int) (*bed, error) {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return nil, err
	}
	b := &bed{ctx: ctx, dir: dir, rounds: rounds, sets: map[string]set{}}
	build := func(from, pkg, name string) string {
		file := filepath.Join(dir, name)
		if err == nil {
			cmd := exec.CommandContext(ctx, "go", "build", "-o", file, pkg)
			cmd.Dir = from
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as README builds it: a static binary
			var out []byte
			if out, err = cmd.CombinedOutput(); err != nil {
				err = fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
			}
		}
		return file
	}
	b.spiff = build(root, "./cmd/spiff", "spiff")
	b.yamlv3 = build(".", "./yamlv3", "yamlv3")
	b.hello = build(".", "./hello", "hello")
	if shared := filepath.Join(root, "..", "shared", "bench", "gen"); isDir(shared) {
		b.gen = build(shared, ".", "gen")
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (b *bed) close() { os.RemoveAll(b.dir) }

// ownFamilies are the families of package bench that stand for those of the
// shared generator where that is missing.
var ownFamilies = map[string]string{"bosh": "jobs"}

// generate returns the set of a family. A child process writes it: the peak
// memory that the system reports for a process is never below that of its
// parent when it was started, so this process has to stay small.
func (b *bed) generate(family string, n int) (set, error) {
	key := fmt.Sprintf("%s-%d", family, n)
	if s, ok := b.sets[key]; ok {
		return s, nil
	}
	dir := filepath.Join(b.dir, key)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return set{}, err
	}
	args := []string{b.gen, "-family", family, "-n", fmt.Sprint(n), "-out", dir}
	if b.gen == "" {
		self, err := os.Executable()
		if err != nil {
			return set{}, err
		}
		if other, ok := ownFamilies[family]; ok {
			family = other
		}
		args = []string{self, "-write-set", family, "-n", fmt.Sprint(n), "-out", dir}
	}
	if _, err := b.run(args...); err != nil {
		return set{}, err
	}
	s := set{}
	for i := 0; ; i++ {
		file := filepath.Join(dir, setFile(i))
		info, err := os.Stat(file)
		if err != nil {
			break
		}
		s.files, s.bytes = append(s.files, file), s.bytes+info.Size()
	}
	b.sets[key] = s
	return s, nil
}

// drop removes the files of sets that are not needed any more.
func (b *bed) drop() {
	for key := range b.sets {
		os.RemoveAll(filepath.Join(b.dir, key))
	}
	clear(b.sets)
}

// setFile names file i of a set as the shared generator does.
func setFile(i int) string {
	if i == 0 {
		return "template.yml"
	}
	return fmt.Sprintf("stub%d.yml", i)
}

// writeSet writes a family of package bench.
func writeSet(family string, n int, dir string) error {
	generate := bench.Families[family]
	if generate == nil {
		return fmt.Errorf("no family %s; there are %s", family, strings.Join(bench.Names(), ", "))
	}
	s := generate(n)
	for i, text := range append([]string{s.Template}, s.Stubs...) {
		if err := os.WriteFile(filepath.Join(dir, setFile(i)), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// usage is what the system counted for a finished process.
type usage struct {
	cpu  time.Duration // user and system
	peak int64         // resident bytes
}

// run starts a process, whose output goes nowhere, and waits for its end.
func (b *bed) run(args ...string) (usage, error) {
	cmd := exec.CommandContext(b.ctx, args[0], args[1:]...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		text := errs.String()
		return usage{}, fmt.Errorf("%s: %w: %.500s", filepath.Base(args[0]), err, text)
	}
	st := cmd.ProcessState
	return usage{cpu: st.UserTime() + st.SystemTime(), peak: peakOf(st)}, nil
}

// pairs runs two commands in turn and returns what they took, run by run.
func (b *bed) pairs(rounds int, one, two []string) (ones, twos []usage, err error) {
	for range rounds {
		u, err := b.run(one...)
		if err != nil {
			return nil, nil, err
		}
		v, err := b.run(two...)
		if err != nil {
			return nil, nil, err
		}
		ones, twos = append(ones, u), append(twos, v)
	}
	return ones, twos, nil
}

// cpuRatio is the median of the ratios of the pairs.
func cpuRatio(ones, twos []usage) float64 {
	ratios := make([]float64, len(ones))
	for i := range ones {
		ratios[i] = float64(ones[i].cpu) / float64(twos[i].cpu)
	}
	return median(ratios)
}

func peak(us []usage) float64 {
	peaks := make([]float64, len(us))
	for i, u := range us {
		peaks[i] = float64(u.peak)
	}
	return median(peaks)
}

func (b *bed) merge(s set) []string { return append([]string{b.spiff, "merge"}, s.files...) }

func (b *bed) rewrite(s set) []string { return append([]string{b.yamlv3}, s.files...) }
