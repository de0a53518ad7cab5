// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/pflag"
)

// TestGenerated holds what is made from the table of commands to it: the
// reference docs/cli.md, the man pages and the scripts of completion.
//
//	SPIFF_UPDATE=1 go test ./cmd/spiff -run TestGenerated    rewrites them
func TestGenerated(t *testing.T) {
	want := map[string]string{"cli.md": reference()}
	want["man/spiff.1"] = manPage("spiff", overview())
	for _, c := range commands() {
		want["man/spiff-"+c.name+".1"] = manPage("spiff-"+c.name, c.page())
	}
	for _, s := range shells {
		var b bytes.Buffer
		if status := run([]string{"completion", s.name}, &env{stdout: &b, stderr: io.Discard}); status != exitOK {
			t.Errorf("spiff completion %s: exit status %d", s.name, status)
		}
		want["completion/"+scriptNames[s.name]] = b.String()
	}
	root := filepath.Join("..", "..", "docs")
	for _, name := range slices.Sorted(maps.Keys(want)) {
		file := filepath.Join(root, filepath.FromSlash(name))
		got, _ := os.ReadFile(file)
		switch {
		case string(got) == want[name]:
		case updateDocs:
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			writeText(t, file, want[name])
		default:
			t.Errorf("docs/%s is not what the table of commands gives; SPIFF_UPDATE=1 rewrites it", name)
		}
	}
	checkNoOthers(t, root, want)
}

// checkNoOthers looks for files of commands that are gone.
func checkNoOthers(t *testing.T, root string, want map[string]string) {
	t.Helper()
	for _, dir := range []string{"man", "completion"} {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries {
			if _, ok := want[dir+"/"+e.Name()]; !ok {
				t.Errorf("docs/%s/%s belongs to no command", dir, e.Name())
			}
		}
	}
}

// scriptNames are the files that the shells look for.
var scriptNames = map[string]string{"bash": "spiff.bash", "zsh": "_spiff", "fish": "spiff.fish", "powershell": "spiff.ps1"}

// reference returns docs/cli.md.
func reference() string {
	var b strings.Builder
	b.WriteString("<!-- Made from the table of commands by SPIFF_UPDATE=1 go test ./cmd/spiff -run TestGenerated -->\n# The command line\n\n" + about + "\n\n| command | does |\n|---|---|\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "| [`%s`](#spiff-%s)%s | %s |\n", c.name, c.name, c.alsoKnownAs(), c.short)
	}
	b.WriteString("\nFlags may stand before and after arguments, as `--flag value` or `--flag=value`;\nbehind `--` everything is an argument. Errors and warnings go to standard error,\nand if a command fails, nothing is printed on standard output, but for the\nreport of `spiff batch --json` and the values that `spiff repl` prints. Each\ncommand has a man page in `man`, and `completion` has what `spiff completion` prints.\n")
	b.WriteString("\n## Exit statuses\n\n| status | means |\n|--:|---|\n")
	for _, x := range exitStatuses {
		fmt.Fprintf(&b, "| %d | %s |\n", x.status, x.means)
	}
	b.WriteString("\n## Environment\n\n| variable | says |\n|---|---|\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "| `%s` | %s |\n", v.name, escapeMarkdown(v.means))
	}
	for _, c := range commands() {
		c.section(&b)
	}
	return b.String()
}

func (c *command) alsoKnownAs() string {
	if len(c.aliases) == 0 {
		return ""
	}
	return ", `" + strings.Join(c.aliases, "`, `") + "`"
}

// section writes the part of the reference about a command.
func (c *command) section(b *strings.Builder) {
	fmt.Fprintf(b, "\n## spiff %s\n\n```text\n%s\n```\n\n%s", c.name, unindented(c.synopsis()), prose(c.long))
	_, groups := c.flagSet(&env{})
	for _, g := range groups {
		title := strings.ToUpper(g.title[:1]) + g.title[1:]
		fmt.Fprintf(b, "\n| %s | |\n|---|---|\n", title)
		g.flags.VisitAll(func(f *pflag.Flag) {
			names, value, text := describe(f)
			code := "`--" + f.Name + value + "`"
			if len(names) > 1 {
				code = "`-" + f.Shorthand + "`, " + code
			}
			fmt.Fprintf(b, "| %s | %s |\n", code, strings.ReplaceAll(escapeMarkdown(text), "|", `\|`))
		})
	}
	fmt.Fprintf(b, "\n```sh\n%s```\n", c.exampleLines())
}

func (c *command) exampleLines() string {
	var b strings.Builder
	for _, x := range c.examples {
		fmt.Fprintf(&b, "# %s\n%s\n", x.does, x.line)
	}
	return b.String()
}

// describe returns the names of a flag, what stands behind them for a value,
// and what the help says, with the default.
func describe(f *pflag.Flag) (names []string, value, text string) {
	names = []string{"--" + f.Name}
	if f.Shorthand != "" {
		names = []string{"-" + f.Shorthand, "--" + f.Name}
	}
	name, text := pflag.UnquoteUsage(f)
	if name != "" {
		value = " " + name
	}
	switch f.DefValue {
	case "", "false", "0", "[]":
	default:
		text += " (default " + f.DefValue + ")"
	}
	return names, value, strings.Join(strings.Fields(text), " ")
}

// overview returns the man page about all commands, in Markdown.
func overview() string {
	var b strings.Builder
	b.WriteString("# NAME\n\nspiff - " + strings.TrimSuffix(strings.TrimPrefix(about, "spiff "), ".") + "\n\n# SYNOPSIS\n\n**spiff** *COMMAND* \\[flags\\] \\[arguments\\]\n\n# COMMANDS\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "\n**%s**\n: %s\n", strings.Join(append([]string{c.name}, c.aliases...), "**, **"), escapeMarkdown(c.short))
	}
	writeStatuses(&b)
	b.WriteString("\n# ENVIRONMENT\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "\n**%s**\n: %s\n", escapeMarkdown(v.name), escapeMarkdown(v.means))
	}
	b.WriteString("\n# SEE ALSO\n\n")
	var pages []string
	for _, c := range commands() {
		pages = append(pages, "**spiff-"+c.name+"**(1)")
	}
	b.WriteString(strings.Join(pages, ", ") + "\n")
	return b.String()
}

// page returns the man page about a command, in Markdown.
func (c *command) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# NAME\n\nspiff-%s - %s\n\n# SYNOPSIS\n\n```\n%s\n```\n\n# DESCRIPTION\n\n%s", c.name, escapeMarkdown(c.short), unindented(c.synopsis()), prose(c.long))
	_, groups := c.flagSet(&env{})
	for _, g := range groups {
		fmt.Fprintf(&b, "\n# %s\n", strings.ToUpper(g.title))
		g.flags.VisitAll(func(f *pflag.Flag) {
			names, value, text := describe(f)
			if value != "" {
				value = " *" + value[1:] + "*"
			}
			fmt.Fprintf(&b, "\n**%s**%s\n: %s\n", strings.Join(names, "**, **"), value, escapeMarkdown(text))
		})
	}
	fmt.Fprintf(&b, "\n# EXAMPLES\n\n```\n%s```\n", c.exampleLines())
	writeStatuses(&b)
	b.WriteString("\n# SEE ALSO\n\n**spiff**(1)\n")
	return b.String()
}

func writeStatuses(b *strings.Builder) {
	b.WriteString("\n# EXIT STATUS\n")
	for _, x := range exitStatuses {
		fmt.Fprintf(b, "\n**%d**\n: %s\n", x.status, escapeMarkdown(x.means))
	}
}

// manPage makes a man page of Markdown. It has no date, so that it changes only
// with the table.
func manPage(name, text string) string {
	return string(md2man.Render([]byte(fmt.Sprintf("%% %q \"1\" \"\" \"spiff\" \"spiff manual\"\n%s", strings.ToUpper(name), text))))
}

// prose returns a text of the table as Markdown: paragraphs, and what is
// indented as it is.
func prose(text string) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			fmt.Fprintf(&b, "```text\n%s\n```\n\n", unindented(paragraph))
		} else {
			b.WriteString(escapeMarkdown(paragraph) + "\n\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// unindented removes the blanks that all lines but an unindented first one
// begin with.
func unindented(text string) string {
	lines := strings.Split(text, "\n")
	least := -1
	for i, l := range lines {
		n := len(l) - len(strings.TrimLeft(l, " "))
		if (i > 0 || n > 0) && (least < 0 || n < least) {
			least = n
		}
	}
	for i, l := range lines {
		lines[i] = l[min(max(least, 0), len(l)-len(strings.TrimLeft(l, " "))):]
	}
	return strings.Join(lines, "\n")
}

// escapeMarkdown returns a text that Markdown shows as it is.
func escapeMarkdown(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "]", `\]`, "`", "\\`").Replace(text)
}
