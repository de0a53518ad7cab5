// SPDX-License-Identifier: Apache-2.0

package merge

// SetMinIndexed makes stubs be indexed where there are n of them, and returns
// how many it was.
func SetMinIndexed(n int) (before int) {
	before, minIndexed = minIndexed, n
	return before
}
