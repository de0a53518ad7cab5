// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// resultsFile holds the last full measurement in the format of Go benchmarks.
// Table and plot are made from it, and benchstat reads it:
//
//	benchstat -col /engine bench/peers/results.txt
const resultsFile = "results.txt"

// peers are the modules whose versions belong to the results, by engine.
var peers = map[string]string{
	"github.com/expr-lang/expr":  "expr",
	"go.starlark.net":            "starlark-go",
	"github.com/yuin/gopher-lua": "gopher-lua",
	"gopkg.in/yaml.v3":           "yaml.v3",
	"github.com/goccy/go-yaml":   "goccy",
}

// circumstances are what the numbers depend on.
func circumstances() (config []benchfmt.Config) {
	set := func(key, v string) {
		config = append(config, benchfmt.Config{Key: key, Value: []byte(v), File: true})
	}
	set("goos", runtime.GOOS)
	set("goarch", runtime.GOARCH)
	set("go", runtime.Version())
	if cpu := processor(); cpu != "" {
		set("cpu", cpu)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if engine, ok := peers[m.Path]; ok {
				set(engine, m.Version)
			}
		}
	}
	return config
}

// processor returns the name of the processor where the system tells it.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func writeResults(file string, all []sample) error {
	var b bytes.Buffer
	out := benchfmt.NewWriter(&b)
	config := circumstances()
	for _, s := range all {
		r := &benchfmt.Result{Config: config, Name: benchfmt.Name(s.name + engineKey + s.engine), Iters: 1}
		add := func(v float64, unit string) { r.Values = append(r.Values, benchfmt.Value{Value: v, Unit: unit}) }
		add(s.ns, "ns/op")
		if s.bytes > 0 {
			add(float64(s.bytes), "input-bytes")
		}
		add(float64(s.memory), "B/op")
		add(float64(s.allocs), "allocs/op")
		if err := out.Write(r); err != nil {
			return err
		}
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}

const engineKey = "/engine="

func readResults(file string) (all []sample, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := benchfmt.NewReader(f, file)
	for in.Scan() {
		switch r := in.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, r
		case *benchfmt.Result:
			var s sample
			s.name, s.engine, _ = strings.Cut(r.Name.String(), engineKey)
			value := func(unit string) float64 {
				v, _ := r.Value(unit)
				return v
			}
			for _, v := range r.Values {
				if v.OrigUnit == "ns/op" { // as it was written, not by way of seconds
					s.ns = v.OrigValue
				}
			}
			s.bytes = int64(value("input-bytes"))
			s.memory, s.allocs = int64(value("B/op")), int64(value("allocs/op"))
			all = append(all, s)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New(file + ": no results")
	}
	return all, nil
}
