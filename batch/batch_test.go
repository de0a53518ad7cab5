// SPDX-License-Identifier: Apache-2.0

package batch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/batch"
	"github.com/dynaml/spiff/internal/golden"
)

// A folder is files in memory, which a batch reads and writes.
type folder struct {
	mu    sync.Mutex
	files map[string]string
	reads map[string]int
	deny  string // the output that cannot be written
}

func newFolder() *folder { return &folder{files: map[string]string{}, reads: map[string]int{}} }

func (f *folder) read(name string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads[name]++
	text, ok := f.files[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

func (f *folder) Same(name string, content []byte) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	old, ok := f.files[name]
	return ok && old == string(content)
}

func (f *folder) Replace(files []batch.File, all bool) []error {
	errs := make([]error, len(files))
	denied := slices.ContainsFunc(files, func(o batch.File) bool { return o.Name == f.deny })
	for i, o := range files {
		switch {
		case o.Name == f.deny:
			errs[i] = errors.New("denied")
		case denied && all:
			errs[i] = batch.ErrOthers
		default:
			f.files[o.Name] = string(o.Content)
		}
	}
	return errs
}

// options are those of a batch in the folder.
func (f *folder) options() batch.Options {
	opt := batch.Options{Jobs: 2, Read: f.read, Outputs: f}
	opt.Merge.Files.ReadFile = f.read
	return opt
}

func parse(t *testing.T, text string) *batch.Plan {
	t.Helper()
	p, err := batch.Parse("fleet.yml", []byte(text), batch.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// statuses returns what became of the targets.
func statuses(r *batch.Round) string {
	var all []string
	for _, o := range r.Outcomes {
		all = append(all, fmt.Sprintf("%s %s", o.Target.Name, o.Status))
	}
	return strings.Join(all, ", ")
}

// merged returns the names of the targets that were merged in a round.
func merged(r *batch.Round) string {
	var names []string
	for _, o := range r.Outcomes {
		if o.Merged {
			names = append(names, o.Target.Name)
		}
	}
	return strings.Join(names, " ")
}

// sites is a batch of three targets, of which a and b share the stub ab.yml.
const sites = `
- {name: a, template: t.yml, stubs: [a.yml, ab.yml], output: out/a}
- {name: b, template: t.yml, stubs: [b.yml, ab.yml], output: out/b}
- {name: c, template: t.yml, stubs: [c.yml], output: out/c}
`

func siteFiles() *folder {
	f := newFolder()
	maps.Copy(f.files, map[string]string{
		"t.yml":  "site: (( merge ))\nkind: (( merge || \"plain\" ))\n",
		"a.yml":  "site: a\n",
		"b.yml":  "site: b\n",
		"c.yml":  "site: c\n",
		"ab.yml": "kind: (( \"spe\" \"cial\" ))\n",
	})
	return f
}

// TestInputsAreReadOnce counts the reads of each file.
func TestInputsAreReadOnce(t *testing.T) {
	f := siteFiles()
	r := batch.New(parse(t, sites), f.options()).Run(context.Background(), nil)
	if got, want := statuses(r), "a written, b written, c written"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for name, n := range f.reads {
		if n != 1 {
			t.Errorf("%s was read %d times", name, n)
		}
	}
	if r.Inputs != 5 || r.Uses != 8 || r.Read != 5 || r.Changed != 5 || r.Merged != 3 {
		t.Errorf("got %+v", r)
	}
	if got, want := f.files["out/a"], "kind: special\nsite: a\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRounds changes files between rounds: only the targets that use them are
// merged, and only the files that changed are read.
func TestRounds(t *testing.T) {
	f := siteFiles()
	r := batch.New(parse(t, sites), f.options())
	r.Run(context.Background(), nil)
	tests := []struct {
		file, text    string
		read, changed int
		merged        string
		statuses      string
	}{
		{"a.yml", "site: A\n", 1, 1, "a", "a written, b unchanged, c unchanged"},
		{"a.yml", "site: A\n", 1, 0, "", "a unchanged, b unchanged, c unchanged"},
		{"a.yml", "# comment\nsite: A\n", 1, 1, "a", "a unchanged, b unchanged, c unchanged"},
		{"ab.yml", "kind: (( \"n\" \"ew\" ))\n", 1, 1, "a b", "a written, b written, c unchanged"},
		{"t.yml", "site: (( merge ))\n", 1, 1, "a b c", "a written, b written, c written"},
		{"c.yml", "site: (( 1 / 0 ))\n", 1, 1, "c", "a unchanged, b unchanged, c failed"},
		{"b.yml", "site: B\n", 1, 1, "b", "a unchanged, b withheld, c failed"},
		{"c.yml", "site: C\n", 1, 1, "c", "a unchanged, b written, c written"},
		{"t.yml", "site: [\n", 1, 1, "a b c", "a failed, b failed, c failed"},
		{"t.yml", "site: (( merge ))\n", 1, 1, "a b c", "a unchanged, b unchanged, c unchanged"},
	}
	for _, tt := range tests {
		f.files[tt.file] = tt.text
		clear(f.reads)
		round := r.Run(context.Background(), []string{tt.file})
		if len(f.reads) != 1 || f.reads[tt.file] != 1 {
			t.Errorf("%s: read %v", tt.file, f.reads)
		}
		if round.Read != tt.read || round.Changed != tt.changed {
			t.Errorf("%s: %d read, %d changed, want %d and %d", tt.file, round.Read, round.Changed, tt.read, tt.changed)
		}
		if got := merged(round); got != tt.merged {
			t.Errorf("%s: merged %q, want %q", tt.file, got, tt.merged)
		}
		if got := statuses(round); got != tt.statuses {
			t.Errorf("%s: got %s, want %s", tt.file, got, tt.statuses)
		}
	}
	if got, want := f.files["out/b"], "site: B\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFilesOfRead changes a file that only the function read reads.
func TestFilesOfRead(t *testing.T) {
	f := newFolder()
	maps.Copy(f.files, map[string]string{
		"a.yml": `x: (( read("data/x.txt", "text") ))`,
		"b.yml": `x: (( read("./data/x.txt", "text") || "none" ))`,
		"c.yml": `x: 1`,
	})
	r := batch.New(parse(t, "[{template: a.yml, output: a}, {template: b.yml, output: b}, {template: c.yml, output: c}]"), f.options())
	if got, want := statuses(r.Run(context.Background(), nil)), "a failed, b withheld, c withheld"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	file := filepath.Join("data", "x.txt")
	if got := r.Files(); !slices.Contains(got, file) {
		t.Errorf("%s is not one of %v", file, got)
	}
	f.files["data/x.txt"], f.files["./data/x.txt"] = "1", "1"
	round := r.Run(context.Background(), []string{file})
	if got, want := merged(round), "a b"; got != want {
		t.Errorf("merged %s, want %s", got, want)
	}
	if got, want := statuses(round), "a written, b written, c written"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestFailedWrite: an output that cannot be written keeps all from being
// written, and is tried again in the next round.
func TestFailedWrite(t *testing.T) {
	f := siteFiles()
	f.deny = "out/b"
	r := batch.New(parse(t, sites), f.options())
	if got, want := statuses(r.Run(context.Background(), nil)), "a withheld, b failed, c withheld"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f.deny = ""
	round := r.Run(context.Background(), nil)
	if got, want := statuses(round), "a written, b written, c written"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := merged(round), "b"; got != want {
		t.Errorf("merged %s, want %s", got, want)
	}

	f = siteFiles()
	f.deny = "out/b"
	opt := f.options()
	opt.KeepGoing = true
	r = batch.New(parse(t, sites), opt)
	if got, want := statuses(r.Run(context.Background(), nil)), "a written, b failed, c written"; got != want {
		t.Errorf("with keep-going got %s, want %s", got, want)
	}
}

// TestSetPlan changes the batch file: only new and changed targets are merged.
func TestSetPlan(t *testing.T) {
	f := siteFiles()
	r := batch.New(parse(t, sites), f.options())
	r.Run(context.Background(), nil)
	clear(f.reads)
	r.SetPlan(parse(t, `
- {name: d, template: t.yml, stubs: [d.yml], output: out/d}
- {name: c, template: t.yml, stubs: [c.yml], output: out/c}
- {name: b, template: t.yml, stubs: [b.yml], output: out/b}
`))
	f.files["d.yml"] = "site: d"
	round := r.Run(context.Background(), nil)
	if got, want := merged(round), "d b"; got != want {
		t.Errorf("merged %s, want %s", got, want)
	}
	if len(f.reads) != 1 || f.reads["d.yml"] != 1 {
		t.Errorf("read %v, want d.yml once", f.reads)
	}
	if got := r.Files(); slices.Contains(got, "a.yml") {
		t.Errorf("a.yml is not used any more, but one of %v", got)
	}
}

// TestCanceled ends a round early: nothing is written, and the next round does
// all of it.
func TestCanceled(t *testing.T) {
	f := siteFiles()
	opt := f.options()
	opt.KeepGoing = true
	r := batch.New(parse(t, sites), opt)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := r.Run(ctx, nil).Count(batch.Failed); got != 3 {
		t.Errorf("%d targets failed, want 3", got)
	}
	if _, written := f.files["out/a"]; written {
		t.Error("a result was written")
	}
	if got, want := statuses(r.Run(context.Background(), nil)), "a written, b written, c written"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestShards: the shards of a plan have each target once, however many shards
// there are; a target stays where it is when others come.
func TestShards(t *testing.T) {
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "- {name: target-%d, template: t, output: o/%d}\n", i, i)
	}
	all := parse(t, text.String())
	for _, of := range []int{1, 2, 3, 8, 300} {
		seen := map[string]int{}
		for i := 1; i <= of; i++ {
			share := all.Share(batch.Shard{Index: i, Of: of})
			for _, target := range share.Targets {
				seen[target.Name]++
			}
			fair := len(all.Targets) / of
			if n := len(share.Targets); of <= 8 && (n < fair/2 || n > 2*fair) {
				t.Errorf("shard %d/%d has %d of %d targets", i, of, n, len(all.Targets))
			}
		}
		for _, target := range all.Targets {
			if seen[target.Name] != 1 {
				t.Errorf("%s is in %d of %d shards", target.Name, seen[target.Name], of)
			}
		}
	}
	more := parse(t, "- {name: first, template: t, output: o/first}\n"+text.String())
	shard := batch.Shard{Index: 2, Of: 4}
	before, after := all.Share(shard).Targets, more.Share(shard).Targets
	for _, target := range before {
		if !slices.ContainsFunc(after, func(u *batch.Target) bool { return u.Name == target.Name }) {
			t.Errorf("%s moved to another shard", target.Name)
		}
	}
}

// realTargets is how many targets TestRealSets merges.
const realTargets = 200

// TestRealSets merges many targets made of real sets: they have the bytes of
// single merges and the same counts, however many jobs there are. A change of one
// stub then affects the targets that use it.
func TestRealSets(t *testing.T) {
	sets, err := golden.RealSets(filepath.Join("..", "..", "shared", "realworld", "cases"))
	if err != nil {
		t.Fatal(err)
	}
	f := newFolder()
	want := map[string]string{}
	var plan strings.Builder
	n := 0
	for round := 0; n < realTargets; round++ {
		for _, set := range sets {
			if n == realTargets || !set.Plain {
				continue
			}
			var docs []*spiff.Document
			var names []string
			for _, file := range set.Files {
				name := filepath.Join(set.Name, file.Name)
				f.files[name] = string(file.Data)
				names = append(names, strconv.Quote(name))
				if d, err := spiff.Load(name, file.Data); err == nil {
					docs = append(docs, d)
				}
			}
			fmt.Fprintf(&plan, "- {name: %s-%d, template: %s, stubs: [%s], output: out/%d.yml}\n",
				set.Name, round, names[0], strings.Join(names[1:], ", "), n)
			if text, ok := single(t, f, docs, len(names)); ok {
				want[fmt.Sprintf("out/%d.yml", n)] = text
			}
			n++
		}
		if n == 0 {
			t.Skip("../shared/realworld is not there")
		}
	}
	text := plan.String()
	inputs := maps.Clone(f.files)

	var first *batch.Round
	for _, jobs := range []int{1, 2, 7} {
		f.files = maps.Clone(inputs)
		clear(f.reads)
		opt := f.options()
		opt.Jobs, opt.KeepGoing = jobs, true
		r := batch.New(parse(t, text), opt)
		round := r.Run(context.Background(), nil)
		for name, text := range want {
			if f.files[name] != text {
				t.Errorf("%d jobs: %s is not what a single merge gives", jobs, name)
			}
		}
		if got := round.Count(batch.Written); got != len(want) || got < realTargets/2 {
			t.Errorf("%d jobs: %d written, want %d", jobs, got, len(want))
		}
		if first == nil {
			first = round
		}
		if round.Cells != first.Cells || round.Work != first.Work || round.Read != first.Read || statuses(round) != statuses(first) {
			t.Errorf("%d jobs: got %s, want %s", jobs, round.Summary(), first.Summary())
		}
		checkAffected(t, f, r, round)
	}
	t.Logf("%s; %d nodes", first.Summary(), first.Cells)
}

// single returns the result of one merge, as a batch in the folder should have
// it; ok is false if it fails.
func single(t *testing.T, f *folder, docs []*spiff.Document, files int) (text string, ok bool) {
	t.Helper()
	if len(docs) < files {
		return "", false // one of them cannot be read
	}
	opt := spiff.Options{Files: spiff.Files{ReadFile: f.read}}
	m, err := spiff.Merge(context.Background(), docs[0], docs[1:], opt)
	if err != nil {
		return "", false
	}
	var out bytes.Buffer
	if err := m.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String(), true
}

// checkAffected changes the rightmost stub of the first target.
func checkAffected(t *testing.T, f *folder, r *batch.Runner, before *batch.Round) {
	t.Helper()
	stubs := before.Outcomes[0].Target.Stubs
	stub := stubs[len(stubs)-1]
	var want []string
	cells := 0
	for _, o := range before.Outcomes {
		if slices.Contains(o.Target.Stubs, stub) || o.Target.Template == stub {
			want = append(want, o.Target.Name)
			cells += o.Stats.Cells
		}
	}
	if len(want) == 0 || len(want) == len(before.Outcomes) {
		t.Fatalf("%s is used by %d targets", stub, len(want))
	}
	f.files[stub] += "\n"
	clear(f.reads)
	round := r.Run(context.Background(), []string{stub})
	if got := merged(round); got != strings.Join(want, " ") {
		t.Errorf("merged %s, want %v", got, want)
	}
	if round.Merged != len(want) || round.Cells != cells || f.reads[stub] != 1 || round.Read != 1 {
		t.Errorf("%s; want %d targets and %d nodes", round.Line(), len(want), cells)
	}
	if got := round.Count(batch.Written); got != 0 {
		t.Errorf("an empty line changed %d results", got)
	}
}
