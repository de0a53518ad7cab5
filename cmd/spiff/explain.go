// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/dynaml/spiff/diag"
)

// explainCode prints what an error or warning such as E201 is, what causes it,
// and what to do about it.
func explainCode(e *env, code string) error {
	entry := diag.Code(strings.ToUpper(code)).Lookup()
	if entry == nil {
		return usageError{fmt.Sprintf("unknown code %q; to explain a node, name its path and a template", code)}
	}
	_, err := fmt.Fprintf(e.stdout, "%s %s\n\n%s.\n\ncause: %s\n\nfix:   %s\n", entry.Code, entry.Name, entry.Title, entry.Cause, entry.Fix)
	return err
}
