// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// A Profile says what the expressions of a merge cost, by exact counters.
type Profile struct {
	rows  []ProfileRow // in the order of the first run
	index map[string]int
	seen  map[profiled]bool
}

// A ProfileRow is the cost of all expressions with one text.
type ProfileRow struct {
	Expr         string // with its brackets
	Instructions int64  // with those of the lambdas that it calls
	Calls        int64
	Nodes        int       // that ran it
	First        diag.Span // of the first of them in the file that was evaluated first
}

type profiled struct {
	row  int
	cell uint32
}

func newProfile() *Profile {
	return &Profile{index: map[string]int{}, seen: map[profiled]bool{}}
}

// Profile returns what was recorded, or nil without Options.Profile.
func (n *Session) Profile() *Profile { return n.prof }

// Rows returns the costs, the highest number of instructions first, then in the
// order of the texts.
func (p *Profile) Rows() []ProfileRow {
	rows := slices.Clone(p.rows)
	slices.SortStableFunc(rows, func(a, b ProfileRow) int {
		return cmp.Or(cmp.Compare(b.Instructions, a.Instructions), strings.Compare(a.Expr, b.Expr))
	})
	return rows
}

// runFiber runs the expression of v, and counts what it costs if there is a
// profile.
func (l *level) runFiber(v uint32, f *vm.Fiber) (value.Value, error) {
	if l.prof == nil {
		return l.vm.Run(f)
	}
	text, before := f.Program().Text, l.vm.Stats
	val, err := l.vm.Run(f)
	after := l.vm.Stats
	l.prof.add(v, text, l.s.Span(l.cell(v).node), after.Instructions-before.Instructions, after.Calls-before.Calls)
	return val, err
}

// add counts a run of the expression of v. One that was suspended runs several
// times.
func (p *Profile) add(v uint32, text string, at diag.Span, instructions, calls int64) {
	i, ok := p.index[text]
	if !ok {
		i = len(p.rows)
		p.index[text] = i
		p.rows = append(p.rows, ProfileRow{Expr: "((" + text + "))", First: at})
	}
	r := &p.rows[i]
	if at.Src == r.First.Src && at.Start < r.First.Start {
		r.First = at
	}
	r.Instructions += instructions
	r.Calls += calls
	if key := (profiled{i, v}); !p.seen[key] {
		p.seen[key] = true
		r.Nodes++
	}
}
