// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

var replCommand = command{
	name:  "repl",
	args:  "[flags]",
	short: "evaluate expressions line by line",
	long: `
Reads expressions, one in a line or in several if brackets are open, and prints
their values. With -f, the files are merged first, the template before the stubs,
and expressions see the result. NAME = EXPR binds a name for what follows; :help
lists the commands.
On a terminal, lines are edited, the tab key completes names, paths and functions,
and lines are kept in the file $` + historyVariable + `, by default spiff/history in the
folder for caches; none are if the variable is empty. Ctrl-C gives up a line, Ctrl-D
ends. Otherwise lines are read from the standard input to its end, and the exit
status is 1 if one of them failed.`,
	examples: []usageExample{
		{"spiff repl -f template.yml -f stub.yml", "look around in the result of a merge"},
		{"echo 'jobs.api.instances * 2' | spiff repl -f template.yml", "evaluate what another program prints"},
	},
	complete: []completion{nothing},
	flags:    evalFlags,
	limited:  true,
	merges:   true,
	run:      runRepl,
}

const (
	prompt     = "spiff> "
	promptMore = "  ...> " // while brackets are open
)

// A lineSource gives the lines of a session. The error is io.EOF at the end,
// maybe beside a last line, or errCancelled.
type lineSource interface {
	line(prompt string) (string, error)
}

// errCancelled is for a line that was given up.
var errCancelled = errors.New("cancelled")

// pipedLines are those of what is no terminal. Nothing is prompted.
type pipedLines struct{ r *bufio.Reader }

func (p pipedLines) line(string) (string, error) {
	text, err := p.r.ReadString('\n')
	return strings.TrimRight(text, "\r\n"), err
}

func runRepl(e *env, flags *pflag.FlagSet) error {
	if flags.NArg() > 0 {
		return usageError{fmt.Sprintf("files are given with -f: -f %s", flags.Arg(0))}
	}
	if files, _ := flags.GetStringArray("file"); slices.Contains(append(files, bindingsFile(flags)), "-") {
		return usageError{"the standard input is where expressions are read from, it cannot be a file as well"}
	}
	v, err := newEvaluation(e, flags)
	if err != nil {
		return err
	}
	if err := v.report.print(false); err != nil {
		return err
	}
	v.forget()
	s := &session{env: e, v: v}
	if in, ok := e.stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		t := newTerminal(e, s)
		defer t.close()
		return s.read(t)
	}
	if err := s.read(pipedLines{bufio.NewReader(e.stdin)}); err != nil {
		return err
	}
	if s.failed {
		return errReported
	}
	return nil
}

// forget empties the report.
func (v *evaluation) forget() {
	v.report.errors, v.report.warnings, v.report.classic = nil, nil, nil
	v.report.opt.Header, v.report.opt.Legend = "", ""
}

// A session evaluates lines.
type session struct {
	env     *env
	v       *evaluation
	defined []definition // in the order they were made
	failed  bool         // a line did
	ended   bool         // by a command
}

// A definition is a name that was bound in the session.
type definition struct{ name, expr string }

// read evaluates lines until there are no more.
func (s *session) read(lines lineSource) error {
	for !s.ended {
		text, err := statement(lines)
		if err == errCancelled {
			continue
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("error reading expressions: %w", err)
		}
		if strings.TrimSpace(text) != "" {
			if err := s.execute(text); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
	return nil
}

// statement reads lines until all brackets are closed.
func statement(lines lineSource) (string, error) {
	text, err := lines.line(prompt)
	for err == nil && !strings.HasPrefix(strings.TrimSpace(text), ":") && open(text) {
		var more string
		more, err = lines.line(promptMore)
		text += "\n" + more
	}
	return text, err
}

// open says whether a bracket is open at the end of a text.
func open(text string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
	}
	return depth > 0
}

// assignment is NAME = EXPR, which is no comparison.
var assignment = regexp.MustCompile(`(?s)^\s*([A-Za-z_][A-Za-z0-9_-]*)\s*=([^=].*)$`)

// words of the language that cannot be names.
var reserved = []string{"merge", "nil", "true", "false", "not", "auto", "lambda", "map", "sum"}

// execute evaluates one expression, definition or command. What is wrong with it
// is printed; the error is one of writing.
func (s *session) execute(text string) error {
	var out []byte
	var err error
	if name, args, isCommand := strings.Cut(strings.TrimSpace(text), ":"); isCommand && name == "" {
		out, err = s.command(args)
	} else if m := assignment.FindStringSubmatch(text); m != nil {
		err = s.define(definition{m[1], m[2]})
	} else {
		out, err = s.v.print(text, "", spiff.Output{})
	}
	s.v.fail(err)
	if err := s.report(); err != nil {
		return err
	}
	_, err = s.env.stdout.Write(out)
	return err
}

// report prints what is wrong, if anything is.
func (s *session) report() error {
	r := s.v.report
	if len(r.errors)+len(r.warnings) == 0 {
		return nil
	}
	err := r.print(false)
	s.v.forget()
	if err == errReported {
		s.failed = true
		return nil
	}
	return err
}

// define binds a name to the value of an expression.
func (s *session) define(d definition) error {
	if slices.Contains(reserved, d.name) {
		return &diag.Diagnostic{Code: diag.Usage, Msg: fmt.Sprintf("%s is a word of the language and cannot be bound", d.name), Fix: "choose another name"}
	}
	r, err := s.v.e.Eval(d.expr, "")
	if err != nil {
		return err
	}
	s.v.e.Define(d.name, r)
	s.defined = slices.DeleteFunc(s.defined, func(o definition) bool { return o.name == d.name })
	s.defined = append(s.defined, d)
	if keys, _ := s.v.e.Names(); slices.Contains(keys, d.name) {
		s.v.report.warnings = append(s.v.report.warnings, diag.Warnf(diag.Span{}, "the document has a key %q, which hides what is bound", d.name))
	}
	return nil
}

// A sessionCommand is what a line that begins with a colon does.
type sessionCommand struct {
	name, args, does string
	run              func(s *session, args string) ([]byte, error)
}

// sessionCommands is made by a function, as :help lists it.
func sessionCommands() []sessionCommand {
	return []sessionCommand{
		{"help", "", "list the commands", (*session).help},
		{"load", "[FILE...]", "merge other files, template first, or none; what was defined is evaluated again", (*session).load},
		{"paths", "[PATH]", "list what there is at the root or below PATH", (*session).paths},
		{"type", "EXPR", "print of which kind the value of EXPR is", (*session).kind},
		{"quit", "", "end", func(s *session, _ string) ([]byte, error) { s.ended = true; return nil, nil }},
	}
}

func (s *session) command(text string) ([]byte, error) {
	name, args, _ := strings.Cut(text, " ")
	var names []string
	for _, c := range sessionCommands() {
		if c.name == name {
			return c.run(s, strings.TrimSpace(args))
		}
		names = append(names, c.name)
	}
	d := &diag.Diagnostic{Code: diag.Usage, Msg: fmt.Sprintf("there is no command :%s", name), Fix: ":help lists the commands"}
	if like := diag.Closest(name, names); like != "" {
		d.Fix = fmt.Sprintf("did you mean :%s?", like)
	}
	return nil, d
}

func (s *session) help(string) ([]byte, error) {
	out := []byte("EXPR             print the value of an expression\nNAME = EXPR      bind a name\n")
	for _, c := range sessionCommands() {
		out = fmt.Appendf(out, "%-16s %s\n", strings.TrimSpace(":"+c.name+" "+c.args), c.does)
	}
	return out, nil
}

func (s *session) load(args string) ([]byte, error) {
	files := strings.Fields(args)
	if slices.Contains(files, "-") {
		return nil, errors.New("the standard input cannot be loaded")
	}
	before := s.v.e
	if err := s.v.load(files); err != nil || s.v.e == before {
		return nil, err
	}
	defined := s.defined
	s.defined = nil
	for _, d := range defined {
		s.v.fail(s.define(d))
	}
	return nil, nil
}

func (s *session) paths(path string) (out []byte, err error) {
	path = strings.TrimPrefix(path, ".")
	fields, err := s.v.e.Fields(path)
	for _, f := range fields {
		if path != "" && f[0] != '[' {
			f = "." + f
		}
		out = fmt.Appendf(out, "%s%s\n", path, f)
	}
	return out, err
}

func (s *session) kind(expr string) ([]byte, error) {
	r, err := s.v.e.Eval(expr, "")
	if err != nil {
		return nil, err
	}
	kind, err := r.Kind()
	return []byte(kind + "\n"), err
}
