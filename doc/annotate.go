// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"bytes"
	"slices"

	"github.com/dynaml/spiff/value"
)

// What the writer does with comments.

// root returns the comments of the node to print, and prints those above it.
func (w *writer) root(id value.ID) *item {
	c := w.o.Comments
	if c == nil {
		return nil
	}
	var it *item
	if w.o.Document == AnyNode {
		it = c.find(w.s, w.s.Node(id))
	} else {
		it = c.root(w.o.Document)
	}
	if it != nil {
		w.lines(it.head, 0)
	}
	return it
}

// inside returns the comments of the children of a list or map, by position, and
// those at its end, if it is what an item was written as.
func (w *writer) inside(n *value.Node, it *item) (children map[int]*item, foot []string) {
	c := w.o.Comments
	switch {
	case it == nil || !c.is(w.s, n, it):
		return nil, nil
	case len(it.inside) == 0:
		return nil, it.foot
	case n.Kind == value.List:
		return c.entries(w.s, n, it), it.foot
	}
	return c.values(w.s, n, it), it.foot
}

// lines prints comments at the beginning of a line, each in one of its own.
func (w *writer) lines(comments []string, column int) {
	for _, c := range comments {
		if c != "" {
			w.indent(column)
			w.dst = append(w.dst, c...)
		}
		w.dst = append(w.dst, '\n')
		w.line = len(w.dst)
	}
}

// behind prints the comment behind an item at the end of the current line.
func (w *writer) behind(it *item) {
	if it != nil && it.line != "" {
		w.dst = append(append(w.dst, ' '), it.line...)
	}
}

// aboveLine prints comments above the current line, which consists of dashes: the
// one behind a list or map that begins there, and those above its first child.
func (w *writer) aboveLine(around, it *item) {
	if around != nil && around.line != "" {
		w.insert(w.line, around.line)
	}
	if it != nil {
		for _, c := range it.head {
			w.insert(w.line, c)
		}
	}
}

// insert prints a comment, or an empty line, above the line that begins at an
// offset, and indents it like that.
func (w *writer) insert(line int, comment string) {
	end := line
	for end < len(w.dst) && w.dst[end] == ' ' {
		end++
	}
	var text []byte
	if comment != "" {
		text = append(append(text, w.dst[line:end]...), comment...)
	}
	text = append(text, '\n')
	w.dst = slices.Insert(w.dst, line, text...)
	w.line += len(text)
}

// behindScalar prints the comment of a scalar that was printed at start, in a
// line that begins at line: behind it or the mark of a block text, else above.
// Those below it are printed, too, if it is a document.
func (w *writer) behindScalar(it *item, start, line int) {
	if it == nil {
		return
	}
	if it.line != "" {
		text := w.dst[start:]
		end := bytes.IndexByte(text, '\n')
		mark := bytes.TrimPrefix(text, []byte(binaryTag+" "))
		switch {
		case end < 0:
			w.behind(it)
		case mark[0] == '|' || mark[0] == '>':
			w.dst = slices.Insert(w.dst, start+end, []byte(" "+it.line)...)
		default:
			w.insert(line, it.line)
		}
	}
	if it.parent < 0 && len(it.foot) > 0 {
		w.endLine()
		w.lines(it.foot, 0)
	}
}
