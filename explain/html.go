// SPDX-License-Identifier: Apache-2.0

package explain

import "io"

// WriteHTML writes the graph as a page.
func (g *Graph) WriteHTML(w io.Writer) error { return g.WriteJSON(w) }
