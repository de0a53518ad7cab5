// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/merge"
	"github.com/dynaml/spiff/value"
)

// A Result is a merged document stream. It can be used by several goroutines at
// once.
type Result struct {
	s        *value.Store
	docs     []value.ID
	template *diag.Source // nil for the value of an expression
	complete bool
	brackets bool // around lambdas
	limit    int
	multi    bool
	empty    bool
	stats    Stats
	warnings diag.List
	read     int // bytes of all files
	profile  *merge.Profile
	nodes    int

	mu    sync.Mutex // held while s may change: it keeps the order of the keys
	final []Node     // once somebody asked for them
}

// Warnings returns what is odd about how template and stubs fit together, such
// as keys of stubs that nothing uses. It is empty unless Options.Check is set.
func (r *Result) Warnings() diag.List { return r.warnings }

// Stats returns exact counts of the work done.
func (r *Result) Stats() Stats { return r.stats }

// Docs returns the roots of the documents, which hold what Append writes. That of
// a document without a value is null.
func (r *Result) Docs() []Node {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.final == nil {
		t := &tree{s: r.s.Clone(), done: r.complete}
		r.final = t.roots(doc.Final(t.s, r.docs, r.writeOptions()))
	}
	return slices.Clone(r.final)
}

// roots returns nodes, and a null for each that is none.
func (t *tree) roots(ids []value.ID) []Node {
	nodes := make([]Node, len(ids))
	for i, id := range ids {
		if id == 0 {
			id = t.s.New(value.Node{Kind: value.Null})
		}
		nodes[i] = t.at(id)
	}
	return nodes
}

// Root returns the root of the document, of the first if there are several.
func (r *Result) Root() Node { return r.Docs()[0] }

// Decode stores the document in what v points to, see Node.Decode. It fails if
// there are several: Docs has all of them.
func (r *Result) Decode(v any) error {
	if len(r.docs) != 1 {
		return &diag.Diagnostic{Code: diag.NotDecodable, Msg: fmt.Sprintf("there are %d documents to decode, not one", len(r.docs))}
	}
	return r.Root().Decode(v)
}

// Bytes returns the result as canonical YAML.
func (r *Result) Bytes() ([]byte, error) { return r.Append(nil) }

// minOutput is what is reserved for the output in addition to what the sizes of
// the input and of what was computed suggest, of which maxComputed counts.
const (
	minOutput   = 1 << 12
	maxComputed = 1 << 28
)

// Append appends the result as canonical YAML to dst. Temporary nodes are left
// out, and escaped expressions lose their mark, unless nodes are unresolved. It
// fails with a *diag.Diagnostic if the output goes beyond Limits.Output.
func (r *Result) Append(dst []byte) ([]byte, error) { return r.append(dst, r.writeOptions()) }

func (r *Result) append(dst []byte, opt doc.WriteOptions) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.empty {
		return append(dst, "---\n"...), nil
	}
	if dst == nil {
		// Most results are about as large as what was read, and half of what was
		// computed. Memory that is reserved and not used costs nothing, growing
		// costs copies.
		dst = make([]byte, 0, r.read+r.read/4+int(min(r.s.Grown(), maxComputed)/2)+minOutput)
	}
	for i, id := range r.docs {
		if opt.Document != doc.AnyNode {
			opt.Document = i
		}
		if r.multi {
			dst = append(dst, "---\n"...)
		}
		if id == 0 {
			dst = append(dst, "null\n"...)
			continue
		}
		var err error
		if dst, err = doc.Append(dst, r.s, id, opt); err != nil {
			return nil, coded(err, diag.Output)
		}
	}
	return dst, nil
}

func (r *Result) writeOptions() doc.WriteOptions {
	return doc.WriteOptions{Unescape: r.complete, KeepTemporary: !r.complete, LambdaBrackets: r.brackets, MaxBytes: r.limit}
}

// Write writes the result to w at once.
func (r *Result) Write(w io.Writer) error {
	out, err := r.Append(nil)
	if err == nil {
		_, err = w.Write(out)
	}
	return err
}
