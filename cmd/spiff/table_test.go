// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"golang.org/x/tools/txtar"
)

// allFlags returns the flags of a command, with those that commands share.
func (c *command) allFlags() *pflag.FlagSet {
	f, _ := c.flagSet(&env{})
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
// example, which is made of words, pipes, redirections and <( ).
func spiffLines(line string) (lines [][]string) {
	line = strings.NewReplacer("<(", "|", ")", "|").Replace(line)
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
	kinds := map[string]completionKind{"FILE": completeFiles, "FOLDER": completeFolders, "PATH": completePath, "FORMAT": completeWords, "DIALECT": completeWords, "WHEN": completeWords}
	for _, c := range commands() {
		if len(c.complete) == 0 {
			t.Errorf("%s does not say what its arguments complete to", c.name)
		}
		c.allFlags().VisitAll(func(f *pflag.Flag) {
			name, _ := pflag.UnquoteUsage(f)
			if name == "string" || name == "strings" || name == "int" {
				t.Errorf("%s --%s: the help calls the value %s; put a word for it between backquotes", c.name, f.Name, name)
			}
			got := completionOf(f)
			if want, ok := kinds[name]; ok && got.kind != want {
				t.Errorf("%s --%s %s completes to %s", c.name, f.Name, name, got.kind)
			}
			if got.kind == completeWords && f.DefValue != "" && f.DefValue != "[]" && !slices.Contains(got.words, f.DefValue) {
				t.Errorf("%s --%s completes to %s, the default is %q", c.name, f.Name, got.words, f.DefValue)
			}
		})
	}
}

// usesWithoutCase are the uses that TestEveryCommandHasCases misses, with the
// reason.
var usesWithoutCase = map[string]string{
	"completion, normal use": "what it prints is under docs/completion, which TestGenerated compares",
}

// TestEveryCommandHasCases: the normal use, the wrong use and the help of every
// command are pinned under testdata.
func TestEveryCommandHasCases(t *testing.T) {
	pinned := map[string]bool{}
	for _, area := range append(slices.Clone(areas), "mistakes") {
		dir := filepath.Join("..", "..", "testdata", area)
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		eachCase(t, dir, func(_ string, a *txtar.Archive) {
			name, use := useIn(a)
			if c := commandNamed(name); c != nil {
				pinned[c.name+", "+use] = true
			}
		})
	}
	for _, c := range commands() {
		for _, use := range []string{"normal use", "wrong use", "help"} {
			key := c.name + ", " + use
			if _, excused := usesWithoutCase[key]; pinned[key] == excused {
				t.Errorf("%s: a case is there %v, listed as without a case %v", key, pinned[key], excused)
			}
		}
	}
}

// useIn returns the command that a case runs, and how.
func useIn(a *txtar.Archive) (command, use string) {
	use = "normal use"
	for _, f := range a.Files {
		switch text := string(f.Data); f.Name {
		case "args":
			words := append(strings.Fields(text), "")
			command = words[0]
			if slices.Contains(words, "--help") {
				use = "help"
			}
		case "want.status":
			if text == "2\n" {
				use = "wrong use"
			}
		}
	}
	return command, use
}

// TestWrongFlags: for every flag of every command, what is wrong with its value
// or nearly right in its name is wrong use, and the message names the flag.
func TestWrongFlags(t *testing.T) {
	t.Setenv(formatVariable, "")
	for _, c := range commands() {
		c.allFlags().VisitAll(func(f *pflag.Flag) {
			flag := "--" + f.Name
			checkWrong(t, c.name, flag+"x", flag)
			if f.NoOptDefVal != "" {
				checkWrong(t, c.name, flag+"=perhaps", flag)
				return
			}
			checkWrong(t, c.name, flag, flag)
			if f.Value.Type() != "string" && f.Value.Type() != "stringArray" || completionOf(f).kind == completeWords {
				checkWrong(t, c.name, flag+"=no-value", flag)
			}
		})
	}
}

// checkWrong runs a command with a flag that is wrong.
func checkWrong(t *testing.T, command, flag, named string) {
	t.Helper()
	in := invocation{args: []string{command, flag}}
	stdout, stderr, status := in.run(t)
	first, rest, _ := strings.Cut(stderr, "\n")
	usage := "usage: spiff " + command
	if status != exitUsage || stdout != "" || !strings.Contains(first, named) || !strings.HasPrefix(rest, usage) || strings.Contains(first, "strconv") || strings.Contains(first, "time: ") {
		t.Errorf("spiff %s %s: exit status %d\n%s%s", command, flag, status, stdout, stderr)
	}
}
