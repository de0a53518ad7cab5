// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dynaml/spiff/merge"
)

// TestOrderDoesNotMatterForRandomDocuments merges documents in which every
// construct may meet every other, forwards and backwards. Only map[] and sum[]
// over a map of the document are left out: whether they see an entry that
// vanishes is open (class R2 of the semantics).
func TestOrderDoesNotMatterForRandomDocuments(t *testing.T) {
	for seed := range uint64(3000) {
		g := &generator{rng: rand.New(rand.NewPCG(seed, 1))}
		files := []txtar.File{
			{Name: "template.yml", Data: []byte(g.document())},
			{Name: "stub.yml", Data: []byte(g.document())},
		}
		if seed%3 == 0 {
			files = files[:1]
		}
		forwards, backwards := outcome(files, false), outcome(files, true)
		if forwards != backwards {
			t.Fatalf("seed %d\n%s\nforwards:\n%s\nbackwards:\n%s", seed, txtar.Format(&txtar.Archive{Files: files}), forwards, backwards)
		}
	}
}

// TestIndexedStubs merges documents with stubs whose nodes are asked one by one
// and with the same stubs indexed.
func TestIndexedStubs(t *testing.T) {
	defer merge.SetMinIndexed(merge.SetMinIndexed(2))
	merged := 0
	for seed := range uint64(3000) {
		g := &generator{rng: rand.New(rand.NewPCG(seed, 2))}
		files := []txtar.File{{Name: "template.yml", Data: []byte(g.document())}}
		g.plain = true
		for i := range 2 + seed%5 {
			files = append(files, txtar.File{Name: fmt.Sprintf("stub%d.yml", i), Data: []byte(g.document())})
		}
		merge.SetMinIndexed(2)
		indexed := outcome(files, false)
		merge.SetMinIndexed(len(files))
		oneByOne := outcome(files, false)
		if indexed != oneByOne {
			t.Fatalf("seed %d\n%s\nindexed:\n%s\none by one:\n%s", seed, txtar.Format(&txtar.Archive{Files: files}), indexed, oneByOne)
		}
		if !strings.HasPrefix(indexed, "unresolved nodes:") {
			merged++
		}
	}
	if merged < 100 {
		t.Errorf("only %d documents could be merged", merged)
	}
}

// A generator writes random documents over few keys, so that they meet.
type generator struct {
	rng   *rand.Rand
	b     strings.Builder
	plain bool // without expressions
}

func (g *generator) pick(choices ...string) string { return choices[g.rng.IntN(len(choices))] }

func (g *generator) document() string {
	g.b.Reset()
	g.mapping("", 0)
	return g.b.String()
}

func (g *generator) key() string { return g.pick("a", "b", "c", "d", "e", "l", "m") }

// path is a reference that may or may not lead somewhere.
func (g *generator) path() string {
	p := g.pick("", "", ".") + g.key()
	for g.rng.IntN(3) == 0 {
		p += "." + g.pick(g.key(), g.key(), "p", "q", "[0]", "[1]", "v")
	}
	return p
}

func (g *generator) expr(depth int) string {
	if depth > 2 {
		return g.path()
	}
	x, y := func() string { return g.expr(depth + 1) }, func() string { return g.expr(depth + 1) }
	switch g.rng.IntN(22) {
	case 0:
		return g.pick("1", `"s"`, "~", "true", "[]", "{}", "[1, 2]", `{ "p" = 1 }`)
	case 1:
		return x() + " || " + y()
	case 2:
		return x() + " " + y()
	case 3:
		return x() + " + " + y()
	case 4:
		return "merge || " + x()
	case 5:
		return g.pick("merge", "merge", "merge "+g.key(), "merge "+g.key()+" || ~")
	case 6:
		return "defined(" + g.path() + ") ? " + x() + " :" + y()
	case 7:
		return "[ " + x() + ", " + y() + " ]"
	case 8:
		return `{ "v" = ` + x() + ` }`
	case 9:
		return "map[[ " + x() + ", " + y() + " ]|x|->x]"
	case 10:
		return "sum[[ " + x() + ", " + y() + ` ]|""|s,v|->s v]`
	case 11:
		return "*" + g.path()
	case 12:
		return "(|x|->x " + y() + ")(" + x() + ")"
	case 13:
		return x() + " == " + y()
	case 14:
		return g.pick("~~", g.path()+" || ~~")
	case 15:
		return "( " + x() + " )"
	default:
		return g.path()
	}
}

func (g *generator) whole() string {
	if g.plain {
		return g.pick("1", "s", "{p: 1}", "[s]")
	}
	e := g.expr(0)
	switch g.rng.IntN(12) {
	case 0:
		e = "prefer " + e
	case 1:
		e = "&temporary (" + e + ")"
	case 2:
		e = "&template (" + e + ")"
	}
	return "'(( " + strings.ReplaceAll(e, "'", "''") + " ))'"
}

func (g *generator) line(indent, format string, args ...any) {
	fmt.Fprintf(&g.b, indent+format+"\n", args...)
}

func (g *generator) mapping(indent string, depth int) {
	if !g.plain && depth > 0 && g.rng.IntN(4) == 0 {
		g.line(indent, "<<: %s", g.pick("(( merge ))", "(( merge || nil ))", "(( &template ))", "(( &temporary ))", "(( merge replace || ~ ))",
			"(( merge "+g.key()+" || ~ ))", g.whole()))
	}
	used := map[string]bool{}
	for range 1 + g.rng.IntN(5) {
		k := g.pick(g.key(), g.key(), "p", "q")
		if used[k] {
			continue
		}
		used[k] = true
		g.value(indent, k+":", depth)
	}
}

func (g *generator) value(indent, lead string, depth int) {
	switch n := g.rng.IntN(10); {
	case n < 2 && depth < 3:
		g.line(indent, "%s", lead)
		g.mapping(indent+"  ", depth+1)
	case n < 4 && depth < 3:
		g.line(indent, "%s", lead)
		g.list(indent, depth+1)
	case n < 6:
		g.line(indent, "%s %s", lead, g.pick("1", "s", "~", "true"))
	default:
		g.line(indent, "%s %s", lead, g.whole())
	}
}

func (g *generator) list(indent string, depth int) {
	for i := range 1 + g.rng.IntN(3) {
		switch n := g.rng.IntN(6); {
		case n == 0 && !g.plain:
			g.line(indent, "- <<: %s", g.pick("(( merge ))", "(( merge on p || ~ ))", "(( merge replace || ~ ))", "(( &temporary ))", g.whole()))
		case n == 1:
			g.line(indent, "- %s", g.whole())
		case n == 2:
			g.line(indent, "- %s", g.pick("1", "s"))
		default:
			g.line(indent, "- %s: %s", g.pick("name", "name", "name", "p", "key:p"), g.pick("a", "b", "p", fmt.Sprint("n", i), g.whole()))
			g.line(indent, "  v: %s", g.pick("1", g.whole()))
		}
	}
}
