// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/spf13/pflag"
)

// A flagGroup is a part of the help.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// flagSet returns all flags of the command, together and in groups.
func (c *command) flagSet(e *env) (*pflag.FlagSet, []flagGroup) {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolP("help", "h", false, "print this help")
	if c.flags != nil {
		c.flags(flags)
	}
	return flags, c.flagGroups(e, flags)
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

// A wordError is a value of a flag that is none of its words.
type wordError struct {
	flag  *pflag.Flag
	value string
}

func (e wordError) Error() string {
	return fmt.Sprintf("invalid argument %q for %q flag: %s", e.value, "--"+e.flag.Name, wordsMessage(e.value, completionOf(e.flag).words))
}

// checkValues returns an error for a flag whose value is none of the words that
// it completes to, or which names a file or folder with the empty text: a shell
// variable that is not set must not turn, say, --check-output off.
func checkValues(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, v := range values {
			if err == nil {
				err = checkValue(f, v)
			}
		}
	})
	return err
}

func checkValue(f *pflag.Flag, v string) error {
	switch c := completionOf(f); {
	case c.kind == completeWords && !slices.Contains(c.words, v):
		return wordError{f, v}
	case (c.kind == completeFiles || c.kind == completeFolders) && v == "":
		name, _ := pflag.UnquoteUsage(f)
		return fmt.Errorf("flag needs an argument that is not empty: --%s %s", f.Name, name)
	}
	return nil
}

// wordsMessage says which words there are.
func wordsMessage(word string, words []string) string {
	if len(words) == 1 {
		return "there is only " + words[0] + didYouMean(word, words)
	}
	return "there are " + strings.Join(words, ", ") + didYouMean(word, words)
}

// flagMessage says what is wrong with the flags of a command line.
func flagMessage(err error, flags *pflag.FlagSet) string {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	switch {
	case errors.As(err, &unknown):
		return err.Error() + flagHint(unknown.GetSpecifiedName(), flags)
	case errors.As(err, &missing):
		name, _ := pflag.UnquoteUsage(missing.GetFlag())
		return fmt.Sprintf("flag needs an argument: --%s %s", missing.GetFlag().Name, name)
	case errors.As(err, &number):
		return strings.Replace(err.Error(), number.Error(), numberMessage(number), 1)
	case errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "duration":
		return strings.Replace(err.Error(), errors.Unwrap(invalid).Error(), "a time is expected, such as 90s or 5m", 1)
	}
	return err.Error()
}

// numberMessage says what was expected in words of the command line.
func numberMessage(err *strconv.NumError) string {
	switch {
	case err.Func == "ParseBool":
		return "true or false is expected"
	case errors.Is(err, strconv.ErrRange):
		return "the number is too large"
	}
	return "a number is expected"
}

// flagHint returns what to add to the message about an unknown flag: the one
// that is most like it.
func flagHint(name string, flags *pflag.FlagSet) string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return didYouMean("--"+name, names)
}

// didYouMean returns what to add to a message about an unknown name: the one
// that is most like it, or nothing.
func didYouMean(name string, names []string) string {
	if s := diag.Closest(name, names); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}
