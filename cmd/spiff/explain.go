// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
)

var explainCommand = command{
	name:  "explain",
	args:  "CODE",
	short: "tell more about an error or warning",
	long: `
Prints what an error or warning such as E201 is, what causes it, and what to do
about it.`,
	run: func(e *env, flags *pflag.FlagSet) error {
		if flags.NArg() != 1 {
			return usageError{"one code is required, such as E201"}
		}
		entry := diag.Code(strings.ToUpper(flags.Arg(0))).Lookup()
		if entry == nil {
			return usageError{fmt.Sprintf("unknown code %q", flags.Arg(0))}
		}
		_, err := fmt.Fprintf(e.stdout, "%s %s\n\n%s.\n\ncause: %s\n\nfix:   %s\n", entry.Code, entry.Name, entry.Title, entry.Cause, entry.Fix)
		return err
	},
}
