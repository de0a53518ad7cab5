// SPDX-License-Identifier: Apache-2.0

package spiff

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// Decode stores n in what v points to, by the rules of gopkg.in/yaml.v3: fields
// of a struct have the name of their tag yaml, or their own in lower case; keys
// without a field are left out. v gets a copy that is nobody else's. What is
// !!binary goes into a string, as the bytes that it stands for.
//
// The error is a diag.List with the path and place of every value that does not
// fit, of which the others are stored; or the error of an UnmarshalYAML.
func (n Node) Decode(v any) error {
	if p := reflect.ValueOf(v); p.Kind() != reflect.Pointer || p.IsNil() {
		return &diag.Diagnostic{Code: diag.NotDecodable, Msg: fmt.Sprintf("cannot decode into %T, which is no pointer to a value", v)}
	}
	if n.id == 0 {
		return &diag.Diagnostic{Code: diag.NotDecodable, Msg: "there is no node to decode"}
	}
	c := counter{sizes: map[value.ID]int{}}
	if size := c.size(n); size > maxDecoded && size > maxCopies*c.nodes {
		return &diag.Diagnostic{Code: diag.NotDecodable, Span: n.t.s.Span(n.id), Msg: fmt.Sprintf("references make %d values stand for more than %d", c.nodes, maxDecoded)}
	}
	d := &decoder{origins: []origin{{}}}
	return d.explain(d.node(n, 0, "").Decode(v))
}

// A counter finds out how many nodes a tree stands for. An alias, or a
// reference, stands for all that it refers to.
type counter struct {
	sizes map[value.ID]int // of lists and maps
	nodes int              // without counting any twice
}

// A tree with more than maxDecoded values is not decoded if, on average, there
// would be more than maxCopies of each: a few lines of references to references
// stand for 2^100.
const (
	maxDecoded = 1 << 20
	maxCopies  = 100
)

func (c *counter) size(n Node) int {
	if size, ok := c.sizes[n.id]; ok {
		return size
	}
	c.nodes++
	size := 1
	for _, id := range n.children() {
		size = min(size+c.size(n.t.at(id)), math.MaxInt32)
	}
	if n.Len() > 0 {
		c.sizes[n.id] = size
	}
	return size
}

// A decoder makes nodes of the YAML library, which has the rules of decoding. Its
// errors name lines only: the line of a node is its number, by which the decoder
// finds it again.
type decoder struct {
	origins []origin // by number; the first is none
}

// An origin is what a decoder knows of a node that it made.
type origin struct {
	n    Node
	up   int // number of the list or map that it is in
	step string
}

// node makes a node, and those below it.
func (d *decoder) node(n Node, up int, step string) *yaml.Node {
	line := len(d.origins)
	d.origins = append(d.origins, origin{n, up, step})
	y := &yaml.Node{Kind: yaml.ScalarNode, Line: line}
	switch n.Kind() {
	case List:
		y.Kind, y.Tag = yaml.SequenceNode, "!!seq"
		for i, e := range n.Elems() {
			y.Content = append(y.Content, d.node(e, line, "["+strconv.Itoa(i)+"]"))
		}
	case Map:
		y.Kind, y.Tag = yaml.MappingNode, "!!map"
		for k, e := range n.Entries() {
			c := d.node(e, line, k)
			y.Content = append(y.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: k, Line: c.Line}, c)
		}
	default:
		y.Tag, y.Value = n.tag(), n.String()
	}
	return y
}

// tag returns the tag that makes the YAML library see a scalar as it is. It finds
// out itself which of its types a large integer or a date fits.
func (n Node) tag() string {
	switch p := n.node(); {
	case p.Flags&value.Binary != 0:
		return "!!binary"
	case p.Flags&value.Verbatim != 0, p.Kind == value.Big:
		return ""
	}
	return map[Kind]string{Null: "!!null", Bool: "!!bool", Int: "!!int", Float: "!!float", String: "!!str", Expression: "!!str"}[n.Kind()]
}

// unmarshalError takes apart what the YAML library says.
var unmarshalError = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?s)^line ([0-9]+): (?:cannot unmarshal .* into (.*)|(.*))$")
})

// explain gives the errors of the YAML library path and place.
func (d *decoder) explain(err error) error {
	var failed *yaml.TypeError
	if !errors.As(err, &failed) {
		return err
	}
	var list diag.List
	for _, text := range failed.Errors {
		e := &diag.Diagnostic{Code: diag.NotDecodable, Msg: text}
		if m := unmarshalError().FindStringSubmatch(text); m != nil {
			line, _ := strconv.Atoi(m[1])
			n := d.origins[line].n
			e.Span, e.Path, e.Msg = n.t.s.Span(n.id), d.path(line), m[3]
			if m[2] != "" {
				e.Msg = fmt.Sprintf("the %s does not fit the Go type %s", n.Kind(), m[2])
			}
			if e.Path != "" {
				e.Msg = e.Path + ": " + e.Msg
			}
		}
		list = append(list, e)
	}
	return list
}

// path returns the path of a node that the decoder made.
func (d *decoder) path(number int) string {
	var steps []string
	for ; d.origins[number].up != 0; number = d.origins[number].up {
		steps = append([]string{d.origins[number].step}, steps...)
	}
	return strings.Join(steps, ".")
}
