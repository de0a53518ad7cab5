// SPDX-License-Identifier: Apache-2.0

package bench

import "testing"

// TestWorkGrowsLinearly counts the work of every family at n and 2n: whatever
// is counted may at most double, apart from what does not depend on n.
func TestWorkGrowsLinearly(t *testing.T) {
	const n = 500
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			once, twice := work(t, Families[name](n)), work(t, Families[name](2*n))
			for kind, count := range once {
				if limit := 2*count + 50; twice[kind] > limit {
					t.Errorf("%s: %d for n, %d for 2n, want at most %d", kind, count, twice[kind], limit)
				}
			}
		})
	}
}

func work(t *testing.T, s Set) map[string]int64 {
	t.Helper()
	doc, stubs := load(t, s)
	counts := map[string]int64{}
	for _, c := range countersOf(mergeDocs(t, doc, stubs).Stats()) {
		counts[c.unit] = c.n
	}
	return counts
}
