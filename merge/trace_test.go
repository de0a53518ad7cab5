// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/explain"
	"github.com/dynaml/spiff/internal/golden"
	"github.com/dynaml/spiff/value"
	"golang.org/x/tools/txtar"
)

// mergeSet merges files, recording it or not. The error is that of a set that cannot be read or
// begun.
func mergeSet(t testing.TB, files []txtar.File, trace bool) (s *value.Store, n *Session, out []value.ID, err error) {
	t.Helper()
	s = value.NewStore()
	var inputs [][]Input
	for _, f := range files {
		src := diag.NewSource(f.Name, string(f.Data))
		r, err := doc.Read(s, src)
		if err != nil {
			return nil, nil, nil, err
		}
		var docs []Input
		for _, id := range r.Docs {
			docs = append(docs, Input{Source: src, Root: id})
		}
		if r.Empty {
			docs[0].Root = 0
		}
		inputs = append(inputs, docs)
	}
	var stubs []Input
	for _, docs := range inputs[1:] {
		if len(docs) != 1 {
			return nil, nil, nil, errors.New("a stub of several documents")
		}
		stubs = append(stubs, docs[0])
	}
	n = NewSession(s, Options{Trace: trace, Profile: trace, Files: filesOf(files)})
	if _, err := n.Cascade(stubs); err != nil {
		return s, n, nil, nil
	}
	for _, in := range inputs[0] {
		id, err := n.Merge(in)
		if err != nil {
			return s, n, nil, nil
		}
		out = append(out, id)
	}
	return s, n, out, nil
}

func filesOf(files []txtar.File) Files {
	return Files{
		ReadFile: func(name string) ([]byte, error) {
			for _, f := range files {
				if f.Name == name {
					return f.Data, nil
				}
			}
			return nil, fs.ErrNotExist
		},
		LookupEnv: func(string) (string, bool) { return "", false },
		Exec:      func([]string, io.Writer) ([]byte, error) { return nil, errors.New("not in a test") },
	}
}

// TestTrace holds what is told about a merge against the merge: recording
// changes no result; the value of every node is the one that its explanation
// gives; the stub found at the place of a node is the one that the merge found
// there; what is said to be overridden has the value of that stub.
func TestTrace(t *testing.T) {
	for _, set := range sets(t) {
		t.Run(set.Name, func(t *testing.T) { checkTrace(t, set.Files) })
	}
}

// sets are the cases under testdata that merge files, and the real manifests.
func sets(t *testing.T) []golden.Set {
	own, err := golden.OwnSets("../testdata", "merge", "ref", "expr", "lambda", "template", "order", "error", "builtin", "explain", "graph")
	if err != nil || len(own) == 0 {
		t.Fatalf("%d sets, %v", len(own), err)
	}
	real, err := golden.RealSets("../../shared/realworld/cases")
	if err != nil {
		t.Fatal(err)
	}
	if len(real) == 0 {
		t.Log("../shared/realworld is not there, only testdata is checked")
	}
	return append(own, real...)
}

func checkTrace(t *testing.T, files []txtar.File) {
	s, n, out, err := mergeSet(t, files, true)
	if err != nil {
		return // what cannot be read is the matter of other tests
	}
	s2, n2, out2, _ := mergeSet(t, files, false)
	if len(out) != len(out2) {
		t.Fatalf("%d documents when recorded, else %d", len(out), len(out2))
	}
	if a, b := n.Stats(), n2.Stats(); a != b {
		t.Errorf("the counters differ\nrecorded: %+v\nelse:     %+v", a, b)
	}
	for i, id := range out {
		if a, b := text(s, id), text(s2, out2[i]); !bytes.Equal(a, b) {
			t.Errorf("the results differ\nrecorded:\n%s\nelse:\n%s", a, b)
		}
	}
	tr := n.Trace()
	for d := range tr.docs {
		c := checker{t: t, tr: tr}
		c.spot(tr.start(d))
	}
	checkGraph(t, tr.Graph())
}

func text(s *value.Store, id value.ID) []byte {
	if id == 0 {
		return nil
	}
	out, err := doc.Append(nil, s, id, doc.WriteOptions{KeepTemporary: true})
	if err != nil {
		return []byte(err.Error())
	}
	return out
}

// A checker walks the spots of a document. It checks the place in the stubs of
// all, and the explanation of the first and of some of the others.
type checker struct {
	t    *testing.T
	tr   *Trace
	seen int
}

func (c *checker) spot(sp spot) {
	t, tr := c.t, c.tr
	if sp.how == byCell && sp.holder == 0 && !sp.lone {
		rec := tr.noteOf(sp.cell)
		x := explainer{t: tr}
		chain := x.cascade(sp)
		found := value.ID(0)
		if j := nearest(chain, 0); j > 0 {
			found = chain[j].sp.out
		}
		if rec.hit != 0 && rec.hit != found {
			t.Errorf("%s: the merge had the stub value %s, the chain has %s", sp.path, brief(tr.n.s, rec.hit), brief(tr.n.s, found))
		}
	}
	if c.seen++; c.seen < 100 || c.seen%17 == 0 {
		c.explain(sp)
	}
	if sp.holder != 0 {
		return
	}
	if sp.how == byCell {
		sp = tr.into(sp)
		if k := tr.kids(sp.cell); k != nil {
			for i := range k.refs {
				c.spot(tr.stepInto(sp, k, i))
			}
			return
		}
	}
	if sp.out == 0 {
		return
	}
	n := tr.n.s.Node(sp.out)
	var steps []explain.Step
	switch n.Kind {
	case value.Map:
		for _, k := range tr.n.s.Keys(n) {
			steps = append(steps, explain.Step{Name: tr.n.s.Name(k)})
		}
	case value.List:
		for i := range int(n.Len) {
			steps = append(steps, explain.Step{Index: i, IsIndex: true})
		}
	}
	for _, us := range steps {
		st := tr.userStep(sp, us)
		next, ok := tr.step(sp, &st)
		if !ok {
			t.Errorf("%s: no step %+v", sp.path, us)
			continue
		}
		c.spot(next)
	}
}

func brief(s *value.Store, id value.ID) string {
	if id == 0 {
		return "none"
	}
	return explain.ValueOf(s, id).Brief() + " at " + s.Span(id).String()
}

// explain checks the explanation of one spot.
func (c *checker) explain(sp spot) {
	t, tr := c.t, c.tr
	x := explainer{t: tr, seen: map[string]bool{}}
	e := x.explain(sp, 1)
	var b bytes.Buffer
	if err := e.WriteText(&b); err != nil || b.Len() == 0 {
		t.Errorf("%s: text: %v", sp.path, err)
	}
	if err := e.WriteJSON(io.Discard); err != nil {
		t.Errorf("%s: JSON: %v", sp.path, err)
	}
	deciders := 0
	for i, k := range e.Chain {
		if !k.Decides {
			continue
		}
		deciders++
		if k.Value == nil || k.Value.Brief() != e.Value.Brief() {
			t.Errorf("%s: link %d decides but has another value\n%s", sp.path, i, b.String())
		}
	}
	if sp.out != 0 && deciders != 1 || sp.out == 0 && deciders != 0 {
		t.Errorf("%s: %d links decide\n%s", sp.path, deciders, b.String())
	}
}

// checkGraph checks that all numbers of a graph are in range, that nothing is
// there twice, and that all renderers work.
func checkGraph(t *testing.T, g *explain.Graph) {
	seen := map[string]bool{}
	for i, n := range g.Nodes {
		if n.ID != i {
			t.Errorf("node %d has the number %d", i, n.ID)
		}
		key := strings.Join([]string{n.File, n.Path, string(rune('0' + n.Document)), string(rune('0' + n.Stub))}, "\x00")
		if seen[key] {
			t.Errorf("node %s twice", n.Label())
		}
		seen[key] = true
	}
	for _, e := range g.Edges {
		if e.From < 0 || e.To < 0 || e.From >= len(g.Nodes) || e.To >= len(g.Nodes) {
			t.Fatalf("edge %+v leads outside", e)
		}
	}
	for _, c := range g.Cycles {
		if len(c) < 2 || c[0] != c[len(c)-1] {
			t.Errorf("cycle %v does not end where it began", c)
		}
	}
	for _, write := range []func(io.Writer) error{g.WriteDOT, g.WriteJSON, g.WriteMermaid, g.WriteHTML} {
		if err := write(io.Discard); err != nil {
			t.Error(err)
		}
	}
}
