// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"time"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/vm"
)

// Limits bound what one merge may do. Zero fields mean the defaults.
type Limits struct {
	vm.Limits
	Depth       int           // of brackets in an expression, and of a document that is read
	Aliases     int           // nodes that the aliases of a document stand for
	Range       int           // entries of a list that one small operand makes
	Instances   int           // template instances within each other
	Input       int64         // bytes of a file, or of what a command prints
	CommandTime time.Duration // for one command
}

// The default limits that are nobody else's.
const (
	// DefaultInstances: a template that instantiates itself would never end,
	// and real ones nest a handful.
	DefaultInstances = 500
	// DefaultInput: a file is held in memory, and a device or a command may
	// have no end. The largest known sets of manifests have 100 MB.
	DefaultInput = 1 << 28
	// DefaultCommandTime: nobody waits longer for a manifest, and a command
	// that waits for something that never comes would hold up the merge for
	// ever.
	DefaultCommandTime = time.Minute
)

func (l *Limits) setDefaults() {
	if l.Range == 0 {
		l.Range = builtin.DefaultMaxRange
	}
	if l.Instances == 0 {
		l.Instances = DefaultInstances
	}
	if l.Input == 0 {
		l.Input = DefaultInput
	}
	if l.CommandTime == 0 {
		l.CommandTime = DefaultCommandTime
	}
}
