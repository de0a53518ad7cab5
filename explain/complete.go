// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/value"
)

// A Tree is a document in which paths are looked for. It is only read, so that
// several goroutines may share it.
type Tree struct {
	Store *value.Store
	Root  value.ID
}

// entryName is the field that names list entries where no other is spelled.
const entryName = "name"

// maxPaths is how many paths Complete returns. Shells take seconds to show more,
// and nobody reads them.
const maxPaths = 1000

// Complete returns the paths, in the form that ParsePath reads, that begin with
// what is typed and lead to what is written in one of the trees, one component
// further, sorted and each once. A path to a list or map ends with the dot or
// slash after which its parts follow. Of very many paths it returns some,
// among them the first and the last, so that what all begin with stays the same.
// A typed path that is wrong has no completions.
func Complete(typed string, in []Tree) []string {
	c := &completer{found: map[string]bool{}}
	var way []Step
	var err error
	if c.slashes = strings.HasPrefix(typed, "/"); c.slashes {
		at := strings.LastIndexByte(typed, '/') + 1
		c.head, c.tail = typed[:at], typed[at:]
		way = slashed(c.head)
	} else {
		at := lastComponent(typed)
		c.head, c.tail = typed[:at], typed[at:]
		way, err = dotted(c.head)
	}
	if err != nil {
		return nil
	}
	for _, t := range in {
		if id := t.find(way); id != 0 {
			c.components(t, id)
		}
	}
	return c.sorted()
}

// lastComponent returns where the last component of a dotted path begins, which
// need not be whole.
func lastComponent(path string) int {
	last := 0
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case '.':
			last = i + 1
		case '[':
			last = i
		case '"':
			if i != last {
				continue // quotes are at the begin of a component
			}
			quoted, err := strconv.QuotedPrefix(path[i:])
			if err != nil {
				return last // it goes on to the end
			}
			i += len(quoted) - 1
		}
	}
	return last
}

// find returns the node at a path, or 0.
func (t Tree) find(way []Step) value.ID {
	id := t.Root
	for _, st := range way {
		if id = t.step(id, st); id == 0 {
			return 0
		}
	}
	return id
}

// step returns the child that a step leads to, or 0.
func (t Tree) step(id value.ID, st Step) value.ID {
	n := t.Store.Node(id)
	switch n.Kind {
	case value.Map:
		if st.Field != "" {
			if child := t.member(id, st.Field+":"+st.Name); child != 0 {
				return child
			}
		}
		return t.member(id, st.Name)
	case value.List:
		elems := t.Store.Elems(n)
		if st.IsIndex {
			if st.Index < len(elems) {
				return elems[st.Index]
			}
			return 0
		}
		field := st.Field
		if field == "" {
			field = entryName
		}
		for _, e := range elems {
			if name, ok := t.text(e, field); ok && name == st.Name {
				return e
			}
		}
	}
	return 0
}

// member returns the value of a key of a map, or 0. Get of the store would do,
// but it remembers what it found.
func (t Tree) member(id value.ID, key string) value.ID {
	n := t.Store.Node(id)
	if n.Kind != value.Map {
		return 0
	}
	for i, k := range t.Store.Keys(n) {
		if t.Store.Name(k) == key {
			return t.Store.Vals(n)[i]
		}
	}
	return 0
}

// text returns the string in a field of a list entry.
func (t Tree) text(entry value.ID, field string) (string, bool) {
	id := t.member(entry, field)
	if id == 0 || t.Store.Kind(id) != value.String {
		return "", false
	}
	return t.Store.Text(t.Store.Node(id)), true
}

// A completer collects the completions of one path.
type completer struct {
	slashes    bool
	head, tail string          // the whole components, and what is typed of the next
	found      map[string]bool // components; true for one that has parts
}

// components adds the components of the children of a node.
func (c *completer) components(t Tree, id value.ID) {
	n := t.Store.Node(id)
	switch n.Kind {
	case value.Map:
		for i, k := range t.Store.Keys(n) {
			if key := t.Store.Name(k); key != "<<" {
				c.add(c.key(key), t, t.Store.Vals(n)[i])
			}
		}
	case value.List:
		field, separator, name := c.field()
		for i, e := range t.Store.Elems(n) {
			c.add(c.entry(t, e, i, field, separator, name), t, e)
		}
	}
}

// field returns the field that the entries of a list are told apart by, and
// whether and how it is spelled in a path.
func (c *completer) field() (field, separator string, spelled bool) {
	separator = ":"
	if c.slashes {
		separator = "="
	}
	if typed, _, ok := strings.Cut(c.tail, separator); ok && typed != "" {
		return typed, separator, true
	}
	return entryName, separator, c.slashes
}

// entry returns the component of a list entry: by its field or, if it has none
// or a number is typed, by its number.
func (c *completer) entry(t Tree, id value.ID, i int, field, separator string, spelled bool) string {
	number := c.tail != "" && strings.Trim(c.tail, "0123456789") == ""
	name, ok := t.text(id, field)
	switch {
	case number || c.slashes && !ok:
		return strconv.Itoa(i)
	case !ok || strings.HasPrefix(c.tail, "["):
		return Index(i)
	case c.slashes:
		return escape(field) + separator + escape(name)
	case spelled && strings.ContainsAny(name, ".["):
		return "" // what follows a colon cannot be quoted
	case spelled:
		return field + separator + name
	}
	return Entry(name)
}

// key returns the component of a key, or "" if this form has none for it.
func (c *completer) key(key string) string {
	if !c.slashes {
		return Key(key)
	}
	if before, _, ok := strings.Cut(key, "="); key == "" || ok && before != "" {
		return "" // it would read as field=name
	}
	return escape(key)
}

// escape writes a text as slashed reads it.
func escape(text string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(text)
}

func (c *completer) add(component string, t Tree, id value.ID) {
	if component == "" || !strings.HasPrefix(component, c.tail) {
		return
	}
	n := t.Store.Node(id)
	parts := (n.Kind == value.Map || n.Kind == value.List) && n.Len > 0
	c.found[component] = c.found[component] || parts
}

func (c *completer) sorted() []string {
	var paths []string
	for component, parts := range c.found {
		path := c.head + component
		switch {
		case parts && c.slashes:
			path += "/"
		case parts:
			path += "."
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	if len(paths) > maxPaths {
		paths = append(paths[:maxPaths-1], paths[len(paths)-1])
	}
	return paths
}
