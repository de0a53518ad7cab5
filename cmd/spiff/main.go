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
	"syscall"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
)

// The exit statuses.
const (
	exitOK      = 0
	exitFailed  = 1 // the input is at fault
	exitUsage   = 2 // the command line is at fault
	exitDiffers = 3 // nothing is at fault, but files are not the same, or not as they should be
	// exitPipe is for a closed pipe, as shells show it. Nothing is said: whoever
	// read has seen enough.
	exitPipe = 128 + 13
)

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
	process        *process // nil in a test
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

func commands() []command {
	return []command{mergeCommand, checkCommand, diffCommand, explainCommand, graphCommand, evalCommand, replCommand, fmtCommand, convertCommand, disasmCommand, versionCommand}
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
	if name == "help" && len(args) > 1 {
		name, args = args[1], []string{args[1], "--help"}
	}
	switch name {
	case "help", "--help", "-h":
		return e.status("help", "", usage(e.stdout))
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
	groups := c.flagGroups(e, flags)
	err := flags.Parse(args)
	if err != nil {
		err = usageError{err.Error() + flagHint(err, flags)}
	} else if *help {
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

func usage(w io.Writer) error {
	var b strings.Builder
	b.WriteString("spiff merges YAML manifests that contain dynaml expressions.\n\nusage: spiff COMMAND [flags] [arguments]\n\ncommands:\n")
	for _, c := range commands() {
		names := strings.Join(append([]string{c.name}, c.aliases...), ", ")
		fmt.Fprintf(&b, "  %-12s %s\n", names, c.short)
	}
	b.WriteString("\n'spiff COMMAND --help' tells more.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// A flagGroup is a part of the help.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// flagGroups adds the flags to flags that commands share, and returns all in
// groups.
func (c *command) flagGroups(e *env, flags *pflag.FlagSet) []flagGroup {
	own := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	own.AddFlagSet(flags)
	groups := []flagGroup{{"flags", own}}
	if c.merges {
		groups = append(groups, flagGroup{"what expressions may do", sandboxFlags()})
	}
	if c.limited {
		groups = append(groups, flagGroup{"limits", limitFlags(&e.limits, c.merges)})
	}
	for _, g := range groups[1:] {
		flags.AddFlagSet(g.flags)
	}
	return groups
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

func (c *command) help(w io.Writer, groups []flagGroup) error {
	var b strings.Builder
	usage := strings.TrimSpace("usage: spiff " + c.name + " " + c.args)
	fmt.Fprintf(&b, "%s\n\n%s\n", usage, strings.TrimSpace(c.long))
	for _, g := range groups {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, g.flags.FlagUsages())
	}
	if len(c.examples) > 0 {
		b.WriteString("\nexamples:\n")
	}
	for _, x := range c.examples {
		fmt.Fprintf(&b, "  # %s\n  %s\n", x.does, x.line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
