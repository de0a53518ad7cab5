// SPDX-License-Identifier: Apache-2.0

package spiff_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/dynaml/spiff"

// deps says what the packages of this module may import beyond the standard
// library: other packages of this module by their folder, and packages of
// other modules by their full path. To add an edge, give the reason in the
// change that adds it. A package stands below those it imports, so the table
// cannot describe a cycle.
var deps = []struct {
	pkg   string
	uses  string // folders, "." is the root; or allAbove
	third string
}{
	{pkg: "diag"},
	{pkg: "diag/render", uses: "diag"},
	{pkg: "graph"},
	{pkg: "internal/golden", third: "golang.org/x/tools/txtar"},
	{pkg: "value", uses: "diag"},
	{pkg: "internal/slab"},
	{pkg: "internal/follow"},
	{pkg: "ast"},
	{pkg: "dialect"},
	{pkg: "explain", uses: "diag value"},
	{pkg: "doc", uses: "diag value", third: "gopkg.in/yaml.v3"},
	{pkg: "internal/readertest", uses: "diag doc value"},
	{pkg: "diff", uses: "doc value"},
	{pkg: "parser", uses: "ast dialect internal/slab"},
	{pkg: "program", uses: "diag value"},
	{pkg: "builtin", uses: "diag value"},
	{pkg: "compiler", uses: "ast builtin diag internal/slab program value"},
	{pkg: "vm", uses: "builtin diag program value"},
	{pkg: "merge", uses: "ast builtin compiler diag dialect doc explain graph parser program value vm"},
	{pkg: "format", uses: "ast diag doc parser value"},
	{pkg: "jsondoc", uses: "diag value"},
	{pkg: "internal/ordertest", uses: "diag doc merge value vm", third: "golang.org/x/tools/txtar"},
	{pkg: ".", uses: "ast builtin compiler diag dialect diff doc explain format jsondoc merge parser program value vm", third: "gopkg.in/yaml.v3"},
	{pkg: "batch", uses: ". diag doc value"},
	{pkg: "lsp", uses: ". ast batch builtin diag explain parser value", third: "github.com/sourcegraph/jsonrpc2"},
	{pkg: "cmd/spiff", uses: ". batch diag diag/render lsp", third: "github.com/fsnotify/fsnotify github.com/google/renameio/v2 github.com/google/renameio/v2/maybe github.com/spf13/cobra github.com/spf13/pflag golang.org/x/term"},
	{pkg: "bench", uses: allAbove},
	{pkg: "bench/compare", third: "golang.org/x/perf/benchfmt golang.org/x/perf/benchmath golang.org/x/perf/benchunit"},
	{pkg: "fuzz", uses: allAbove},
}

const allAbove = "all"

// testOnly are the packages of other modules that tests may use besides what
// the package they test uses.
var testOnly = []string{"github.com/cpuguy83/go-md2man/v2/md2man", "golang.org/x/perf/benchfmt", "github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/tools/txtar", "gopkg.in/yaml.v3"}

// An allowance is a row of deps, ready to be asked.
type allowance struct{ uses, third []string }

func allowances(t *testing.T) map[string]allowance {
	allowed := map[string]allowance{}
	var above []string
	for _, d := range deps {
		uses := strings.Fields(d.uses)
		if d.uses == allAbove {
			uses = slices.Clone(above)
		}
		for _, u := range uses {
			if !slices.Contains(above, u) {
				t.Errorf("deps: %s uses %s, which does not stand above it", d.pkg, u)
			}
		}
		allowed[d.pkg] = allowance{uses, strings.Fields(d.third)}
		above = append(above, d.pkg)
	}
	return allowed
}

func TestDeps(t *testing.T) {
	allowed := allowances(t)
	err := filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && isOutside(file, e.Name()):
			return fs.SkipDir
		case e.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		a, listed := allowed[pkg]
		if !listed {
			t.Errorf("%s: package %s is not listed in deps", file, pkg)
			return nil
		}
		imports, err := importsOf(file)
		for _, name := range imports {
			if !a.permits(name, strings.HasSuffix(file, "_test.go")) {
				t.Errorf("%s: %s may not import %s", file, pkg, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isOutside says whether a folder holds no package of this module.
func isOutside(dir, name string) bool {
	if dir == "." {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil || name == "testdata" || name[0] == '.' || name[0] == '_'
}

func importsOf(file string) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, im := range f.Imports {
		name, err := strconv.Unquote(im.Path.Value)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// permits says whether a file may import a package. Tests may import all of
// this module: the table is about what the program consists of.
func (a allowance) permits(name string, isTest bool) bool {
	if name == module || strings.HasPrefix(name, module+"/") {
		folder := path.Clean("./" + strings.TrimPrefix(name, module))
		return isTest || slices.Contains(a.uses, folder)
	}
	domain, _, _ := strings.Cut(name, "/")
	if !strings.Contains(domain, ".") {
		return true // the standard library
	}
	return slices.Contains(a.third, name) || isTest && slices.Contains(testOnly, name)
}

func TestPermits(t *testing.T) {
	a := allowance{uses: []string{".", "diag"}, third: []string{"example.org/yaml"}}
	tests := []struct {
		name   string
		isTest bool
		want   bool
	}{
		{"go/parser", false, true},
		{module, false, true},
		{module + "/diag", false, true},
		{module + "/vm", false, false},
		{module + "/vm", true, true},
		{module + "fork", false, false},
		{"example.org/yaml", false, true},
		{"example.org/yaml/internal", false, false},
		{"golang.org/x/tools/txtar", false, false},
		{"golang.org/x/tools/txtar", true, true},
		{"example.org/assert", true, false},
	}
	for _, tt := range tests {
		if got := a.permits(tt.name, tt.isTest); got != tt.want {
			t.Errorf("%s, in a test %v: got %v, want %v", tt.name, tt.isTest, got, tt.want)
		}
	}
}
