// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dynaml/spiff/batch"
	"github.com/dynaml/spiff/diag"
	"github.com/sourcegraph/jsonrpc2"
)

// A view is what the server knows at one moment. It never changes.
type view struct {
	srv     *server
	root    string               // folder of the workspace, "" if there is none
	open    map[string]*document // in the editor, by file
	disk    map[string]*document // not in the editor, by file
	setting []setSpec            // from the client
	sets    []*fileSet           // those of the setting or the workspace file, then lone files
	config  *document            // the workspace file
	wrong   diag.List            // what is wrong with it
}

// A setSpec names the files of a merge.
type setSpec struct {
	Template string   `json:"template"`
	Stubs    []string `json:"stubs"`
	lone     bool     // a file of which nothing else is known
}

// A fileSet is a template with its stubs.
type fileSet struct {
	setSpec
	docs []*document // the template first
	run  *analysis
}

// settings are the options of the server, as clients send them.
type settings struct {
	Sets  []setSpec `json:"sets"`
	Spiff *settings `json:"spiff"`
}

// specs returns the sets of settings that may be nested below their name.
func (o *settings) specs() []setSpec {
	if o == nil {
		return nil
	}
	if o.Sets == nil {
		return o.Spiff.specs()
	}
	return o.Sets
}

// workspaceFile lists the sets of a workspace. It is a batch file.
const workspaceFile = ".spiff.yml"

// fileOf returns the path of a file URI; anything else stands for itself.
func fileOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.Clean(filepath.FromSlash(path))
}

func uriOf(file string) string {
	if !filepath.IsAbs(file) {
		return file // of no file
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// nameOf returns what messages call a file: its path from the folder of the
// workspace on, if it is in there.
func (v *view) nameOf(file string) string {
	if v.root != "" {
		if rel, err := filepath.Rel(v.root, file); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return file
}

func (s *server) initialize(raw json.RawMessage) (any, error) {
	var p initializeParams
	if err := decode(raw, &p); err != nil {
		return nil, err
	}
	if s.initialized.Swap(true) {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the server is initialized already"}
	}
	var o settings
	if len(p.Options) > 0 && json.Unmarshal(p.Options, &o) != nil {
		s.logf("initializationOptions: %s", wrongSettings)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range p.Capabilities.General.PositionEncodings {
		if encoding(e) == utf8Units {
			s.enc = utf8Units // the texts are in it, so nothing is to be counted
		}
	}
	s.snippet = p.Capabilities.TextDocument.Completion.Item.Snippets
	s.pulls = p.Capabilities.Workspace.Configuration
	s.watches = p.Capabilities.Workspace.WatchedFiles.Dynamic
	v := &view{srv: s, setting: o.specs()}
	switch {
	case len(p.WorkspaceFolders) > 0:
		v.root = fileOf(p.WorkspaceFolders[0].URI)
	case p.RootURI != "":
		v.root = fileOf(p.RootURI)
	case p.RootPath != "":
		v.root = filepath.Clean(p.RootPath)
	}
	if s.opt.Enter != nil && v.root != "" {
		if err := s.opt.Enter(v.root); err != nil {
			s.logf("the folder of the workspace: %s", err)
		}
	}
	for _, f := range p.WorkspaceFolders {
		s.opt.Policy.ReadDirs = append(s.opt.Policy.ReadDirs, fileOf(f.URI))
	}
	if v.root != "" {
		s.opt.Policy.ReadDirs = append(s.opt.Policy.ReadDirs, v.root)
	}
	v.arrange(nil)
	s.view = v
	return initializeResult{s.capabilities(), serverInfo{"spiff", s.opt.Version}}, nil
}

const wrongSettings = `they must have the form {"sets": [{"template": "FILE", "stubs": ["FILE"]}]}`

// update replaces the view by what change makes of a copy of it.
func (s *server) update(change func(v *view)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.view
	v := *old
	v.open, v.disk = maps.Clone(old.open), maps.Clone(old.disk)
	change(&v)
	v.arrange(old)
	s.view = &v
	s.checkLater()
}

// newDocument returns an open document.
func (v *view) newDocument(uri, text string, version int, last *document) *document {
	file := fileOf(uri)
	d := &document{srv: v.srv, uri: uri, file: file, name: v.nameOf(file), text: text, version: &version}
	d.last.Store(last.previous())
	return d
}

func (s *server) didOpen(p *didOpenParams) {
	s.update(func(v *view) {
		if v.open == nil {
			v.open = map[string]*document{}
		}
		d := v.newDocument(p.TextDocument.URI, p.TextDocument.Text, p.TextDocument.Version, nil)
		if disk := v.disk[d.file]; disk != nil && disk.text == d.text && disk.failed == nil {
			d.last.Store(disk.previous())
		}
		v.open[d.file] = d
		delete(v.disk, d.file)
	})
}

func (s *server) didChange(p *didChangeParams) {
	file := fileOf(p.TextDocument.URI)
	s.update(func(v *view) {
		d := v.open[file]
		if d == nil {
			s.logf("a change of %s, which is not open", p.TextDocument.URI)
			return
		}
		lines := d.lines()
		for _, c := range p.ContentChanges {
			lines = newLineIndex(lines.change(s.enc, c))
		}
		v.open[file] = v.newDocument(p.TextDocument.URI, lines.text, p.TextDocument.Version, d)
	})
}

func (s *server) didClose(p *documentParams) {
	s.update(func(v *view) { delete(v.open, fileOf(p.TextDocument.URI)) })
}

// didChangeFiles looks at the files again that are not open.
func (s *server) didChangeFiles(*struct{}) { s.update(func(*view) {}) }

func (s *server) didChangeConfiguration(p *configurationParams) {
	if len(p.Settings) == 0 || string(p.Settings) == "null" {
		s.pull()
		return
	}
	s.configure(p.Settings)
}

func (s *server) configure(raw json.RawMessage) {
	var o settings
	if json.Unmarshal(raw, &o) != nil {
		s.logf("settings: %s", wrongSettings)
		return
	}
	if sets := o.specs(); sets != nil {
		s.update(func(v *view) { v.setting = sets })
	}
}

func (s *server) didInitialize(*struct{}) {
	s.pull()
	s.watch()
	s.update(func(*view) {})
}

// watch asks the client to say when files change that are not open, if it takes
// such a request. Others do it by themselves, or not at all.
func (s *server) watch() {
	s.mu.Lock()
	watches := s.watches
	s.mu.Unlock()
	if !watches {
		return
	}
	s.work.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, patience)
		defer cancel()
		p := registrationParams{[]registration{{"files", "workspace/didChangeWatchedFiles", watcherOptions{[]fileWatcher{{"**/*.{yml,yaml}"}}}}}}
		if err := s.conn.Call(ctx, "client/registerCapability", p, nil); err != nil && ctx.Err() == nil && err != jsonrpc2.ErrClosed {
			s.logf("watching files: %s", err)
		}
	})
}

// patience is how long a client may take to say what its settings are.
const patience = 10 * time.Second

// pull asks the client for its settings, if it can be asked.
func (s *server) pull() {
	s.mu.Lock()
	pulls := s.pulls
	s.mu.Unlock()
	if !pulls {
		return
	}
	s.work.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, patience)
		defer cancel()
		var got []json.RawMessage
		err := s.conn.Call(ctx, "workspace/configuration", map[string]any{"items": []any{map[string]string{"section": "spiff"}}}, &got)
		if err == nil && len(got) == 1 && string(got[0]) != "null" {
			s.configure(got[0])
		}
	})
}

// arrange finds the sets of a view. Those of old whose documents are the same
// are kept, with what is known about them.
func (v *view) arrange(old *view) {
	v.config, v.wrong = nil, nil
	specs := slices.Clone(v.setting)
	if len(specs) == 0 && v.root != "" {
		specs = v.fromFile()
	}
	for i := range specs {
		specs[i].Template = v.absolute(specs[i].Template)
		specs[i].Stubs = slices.Clone(specs[i].Stubs)
		for j, stub := range specs[i].Stubs {
			specs[i].Stubs[j] = v.absolute(stub)
		}
	}
	used := map[string]bool{}
	for _, s := range specs {
		for _, f := range s.files() {
			used[f] = true
		}
	}
	for _, file := range slices.Sorted(maps.Keys(v.open)) {
		if !used[file] && file != v.configFile() {
			specs = append(specs, setSpec{Template: file, lone: true})
		}
	}
	fresh := map[string]*document{} // closed files that are looked at
	var sets []*fileSet
	for _, spec := range specs {
		set := &fileSet{setSpec: spec}
		for _, f := range spec.files() {
			set.docs = append(set.docs, v.document(f, fresh))
		}
		set.run = v.analysisOf(set, old)
		sets = append(sets, set)
	}
	v.sets, v.disk = sets, fresh
	v.dismiss(old)
}

// dismiss gives up the merges of an older view that are of no use any more.
func (v *view) dismiss(old *view) {
	if old == nil {
		return
	}
	for _, o := range old.sets {
		if !slices.ContainsFunc(v.sets, func(s *fileSet) bool { return s.run == o.run }) {
			o.run.stop()
		}
	}
}

func (s *setSpec) files() []string { return append([]string{s.Template}, s.Stubs...) }

func (v *view) absolute(file string) string {
	if strings.Contains(file, "://") {
		return fileOf(file)
	}
	if !filepath.IsAbs(file) && v.root != "" {
		file = filepath.Join(v.root, file)
	}
	return filepath.Clean(file)
}

// document returns the document of a file: that of the editor, else one that is
// read if the file changed.
func (v *view) document(file string, fresh map[string]*document) *document {
	if d := v.open[file]; d != nil {
		return d
	}
	if d := fresh[file]; d != nil {
		return d
	}
	old := v.disk[file]
	d := old
	st, err := os.Stat(file)
	if old == nil || err != nil || !st.ModTime().Equal(old.stat) || st.Size() != int64(len(old.text)) {
		d = &document{srv: v.srv, uri: uriOf(file), file: file, name: v.nameOf(file)}
		d.text, d.stat, d.failed = readFrom(file, v.srv.opt.Limits)
		if old != nil && old.text == d.text && fmt.Sprint(old.failed) == fmt.Sprint(d.failed) {
			d = old
		} else {
			d.last.Store(old.previous())
		}
	}
	fresh[file] = d
	return d
}

// analysisOf returns the analysis of a set: that of the last view if all its
// documents are the same.
func (v *view) analysisOf(set *fileSet, old *view) *analysis {
	a := &analysis{srv: v.srv, set: set}
	a.ctx, a.stop = context.WithCancel(v.srv.ctx)
	if old == nil {
		return a
	}
	for _, o := range old.sets {
		if o.Template != set.Template || o.lone != set.lone || !slices.Equal(o.Stubs, set.Stubs) {
			continue
		}
		if slices.Equal(o.docs, set.docs) {
			return o.run
		}
		a.last.Store(o.run.settled())
	}
	return a
}

func (v *view) configFile() string { return filepath.Join(v.root, workspaceFile) }

// fromFile reads the sets of the workspace file, if there is one.
func (v *view) fromFile() (specs []setSpec) {
	file := v.configFile()
	if _, err := os.Stat(file); v.open[file] == nil && errors.Is(err, os.ErrNotExist) {
		return nil
	}
	d := v.open[file]
	if d == nil {
		d = &document{srv: v.srv, uri: uriOf(file), file: file, name: v.nameOf(file)}
		d.text, d.stat, d.failed = readFrom(file, v.srv.opt.Limits)
	}
	v.config = d
	if d.failed != nil {
		v.wrong = append(v.wrong, unreadable(d, d, "workspace file"))
		return nil
	}
	plan, err := batch.Parse(d.name, []byte(d.text), batch.ParseOptions{Limits: v.srv.opt.Limits})
	var list diag.List
	switch {
	case errors.As(err, &list):
		v.wrong = list
		return nil
	case err != nil:
		v.wrong = append(v.wrong, asDiagnostic(err))
		return nil
	}
	v.wrong = plan.Warnings
	for _, t := range plan.Targets {
		specs = append(specs, setSpec{Template: t.Template, Stubs: t.Stubs})
	}
	return specs
}

// setsOf returns the sets that a file belongs to.
func (v *view) setsOf(file string) (sets []*fileSet) {
	for _, s := range v.sets {
		if slices.Contains(s.files(), file) {
			sets = append(sets, s)
		}
	}
	return sets
}
