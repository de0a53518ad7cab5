// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

func helpCommand() command {
	return command{
		name:  "help",
		args:  "[COMMAND]",
		short: "print the help of a command",
		long: `
Prints the help of COMMAND, or a list of all commands.`,
		examples: []usageExample{
			{"spiff help", "list the commands"},
			{"spiff help merge", "print what spiff merge --help prints"},
		},
		complete: []completion{{kind: completeCommand}, nothing},
		run:      runHelp,
	}
}

func runHelp(e *env, flags *pflag.FlagSet) error {
	switch flags.NArg() {
	case 0:
		return usage(e.stdout)
	case 1:
	default:
		return usageError{"one command is expected"}
	}
	c := commandNamed(flags.Arg(0))
	if c == nil {
		return usageError{unknownCommand(flags.Arg(0))}
	}
	_, groups := c.flagSet(e)
	return c.help(e.stdout, groups)
}

// unknownCommand says that there is no such command, and which one may be meant.
func unknownCommand(name string) string {
	if strings.HasPrefix(name, "-") {
		return fmt.Sprintf("flags stand behind a command, found %q", name)
	}
	return fmt.Sprintf("unknown command %q%s", name, didYouMean(name, commandNames()))
}

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// usage prints the list of the commands.
func usage(w io.Writer) error {
	var b strings.Builder
	b.WriteString(about + "\n\nusage: spiff COMMAND [flags] [arguments]\n\ncommands:\n")
	for _, c := range commands() {
		names := strings.Join(append([]string{c.name}, c.aliases...), ", ")
		fmt.Fprintf(&b, "  %-12s %s\n", names, c.short)
	}
	b.WriteString("\nexit status:\n")
	for _, x := range exitStatuses {
		fmt.Fprintf(&b, "  %d  %s\n", x.status, x.means)
	}
	b.WriteString("\nenvironment:\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "  %-18s  %s\n", v.name, v.means)
	}
	b.WriteString("\n'spiff COMMAND --help' tells more.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// about is what the program does.
const about = "spiff merges YAML manifests that contain dynaml expressions."

// synopsis returns the command lines that the command takes.
func (c *command) synopsis() string { return strings.TrimSpace("spiff " + c.name + " " + c.args) }

// help prints what the table says about the command.
func (c *command) help(w io.Writer, groups []flagGroup) error {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s\n\n%s\n", c.synopsis(), strings.TrimSpace(c.long))
	for _, g := range groups {
		fmt.Fprintf(&b, "\n%s:\n%s", g.title, g.flags.FlagUsages())
	}
	b.WriteString("\nexamples:\n")
	for _, x := range c.examples {
		fmt.Fprintf(&b, "  # %s\n  %s\n", x.does, x.line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
