// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dynaml/spiff/internal/ordertest"
	"github.com/dynaml/spiff/vm"
)

// TestOrderDoesNotMatter merges every case under testdata twice, starting
// children in opposite orders. What waits and what suspends differs; result,
// report and number of evaluated places must not.
func TestOrderDoesNotMatter(t *testing.T) {
	cases := 0
	for _, area := range []string{"merge", "ref", "expr", "lambda", "template", "order", "error", "docs"} {
		err := filepath.WalkDir(filepath.Join("..", "testdata", area), func(path string, _ fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || filepath.Ext(path) != ".txtar" {
				return err
			}
			a, err := txtar.ParseFile(path)
			if err != nil {
				return err
			}
			var files []txtar.File
			for _, f := range a.Files {
				if strings.HasSuffix(f.Name, ".yml") && !strings.HasPrefix(f.Name, "want") {
					files = append(files, f)
				}
			}
			if len(files) == 0 || bytes.Contains(txtar.Format(a), []byte("-- args --")) {
				return nil
			}
			cases++
			t.Run(area+"/"+strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
				forwards, backwards := outcome(files, false), outcome(files, true)
				if forwards != backwards {
					t.Errorf("forwards:\n%s\nbackwards:\n%s", forwards, backwards)
				}
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}

// TestOrderDoesNotMatterForRealManifests does the same with the shared sets.
func TestOrderDoesNotMatterForRealManifests(t *testing.T) {
	cmds, _ := filepath.Glob(filepath.Join("..", "..", "shared", "realworld", "cases", "*", "cmd"))
	if len(cmds) == 0 {
		t.Skip("../shared/realworld is not there")
	}
	for _, cmd := range cmds {
		line, err := os.ReadFile(cmd)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(string(line))
		if words[0] != "merge" || strings.Contains(string(line), " -") {
			continue // flags and features of another tool
		}
		var files []txtar.File
		for _, name := range words[1:] {
			text, err := os.ReadFile(filepath.Join(filepath.Dir(cmd), name))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, txtar.File{Name: name, Data: text})
		}
		if forwards, backwards := outcome(files, false), outcome(files, true); forwards != backwards {
			t.Errorf("%s: results differ", filepath.Base(filepath.Dir(cmd)))
		}
	}
}

// outcome merges the files within the default limits.
func outcome(files []txtar.File, backwards bool) string {
	return ordertest.Outcome(files, backwards, vm.Limits{})
}
