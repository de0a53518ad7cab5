// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/spf13/pflag"
)

// A completion says what a word of the command line completes to.
type completion struct {
	kind  completionKind
	words []string // of kind completeWords, or the extensions of files
}

type completionKind string

const (
	completeNothing completionKind = "nothing"
	completeWords   completionKind = "words"   // these and no others
	completeFiles   completionKind = "files"   // with one of these extensions, or any
	completeFolders completionKind = "folders" // to descend into
	completePath    completionKind = "path"    // inside the documents of the command line
	completeCode    completionKind = "code"    // such a path, or the code of an error
	completeCommand completionKind = "command" // the name of a command
)

var (
	nothing    = completion{kind: completeNothing}
	yamlFiles  = files("yml", "yaml")
	folders    = completion{kind: completeFolders}
	nodePath   = completion{kind: completePath}
	pathOrCode = completion{kind: completeCode}
)

// files returns the completion to files with one of the extensions, and to
// folders that may have some.
func files(extensions ...string) completion {
	return completion{completeFiles, extensions}
}

// words returns the completion to one of a few words.
func words(of ...string) completion {
	return completion{completeWords, of}
}

// completionKey is where completes keeps a completion in the annotations of a
// flag.
const completionKey = "spiff_completion"

// completes says what the value of a flag completes to. A flag about which
// nothing is said, such as one that takes a number, completes to nothing.
func completes(f *pflag.FlagSet, name string, c completion) {
	if err := f.SetAnnotation(name, completionKey, slices.Concat([]string{string(c.kind)}, c.words)); err != nil {
		panic(err) // there is no such flag in the set
	}
}

// completionOf returns what completes said about a flag.
func completionOf(f *pflag.Flag) completion {
	if said := f.Annotations[completionKey]; len(said) > 0 {
		return completion{completionKind(said[0]), said[1:]}
	}
	return nothing
}
