// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/dynaml/spiff/program"
)

var listedOpcode = regexp.MustCompile(`(?m)^ *\d+  ([a-z]+)`)

// TestEveryOpcodeIsCompiled: an opcode that no want.asm under testdata shows
// is either never emitted or not tested.
func TestEveryOpcodeIsCompiled(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(filepath.Join("..", "..", "testdata"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		text, err := os.ReadFile(path)
		if _, listing, ok := bytes.Cut(text, []byte("-- want.asm --\n")); ok {
			for _, m := range listedOpcode.FindAllSubmatch(listing, -1) {
				seen[string(m[1])] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range program.Ops() {
		if !seen[op.String()] {
			t.Errorf("%s occurs in no want.asm", op)
		}
	}
}
