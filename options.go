// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"io/fs"
	"slices"

	"github.com/dynaml/spiff/dialect"
	"github.com/dynaml/spiff/merge"
)

// An Option changes what Merge and Inspect do. Options is one that says
// everything. The others change one thing of what those before them say: a
// Function adds itself, Limits replaces the limits, and FS the files that read
// finds. A nil Option changes nothing.
type Option interface{ apply(*Options) }

func (o Options) apply(to *Options) { *to = o }

// FS makes the function read find files in fsys only: by the names that fsys
// takes, without a leading slash or dots. Nothing is in a nil fsys.
func FS(fsys fs.FS) Option { return fileSystem{fsys} }

type fileSystem struct{ fsys fs.FS }

func (f fileSystem) apply(to *Options) {
	to.Files.ReadFile = func(name string) ([]byte, error) {
		if f.fsys == nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return fs.ReadFile(f.fsys, name)
	}
}

func (l Limits) apply(to *Options) { to.Limits = l }

// options puts options together, in order.
func options(opts []Option) (o Options) {
	for _, opt := range opts {
		if opt != nil {
			opt.apply(&o)
		}
	}
	return o
}

// Options are all choices of Merge and Inspect. The zero value is the classic
// behaviour.
type Options struct {
	// Partial returns a result although nodes are unresolved; they appear
	// as the text of their expressions.
	Partial bool
	// Check looks for what is allowed and probably not meant; see
	// Result.Warnings.
	Check bool
	// Dialect is the specification, or one of Dialects.
	Dialect Dialect
	Limits  Limits
	Files   Files  // the world outside; zero for the real one
	Policy  Policy // what expressions may not do to it; zero forbids nothing
	// Bindings are names for all expressions besides the keys of the documents,
	// which hide them: a document that is one map, see Define. Expressions in it
	// see each other and nothing else. It is no part of the result.
	Bindings *Document
	// Functions are what expressions may call besides those of the language.
	Functions []Function
	// Profile counts what each expression costs; see Result.Profile.
	Profile bool
	// Stats, if not nil, gets the counts of the merge, also of one that fails.
	Stats *Stats

	inspection *Inspection // of Inspect
}

// What the merge engine defines and callers of this package use.
type (
	// Unresolved is the error of a merge in which nodes have no value.
	Unresolved = merge.Unresolved
	// Files is the world outside of the documents.
	Files = merge.Files
	// Policy says what expressions may not do to the world outside.
	Policy = merge.Policy
	// Stats counts the work of a merge exactly.
	Stats = merge.Stats
	// Dialect is a choice in the points where spiff++ differs.
	Dialect = dialect.Dialect
)

// Dialects returns the dialects there are, the default first.
func Dialects() []Dialect { return slices.Clone(dialect.Table) }
