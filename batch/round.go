// SPDX-License-Identifier: Apache-2.0

package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
)

// A Round is what a Runner did at once. Its counts are exact; none depends on
// Options.Jobs.
type Round struct {
	Number   int
	Outcomes []Outcome // of all targets, in order
	Inputs   int       // different templates and stubs of all targets
	Uses     int       // of inputs, by all targets
	Read     int       // files read
	Changed  int       // of them, those that were not as before
	Merged   int       // targets merged
	Cells    int       // places evaluated to do so
	Work     int64     // instructions executed
	counts   map[Status]int
}

// add counts a target.
func (r *Round) add(s *state) {
	if r.counts == nil {
		r.counts = map[Status]int{}
	}
	o := s.outcome
	r.Outcomes = append(r.Outcomes, o)
	r.counts[o.Status]++
	r.Uses += 1 + len(o.Target.Stubs)
	if o.Merged {
		r.Merged++
		r.Cells += o.Stats.Cells
		r.Work += o.Stats.VM.Instructions
	}
}

// Count returns how many targets have a status.
func (r *Round) Count(s Status) int { return r.counts[s] }

// statuses are all of them, in the order in which they are counted.
var statuses = []Status{Written, Unchanged, Stale, Withheld, Failed}

// WriteTable writes a line for each target.
func (r *Round) WriteTable(w io.Writer) error {
	var b strings.Builder
	width := len("target")
	for _, o := range r.Outcomes {
		width = max(width, len(o.Target.Name))
	}
	fmt.Fprintf(&b, "%-*s  %-9s  %9s  output\n", width, "target", "status", "bytes")
	for _, o := range r.Outcomes {
		fmt.Fprintf(&b, "%-*s  %-9s  %9d  %s\n", width, o.Target.Name, o.Status, o.Bytes, o.Target.Output)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Summary returns the counts in words.
func (r *Round) Summary() string {
	var parts []string
	for _, s := range statuses {
		if n := r.counts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	text := plural(len(r.Outcomes), "target")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return fmt.Sprintf("%s; %s read once for %s", text, plural(r.Inputs, "input"), plural(r.Uses, "use"))
}

// Line returns what a round after a change did.
func (r *Round) Line() string {
	text := fmt.Sprintf("round %d: %s read, %d changed; %d of %s merged, %s evaluated",
		r.Number, plural(r.Read, "file"), r.Changed, r.Merged, plural(len(r.Outcomes), "target"), plural(r.Cells, "node"))
	for _, s := range []Status{Written, Withheld, Failed} {
		if n := r.counts[s]; n > 0 {
			text += fmt.Sprintf("; %d %s", n, s)
		}
	}
	return text
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// ReportVersion is the version of the JSON report. It changes when a field gets
// another meaning or goes; new fields do not change it.
const ReportVersion = 1

// The JSON report, which docs/batch-report.schema.json describes.
type (
	report struct {
		Version int            `json:"version"`
		Round   int            `json:"round"`
		Shard   string         `json:"shard,omitempty"`
		Targets []reportTarget `json:"targets"`
		Counts  reportCounts   `json:"counts"`
	}

	reportTarget struct {
		Name     string   `json:"name"`
		Status   Status   `json:"status"`
		Merged   bool     `json:"merged"`
		Template string   `json:"template"`
		Stubs    []string `json:"stubs"`
		Output   string   `json:"output"`
		Bytes    int      `json:"bytes"`
		Nodes    int      `json:"nodes"`
		Errors   []string `json:"errors"`
	}

	reportCounts struct {
		Targets      int            `json:"targets"`
		Statuses     map[Status]int `json:"statuses"`
		Inputs       int            `json:"inputs"`
		Uses         int            `json:"uses"`
		Read         int            `json:"read"`
		Changed      int            `json:"changed"`
		Merged       int            `json:"merged"`
		Nodes        int            `json:"nodes"`
		Instructions int64          `json:"instructions"`
	}
)

// WriteJSON writes the round as JSON: in one line if compact is set.
func (r *Round) WriteJSON(w io.Writer, shard Shard, compact bool) error {
	d := report{Version: ReportVersion, Round: r.Number, Targets: []reportTarget{}}
	if shard.Of > 0 {
		d.Shard = fmt.Sprintf("%d/%d", shard.Index, shard.Of)
	}
	for _, o := range r.Outcomes {
		t := reportTarget{
			Name: o.Target.Name, Status: o.Status, Merged: o.Merged, Template: o.Target.Template, Stubs: append([]string{}, o.Target.Stubs...),
			Output: o.Target.Output, Bytes: o.Bytes, Nodes: o.Stats.Cells, Errors: []string{},
		}
		for _, e := range o.Diagnostics() {
			t.Errors = append(t.Errors, e.Error())
		}
		d.Targets = append(d.Targets, t)
	}
	d.Counts = reportCounts{len(r.Outcomes), map[Status]int{}, r.Inputs, r.Uses, r.Read, r.Changed, r.Merged, r.Cells, r.Work}
	for _, s := range statuses {
		d.Counts.Statuses[s] = r.counts[s]
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if !compact {
		e.SetIndent("", "  ")
	}
	return e.Encode(d)
}

// Diagnostics returns why the target failed, in order.
func (o *Outcome) Diagnostics() diag.List {
	var u *spiff.Unresolved
	var list diag.List
	var d *diag.Diagnostic
	switch {
	case o.Err == nil:
		return nil
	case errors.As(o.Err, &u):
		return u.Diagnostics()
	case errors.As(o.Err, &list):
		return list
	case errors.As(o.Err, &d):
		return diag.List{d}
	}
	return diag.List{{Msg: o.Err.Error()}}
}
