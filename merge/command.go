// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"time"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/diag"
)

// A Command runs the commands of exec. Each gets a process group of its own,
// where there are such, so that what it starts ends with it.
type Command struct {
	Context context.Context // ends running commands when it is done
	Time    time.Duration   // for one command
	Output  int64           // bytes of standard output
}

// NewCommand returns a Command with the limits of a merge.
func NewCommand(ctx context.Context, l Limits) Command {
	l.setDefaults()
	return Command{Context: ctx, Time: l.CommandTime, Output: l.Input}
}

// Run runs a command and returns its standard output. The error is a
// *builtin.Stop if it took too long or printed too much.
func (c Command) Run(argv []string, stderr io.Writer) ([]byte, error) {
	ctx, cancel := context.WithTimeout(c.Context, c.Time)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	out := &bounded{most: c.Output, full: cancel}
	cmd.Stdout, cmd.Stderr = out, stderr
	ownGroup(cmd)
	// What the command started may hold its output open after it was killed.
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case out.over:
		return nil, builtin.Stopf(diag.CommandFailed, "the output of %q exceeds %d bytes", argv[0], c.Output)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, builtin.Stopf(diag.CommandFailed, "%q did not end within %s", argv[0], c.Time)
	case c.Context.Err() != nil:
		return nil, builtin.Stopf(diag.CommandFailed, "%q was interrupted", argv[0])
	}
	return out.text, err
}

// bounded is a buffer that refuses to hold more than most bytes.
type bounded struct {
	text []byte
	most int64
	over bool
	full func() // called once there is more
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(len(b.text)+len(p)) > b.most {
		b.over = true
		b.full()
		return 0, errors.New("too much output")
	}
	b.text = append(b.text, p...)
	return len(p), nil
}
