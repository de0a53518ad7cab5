// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/program"
	"github.com/dynaml/spiff/value"
	"github.com/dynaml/spiff/vm"
)

// Instantiate begins an instance of a template at the calling node.
func (l *level) Instantiate(f *vm.Fiber, scope *vm.Scope, t value.Value) (uint32, error) {
	if t.Kind != value.Template {
		return 0, errors.New("template value required")
	}
	p, at := f.At()
	name := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(p.Text[at.Start:at.End]), "*"))
	return l.instance(f, scope, l.s.Object(t.Ref).(*Template).node, "template", name)
}

// instance makes the root cell of an instance: a document of its own, at the
// place and with the stubs of the calling node.
func (l *level) instance(f *vm.Fiber, scope *vm.Scope, node value.ID, what, name string) (uint32, error) {
	if w, ok := l.located(f.Cell); !ok {
		return 0, l.pend(w, evLocated, noPath, 0)
	}
	depth := 1
	if c := l.cell(f.Cell); c.flags&fInstance != 0 {
		depth += l.extraOf(c).depth
	} else if c.inst != 0 {
		depth += l.extraOf(l.cell(c.inst)).depth
	}
	if most := l.opt.Limits.Instances; depth > most {
		return 0, &vm.Error{Fatal: true, Msg: fmt.Sprintf("%s '%s' nests deeper than %d instances: does it instantiate itself?", what, name, most)}
	}
	if scope == nil {
		scope = l.base(l.cell(f.Cell))
	}
	v := l.newCell(node, f.Cell, 0, fInstance|fBody|fLocated)
	c, by := l.cell(v), l.cell(f.Cell)
	c.hits = by.hits
	x := l.extra(c)
	x.scope, x.depth, x.template = scope, depth, what+" '"+name+"'"
	l.instances = append(l.instances, v)
	return v, nil
}

// Instance returns the finished value of an instance.
func (l *level) Instance(_ *vm.Fiber, v uint32) (value.Value, error) {
	c := l.cell(v)
	switch c.state {
	case sDone:
		return l.load(c.out), nil
	case sUndefined:
		return value.Undef, nil
	case sFailed, sBroken:
		return value.Value{}, &vm.Error{Msg: fmt.Sprintf("resolution of %s failed", l.extraOf(c).template), Instance: v}
	}
	return value.Value{}, l.pend(v, evDone, noPath, 0)
}

// failInstances fails the instances in which a node waits for one that failed
// (semantics 4.4). It reports whether there was one.
func (l *level) failInstances() bool {
	open := false
	for _, v := range l.instances {
		open = open || !l.cell(v).settled()
	}
	if !open {
		return false
	}
	any := false
	tags := l.newTags()
	for _, v := range l.sched.Blocked() {
		if inst := l.cell(v).inst; inst != 0 && !l.cell(inst).settled() && tags.of(v) == tagFailed {
			l.poison(inst)
			any = true
		}
	}
	return any
}

// Read reads a file (semantics 5, read). YAML content is evaluated at the
// calling node like an instance.
func (l *level) Read(f *vm.Fiber, scope *vm.Scope, args []value.Value) (value.Value, uint32, error) {
	none := value.Value{}
	switch {
	case len(args) == 0:
		return none, 0, errors.New("read requires at least one argument")
	case len(args) > 2:
		return none, 0, errors.New("read takes a maximum of two arguments")
	case args[0].Kind != value.String:
		return none, 0, errors.New("string value required for file path")
	case len(args) == 2 && args[1].Kind != value.String:
		return none, 0, errors.New("string value required for type")
	}
	file := args[0].Str
	kind := "text"
	switch filepath.Ext(file) {
	case ".yml", ".yaml", ".json":
		kind = "yaml"
	}
	if len(args) == 2 {
		kind = args[1].Str
	}
	if kind != "text" && kind != "yaml" {
		return none, 0, fmt.Errorf("invalid file type [%s] %s", file, kind)
	}
	text, err := l.readFile(file)
	if err != nil {
		var stop *builtin.Stop
		if errors.As(err, &stop) {
			return none, 0, err
		}
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = fmt.Errorf("open %s: %w", file, pe.Err)
		}
		return none, 0, fmt.Errorf("read: error reading [%s]: %w", file, err)
	}
	if kind == "text" {
		return value.OfString(text), 0, nil
	}
	root, err := l.ext.parseFile(l.s, file, text)
	if err != nil {
		return none, 0, fmt.Errorf("error parsing file [%s]: %w", file, err)
	}
	if root == 0 {
		return value.NullVal, 0, nil
	}
	if k := l.s.Kind(root); k != value.Map && k != value.List && k != value.Expr {
		return l.s.Load(root), 0, nil
	}
	inst, err := l.instance(f, scope, root, "yaml file", file)
	return none, inst, err
}

// context returns the value of a reference into __ctx (semantics 3.6).
func (l *level) context(v uint32, p *program.Path) (value.Value, error) {
	if err := l.pathKnown(v); err != nil {
		return value.Value{}, err
	}
	return l.follow(l.contextMap(v), p, 1, false)
}

// resolvedFile is the name of the document's file without symbolic links.
func (l *level) resolvedFile() string {
	if l.resolved == "" {
		l.resolved = l.src.Name
		if r, err := filepath.EvalSymlinks(l.src.Name); err == nil {
			l.resolved = r
		}
	}
	return l.resolved
}

// contextMap builds the map of __ctx for a cell.
func (l *level) contextMap(v uint32) value.ID {
	file, resolved := l.src.Name, l.resolvedFile()
	steps := l.pathSteps(v, true)
	elems := make([]value.ID, len(steps))
	at := l.At()
	for i, st := range steps {
		elems[i] = l.s.Put(value.OfString(st), at)
	}
	str := func(s string) value.ID { return l.s.Put(value.OfString(s), at) }
	keys := []value.Sym{l.s.Intern("FILE"), l.s.Intern("DIR"), l.s.Intern("RESOLVED_FILE"),
		l.s.Intern("RESOLVED_DIR"), l.s.Intern("PATHNAME"), l.s.Intern("PATH")}
	vals := []value.ID{str(file), str(filepath.Dir(file)), str(resolved),
		str(filepath.Dir(resolved)), str(strings.Join(steps, ".")), l.s.ListNode(at, elems, 0)}
	return l.s.MapNode(at, keys, vals)
}
