// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"encoding/json"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/jsondoc"
	"github.com/dynaml/spiff/value"
)

// LoadData is Load, but also takes the JSON that is no YAML, such as texts with
// surrogate pairs.
func LoadData(name string, text []byte) (*Document, error) {
	d, err := Load(name, text)
	if err == nil || !json.Valid(text) {
		return d, err
	}
	d = &Document{src: diag.NewSource(name, string(text)), s: value.NewStore()}
	id, warnings, err := jsondoc.Read(d.s, d.src)
	if err != nil {
		return nil, err
	}
	d.docs, d.warnings = []value.ID{id}, warnings
	return d, nil
}

// JSONOptions changes how documents are printed as JSON.
type JSONOptions = jsondoc.Options

// AppendJSON appends the documents as they were written, not evaluated, as JSON:
// one text behind the other. Expressions are strings. The error is a
// *diag.Diagnostic with the place of what JSON cannot express.
func (d *Document) AppendJSON(dst []byte, o JSONOptions) ([]byte, error) {
	out := dst
	s := d.s.Clone() // which keeps the order of the keys
	for _, id := range d.docs {
		var err error
		if out, err = jsondoc.Append(out, s, id, o); err != nil {
			return dst, err
		}
	}
	return out, nil
}

// AppendYAML appends the documents as they were written, not evaluated, as
// canonical YAML, each behind a mark if there are several.
func (d *Document) AppendYAML(dst []byte) ([]byte, error) {
	if d.empty {
		return append(dst, "---\n"...), nil
	}
	out := dst
	s := d.s.Clone() // which keeps the order of the keys
	for _, id := range d.docs {
		if len(d.docs) > 1 {
			out = append(out, "---\n"...)
		}
		var err error
		if out, err = doc.Append(out, s, id, doc.WriteOptions{KeepTemporary: true}); err != nil {
			return dst, err
		}
	}
	return out, nil
}
