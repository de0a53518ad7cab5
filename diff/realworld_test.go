// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dynaml/spiff"
)

// mended are the real pairs for which the classic diff shows an entry of a
// list that was compared by its name already (lost) in place of one that it
// compared with nothing (gained).
var mended = map[string]struct{ lost, gained []string }{
	"cf2017-aws-vs-openstack": {
		lost: []string{
			"jobs.api_z1.templates.[14]", "jobs.api_z1.templates.[15]",
			"jobs.ha_proxy_z1.networks.[1]", "networks.[2]",
		},
		gained: []string{
			"jobs.api_z1.templates.[11]", "jobs.api_z1.templates.[12]",
			"jobs.ha_proxy_z1.networks.[0]", "networks.[0]",
		},
	},
	"redis-warden-vs-aws-separator": {
		lost:   []string{"networks.[1]"},
		gained: []string{"networks.[0]"},
	},
}

// TestRealPairs compares with what the classic diff printed for pairs of real
// manifests, byte for byte but for the order of the differences, which was
// random.
func TestRealPairs(t *testing.T) {
	dirs, _ := filepath.Glob("../../shared/realworld/diffs/*")
	if len(dirs) == 0 {
		t.Skip("no ../../shared/realworld/diffs beside the checkout")
	}
	for _, dir := range dirs {
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			separator := ""
			if strings.HasSuffix(name, "-separator") {
				separator = "----"
			}
			classic, err := os.ReadFile(filepath.Join(dir, "out-orig.txt"))
			if err != nil {
				t.Fatal(err)
			}
			c, err := spiff.Diff(load(t, dir, "a.yml"), load(t, dir, "b.yml"))
			if err != nil {
				t.Fatal(err)
			}
			text, err := c.Append(nil, spiff.DiffOptions{Separator: separator, Color: true})
			if err != nil {
				t.Fatal(err)
			}
			got, want := blocks(string(text), separator), blocks(string(classic), separator)
			m := mended[name]
			check(t, "not in the classic text", without(got, want), m.gained)
			check(t, "only in the classic text", without(want, got), m.lost)
		})
	}
}

func load(t *testing.T, dir, name string) *spiff.Document {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	d, err := spiff.Load(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const heading = "Difference in "

// blocks splits a text before each difference.
func blocks(text, separator string) []string {
	var list []string
	for _, b := range strings.Split("\n"+text, "\n"+separator+heading) {
		list = append(list, strings.TrimSuffix(strings.TrimSuffix(b, separator), "\n"))
	}
	if first, ok := strings.CutPrefix(list[0], "\n"+heading); ok {
		list[0] = first
	}
	return list
}

// without returns what is in a more often than in b.
func without(a, b []string) []string {
	count := map[string]int{}
	for _, x := range b {
		count[x]++
	}
	var list []string
	for _, x := range a {
		if count[x]--; count[x] < 0 {
			list = append(list, x)
		}
	}
	return list
}

// check compares the paths of blocks with those expected.
func check(t *testing.T, what string, blocks, want []string) {
	t.Helper()
	var paths []string
	for _, b := range blocks {
		path, _, _ := strings.Cut(b, "\n")
		paths = append(paths, path)
		if !slices.Contains(want, path) {
			t.Errorf("%s:\n%s", what, b)
		}
	}
	slices.Sort(paths)
	if !slices.Equal(paths, want) {
		t.Errorf("%s: got %q, want %q", what, paths, want)
	}
}
