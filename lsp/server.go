// SPDX-License-Identifier: Apache-2.0

// Package lsp serves editors over the Language Server Protocol: it says what is
// wrong with templates and stubs while they are typed, and shows, finds,
// completes and renames what is in them.
//
// It knows texts, positions and the protocol. What a merge does it asks of the
// package spiff; it never evaluates anything itself. Its views are immutable: a
// change makes a new one, and whoever works on an older one is not disturbed.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dynaml/spiff"
	"github.com/sourcegraph/jsonrpc2"
)

// Options say how a server works.
type Options struct {
	Limits  spiff.Limits
	Policy  spiff.Policy // the folders of the workspace are added to what may be read
	Dialect spiff.Dialect
	// Delay is how long a document must be left alone before it is checked.
	Delay   time.Duration
	Version string // of the program
	// Enter makes the folder of the workspace the one in which relative names of
	// read begin. It may be nil.
	Enter func(folder string) error
	Log   io.Writer // for what goes wrong with the connection
}

// Serve answers the requests of one client until it says exit, or the input
// ends. It returns nil if the client shut the server down before.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	s := &server{opt: opt, view: &view{}, enc: utf16Units, running: map[jsonrpc2.ID]context.CancelFunc{}, published: map[string]string{}}
	s.view.srv = s
	ctx, s.stop = context.WithCancel(ctx)
	s.ctx = ctx
	defer s.stop()
	logger := log.New(opt.Log, "spiff lsp: ", 0)
	ready := make(chan struct{})
	s.stream = jsonrpc2.NewBufferedStream(stdio{in, out}, framing{reject: func(e *jsonrpc2.Error) {
		<-ready
		s.reject(e)
	}})
	s.conn = jsonrpc2.NewConn(ctx, s.stream, handler(func(ctx context.Context, req *jsonrpc2.Request) {
		<-ready
		s.handle(ctx, req)
	}), jsonrpc2.SetLogger(logger))
	close(ready)
	select {
	case <-s.conn.DisconnectNotify():
	case <-ctx.Done():
	}
	s.stop() // ends merges that nobody waits for any more
	s.work.Wait()
	if !s.shutDown.Load() {
		return errors.New("the connection ended without a shutdown request")
	}
	return nil
}

// stdio is a stream of two halves. The process closes them when it ends.
type stdio struct {
	io.Reader
	io.Writer
}

func (stdio) Close() error { return nil }

type handler func(ctx context.Context, req *jsonrpc2.Request)

func (h handler) Handle(ctx context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) { h(ctx, req) }

// A server is the state of one connection.
type server struct {
	opt    Options
	conn   *jsonrpc2.Conn
	stream jsonrpc2.ObjectStream
	ctx    context.Context // is done when the connection ends
	stop   context.CancelFunc
	work   sync.WaitGroup // requests being answered

	initialized, shutDown atomic.Bool
	loads, merges         atomic.Int64 // what was done so far
	inspections           atomic.Int64

	mu      sync.Mutex // guards what follows
	view    *view
	enc     encoding
	snippet bool // the client fills in templates of text
	pulls   bool // the client can be asked for its settings
	watches bool // the client can be asked to watch files
	timer   *time.Timer
	running map[jsonrpc2.ID]context.CancelFunc

	publishing sync.Mutex
	published  map[string]string // what the client shows, by URI
}

// Codes of errors that the protocol adds to those of JSON-RPC.
const (
	codeNotInitialized  = -32002
	codeCancelled       = -32800
	codeContentModified = -32801
	codeRequestFailed   = -32803
)

// failf is an error for the user, such as a rename that is not possible.
func failf(format string, args ...any) error {
	return &jsonrpc2.Error{Code: codeRequestFailed, Message: fmt.Sprintf(format, args...)}
}

// A method answers requests. It works on the view of the moment in which the
// request arrived.
type method func(ctx context.Context, v *view, params json.RawMessage) (any, error)

// on makes a method of a function with typed parameters.
func on[P any](f func(ctx context.Context, v *view, params *P) (any, error)) method {
	return func(ctx context.Context, v *view, raw json.RawMessage) (any, error) {
		var p P
		if err := decode(raw, &p); err != nil {
			return nil, err
		}
		return f(ctx, v, &p)
	}
}

func decode(raw json.RawMessage, to any) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "the parameters do not have the form that the protocol says"}
	}
	return nil
}

// requests are the methods that are answered.
func requests(name string) method {
	switch name {
	case "textDocument/hover":
		return on(hoverAt)
	case "textDocument/definition":
		return on(definition)
	case "textDocument/references":
		return on(references)
	case "textDocument/completion":
		return on(complete)
	case "textDocument/signatureHelp":
		return on(signatureAt)
	case "textDocument/documentSymbol":
		return on(symbols)
	case "textDocument/prepareRename":
		return on(prepareRename)
	case "textDocument/rename":
		return on(rename)
	case "textDocument/formatting":
		return on(formatting)
	case "spiff/check":
		return on(check)
	}
	return nil
}

// A note takes over what a client says.
type note func(s *server, raw json.RawMessage) error

func told[P any](f func(s *server, params *P)) note {
	return func(s *server, raw json.RawMessage) error {
		var p P
		err := decode(raw, &p)
		if err == nil {
			f(s, &p)
		}
		return err
	}
}

// notes are the notifications that are understood; others are ignored.
func notes(name string) note {
	switch name {
	case "initialized":
		return told((*server).didInitialize)
	case "textDocument/didOpen":
		return told((*server).didOpen)
	case "textDocument/didChange":
		return told((*server).didChange)
	case "textDocument/didClose":
		return told((*server).didClose)
	case "textDocument/didSave", "workspace/didChangeWatchedFiles":
		return told((*server).didChangeFiles)
	case "workspace/didChangeConfiguration":
		return told((*server).didChangeConfiguration)
	case "$/cancelRequest":
		return told((*server).cancel)
	}
	return nil
}

// handle takes one message after the other. Notifications are done when it
// returns; requests are answered in the background, each with the view that the
// messages before it made.
func (s *server) handle(ctx context.Context, req *jsonrpc2.Request) {
	var params json.RawMessage
	if req.Params != nil {
		params = *req.Params
	}
	switch {
	case req.Method == "exit":
		s.stop()
	case req.Notif:
		s.notified(req.Method, params)
	case req.Method == "initialize":
		s.answer(ctx, req.ID, func(context.Context) (result any, err error) {
			defer s.recovered(req.Method, &err)
			return s.initialize(params)
		})
	case !s.initialized.Load():
		s.answer(ctx, req.ID, func(context.Context) (any, error) {
			return nil, &jsonrpc2.Error{Code: codeNotInitialized, Message: "the first request must be initialize"}
		})
	case s.shutDown.Load():
		s.answer(ctx, req.ID, func(context.Context) (any, error) {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the server is shut down"}
		})
	case req.Method == "shutdown":
		s.shutDown.Store(true)
		s.answer(ctx, req.ID, func(context.Context) (any, error) { return nil, nil })
	default:
		s.request(ctx, req, params)
	}
}

func (s *server) notified(method string, params json.RawMessage) {
	f := notes(method)
	if f == nil || !s.initialized.Load() || s.shutDown.Load() {
		return
	}
	defer s.recovered(method, nil)
	if err := f(s, params); err != nil {
		s.logf("%s: %s", method, err)
	}
}

func (s *server) request(ctx context.Context, req *jsonrpc2.Request, params json.RawMessage) {
	f := requests(req.Method)
	if f == nil {
		s.answer(ctx, req.ID, func(context.Context) (any, error) {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: fmt.Sprintf("there is no method %q", req.Method)}
		})
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	v := s.view
	s.running[req.ID] = cancel
	s.mu.Unlock()
	s.work.Go(func() {
		defer func() {
			s.mu.Lock()
			delete(s.running, req.ID)
			s.mu.Unlock()
			cancel()
		}()
		s.answer(ctx, req.ID, func(ctx context.Context) (result any, err error) {
			defer s.recovered(req.Method, &err)
			return f(ctx, v, params)
		})
	})
}

// recovered ends a handler that panicked: that is a defect of the server, which
// goes on with the next message.
func (s *server) recovered(method string, err *error) {
	r := recover()
	if r == nil {
		return
	}
	s.logf("%s: panic: %v", method, r)
	if err != nil {
		*err = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: fmt.Sprintf("%s failed, which is a defect of spiff: %v", method, r)}
	}
}

// answer answers a request with what f returns.
func (s *server) answer(ctx context.Context, id jsonrpc2.ID, f func(context.Context) (any, error)) {
	result, err := f(ctx)
	if ctx.Err() != nil && err == nil {
		result, err = nil, &jsonrpc2.Error{Code: codeCancelled, Message: "the request was cancelled"}
	}
	r := &jsonrpc2.Response{ID: id}
	if err == nil {
		err = r.SetResult(result)
	}
	if err != nil {
		r.Error = errorOf(err)
	}
	if err := s.conn.SendResponse(ctx, r); err != nil && err != jsonrpc2.ErrClosed {
		s.logf("answering: %s", err)
	}
}

func errorOf(err error) *jsonrpc2.Error {
	var e *jsonrpc2.Error
	if errors.As(err, &e) {
		return e
	}
	return &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: err.Error()}
}

// reject answers a message that cannot be read, so that its ID is not known.
func (s *server) reject(e *jsonrpc2.Error) {
	s.logf("%s", e.Message)
	_ = s.stream.WriteObject(map[string]any{"jsonrpc": "2.0", "id": nil, "error": e})
}

func (s *server) cancel(p *cancelParams) {
	var id jsonrpc2.ID
	if json.Unmarshal(p.ID, &id) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[id]; cancel != nil {
		cancel()
	}
}

func (s *server) logf(format string, args ...any) {
	fmt.Fprintf(s.opt.Log, "spiff lsp: "+format+"\n", args...)
}

// capabilities are what the server tells the client that it can do.
func (s *server) capabilities() map[string]any {
	return map[string]any{
		"positionEncoding":           s.enc,
		"textDocumentSync":           map[string]any{"openClose": true, "change": 2, "save": true},
		"hoverProvider":              true,
		"definitionProvider":         true,
		"referencesProvider":         true,
		"documentSymbolProvider":     true,
		"documentFormattingProvider": true,
		"completionProvider":         map[string]any{"triggerCharacters": []string{".", "("}},
		"signatureHelpProvider":      map[string]any{"triggerCharacters": []string{"(", ","}},
		"renameProvider":             map[string]any{"prepareProvider": true},
	}
}

// Counts are what the server has done so far, exactly.
type Counts struct {
	Loads  int64 `json:"loads"`  // texts that were read
	Merges int64 `json:"merges"` // sets that were merged
	// Inspections are the merges that were recorded, because somebody asked
	// where a value comes from or what reads it.
	Inspections int64 `json:"inspections"`
}

// check checks the documents without waiting until they are left alone, and
// says what that and all before it took. It is no part of the protocol: tests
// wait by it, and people who wonder what the server does can ask.
func check(_ context.Context, v *view, _ *struct{}) (any, error) {
	v.srv.publish(v)
	return Counts{v.srv.loads.Load(), v.srv.merges.Load(), v.srv.inspections.Load()}, nil
}
