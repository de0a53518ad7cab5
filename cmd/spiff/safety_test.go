// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynaml/spiff"
)

// The marks around the part of docs/safety.md that spiff.LimitTable makes.
const (
	beginLimits = "<!-- limits: generated -->\n"
	endLimits   = "<!-- end -->\n"
)

// SPIFF_UPDATE=1 rewrites the table.
func TestSafetyLimits(t *testing.T) {
	file, err := filepath.Abs("../../docs/safety.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(readText(t, file), beginLimits)
	got, after, ok2 := strings.Cut(rest, endLimits)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks %q and %q", file, beginLimits, endLimits)
	}
	want := limitTable()
	switch {
	case got == want:
	case updateDocs:
		writeText(t, file, before+beginLimits+want+endLimits+after)
	default:
		t.Errorf("%s is not what spiff.LimitTable gives; SPIFF_UPDATE=1 rewrites it", file)
	}
}

func limitTable() string {
	var b strings.Builder
	b.WriteString("| flag | default | bounds | why |\n|---|---|---|---|\n")
	for i := range spiff.LimitTable {
		row := &spiff.LimitTable[i]
		fmt.Fprintf(&b, "| `--max-%s` | %s | %s | %s |\n", row.Name, limitText(row, row.Default), row.Bounds, row.Reason)
	}
	return b.String()
}

// Every limit has a case of its own, and its flag changes one field only.
func TestEveryLimitHasCases(t *testing.T) {
	for i := range spiff.LimitTable {
		row := &spiff.LimitTable[i]
		files, err := filepath.Glob("../../testdata/*/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		used := false
		for _, f := range files {
			used = used || strings.Contains(readText(t, f), "--max-"+row.Name+" ") && !strings.Contains(f, "help")
		}
		if !used {
			t.Errorf("no case uses --max-%s", row.Name)
		}
		if row.Default < least(row) || row.Default > row.Most {
			t.Errorf("%s: the default %d is not from %d to %d", row.Name, row.Default, least(row), row.Most)
		}
		var l, zero spiff.Limits
		if row.Set(&l, row.Default); l == zero {
			t.Errorf("%s: the flag sets nothing", row.Name)
		}
		v := limitValue{row: row, limits: &l}
		if err := v.Set(limitText(row, row.Default)); err != nil {
			t.Errorf("%s: the default cannot be given: %v", row.Name, err)
		}
	}
}
