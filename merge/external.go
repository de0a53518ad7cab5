// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dynaml/spiff/builtin"
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
	patterns map[string]*builtin.Pattern
}

type ran struct {
	out string
	err error
}

// readFile returns the text of a file. The error may be a *builtin.Stop.
func (n *Session) readFile(name string) (string, error) {
	x := &n.ext
	if t, ok := x.texts[name]; ok {
		return t, nil
	}
	read := n.opt.Files.ReadFile
	if read == nil {
		read = NewReader(n.opt.Policy, n.opt.Limits)
	}
	b, err := read(name)
	if err != nil {
		return "", err
	}
	if x.texts == nil {
		x.texts = map[string]string{}
	}
	n.s.Charge(len(b))
	x.texts[name] = string(b)
	return string(b), nil
}

// NewReader returns what reads files as far as a policy and the limits allow.
func NewReader(p Policy, l Limits) func(name string) ([]byte, error) {
	l.setDefaults()
	return func(name string) ([]byte, error) {
		f, err := p.open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		b, err := ReadWithin(f, l.Input)
		if err == ErrTooLarge {
			err = builtin.Stopf(diag.TooLarge, "%q has more than %d bytes", name, l.Input)
		}
		return b, err
	}
}

// ErrTooLarge is returned by ReadWithin.
var ErrTooLarge = errors.New("too large")

// ReadWithin reads all there is, but fails with ErrTooLarge if that is more
// than most bytes.
func ReadWithin(r io.Reader, most int64) ([]byte, error) {
	var b bytes.Buffer
	if f, ok := r.(*os.File); ok {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
			b.Grow(int(min(st.Size(), most)) + bytes.MinRead)
		}
	}
	if _, err := b.ReadFrom(io.LimitReader(r, most+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > most {
		return nil, ErrTooLarge
	}
	return b.Bytes(), nil
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
func (l *level) YAML(v value.Value) (string, error) {
	id := l.s.Put(v, l.At())
	out, err := doc.Append(nil, l.s, id, doc.WriteOptions{MaxBytes: maxYAML})
	if err != nil {
		return "", builtin.Stopf(diag.TooLarge, "the value as YAML: %s", plainMessage(err))
	}
	return string(out), nil
}

// maxYAML bounds the text that a list or map becomes for a function.
const maxYAML = 1 << 26

// plainMessage returns the message of an error without its place.
func plainMessage(err error) string {
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		return d.Msg
	}
	return err.Error()
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

// patternBytes is what an instruction of a compiled pattern counts for the limit
// of memory.
const patternBytes = 256

// Regexp compiles a pattern once.
func (l *level) Regexp(pattern string) (*builtin.Pattern, error) {
	if p, ok := l.ext.patterns[pattern]; ok {
		return p, nil
	}
	p, err := builtin.CompilePattern(pattern)
	if err != nil {
		return nil, err
	}
	if l.ext.patterns == nil {
		l.ext.patterns = map[string]*builtin.Pattern{}
	}
	l.s.Charge(len(pattern) + p.Size*patternBytes)
	l.ext.patterns[pattern] = p
	return p, nil
}

// Exec runs a command once per argument list.
func (l *level) Exec(argv []string) (string, error) {
	key := strings.Join(argv, "\x00")
	if r, ok := l.ext.commands[key]; ok {
		return r.out, r.err
	}
	if err := l.opt.Policy.exec(argv[0]); err != nil {
		return "", err
	}
	run, stderr := l.opt.Files.Exec, l.opt.Files.Stderr
	if run == nil {
		run = NewCommand(l.opt.Context, l.opt.Limits).Run
	}
	if stderr == nil {
		stderr = io.Discard
	}
	out, err := run(argv, stderr)
	l.s.Charge(len(out))
	if l.ext.commands == nil {
		l.ext.commands = map[string]ran{}
	}
	l.ext.commands[key] = ran{string(out), err}
	return string(out), err
}

// LookupEnv returns an environment variable. Messages do not show the text of
// one that looks like a secret.
func (l *level) LookupEnv(name string) (string, bool, error) {
	if err := l.opt.Policy.env(name); err != nil {
		return "", false, err
	}
	lookup := l.opt.Files.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	text, ok := lookup(name)
	if LooksSecret(name) {
		l.s.Hide(text)
	}
	return text, ok, nil
}

// MaxRange bounds the entries of a range.
func (l *level) MaxRange() int { return l.opt.Limits.Range }

// Spend counts work like instructions.
func (l *level) Spend(n int) error { return l.vm.Spend(n) }
