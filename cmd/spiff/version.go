// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/pflag"
)

var versionCommand = command{
	name:  "version",
	short: "print the version",
	long:  "Prints the version of spiff and of the Go toolchain that built it.",
	examples: []usageExample{
		{"spiff version", "print the version"},
	},
	complete: []completion{nothing},
	run: func(e *env, flags *pflag.FlagSet) error {
		if flags.NArg() > 0 {
			return usageError{"no arguments expected"}
		}
		version, goVersion := version()
		_, err := fmt.Fprintf(e.stdout, "spiff %s %s\n", version, goVersion)
		return err
	},
}

// release is the version of a release, which the linker sets: a release is built
// without what Go writes into a binary about a checkout.
var release string

// version returns the version of this program and of the toolchain.
func version() (version, goVersion string) {
	version = "devel"
	if bi, ok := debug.ReadBuildInfo(); ok {
		goVersion = bi.GoVersion
		if v := bi.Main.Version; release != "" {
			version = release
		} else if v != "" && v != "(devel)" {
			version = v
		}
	}
	return version, goVersion
}
