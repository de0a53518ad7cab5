// SPDX-License-Identifier: Apache-2.0

// Package follow does what a document tells its reader to do: it writes the
// files and runs the commands, in order, and compares what they print. It knows
// Markdown and the shell, not what the commands are.
//
// A fenced block is one of three, by the words behind its fence:
//
//	```yaml NAME    a file; the paragraph above says `NAME`, for readers see no fence
//	```console      commands behind "$ ", continued behind "> ", each followed by
//	                what it prints on both outputs, as on a terminal; that does
//	                not begin with "> "
//	```anything     something to look at
//
// A command ends with status 0, unless the next one is "echo $?".
package follow

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Step is a file to write or a command to run.
type Step struct {
	Line    int    // of the document, from 1
	Section string // the nearest heading of level 2 above, "" before the first
	File    string // a file to write, "" for a command
	Body    string // the text of the file, or the command
	Want    string // what the command prints

	from, to int // where Want stands in the document
}

// A Block is a fenced block of a document.
type Block struct {
	Line int    // of its first line of text, from 1
	Lang string // the first word behind the fence
	Name string // the second one
	Body string

	from    int // where Body stands in the document
	section string
	above   string // the paragraph above it
}

var (
	fence   = regexp.MustCompile("(?m)^```([^`\n]*)\n((?s:.*?))^```[ \t]*\n")
	indent  = regexp.MustCompile("(?m)^[ \t]+```")
	level2  = regexp.MustCompile(`(?m)^## (.*)$`)
	padding = regexp.MustCompile(`\n[ \t]*\n`)
)

// Blocks returns the fenced blocks of a document.
func Blocks(text string) []Block {
	var blocks []Block
	prose, done := "", 0
	for _, at := range fence.FindAllStringSubmatchIndex(text, -1) {
		prose += text[done:at[0]]
		done = at[1]
		words := append(strings.Fields(text[at[2]:at[3]]), "", "")
		b := Block{
			Line: 1 + strings.Count(text[:at[4]], "\n"),
			Lang: words[0], Name: words[1],
			Body: text[at[4]:at[5]], from: at[4],
		}
		if h := level2.FindAllStringSubmatch(prose, -1); h != nil {
			b.section = h[len(h)-1][1]
		}
		paragraphs := padding.Split(strings.TrimSpace(prose), -1)
		b.above = paragraphs[len(paragraphs)-1]
		blocks = append(blocks, b)
	}
	return blocks
}

// Parse returns the steps of a document. Its errors name the line.
func Parse(text string) ([]Step, error) {
	if at := indent.FindStringIndex(text); at != nil {
		return nil, fmt.Errorf("line %d: an indented fence, which nobody follows", 2+strings.Count(text[:at[0]], "\n"))
	}
	if rest := fence.ReplaceAllString(text, ""); strings.Contains(rest, "\n```") {
		return nil, errors.New("a fence is not closed")
	}
	var steps []Step
	for _, b := range Blocks(text) {
		switch {
		case b.Lang == "console":
			commands, err := b.commands()
			if err != nil {
				return nil, err
			}
			steps = append(steps, commands...)
		case b.Name != "":
			if !strings.Contains(b.above, "`"+b.Name+"`") {
				return nil, fmt.Errorf("line %d: the paragraph above does not name the file `%s`", b.Line, b.Name)
			}
			steps = append(steps, Step{Line: b.Line, Section: b.section, File: b.Name, Body: b.Body})
		}
	}
	return steps, nil
}

// commands returns the steps of a console block.
func (b Block) commands() ([]Step, error) {
	var steps []Step
	at, line := b.from, b.Line
	for text := range strings.Lines(b.Body) {
		command, isCommand := strings.CutPrefix(text, "$ ")
		more, isMore := strings.CutPrefix(text, "> ")
		end := at + len(text)
		switch {
		case isCommand:
			steps = append(steps, Step{Line: line, Section: b.section, Body: strings.TrimSuffix(command, "\n"), from: end, to: end})
		case len(steps) == 0:
			return nil, fmt.Errorf("line %d: a console block begins with %q", line, "$ ")
		default:
			last := &steps[len(steps)-1]
			if isMore && last.Want == "" {
				last.Body += "\n" + strings.TrimSuffix(more, "\n")
				last.from = end
			} else {
				last.Want += text
			}
			last.to = end
		}
		at, line = end, line+1
	}
	return steps, nil
}

// Rewrite returns the document with other outputs of its commands, one for each
// step.
func Rewrite(text string, steps []Step, outputs []string) string {
	var b strings.Builder
	done := 0
	for i, s := range steps {
		if s.File == "" {
			b.WriteString(text[done:s.from] + outputs[i])
			done = s.to
		}
	}
	return b.String() + text[done:]
}

// Sections splits steps where a heading of level 2 begins another one.
func Sections(steps []Step) [][]Step {
	var all [][]Step
	for len(steps) > 0 {
		n := slices.IndexFunc(steps, func(s Step) bool { return s.Section != steps[0].Section })
		if n < 0 {
			n = len(steps)
		}
		all = append(all, steps[:n])
		steps = steps[n:]
	}
	return all
}

var (
	continued = regexp.MustCompile(`\\\n[ \t]*`)
	calls     = regexp.MustCompile(`(?:^|[\s;|&(])spiff ([a-z][^|;&<>)#\n]*)`)
	span      = regexp.MustCompile("`spiff ([a-z][^`]*)`")
)

// A Call is a command line of spiff that a document shows.
type Call struct {
	Line int
	Args []string
}

// Calls returns the command lines of spiff in blocks and code spans, with "x" for
// a word that the shell makes.
func Calls(text string) []Call {
	var all []Call
	add := func(line int, words string) {
		c := Call{Line: line}
		for word := range strings.FieldsSeq(words) {
			if strings.Contains(word, "$") {
				word = "x"
			}
			c.Args = append(c.Args, strings.Trim(word, `"'`))
		}
		all = append(all, c)
	}
	for _, b := range Blocks(text) {
		if b.Lang == "text" || b.Lang == "go" || b.Lang == "console" {
			continue // prints of programs, another language, and what is run anyway
		}
		for _, m := range calls.FindAllStringSubmatch(continued.ReplaceAllString(b.Body, " "), -1) {
			add(b.Line, m[1])
		}
	}
	prose := fence.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
	for _, at := range span.FindAllStringSubmatchIndex(prose, -1) {
		add(1+strings.Count(prose[:at[0]], "\n"), prose[at[2]:at[3]])
	}
	return all
}
