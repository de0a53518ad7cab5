// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

var diffCommand = command{
	name:    "diff",
	aliases: []string{"d"},
	args:    "[flags] A B\n       spiff diff [flags] --merge TEMPLATE_A [STUB_A...] -- TEMPLATE_B [STUB_B...]",
	short:   "show how two manifests differ in structure",
	long: `
Compares the YAML files A and B, of which one may be "-", the standard input.
List entries are compared by their name, or another key that tells them apart,
so their order does not matter, except that of the jobs. Nothing is evaluated,
unless --merge is given: then the results of two merges are compared.
The exit status is 0 also if there are differences, unless --exit-code is
given; it is 1 if a file cannot be read or merged.`,
	examples: []usageExample{
		{"spiff diff old.yml new.yml", "show what changed"},
		{"spiff diff --exit-code --format json old.yml new.yml", fmt.Sprintf("the same as JSON, with status %d if there is anything", exitDiffers)},
		{"spiff diff --merge template.yml old-stub.yml -- template.yml new-stub.yml", "show what another stub changes in the manifest"},
		{"spiff merge template.yml stub.yml | spiff diff deployed.yml -", "compare what is deployed with what a merge gives"},
	},
	complete: []completion{yamlFiles},
	flags: func(f *pflag.FlagSet) {
		f.String("format", diffFormats[0].name, "print differences as `FORMAT`: "+strings.Join(diffFormatNames(), ", "))
		completes(f, "format", words(diffFormatNames()...))
		f.Bool("positions", false, "show file, line and column of both sides; json always has them")
		f.StringArray("key", nil, "compare list entries by `FIELD` where they have it; may be repeated")
		f.Bool("merge", false, "compare the results of two merges, whose files -- separates")
		dialectFlag(f)
		f.String("separator", "", "print `TEXT` after each difference, in text")
		colorFlag(f, "use colours")
		f.Bool("exit-code", false, fmt.Sprintf("exit with status %d if there are differences", exitDiffers))
		formatFlag(f)
	},
	limited: true,
	merges:  true,
	run:     runDiff,
}

// diffFormats are the values of --format, the default first.
var diffFormats = []struct {
	name   string
	format spiff.DiffFormat
}{
	{"text", spiff.DiffText},
	{"json", spiff.DiffJSON},
	{"markdown", spiff.DiffMarkdown},
}

func diffFormatNames() (names []string) {
	for _, f := range diffFormats {
		names = append(names, f.name)
	}
	return names
}

func runDiff(e *env, flags *pflag.FlagSet) error {
	groups, err := diffGroups(flags)
	if err != nil {
		return err
	}
	opt, err := diffOptions(e, flags)
	if err != nil {
		return err
	}
	r, err := newReport(e, flags)
	if err != nil {
		return err
	}
	keys, _ := flags.GetStringArray("key")
	var c *spiff.Comparison
	if merges, _ := flags.GetBool("merge"); merges {
		c, err = diffMerges(r, dialectOf(flags), groups, keys)
	} else {
		c, err = diffFiles(r, groups, keys)
	}
	opt.A, opt.B = strings.Join(groups[0], " "), strings.Join(groups[1], " ")
	if err != nil {
		return fmt.Errorf("error comparing [%s] and [%s]: %w", opt.A, opt.B, err)
	}
	if err := r.print(false); err != nil {
		return err
	}
	if err := c.Write(e.stdout, opt); err != nil {
		return fmt.Errorf("error writing differences: %w", err)
	}
	if exitCode, _ := flags.GetBool("exit-code"); exitCode && !c.Equal() {
		return errDiffers
	}
	return nil
}

// diffGroups returns the files of the two sides.
func diffGroups(flags *pflag.FlagSet) (groups [2][]string, err error) {
	names := flags.Args()
	merges, _ := flags.GetBool("merge")
	at := flags.ArgsLenAtDash()
	switch {
	case !merges && len(names) != 2:
		return groups, usageError{"two files are required"}
	case !merges:
		at = 1
	case at < 0:
		return groups, usageError{"the files of the two merges are to be separated by --"}
	case at == 0 || at == len(names):
		return groups, usageError{"a template is required on both sides of --"}
	case slices.Contains(names, "--"):
		return groups, usageError{"more than two merges, only one -- may be given"}
	}
	return [2][]string{names[:at], names[at:]}, nil
}

// diffOptions returns what the flags say about the text.
func diffOptions(e *env, flags *pflag.FlagSet) (opt spiff.DiffOptions, err error) {
	name, _ := flags.GetString("format")
	for _, f := range diffFormats {
		if f.name == name {
			opt.Format = f.format
		}
	}
	opt.Positions, _ = flags.GetBool("positions")
	opt.Separator, _ = flags.GetString("separator")
	if opt.Separator != "" && opt.Format != spiff.DiffText {
		return opt, usageError{"--separator is for --format text only"}
	}
	when, _ := flags.GetString("color")
	opt.Color = useColor(when, e.stdout)
	return opt, nil
}

// diffFiles compares two files. The comparison is nil if the report says what
// is wrong with them.
func diffFiles(r *report, groups [2][]string, keys []string) (*spiff.Comparison, error) {
	if stdinTwice([]string{groups[0][0], groups[1][0]}) {
		r.fail(errStdinTwice, diag.StdinTwice, "")
		return nil, nil
	}
	docs := loadGroups(r, groups, func(group, _ int) string { return [2]string{"a", "b"}[group] })
	if len(r.errors) > 0 {
		return nil, nil
	}
	return spiff.Diff(docs[groups[0][0]], docs[groups[1][0]], keys...)
}

// diffMerges compares the results of two merges, in the same way.
func diffMerges(r *report, dialect spiff.Dialect, groups [2][]string, keys []string) (*spiff.Comparison, error) {
	for _, names := range groups {
		if stdinTwice(names) {
			r.fail(errStdinTwice, diag.StdinTwice, "")
			return nil, nil
		}
	}
	docs := loadGroups(r, groups, func(_, nth int) string {
		if nth == 0 {
			return "template"
		}
		return "stub"
	})
	if len(r.errors) > 0 {
		return nil, nil
	}
	var results [2]*spiff.Result
	for i, names := range groups {
		var files []*spiff.Document
		for _, n := range names {
			files = append(files, docs[n])
		}
		opt := spiff.Options{Dialect: dialect, Files: r.e.files(), Limits: r.e.limits, Policy: r.e.policy}
		var err error
		if results[i], err = spiff.Merge(context.Background(), files[0], files[1:], opt); err != nil {
			r.fail(err, "", "")
			return nil, nil // the other is likely to fail in the same way
		}
	}
	return spiff.DiffResults(results[0], results[1], keys...)
}

// loadGroups reads all files at once, each only once, and reports what is wrong
// with them in their order. role is what the nth file of a group is called in
// messages.
func loadGroups(r *report, groups [2][]string, role func(group, nth int) string) map[string]*spiff.Document {
	files := map[string]*loaded{}
	var wg sync.WaitGroup
	for _, name := range slices.Concat(groups[0], groups[1]) {
		if files[name] == nil {
			f := new(loaded)
			files[name] = f
			wg.Go(func() { *f = loadFile(r.e, name) })
		}
	}
	wg.Wait()
	docs := map[string]*spiff.Document{}
	for g, names := range groups {
		for i, name := range names {
			if _, done := docs[name]; !done {
				docs[name] = r.keep(*files[name], name, role(g, i))
			}
		}
	}
	return docs
}

func colorFlag(f *pflag.FlagSet, what string) {
	f.String("color", "auto", what+": `WHEN` is always, never, or auto,\n"+
		"which is on a terminal unless NO_COLOR is set")
	completes(f, "color", words("always", "never", "auto"))
}

// useColor says whether to print escape sequences to w.
func useColor(when string, w io.Writer) bool {
	if when != "auto" {
		return when == "always"
	}
	return os.Getenv("NO_COLOR") == "" && isTerminal(w)
}

// isTerminal says whether w is a terminal that understands escape sequences.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}
