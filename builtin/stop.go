// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"

	"github.com/dynaml/spiff/diag"
)

// A Stop is the error for what may not happen at all: work beyond a limit, or
// something that the caller of the merge forbids. No function rewords it and no
// || catches it, since a result that was computed without it would look like
// any other.
type Stop struct{ Msg string }

func (s *Stop) Error() string { return s.Msg }

// Stopf returns a *Stop with a code.
func Stopf(code diag.Code, format string, args ...any) error {
	return diag.Coded(code, &Stop{fmt.Sprintf(format, args...)})
}
