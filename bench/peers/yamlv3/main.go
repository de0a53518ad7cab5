// SPDX-License-Identifier: Apache-2.0

// Yamlv3 reads the documents in the given files as trees of gopkg.in/yaml.v3
// and writes them to the standard output. It is what a merge is compared with:
// no tool that stands on that package can take less.
package main

import (
	"bufio"
	"fmt"
	"os"

	"gopkg.in/yaml.v3"
)

func main() {
	for _, file := range os.Args[1:] {
		if err := rewrite(file); err != nil {
			fmt.Fprintf(os.Stderr, "yamlv3: %s: %v\n", file, err)
			os.Exit(1)
		}
	}
}

func rewrite(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil {
		return err
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	enc := yaml.NewEncoder(out)
	enc.SetIndent(2)
	if err := enc.Encode(&n); err != nil {
		return err
	}
	if err := enc.Close(); err != nil {
		return err
	}
	return out.Flush()
}
