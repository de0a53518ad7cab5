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
	"testing"
	"time"
)

// buildBinary builds the program for tests of the process as a whole: its
// memory, its signals, its exit status. It has no race detector, whose memory
// would be that of the test.
func buildBinary(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "spiff")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// A child is a run of the binary.
type child struct {
	bin    string
	dir    string
	args   []string
	env    []string
	stdin  string
	memory int // MiB of address space, 0 for any
}

// outcome is what a child left.
type outcomeOf struct {
	stdout, stderr string
	status         int // -1 if a signal ended it
	state          *os.ProcessState
}

// grace is what a test needs to say that a child did not end.
const grace = 10 * time.Second

func (c child) run(t *testing.T) outcomeOf {
	t.Helper()
	ctx := context.Background()
	if deadline, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-grace))
		defer cancel()
	}
	argv := append([]string{c.bin}, c.args...)
	if c.memory > 0 {
		limit := fmt.Sprintf(`ulimit -v %d && exec "$@"`, c.memory<<10)
		argv = append([]string{"sh", "-c", limit, "sh"}, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin = c.dir, strings.NewReader(c.stdin)
	cmd.Env = append(os.Environ(), c.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("spiff %s does not end", strings.Join(c.args, " "))
	}
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcomeOf{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), cmd.ProcessState}
}
