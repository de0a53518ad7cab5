// SPDX-License-Identifier: Apache-2.0

package explain

import (
	_ "embed" // for the parts of the page
	"encoding/json"
	"io"
	"strings"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// WriteHTML writes the graph as one page that needs nothing else: a list of
// nodes to search, and for each what it needs and what needs it.
func (g *Graph) WriteHTML(w io.Writer) error {
	data, err := json.Marshal(g) // which escapes <, so that no text ends the script
	if err != nil {
		return err
	}
	page := pageHTML
	for _, part := range []struct{ mark, text string }{
		{"/*style*/\n", pageStyle}, {"/*script*/\n", pageScript}, {"/*data*/", string(data)},
	} {
		page = strings.Replace(page, part.mark, part.text, 1)
	}
	_, err = io.WriteString(w, page)
	return err
}
