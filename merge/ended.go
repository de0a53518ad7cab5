// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"context"
	"fmt"

	"github.com/dynaml/spiff/diag"
)

// endedEvery is the number of cells between two looks whether the merge is to
// end; most take less than a microsecond. Expressions look for themselves.
const endedEvery = 1 << 10

// Ended returns the error of a merge whose context is done, or nil. It is a
// *diag.Diagnostic whose cause is the error of the context.
func Ended(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != err {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return &diag.Diagnostic{Code: diag.Canceled, Msg: "the merge was ended early: " + err.Error(), Cause: err}
}
