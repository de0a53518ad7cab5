// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The completion of command lines in shells. cobra makes the scripts, and
// answers what they ask by calling spiff __complete WORD...; it is told of the
// commands and flags of the table only then. Ordinary commands do without it.

func completionCommand() command {
	return command{
		name:  "completion",
		args:  strings.Join(shellNames(), "|"),
		short: "print the script that completes command lines in a shell",
		long: `
Prints a script for a shell. With it, the tab key completes commands, flags and
their values, files, and paths inside of the documents that are named in the
same command line, one component at a time. To load it in every session:

  bash        spiff completion bash > /etc/bash_completion.d/spiff
              (needs the package bash-completion)
  zsh         spiff completion zsh > "${fpath[1]}/_spiff"
              (needs compinit in ~/.zshrc)
  fish        spiff completion fish > ~/.config/fish/completions/spiff.fish
  powershell  add this line to the file named by $PROFILE:
              spiff completion powershell | Out-String | Invoke-Expression

Paths are completed from the files anywhere in the line; fish and PowerShell only
tell of those to the left of the cursor.`,
		examples: []usageExample{
			{"source <(spiff completion bash)", "complete in this session of bash"},
			{"spiff completion fish | source", "complete in this session of fish"},
		},
		complete: []completion{words(shellNames()...), nothing},
		run:      runCompletion,
	}
}

// shells are all of them.
var shells = []struct {
	name   string
	script func(root *cobra.Command, b *bytes.Buffer) error
}{
	{"bash", bashScript},
	{"zsh", zshScript},
	{"fish", func(root *cobra.Command, b *bytes.Buffer) error { return root.GenFishCompletion(b, true) }},
	{"powershell", func(root *cobra.Command, b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) }},
}

func shellNames() (names []string) {
	for _, s := range shells {
		names = append(names, s.name)
	}
	return names
}

func runCompletion(e *env, flags *pflag.FlagSet) error {
	if flags.NArg() != 1 {
		return usageError{"one shell is expected, " + strings.Join(shellNames(), ", ")}
	}
	name := flags.Arg(0)
	at := slices.Index(shellNames(), name)
	if at < 0 {
		return usageError{fmt.Sprintf("unknown shell %q, %s", name, wordsMessage(name, shellNames()))}
	}
	var b bytes.Buffer
	if err := shells[at].script(&cobra.Command{Use: "spiff"}, &b); err != nil {
		return err
	}
	_, err := e.stdout.Write(b.Bytes())
	return err
}

// afterVariable holds what stands to the right of the cursor. The scripts of
// cobra only pass on what is to the left, but the files of explain come behind
// its path.
const afterVariable = "SPIFF_COMPLETE_AFTER"

// bashScript is that of cobra, called with afterVariable.
func bashScript(root *cobra.Command, b *bytes.Buffer) error {
	err := root.GenBashCompletionV2(b, true)
	b.WriteString(`
__spiff_complete() {
    local -x ` + afterVariable + `="${COMP_LINE:COMP_POINT}"
    __start_spiff "$@"
}
complete -o default -F __spiff_complete spiff
`)
	return err
}

// zshScript is that of cobra, whose function is wrapped before its last lines
// call it.
func zshScript(root *cobra.Command, b *bytes.Buffer) error {
	var script bytes.Buffer
	err := root.GenZshCompletion(&script)
	const last = "# don't run the completion function when being source-ed or eval-ed\n"
	before, after, ok := strings.Cut(script.String(), last)
	if err == nil && !ok {
		err = fmt.Errorf("the script for zsh has no line %q", last)
	}
	b.WriteString(before + `functions[__spiff_complete]=$functions[_spiff]
_spiff()
{
    local -x ` + afterVariable + `=" ${(j: :)words[CURRENT+1,-1]}"
    __spiff_complete "$@"
}

` + last + after)
	return err
}

// completeLine answers a script; args is the request and the words of the
// command line up to the one that is to be completed.
func completeLine(e *env, args []string) int {
	root := &cobra.Command{
		Use:               "spiff",
		Short:             about,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	for _, c := range commands() {
		sub := c.cobra(e)
		if c.name == "help" {
			root.SetHelpCommand(sub)
		} else {
			root.AddCommand(sub)
		}
	}
	root.SetArgs(args)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	if root.Execute() != nil {
		return exitFailed
	}
	return exitOK
}

// cobra describes the command to cobra.
func (c *command) cobra(e *env) *cobra.Command {
	sub := &cobra.Command{
		Use:               c.name,
		Aliases:           c.aliases,
		Short:             c.short,
		Run:               func(*cobra.Command, []string) {}, // one without is not offered
		ValidArgsFunction: c.completeArg(e),
	}
	flags, _ := c.flagSet(e)
	flags.VisitAll(func(f *pflag.Flag) {
		f.Usage, _, _ = strings.Cut(f.Usage, "\n")
		_, f.Usage = pflag.UnquoteUsage(f)
		sub.Flags().AddFlag(f)
		answer := func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return c.suggest(e, completionOf(f), args, typed)
		}
		if err := sub.RegisterFlagCompletionFunc(f.Name, answer); err != nil {
			panic(err) // the flag is not there, or was before
		}
	})
	return sub
}

// completeArg returns the function that completes an argument.
func (c *command) completeArg(e *env) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		what := c.complete[min(len(args), len(c.complete)-1)]
		return c.suggest(e, what, args, typed)
	}
}

// suggest returns what a word completes to, and what the shell is to do with
// it. args are the arguments before it.
func (c *command) suggest(e *env, what completion, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	switch what.kind {
	case completeWords:
		return beginningWith(typed, what.words), cobra.ShellCompDirectiveNoFileComp
	case completeFiles:
		if len(what.words) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return what.words, cobra.ShellCompDirectiveFilterFileExt
	case completeFolders:
		return nil, cobra.ShellCompDirectiveFilterDirs
	case completeCommand:
		return beginningWith(typed, describedCommands()), cobra.ShellCompDirectiveNoFileComp
	case completePath, completeCode:
		files := c.files(e, args)
		if len(files) == 0 && what.kind == completeCode {
			return describedCodes(typed), cobra.ShellCompDirectiveDefault
		}
		return paths(e, files, typed)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func beginningWith(typed string, list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !strings.HasPrefix(s, typed) })
}

func describedCommands() (list []string) {
	for _, c := range commands() {
		list = append(list, cobra.CompletionWithDesc(c.name, c.short))
	}
	return list
}

// describedCodes returns the codes of errors that begin with what is typed, in
// its case.
func describedCodes(typed string) (list []string) {
	for _, g := range diag.Catalogue {
		for _, e := range g.Entries {
			code := string(e.Code)
			if strings.HasPrefix(strings.ToUpper(code), strings.ToUpper(typed)) {
				list = append(list, cobra.CompletionWithDesc(typed+code[len(typed):], e.Title))
			}
		}
	}
	return list
}

// files returns the files that the command line names: among the arguments
// before the word that is completed, and behind the cursor.
func (c *command) files(e *env, args []string) []string {
	names := args[min(c.before, len(args)):]
	after, _ := c.flagSet(e)
	after.ParseErrorsAllowlist.UnknownFlags = true
	if after.Parse(wordsAfter(os.Getenv(afterVariable))) == nil {
		names = slices.Concat(names, after.Args())
	}
	return names
}

// wordsAfter takes apart what stands to the right of the cursor, up to the end
// of the command. The rest of the word at the cursor is none of the words.
func wordsAfter(line string) (words []string) {
	var word strings.Builder
	in, quote := line != "" && line[0] != ' ', byte(0)
	rest := in // of the word at the cursor
	end := func() {
		if in && !rest {
			words = append(words, word.String())
		}
		in, rest = false, false
		word.Reset()
	}
	for i := 0; i < len(line); i++ {
		b := line[i]
		switch {
		case quote != 0 && b == quote:
			quote = 0
		case b == '\\' && quote != '\'' && i+1 < len(line):
			i++
			in = true
			word.WriteByte(line[i])
		case quote != 0:
			word.WriteByte(b)
		case b == '\'' || b == '"':
			in, quote = true, b
		case b == ' ' || b == '\t' || b == '\n':
			end()
		case strings.IndexByte("|&;<>()", b) >= 0:
			end()
			return words
		default:
			in = true
			word.WriteByte(b)
		}
	}
	end()
	return words
}

// paths returns the paths inside of files one component further. What is wrong
// with a file is not said here.
func paths(e *env, files []string, typed string) ([]string, cobra.ShellCompDirective) {
	var docs []*spiff.Document
	for _, name := range files {
		if d := readQuietly(e, name); d != nil {
			docs = append(docs, d)
		}
	}
	list := spiff.CompletePath(typed, docs...)
	directive := cobra.ShellCompDirectiveNoFileComp
	if slices.ContainsFunc(list, func(p string) bool { return strings.HasSuffix(p, ".") || strings.HasSuffix(p, "/") }) {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return list, directive
}

// readQuietly returns the document of a file, or nil. It waits for nobody to
// write to a pipe.
func readQuietly(e *env, name string) *spiff.Document {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(name, "~/") {
		name = filepath.Join(home, name[2:])
	}
	if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() {
		return nil
	}
	return loadFile(e, name).doc
}
