// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/doc"
	"github.com/dynaml/spiff/jsondoc"
	"github.com/dynaml/spiff/value"
)

// FuzzJSON checks that another reader finds in the JSON of a document what the
// document has, that both forms say the same, and that reading it gives the same
// JSON again. What cannot be expressed is an error with a place.
func FuzzJSON(f *testing.F) {
	for _, text := range append(yamlSeeds(f), "[.nan]", "- -.inf\n- 0x1FFFFFFFFFFFFFFFFF\n- 0777777777777777777777777\n- 1.50\n- .5\n", `["\0\x1f\u2028\U0001F600\"\\\x7f"]`) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := value.NewStore()
		res, err := doc.Read(s, diag.NewSource("in.yml", text))
		if err != nil {
			return
		}
		for _, id := range res.Docs {
			checkJSON(t, text, s, id)
		}
	})
}

func checkJSON(t *testing.T, text string, s *value.Store, id value.ID) {
	t.Helper()
	out, err := jsondoc.Append(nil, s, id, jsondoc.Options{MaxBytes: maxOutput})
	if err != nil {
		checkDiagnostic(t, text, err)
		return
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.UseNumber()
	var got any
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("%q: %v\n%s", text, err, out)
	}
	if d := differs(s, id, got); d != "" {
		t.Fatalf("%q: %s\n%s", text, d, out)
	}
	compact, err := jsondoc.Append(nil, s, id, jsondoc.Options{Compact: true, MaxBytes: maxOutput})
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, out); err != nil || b.String()+"\n" != string(compact) {
		t.Fatalf("%q (%v): compact\n%s, want\n%s", text, err, compact, &b)
	}
	s2 := value.NewStore()
	id2, _, err := jsondoc.Read(s2, diag.NewSource("out.json", string(out)))
	if err != nil {
		t.Fatalf("%q: %v\n%s", text, err, out)
	}
	again, err := jsondoc.Append(nil, s2, id2, jsondoc.Options{})
	if err != nil || !bytes.Equal(again, out) {
		t.Fatalf("%q: read again (%v)\n%s, want\n%s", text, err, again, out)
	}
}

// differs says how a node differs from what encoding/json read.
func differs(s *value.Store, id value.ID, got any) string {
	n := s.Node(id)
	ok := false
	switch got := got.(type) {
	case nil:
		ok = n.Kind == value.Null
	case bool:
		ok = n.Kind == value.Bool && got == (n.Pay != 0)
	case json.Number:
		ok = sameNumber(s.Load(id), string(got))
	case string:
		want := s.Load(id).Str
		if n.Flags&value.Binary != 0 {
			want = strings.Join(strings.Fields(want), "")
		}
		ok = (n.Kind == value.String || n.Kind == value.Expr) && got == want
	case []any:
		elems := s.Elems(n)
		for i := range min(len(got), len(elems)) {
			if d := differs(s, elems[i], got[i]); d != "" {
				return d
			}
		}
		ok = n.Kind == value.List && len(got) == len(elems)
	case map[string]any:
		keys := s.Keys(n)
		for i, k := range keys {
			if d := differs(s, s.Vals(n)[i], got[s.Name(k)]); d != "" {
				return d
			}
		}
		ok = n.Kind == value.Map && len(got) == len(keys)
	}
	if ok {
		return ""
	}
	return n.Kind.String() + " differs"
}

func sameNumber(v value.Value, got string) bool {
	switch v.Kind {
	case value.Int:
		return got == strconv.FormatInt(v.Num, 10)
	case value.Float:
		f, err := strconv.ParseFloat(got, 64)
		return err == nil && f == v.Float()
	case value.Big:
		// Its text may have another base; what is no int64 is printed in digits.
		_, err := strconv.ParseInt(got, 10, 64)
		return errors.Is(err, strconv.ErrRange)
	}
	return false
}
