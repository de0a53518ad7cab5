// SPDX-License-Identifier: Apache-2.0

package spiff

import "github.com/dynaml/spiff/explain"

// CompletePath returns the paths that begin with what is typed and lead one
// component further to what is written in the documents; see explain.Complete.
// It is for the completion of command lines, and merges nothing.
func CompletePath(typed string, docs ...*Document) []string {
	var trees []explain.Tree
	for _, d := range docs {
		for _, root := range d.docs {
			trees = append(trees, explain.Tree{Store: d.s, Root: root})
		}
	}
	return explain.Complete(typed, trees)
}
