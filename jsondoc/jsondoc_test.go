// SPDX-License-Identifier: Apache-2.0

package jsondoc

import (
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// What is read is printed: texts with their escapes, numbers with their digits.
func TestReadAndAppend(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"escapes", `"\"\\\/\b\f\n\r\t\u0001\u007f\u2028"`, "\"\\\"\\\\/\\u0008\\u000c\\n\\r\\t\\u0001\u007f\u2028\""},
		{"surrogate pair", `"\ud83d\ude00"`, `"😀"`},
		{"half a pair", `"\ud83d"`, "\"\ufffd\""},
		{"digits", `[1.50, 1E2, -0, -0.0, 123456789012345678901234567890, 9223372036854775807]`, `[1.50,1E2,0,-0.0,123456789012345678901234567890,9223372036854775807]`},
		{"keys are sorted", `{"b": 1, "B": {}, "a": []}`, `{"B":{},"a":[],"b":1}`},
		{"the last key wins", `{"a": 1, "a": 2}`, `{"a":2}`},
		{"words", `[true, false, null]`, `[true,false,null]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := value.NewStore()
			id, _, err := Read(s, diag.NewSource("in.json", tt.text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := Append(nil, s, id, Options{Compact: true})
			if err != nil || string(got) != tt.want+"\n" {
				t.Errorf("got %s (%v), want %s", got, err, tt.want)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no JSON", "[1,\n x]", "in.json:2:2: error: the text is not JSON: invalid character 'x' looking for beginning of value"},
		{"nothing", "", "in.json:1:1: error: the text is not JSON: unexpected end of JSON input"},
		{"too large", "[1,\n 1e400]", "in.json:2:2: error: the number is too large for a float"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Read(value.NewStore(), diag.NewSource("in.json", tt.text))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// Aliases of aliases stand for much more than was written: a bound holds, and
// what was appended before stays.
func TestLimit(t *testing.T) {
	s := value.NewStore()
	id := s.Put(value.OfString("x"), value.Node{})
	for range 40 {
		id = s.ListNode(value.Node{}, []value.ID{id, id}, 0)
	}
	got, err := Append([]byte("before"), s, id, Options{MaxBytes: 1000})
	if err == nil || string(got) != "before" {
		t.Errorf("got %d bytes (%v), want an error", len(got), err)
	}
}

func TestInvalidText(t *testing.T) {
	s := value.NewStore()
	id := s.Put(value.OfString("a\xff"), value.Node{})
	if _, err := Append(nil, s, id, Options{}); err == nil {
		t.Error("a text that is not valid UTF-8 is printed")
	}
}
