// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// Files is the world outside of the documents. Nil fields mean the real one.
type Files struct {
	ReadFile  func(name string) ([]byte, error)
	LookupEnv func(name string) (string, bool)
	Exec      func(argv []string, stderr io.Writer) ([]byte, error)
	Stderr    io.Writer // where commands' error output goes
}

// external remembers what was read or run, so that each happens once per
// merge.
type external struct {
	commands map[string]ran
	texts    map[string]string
	docs     map[string]value.ID
	patterns map[string]*regexp.Regexp
}

type ran struct {
	out string
	err error
}

func (x *external) readFile(f Files, name string) (string, error) {
	if t, ok := x.texts[name]; ok {
		return t, nil
	}
	read := f.ReadFile
	if read == nil {
		read = os.ReadFile
	}
	b, err := read(name)
	if err != nil {
		return "", err
	}
	if x.texts == nil {
		x.texts = map[string]string{}
	}
	x.texts[name] = string(b)
	return string(b), nil
}

// parseFile reads a single YAML document, once per name.
func (x *external) parseFile(s *value.Store, name, text string) (value.ID, error) {
	if id, ok := x.docs[name]; ok {
		return id, nil
	}
	id, err := parseOne(s, name, text)
	if err != nil {
		return 0, err
	}
	if x.docs == nil {
		x.docs = map[string]value.ID{}
	}
	x.docs[name] = id
	return id, nil
}

// parseOne reads text that must be one document; an empty one is 0.
func parseOne(s *value.Store, name, text string) (value.ID, error) {
	r, err := doc.Read(s, diag.NewSource(name, text))
	if err != nil {
		return 0, err
	}
	if len(r.Docs) != 1 {
		return 0, fmt.Errorf("multi document not possible")
	}
	if r.Empty {
		return 0, nil
	}
	return r.Docs[0], nil
}

// YAML returns the canonical text of a value.
func (l *level) YAML(v value.Value) string {
	id := l.s.Put(v, l.At())
	out, err := doc.Append(nil, l.s, id, doc.WriteOptions{})
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// ParseYAML reads a document that a command printed.
func (l *level) ParseYAML(name, text string) (value.Value, error) {
	id, err := parseOne(l.s, name, text)
	if err != nil {
		return value.Value{}, err
	}
	if id == 0 {
		return value.NullVal, nil
	}
	return l.s.Load(id), nil
}

// Regexp compiles a pattern once.
func (l *level) Regexp(pattern string) (*regexp.Regexp, error) {
	if re, ok := l.ext.patterns[pattern]; ok {
		return re, nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	if l.ext.patterns == nil {
		l.ext.patterns = map[string]*regexp.Regexp{}
	}
	l.ext.patterns[pattern] = re
	return re, nil
}

// Exec runs a command once per argument list.
func (l *level) Exec(argv []string) (string, error) {
	key := strings.Join(argv, "\x00")
	if r, ok := l.ext.commands[key]; ok {
		return r.out, r.err
	}
	run, stderr := l.opt.Files.Exec, l.opt.Files.Stderr
	if run == nil {
		run = execute
	}
	if stderr == nil {
		stderr = io.Discard
	}
	out, err := run(argv, stderr)
	if l.ext.commands == nil {
		l.ext.commands = map[string]ran{}
	}
	l.ext.commands[key] = ran{string(out), err}
	return string(out), err
}

func execute(argv []string, stderr io.Writer) ([]byte, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, stderr
	err := cmd.Run()
	return out.Bytes(), err
}

// LookupEnv returns an environment variable.
func (l *level) LookupEnv(name string) (string, bool) {
	if f := l.opt.Files.LookupEnv; f != nil {
		return f(name)
	}
	return os.LookupEnv(name)
}
