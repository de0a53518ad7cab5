// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/value"
)

// selected returns the parts of documents that o asks for: all of them, those
// at a path, or copies with some of their fields. Documents in which nothing is
// asked for are left out.
func (r *Result) selected(s *value.Store, docs []value.ID, o Output) ([]value.ID, error) {
	if o.Path != "" {
		steps, err := explain.ParsePath(o.Path)
		if err != nil {
			return nil, usageOf(err)
		}
		if docs, err = r.at(s, docs, o, o.Path, steps); err != nil {
			return nil, err
		}
	}
	if len(o.Select) == 0 {
		return docs, nil
	}
	trees := make([]*choice, len(docs))
	for _, path := range o.Select {
		steps, err := explain.ParsePath(path)
		if err != nil {
			return nil, usageOf(err)
		}
		if err := r.choose(s, docs, trees, o, path, steps); err != nil {
			return nil, err
		}
	}
	var out []value.ID
	for i, t := range trees {
		if t != nil {
			out = append(out, t.copy(s, docs[i]))
		}
	}
	return out, nil
}

func usageOf(err error) error { return &diag.Diagnostic{Code: diag.Usage, Msg: err.Error()} }

// at returns the nodes at a path of the documents that have it. The error is
// that of the first document if none has it.
func (r *Result) at(s *value.Store, docs []value.ID, o Output, path string, steps []explain.Step) (found []value.ID, err error) {
	for i, root := range docs {
		at, e := walk(s, root, steps)
		switch {
		case e == nil:
			found = append(found, at[len(at)-1].id)
		case err == nil:
			err = r.missing(s, e, o, path, i)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, err
}

// choose adds the node at a path to the choices of the documents that have it.
func (r *Result) choose(s *value.Store, docs []value.ID, trees []*choice, o Output, path string, steps []explain.Step) (err error) {
	any := false
	for i, root := range docs {
		at, e := walk(s, root, steps)
		if e != nil {
			if err == nil {
				err = r.missing(s, e, o, path, i)
			}
			continue
		}
		any = true
		if trees[i] == nil {
			trees[i] = &choice{}
		}
		trees[i].add(at[1:])
	}
	if any {
		return nil
	}
	return err
}

// missing completes the error of a path that document i does not have, maybe
// because the node is temporary.
func (r *Result) missing(s *value.Store, d *diag.Diagnostic, o Output, path string, i int) error {
	d.Msg = fmt.Sprintf("path %q: %s", path, d.Msg)
	if o.KeepTemporary || len(o.Select) > 0 && o.Path != "" {
		return d
	}
	steps, _ := explain.ParsePath(path)
	if _, e := walk(s, doc.Final(s, r.docs[i:i+1], doc.WriteOptions{KeepTemporary: true})[0], steps); e == nil {
		d.Fix = "the node, or one around it, is temporary; --preserve-temporary keeps it"
	}
	return d
}

// A place is a node that a path leads to, and its position in the list or map
// around it.
type place struct {
	id  value.ID
	pos int
}

// walk follows a path and returns the nodes on it, the root first.
func walk(s *value.Store, root value.ID, steps []explain.Step) ([]place, *diag.Diagnostic) {
	at := []place{{root, 0}}
	for i := range steps {
		id := at[i].id
		pos, d := step(s, id, &steps[i])
		if d != nil {
			d.Msg = where(steps[:i]) + " " + d.Msg
			return nil, d
		}
		at = append(at, place{children(s, id)[pos], pos})
	}
	return at, nil
}

// where names the node at a path in a sentence.
func where(steps []explain.Step) string {
	if len(steps) == 0 {
		return "the document"
	}
	path := ""
	for i := range steps {
		path = explain.Join(path, written(&steps[i]))
	}
	return path
}

// written returns a step as a component of a dotted path.
func written(st *explain.Step) string {
	switch {
	case st.IsIndex:
		return st.Name
	case st.Field != "":
		return st.Field + ":" + st.Name
	}
	return explain.Key(st.Name)
}

// children returns the values of a map or the entries of a list.
func children(s *value.Store, id value.ID) []value.ID {
	n := s.Node(id)
	if n.Kind == value.Map {
		return s.Vals(n)
	}
	return s.Elems(n)
}

// step returns the position of the child of a node that a step leads to.
func step(s *value.Store, id value.ID, st *explain.Step) (int, *diag.Diagnostic) {
	kind := value.Null // of an empty document
	if id != 0 {
		kind = s.Kind(id)
	}
	switch kind {
	case value.Map:
		return key(s, id, st)
	case value.List:
		return entry(s, id, st)
	}
	d := &diag.Diagnostic{Code: diag.NoFields, Msg: fmt.Sprintf("is no list or map but %s, it has no %q", kind, written(st))}
	if id != 0 {
		d.Span = s.Span(id)
	}
	return 0, d
}

// key returns the position of a key of a map. Digits and names with a colon may
// be keys, too.
func key(s *value.Store, id value.ID, st *explain.Step) (int, *diag.Diagnostic) {
	names := []string{st.Name}
	if st.Field != "" {
		names = []string{st.Field + ":" + st.Name, st.Field + "=" + st.Name}
	}
	keys := s.Keys(s.Node(id))
	for _, name := range names {
		if y, ok := s.Symbol(name); ok {
			if i := slices.Index(keys, y); i >= 0 {
				return i, nil
			}
		}
	}
	d := &diag.Diagnostic{Code: diag.UnknownKey, Span: s.Span(id), Msg: fmt.Sprintf("has no key %q", names[0])}
	there := make([]string, len(keys))
	for i, k := range keys {
		there[i] = s.Name(k)
	}
	advise(d, names[0], there)
	return 0, d
}

// entry returns the position of an entry of a list, by its number, by its name or
// by another field.
func entry(s *value.Store, id value.ID, st *explain.Step) (int, *diag.Diagnostic) {
	n := *s.Node(id)
	if st.IsIndex && st.Index < int(n.Len) {
		return st.Index, nil
	}
	d := &diag.Diagnostic{Code: diag.UnknownEntry, Span: s.Span(id)}
	if st.IsIndex {
		d.Msg = fmt.Sprintf("has no entry number %d, there are %d", st.Index, n.Len)
		return 0, d
	}
	field := s.KeyField(&n)
	if field == 0 {
		field = s.Intern("name")
	}
	if st.Field != "" {
		field = s.Intern(st.Field)
	}
	if i := s.FindKeyed(id, field, st.Name); i >= 0 {
		return i, nil
	}
	if i := numbered(s, s.Elems(&n), field, st.Name); i >= 0 {
		return i, nil
	}
	var there []string
	for _, e := range s.Elems(&n) {
		if name, ok := s.KeyOf(e, field); ok {
			there = append(there, name)
		}
	}
	d.Msg = fmt.Sprintf("has no entry with the %s %q", s.Name(field), st.Name)
	advise(d, st.Name, there)
	return 0, d
}

// numbered returns the first entry whose field is a scalar other than a string
// with that text, such as a number, or -1.
func numbered(s *value.Store, elems []value.ID, field value.Sym, text string) int {
	return slices.IndexFunc(elems, func(e value.ID) bool {
		f := s.Get(e, field)
		if f == 0 {
			return false
		}
		t, ok := s.Load(f).Text()
		return ok && t == text
	})
}

// maxNames bounds the names that are listed if none is like the missing one.
const maxNames = 8

// advise proposes the name that is most like the missing one, or lists all.
func advise(d *diag.Diagnostic, name string, there []string) {
	if s := diag.Closest(name, there); s != "" {
		d.Fix = fmt.Sprintf("did you mean %q?", s)
	} else if len(there) > 0 && len(there) <= maxNames {
		d.Fix = "there are " + strings.Join(there, ", ")
	}
}

// A choice is a part of a tree: all of a node, or some of its children.
type choice struct {
	whole bool
	parts map[int]*choice // by position
}

// add adds the node at the end of a way down.
func (c *choice) add(way []place) {
	for _, p := range way {
		if c.parts == nil {
			c.parts = map[int]*choice{}
		}
		next := c.parts[p.pos]
		if next == nil {
			next = &choice{}
			c.parts[p.pos] = next
		}
		c = next
	}
	c.whole = true
}

// copy returns the part of a node that is chosen. The order is that of the node.
func (c *choice) copy(s *value.Store, id value.ID) value.ID {
	if c.whole {
		return id
	}
	n := *s.Node(id)
	var keys []value.Sym
	var ids []value.ID
	for i, child := range children(s, id) {
		part := c.parts[i]
		if part == nil {
			continue
		}
		ids = append(ids, part.copy(s, child))
		if n.Kind == value.Map {
			keys = append(keys, s.Keys(&n)[i])
		}
	}
	at := value.Node{File: n.File, Start: n.Start, End: n.End}
	if n.Kind == value.Map {
		return s.MapNode(at, keys, ids)
	}
	return s.ListNode(at, ids, s.KeyField(&n))
}
