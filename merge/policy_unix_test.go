// SPDX-License-Identifier: Apache-2.0

//go:build unix

package merge

import (
	"os"
	"syscall"
	"testing"
)

// A pipe in an allowed folder is refused: nobody may ever write to it.
func TestPolicyPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.Mkdir("in", 0o777))
	must(t, syscall.Mkfifo("in/pipe", 0o666))
	p := Policy{DenyRead: true, ReadDirs: []string{"in"}}
	if _, err := p.open("in/pipe"); err == nil || err.Error() != "open pipe: permission denied" {
		t.Errorf("got %v, want that it is refused", err)
	}
}
