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
	"sync/atomic"
	"syscall"

	"github.com/dynaml/spiff"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The exit statuses, which exitStatuses explains.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitDiffers = 3
	// exitPipe is for a closed pipe, as shells show it. Nothing is said: whoever
	// read has seen enough.
	exitPipe = 128 + 13
)

// exitStatuses are those that every command keeps to.
var exitStatuses = []struct {
	status int
	means  string
}{
	{exitOK, "all is well"},
	{exitFailed, "the input is at fault: a merge or a check failed, or a file cannot be read or written"},
	{exitUsage, "the command line is at fault"},
	{exitDiffers, "nothing is at fault, but there are differences, or files are not as they should be"},
}

// variables are those of the environment that commands read.
var variables = []struct{ name, means string }{
	{formatVariable, "the format of errors and warnings where --error-format is not given"},
	{sandboxVariable, "1 turns the sandbox on where --sandbox is not given"},
	{"NO_COLOR", "anything turns colours off where --color is not given"},
}

// A command is one subcommand.
type command struct {
	name     string
	aliases  []string
	args     string
	short    string
	long     string
	examples []usageExample // at least one
	// complete says what the arguments complete to, one after the other; the
	// last holds for all further ones. What the values of flags complete to is
	// said where the flag is defined, see completes.
	complete []completion
	flags    func(*pflag.FlagSet)
	limited  bool // reads files, within limits
	merges   bool // evaluates the files of the command line
	before   int  // arguments before the files
	run      func(e *env, flags *pflag.FlagSet) error
}

// A usageExample is a command line for a shell, and what it does, in one line.
type usageExample struct{ line, does string }

// env is what a command may use of the process.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	stdinRead      atomic.Bool // by readInput
	process        *process    // nil in a test
	limits         spiff.Limits
	policy         spiff.Policy
}

// usageError is a wrong command line.
type usageError struct{ msg string }

func (e usageError) Error() string { return e.msg }

// errReported is a failure that has been printed already.
var errReported = errors.New("reported")

// errDiffers is no failure: there are differences, which have been printed.
var errDiffers = errors.New("the files differ")

// commands is the table of all commands. Help, man pages, completions and the
// reference are made from it.
func commands() []command {
	return []command{
		mergeCommand, batchCommand, checkCommand, diffCommand, explainCommand, graphCommand,
		evalCommand, replCommand, fmtCommand, convertCommand, disasmCommand, lspCommand,
		completionCommand(), versionCommand, helpCommand(),
	}
}

// commandNamed returns the command with a name or alias, or nil.
func commandNamed(name string) *command {
	for _, c := range commands() {
		if c.name == name || slices.Contains(c.aliases, name) {
			return &c
		}
	}
	return nil
}

// gcPercent lets the heap grow to five times the live data before it is
// collected: nearly everything lives until the output is written, so that
// collecting earlier frees nothing. With the default of 100, a merge of a
// million expressions spends a third of its CPU in the collector.
const gcPercent = 400

// softMemory is the memory from which on the collector works harder, so that the
// garbage of a merge near its limits does not take several times what they
// allow. Merges of 100 MB stay below it.
const softMemory = 2 << 30

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
	e := &env{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, process: &process{}}
	os.Exit(run(os.Args[1:], e))
}

// run executes one command line and returns the exit status.
func run(args []string, e *env) int {
	if len(args) == 0 {
		usage(e.stderr)
		return exitUsage
	}
	name := args[0]
	switch name {
	case "--help", "-h":
		name = "help"
	case "--version":
		name = "version"
	case cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return completeLine(e, args)
	}
	if c := commandNamed(name); c != nil {
		return c.execute(args[1:], e)
	}
	fmt.Fprintf(e.stderr, "spiff: %s\n'spiff help' lists the commands.\n", unknownCommand(name))
	return exitUsage
}

func (c *command) execute(args []string, e *env) int {
	flags, groups := c.flagSet(e)
	err := flags.Parse(args)
	if err == nil {
		err = checkValues(flags)
	}
	if err != nil {
		err = usageError{flagMessage(err, flags)}
	} else if help, _ := flags.GetBool("help"); help {
		err = c.help(e.stdout, groups)
	} else {
		err = c.perform(e, flags)
	}
	return e.status(c.name, c.args, err)
}

// status says what went wrong, if anything did, and returns the exit status.
func (e *env) status(name, args string, err error) int {
	var u usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
	case err == errDiffers:
		return exitDiffers
	case errors.As(err, &u):
		fmt.Fprintf(e.stderr, "spiff %s: %s\nusage: spiff %s %s\n", name, u.msg, name, args)
		return exitUsage
	case err != errReported:
		fmt.Fprintf(e.stderr, "%s\n", err)
	}
	return exitFailed
}

// perform runs the command with what the shared flags say.
func (c *command) perform(e *env, flags *pflag.FlagSet) (err error) {
	if c.merges {
		files := flags.Args()
		files = files[min(c.before, len(files)):]
		if e.policy, err = policy(flags, files); err != nil {
			return err
		}
	}
	return c.run(e, flags)
}
