// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dynaml/spiff"
	"github.com/spf13/pflag"
)

// The commands and flags that say what a merge does: explain, graph, and
// --provenance, --stats and --profile of merge.

var graphCommand = command{
	name:  "graph",
	args:  "[flags] TEMPLATE [STUB...]",
	short: "print which nodes of a merge need which",
	long: `
Merges TEMPLATE with the STUBs and prints the graph of what the expressions read,
what they merge from the stubs, and what the stubs override. A merge that fails
has a graph, too, in which its cycles are marked. PATH is written as for explain.`,
	examples: []usageExample{
		{"spiff graph template.yml stub.yml | dot -Tsvg > graph.svg", "draw the graph"},
		{"spiff graph --format html template.yml stub.yml > graph.html", "a page to search and click through"},
		{"spiff graph --path jobs.web --depth 2 --format mermaid template.yml stub.yml", "only what is near one node"},
	},
	complete: []completion{yamlFiles},
	flags: func(f *pflag.FlagSet) {
		f.String("format", graphFormats[0].name, "print the graph as `FORMAT`: "+strings.Join(graphFormatNames(), ", "))
		completes(f, "format", words(graphFormatNames()...))
		f.String("path", "", "only what the nodes at and below `PATH` need, and what needs them")
		completes(f, "path", nodePath)
		f.Int("depth", 0, "with --path, over at most `N` edges (default no bound)")
		inspectFlags(f)
	},
	limited: true,
	merges:  true,
	run:     runGraph,
}

// A graphFormat is a way to print a graph.
type graphFormat struct {
	name  string
	write func(*spiff.Graph, io.Writer) error
}

// graphFormats are all of them, the default first.
var graphFormats = []graphFormat{
	{"dot", (*spiff.Graph).WriteDOT},
	{"json", (*spiff.Graph).WriteJSON},
	{"mermaid", (*spiff.Graph).WriteMermaid},
	{"html", (*spiff.Graph).WriteHTML},
}

func graphFormatNames() (names []string) {
	for _, f := range graphFormats {
		names = append(names, f.name)
	}
	return names
}

func inspectFlags(f *pflag.FlagSet) {
	f.Bool("partial", false, "go on with stubs that cannot be resolved")
	bindingFlags(f)
	dialectFlag(f)
	formatFlag(f)
	colorFlag(f, "colour errors and warnings")
}

func runGraph(e *env, flags *pflag.FlagSet) error {
	if flags.NArg() < 1 {
		return usageError{"a template is required"}
	}
	name, _ := flags.GetString("format")
	path, _ := flags.GetString("path")
	depth, _ := flags.GetInt("depth")
	at := slices.IndexFunc(graphFormats, func(f graphFormat) bool { return f.name == name })
	switch {
	case depth < 0:
		return usageError{"--depth is a number from 0 on"}
	case depth > 0 && !flags.Changed("path"):
		return usageError{"--depth needs --path"}
	}
	i, err := inspect(e, flags, flags.Args())
	if err != nil {
		return err
	}
	var g *spiff.Graph
	if flags.Changed("path") {
		if g, err = i.GraphNear(path, depth); err != nil {
			return fmt.Errorf("error finding [%s]: %w", path, err)
		}
	} else {
		g = i.Graph()
	}
	return graphFormats[at].write(g, e.stdout)
}

// inspect merges files, and says so if that fails.
func inspect(e *env, flags *pflag.FlagSet, names []string) (*spiff.Inspection, error) {
	partial, _ := flags.GetBool("partial")
	m, err := newMerged(e, flags, spiff.Options{Partial: partial})
	if err != nil {
		return nil, err
	}
	docs, ok := m.report.loadAll(names)
	if err := m.report.print(false); err != nil || !ok {
		return nil, err
	}
	i, err := spiff.Inspect(context.Background(), docs[0], docs[1:], m.opt)
	if err == nil && i.Err != nil {
		fmt.Fprintf(e.stderr, "note: the merge fails: %s\n", i.Err)
	}
	return i, err
}

// observeFlags are the flags of merge that an observer reads.
func observeFlags(f *pflag.FlagSet) {
	f.String("provenance", "", "write where each value comes from to `FILE`, as JSON")
	completes(f, "provenance", files("json"))
	f.Bool("stats", false, "print counts and times of the merge to standard error")
	f.Bool("profile", false, "print which expressions cost most to standard error")
}

// An observer takes the times of a merge, and prints what was asked for about
// it.
type observer struct {
	e              *env
	provenance     string
	stats, profile bool
	last           time.Time
	times          []string // "read 1.2ms", by phase
	counts         spiff.Stats
}

func newObserver(e *env, flags *pflag.FlagSet) *observer {
	o := &observer{e: e, last: time.Now()}
	o.provenance, _ = flags.GetString("provenance")
	o.stats, _ = flags.GetBool("stats")
	o.profile, _ = flags.GetBool("profile")
	return o
}

// phase ends a phase of the merge. A nil observer does nothing.
func (o *observer) phase(name string) {
	if o == nil {
		return
	}
	now := time.Now()
	o.times = append(o.times, fmt.Sprintf("%s %s", name, now.Sub(o.last).Round(time.Microsecond)))
	o.last = now
}

// report prints what was asked for to standard error.
func (o *observer) report(docs []*spiff.Document, r *spiff.Result, out []byte) {
	if o.stats {
		o.printStats(docs, r, len(out))
	}
	if o.profile {
		printProfile(o.e.stderr, r.Profile())
	}
}

// writeProvenance writes where the values of a result come from to a file.
func writeProvenance(e *env, r *spiff.Result, name string) error {
	var b bytes.Buffer
	if err := r.Provenance().WriteJSON(&b); err != nil {
		return err
	}
	return writeFile(e, name, b.Bytes())
}

// failed prints the counts of a merge without a result, if they were asked for.
func (o *observer) failed(docs []*spiff.Document) {
	if o.stats {
		o.printStats(docs, nil, 0)
	}
}

func (o *observer) printStats(docs []*spiff.Document, r *spiff.Result, written int) {
	st := o.counts
	in, library, nodes := 0, 0, 0
	if r != nil {
		nodes = r.Nodes()
	}
	for _, d := range docs {
		if d == nil {
			continue // it could not be read
		}
		in += d.Size()
		if d.ReadByLibrary() {
			library++
		}
	}
	for _, row := range []struct {
		name  string
		count int64
	}{
		{"bytes read", int64(in)},
		{"bytes written", int64(written)},
		{"files", int64(len(docs))},
		{"files read by the YAML library", int64(library)},
		{"nodes", int64(nodes)},
		{"cells evaluated", int64(st.Cells)},
		{"programs compiled", int64(st.Programs)},
		{"instructions", st.VM.Instructions},
		{"calls", st.VM.Calls},
		{"suspensions", st.VM.Suspensions},
		{"bytes computed", st.Memory},
	} {
		fmt.Fprintf(o.e.stderr, "%-31s %12d\n", row.name, row.count)
	}
	fmt.Fprintf(o.e.stderr, "time: %s\n", strings.Join(o.times, ", "))
}

// maxProfile is how many expressions a profile lists.
const maxProfile = 25

func printProfile(w io.Writer, rows []spiff.ProfileRow) {
	fmt.Fprintf(w, "%12s %8s %8s  expression\n", "instructions", "calls", "nodes")
	for _, r := range rows[:min(len(rows), maxProfile)] {
		fmt.Fprintf(w, "%12d %8d %8d  %s  %s\n", r.Instructions, r.Calls, r.Nodes, shortLine(r.Expr), r.First)
	}
	if more := rows[min(len(rows), maxProfile):]; len(more) > 0 {
		var n int64
		for _, r := range more {
			n += r.Instructions
		}
		fmt.Fprintf(w, "%12d %8s %8s  in %d other expressions\n", n, "", "", len(more))
	}
}

const maxShort = 80

// shortLine puts an expression on one line of bounded length.
func shortLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxShort {
		return strings.ToValidUTF8(text[:maxShort], "") + " ..."
	}
	return text
}
