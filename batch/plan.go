// SPDX-License-Identifier: Apache-2.0

// Package batch merges many targets whose inputs overlap: it reads a list of
// targets, parses each input once, merges the targets in parallel, and writes
// all results or none. A Runner remembers what it did, and does again only what
// a changed file asks for.
//
// It touches no file itself: it reads and writes through Options. It knows how
// targets share inputs, and nothing about what a merge does.
package batch

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/value"
)

// A Target is one merge of a batch. The names of its files are relative to the
// working folder.
type Target struct {
	Name     string // unique; if none is written, the output as written
	Template string
	Stubs    []string
	Output   string
	Bindings []string // definitions for spiff.Define
	Partial  bool     // as the flag of merge
	Format   spiff.Output

	Span diag.Span   // of its name in the batch file, or of the output
	uses []diag.Span // of the inputs
}

// Inputs returns the files that the target is merged from, the template first.
func (t *Target) Inputs() []string { return append([]string{t.Template}, t.Stubs...) }

// same says whether two targets ask for the same.
func (t *Target) same(u *Target) bool {
	a, b := *t, *u
	a.Span, a.uses, b.Span, b.uses = diag.Span{}, nil, diag.Span{}, nil
	return reflect.DeepEqual(a, b)
}

// A Plan is a batch file, or a share of it.
type Plan struct {
	Targets  []*Target // in the order of the file
	Warnings diag.List
}

// ParseOptions say how a batch file is read.
type ParseOptions struct {
	Limits spiff.Limits
	// Identity returns the same text for names of the same file. Nil compares
	// names as they are after filepath.Clean.
	Identity func(name string) string
	// Inputs are files besides the batch file that all targets read, such as
	// bindings. No output may replace them.
	Inputs []string
}

// A field is a key of a target.
type field struct {
	name     string
	required bool
	set      func(p *planner, t *Target, v value.ID) bool // false if v is of the wrong kind
	want     string                                       // the kind that is right
}

var fields = []field{
	{name: "name", want: "a text", set: func(p *planner, t *Target, v value.ID) bool { return p.text(v, &t.Name) }},
	{name: "template", required: true, want: "the name of a file", set: func(p *planner, t *Target, v value.ID) bool {
		t.uses = append(t.uses, p.s.Span(v))
		return p.file(v, &t.Template)
	}},
	{name: "stubs", want: "a list of names of files", set: (*planner).stubs},
	{name: "bindings", want: "a map", set: (*planner).bindings},
	{name: "output", required: true, want: "the name of a file", set: func(p *planner, t *Target, v value.ID) bool { return p.file(v, &t.Output) }},
	{name: "partial", want: "true or false", set: func(p *planner, t *Target, v value.ID) bool { return p.truth(v, &t.Partial) }},
	{name: "json", want: "true or false", set: func(p *planner, t *Target, v value.ID) bool { return p.truth(v, &t.Format.JSON) }},
	{name: "path", want: "a path", set: func(p *planner, t *Target, v value.ID) bool {
		return p.text(v, &t.Format.Path) && p.path(v, spiff.Output{Path: t.Format.Path})
	}},
	{name: "select", want: "a list of paths", set: (*planner).selects},
	{name: "preserve", want: "order, comments or order,comments", set: (*planner).preserve},
	{name: "preserve-temporary", want: "true or false", set: func(p *planner, t *Target, v value.ID) bool { return p.truth(v, &t.Format.KeepTemporary) }},
	{name: "preserve-escapes", want: "true or false", set: func(p *planner, t *Target, v value.ID) bool { return p.truth(v, &t.Format.KeepEscapes) }},
}

// targetsKey is the one key of a batch file that is a map.
const targetsKey = "targets"

// A planner takes a batch file apart.
type planner struct {
	s        *value.Store
	folder   string
	identity func(string) string
	errors   diag.List

	names   map[string]diag.Span
	outputs map[string]use
	inputs  map[string]use
	reads   map[string]string // the batch file and what all targets read
}

// A use is the place where a file is named, as name.
type use struct {
	name   string
	at     diag.Span
	target string
}

// Parse reads the text of a batch file; names in it are relative to the folder
// of name. The error is a diag.List of all that is wrong, with places.
func Parse(name string, text []byte, opt ParseOptions) (*Plan, error) {
	d, err := spiff.LoadWithin(name, text, opt.Limits) // words errors and warnings
	if err != nil {
		return nil, err
	}
	p := &planner{
		s: value.NewStore(), folder: filepath.Dir(name), identity: opt.Identity,
		names: map[string]diag.Span{}, outputs: map[string]use{}, inputs: map[string]use{}, reads: map[string]string{},
	}
	if p.identity == nil {
		p.identity = filepath.Clean
	}
	r, err := doc.ReadWithin(p.s, diag.NewSource(name, string(text)), doc.Limits{Depth: opt.Limits.Depth, Aliases: opt.Limits.Aliases})
	if err != nil {
		return nil, err
	}
	for _, file := range append([]string{name}, opt.Inputs...) {
		if file != "-" { // the standard input
			p.reads[p.identity(file)] = file
		}
	}
	plan := &Plan{Warnings: d.Warnings()}
	if len(r.Docs) > 1 {
		p.fail(p.s.Span(r.Docs[1]), "one document is expected, this is another one").Fix = "put all targets into one list"
	} else if list := p.list(r.Docs[0]); list != 0 {
		for _, v := range p.s.Elems(p.s.Node(list)) {
			plan.Targets = append(plan.Targets, p.target(v))
		}
		p.inputsThatAreOutputs(plan)
	}
	if len(p.errors) > 0 {
		p.errors.Sort()
		return nil, p.errors
	}
	return plan, nil
}

func (p *planner) fail(at diag.Span, format string, args ...any) *diag.Diagnostic {
	d := diag.Errorf(at, format, args...)
	d.Code = diag.BatchFile
	p.errors = append(p.errors, d)
	return d
}

// list returns the list of targets, or 0 if there is none.
func (p *planner) list(root value.ID) value.ID {
	list := root
	if p.s.Kind(root) == value.Map {
		list = 0
		n := p.s.Node(root)
		for i, k := range p.s.Keys(n) {
			if p.s.Name(k) == targetsKey {
				list = p.s.Vals(n)[i]
			} else {
				p.unknownKey(p.s.Name(k), p.s.Vals(n)[i], "a batch file", []string{targetsKey})
			}
		}
	}
	switch {
	case list == 0 && len(p.errors) > 0: // the key is misspelt
		return 0
	case list == 0 || p.s.Kind(list) != value.List:
		at := p.s.Span(root)
		if list != 0 {
			at = p.s.Span(list)
		}
		p.fail(at, "a list of targets is expected").Fix = "write a list, alone or as the value of the key targets; each entry has a template and an output"
		return 0
	case p.s.Node(list).Len == 0:
		p.fail(p.s.Span(list), "there are no targets").Fix = "add an entry with a template and an output"
		return 0
	}
	return list
}

// unknownKey complains about a key that what does not have.
func (p *planner) unknownKey(key string, v value.ID, what string, known []string) {
	d := p.fail(p.s.Span(v).Key(key), "unknown key %q", key)
	if c := diag.Closest(key, known); c != "" {
		d.Fix = fmt.Sprintf("did you mean %q?", c)
		return
	}
	d.Fix = fmt.Sprintf("%s has the keys %s", what, strings.Join(known, ", "))
}

// target reads one target, as far as it is right.
func (p *planner) target(v value.ID) *Target {
	t := &Target{}
	at := p.s.Span(v)
	if p.s.Kind(v) != value.Map {
		p.fail(at, "a target is a map, this is %s", p.what(v)).Fix = "write the keys template and output, and maybe stubs and name"
		return t
	}
	n := p.s.Node(v)
	written := map[string]value.ID{}
	for i, k := range p.s.Keys(n) {
		name, val := p.s.Name(k), p.s.Vals(n)[i]
		if written[name] = val; !slices.Contains(fieldNames(), name) {
			p.unknownKey(name, val, "a target", fieldNames())
		}
	}
	// In the order of the table, so that messages may use the name.
	for _, f := range fields {
		val := written[f.name]
		switch {
		case val == 0 && f.required:
			p.fail(at, "the target has no %s", f.name).Fix = fmt.Sprintf("add the key %s: %s", f.name, f.want)
		case val == 0:
		case !f.set(p, t, val):
			p.wrongKind(f, val)
		}
	}
	p.name(t, written)
	p.files(t, written)
	return t
}

func fieldNames() (names []string) {
	for _, f := range fields {
		names = append(names, f.name)
	}
	return names
}

func (p *planner) wrongKind(f field, v value.ID) {
	d := p.fail(p.s.Span(v), "%s must be %s, this is %s", f.name, f.want, p.what(v))
	switch k := p.s.Kind(v); {
	case k == value.Expr:
		d.Fix = "a batch file is not evaluated; merge it first: spiff merge FILE | spiff batch -"
	case (f.name == "stubs" || f.name == "select") && k == value.String:
		d.Fix = fmt.Sprintf("write a list: [%s]", p.s.Text(p.s.Node(v)))
	case k > value.Null && k < value.String && !strings.HasPrefix(f.want, "true") && f.name != "bindings":
		d.Fix = "put it in quotes"
	}
}

// what names the kind of a value.
func (p *planner) what(v value.ID) string {
	switch k := p.s.Kind(v); k {
	case value.String:
		if p.s.Text(p.s.Node(v)) == "" {
			return "an empty text"
		}
		return "a string"
	case value.Null:
		return "nothing"
	case value.Expr:
		return "an expression"
	case value.Int, value.Big, value.Float:
		return "a number"
	case value.Bool:
		return "a truth value"
	default:
		return "a " + k.String()
	}
}

// text takes over a text of one line that is not empty.
func (p *planner) text(v value.ID, to *string) bool {
	n := p.s.Node(v)
	if n.Kind != value.String {
		return false
	}
	*to = p.s.Text(n)
	return *to != "" && !strings.ContainsAny(*to, "\n\r\x00")
}

// truth takes over a truth value.
func (p *planner) truth(v value.ID, to *bool) bool {
	n := p.s.Node(v)
	*to = n.Pay != 0
	return n.Kind == value.Bool
}

// path says what is wrong with a path that is none. It returns true: the kind is
// right.
func (p *planner) path(v value.ID, o spiff.Output) bool {
	if err := o.Check(); err != nil {
		p.fail(p.s.Span(v), "%s", err).Fix = "write the path of a node, such as jobs.api or /jobs/name=api"
	}
	return true
}

func (p *planner) selects(t *Target, v value.ID) bool {
	return p.entries(v, field{name: "an entry of select", want: "a path"}, func(e value.ID) bool {
		var path string
		if !p.text(e, &path) {
			return false
		}
		t.Format.Select = append(t.Format.Select, path)
		return p.path(e, spiff.Output{Select: []string{path}})
	})
}

// entries takes over the entries of a list one by one, and says which are not
// what an entry is. It returns false if v is no list.
func (p *planner) entries(v value.ID, entry field, take func(e value.ID) bool) bool {
	n := p.s.Node(v)
	if n.Kind != value.List {
		return false
	}
	for _, e := range p.s.Elems(n) {
		if !take(e) {
			p.wrongKind(entry, e)
		}
	}
	return true
}

// preserve takes over the words that the flag --preserve has, too, with commas
// between them.
func (p *planner) preserve(t *Target, v value.ID) bool {
	var text string
	if !p.text(v, &text) {
		return false
	}
	for word := range strings.SplitSeq(text, ",") {
		if !t.Format.Preserve(word) {
			return false
		}
	}
	if t.Format.JSON {
		p.fail(p.s.Span(v), "json and preserve exclude each other: the keys of JSON objects have no order, and JSON has no comments").Fix = "leave one of them out"
	}
	return true
}

// bindings takes over a map of names and values as definitions.
func (p *planner) bindings(t *Target, v value.ID) bool {
	n := p.s.Node(v)
	if n.Kind != value.Map {
		return false
	}
	for i, k := range p.s.Keys(n) {
		text, err := doc.Append(nil, p.s, p.s.Vals(n)[i], doc.WriteOptions{KeepTemporary: true})
		if err != nil {
			p.fail(p.s.Span(v), "%s", err)
			continue
		}
		definition := strconv.Quote(p.s.Name(k)) + "=" + string(text)
		if _, err := spiff.Define(nil, definition); err != nil {
			d := p.fail(p.s.Span(p.s.Vals(n)[i]).Key(p.s.Name(k)), "%q cannot be bound", p.s.Name(k))
			d.Fix = "give it another name"
			continue
		}
		t.Bindings = append(t.Bindings, definition)
	}
	return true
}

// file takes over the name of a file.
func (p *planner) file(v value.ID, to *string) bool {
	if !p.text(v, to) {
		return false
	}
	if !filepath.IsAbs(*to) {
		*to = filepath.Join(p.folder, *to)
	}
	return true
}

func (p *planner) stubs(t *Target, v value.ID) bool {
	return p.entries(v, field{name: "a stub", want: "the name of a file"}, func(e value.ID) bool {
		var name string
		if !p.file(e, &name) {
			return false
		}
		t.Stubs, t.uses = append(t.Stubs, name), append(t.uses, p.s.Span(e))
		return true
	})
}

// name gives the target its name and looks whether another one has it.
func (p *planner) name(t *Target, written map[string]value.ID) {
	if v := written["name"]; v != 0 {
		t.Span = p.s.Span(v)
	} else if v := written["output"]; v != 0 {
		t.Span = p.s.Span(v)
		p.text(v, &t.Name)
	}
	if t.Name == "" {
		return
	}
	first, twice := p.names[t.Name]
	if !twice {
		p.names[t.Name] = t.Span
		return
	}
	if written["name"] != 0 { // else the output is there twice, which is said
		d := p.fail(t.Span, "there is another target %q", t.Name).WithNote(first, "it is here")
		d.Fix = "give each target a name of its own"
	}
}

// files notes the files of a target and looks whether its output is written
// twice.
func (p *planner) files(t *Target, written map[string]value.ID) {
	if t.Output != "" {
		u := use{t.Output, p.s.Span(written["output"]), t.Name}
		id := p.identity(t.Output)
		if file := p.reads[id]; file != "" {
			d := p.fail(u.at, "the output %q would overwrite %s, which the batch reads", t.Output, file)
			d.Fix = "write to another file"
		}
		if first, twice := p.outputs[id]; twice {
			d := p.fail(u.at, "%q is the output of the target %q already", t.Output, first.target).WithNote(first.at, "it is here")
			d.Fix = "give each target an output of its own"
		} else {
			p.outputs[id] = u
		}
	}
	for i, name := range t.Inputs() {
		if name == "" || i >= len(t.uses) {
			continue // it is not what it should be
		}
		id := p.identity(name)
		if _, known := p.inputs[id]; !known {
			p.inputs[id] = use{name, t.uses[i], t.Name}
		}
	}
}

// inputsThatAreOutputs looks for outputs that would replace an input: then the
// result would depend on what was written before.
func (p *planner) inputsThatAreOutputs(plan *Plan) {
	for _, t := range plan.Targets {
		if t.Output == "" {
			continue
		}
		id := p.identity(t.Output)
		out := p.outputs[id]
		if in, both := p.inputs[id]; both && out.target == t.Name {
			d := p.fail(out.at, "the output %q is also an input", t.Output).WithNote(in.at, "it is an input of the target %q", in.target)
			d.Fix = "write to another file; a batch has no order in which targets could use the results of others"
		}
	}
}
