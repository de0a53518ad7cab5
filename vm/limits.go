// SPDX-License-Identifier: Apache-2.0

package vm

import (
	"fmt"
	"unsafe"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// spent is the error of a VM that has used up its instructions or its memory.
func (m *VM) spent() error {
	if m.s.Grown() > m.limits.Memory {
		return m.tooMuch()
	}
	return &Error{Fatal: true, Msg: fmt.Sprintf("more than %d instructions: does a lambda call itself without end?", m.limits.Instructions)}
}

func (m *VM) tooMuch() *Error {
	return &Error{Fatal: true, Cause: builtin.Stopf(diag.TooLarge, "the computed values take more than %d bytes", m.limits.Memory)}
}

// Over returns the error for values that take more memory than allowed, or nil.
func (m *VM) Over() *Error {
	if m.s.Grown() > m.limits.Memory {
		return m.tooMuch()
	}
	return nil
}

// Spend counts work of a builtin, see builtin.Context. It is called while an
// instruction runs.
func (m *VM) Spend(n int) error {
	if m.count += int64(n); m.count > m.limits.Instructions {
		return builtin.Stopf(diag.EndlessComputation, "the work takes longer than %d instructions", m.limits.Instructions)
	}
	return nil
}

// A builtin looks at its operands in far less time than so many bytes, or so
// many entries, would take if each was an instruction.
const (
	bytesPerInstruction   = 1 << 10
	entriesPerInstruction = 1 << 4
)

// spendArgs counts what it takes to look at the operands of a builtin. Nearly
// all are so small that the call itself is what counts.
func (m *VM) spendArgs(args []value.Value) {
	for i := range args {
		switch v := &args[i]; v.Kind {
		case value.String:
			m.count += int64(len(v.Str) / bytesPerInstruction)
		case value.List, value.Map:
			m.count += int64(m.s.Node(v.Ref).Len / entriesPerInstruction)
		}
	}
}

// What a waiting fiber takes. One that has called deep holds as much as many
// documents, and any number of them may wait.
const (
	operandBytes = int(unsafe.Sizeof(value.Value{}))
	callBytes    = int(unsafe.Sizeof(call{}))
	// freeBytes is what a fiber may hold without being charged for it: nearly
	// all hold less, and there are not more of them than cells.
	freeBytes = 1 << 12
)

// hold charges for f, which waits.
func (m *VM) hold(f *Fiber) {
	if n := f.used*operandBytes + len(f.calls)*callBytes; n > freeBytes {
		f.held = n
		m.s.Charge(n)
	}
}

// resume ends what hold began.
func (m *VM) resume(f *Fiber) {
	m.s.Charge(-f.held)
	f.held = 0
}
