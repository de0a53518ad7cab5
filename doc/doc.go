// SPDX-License-Identifier: Apache-2.0

// Package doc turns YAML text into a tree of nodes in a value.Store, every
// node with the place it came from, and prints such a tree as YAML again.
//
// It decides what a scalar is: a plain word may be a number, a truth value or
// null, and a string of the shape (( ... )) is an expression. That is all it
// knows of the language. It parses and evaluates no expression, merges nothing,
// and gives << and key: no meaning beyond a flag that says they are there.
package doc

const (
	// DefaultDepth bounds how deep lists and maps nest. The YAML library has the
	// same bound for block and for flow collections; it keeps recursion over a
	// document, here and in the engine, within a few megabytes of stack.
	DefaultDepth = 10_000

	// DefaultAliases and aliasFactor bound what aliases stand for. A document may
	// be small and stand for 2^100 nodes; sharing makes it cheap to read, but
	// everything that walks it would not end. Real documents that use anchors
	// much stay within a small multiple of their own size, so more than
	// aliasFactor times the nodes that are really there, and that many of them,
	// is taken for a mistake or an attack.
	DefaultAliases = 10_000_000
	aliasFactor    = 100

	// DefaultMaxBytes bounds the output if the caller gives no bound. The tree
	// is shared: a few kilobytes of expressions make terabytes of text. The
	// largest known manifests have some ten megabytes.
	DefaultMaxBytes = 1 << 28
)
