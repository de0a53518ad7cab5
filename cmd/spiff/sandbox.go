// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/dynaml/spiff"
	"github.com/spf13/pflag"
)

// sandboxVariable turns the sandbox on where no flag says anything.
const sandboxVariable = "SPIFF_SANDBOX"

// sandboxFlags returns the flags about what expressions may do.
func sandboxFlags() *pflag.FlagSet {
	f := pflag.NewFlagSet("sandbox", pflag.ContinueOnError)
	f.SortFlags = false
	f.Bool("sandbox", false, "as --deny-exec --deny-read --deny-env; "+sandboxVariable+"=1 does the same")
	f.Bool("deny-exec", false, "forbid exec")
	f.Bool("deny-read", false, "forbid read outside of the folders of the given files")
	f.Bool("deny-env", false, "forbid env")
	f.Bool("allow-exec", false, "allow exec in the sandbox")
	f.StringArray("allow-read", nil, "allow read in `FOLDER` and below, but not elsewhere")
	completes(f, "allow-read", folders)
	f.StringArray("allow-env", nil, "allow env of the variable `NAME`, but of no other")
	return f
}

// policy returns what the flags allow. files are those that are given.
func policy(flags *pflag.FlagSet, files []string) (spiff.Policy, error) {
	var p spiff.Policy
	sandbox, err := sandboxed(flags)
	if err != nil {
		return p, err
	}
	allowExec, _ := flags.GetBool("allow-exec")
	denyExec, _ := flags.GetBool("deny-exec")
	if allowExec && denyExec {
		return p, usageError{"--allow-exec and --deny-exec exclude each other"}
	}
	p.DenyExec = denyExec || sandbox && !allowExec

	p.DenyRead, _ = flags.GetBool("deny-read")
	p.ReadDirs, _ = flags.GetStringArray("allow-read")
	p.DenyRead = p.DenyRead || sandbox || len(p.ReadDirs) > 0
	p = p.WithFolders(files)

	p.DenyEnv, _ = flags.GetBool("deny-env")
	p.EnvNames, _ = flags.GetStringArray("allow-env")
	p.DenyEnv = p.DenyEnv || sandbox || len(p.EnvNames) > 0
	return p, nil
}

func sandboxed(flags *pflag.FlagSet) (bool, error) {
	on, _ := flags.GetBool("sandbox")
	text := os.Getenv(sandboxVariable)
	if flags.Changed("sandbox") || text == "" {
		return on, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, usageError{fmt.Sprintf("%s is %q, it must be 1 or 0", sandboxVariable, text)}
	}
	return on, nil
}
