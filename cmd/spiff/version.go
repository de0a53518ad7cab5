// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/pflag"
)

var versionCommand = command{
	name:  "version",
	args:  "[--json]",
	short: "print the version",
	long: `
Prints the version of spiff and of the Go toolchain that built it. With --json
it prints an object with the members

  version   of spiff, "devel" if it was not built from a released version
  commit    the revision that was built, "" if that is not known
  modified  true if files were changed after that commit
  go        the version of the Go toolchain
  os, arch  what it was built for, in Go's words, such as linux and amd64

Members may be added; those that are there keep their names and meanings.`,
	examples: []usageExample{
		{"spiff version", "print the version"},
		{"spiff version --json", "print all that is known about this program"},
	},
	complete: []completion{nothing},
	flags: func(f *pflag.FlagSet) {
		f.Bool("json", false, "print JSON")
	},
	run: runVersion,
}

func runVersion(e *env, flags *pflag.FlagSet) error {
	if flags.NArg() > 0 {
		return usageError{"no arguments expected"}
	}
	b := readBuild()
	if asJSON, _ := flags.GetBool("json"); asJSON {
		out := json.NewEncoder(e.stdout)
		out.SetIndent("", "  ")
		return out.Encode(b)
	}
	_, err := fmt.Fprintf(e.stdout, "spiff %s %s\n", b.Version, b.Go)
	return err
}

// A build is what is known of how the program was built. Its members in JSON
// are part of the interface, see versionCommand.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// The version and the commit of a release, which the linker sets: a release is
// built without what Go notes about a checkout, such as its depth.
var release, commit string

func readBuild() build {
	b := build{Version: "devel", Commit: commit, OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if v := info.Main.Version; release != "" {
		b.Version = release
	} else if v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
