// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"net/netip"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// A uint128 is an IP address as a number, or a distance between two.
type uint128 struct{ hi, lo uint64 }

func (u uint128) add(v uint128) (w uint128, ok bool) {
	var carry uint64
	w.lo, carry = bits.Add64(u.lo, v.lo, 0)
	w.hi, carry = bits.Add64(u.hi, v.hi, carry)
	return w, carry == 0
}

func (u uint128) sub(v uint128) (w uint128, ok bool) {
	var borrow uint64
	w.lo, borrow = bits.Sub64(u.lo, v.lo, 0)
	w.hi, borrow = bits.Sub64(u.hi, v.hi, borrow)
	return w, borrow == 0
}

// shift returns n << by.
func shift(n uint64, by int) (u uint128, ok bool) {
	if by >= 64 {
		return uint128{hi: n << (by - 64)}, n == 0 || bits.Len64(n)+by <= 128
	}
	return uint128{n >> (64 - by), n << by}, true
}

func numberOf(a netip.Addr) uint128 {
	if a.Is4() {
		b := a.As4()
		return uint128{lo: uint64(binary.BigEndian.Uint32(b[:]))}
	}
	b := a.As16()
	return uint128{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

// addrOf returns the address of a number in the family of another address.
func addrOf(u uint128, like netip.Addr) (netip.Addr, bool) {
	if like.Is4() {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(u.lo))
		return netip.AddrFrom4(b), u.hi == 0 && u.lo <= math.MaxUint32
	}
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], u.hi)
	binary.BigEndian.PutUint64(b[8:], u.lo)
	return netip.AddrFrom16(b), true
}

// move returns the address at a distance from a, ok is false if there is none.
func move(a netip.Addr, by uint128, down bool) (b netip.Addr, ok bool) {
	u, inRange := numberOf(a), false
	if down {
		u, inRange = u.sub(by)
	} else {
		u, inRange = u.add(by)
	}
	b, ok = addrOf(u, a)
	return b, ok && inRange
}

// parseAddr parses an address without zone. IPv4 addresses in IPv6 notation
// are IPv4 addresses.
func parseAddr(s string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(s)
	return a.Unmap(), err == nil && a.Zone() == ""
}

func family(a netip.Addr) string {
	if a.Is4() {
		return "IPv4"
	}
	return "IPv6"
}

// arithNet computes text op b, where the text must be an IP address or a CIDR.
func arithNet(op Op, text string, b value.Value) (value.Value, error) {
	if op == Add || op == Sub {
		if a, ok := parseAddr(text); ok {
			return moveAddr(op, a, b)
		}
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return value.Value{}, errors.New(notNet(op, text))
	}
	if b.Kind != value.Int {
		return value.Value{}, errors.New(cidrOperand[op])
	}
	switch op {
	case Mul:
		return otherCIDR(p, b.Num)
	case Div:
		return divideCIDR(p, b.Num)
	}
	a, ok := move(p.Addr(), uint128{lo: magnitude(b.Num)}, (b.Num < 0) != (op == Sub))
	if !ok || !p.Contains(a) {
		return value.Value{}, diag.Coded(diag.AddressRange, errors.New("resulting ip address not in CIDR range"))
	}
	return value.OfString(netip.PrefixFrom(a, p.Bits()).String()), nil
}

func notNet(op Op, text string) string {
	switch op {
	case Add:
		return "first argument for addition must be IP address, CIDR or number"
	case Sub:
		return "first argument for subtraction must be IP address, CIDR or number"
	case Mul:
		return "first argument of multiplication must be CIDR or number: invalid CIDR address: " + clip(text)
	}
	return "first argument of division must be CIDR or number: invalid CIDR address: " + clip(text)
}

var cidrOperand = [...]string{
	Add: "addition argument for a CIDR requires an integer argument",
	Sub: "subtraction argument for a CIDR requires an integer argument",
	Mul: "CIDR multiplication requires an integer argument",
	Div: "CIDR division requires an integer argument",
}

// moveAddr adds an integer to an address, or subtracts an integer or an
// address from it.
func moveAddr(op Op, a netip.Addr, b value.Value) (value.Value, error) {
	if b.Kind == value.Int {
		r, ok := move(a, uint128{lo: magnitude(b.Num)}, (b.Num < 0) != (op == Sub))
		if !ok {
			return value.Value{}, diag.Coded(diag.AddressRange, fmt.Errorf("%s address overflow in %s %s %d", family(a), a, op, b.Num))
		}
		return value.OfString(r.String()), nil
	}
	if op == Add {
		return value.Value{}, errors.New("addition argument for an IP address requires an integer argument")
	}
	t, ok := str(b)
	if ok {
		var other netip.Addr
		if other, ok = parseAddr(t); ok {
			return distance(a, other)
		}
	}
	return value.Value{}, errors.New("subtraction argument for an IP address requires an IP address or integer argument")
}

// distance returns a - b.
func distance(a, b netip.Addr) (value.Value, error) {
	if a.Is4() != b.Is4() {
		return value.Value{}, fmt.Errorf("%s address %s cannot be subtracted from %s address %s", family(b), b, family(a), a)
	}
	d, up := numberOf(a).sub(numberOf(b))
	if !up {
		d, _ = numberOf(b).sub(numberOf(a))
	}
	if d.hi != 0 || d.lo > math.MaxInt64 {
		return value.Value{}, overflow(Sub, a, b)
	}
	if up {
		return value.OfInt(int64(d.lo)), nil
	}
	return value.OfInt(-int64(d.lo)), nil
}

// otherCIDR returns the network of the size of p that is n networks behind it.
func otherCIDR(p netip.Prefix, n int64) (value.Value, error) {
	by, ok := shift(magnitude(n), p.Addr().BitLen()-p.Bits())
	if ok {
		var a netip.Addr
		if a, ok = move(p.Masked().Addr(), by, n < 0); ok {
			return value.OfString(netip.PrefixFrom(a, p.Bits()).String()), nil
		}
	}
	return value.Value{}, diag.Coded(diag.AddressRange, fmt.Errorf("%s address overflow in %s * %d", family(p.Addr()), p, n))
}

// divideCIDR returns the first of n networks that p is divided into; as
// networks have the size of a power of two, there may be more.
func divideCIDR(p netip.Prefix, n int64) (value.Value, error) {
	if n < 1 {
		return value.Value{}, errors.New("IP address division requires a positive integer argument")
	}
	length := p.Bits() + bits.Len64(uint64(n-1))
	if length > p.Addr().BitLen() {
		return value.Value{}, diag.Coded(diag.AddressRange, fmt.Errorf("CIDR %s has less than %d addresses", p, n))
	}
	return value.OfString(netip.PrefixFrom(p.Masked().Addr(), length).String()), nil
}

func cidrArg(args []value.Value) (netip.Prefix, error) {
	if len(args) != 1 {
		return netip.Prefix{}, errors.New("only one argument expected for CIDR function")
	}
	if t, ok := str(args[0]); ok {
		if p, err := netip.ParsePrefix(t); err == nil {
			return p, nil
		}
	}
	return netip.Prefix{}, diag.Coded(diag.NotAnAddress, errors.New("CIDR argument required"))
}

func minIP(_ Context, args []value.Value) (value.Value, error) {
	p, err := cidrArg(args)
	if err != nil {
		return value.Value{}, err
	}
	return value.OfString(p.Masked().Addr().String()), nil
}

func maxIP(_ Context, args []value.Value) (value.Value, error) {
	p, err := cidrArg(args)
	if err != nil {
		return value.Value{}, err
	}
	first := numberOf(p.Masked().Addr())
	host := p.Addr().BitLen() - p.Bits()
	first.lo |= ones(host)
	first.hi |= ones(host - 64)
	a, _ := addrOf(first, p.Addr())
	return value.OfString(a.String()), nil
}

// ones returns a number of which the lowest n bits are set.
func ones(n int) uint64 {
	if n <= 0 {
		return 0
	}
	return ^uint64(0) >> (64 - min(n, 64))
}

func numIP(_ Context, args []value.Value) (value.Value, error) {
	p, err := cidrArg(args)
	if err != nil {
		return value.Value{}, err
	}
	host := p.Addr().BitLen() - p.Bits()
	if host >= 63 {
		return value.Value{}, diag.Coded(diag.Overflow, fmt.Errorf("number of addresses of %s is beyond 64 bits", p))
	}
	return value.OfInt(1 << host), nil
}
