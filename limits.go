// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/merge"
	"github.com/dynaml/spiff/vm"
)

// Limits bound the work of reading, merging and writing. What goes beyond one
// ends in an ordinary error, which no || catches. Zero fields mean the
// defaults; LimitTable describes all of them.
type Limits struct {
	Depth        int
	Aliases      int
	Input        int64
	Instructions int64
	CallDepth    int
	Instances    int
	Range        int
	Memory       int64
	Output       int
	CommandTime  time.Duration
}

func (l Limits) merge() merge.Limits {
	return merge.Limits{
		Limits:      vm.Limits{CallDepth: l.CallDepth, Instructions: l.Instructions, Memory: l.Memory},
		Depth:       l.Depth,
		Aliases:     l.Aliases,
		Range:       l.Range,
		Instances:   l.Instances,
		Input:       l.Input,
		CommandTime: l.CommandTime,
	}
}

func (l Limits) doc() doc.Limits { return doc.Limits{Depth: l.Depth, Aliases: l.Aliases} }

// Command returns what runs the commands of exec within the limits, for a
// Files.Exec that wants to do more.
func (l Limits) Command(ctx context.Context) merge.Command { return merge.NewCommand(ctx, l.merge()) }

// Reader returns what reads the files that expressions ask for, as far as a
// policy and the limits allow, for a Files.ReadFile that wants to do more.
func (l Limits) Reader(p Policy) func(name string) ([]byte, error) {
	return merge.NewReader(p, l.merge())
}

// Read reads all of r, or fails if that is more than a file may have.
func (l Limits) Read(r io.Reader) ([]byte, error) {
	most := l.Input
	if most == 0 {
		most = merge.DefaultInput
	}
	b, err := merge.ReadWithin(r, most)
	if err == merge.ErrTooLarge {
		err = tooLarge(most)
	}
	return b, err
}

// ErrTooLarge is what errors.Is finds in the error of Limits.Read about an input
// that goes on behind the limit.
var ErrTooLarge = merge.ErrTooLarge

// A tooLarge error says how many bytes are allowed.
type tooLarge int64

func (n tooLarge) Error() string {
	return fmt.Sprintf("it has more than %d bytes (--max-input)", int64(n))
}
func (tooLarge) Is(target error) bool { return target == ErrTooLarge }

// A Limit describes one of Limits.
type Limit struct {
	Name    string // in command lines, behind "max-"
	Default int64
	Most    int64  // the largest that makes sense
	Unit    string // what is counted: UnitBytes, UnitTime, or a plural
	Bounds  string // what it is that it bounds, in a few words
	Reason  string // why there is a limit, and why this one
	Reads   bool   // it concerns reading files, not only merging them
	Set     func(l *Limits, n int64)
}

// The units with a notation of their own.
const (
	UnitBytes = "bytes"
	UnitTime  = "nanoseconds"
)

// LimitTable lists all limits: flags, their help and docs/safety.md come from
// it.
var LimitTable = []Limit{
	{
		Name: "depth", Default: doc.DefaultDepth, Most: doc.DefaultDepth, Unit: "levels",
		Bounds: "lists and maps within each other, and brackets in an expression",
		Reason: "Whatever walks a document or an expression recurses once per level, so this bounds the stack. The YAML library has the same limit, so that it can only be lowered.",
		Reads:  true,
		Set:    func(l *Limits, n int64) { l.Depth = int(n) },
	},
	{
		Name: "aliases", Default: doc.DefaultAliases, Most: 1 << 40, Unit: "nodes",
		Bounds: "nodes that the aliases of a file stand for",
		Reason: "A few lines of aliases to aliases stand for 2^100 nodes. A file is refused if they stand for more than this and for more than a hundred times what is written.",
		Reads:  true,
		Set:    func(l *Limits, n int64) { l.Aliases = int(n) },
	},
	{
		Name: "input", Default: merge.DefaultInput, Most: 1<<32 - 1, Unit: UnitBytes,
		Bounds: "size of a file, or of what a command of exec prints",
		Reason: "It is held in memory, and a device or a command may have no end. The largest known sets have 100 MB.",
		Reads:  true,
		Set:    func(l *Limits, n int64) { l.Input = n },
	},
	{
		Name: "instructions", Default: vm.DefaultInstructions, Most: 1 << 60, Unit: "instructions",
		Bounds: "instructions executed for one document",
		Reason: "A recursion can take longer than anybody lives. A set of 100 MB runs some ten million; the default is about half a minute of work.",
		Set:    func(l *Limits, n int64) { l.Instructions = n },
	},
	{
		Name: "calls", Default: vm.DefaultCallDepth, Most: 10_000_000, Unit: "calls",
		Bounds: "calls of lambdas, and of eval, within each other",
		Reason: "A lambda that calls itself without end would fill the memory. 10000 calls take a few megabytes; no manifest nests a hundredth of it.",
		Set:    func(l *Limits, n int64) { l.CallDepth = int(n) },
	},
	{
		Name: "instances", Default: merge.DefaultInstances, Most: 10_000, Unit: "instances",
		Bounds: "instances of templates, and files of read, within each other",
		Reason: "A template that instantiates itself, or a file that reads itself, would never end. Real ones nest a handful.",
		Set:    func(l *Limits, n int64) { l.Instances = int(n) },
	},
	{
		Name: "range", Default: builtin.DefaultMaxRange, Most: 1 << 30, Unit: "entries",
		Bounds: "entries of a range, or parts of a split",
		Reason: "[1..9999999999] is a typing error; an entry takes about 30 bytes.",
		Set:    func(l *Limits, n int64) { l.Range = int(n) },
	},
	{
		Name: "memory", Default: vm.DefaultMemory, Most: 1 << 50, Unit: UnitBytes,
		Bounds: "bytes that the computed values of a merge take",
		Reason: "Twenty short expressions that double a text or a list ask for more than any machine has. A merge of 100 MB computes far less than this.",
		Set:    func(l *Limits, n int64) { l.Memory = n },
	},
	{
		Name: "output", Default: doc.DefaultMaxBytes, Most: 1 << 40, Unit: UnitBytes,
		Bounds: "size of the manifest",
		Reason: "Values are shared, so a small merge can stand for terabytes of text. The largest known manifests have some ten megabytes.",
		Set:    func(l *Limits, n int64) { l.Output = int(n) },
	},
	{
		Name: "command-time", Default: int64(merge.DefaultCommandTime), Most: int64(24 * time.Hour), Unit: UnitTime,
		Bounds: "time that a command of exec may take",
		Reason: "A command that waits for what never comes would hold up the merge for ever. It is killed, with all processes it started.",
		Set:    func(l *Limits, n int64) { l.CommandTime = time.Duration(n) },
	},
}
