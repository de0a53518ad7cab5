// SPDX-License-Identifier: Apache-2.0

package builtin

import "github.com/dynaml/spiff/diag"

const (
	// maxText bounds the bytes of one computed text. Twenty expressions of
	// twenty operands each can ask for more than any machine has; the whole
	// output of the largest known manifests is below a tenth of this.
	maxText = 1 << 28
	// maxElems bounds the entries of one computed list, for the same reason;
	// at four bytes each it is the same memory.
	maxElems = maxText / 4
)

// fitsText fails if a text of n bytes is too long to be computed.
func fitsText(n int) error {
	if n > maxText {
		return Stopf(diag.TooLarge, "the text would have %d bytes (limit %d)", n, maxText)
	}
	return nil
}

// fitsList fails if a list of n entries is too long to be computed.
func fitsList(n int) error {
	if n > maxElems {
		return Stopf(diag.TooLarge, "the list would have %d entries (limit %d)", n, maxElems)
	}
	return nil
}
