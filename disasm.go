// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/compiler"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/value"
)

// Disassemble writes the compiled form of the expressions at and below a path
// of d, or of all if path is empty, each distinct text once.
func Disassemble(w io.Writer, d *Document, path string) error {
	s := d.s.Clone()
	seen := map[string]bool{}
	for _, root := range d.docs {
		id := root
		for _, step := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
			if id = rawStep(s, id, step); id == 0 {
				return fmt.Errorf("%s: no node %s", d.src.Name, path)
			}
		}
		if err := disassemble(w, s, id, seen); err != nil {
			return err
		}
	}
	return nil
}

// rawStep follows one step of a path in a document as it was written.
func rawStep(s *value.Store, id value.ID, step string) value.ID {
	n := s.Node(id)
	if n.Kind != value.List {
		return s.Field(id, step)
	}
	elems := s.Elems(n)
	if i, err := strconv.Atoi(strings.Trim(step, "[]")); err == nil && i >= 0 && i < len(elems) {
		return elems[i]
	}
	if i := s.FindKeyed(id, s.Intern("name"), step); i >= 0 {
		return elems[i]
	}
	return 0
}

func disassemble(w io.Writer, s *value.Store, id value.ID, seen map[string]bool) error {
	n := s.Node(id)
	if n.Flags&value.Dynamic == 0 {
		return nil
	}
	var children []value.ID
	switch n.Kind {
	case value.Map:
		children = s.Vals(n)
	case value.List:
		children = s.Elems(n)
	case value.Expr:
		text := s.Text(n)
		if seen[text] {
			return nil
		}
		seen[text] = true
		text = text[2 : len(text)-2]
		if _, err := fmt.Fprintf(w, "%s ((%s))\n", s.Span(id), text); err != nil {
			return err
		}
		e, err := parser.Parse(text)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Span(id), err)
		}
		p, err := compiler.Compile(s, text, e)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Span(id), err)
		}
		p.Disassemble(w, s, compiler.BuiltinName)
	}
	for _, c := range children {
		if err := disassemble(w, s, c, seen); err != nil {
			return err
		}
	}
	return nil
}
