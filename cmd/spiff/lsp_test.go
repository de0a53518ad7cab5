// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/dynaml/spiff/internal/golden"
)

// TestLSPSessions plays the sessions under testdata/lsp with a real process over
// its standard input and output, and compares all that it says. The section
// session has a command in each line, see editor.play; the other sections are
// the files of the workspace. ROOT stands for the folder of that.
func TestLSPSessions(t *testing.T) {
	bin := buildBinary(t)
	golden.Run(t, "../../testdata/lsp", func(t *testing.T, c *golden.Case, want string) (string, bool) {
		if want != "want.transcript" {
			return "", false
		}
		script, _ := c.Get("session")
		files := map[string]string{}
		for _, name := range c.Inputs() {
			if name != "session" {
				files[name], _ = c.Get(name)
			}
		}
		e := startEditor(t, bin, files)
		for line := range strings.Lines(script) {
			if line = strings.TrimSpace(line); line != "" {
				fmt.Fprintf(&e.transcript, "> %s\n", line)
				e.play(line)
			}
		}
		e.end()
		return strings.ReplaceAll(e.transcript.String(), e.root, "ROOT"), true
	})
}

// An editor is a client of the protocol. It is written against the specification
// and shares nothing with the server.
type editor struct {
	t    *testing.T
	root string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	errs bytes.Buffer

	ids      int
	texts    map[string]string // of open files
	versions map[string]int
	edit     map[string][]edit // of the last rename
	shown    map[string][]json.RawMessage

	transcript strings.Builder
	over       bool
}

type edit struct {
	Range struct {
		Start, End struct{ Line, Character int }
	}
	NewText string
}

func startEditor(t *testing.T, bin string, files map[string]string, args ...string) *editor {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if len(args) == 0 {
		args = []string{"--delay=24h"} // checks happen when the session asks for them
	}
	e := &editor{t: t, root: root, texts: map[string]string{}, versions: map[string]int{}, shown: map[string][]json.RawMessage{}}
	e.cmd = exec.Command(bin, append([]string{"lsp"}, args...)...)
	e.cmd.Dir, e.cmd.Stderr = root, &e.errs
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.out = bufio.NewReader(out)
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.cmd.Process.Kill() })
	return e
}

// play executes a command of a session. A TEXT is the first occurrence of a text
// in a file, as a Go string; a bar in it is the cursor.
//
//	init [OPTIONS]             initialize and initialized, options as JSON
//	open FILE                  opens a file as it is
//	edit FILE TEXT NEW         puts a text in the place of another one
//	write FILE TEXT            changes a file outside of the editor
//	check                      waits for the diagnostics
//	hover, definition, references, complete, signature, prepare FILE TEXT
//	rename FILE TEXT NEW       apply does to the open files what it says
//	symbols, format, close FILE
//	request METHOD PARAMS      notify METHOD PARAMS      bytes TEXT
//	shutdown, exit
func (e *editor) play(line string) {
	e.t.Helper()
	words := e.words(line)
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	method, at := positional[words[0]], map[string]any{}
	if method != "" {
		at = e.at(arg(1), arg(2))
	}
	switch words[0] {
	case "init":
		params := map[string]any{"rootUri": e.uri(""), "capabilities": map[string]any{"textDocument": map[string]any{"completion": map[string]any{"completionItem": map[string]any{"snippetSupport": true}}}}}
		if arg(1) != "" {
			params["initializationOptions"] = json.RawMessage(arg(1))
		}
		e.show(e.request("initialize", params))
		e.notify("initialized", map[string]any{})
	case "open":
		text, err := os.ReadFile(filepath.Join(e.root, arg(1)))
		if err != nil {
			e.t.Fatal(err)
		}
		e.open(arg(1), string(text))
	case "edit":
		e.change(arg(1), arg(2), arg(3))
	case "write":
		if err := os.WriteFile(filepath.Join(e.root, arg(1)), []byte(arg(2)), 0o666); err != nil {
			e.t.Fatal(err)
		}
	case "check":
		e.show(e.request("spiff/check", nil))
	case "references":
		at["context"] = map[string]bool{"includeDeclaration": true}
		e.show(e.request(method, at))
	case "rename":
		at["newName"] = arg(3)
		r := e.request(method, at)
		e.edit = map[string][]edit{}
		var w struct{ Changes map[string][]edit }
		if json.Unmarshal(r.Result, &w) == nil {
			e.edit = w.Changes
		}
		e.show(r)
	case "apply":
		e.apply()
	case "symbols":
		e.show(e.request("textDocument/documentSymbol", map[string]any{"textDocument": map[string]string{"uri": e.uri(arg(1))}}))
	case "format":
		e.show(e.request("textDocument/formatting", map[string]any{"textDocument": map[string]string{"uri": e.uri(arg(1))}, "options": map[string]any{"tabSize": 2}}))
	case "close":
		e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]string{"uri": e.uri(arg(1))}})
	case "request":
		e.show(e.request(arg(1), json.RawMessage(arg(2))))
	case "notify":
		e.notify(arg(1), json.RawMessage(arg(2)))
	case "bytes":
		if _, err := io.WriteString(e.in, arg(1)); err != nil {
			e.t.Fatal(err)
		}
		e.show(e.receive())
	case "shutdown":
		e.show(e.request("shutdown", nil))
	case "exit":
		e.notify("exit", nil)
		e.end()
	default:
		if method == "" {
			e.t.Fatalf("unknown command %q", line)
		}
		e.show(e.request(method, at))
	}
}

// positional are the requests about a position.
var positional = map[string]string{
	"hover": "textDocument/hover", "definition": "textDocument/definition", "references": "textDocument/references",
	"complete": "textDocument/completion", "signature": "textDocument/signatureHelp",
	"prepare": "textDocument/prepareRename", "rename": "textDocument/rename",
}

// words splits a command: quoted texts, JSON in braces to the end, and words.
func (e *editor) words(line string) (words []string) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		switch line[0] {
		case '"':
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				e.t.Fatalf("%s: %v", line, err)
			}
			text, _ := strconv.Unquote(quoted)
			words, line = append(words, text), line[len(quoted):]
		case '{', '[':
			return append(words, strings.ReplaceAll(line, "ROOT", e.root))
		default:
			word, rest, _ := strings.Cut(line, " ")
			words, line = append(words, word), rest
		}
	}
	return words
}

func (e *editor) uri(file string) string {
	return "file://" + strings.TrimSuffix(filepath.ToSlash(filepath.Join(e.root, file)), "/")
}

func (e *editor) open(file, text string) {
	e.texts[file], e.versions[file] = text, 1
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": e.uri(file), "languageId": "yaml", "version": 1, "text": text}})
}

// at returns the parameters of a request about a position.
func (e *editor) at(file, text string) map[string]any {
	before, after, ok := strings.Cut(text, "|")
	if !ok {
		before, after = "", text
	}
	i := strings.Index(e.texts[file], before+after)
	if i < 0 {
		e.t.Fatalf("%s has no text %q", file, before+after)
	}
	return map[string]any{"textDocument": map[string]string{"uri": e.uri(file)}, "position": position(e.texts[file], i+len(before))}
}

// position returns the position of a byte in UTF-16 code units.
func position(text string, off int) map[string]int {
	start := strings.LastIndexByte(text[:off], '\n') + 1
	return map[string]int{"line": strings.Count(text[:off], "\n"), "character": len(utf16.Encode([]rune(text[start:off])))}
}

// offset is the opposite of position.
func offset(text string, line, character int) int {
	lines := strings.SplitAfter(text, "\n")
	off := len(strings.Join(lines[:line], ""))
	return off + len(string(utf16.Decode(utf16.Encode([]rune(lines[line]))[:character])))
}

func (e *editor) change(file, old, text string) {
	i := strings.Index(e.texts[file], old)
	if i < 0 {
		e.t.Fatalf("%s has no text %q", file, old)
	}
	e.changed(file, i, i+len(old), text)
}

// changed replaces bytes of an open file.
func (e *editor) changed(file string, start, end int, text string) {
	before := e.texts[file]
	e.texts[file] = before[:start] + text + before[end:]
	e.versions[file]++
	e.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": e.uri(file), "version": e.versions[file]},
		"contentChanges": []any{map[string]any{"range": map[string]any{"start": position(before, start), "end": position(before, end)}, "text": text}},
	})
}

// apply does to the open files what the last rename said, from the end of each.
func (e *editor) apply() {
	for _, uri := range slices.Sorted(maps.Keys(e.edit)) {
		file := strings.TrimPrefix(uri, e.uri("")+"/")
		text, open := e.texts[file]
		if !open {
			e.t.Fatalf("%s is not open", file)
		}
		for _, d := range slices.Backward(e.edit[uri]) {
			start, end := d.Range.Start, d.Range.End
			e.changed(file, offset(text, start.Line, start.Character), offset(text, end.Line, end.Character), d.NewText)
		}
	}
}

// A message is any message of the protocol.
type message struct {
	ID     *json.RawMessage `json:"id"`
	Method string           `json:"method"`
	Params json.RawMessage  `json:"params"`
	Result json.RawMessage  `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (e *editor) send(m map[string]any) {
	m["jsonrpc"] = "2.0"
	b, err := json.Marshal(m)
	if err == nil {
		_, err = fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(b), b)
	}
	if err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) notify(method string, params any) {
	m := map[string]any{"method": method}
	if params != nil {
		m["params"] = params
	}
	e.send(m)
}

// request sends a request and returns its response. What the server says before
// that goes to the transcript.
func (e *editor) request(method string, params any) message {
	e.t.Helper()
	e.ids++
	m := map[string]any{"id": e.ids, "method": method}
	if params != nil {
		m["params"] = params
	}
	e.send(m)
	for {
		r := e.receive()
		if r.ID != nil && r.Method == "" {
			if string(*r.ID) != strconv.Itoa(e.ids) {
				e.t.Fatalf("response to %s, want %d", *r.ID, e.ids)
			}
			return r
		}
		e.told(r)
	}
}

// told takes over what the server says by itself.
func (e *editor) told(m message) {
	if m.Method != "textDocument/publishDiagnostics" {
		e.t.Fatalf("unexpected message %s %s", m.Method, m.Params)
	}
	var p struct {
		URI         string
		Diagnostics []json.RawMessage
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		e.t.Fatal(err)
	}
	file := strings.TrimPrefix(p.URI, e.uri("")+"/")
	e.shown[file] = p.Diagnostics
	fmt.Fprintf(&e.transcript, "< diagnostics of %s: %d\n", file, len(p.Diagnostics))
	for _, d := range p.Diagnostics {
		fmt.Fprintf(&e.transcript, "    %s\n", d)
	}
}

func (e *editor) receive() (m message) {
	e.t.Helper()
	length := -1
	for {
		line, err := e.out.ReadString('\n')
		if err != nil {
			e.t.Fatalf("reading: %v; standard error:\n%s", err, e.errs.String())
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			break
		}
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.Atoi(n); err != nil {
				e.t.Fatal(err)
			}
		}
	}
	b := make([]byte, length)
	if _, err := io.ReadFull(e.out, b); err != nil {
		e.t.Fatal(err)
	}
	if err := json.Unmarshal(b, &m); err != nil {
		e.t.Fatalf("%s: %v", b, err)
	}
	return m
}

// show writes a response to the transcript: the text of a hover as it is, lists
// with an entry in each line.
func (e *editor) show(m message) {
	w := &e.transcript
	if m.Error != nil {
		fmt.Fprintf(w, "< error %d: %s\n", m.Error.Code, m.Error.Message)
		return
	}
	var h struct{ Contents struct{ Value string } }
	if json.Unmarshal(m.Result, &h) == nil && h.Contents.Value != "" {
		fmt.Fprintf(w, "< hover\n")
		for line := range strings.Lines(strings.TrimSuffix(h.Contents.Value, "\n") + "\n") {
			fmt.Fprintf(w, "    %s", line)
		}
		return
	}
	list := m.Result
	var items struct{ Items json.RawMessage }
	if json.Unmarshal(m.Result, &items) == nil && items.Items != nil {
		list = items.Items
	}
	var entries []json.RawMessage
	if json.Unmarshal(list, &entries) != nil || entries == nil {
		fmt.Fprintf(w, "< %s\n", m.Result)
		return
	}
	fmt.Fprintf(w, "< %d\n", len(entries))
	for _, x := range entries {
		fmt.Fprintf(w, "    %s\n", x)
	}
}

// end waits for the end of the process, whose input it closes.
func (e *editor) end() {
	if e.over {
		return
	}
	e.over = true
	e.in.Close()
	for {
		if _, err := e.out.ReadByte(); err != nil {
			break
		}
	}
	_ = e.cmd.Wait()
	fmt.Fprintf(&e.transcript, "< exit status %d\n", e.cmd.ProcessState.ExitCode())
	if e.errs.Len() > 0 {
		fmt.Fprintf(&e.transcript, "%s", e.errs.String())
	}
}

// TestLSPChecksByItself waits for what the server says without being asked, and
// counts what several changes in a row cost.
func TestLSPChecksByItself(t *testing.T) {
	e := startEditor(t, buildBinary(t), map[string]string{"t.yml": "a: (( b ))\n"}, "--delay=50ms", "--stdio")
	e.play("init")
	e.play("open t.yml")
	e.told(e.receive())
	if got := len(e.shown["t.yml"]); got != 1 {
		t.Fatalf("%d diagnostics, want that b is not known", got)
	}
	e.change("t.yml", "a: (( b ))", "a: (( b ))\nb: 1")
	e.told(e.receive())
	if got := e.shown["t.yml"]; len(got) != 0 {
		t.Errorf("after the repair: %s", got)
	}
	if c := e.check(); c != (lspCounts{2, 2, 0}) {
		t.Errorf("%+v, want two loads and two merges", c)
	}
}

// TestLSPManyChanges makes changes faster than they can be checked. Only the
// last one is read and merged.
func TestLSPManyChanges(t *testing.T) {
	e := startEditor(t, buildBinary(t), map[string]string{"t.yml": "a: 0\n", "s.yml": "a: 1\n"})
	e.play(`init {"sets": [{"template": "t.yml", "stubs": ["s.yml"]}, {"template": "s.yml"}]}`)
	e.play("open t.yml")
	for range 100 {
		e.change("t.yml", "a: ", "a: 1")
	}
	if c := e.check(); c != (lspCounts{2, 2, 0}) {
		t.Errorf("%+v, want a load of each file and a merge of each set", c)
	}
	e.change("t.yml", "a: ", "a: 2")
	for _, text := range []string{"|a: ", "a|: "} {
		e.request("textDocument/hover", e.at("t.yml", text))
		e.request("textDocument/references", e.at("t.yml", text))
		e.request("textDocument/definition", e.at("t.yml", text))
	}
	if c := e.check(); c != (lspCounts{3, 3, 1}) {
		t.Errorf("%+v, want one load, one merge and one inspection for all that was asked about a change", c)
	}
}

// TestLSPPositionEncoding has a character before the name that is four bytes and
// two UTF-16 code units long.
func TestLSPPositionEncoding(t *testing.T) {
	bin := buildBinary(t)
	for _, tt := range []struct {
		encodings []string
		character int
	}{{nil, 11}, {[]string{"utf-16"}, 11}, {[]string{"utf-32", "utf-8"}, 13}} {
		e := startEditor(t, bin, map[string]string{"t.yml": "a: (( \"😀\" nope ))\n"})
		e.request("initialize", map[string]any{"rootUri": e.uri(""), "capabilities": map[string]any{"general": map[string]any{"positionEncodings": tt.encodings}}})
		e.notify("initialized", map[string]any{})
		e.play("open t.yml")
		e.check()
		want := fmt.Sprintf(`"start":{"line":0,"character":%d}`, tt.character)
		if got := e.shown["t.yml"]; len(got) != 1 || !strings.Contains(string(got[0]), want) {
			t.Errorf("%v: got %s, want %s", tt.encodings, got, want)
		}
		e.play("shutdown")
		e.play("exit")
	}
}

// TestLSPPullsSettings answers the server when it asks for its settings.
func TestLSPPullsSettings(t *testing.T) {
	e := startEditor(t, buildBinary(t), map[string]string{"t.yml": "a: (( merge ))\n", "s.yml": "a: 1\n"})
	e.request("initialize", map[string]any{"rootUri": e.uri(""), "capabilities": map[string]any{"workspace": map[string]any{"configuration": true}}})
	e.notify("initialized", map[string]any{})
	ask := e.receive()
	if ask.Method != "workspace/configuration" || ask.ID == nil {
		t.Fatalf("got %s", ask.Method)
	}
	e.send(map[string]any{"id": ask.ID, "result": []any{map[string]any{"sets": []any{map[string]any{"template": "t.yml", "stubs": []string{"s.yml"}}}}}})
	e.play("open t.yml")
	for { // the answer is taken over beside what comes after it
		h := e.request("textDocument/hover", e.at("t.yml", "|a: "))
		if bytes.Contains(h.Result, []byte("s.yml")) {
			return
		}
	}
}
