// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dynaml/spiff/internal/golden"
	"github.com/dynaml/spiff/internal/ordertest"
	"github.com/dynaml/spiff/vm"
)

// TestOrderDoesNotMatter merges every case under testdata twice, starting
// children in opposite orders. What waits and what suspends differs; result,
// report and number of evaluated places must not.
func TestOrderDoesNotMatter(t *testing.T) {
	sets, err := golden.OwnSets("../testdata", "merge", "ref", "expr", "lambda", "template", "order", "error", "docs")
	if err != nil || len(sets) == 0 {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	for _, set := range sets {
		if !set.Plain {
			continue
		}
		t.Run(set.Name, func(t *testing.T) {
			forwards, backwards := outcome(set.Files, false), outcome(set.Files, true)
			if forwards != backwards {
				t.Errorf("forwards:\n%s\nbackwards:\n%s", forwards, backwards)
			}
		})
	}
}

// realCases is a folder of manifest sets that people merge. It is not part of
// the repository.
const realCases = "../../shared/realworld/cases"

// TestOrderDoesNotMatterForRealManifests does the same with the shared sets.
func TestOrderDoesNotMatterForRealManifests(t *testing.T) {
	sets, err := golden.RealSets(realCases)
	if err != nil {
		t.Fatal(err)
	}
	if len(sets) == 0 {
		t.Skipf("%s is not there", realCases)
	}
	for _, set := range sets {
		if set.Plain && outcome(set.Files, false) != outcome(set.Files, true) {
			t.Errorf("%s: results differ", set.Name)
		}
	}
}

// outcome merges the files within the default limits.
func outcome(files []txtar.File, backwards bool) string {
	return ordertest.Outcome(files, backwards, vm.Limits{})
}
