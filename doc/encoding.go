// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"strings"

	"github.com/dynaml/spiff/diag"
)

// encodings are the beginnings of texts in other encodings than UTF-8: a byte
// order mark, or the zero bytes of a first ASCII character.
var encodings = []struct{ begin, name string }{
	{"\xff\xfe\x00\x00", "UTF-32"},
	{"\x00\x00\xfe\xff", "UTF-32"},
	{"\xff\xfe", "UTF-16"},
	{"\xfe\xff", "UTF-16"},
}

// checkEncoding refuses a text that is not UTF-8 as a whole, as some editors
// save it.
func checkEncoding(src *diag.Source) error {
	t := src.Text
	for _, e := range encodings {
		if strings.HasPrefix(t, e.begin) {
			return notUTF8(src, e.name)
		}
	}
	if len(t) > 1 && (t[0] == 0) != (t[1] == 0) {
		return notUTF8(src, "UTF-16")
	}
	return nil
}

func notUTF8(src *diag.Source, name string) error {
	return diag.Errorf(bytesAt(src, 0, 1), "the file is encoded in %s, save it as UTF-8", name)
}
