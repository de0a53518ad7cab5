// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// A pool is the parsed static ranges of a network.
type pool struct {
	p   *builtin.Pool
	err error
}

// paths are the references that the engine itself reads, made when they are
// needed.
type paths struct {
	name, instances, jobs *program.Path
	subnets               map[string]*program.Path // by name of the network
}

// path1 returns the path of one name, which it keeps in p.
func path1(p **program.Path, abs bool, name value.Sym) *program.Path {
	if *p == nil {
		*p = &program.Path{Abs: abs, Steps: []program.Step{{Key: name, Val: name}}}
	}
	return *p
}

// subnets returns the path to the subnets of a network.
func (l *level) subnets(network string) *program.Path {
	p := l.paths.subnets[network]
	if p == nil {
		step := func(y value.Sym) program.Step { return program.Step{Key: y, Val: y} }
		p = &program.Path{Abs: true, Steps: []program.Step{step(l.names.networks), program.NameStep(l.s, network), step(l.names.subnets)}}
		if l.paths.subnets == nil {
			l.paths.subnets = map[string]*program.Path{}
		}
		l.paths.subnets[network] = p
	}
	return p
}

// StaticIPs picks addresses from the static ranges of the network around the
// node (semantics 5, static_ips).
func (l *level) StaticIPs(f *vm.Fiber, scope *vm.Scope, args []value.Value) (value.Value, error) {
	none := value.Value{}
	indices, err := l.flatten(l.indices[:0], args, 0)
	if err != nil {
		return none, err
	}
	l.indices = indices
	name, err := l.lookup(f.Cell, scope, path1(&l.paths.name, false, l.names.name), false)
	if err != nil {
		return none, err
	}
	if name.Kind != value.String {
		return none, fmt.Errorf("static_ips requires a network name, found %s", name.Kind)
	}
	subnets, err := l.lookup(f.Cell, scope, l.subnets(name.Str), false)
	if err != nil {
		return none, err
	}
	p, err := l.pool(name.Str, subnets)
	if err != nil {
		return none, err
	}
	count, err := l.lookup(f.Cell, scope, path1(&l.paths.instances, false, l.names.instances), false)
	if err != nil {
		return none, err
	}
	if count.Kind != value.Int || count.Num < 0 {
		return none, fmt.Errorf("'instances' must be a number of instances, found %s", describe(count))
	}
	if len(indices) == 0 {
		return none, errors.New("static_ips requires the number of at least one static IP")
	}
	if int64(len(indices)) < count.Num {
		return none, &fewOffsets{count.Num, name.Str, len(indices), p.Len()}
	}
	ids := slices.Grow(l.valBuf[:0], int(count.Num))[:count.Num]
	l.valBuf = ids
	for i, n := range indices {
		addr, ok := p.At(n)
		if !ok {
			return none, &noOffset{n, name.Str, p.Len(), count.Num, len(indices)}
		}
		if i < len(ids) {
			ids[i] = l.address(addr)
		}
	}
	return value.Value{Kind: value.List, Ref: l.s.ListNode(l.At(), ids, 0)}, nil
}

// A fewOffsets error says that static_ips picks fewer addresses than there are
// instances.
type fewOffsets struct {
	instances int64
	network   string
	offsets   int
	has       int64 // static addresses of the network
}

func (e *fewOffsets) Error() string {
	return fmt.Sprintf("too less static IPs for %d instances: static_ips asks network '%s' for %d of its %d", e.instances, e.network, e.offsets, e.has)
}

// A noOffset error says that a network has no static address with an offset.
type noOffset struct {
	offset    int64
	network   string
	has       int64 // static addresses of the network
	instances int64
	offsets   int
}

func (e *noOffset) Error() string {
	return fmt.Sprintf("static IP %d does not exist: network '%s' has %d static IPs, %d instances ask for %d", e.offset, e.network, e.has, e.instances, e.offsets)
}

// address returns a node with the text of an address.
func (l *level) address(addr netip.Addr) value.ID {
	l.text = addr.AppendTo(l.text[:0])
	n := l.At()
	n.Kind, n.Len, n.Pay = value.String, uint32(len(l.text)), l.s.PutBytes(l.text)
	return l.s.New(n)
}

func describe(v value.Value) string {
	if t, ok := v.Text(); ok {
		return v.Kind.String() + " " + t
	}
	return v.Kind.String()
}

// maxFlatten bounds how deep the index lists of static_ips nest.
const maxFlatten = 1000

// flatten appends the integers of nested lists; nulls inside lists do not
// count.
func (l *level) flatten(out []int64, args []value.Value, depth int) ([]int64, error) {
	for _, a := range args {
		switch {
		case a.Kind == value.Int:
			out = append(out, a.Num)
		case a.Kind == value.Null && depth > 0:
		case a.Kind == value.List && depth < maxFlatten:
			elems := l.s.Elems(l.s.Node(a.Ref))
			sub := make([]value.Value, len(elems))
			for i, id := range elems {
				sub[i] = l.s.Load(id)
			}
			var err error
			if out, err = l.flatten(out, sub, depth+1); err != nil {
				return nil, err
			}
		default:
			return nil, errors.New("arguments to static_ips must be integer or list of integers")
		}
	}
	return out, nil
}

// pool returns the static addresses of a list of subnets, parsed once.
func (l *level) pool(network string, subnets value.Value) (*builtin.Pool, error) {
	if p, ok := l.pools[subnets.Ref]; ok {
		return p.p, p.err
	}
	var p pool
	entries, err := l.staticEntries(network, subnets)
	if err == nil {
		p.p, err = builtin.ParsePool(entries)
	}
	p.err = err
	if l.pools == nil {
		l.pools = map[value.ID]pool{}
	}
	l.pools[subnets.Ref] = p
	return p.p, p.err
}

func (l *level) staticEntries(network string, subnets value.Value) ([]string, error) {
	if subnets.Kind != value.List {
		return nil, fmt.Errorf("subnets of network %s must be a list", network)
	}
	var entries []string
	for _, id := range l.s.Elems(l.s.Node(subnets.Ref)) {
		static := l.s.Get(id, l.names.static)
		if static == 0 {
			continue
		}
		n := l.s.Node(static)
		if n.Kind != value.List {
			return nil, fmt.Errorf("static ips for network %s must be a list", network)
		}
		for _, e := range l.s.Elems(n) {
			v := l.s.Load(e)
			if v.Kind != value.String {
				return nil, fmt.Errorf("static ips for network %s must be addresses or ranges, found %s", network, describe(v))
			}
			entries = append(entries, v.Str)
		}
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("no static ips for network %s", network)
	}
	return entries, nil
}

// Auto sums the instances of the jobs in the resource pool around the node
// (semantics 5, auto).
func (l *level) Auto(f *vm.Fiber, scope *vm.Scope) (value.Value, error) {
	none := value.Value{}
	name, ok := l.autoPool(f.Cell)
	if !ok {
		return none, errors.New("auto only allowed for size entry in resource pools")
	}
	jobs, err := l.lookup(f.Cell, scope, path1(&l.paths.jobs, true, l.names.jobs), false)
	if err == vm.ErrWait {
		return none, err
	}
	if err != nil {
		return none, errors.New("no jobs found")
	}
	if jobs.Kind != value.List {
		return none, errors.New("jobs must be a list")
	}
	sums, err := l.poolSums(jobs.Ref)
	if err != nil {
		return none, err
	}
	return value.OfInt(sums[name]), nil
}

// autoPool returns the name of the resource pool whose size v is.
func (l *level) autoPool(v uint32) (string, bool) {
	steps := l.pathSteps(v, true)
	if len(steps) != 3 || steps[0] != l.s.Name(l.names.pools) || steps[2] != l.s.Name(l.names.size) {
		return "", false
	}
	entry := l.cell(l.cell(v).parent)
	if entry.flags&fEntry == 0 {
		return steps[1], true
	}
	if r, ok, _ := l.key(l.cell(v).parent, l.names.name, noPath); ok {
		name, ok, _, _ := l.keyText(r)
		return name, ok
	}
	return "", false
}

// poolSums counts the instances of all jobs by resource pool, once.
func (l *level) poolSums(jobs value.ID) (map[string]int64, error) {
	if m, ok := l.autos[jobs]; ok {
		return m, nil
	}
	sums := map[string]int64{}
	for i, id := range l.s.Elems(l.s.Node(jobs)) {
		pool, ok := l.s.KeyOf(id, l.names.pool)
		if !ok {
			continue
		}
		n := l.s.Get(id, l.names.instances)
		if n == 0 || l.s.Kind(n) != value.Int {
			return nil, fmt.Errorf("job %d of resource pool %s has no number of instances", i, pool)
		}
		sums[pool] += l.s.Load(n).Num
	}
	if l.autos == nil {
		l.autos = map[value.ID]map[string]int64{}
	}
	l.autos[jobs] = sums
	return sums, nil
}
