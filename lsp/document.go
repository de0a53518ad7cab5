// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/ast"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/parser"
	"github.com/dynaml/spiff/value"
)

// A document is one version of a file. Apart from what is worked out when it is
// first asked for, it never changes; an edit makes another one.
type document struct {
	uri     string
	file    string // its path, or the URI if it is in no file
	name    string // as messages call it
	text    string
	version *int      // of the editor, nil if it is not open there
	stat    time.Time // modification time of a file that is not open
	failed  error     // why a file cannot be read

	srv  *server
	once sync.Once
	read *spiff.Document
	tree *tree
	err  error // of the YAML reader
	done atomic.Bool
	last atomic.Pointer[document] // one with a tree, as long as there is none here

	linesOnce sync.Once
	index     *lineIndex
}

// A tree is an outline with what expressions in it refer to.
type tree struct {
	*spiff.Outline
	doc   *document
	exprs []expr      // in order
	at    map[int]int // index in exprs by node
	names map[step]int
	field []string // by node: of a map in a list, the field that names it

	aliased map[span]int // the nodes that aliases stand for
}

// A span is where a node begins, and its kind: a list begins where its first
// entry does.
type span struct {
	start uint32
	kind  value.Kind
}

// A step leads from a node to one in it.
type step struct {
	node int
	name string
}

// An expr is an expression of a document.
type expr struct {
	node  int
	x     ast.Expr // nil if it does not parse
	names []name
}

func (d *document) lines() *lineIndex {
	d.linesOnce.Do(func() { d.index = newLineIndex(d.text) })
	return d.index
}

// load reads the document once.
func (d *document) load() {
	d.once.Do(func() {
		defer d.done.Store(true)
		if d.failed != nil {
			d.err = d.failed
			return
		}
		d.srv.loads.Add(1)
		var o *spiff.Outline
		d.read, o, d.err = spiff.LoadOutline(d.name, []byte(d.text), d.srv.opt.Limits)
		if d.err == nil {
			d.tree = newTree(d, o)
			d.last.Store(nil)
		}
	})
}

// known returns the outline of the document, or of the last version that had
// one, or nil.
func (d *document) known() *tree {
	d.load()
	if last := d.last.Load(); d.tree == nil && last != nil {
		return last.tree
	}
	return d.tree
}

// previous returns what a new version may fall back on, without reading this
// one for it.
func (d *document) previous() *document {
	if d == nil || d.done.Load() && d.tree != nil {
		return d
	}
	return d.last.Load()
}

func newTree(d *document, o *spiff.Outline) *tree {
	t := &tree{Outline: o, doc: d, at: map[int]int{}, names: map[step]int{}, field: make([]string, len(o.Nodes))}
	for i := range o.Nodes {
		n := &o.Nodes[i]
		if n.Kind == value.Expr && !n.Alias {
			t.at[i] = len(t.exprs)
			t.exprs = append(t.exprs, t.parse(i))
		}
		if n.Parent < 0 {
			continue
		}
		if n.Index < 0 {
			key := plainKey(n.Key)
			t.names[step{n.Parent, key}] = i
			t.noteField(i, key)
		}
	}
	t.aliased = aliased(o)
	for i := range o.Nodes { // entries by name, of which the first counts
		n := &o.Nodes[i]
		if n.Index < 0 {
			continue
		}
		if name, ok := t.entryName(i); ok {
			if _, taken := t.names[step{n.Parent, name}]; !taken {
				t.names[step{n.Parent, name}] = i
			}
		}
	}
	return t
}

// aliased returns the nodes that aliases stand for: the first of each span.
func aliased(o *spiff.Outline) map[span]int {
	first := map[span]int{}
	for i := range o.Nodes {
		if n := &o.Nodes[i]; n.Alias {
			first[span{n.Start, n.Kind}] = -1
		}
	}
	if len(first) == 0 {
		return nil
	}
	for i := range o.Nodes {
		n := &o.Nodes[i]
		if at, ok := first[span{n.Start, n.Kind}]; ok && at < 0 && !n.Alias {
			first[span{n.Start, n.Kind}] = i
		}
	}
	return first
}

// keyPrefix marks the key field of a list (semantics 2.4); it is no part of the
// key.
const keyPrefix = "key:"

func plainKey(key string) string {
	if len(key) > len(keyPrefix) && key[:len(keyPrefix)] == keyPrefix {
		return key[len(keyPrefix):]
	}
	return key
}

// noteField notes the field that names an entry of a list: name, unless another
// one is marked.
func (t *tree) noteField(i int, key string) {
	n := &t.Nodes[i]
	entry := &t.Nodes[n.Parent]
	if entry.Index < 0 {
		return
	}
	if key == "name" && t.field[n.Parent] == "" || key != n.Key {
		t.field[n.Parent] = key
	}
}

// entryName returns the name of an entry of a list.
func (t *tree) entryName(i int) (string, bool) {
	if t.field[i] == "" {
		return "", false
	}
	f, ok := t.names[step{i, t.field[i]}]
	if !ok || t.Nodes[f].Kind != value.String || t.Nodes[f].Text == "" {
		return "", false
	}
	return t.Nodes[f].Text, true
}

// child returns the node in node i to which a key or the name of an entry leads.
func (t *tree) child(i int, name string) (int, bool) {
	c, ok := t.names[step{i, name}]
	return c, ok
}

// entry returns the entry of list i at an index, which may count from the end.
func (t *tree) entry(i int, index int64) (int, bool) {
	if t.Nodes[i].Kind != value.List {
		return 0, false
	}
	all := slices.Collect(t.Children(i))
	if index < 0 {
		index += int64(len(all))
	}
	if index < 0 || index >= int64(len(all)) {
		return 0, false
	}
	return all[index], true
}

// parse parses the expression of a node.
func (t *tree) parse(i int) expr {
	e := expr{node: i}
	text := t.Nodes[i].Text
	if len(text) < 4 || text[2] == '!' { // escaped
		return e
	}
	x, err := parser.Parse(text[2 : len(text)-2])
	if err != nil {
		return e
	}
	e.x = x
	e.names = namesOf(x)
	return e
}

// exprSpan returns the place of a part of the expression of a node. exact says
// that it is in the text of the document, and is just that part.
func (t *tree) exprSpan(node int, at ast.Pos) (sp diag.Span, exact bool) {
	n := &t.Nodes[node]
	whole := diag.Span{Src: t.Source, Start: n.Start, End: n.End}
	start, end := int(at.Start)+2, int(at.End)+2
	if t.Source.Text[n.Start:n.End] == n.Text {
		return diag.Span{Src: t.Source, Start: n.Start + uint32(start), End: n.Start + uint32(end)}, true
	}
	sp = whole.Inside(n.Text, "((", start, end)
	if sp.Src != t.Source {
		return whole, false
	}
	return sp, t.Source.Text[sp.Start:sp.End] == n.Text[start:end]
}

// nodeAt returns the innermost node at a byte of the text, and whether the byte
// is in its key. The result is -1 if there is none.
func (t *tree) nodeAt(off int) (node int, onKey bool) {
	node = -1
	at := uint32(max(off, 0))
	for i := 0; i < len(t.Nodes); {
		n := &t.Nodes[i]
		switch {
		case n.Alias && n.Index < 0 && n.KeyStart <= at && at <= n.KeyEnd && n.KeyEnd > 0:
			return i, true
		case n.Alias:
		case n.KeyEnd > 0 && n.KeyStart <= at && at <= n.KeyEnd:
			return i, true
		case n.Start <= at && at <= n.End:
			node = i
			i++ // look inside
			continue
		}
		i = n.Next
	}
	return node, false
}

// readFrom reads a file within the limits.
func readFrom(name string, limits spiff.Limits) (string, time.Time, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", time.Time{}, reason(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "", time.Time{}, reason(err)
	}
	if !st.Mode().IsRegular() {
		return "", st.ModTime(), errors.New("it is no regular file")
	}
	text, err := limits.Read(f)
	return string(text), st.ModTime(), err
}

// reason returns what an error of the system says, without the name of the file.
func reason(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
