// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/dynaml/spiff/lsp"
	"github.com/spf13/pflag"
)

var lspCommand = command{
	name:  "lsp",
	args:  "[flags]",
	short: "serve an editor: errors as you type, hover, completion, rename",
	long: `
Speaks the Language Server Protocol on standard input and output, for an editor
that starts it; docs/editors.md says how. Which template goes with which stubs
is said by the settings of the editor, or by the file .spiff.yml in the folder
of the workspace, which is one of spiff batch:

  targets:
  - template: template.yml
    stubs: [sizing.yml, landscape.yml]
    output: manifest.yml

A file of no target is merged alone, without errors about what stubs may bring.

To open a file must not run commands, so the sandbox is on: expressions read
only the files of the workspace, no environment variables, and run nothing.
--allow-exec, --allow-read and --allow-env permit more, --sandbox=false all.`,
	examples: []usageExample{
		{"spiff lsp", "what an editor starts"},
		{"spiff lsp --allow-env=DEPLOYMENT --delay=500ms", "with a variable that templates read, checking less often"},
	},
	complete: []completion{nothing},
	flags: func(f *pflag.FlagSet) {
		f.Duration("delay", defaultDelay, "check a file when it has not changed for this `TIME`")
		f.Bool("stdio", true, "use standard input and output, as some editors demand; there is nothing else")
		dialectFlag(f)
	},
	limited: true,
	merges:  true,
	run:     runLSP,
}

// defaultDelay is longer than the time between two keys of somebody who types,
// and short enough not to be noticed.
const defaultDelay = 150 * time.Millisecond

func runLSP(e *env, flags *pflag.FlagSet) error {
	if flags.NArg() > 0 {
		return usageError{"no arguments expected; editors name the files over the protocol"}
	}
	delay, _ := flags.GetDuration("delay")
	if delay < 0 {
		return usageError{"--delay is a time from 0 on"}
	}
	dialect := dialectOf(flags)
	if !flags.Changed("sandbox") {
		if err := flags.Set("sandbox", "true"); err != nil {
			return err
		}
		p, err := policy(flags, nil)
		if err != nil {
			return err
		}
		e.policy = p
	}
	version := readBuild().Version
	err := lsp.Serve(context.Background(), e.stdin, e.stdout, lsp.Options{
		Limits: e.limits, Policy: e.policy, Dialect: dialect, Delay: delay, Version: version, Log: e.stderr, Enter: os.Chdir,
	})
	if err != nil {
		return fmt.Errorf("spiff lsp: %w", err)
	}
	return nil
}
