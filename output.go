// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/jsondoc"
	"github.com/dynaml/spiff/value"
)

// An Output says what AppendOutput prints of a Result. The zero value is what
// Append prints.
type Output struct {
	// JSON prints one line of JSON for each document instead of YAML, as the
	// classic tools do.
	JSON bool
	// Path prints the node there as the document. explain.ParsePath says how
	// paths are written. Of several documents those count that have it.
	Path string
	// Select prints nothing but the nodes at these paths, within the lists and
	// maps around them. With Path they begin there.
	Select []string
	// KeepTemporary prints temporary nodes too.
	KeepTemporary bool
	// KeepEscapes prints escaped expressions with their mark, ((! x )), so that
	// the output can be merged again.
	KeepEscapes bool
	// InOrder prints the keys of maps not sorted but as they came about: those of
	// the template as they stand there, then those that << or a stub added, as
	// they stand there. JSON is always sorted.
	InOrder bool
	// Comments prints the comments of the template, too, with the keys and entries
	// that they belong to, if these are printed. JSON has none.
	Comments bool
}

// PreserveWords are the words of Preserve, as command lines and batch files have
// them.
var PreserveWords = []string{"order", "comments"}

// Preserve sets the field that one of PreserveWords stands for: InOrder or
// Comments. It reports false if it is none of them.
func (o *Output) Preserve(word string) bool {
	switch word {
	case "order":
		o.InOrder = true
	case "comments":
		o.Comments = true
	default:
		return false
	}
	return true
}

// plain says whether documents are printed as they are.
func (o *Output) plain() bool { return !o.JSON && o.Path == "" && len(o.Select) == 0 }

// Check returns the error of a path that is not written as one.
func (o Output) Check() error {
	for _, path := range append([]string{o.Path}, o.Select...) {
		if _, err := explain.ParsePath(path); err != nil {
			return err
		}
	}
	return nil
}

// AppendOutput appends the result as o says. The error is a *diag.Diagnostic: a
// path leads nowhere or is not written as one, a value cannot be expressed in JSON, or the output is too
// large.
func (r *Result) AppendOutput(dst []byte, o Output) ([]byte, error) {
	opt := r.writeOptions()
	opt.KeepTemporary = opt.KeepTemporary || o.KeepTemporary
	opt.Unescape = opt.Unescape && !o.KeepEscapes
	opt.InOrder = o.InOrder
	if o.Comments && r.template != nil {
		var err error
		if opt.Comments, err = doc.ReadComments(r.template); err != nil {
			return dst, err
		}
	}
	if o.plain() {
		return r.append(dst, opt)
	}
	s := r.s.Clone()
	docs, err := r.selected(s, doc.Final(s, r.docs, opt), o)
	if err != nil {
		return dst, err
	}
	if o.JSON {
		return appendJSON(dst, s, docs, jsondoc.Options{Compact: true, ShortFloats: true, MaxBytes: opt.MaxBytes})
	}
	p := &Result{s: s, docs: docs, multi: len(docs) > 1, read: r.read}
	return p.append(dst, doc.WriteOptions{KeepTemporary: true, InOrder: o.InOrder, Comments: opt.Comments, Document: doc.AnyNode, MaxBytes: opt.MaxBytes})
}

// appendJSON appends documents, of which 0 is null, as JSON.
func appendJSON(dst []byte, s *value.Store, docs []value.ID, o jsondoc.Options) ([]byte, error) {
	out := dst
	for _, id := range docs {
		if id == 0 {
			id = s.New(value.Node{Kind: value.Null})
		}
		var err error
		if out, err = jsondoc.Append(out, s, id, o); err != nil {
			return dst, err
		}
	}
	return out, nil
}
