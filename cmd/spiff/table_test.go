// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// allFlags returns the flags of a command, with those that commands share.
func (c *command) allFlags() *pflag.FlagSet {
	f := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	if c.flags != nil {
		c.flags(f)
	}
	c.flagGroups(&env{}, f)
	return f
}

// TestExamples: every command has examples, and they are command lines that it
// takes.
func TestExamples(t *testing.T) {
	for _, c := range commands() {
		if len(c.examples) == 0 {
			t.Errorf("%s has no example", c.name)
		}
		own := false
		for _, x := range c.examples {
			lines := spiffLines(x.line)
			if len(lines) == 0 {
				t.Errorf("%q does not run spiff", x.line)
			}
			for _, args := range lines {
				i := slices.IndexFunc(commands(), func(c command) bool { return c.name == args[0] })
				if i < 0 {
					t.Errorf("%q: there is no command %q", x.line, args[0])
					continue
				}
				own = own || args[0] == c.name
				used := commands()[i]
				if err := used.allFlags().Parse(args[1:]); err != nil {
					t.Errorf("%q: %v", x.line, err)
				}
			}
		}
		if !own {
			t.Errorf("no example of %s runs it", c.name)
		}
	}
}

// spiffLines returns the arguments of each call of spiff in a line of an
// example, which is made of words, pipes and redirections.
func spiffLines(line string) (lines [][]string) {
	for part := range strings.SplitSeq(line, "|") {
		words := strings.Fields(part)
		if i := slices.IndexFunc(words, func(w string) bool { return strings.HasSuffix(w, ">") }); i >= 0 {
			words = words[:i]
		}
		if len(words) > 1 && words[0] == "spiff" {
			lines = append(lines, words[1:])
		}
	}
	return lines
}

// TestCompletionsOfFlags: what the help calls the value of a flag says what it
// completes to.
func TestCompletionsOfFlags(t *testing.T) {
	kinds := map[string]completionKind{"FILE": completeFiles, "FOLDER": completeFolders, "PATH": completePath, "FORMAT": completeWords, "WHEN": completeWords}
	for _, c := range commands() {
		if len(c.complete) == 0 {
			t.Errorf("%s does not say what its arguments complete to", c.name)
		}
		c.allFlags().VisitAll(func(f *pflag.Flag) {
			name, _ := pflag.UnquoteUsage(f)
			got := completionOf(f)
			if want, ok := kinds[name]; ok && got.kind != want {
				t.Errorf("%s --%s %s completes to %s", c.name, f.Name, name, got.kind)
			}
			if got.kind == completeWords && f.DefValue != "" && !slices.Contains(got.words, f.DefValue) {
				t.Errorf("%s --%s completes to %s, the default is %q", c.name, f.Name, got.words, f.DefValue)
			}
		})
	}
}
