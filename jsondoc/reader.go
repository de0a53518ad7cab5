// SPDX-License-Identifier: Apache-2.0

package jsondoc

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// Read reads one JSON text into s. Most JSON is YAML and can be read as such,
// which tells more about places; but not the escapes \/ and those of surrogate
// pairs, nor very long keys. Of equal keys in a map the last one wins, with a
// warning. The error is a *diag.Diagnostic with the place.
func Read(s *value.Store, src *diag.Source) (value.ID, diag.List, error) {
	file, ok := s.AddFile(src)
	if !ok || uint64(len(src.Text)) > math.MaxUint32 {
		return 0, nil, diag.Errorf(diag.Span{Src: src}, "the file is too large, or there are too many")
	}
	// The decoder of tokens does not limit how deep they nest, the check does.
	if !json.Valid([]byte(src.Text)) {
		return 0, nil, invalid(src)
	}
	r := &reader{s: s, src: src, file: file, dec: json.NewDecoder(strings.NewReader(src.Text))}
	r.dec.UseNumber()
	id, err := r.node()
	return id, r.warnings, err
}

// invalid says what is wrong with a text that is not JSON.
func invalid(src *diag.Source) error {
	var v json.RawMessage
	err := json.Unmarshal([]byte(src.Text), &v)
	at := uint32(0)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = uint32(max(syntax.Offset-1, 0))
	}
	return diag.Errorf(diag.Span{Src: src, Start: at, End: at}, "the text is not JSON: %v", err)
}

type reader struct {
	s    *value.Store
	src  *diag.Source
	file value.File
	dec  *json.Decoder

	warnings diag.List
}

// token returns the next token, which is there, as the text is valid.
func (r *reader) token() json.Token {
	t, err := r.dec.Token()
	if err != nil && err != io.EOF {
		panic("jsondoc: valid text cannot be read: " + err.Error())
	}
	return t
}

// node reads a value and what is in it.
func (r *reader) node() (value.ID, error) {
	t := r.token()
	at := value.Node{File: r.file, Start: uint32(r.dec.InputOffset()) - 1, End: uint32(r.dec.InputOffset())}
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			return r.list(at)
		}
		return r.mapping(at)
	case string:
		return r.s.Put(value.OfString(t), at), nil
	case bool:
		return r.s.Put(value.OfBool(t), at), nil
	case json.Number:
		at.Start = at.End - uint32(len(t))
		return r.number(string(t), at)
	}
	return r.s.Put(value.NullVal, at), nil
}

func (r *reader) number(t string, at value.Node) (value.ID, error) {
	if !strings.ContainsAny(t, ".eE") {
		if n, err := strconv.ParseInt(t, 10, 64); err == nil {
			return r.s.Put(value.OfInt(n), at), nil
		}
		return r.s.Put(value.Value{Kind: value.Big, Str: t}, at), nil
	}
	f, err := strconv.ParseFloat(t, 64)
	if err != nil {
		return 0, diag.Errorf(diag.Span{Src: r.src, Start: at.Start, End: at.End}, "the number is too large for a float")
	}
	return r.s.Put(value.OfFloat(f), at), nil
}

func (r *reader) list(at value.Node) (value.ID, error) {
	var elems []value.ID
	for r.dec.More() {
		id, err := r.node()
		if err != nil {
			return 0, err
		}
		elems = append(elems, id)
	}
	r.token()
	return r.s.ListNode(at, elems, 0), nil
}

func (r *reader) mapping(at value.Node) (value.ID, error) {
	var keys []value.Sym
	var vals []value.ID
	place := map[value.Sym]int{}
	for r.dec.More() {
		from := r.dec.InputOffset()
		name, _ := r.token().(string)
		key := diag.Span{Src: r.src, Start: uint32(from), End: uint32(r.dec.InputOffset())}
		id, err := r.node()
		if err != nil {
			return 0, err
		}
		k := r.s.Intern(name)
		if i, ok := place[k]; ok {
			vals[i] = id
			for r.src.Text[key.Start] != '"' { // the blanks and the comma before it
				key.Start++
			}
			r.warnings = append(r.warnings, diag.Warnf(key, "duplicate key %q, the last one wins", name))
			continue
		}
		place[k] = len(keys)
		keys, vals = append(keys, k), append(vals, id)
	}
	r.token()
	return r.s.MapNode(at, keys, vals), nil
}
