// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"io"

	"github.com/dynaml/spiff/diag"
)

// JSONVersion is the version of the JSON format. It changes when a field gets
// another meaning or goes away; fields may be added without.
const JSONVersion = 1

// The JSON format, docs/diagnostics.schema.json describes it.
type (
	jsonReport struct {
		Version     int              `json:"version"`
		Diagnostics []jsonDiagnostic `json:"diagnostics"`
		Summary     jsonSummary      `json:"summary"`
	}
	jsonSummary struct {
		Errors   int `json:"errors"`
		Warnings int `json:"warnings"`
		Waiting  int `json:"waiting"`
	}
	jsonDiagnostic struct {
		Severity string        `json:"severity"`
		Code     string        `json:"code,omitempty"`
		Name     string        `json:"name,omitempty"`
		Title    string        `json:"title,omitempty"`
		Message  string        `json:"message"`
		Fix      string        `json:"fix,omitempty"`
		Path     string        `json:"path,omitempty"`
		Location *jsonLocation `json:"location,omitempty"`
		Notes    []jsonNote    `json:"notes,omitempty"`
		Classic  []string      `json:"classic,omitempty"`
		Waiting  []jsonWaiting `json:"waiting,omitempty"`
	}
	jsonNote struct {
		Message  string        `json:"message"`
		Location *jsonLocation `json:"location,omitempty"`
	}
	jsonWaiting struct {
		Path     string        `json:"path"`
		Location *jsonLocation `json:"location,omitempty"`
		Classic  []string      `json:"classic,omitempty"`
	}
	jsonLocation struct {
		File  string    `json:"file"`
		Start jsonPlace `json:"start"`
		End   jsonPlace `json:"end"`
	}
	jsonPlace struct {
		Line   int    `json:"line"`
		Column int    `json:"column"`
		Offset uint32 `json:"offset"`
	}
)

// JSON writes a document of the schema docs/diagnostics.schema.json, also if
// there are no diagnostics.
func JSON(w io.Writer, list diag.List, _ Options) error {
	r := jsonReport{Version: JSONVersion, Diagnostics: []jsonDiagnostic{}}
	r.Summary.Errors, r.Summary.Warnings, r.Summary.Waiting = counts(list)
	for _, d := range list {
		j := jsonDiagnostic{Severity: d.Severity.String(), Code: string(d.Code), Message: d.Msg, Fix: d.Advice(),
			Path: d.Path, Location: jsonSpan(d.Span), Classic: d.Classic}
		if e := d.Code.Lookup(); e != nil {
			j.Name, j.Title = e.Name, e.Title
		}
		for i := range d.Notes {
			j.Notes = append(j.Notes, jsonNote{d.Notes[i].Msg, jsonSpan(d.Notes[i].Span)})
		}
		for _, n := range d.Waiting {
			j.Waiting = append(j.Waiting, jsonWaiting{n.Path, jsonSpan(n.Span), n.Classic})
		}
		r.Diagnostics = append(r.Diagnostics, j)
	}
	return writeJSON(w, r)
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func jsonSpan(sp diag.Span) *jsonLocation {
	if sp = sp.File(); sp.Src == nil {
		return nil
	}
	place := func(off uint32) jsonPlace {
		line, col := sp.Src.LineCol(off)
		return jsonPlace{line, col, off}
	}
	return &jsonLocation{sp.Src.Name, place(sp.Start), place(max(sp.Start, sp.End))}
}
