// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"math"
	"net/netip"
	"sort"
	"strings"
)

// A Pool is a sequence of IP addresses given by ranges, of which static_ips
// takes some by their offset. It keeps the ranges, never their addresses.
type Pool struct {
	first []netip.Addr // of each range
	end   []int64      // number of addresses up to the end of each range
}

// ParsePool reads ranges of the form "a - b", "a-b" or a single address.
func ParsePool(entries []string) (*Pool, error) {
	p := &Pool{}
	for _, e := range entries {
		from, to, isRange := strings.Cut(e, "-")
		a, ok := parseAddr(strings.TrimSpace(from))
		b, ok2 := a, ok
		if isRange {
			b, ok2 = parseAddr(strings.TrimSpace(to))
		}
		switch {
		case !ok || !ok2:
			return nil, fmt.Errorf("invalid static IP range '%s'", clip(e))
		case a.Is4() != b.Is4():
			return nil, fmt.Errorf("static IP range '%s' mixes IPv4 and IPv6", clip(e))
		case b.Less(a):
			return nil, fmt.Errorf("static IP range '%s' ends before it begins", clip(e))
		}
		p.add(a, b)
	}
	return p, nil
}

func (p *Pool) add(a, b netip.Addr) {
	n := int64(math.MaxInt64) // IPv6 ranges may be longer, but no offset is
	if d, _ := numberOf(b).sub(numberOf(a)); d.hi == 0 && d.lo < math.MaxInt64 {
		n = int64(d.lo) + 1
	}
	p.first = append(p.first, a)
	p.end = append(p.end, p.Len()+min(n, math.MaxInt64-p.Len()))
}

// Len returns the number of addresses, at most the largest int64.
func (p *Pool) Len() int64 {
	if len(p.end) == 0 {
		return 0
	}
	return p.end[len(p.end)-1]
}

// At returns the address at an offset, ok is false if there is none.
func (p *Pool) At(i int64) (a netip.Addr, ok bool) {
	if i < 0 || i >= p.Len() {
		return netip.Addr{}, false
	}
	r := sort.Search(len(p.end), func(r int) bool { return p.end[r] > i })
	if r > 0 {
		i -= p.end[r-1]
	}
	return move(p.first[r], uint128{lo: uint64(i)}, false)
}
