// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/dynaml/spiff"
	"github.com/spf13/pflag"
)

var checkCommand = command{
	name:  "check",
	args:  "[flags] TEMPLATE [STUB...]",
	short: "print the errors and warnings of a merge, and nothing else",
	long: `
Merges TEMPLATE with the STUBs like the command merge, but prints no manifest:
only errors, and warnings about what is allowed and probably not meant, such as
keys of a stub that nothing uses. The exit status is 1 if there are any.`,
	examples: []usageExample{
		{"spiff check template.yml stub.yml", "list all errors and warnings"},
		{"spiff check --error-format github template.yml stub.yml", "annotate a pull request with them"},
	},
	complete: []completion{yamlFiles},
	flags: func(f *pflag.FlagSet) {
		bindingFlags(f)
		dialectFlag(f)
		reportFlags(f)
	},
	limited: true,
	merges:  true,
	run: func(e *env, flags *pflag.FlagSet) error {
		m, err := mergeDocuments(e, flags, flags.Args(), spiff.Options{Check: true}, nil)
		if err != nil {
			return err
		}
		return m.report.print(true)
	},
}
