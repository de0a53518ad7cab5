// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/sourcegraph/jsonrpc2"
)

// An analysis is what is known about one version of the documents of a set. It
// is worked out when it is first asked for: what is wrong with it by one merge,
// and where values come from by one inspection, which costs about two merges
// and is only made if somebody wants to know.
type analysis struct {
	srv  *server
	set  *fileSet
	ctx  context.Context // is done when a document has changed
	stop context.CancelFunc
	last atomic.Pointer[analysis] // a settled one to fall back on while a document is broken

	once   sync.Once
	done   atomic.Bool
	merged []*spiff.Document // what was merged, nil if there was no merge
	found  diag.List

	inspecting sync.Mutex
	inspected  *inspection // nil if nobody asked

	indexOnce sync.Once
	index     *index

	readsOnce sync.Once // once it is inspected
	reads     []dynamicRead
}

// An inspection is a merge that is asked by one request at a time: it notes what
// it finds out.
type inspection struct {
	mu sync.Mutex
	*spiff.Inspection
}

// settled returns the newest analysis that has a merge, or nil.
func (a *analysis) settled() *analysis {
	if a.done.Load() && a.merged != nil {
		return a
	}
	return a.last.Load()
}

// inspection returns the inspection of the set, or of the last version of it
// that could be merged, or nil.
func (a *analysis) inspection() *inspection {
	a.check()
	if last := a.last.Load(); a.merged == nil && last != nil {
		return last.inspect(a.ctx)
	}
	return a.inspect(a.ctx)
}

// inspect inspects the set once. It returns nil if there was no merge, or if ctx
// ends it.
func (a *analysis) inspect(ctx context.Context) *inspection {
	a.check()
	a.inspecting.Lock()
	defer a.inspecting.Unlock()
	if a.merged == nil || a.inspected != nil {
		return a.inspected
	}
	a.srv.inspections.Add(1)
	i, err := spiff.Inspect(ctx, a.merged[0], a.merged[1:], a.srv.mergeOptions())
	if err == nil {
		a.inspected = &inspection{Inspection: i}
	}
	return a.inspected
}

// newest returns an error if what was asked of the analysis before may be
// incomplete, since it was given up for a newer one: the client asks again.
func (a *analysis) newest() error {
	a.inspecting.Lock()
	defer a.inspecting.Unlock()
	if a.ctx.Err() != nil && a.inspected == nil {
		return &jsonrpc2.Error{Code: codeContentModified, Message: "the documents have changed meanwhile"}
	}
	return nil
}

// laid returns the documents of the set laid over each other.
func (a *analysis) laid() *index {
	a.indexOnce.Do(func() {
		var trees []*tree
		for _, d := range a.set.docs {
			trees = append(trees, d.known())
		}
		a.index = newIndex(trees)
	})
	return a.index
}

// check merges the set once, and collects what is wrong with it.
func (a *analysis) check() {
	a.once.Do(func() {
		defer a.done.Store(true)
		broken := false
		var docs []*spiff.Document
		for i, d := range a.set.docs {
			d.load()
			if d.err != nil {
				a.found = append(a.found, a.unread(d, i))
				broken = true
				continue
			}
			a.found = append(a.found, d.read.Warnings()...)
			docs = append(docs, d.read)
		}
		if !broken {
			a.merge(docs)
		}
	})
}

// unread says why a document cannot be read. If it is a file that is missing,
// there is no text to show that in; then it is said in the template.
func (a *analysis) unread(d *document, i int) *diag.Diagnostic {
	if d.failed == nil {
		return asDiagnostic(d.err)
	}
	role := "template"
	if i > 0 {
		role = "stub"
	}
	return unreadable(a.set.docs[0], d, role)
}

// unreadable says in the text of a document why another one cannot be read.
func unreadable(home, d *document, role string) *diag.Diagnostic {
	src := diag.NewSource(home.name, home.text)
	e := diag.Errorf(diag.Span{Src: src}, "error reading %s [%s]: %s", role, d.name, d.failed)
	e.Code = diag.FileRead
	return e
}

func (a *analysis) merge(docs []*spiff.Document) {
	a.srv.merges.Add(1)
	opt := a.srv.mergeOptions()
	opt.Check = true
	result, err := spiff.Merge(a.ctx, docs[0], docs[1:], opt)
	if a.ctx.Err() != nil {
		return
	}
	var failed *spiff.Unresolved
	switch {
	case errors.As(err, &failed):
		a.found = append(a.found, a.judge(failed.Diagnostics())...)
	case err != nil: // it did not begin, or not end
		a.found = append(a.found, asDiagnostic(err))
		return
	default:
		a.found = append(a.found, result.Warnings()...)
	}
	a.merged = docs
	a.last.Store(nil)
	for _, d := range docs {
		a.found = append(a.found, d.Check(a.srv.opt.Dialect)...)
	}
}

func (s *server) mergeOptions() spiff.Options {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.opt.Policy
	p.ReadDirs = slices.Clone(p.ReadDirs)
	return spiff.Options{Limits: s.opt.Limits, Policy: p, Dialect: s.opt.Dialect}
}

// judge leaves out of the diagnostics of a file without stubs what they may
// bring, and says of the rest that may depend on them that it is not certain.
func (a *analysis) judge(list diag.List) (kept diag.List) {
	if !a.set.lone {
		return list
	}
	for _, d := range list {
		switch {
		case d.Code == diag.NotInStubs, d.Code == diag.Waits:
			continue
		case !certain(d.Code):
			c := *d
			c.Severity = diag.Note
			d = &c
		}
		kept = append(kept, d)
	}
	return kept
}

// certain reports whether no stub can make an error go away.
func certain(c diag.Code) bool {
	switch c {
	case diag.UnknownFunction, diag.NoLambdaAround, diag.ArgumentCount:
		return true
	}
	return strings.HasPrefix(string(c), "E1") || strings.HasPrefix(string(c), "E8")
}

func asDiagnostic(err error) *diag.Diagnostic {
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		return d
	}
	return &diag.Diagnostic{Msg: err.Error()}
}
