// SPDX-License-Identifier: Apache-2.0

// Package spiff merges YAML documents that contain dynaml expressions, (( )): a
// template says what a deployment looks like, stubs say what is different about
// yours, and expressions connect the two. docs/language.md describes the
// language; this is how to use it from Go.
//
//	t, err := spiff.LoadFile("template.yml")
//	...
//	s, err := spiff.LoadFile("stub.yml")
//	...
//	r, err := spiff.Merge(ctx, t, []*spiff.Document{s})
//	if err != nil {
//		return err
//	}
//	return r.Write(os.Stdout)
//
// # Documents
//
// A [Document] comes from a text ([Load]), a file ([LoadFile]), a reader
// ([LoadReader]), a file system such as an embedded one ([LoadFS]), or from Go
// values ([LoadValue]): maps, slices, structs. It does not change: load it once
// and merge it often, in several goroutines at once. It can be compared with
// another ([Diff]) and laid out in the usual form ([Format]) without merging it.
//
// # Merging
//
// [Merge] evaluates the template against the stubs; the rightmost stub is
// evaluated first, and each one against those to its right. What it does beyond
// that is said by options: by one [Options] for everything, or by some that
// change one thing, [Limits], [FS] and [Function]. They are applied in order,
// and an Options replaces all before it.
//
//	r, err := spiff.Merge(ctx, t, stubs, spiff.Options{Partial: true}, spiff.FS(files))
//
// Merging reads what the function read asks for, runs what exec asks for, and
// sees the environment. [Policy] forbids that, and [Files] puts something else in
// its place. All work is bounded by Limits, and ends when ctx is done.
//
// # Results
//
// A [Result] is written as YAML ([Result.Write], [Result.Bytes], [Result.Append])
// or in another way ([Result.AppendOutput]), decoded into Go values
// ([Result.Decode]), or walked as a tree of [Node]s ([Result.Root]), which know
// where they were written:
//
//	port := r.Root().Get("jobs", "web", "port")
//	n, ok := port.Int()
//	fmt.Println(n, port.Pos()) // 8080 template.yml:7:11
//
// # Functions
//
// A [Function] is Go code that expressions can call by its name. Its arguments
// are Nodes, its result is any value that LoadValue takes. It has the standing
// of a function of the language: an error fails the expression, with its place,
// unless || catches it; and an unknown name may be answered with "did you mean".
//
// # Errors
//
// Bad input is no reason to panic. The error of a merge in which nodes have no
// value is an [*Unresolved], which lists them as the classic tool does; its
// Diagnostics have each cause once, with code, position, message and advice. All
// other errors are a [*diag.Diagnostic], or a [diag.List] of them: those of
// loading, decoding, of what may not be, and of a merge that was ended. errors.As
// finds diagnostics behind all of them, and errors.Is what caused them, such as
// context.Canceled, fs.ErrNotExist or the error of a Function. Errors of a
// writer, of MarshalYAML and UnmarshalYAML are passed on as they are. docs/errors.md
// lists the codes.
//
// # Asking questions
//
// [Inspect] is Merge that remembers what it did: [Inspection.Explain] tells why a
// node has its value, and [Inspection.Graph] which node needed which.
//
// # Concurrency
//
// All functions and methods may be called by several goroutines at once, also
// with the same documents, options and results. There are three exceptions. An
// [Inspection] is asked by one at a time. Options.Stats is written by the merge.
// The arguments of a Function belong to the goroutine that called it.
package spiff
