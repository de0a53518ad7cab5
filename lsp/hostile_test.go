// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dynaml/spiff"
	"github.com/sourcegraph/jsonrpc2"
)

// A client is a client of a server in the same process.
type client struct {
	t    *testing.T
	root string
	conn *jsonrpc2.Conn
	in   *io.PipeWriter // of the server
	over chan error     // gets what Serve returns

	mu    sync.Mutex
	shown map[string][]diagnostic
	asked []string // by the server
	log   bytes.Buffer
}

func start(t *testing.T, opt Options, files map[string]string, capabilities string, sets string) *client {
	t.Helper()
	c := &client{t: t, root: t.TempDir(), over: make(chan error, 1), shown: map[string][]diagnostic{}}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(c.root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	opt.Log = &c.log
	if opt.Delay == 0 {
		opt.Delay = 24 * time.Hour
	}
	c.in = toServer
	go func() {
		err := Serve(context.Background(), in, out, opt)
		in.Close()
		out.Close()
		c.over <- err
	}()
	stream := jsonrpc2.NewBufferedStream(stdio{fromServer, toServer}, jsonrpc2.VSCodeObjectCodec{})
	c.conn = jsonrpc2.NewConn(context.Background(), stream, handler(c.told))
	if capabilities == "" {
		capabilities = "{}"
	}
	if sets == "" {
		sets = "{}"
	}
	c.call("initialize", fmt.Sprintf(`{"rootUri": %q, "capabilities": %s, "initializationOptions": %s}`, uriOf(c.root), capabilities, sets))
	c.notify("initialized", "{}")
	t.Cleanup(func() { toServer.Close() })
	return c
}

// told takes what the server says by itself, and answers what it asks.
func (c *client) told(ctx context.Context, req *jsonrpc2.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !req.Notif {
		c.asked = append(c.asked, req.Method+" "+string(*req.Params))
		_ = c.conn.Reply(ctx, req.ID, nil)
		return
	}
	var p publishParams
	if json.Unmarshal(*req.Params, &p) == nil {
		c.shown[p.URI] = p.Diagnostics
	}
}

func (c *client) uri(file string) string { return uriOf(filepath.Join(c.root, file)) }

func (c *client) notify(method, params string) {
	c.t.Helper()
	if err := c.conn.Notify(context.Background(), method, json.RawMessage(params)); err != nil {
		c.t.Fatal(err)
	}
}

// try returns the result of a request as JSON, or an error of the server.
func (c *client) try(method, params string) (string, error) {
	var result json.RawMessage
	err := c.conn.Call(context.Background(), method, json.RawMessage(params), &result)
	return string(result), err
}

func (c *client) call(method, params string) string {
	c.t.Helper()
	result, err := c.try(method, params)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, params, err)
	}
	return result
}

func (c *client) open(file, text string) {
	c.t.Helper()
	c.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument": {"uri": %q, "version": 1, "text": %s}}`, c.uri(file), quote(text)))
}

// replace replaces the whole text of an open file.
func (c *client) replace(file, text string) {
	c.t.Helper()
	c.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument": {"uri": %q, "version": 2}, "contentChanges": [{"text": %s}]}`, c.uri(file), quote(text)))
}

func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// check returns what the server has done, and its diagnostics of a file.
func (c *client) check(file string) (n Counts, messages []string) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.call("spiff/check", "{}")), &n); err != nil {
		c.t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.shown[c.uri(file)] {
		messages = append(messages, d.Message)
	}
	return n, messages
}

// at is the position of the bar in a text that is in a file without the bar, in
// UTF-16 code units.
func (c *client) at(file, text, mark string) string {
	c.t.Helper()
	bar := strings.Index(mark, "|")
	off := strings.Index(text, mark[:bar]+mark[bar+1:])
	if off < 0 {
		c.t.Fatalf("there is no %q", mark)
	}
	p := newLineIndex(text).position(utf16Units, off+bar)
	return c.position(file, p)
}

func (c *client) position(file string, p position) string {
	return fmt.Sprintf(`{"textDocument": {"uri": %q}, "position": {"line": %d, "character": %d}, "newName": "renamed", "context": {"includeDeclaration": true}}`, c.uri(file), p.Line, p.Character)
}

// alive fails the test if the server wrote of a defect.
func (c *client) alive() {
	c.t.Helper()
	if _, err := c.try("spiff/check", "{}"); err != nil {
		c.t.Errorf("the server does not answer any more: %v", err)
	}
	c.in.Close()
	<-c.over
	if strings.Contains(c.log.String(), "panic") {
		c.t.Errorf("the server wrote:\n%s", c.log.String())
	}
}

var methods = []string{"hover", "definition", "references", "completion", "signatureHelp", "prepareRename", "rename"}

// TestEverywhere asks everything at every position, also those that are none,
// of texts that are whole, broken, and of all ways to end a line.
func TestEverywhere(t *testing.T) {
	const stub = "a: 1\nlist:\n- name: x\n  v: (( list.x.name ))\nk\u00e9y: \U0001f600\n"
	for _, text := range []string{
		"", "\n", "\ufeffa: (( merge ))\n", "((", "a: ((", "a: (( ", "a: (( b.", "a: (( b.[", "a: (( f(\"", "a: (( |x|-> x.",
		"a: (( merge ))\r\nb: (( a ))\r\nc: \"(( b ))\"\r\n", "a: 1\rb: (( a ))\r",
		"\U0001f600: (( \"\U0001f600\" a.\U0001f600 ))\na: {\U0001f600: 1}\n",
		"a: &x {b: 1}\nc: *x\nd: (( c.b ))\n<<: (( merge ))\n", "- 1\n- (( [0] ))\n", "a: |\n  (( b ))\nb: >-\n  (( a\n  ))\n",
		"a: 1\n---\na: (( merge || a ))\n", "list:\n- <<: (( merge on name ))\n- name: x\n  v: (( .list.[0].\"name\" ))\n",
		"a: [\n", "a: \"(( \\\"x\\\" b ))\"\nb: 1\n", "? {x: 1}\n: 2\n", "!!binary a: 1\n", "a: \x00\n", "%YAML 1.1\n", "a: (( &temporary( b ) ))\nb: (( {\"x\"=b}.x ))\n",
		"a: (( env(\"HOME\") ))\nb: (( a.\"\".c ))\n", "\"\": 1\nb: (( \"\" ))\n", strings.Repeat("[", 200),
	} {
		c := start(t, Options{}, map[string]string{"s.yml": stub}, "", `{"sets": [{"template": "t.yml", "stubs": ["s.yml"]}]}`)
		c.open("t.yml", text)
		lines := strings.Split(text, "\n")
		for line := -1; line <= len(lines); line++ {
			width := 0
			if 0 <= line && line < len(lines) {
				width = len(lines[line])
			}
			for ch := -1; ch <= min(width, 60)+1; ch++ {
				for _, m := range methods {
					_, err := c.try("textDocument/"+m, c.position("t.yml", position{line, ch}))
					if e, ok := err.(*jsonrpc2.Error); err != nil && (!ok || e.Code != codeRequestFailed) {
						t.Errorf("%q: %s at %d:%d: %v", text, m, line, ch, err)
					}
				}
			}
		}
		for _, m := range []string{"documentSymbol", "formatting"} {
			_, err := c.try("textDocument/"+m, fmt.Sprintf(`{"textDocument": {"uri": %q}}`, c.uri("t.yml")))
			if e, ok := err.(*jsonrpc2.Error); err != nil && (!ok || e.Code != codeRequestFailed) {
				t.Errorf("%q: %s: %v", text, m, err)
			}
		}
		c.alive()
	}
}

// TestManyReferences asks for a member that is in none of the maps that could
// have it, of which each may be each.
func TestManyReferences(t *testing.T) {
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprintf("a%d", i))
	}
	text := "x: (( a0.nothing ))\n"
	for _, a := range all {
		text += a + ": (( " + strings.Join(all, " || ") + " ))\n"
	}
	c := start(t, Options{}, nil, "", "")
	c.open("t.yml", text)
	for _, m := range methods {
		_, _ = c.try("textDocument/"+m, c.at("t.yml", text, "a0.noth|ing"))
	}
	c.alive()
}

// TestBurst makes changes, and asks after each, while what came before is still
// being worked on. Nothing may be left of it.
func TestBurst(t *testing.T) {
	c := start(t, Options{Delay: time.Nanosecond}, nil, "", "")
	c.open("t.yml", "a: 1\n")
	c.check("t.yml")
	before := runtime.NumGoroutine()
	var asking sync.WaitGroup
	for i := range 1000 {
		c.replace("t.yml", fmt.Sprintf("a: %d\nb: (( a ))\nc: (( nothing%d ))\n", i, i))
		if i%10 == 0 {
			asking.Go(func() { _, _ = c.try("textDocument/hover", c.position("t.yml", position{1, 7})) })
		}
	}
	asking.Wait()
	_, messages := c.check("t.yml")
	if len(messages) != 1 || !strings.Contains(messages[0], "nothing999") {
		t.Errorf("the last diagnostics are %q", messages)
	}
	for wait := 0; runtime.NumGoroutine() > before+4; wait++ {
		if wait == 1000 {
			t.Fatalf("%d goroutines, %d before the changes", runtime.NumGoroutine(), before)
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.alive()
}

// endless takes longer than any test.
const endless = "loop: (( lambda |n|->n == 0 ? 0 :loop(n - 1) + loop(n - 1) ))\nx: (( loop(60) ))\n"

// TestClientDies ends the input while a merge is made and the server waits for
// an answer of the client.
func TestClientDies(t *testing.T) {
	for _, how := range []string{"dies", "exit"} {
		c := start(t, Options{Limits: spiff.Limits{Instructions: 1 << 60}}, nil, `{"workspace": {"configuration": true}}`, "")
		c.open("t.yml", endless)
		answered := make(chan error, 1)
		go func() {
			_, err := c.try("textDocument/hover", c.position("t.yml", position{1, 1}))
			answered <- err
		}()
		time.Sleep(50 * time.Millisecond) // for the merge to begin, if it has not yet the test is easier
		if how == "exit" {
			c.notify("exit", "null")
		} else {
			c.in.Close()
		}
		if err := <-c.over; err == nil {
			t.Errorf("%s: Serve returned no error although nobody shut it down", how)
		}
		<-answered
	}
}

// TestSecrets shows where a value comes from that came from the environment, but
// not the value.
func TestSecrets(t *testing.T) {
	t.Setenv("DB_PASSWORD", "correct-horse-battery")
	c := start(t, Options{}, nil, "", "")
	const text = "pw: (( env(\"DB_PASSWORD\") ))\nurl: (( \"db:\" pw \"@host\" ))\nbad: (( pw + 1 ))\n"
	c.open("t.yml", text)
	for _, mark := range []string{"p|w: ", "u|rl", "b|ad", "\"db:\" p|w"} {
		if h := c.call("textDocument/hover", c.at("t.yml", text, mark)); strings.Contains(h, "correct-horse") || !strings.Contains(h, "env") && !strings.Contains(h, "pw") {
			t.Errorf("hover at %s: %s", mark, h)
		}
	}
	_, messages := c.check("t.yml")
	if len(messages) == 0 || strings.Contains(strings.Join(messages, " "), "correct-horse") {
		t.Errorf("diagnostics: %q", messages)
	}
	c.alive()
}

// TestWatches registers for changes of files where the client takes that.
func TestWatches(t *testing.T) {
	c := start(t, Options{}, map[string]string{"s.yml": "a: 1\n"}, `{"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}}`, `{"sets": [{"template": "t.yml", "stubs": ["s.yml"]}]}`)
	c.open("t.yml", "a: (( merge ))\n")
	for wait := 0; ; wait++ {
		c.mu.Lock()
		asked := strings.Join(c.asked, "\n")
		c.mu.Unlock()
		if strings.Contains(asked, "client/registerCapability") && strings.Contains(asked, `"workspace/didChangeWatchedFiles"`) && strings.Contains(asked, `"globPattern":"**/*.{yml,yaml}"`) {
			break
		}
		if wait == 1000 {
			t.Fatalf("the server asked %q", asked)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, messages := c.check("t.yml"); len(messages) != 0 {
		t.Errorf("at first: %q", messages)
	}
	if err := os.Remove(filepath.Join(c.root, "s.yml")); err != nil {
		t.Fatal(err)
	}
	c.notify("workspace/didChangeWatchedFiles", `{"changes": []}`)
	if _, messages := c.check("t.yml"); len(messages) != 1 || !strings.Contains(messages[0], "s.yml") {
		t.Errorf("without the stub: %q", messages)
	}
	c.alive()
}
