// SPDX-License-Identifier: Apache-2.0

package vm

import (
	"fmt"
	"unsafe"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// How much may happen until a VM looks again whether it is to end: either takes
// about a millisecond.
const (
	lookInstructions = 1 << 14
	lookMemory       = 1 << 22
)

// look is called after count instructions if there were enough of them, or if
// the computed values grew, to be worth a look. It returns the error of a VM that
// has used up its instructions or its memory, or that is to end.
func (m *VM) look(count int64) error {
	if err := m.grown(); err != nil {
		return err
	}
	if count >= m.limits.Instructions {
		return &Error{Fatal: true, Msg: fmt.Sprintf("more than %d instructions: does a lambda call itself without end?", m.limits.Instructions)}
	}
	m.stop = min(count+lookInstructions, m.limits.Instructions)
	return nil
}

// grown is look as far as memory is concerned.
func (m *VM) grown() error {
	if err := m.Over(); err != nil {
		return err
	}
	if m.Ended != nil {
		if err := m.Ended(); err != nil {
			return &Error{Fatal: true, Cause: err}
		}
	}
	m.most = min(m.s.Grown()+lookMemory, m.limits.Memory)
	return nil
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
