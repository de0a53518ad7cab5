// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/sourcegraph/jsonrpc2"
)

// An analysis is what is known about one version of the documents of a set. It
// is worked out when it is first asked for: at most one merge for all that is
// asked afterwards.
type analysis struct {
	srv  *server
	set  *fileSet
	ctx  context.Context // is done when a document has changed
	stop context.CancelFunc
	last atomic.Pointer[analysis] // a settled one to fall back on while a document is broken

	once   sync.Once
	done   atomic.Bool
	merged *inspection // nil if there was no merge
	found  diag.List

	indexOnce sync.Once
	index     *index

	readsOnce sync.Once
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

// inspection returns the merge of the set, or the last one there was, or nil.
func (a *analysis) inspection() *inspection {
	a.check()
	if last := a.last.Load(); a.merged == nil && last != nil {
		return last.merged
	}
	return a.merged
}

// newest returns an error if the merge was given up for a newer one, so that the
// client asks again.
func (a *analysis) newest() error {
	if a.check(); a.ctx.Err() != nil && a.merged == nil {
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
	i, err := spiff.Inspect(a.ctx, docs[0], docs[1:], opt)
	if a.ctx.Err() != nil {
		return
	}
	if err != nil { // it did not begin
		a.found = append(a.found, asDiagnostic(err))
		return
	}
	a.merged = &inspection{Inspection: i}
	a.last.Store(nil)
	var failed *spiff.Unresolved
	switch {
	case errors.As(i.Err, &failed):
		a.found = append(a.found, a.judge(failed.Diagnostics())...)
	case i.Err != nil:
		a.found = append(a.found, asDiagnostic(i.Err))
	default:
		a.found = append(a.found, i.Result.Warnings()...)
	}
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
	return c[:2] == "E1" || c[:2] == "E8"
}

func asDiagnostic(err error) *diag.Diagnostic {
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		return d
	}
	return &diag.Diagnostic{Msg: err.Error()}
}
