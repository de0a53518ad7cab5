// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"testing"
)

// The examples of these pages are run; SPIFF_UPDATE=1 rewrites their results.
func TestOutputDocs(t *testing.T) {
	for _, page := range []string{"output.md", "eval.md"} {
		path, err := filepath.Abs("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(page, func(t *testing.T) { testExamples(t, path) })
	}
}
