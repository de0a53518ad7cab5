// SPDX-License-Identifier: Apache-2.0

package spiff_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"strings"
	"testing/fstest"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
)

// A template takes what a stub says, and computes the rest.
func Example() {
	template, err := spiff.Load("template.yml", []byte(`
meta:
  domain: (( merge || "example.com" ))
url: (( "https://api." meta.domain ))
`))
	if err != nil {
		log.Fatal(err)
	}
	stub, err := spiff.Load("stub.yml", []byte("meta: {domain: cf.acme.test}"))
	if err != nil {
		log.Fatal(err)
	}
	result, err := spiff.Merge(context.Background(), template, []*spiff.Document{stub})
	if err != nil {
		log.Fatal(err)
	}
	if err := result.Write(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// meta:
	//   domain: cf.acme.test
	// url: https://api.cf.acme.test
}

// must is for examples: it ends the program on an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// Several options are applied in order.
func ExampleMerge_options() {
	template := must(spiff.Load("t.yml", []byte("a: (( 1 + 1 ))\nb: (( env(\"HOME\") ))\n")))
	result := must(spiff.Merge(context.Background(), template, nil,
		spiff.Options{Partial: true, Policy: spiff.Policy{DenyEnv: true}},
		spiff.Limits{Instructions: 1000},
	))
	fmt.Print(result.Root())
	// Output:
	// a: 2
	// b: (( env("HOME") ))
}

// The classic report has a line for each node without a value.
func ExampleMerge_unresolved() {
	template := must(spiff.Load("template.yml", []byte("a: (( b ))\nb: (( nowhere ))\n")))
	_, err := spiff.Merge(context.Background(), template, nil)
	var unresolved *spiff.Unresolved
	if errors.As(err, &unresolved) {
		for _, e := range unresolved.Entries {
			fmt.Println(e.Span, e.Path, e.Lines[0])
		}
	}
	// Output:
	// template.yml:2:7 b 'nowhere' not found
	// template.yml:1:4 a 'b' unresolved
}

// A diagnostic has all there is to say about one cause.
func ExampleMerge_diagnostics() {
	template := must(spiff.Load("t.yml", []byte("port: 80\nurl: (( \"http://host:\" prot ))\nall: [(( url ))]\n")))
	_, err := spiff.Merge(context.Background(), template, nil)

	var first *diag.Diagnostic // the first one, whatever failed
	if errors.As(err, &first) {
		fmt.Println(first.Code, first.Code.Lookup().Name)
		fmt.Println("at:", first.Span)
		fmt.Println("node:", first.Path)
		fmt.Println("message:", first.Msg)
		fmt.Println("fix:", first.Advice())
	}
	var unresolved *spiff.Unresolved // all of them
	if errors.As(err, &unresolved) {
		for _, d := range unresolved.Diagnostics() {
			fmt.Println(d.Code, "and", len(d.Waiting), "that only wait for it")
		}
	}
	// Output:
	// E201 unknown-name
	// at: t.yml:2:24
	// node: url
	// message: there is no key "prot" around this node, and no parameter of that name
	// fix: did you mean "port"?
	// E201 and 1 that only wait for it
}

// A merge ends soon after its context is done.
func ExampleMerge_canceled() {
	template := must(spiff.Load("t.yml", []byte("f: (( |n|->n < 2 ? n :_(n - 1) + _(n - 2) ))\nx: (( .f(stop()) ))\n")))
	ctx, cancel := context.WithCancel(context.Background())
	stop := spiff.Function{Name: "stop", Call: func(context.Context, []spiff.Node) (any, error) {
		cancel()
		return 200, nil // which takes .f longer than anybody lives
	}}
	_, err := spiff.Merge(ctx, template, nil, stop, spiff.Limits{Instructions: 1 << 60})
	fmt.Println(errors.Is(err, context.Canceled), err)
	// Output: true error: the merge was ended early: context canceled
}

func ExampleLoad() {
	_, err := spiff.Load("broken.yml", []byte("a: 1\nb: [2\n"))
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		fmt.Println(d)
		fmt.Println(d.Code, d.Fix)
	}
	// Output:
	// broken.yml:2:1: error: expected "," or "]" in the list
	// E801 close the bracket that was opened before, or put a comma between the entries
}

func ExampleLoadFile() {
	_, err := spiff.LoadFile("testdata/no-such.yml")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	d := must(spiff.LoadFile("testdata/example/sizing.yml", spiff.Limits{Input: 1 << 20}))
	fmt.Println(d.Docs()[0].Kind())
	// Output:
	// true
	// map
}

func ExampleLoadReader() {
	d := must(spiff.LoadReader("stdin", strings.NewReader("a: {b: (( 1 + 1 ))}")))
	b := d.Docs()[0].Get("a", "b")
	fmt.Println(b.Kind(), b, b.Pos())
	// Output: expression (( 1 + 1 )) stdin:1:8
}

// The file system may be one of embed. With the option FS the function read
// finds its files, too.
func ExampleLoadFS() {
	files := fstest.MapFS{
		"template.yml":  {Data: []byte(`motd: (( read("motd.txt") ))`)},
		"motd.txt":      {Data: []byte("welcome")},
		"stubs/eu.yaml": {Data: []byte("{}")},
	}
	template := must(spiff.LoadFS(files, "template.yml"))
	stub := must(spiff.LoadFS(files, "stubs/eu.yaml"))
	result := must(spiff.Merge(context.Background(), template, []*spiff.Document{stub}, spiff.FS(files)))
	fmt.Print(result.Root())
	// Output: motd: welcome
}

// The values of a program can be a stub, or a template.
func ExampleLoadValue() {
	type sizing struct {
		Instances int               `yaml:"instances"`
		Labels    map[string]string `yaml:"labels,omitempty"`
	}
	stub := must(spiff.LoadValue("flags", map[string]any{"web": sizing{Instances: 3}}))
	template := must(spiff.Load("t.yml", []byte("web:\n  instances: 1\n  memory: (( instances * 512 \"M\" ))\n")))
	result := must(spiff.Merge(context.Background(), template, []*spiff.Document{stub}))
	fmt.Print(result.Root())

	_, err := spiff.LoadValue("flags", map[string]any{"web": []any{1, make(chan int)}})
	fmt.Println(err)
	// Output:
	// web:
	//   instances: 3
	//   memory: 1536M
	// error: flags: at web.[1]: a chan int cannot be a value
}

const jobs = `
jobs:
- name: web
  port: (( base + 80 ))
- name: db
  port: 5432
base: 8000
`

// A tree is walked without a copy. Nodes that are not there are zero.
func ExampleNode() {
	result := must(spiff.Merge(context.Background(), must(spiff.Load("t.yml", []byte(jobs))), nil))
	for i, job := range result.Root().Get("jobs").Elems() {
		port := job.Get("port")
		fmt.Println(i, job.Get("name"), port.Kind(), port, port.Pos())
	}
	for key, n := range result.Root().Get("jobs", "db").Entries() {
		fmt.Println(key, n.Value())
	}
	fmt.Println(result.Root().Get("jobs", "api", "port").IsZero())
	// Output:
	// 0 web int 8080 t.yml:4:9
	// 1 db int 5432 t.yml:6:9
	// name db
	// port 5432
	// true
}

func ExampleResult_Decode() {
	result := must(spiff.Merge(context.Background(), must(spiff.Load("t.yml", []byte(jobs))), nil))
	var manifest struct {
		Jobs []struct {
			Name string
			Port uint16
		}
		BasePort int `yaml:"base"`
	}
	if err := result.Decode(&manifest); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", manifest)

	var wrong struct{ Jobs []struct{ Name int } }
	err := result.Decode(&wrong)
	var list diag.List
	if errors.As(err, &list) {
		for _, d := range list {
			fmt.Println(d)
		}
	}
	// Output:
	// {Jobs:[{Name:web Port:8080} {Name:db Port:5432}] BasePort:8000}
	// t.yml:3:9: error: jobs.[0].name: the string does not fit the Go type int
	// t.yml:5:9: error: jobs.[1].name: the string does not fit the Go type int
}

func ExampleResult_Bytes() {
	result := must(spiff.Merge(context.Background(), must(spiff.Load("t.yml", []byte("b: (( 1 + 1 ))\na: x"))), nil))
	fmt.Print(string(must(result.Bytes())))
	fmt.Print(string(must(result.AppendOutput(nil, spiff.Output{JSON: true}))))
	// Output:
	// a: x
	// b: 2
	// {"a":"x","b":2}
}

// A function of the program looks up what no document has.
func ExampleFunction() {
	vault := map[string]string{"db/password": "s3cret"}
	secret := spiff.Function{
		Name: "secret", Min: 1, Max: 1, Args: []string{"path"},
		Doc: "returns a secret of the vault",
		Call: func(ctx context.Context, args []spiff.Node) (any, error) {
			path, ok := args[0].Text()
			if !ok {
				return nil, fmt.Errorf("secret takes a string, found a %s", args[0].Kind())
			}
			value, ok := vault[path]
			if !ok {
				return nil, fmt.Errorf("the vault has no %q", path)
			}
			return value, nil
		},
	}
	template := must(spiff.Load("t.yml", []byte("password: (( secret(\"db/password\") ))\ntoken: (( secret(\"token\") || \"none\" ))\n")))
	result := must(spiff.Merge(context.Background(), template, nil, secret))
	fmt.Print(result.Root())

	for _, text := range []string{`secret("a", "b")`, `secert("a")`, `secret("a")`} {
		_, err := spiff.Merge(context.Background(), must(spiff.Load("t.yml", []byte("a: (( "+text+" ))"))), nil, secret)
		var d *diag.Diagnostic
		if errors.As(err, &d) {
			fmt.Println(d.Code, d.Msg)
		}
	}
	// Output:
	// password: s3cret
	// token: none
	// E401 secret takes 1 argument, and 2 are given
	// E205 there is no function "secert"
	// E415 the vault has no "a"
}

// Limits keep the work of merging what others wrote within bounds.
func ExampleLimits() {
	template := must(spiff.Load("t.yml", []byte("f: (( |n|->_(n + 1) ))\nx: (( .f(1) || 0 ))\n")))
	_, err := spiff.Merge(context.Background(), template, nil, spiff.Limits{CallDepth: 100})
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		fmt.Println(d.Code, d.Msg)
	}
	// Output: E413 calls nest deeper than 100: does a lambda or eval call itself without end?
}

// What expressions may do to the world outside can be forbidden, or replaced.
func ExampleFiles() {
	template := must(spiff.Load("t.yml", []byte("home: (( env(\"HOME\") ))\ndate: (( exec(\"date\") ))\n")))
	opt := spiff.Options{Policy: spiff.Policy{DenyExec: true}}
	opt.Files.LookupEnv = func(name string) (string, bool) { return "/home/" + strings.ToLower(name), true }
	_, err := spiff.Merge(context.Background(), template, nil, opt)
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		fmt.Println(d)
	}
	// Output: t.yml:2:10: error: exec of "date" is not allowed (--allow-exec allows it)
}

// An inspection tells why a node has its value.
func ExampleInspect() {
	template := must(spiff.Load("t.yml", []byte(jobs)))
	stub := must(spiff.Load("stub.yml", []byte("base: 9000\n")))
	i := must(spiff.Inspect(context.Background(), template, []*spiff.Document{stub}))
	fmt.Println(i.Result.Root().Get("jobs", "web", "port"))
	e := must(i.Explain("jobs.web.port", 1))
	fmt.Println(e.Path, string(e.Value.JSON))
	fmt.Println(e.Why)
	// Output:
	// 9080
	// jobs.[0].port 9080
	// the expression gave it
}
