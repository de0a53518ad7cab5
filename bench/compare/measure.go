// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A measurement says what to run on both sides, and how often.
type measurement struct {
	base  string // commit
	bench string
	count int
	time  time.Duration
	keep  string // folder for the results, or empty
}

// A side is the benchmarks of one tree, built.
type side struct {
	name   string
	binary string
	dir    string // of the package, where tests expect to run
	got    results
	log    bytes.Buffer
}

// compareTrees measures this tree against the base commit and prints the table.
func compareTrees(ctx context.Context, m measurement, lim limits, out io.Writer) (regressed bool, err error) {
	tmp, err := os.MkdirTemp("", "compare")
	if err != nil {
		return false, err
	}
	defer func() {
		if e := os.RemoveAll(tmp); err == nil {
			err = e
		}
	}()
	root, err := output(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return false, err
	}
	root = strings.TrimSpace(root)
	worktree := filepath.Join(tmp, "base")
	if _, err := output(ctx, root, "git", "worktree", "add", "--detach", worktree, m.base); err != nil {
		return false, err
	}
	// The worktree is removed even if the command was interrupted.
	defer func() {
		if _, e := output(context.WithoutCancel(ctx), root, "git", "worktree", "remove", "--force", worktree); err == nil {
			err = e
		}
	}()
	base, err := build(ctx, m.base, worktree, filepath.Join(tmp, "base.test"))
	if err != nil {
		return false, err
	}
	tree, err := build(ctx, "this tree", root, filepath.Join(tmp, "tree.test"))
	if err != nil {
		return false, err
	}
	c, err := measure(ctx, m, lim, base, tree)
	if err != nil {
		return false, err
	}
	c.print(out, base.name, tree.name)
	if m.keep != "" {
		for file, s := range map[string]*side{"base.txt": base, "tree.txt": tree} {
			if err := os.WriteFile(filepath.Join(m.keep, file), s.log.Bytes(), 0o666); err != nil {
				return false, err
			}
		}
	}
	return len(c.regressions()) > 0, c.empty()
}

func build(ctx context.Context, name, root, binary string) (*side, error) {
	if _, err := output(ctx, root, "go", "test", "-c", "-o", binary, "./bench"); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &side{name: name, binary: binary, dir: filepath.Join(root, "bench")}, nil
}

// measure runs both sides, and those benchmarks that look slower once more,
// twice as often: of hundreds of benchmarks some look slower by chance, but
// hardly twice, and a slowdown must not be missed for lack of runs.
func measure(ctx context.Context, m measurement, lim limits, base, tree *side) (*comparison, error) {
	names, err := list(ctx, m, tree)
	if err != nil {
		return nil, err
	}
	if err := alternate(ctx, m, names, base, tree); err != nil {
		return nil, err
	}
	c := compareResults(base.got, tree.got, lim)
	suspects := c.suspects()
	if len(suspects) == 0 {
		return c, nil
	}
	fmt.Fprintf(os.Stderr, "%d benchmarks look slower and are measured again\n", len(suspects))
	base.got, tree.got = results{}, results{}
	m.count *= 2
	if err := alternate(ctx, m, suspects, base, tree); err != nil {
		return nil, err
	}
	c.confirm(compareResults(base.got, tree.got, lim))
	return c, nil
}

// list returns the names of the benchmarks of a side by running each once.
func list(ctx context.Context, m measurement, s *side) (names []string, err error) {
	m.time = 0
	if err := s.run(ctx, m, m.bench); err != nil {
		return nil, err
	}
	for _, x := range s.got.order {
		names = appendNew(names, x.name)
	}
	s.got = results{}
	s.log.Reset()
	return names, nil
}

// alternate runs the sides in turn, one benchmark after the other: the runs
// that are compared lie within seconds.
func alternate(ctx context.Context, m measurement, names []string, sides ...*side) error {
	for i, name := range names {
		fmt.Fprintf(os.Stderr, "%d of %d: %s\n", i+1, len(names), name)
		for range m.count {
			for _, s := range sides {
				if err := s.run(ctx, m, exactly(name)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// run adds one run of the benchmarks that match a pattern; without a time each
// does one operation.
func (s *side) run(ctx context.Context, m measurement, bench string) error {
	benchtime := "1x"
	if m.time > 0 {
		benchtime = m.time.String()
	}
	text, err := output(ctx, s.dir, s.binary, "-test.run=^$", "-test.bench="+bench, "-test.benchtime="+benchtime)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	s.log.WriteString(text)
	return s.got.read(strings.NewReader(text), s.name)
}

// procs is the number of processors at the end of a name.
var procs = regexp.MustCompile(`-\d+$`)

// exactly returns a pattern that matches this benchmark alone.
func exactly(name string) string {
	parts := strings.Split(procs.ReplaceAllString("Benchmark"+name, ""), "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// output runs a command in dir and returns its standard output.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out.Bytes(), errs.Bytes())
	}
	return out.String(), nil
}
