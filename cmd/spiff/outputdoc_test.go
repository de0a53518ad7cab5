// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"testing"
)

// The examples of docs/output.md are run; SPIFF_UPDATE=1 rewrites their results.
func TestOutputDoc(t *testing.T) {
	path, err := filepath.Abs("../../docs/output.md")
	if err != nil {
		t.Fatal(err)
	}
	testExamples(t, path)
}
