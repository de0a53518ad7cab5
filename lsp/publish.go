// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/dynaml/spiff/diag"
	"github.com/sourcegraph/jsonrpc2"
)

// errorsPage describes the codes, each below a heading of its code and name.
const errorsPage = "https://github.com/dynaml/spiff/blob/main/docs/errors.md"

// maxWaiting bounds the nodes that a diagnostic lists because they wait for it.
const maxWaiting = 10

// checkLater checks the current view when nothing has changed for a while. The
// caller holds s.mu.
func (s *server) checkLater() {
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.AfterFunc(s.opt.Delay, func() {
		if s.ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		v := s.view
		s.mu.Unlock()
		defer s.recovered("checking", nil)
		s.publish(v)
	})
}

// current reports whether nothing has changed since a view was taken.
func (s *server) current(v *view) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view == v
}

// publish sends what is wrong with the documents of a view, where the client
// does not show it already. It gives up when something changes.
func (s *server) publish(v *view) {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	p := publisher{v: v, enc: s.encoding(), texts: map[*diag.Source]*lineIndex{}, found: map[string]*publishParams{}, seen: map[string]bool{}}
	for _, file := range slices.Sorted(maps.Keys(v.open)) {
		p.params(v.open[file])
	}
	for _, set := range v.sets {
		if !s.current(v) {
			return
		}
		set.run.check()
		for _, d := range set.run.found {
			p.add(set.docs[0], d)
		}
	}
	for _, d := range v.wrong {
		p.add(v.config, d)
	}
	for uri := range s.published { // those that nothing is wrong with any more
		if p.found[uri] == nil {
			p.found[uri] = &publishParams{URI: uri, Diagnostics: []diagnostic{}}
		}
	}
	if s.current(v) {
		s.send(p.found)
	}
}

// send sends what has changed.
func (s *server) send(found map[string]*publishParams) {
	for _, uri := range slices.Sorted(maps.Keys(found)) {
		p := found[uri]
		text, err := json.Marshal(p)
		if err != nil || s.published[uri] == string(text) {
			continue
		}
		if err := s.conn.Notify(context.Background(), "textDocument/publishDiagnostics", p); err != nil {
			if err != jsonrpc2.ErrClosed {
				s.logf("publishing: %s", err)
			}
			return
		}
		s.published[uri] = string(text)
		if len(p.Diagnostics) == 0 && p.Version == nil {
			delete(s.published, uri)
		}
	}
}

func (s *server) encoding() encoding {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.enc
}

// A publisher sorts diagnostics by document.
type publisher struct {
	v     *view
	enc   encoding
	texts map[*diag.Source]*lineIndex
	found map[string]*publishParams
	seen  map[string]bool
}

// params returns what is to be sent about a document.
func (p *publisher) params(d *document) *publishParams {
	q := p.found[d.uri]
	if q == nil {
		q = &publishParams{URI: d.uri, Version: d.version, Diagnostics: []diagnostic{}}
		p.found[d.uri] = q
	}
	return q
}

// add adds a diagnostic to those of the document it is about. home is that of
// which the merge is made, for what is about no document.
func (p *publisher) add(home *document, d *diag.Diagnostic) {
	l := p.location(home, d.Span)
	out := diagnostic{Range: l.Range, Severity: int(d.Severity) + 1, Code: string(d.Code), Source: "spiff", Message: d.Msg}
	if fix := d.Advice(); fix != "" {
		out.Message += "\nfix: " + fix
	}
	if e := d.Code.Lookup(); e != nil {
		out.CodeDescription = &codeDescription{errorsPage + "#" + anchor(e)}
	}
	for i := range d.Notes {
		out.Related = append(out.Related, related{p.location(home, d.Notes[i].Span), d.Notes[i].Msg})
	}
	for _, w := range d.Waiting[:min(len(d.Waiting), maxWaiting)] {
		out.Related = append(out.Related, related{p.location(home, w.Span), w.Path + " waits for this"})
	}
	// A stub of several sets is read for each of them.
	key, err := json.Marshal(struct {
		URI string
		diagnostic
	}{l.URI, out})
	if err != nil || p.seen[string(key)] {
		return
	}
	p.seen[string(key)] = true
	q := p.found[l.URI]
	if q == nil {
		q = &publishParams{URI: l.URI, Diagnostics: []diagnostic{}}
		p.found[l.URI] = q
	}
	q.Diagnostics = append(q.Diagnostics, out)
}

// anchor returns the anchor of a code in the page of errors.
func anchor(e *diag.Entry) string {
	code := []byte(e.Code)
	for i, c := range code {
		if 'A' <= c && c <= 'Z' {
			code[i] += 'a' - 'A'
		}
	}
	return string(code) + "-" + e.Name
}

// location returns the place of a span.
func (p *publisher) location(home *document, sp diag.Span) location {
	sp = sp.File()
	if sp.Src == nil {
		return location{URI: home.uri}
	}
	x := p.texts[sp.Src]
	if x == nil {
		x = newLineIndex(sp.Src.Text)
		p.texts[sp.Src] = x
	}
	return location{p.v.uriOfName(sp.Src.Name), x.span(p.enc, int(sp.Start), int(sp.End))}
}

// uriOfName returns the URI of a file by what messages call it.
func (v *view) uriOfName(name string) string {
	file := v.absolute(name)
	if d := v.open[file]; d != nil {
		return d.uri
	}
	if d := v.open[name]; d != nil { // of no file
		return d.uri
	}
	return uriOf(file)
}
