// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/merge"
	"github.com/dynaml/spiff/value"
)

// Define returns the bindings of another document, which may be nil, with
// definitions of the form key=value added, for Options.Bindings. A dotted key
// defines an entry of a map, and a key in quotes may have dots; the value is YAML.
// What is defined takes the place of what was there before. The error is a
// *diag.Diagnostic; that of a definition that has another form has the code
// diag.Usage.
func Define(bindings *Document, definitions ...string) (*Document, error) {
	d := &Document{s: value.NewStore()}
	d.src = diag.NewSource("bindings", "")
	root := value.ID(0)
	if bindings != nil {
		if err := bindings.bindable(); err != nil {
			return nil, err
		}
		*d = *bindings
		d.s = bindings.s.Clone()
		if !d.empty {
			root = d.docs[0]
		}
	}
	for _, text := range definitions {
		key, written, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usagef("%q is no definition, which is written key=value", text)
		}
		names, err := definedNames(key)
		if err != nil {
			return nil, err
		}
		id, err := d.value(key, written)
		if err != nil {
			return nil, err
		}
		root = put(d.s, root, names, id)
	}
	if root == 0 {
		root = d.s.MapNode(value.Node{}, nil, nil)
	}
	d.docs, d.empty = []value.ID{root}, false
	return d, nil
}

func usagef(format string, args ...any) error {
	return &diag.Diagnostic{Code: diag.Usage, Msg: fmt.Sprintf(format, args...)}
}

// bindable says why a document cannot be bindings, if it cannot.
func (d *Document) bindable() error {
	switch {
	case d.empty:
		return nil
	case len(d.docs) > 1:
		return &diag.Diagnostic{Code: diag.YAMLDocuments, Span: d.s.Span(d.docs[1]), Msg: "bindings are one document, not several",
			Fix: "put all names into one document, or remove the line ---"}
	case d.s.Kind(d.docs[0]) != value.Map:
		return &diag.Diagnostic{Code: diag.YAMLSyntax, Span: d.s.Span(d.docs[0]),
			Msg: fmt.Sprintf("bindings are a map from names to values, found %s", d.s.Kind(d.docs[0])),
			Fix: "write name: value"}
	}
	return nil
}

// definedNames returns the names that lead to what a key defines.
func definedNames(key string) ([]string, error) {
	steps, err := explain.ParsePath(key)
	if err != nil || len(steps) == 0 || !utf8.ValidString(key) || key[0] == '/' || key[0] == '.' || key[len(key)-1] == '.' {
		return nil, usagef("%q is no name to define: names are joined by dots, and quoted if they have some", key)
	}
	names := make([]string, len(steps))
	for i := range steps {
		if steps[i].IsIndex && steps[i].Name[0] == '[' {
			return nil, usagef("%q: definitions build maps, %s would be a list entry", key, steps[i].Name)
		}
		names[i] = written(&steps[i])
		if steps[i].Field == "" {
			names[i] = steps[i].Name
		}
	}
	return names, nil
}

// value reads the value of a definition.
func (d *Document) value(key, text string) (value.ID, error) {
	r, err := doc.Read(d.s, diag.NewSource("-D "+key, text))
	var wrong *diag.Diagnostic
	switch err = unread(err); {
	case errors.As(err, &wrong):
		return 0, usagef("the value of %q is no YAML: %s", key, wrong.Msg)
	case err != nil:
		return 0, err
	}
	if len(r.Docs) > 1 {
		return 0, usagef("the value of %q is several YAML documents", key)
	}
	return r.Docs[0], nil
}

// put returns a map with a value at the place that names lead to, and else with
// what node has if it is a map.
func put(s *value.Store, node value.ID, names []string, id value.ID) value.ID {
	if len(names) == 0 {
		return id
	}
	var at value.Node
	var keys []value.Sym
	var vals []value.ID
	if node != 0 && s.Kind(node) == value.Map {
		at = *s.Node(node)
		keys, vals = append(keys, s.Keys(&at)...), append(vals, s.Vals(&at)...)
	}
	name := s.Intern(names[0])
	for i, k := range keys {
		if k == name {
			vals[i] = put(s, vals[i], names[1:], id)
			return s.MapNode(at, keys, vals)
		}
	}
	return s.MapNode(at, append(keys, name), append(vals, put(s, 0, names[1:], id)))
}

// bind evaluates bindings and makes them known to a session on the store s.
func bind(n *merge.Session, s *value.Store, d *Document) error {
	if d == nil || d.empty {
		return nil
	}
	if err := d.bindable(); err != nil {
		return err
	}
	ids, ok := s.Import(d.s, d.docs)
	if !ok {
		return errors.New("too many files")
	}
	return n.Bind(merge.Input{Source: d.src, Root: ids[0]})
}
