// SPDX-License-Identifier: Apache-2.0

// Command spiff merges YAML manifests that contain dynaml expressions.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
)

// The exit statuses.
const (
	exitOK      = 0
	exitFailed  = 1 // the input is at fault
	exitUsage   = 2 // the command line is at fault
	exitDiffers = 3 // nothing is at fault, but files are not the same, or not as they should be
)

// A command is one subcommand.
type command struct {
	name    string
	aliases []string
	args    string
	short   string
	long    string
	flags   func(*pflag.FlagSet)
	run     func(e *env, flags *pflag.FlagSet) error
}

// env is what a command may use of the process.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// usageError is a wrong command line.
type usageError struct{ msg string }

func (e usageError) Error() string { return e.msg }

// errReported is a failure that has been printed already.
var errReported = errors.New("reported")

// errDiffers is no failure: there are differences, which have been printed.
var errDiffers = errors.New("the files differ")

func commands() []command {
	return []command{mergeCommand, checkCommand, diffCommand, explainCommand, graphCommand, fmtCommand, convertCommand, disasmCommand, versionCommand}
}

// gcPercent lets the heap grow to five times the live data before it is
// collected: nearly everything lives until the output is written, so that
// collecting earlier frees nothing. With the default of 100, a merge of a
// million expressions spends a third of its CPU in the collector.
const gcPercent = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(run(os.Args[1:], &env{os.Stdin, os.Stdout, os.Stderr}))
}

// run executes one command line and returns the exit status.
func run(args []string, e *env) int {
	if len(args) == 0 {
		usage(e.stderr)
		return exitUsage
	}
	name := args[0]
	if name == "help" && len(args) > 1 {
		name, args = args[1], []string{args[1], "--help"}
	}
	switch name {
	case "help", "--help", "-h":
		usage(e.stdout)
		return exitOK
	case "--version":
		name = "version"
	}
	for _, c := range commands() {
		if c.name == name || slices.Contains(c.aliases, name) {
			return c.execute(args[1:], e)
		}
	}
	fmt.Fprintf(e.stderr, "spiff: unknown command %q%s\n", name, didYouMean(name, commandNames()))
	usage(e.stderr)
	return exitUsage
}

func (c *command) execute(args []string, e *env) int {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	help := flags.BoolP("help", "h", false, "print this help")
	if c.flags != nil {
		c.flags(flags)
	}
	err := flags.Parse(args)
	if err != nil {
		err = usageError{err.Error() + flagHint(err, flags)}
	} else if *help {
		c.help(e.stdout, flags)
		return exitOK
	} else {
		err = c.run(e, flags)
	}
	var u usageError
	switch {
	case err == nil:
		return exitOK
	case err == errDiffers:
		return exitDiffers
	case errors.As(err, &u):
		fmt.Fprintf(e.stderr, "spiff %s: %s\nusage: spiff %s %s\n", c.name, u.msg, c.name, c.args)
		return exitUsage
	case err != errReported:
		fmt.Fprintf(e.stderr, "%s\n", err)
	}
	return exitFailed
}

// flagHint returns a line with the flag that is most like an unknown one.
func flagHint(err error, flags *pflag.FlagSet) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return didYouMean("--"+unknown.GetSpecifiedName(), names)
}

// didYouMean returns what to add to a message about an unknown name: the one
// that is most like it, or nothing.
func didYouMean(name string, names []string) string {
	if s := diag.Closest(name, names); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return append(names, "help")
}

func usage(w io.Writer) {
	fmt.Fprint(w, "spiff merges YAML manifests that contain dynaml expressions.\n\nusage: spiff COMMAND [flags] [arguments]\n\ncommands:\n")
	for _, c := range commands() {
		names := strings.Join(append([]string{c.name}, c.aliases...), ", ")
		fmt.Fprintf(w, "  %-12s %s\n", names, c.short)
	}
	fmt.Fprint(w, "\n'spiff COMMAND --help' tells more.\n")
}

func (c *command) help(w io.Writer, flags *pflag.FlagSet) {
	usage := strings.TrimSpace("usage: spiff " + c.name + " " + c.args)
	fmt.Fprintf(w, "%s\n\n%s\n\nflags:\n%s", usage, strings.TrimSpace(c.long), flags.FlagUsages())
}
