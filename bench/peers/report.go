// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// markdown returns the tables of the README. A number in brackets is how many
// times as long as this project the peer takes: the median over the rounds.
func markdown(all []sample) string {
	sizes := sizesOf(all)
	var b strings.Builder
	b.WriteString("| expression |")
	for _, e := range exprEngines {
		fmt.Fprintf(&b, " %s |", e.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", len(exprEngines)) + "\n")
	rows := append([]exprCase{}, exprCases...)
	rows = append(rows, exprCase{name: "compile", title: compileTitle})
	for _, c := range rows {
		fmt.Fprintf(&b, "| %s |", c.title)
		for _, e := range exprEngines {
			fmt.Fprintf(&b, " %s |", cell(all, exprName(c.name), e.name))
		}
		b.WriteByte('\n')
	}

	b.WriteString("\n| read and write a document |")
	for _, e := range docEngines {
		fmt.Fprintf(&b, " %s |", e.title)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", len(docEngines)) + "\n")
	for _, k := range docKinds {
		for _, size := range sizes {
			name := docName(k.name, size)
			fmt.Fprintf(&b, "| %s, %s |", k.title, megabytes(size))
			for _, e := range docEngines {
				fmt.Fprintf(&b, " %s |", cell(all, name, e.name))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// sizesOf returns the sizes of documents in the order in which they ran.
func sizesOf(all []sample) (sizes []int) {
	for _, s := range all {
		_, size, ok := strings.Cut(s.name, sizeKey)
		if n, err := strconv.Atoi(size); ok && err == nil && !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

func cell(all []sample, name, engine string) string {
	ns := median(valuesOf(all, name, engine))
	switch {
	case ns == 0:
		return "–"
	case engine == own:
		return duration(ns)
	}
	return fmt.Sprintf("%s (%.3g)", duration(ns), medianRatio(all, name, engine, own))
}

// duration prints three significant digits.
func duration(ns float64) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if v := ns / float64(u.unit); v >= 0.9995 {
			return significant(v) + " " + u.name
		}
	}
	return significant(ns) + " ns"
}

func significant(v float64) string {
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f", v)
	case v < 99.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func megabytes(size int) string {
	if size < 1_000_000 {
		return strconv.Itoa(size/1000) + " kB"
	}
	return strconv.Itoa(size/1_000_000) + " MB"
}

// Where the README has the tables.
const (
	speedBegin = "<!-- speed: written by go run -C bench/peers . -update -->\n"
	speedEnd   = "<!-- speed end -->\n"
)

// updateReadme puts text between the marks of a file.
func updateReadme(file, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(old), speedBegin)
	_, tail, ok2 := strings.Cut(rest, speedEnd)
	if !ok || !ok2 {
		return errors.New(file + ": the marks of the speed table are missing")
	}
	return os.WriteFile(file, []byte(head+speedBegin+text+speedEnd+tail), 0o666)
}
