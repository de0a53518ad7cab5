// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/parser"
	"gopkg.in/yaml.v3"

	"github.com/dynaml/spiff/bench"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// A docKind is a sort of documents of any size.
type docKind struct {
	name   string
	title  string
	family string // of package bench, whose template it is
}

var docKinds = []docKind{
	{"plain", "plain", "plain"},
	{"bosh", "BOSH-like, with expressions", "jobs"},
}

// text returns a document of about a number of bytes.
func (k docKind) text(size int) []byte {
	const sample = 1000
	generate := bench.Families[k.family]
	n := max(1, size*sample/len(generate(sample).Template))
	return []byte(generate(n).Template)
}

// A docEngine reads a document into the tree that keeps order and quoting, and
// writes it.
type docEngine struct {
	name  string
	title string
	limit int // size of the largest document it is given
	copy  func(text []byte) ([]byte, error)
}

var docEngines = []docEngine{
	{own, own, math.MaxInt, copySpiff},
	{"yaml.v3", "yaml.v3", math.MaxInt, copyYAML},
	// Its time grows faster than the size where a map has many keys: from 1 to
	// 10 MB by a factor of 40, to half a minute.
	{"goccy", "goccy/go-yaml", 10_000_000, copyGoccy},
}

func copySpiff(text []byte) ([]byte, error) {
	s := value.NewStore()
	r, err := doc.Read(s, diag.NewSource("doc.yml", string(text)))
	if err != nil {
		return nil, err
	}
	return doc.Append(nil, s, r.Docs[0], doc.WriteOptions{KeepTemporary: true})
}

func copyYAML(text []byte) ([]byte, error) {
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&n); err != nil {
		return nil, err
	}
	err := enc.Close()
	return out.Bytes(), err
}

// copyGoccy uses the syntax tree, the counterpart of yaml.Node: decoding into
// ordered maps refuses an expression as the value of a << key.
func copyGoccy(text []byte) ([]byte, error) {
	f, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, err
	}
	return []byte(f.String()), nil
}

// judged is the size up to which yaml.v3 judges all results. It takes a hundred
// bytes of memory for one of a document, and would need that twice.
const judged = 20_000_000

// checkDocs compares what the engines make of one text: as trees with yaml.v3 as
// the judge, and byte by byte once this project has brought them into one form.
func checkDocs(text []byte, engines []docEngine) error {
	var want yaml.Node
	if len(text) <= judged {
		if err := yaml.Unmarshal(text, &want); err != nil {
			return err
		}
	}
	canonical, err := copySpiff(text)
	if err != nil {
		return err
	}
	for _, e := range engines {
		out, err := e.copy(text)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if len(text) <= judged {
			var got yaml.Node
			if err := yaml.Unmarshal(out, &got); err != nil {
				return fmt.Errorf("%s: what it wrote cannot be read: %w", e.name, err)
			}
			if err := equalNodes(&got, &want); err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
		}
		if same, err := copySpiff(out); err != nil || !bytes.Equal(same, canonical) {
			return fmt.Errorf("%s: what it wrote has another canonical form (%v)", e.name, err)
		}
	}
	return nil
}

// equalNodes compares kinds, tags, values and the order of lists, but neither
// style nor the order of keys: this project writes them sorted.
func equalNodes(got, want *yaml.Node) error {
	if len(got.Content) != len(want.Content) {
		return fmt.Errorf("line %d: wrote %d nodes of %d", want.Line, len(got.Content), len(want.Content))
	}
	if got.Kind != want.Kind || got.ShortTag() != want.ShortTag() || got.Value != want.Value {
		return fmt.Errorf("line %d: wrote %s %.40q, read %s %.40q", want.Line, got.ShortTag(), got.Value, want.ShortTag(), want.Value)
	}
	a, b := children(got), children(want)
	for i := range a {
		if err := equalNodes(a[i], b[i]); err != nil {
			return err
		}
	}
	return nil
}

// children returns the elements of a list, or the keys of a map in order, each
// with its value behind it.
func children(n *yaml.Node) []*yaml.Node {
	if n.Kind != yaml.MappingNode {
		return n.Content
	}
	pairs := slices.Collect(slices.Chunk(n.Content, 2))
	slices.SortStableFunc(pairs, func(a, b []*yaml.Node) int { return strings.Compare(a[0].Value, b[0].Value) })
	return slices.Concat(pairs...)
}
