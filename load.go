// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// LoadFile loads a file. Of the options the Limits count. If the file cannot be
// read the error wraps that of the system.
func LoadFile(name string, opts ...Option) (*Document, error) {
	f, err := os.Open(name)
	return loadOpened(name, f, err, opts)
}

// LoadFS is LoadFile for a file in fsys, such as an embedded one.
func LoadFS(fsys fs.FS, name string, opts ...Option) (*Document, error) {
	if fsys == nil {
		return nil, misused("the file system of %s is nil", name)
	}
	f, err := fsys.Open(name)
	return loadOpened(name, f, err, opts)
}

func loadOpened(name string, f fs.File, err error, opts []Option) (*Document, error) {
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	return LoadReader(name, f, opts...)
}

// LoadReader loads all that r has; name is how messages call it. Of the options
// the Limits count.
func LoadReader(name string, r io.Reader, opts ...Option) (*Document, error) {
	if r == nil {
		return nil, misused("the reader of %s is nil", name)
	}
	l := options(opts).Limits
	if err := l.check(); err != nil {
		return nil, err
	}
	text, err := l.Read(r)
	if err != nil {
		return nil, unreadable(fmt.Errorf("%s: %w", name, err))
	}
	return LoadWithin(name, text, l)
}

func unreadable(err error) error {
	return &diag.Diagnostic{Code: diag.FileRead, Msg: err.Error(), Cause: err}
}

// LoadValue makes a document of a Go value: of nil, booleans, numbers, strings,
// slices, maps with strings as keys, structs, pointers to those, and what can
// marshal itself to a text or by MarshalYAML. The tags yaml of the fields of a
// struct mean what they mean to gopkg.in/yaml.v3; []byte is !!binary. A string in
// (( )) is an expression, as in a file. Places in the document are those in the
// YAML that it is printed as.
//
// The error names the part of the value that cannot be expressed, such as one
// that contains itself. A panic of a method that marshals is passed on.
func LoadValue(name string, v any) (*Document, error) {
	s := value.NewStore()
	id, err := newConverter(s, value.Node{}).convert(v)
	if err != nil {
		return nil, &diag.Diagnostic{Code: diag.NotAValue, Msg: name + ": " + err.Error(), Cause: err}
	}
	text, err := doc.Append(nil, s, id, doc.WriteOptions{KeepTemporary: true, MaxBytes: math.MaxInt})
	if err != nil {
		return nil, coded(err, diag.NotAValue)
	}
	d, err := Load(name, text)
	if err != nil {
		return nil, err
	}
	keepFloats(d.s, d.docs[0], s, id)
	return d, nil
}

// keepFloats makes floats of the integers below id in s that are floats in from:
// 1.0 is printed as 1.
func keepFloats(s *value.Store, id value.ID, from *value.Store, was value.ID) {
	n, old := s.Node(id), from.Node(was)
	switch {
	case old.Kind == value.Float:
		n.Kind, n.Pay = value.Float, old.Pay
	case old.Kind == value.List && n.Kind == value.List:
		for i, e := range s.Elems(n) {
			keepFloats(s, e, from, from.Elems(old)[i])
		}
	case old.Kind == value.Map && n.Kind == value.Map:
		for i, k := range s.Keys(n) {
			keepFloats(s, s.Vals(n)[i], from, from.Field(was, s.Name(k)))
		}
	}
}
