// SPDX-License-Identifier: Apache-2.0

package render

import (
	"io"
	"net/url"
	"path/filepath"

	"github.com/dynaml/spiff/diag"
)

// The part of SARIF 2.1.0 that is used. The names are those of the standard.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Name  string    `json:"name"`
		Short sarifText `json:"shortDescription"`
		Full  sarifText `json:"fullDescription"`
		Help  sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId,omitempty"`
		RuleIndex *int            `json:"ruleIndex,omitempty"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifLocation struct {
		ID       *int           `json:"id,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	homepage    = "https://github.com/dynaml/spiff"
)

// SARIF writes a log of the Static Analysis Results Interchange Format, 2.1.0,
// with the catalogue entries of the codes that occur as rules. Nodes that only
// wait for another one are no results of their own.
func SARIF(w io.Writer, list diag.List, o Options) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "spiff", Version: o.Version, URI: homepage, Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	rules := map[diag.Code]int{}
	for _, d := range list {
		r := sarifResult{Level: d.Severity.String(), Message: sarifText{d.Msg}}
		if fix := d.Advice(); fix != "" {
			r.Message.Text += "\nfix: " + fix
		}
		if e := d.Code.Lookup(); e != nil {
			i, ok := rules[d.Code]
			if !ok {
				i = len(rules)
				rules[d.Code] = i
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules,
					sarifRule{string(e.Code), e.Name, sarifText{e.Title + "."}, sarifText{e.Cause}, sarifText{e.Fix}})
			}
			r.RuleID, r.RuleIndex = string(d.Code), &i
		}
		if loc := (sarifLocation{Physical: sarifSpan(d.Span)}); loc.Physical != nil {
			if d.Path != "" {
				loc.Logical = []sarifLogical{{d.Path, "member"}}
			}
			r.Locations = []sarifLocation{loc}
		}
		for i := range d.Notes {
			if p := sarifSpan(d.Notes[i].Span); p != nil {
				id := len(r.Related) + 1
				r.Related = append(r.Related, sarifLocation{ID: &id, Message: &sarifText{d.Notes[i].Msg}, Physical: p})
				continue
			}
			r.Message.Text += "\n" + d.Notes[i].Msg
		}
		run.Results = append(run.Results, r)
	}
	return writeJSON(w, sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

func sarifSpan(sp diag.Span) *sarifPhysical {
	l := jsonSpan(sp)
	if l == nil {
		return nil
	}
	u := url.URL{Path: filepath.ToSlash(l.File)}
	if filepath.IsAbs(l.File) {
		u.Scheme = "file"
	}
	return &sarifPhysical{sarifArtifact{u.String()}, sarifRegion{l.Start.Line, l.Start.Column, l.End.Line, l.End.Column}}
}
