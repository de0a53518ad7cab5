// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/dynaml/spiff"
)

// printStats makes a merge count its work. The function returned prints the
// counts, the same for the same input on every machine.
func printStats(e *env, opt *spiff.Options) func() {
	opt.Stats = &spiff.Stats{}
	return func() {
		s := opt.Stats
		fmt.Fprintf(e.stderr, "work: %d instructions, %d calls, %d suspensions, %d cells, %d programs, %d bytes computed\n",
			s.VM.Instructions, s.VM.Calls, s.VM.Suspensions, s.Cells, s.Programs, s.Memory)
	}
}
