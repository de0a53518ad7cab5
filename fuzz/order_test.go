// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dynaml/spiff/internal/ordertest"
	"github.com/dynaml/spiff/vm"
)

// FuzzOrder holds that starting children in the opposite order gives the same
// result.
func FuzzOrder(f *testing.F) {
	addMerges(f)
	limits := vm.Limits{CallDepth: 100, Instructions: 50_000}
	f.Fuzz(func(t *testing.T, template, stub string) {
		files := []txtar.File{{Name: "template.yml", Data: []byte(template)}, {Name: "stub.yml", Data: []byte(stub)}}
		a, b := ordertest.Outcome(files, false, limits), ordertest.Outcome(files, true, limits)
		if a != b && !strings.Contains(a+b, "instructions") { // which node meets the limit first may differ
			t.Fatalf("forwards\n%s\nbackwards\n%s", a, b)
		}
	})
}
