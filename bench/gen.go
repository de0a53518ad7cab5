// SPDX-License-Identifier: Apache-2.0

// Package bench generates inputs of a given size, one family for each feature
// whose cost might grow faster than the input, and measures them. The same
// size gives the same bytes.
package bench

import (
	"fmt"
	"sort"
	"strings"
)

// A Set is the files of one merge: the template and its stubs.
type Set struct {
	Template string
	Stubs    []string
}

// Bytes returns the size of all files.
func (s Set) Bytes() (n int64) {
	n = int64(len(s.Template))
	for _, t := range s.Stubs {
		n += int64(len(t))
	}
	return n
}

// Families maps the name of a family to its generator; n is the number of
// repetitions of what the family is about.
var Families = map[string]func(n int) Set{
	"chain":     chain,
	"backchain": backchain,
	"keys":      keys,
	"fanin":     fanIn,
	"fanout":    fanOut,
	"plain":     plain,
	"keyedlist": keyedList,
	"splice":    splice,
	"staticips": staticIPs,
	"lambda":    lambdas,
	"mapping":   mapping,
	"template":  templates,
	"stubs":     stubs,
	"jobs":      jobs,
}

// Names returns the names of the families in order.
func Names() []string {
	names := make([]string, 0, len(Families))
	for n := range Families {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// text collects lines.
type text struct{ strings.Builder }

func (t *text) line(format string, args ...any) {
	fmt.Fprintf(t, format, args...)
	t.WriteByte('\n')
}

// chain: each node refers to the one before it.
func chain(n int) Set {
	var t text
	t.line("v0: 1")
	for i := 1; i <= n; i++ {
		t.line("v%d: (( v%d ))", i, i-1)
	}
	return Set{Template: t.String()}
}

// backchain: each node refers to the one after it, the worst order for a
// scheduler that begins at the top.
func backchain(n int) Set {
	var t text
	for i := range n {
		t.line("v%d: (( v%d ))", i, i+1)
	}
	t.line("v%d: 1", n)
	return Set{Template: t.String()}
}

// keys: one map of n keys, one of which is referred to.
func keys(n int) Set {
	var t text
	t.line("last: (( m.key%d ))", n-1)
	t.line("m:")
	for i := range n {
		t.line("  key%d: value %d", i, i)
	}
	return Set{Template: t.String()}
}

// fanIn: one expression of n operands, each a node that is computed itself.
func fanIn(n int) Set {
	var t text
	ops := make([]string, n)
	for i := range n {
		ops[i] = fmt.Sprintf("v%d", i)
	}
	t.line("all: (( %s ))", strings.Join(ops, " "))
	for i := range n {
		t.line("v%d: (( digit.d%d ))", i, i%10)
	}
	t.line("digit:")
	for i := range 10 {
		t.line("  d%d: %d", i, i)
	}
	return Set{Template: t.String()}
}

// fanOut: n nodes refer to one that is computed.
func fanOut(n int) Set {
	var t text
	for i := range n {
		t.line("v%d: (( source + %d ))", i, i)
	}
	t.line("source: (( 1 + 1 ))")
	return Set{Template: t.String()}
}

// plain: no expression at all.
func plain(n int) Set {
	var t text
	for i := range n {
		t.line("job_%d:\n  instances: %d\n  enabled: %t\n  zones:\n  - z1\n  - z2\n  url: https://job-%d.example.com", i, i%9, i%2 == 0, i)
	}
	return Set{Template: t.String()}
}

// keyedList: a list of n named maps, overridden by a list in another order.
func keyedList(n int) Set {
	var t, s text
	t.line("jobs:")
	s.line("jobs:")
	for i := range n {
		t.line("- name: job%d\n  size: 1", i)
		s.line("- name: job%d\n  size: %d", n-1-i, i)
	}
	return Set{t.String(), []string{s.String()}}
}

// splice: n entries of a stub inserted into a list that has half of them.
func splice(n int) Set {
	var t, s text
	t.line("jobs:\n- <<: (( merge ))")
	s.line("jobs:")
	for i := range n {
		if i%2 == 0 {
			t.line("- name: job%d\n  size: 1", i)
		}
		s.line("- name: job%d\n  size: %d", i, i)
	}
	return Set{t.String(), []string{s.String()}}
}

// staticIPs: n jobs pick an address each from one network.
func staticIPs(n int) Set {
	var t text
	t.line("networks:\n- name: net\n  subnets:\n  - static: [10.0.0.0 - 10.255.255.255]\njobs:")
	for i := range n {
		t.line("- name: job%d\n  instances: 1\n  networks:\n  - name: net\n    static_ips: (( static_ips(%d) ))", i, i)
	}
	return Set{Template: t.String()}
}

// lambdas: n calls of one lambda.
func lambdas(n int) Set {
	var t text
	t.line("f: (( |x,y|->x * y + base ))\nbase: 3\ncalls:")
	for i := range n {
		t.line("  c%d: (( .f(%d, 2) ))", i, i)
	}
	return Set{Template: t.String()}
}

// mapping: map[] and sum[] over a list of n numbers.
func mapping(n int) Set {
	var t text
	t.line("list: (( [1..%d] ))\nmapped: (( map[list|i,x|->i + x] ))\nsum: (( sum[mapped|0|s,x|->s + x] ))", n)
	return Set{Template: t.String()}
}

// templates: n instances of one template.
func templates(n int) Set {
	var t text
	t.line("job:\n  <<: (( &template ))\n  name: (( \"job\" id ))\n  url: (( \"https://\" name \".\" domain ))\ndomain: example.com\njobs:")
	for i := range n {
		t.line("- id: %d\n  use: (( *job ))", i)
	}
	return Set{Template: t.String()}
}

// stubs: n keys overridden through eight stubs.
func stubs(n int) Set {
	const files = 8
	set := Set{}
	var t text
	for i := range n {
		t.line("k%d: (( merge || 0 ))", i)
	}
	set.Template = t.String()
	for f := range files {
		var s text
		for i := f; i < n; i += files {
			s.line("k%d: %d", i, i)
		}
		s.line("from%d: true", f)
		set.Stubs = append(set.Stubs, s.String())
	}
	return set
}

// jobs: what real manifests look like, n jobs with about ten expressions each.
func jobs(n int) Set {
	var t, s text
	t.line("meta: (( merge ))\nnetworks: (( merge ))\nresource_pools:\n- name: small\n  size: (( auto ))\njobs:")
	s.line("meta:\n  env: prod\n  domain: example.com\n  release: (( \"rel-\" meta.env ))")
	s.line("networks:\n- name: net\n  subnets:\n  - range: 10.0.0.0/8\n    static: [10.0.0.10 - 10.200.0.0]\njobs:")
	for i := range n {
		t.line("- name: job%d\n  template: (( merge || \"web\" ))\n  instances: (( merge || 2 ))\n  resource_pool: small", i)
		t.line("  release: (( meta.release ))\n  networks:\n  - name: net\n    static_ips: (( static_ips(%d, %d) ))", 2*i, 2*i+1)
		t.line("  properties:\n    <<: (( merge || nil ))\n    domain: (( \"job%d.\" meta.domain ))\n    ip: (( jobs.job%d.networks.net.static_ips.[0] ))", i, i)
		t.line("    peer: (( jobs.job%d.properties.domain ))\n    port: %d\n    debug: false\n    log_level: info", (i+1)%n, 1024+i)
		if i%3 == 0 {
			s.line("- name: job%d\n  instances: 1\n  properties:\n    tag: t%d", i, i)
		}
	}
	return Set{t.String(), []string{s.String()}}
}
