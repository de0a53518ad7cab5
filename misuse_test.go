// SPDX-License-Identifier: Apache-2.0

package spiff_test

import (
	"context"
	"errors"
	"io"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
)

type inlined struct {
	Next *inlined `yaml:",inline"`
}

type ring *ring

type panics struct{}

func (panics) MarshalYAML() (any, error) { panic("no value") }

type itself struct{}

func (i itself) MarshalYAML() (any, error) { return i, nil }

// TestNoValue loads Go values that are none. Each is an error that says why.
func TestNoValue(t *testing.T) {
	cyclic := map[string]any{}
	cyclic["a"] = []any{cyclic}
	list := []any{nil}
	list[0] = list
	inline := &inlined{}
	inline.Next = inline
	var p ring
	p = &p
	var boxed any
	boxed = &boxed
	const deep, none = "does it contain itself?", "cannot be a value"
	for _, tt := range []struct {
		name string
		v    any
		want string
	}{
		{"map", cyclic, deep}, {"list", list, deep}, {"inline", inline, deep}, {"pointer", p, deep}, {"interface", boxed, deep},
		{"MarshalYAML", itself{}, deep}, {"inline pointer", struct {
			R ring `yaml:",inline"`
		}{p}, deep},
		{"chan", make(chan int), none}, {"func", func() {}, none}, {"complex", 1i, none},
		{"in a map", map[string]any{"a": []any{func() {}}}, "at a.[0]: a func() " + none},
		{"keys", map[int]int{1: 2}, "the keys of a map are strings"}, {"text", "\xff", "not valid UTF-8"}, {"key", map[string]int{"\xff": 1}, "not valid UTF-8"},
	} {
		if _, err := spiff.LoadValue("v", tt.v); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestValueThereAndBack merges a Go value and decodes it again.
func TestValueThereAndBack(t *testing.T) {
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	type Base struct{ A int }
	type all struct {
		Base  `yaml:",inline"`
		Plain Base
		T     time.Time
		U     uint64
		N     *int
		H     *big.Int
		F     []float64
	}
	v := all{Base{1}, Base{2}, time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC), math.MaxUint64, nil, huge, []float64{math.Inf(-1), 0.1, 1e300}}
	d, err := spiff.LoadValue("v", v)
	if err != nil {
		t.Fatal(err)
	}
	r, err := spiff.Merge(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	var back all
	if err := r.Decode(&back); err != nil || !reflect.DeepEqual(v, back) {
		t.Errorf("%v: %+v, want %+v", err, back, v)
	}
	for _, to := range []any{nil, 5, all{}, (*all)(nil), new(chan int), new(int), new([]int), new(func())} {
		if err := r.Decode(to); err == nil || !strings.Contains(err.Error(), "Go type") && !strings.Contains(err.Error(), "no pointer") {
			t.Errorf("%T: %v", to, err)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1)} {
		d, err := spiff.LoadValue("v", f)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := d.Docs()[0].Float(); !ok || math.IsNaN(got) != math.IsNaN(f) || !math.IsNaN(f) && got != f {
			t.Errorf("%v is %v", f, got)
		}
	}
}

// TestMisuse calls with what can never succeed. Each call is an error, of which
// none is a panic.
func TestMisuse(t *testing.T) {
	ctx := context.Background()
	var nilContext context.Context
	d := mustLoad(t, "t", "a: (( f() ))\n")
	merge := func(ctx context.Context, d *spiff.Document, stubs []*spiff.Document, o ...spiff.Option) error {
		_, err := spiff.Merge(ctx, d, stubs, o...)
		return err
	}
	one := spiff.Function{Name: "f", Call: func(context.Context, []spiff.Node) (any, error) { return 1, nil }}
	if err := merge(ctx, d, nil, nil, one, nil); err != nil {
		t.Errorf("a nil Option: %v", err)
	}
	for want, try := range map[string]func() error{
		"the template of a merge is no document": func() error { return merge(ctx, nil, nil) },
		"the template of a merge is":             func() error { return merge(ctx, &spiff.Document{}, nil) },
		"stub 2 of a merge is no document":       func() error { return merge(ctx, d, []*spiff.Document{d, nil}) },
		"the context of a merge is nil":          func() error { return merge(nilContext, d, nil) },
		"file does not exist":                    func() error { return merge(ctx, mustLoad(t, "t", "a: (( read(\"x\") ))"), nil, spiff.FS(nil)) },
		"there are two of that name":             func() error { return merge(ctx, d, nil, one, one) },
		"the template of":                        func() error { _, err := spiff.Inspect(ctx, nil, nil); return err },
		"the reader of x is nil":                 func() error { _, err := spiff.LoadReader("x", nil); return err },
		"the file system of x is nil":            func() error { _, err := spiff.LoadFS(nil, "x"); return err },
		"no document to compare":                 func() error { _, err := spiff.Diff(d, nil); return err },
		"no node to decode":                      func() error { return spiff.Node{}.Decode(new(int)) },
		"Limits.Memory is -1":                    func() error { return merge(ctx, d, nil, one, spiff.Limits{Memory: -1}) },
		"Limits.Input is -5": func() error {
			_, err := spiff.LoadReader("x", strings.NewReader("a: 1"), spiff.Limits{Input: -5})
			return err
		},
		"Limits.Depth is -1": func() error { _, err := spiff.LoadWithin("x", nil, spiff.Limits{Depth: -1}); return err },
		"unexpected EOF": func() error {
			_, err := spiff.LoadReader("x", iotest.ErrReader(io.ErrUnexpectedEOF))
			return err
		},
	} {
		err := try()
		var one *diag.Diagnostic
		var nodes *spiff.Unresolved
		if !errors.As(err, &one) && !errors.As(err, &nodes) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, row := range spiff.LimitTable {
		var l spiff.Limits
		row.Set(&l, -1)
		if err := merge(ctx, d, nil, one, l); err == nil || !strings.Contains(err.Error(), "-1") {
			t.Errorf("%s below zero: %v", row.Name, err)
		}
	}
}

// TestFunctionFails has functions that fail in all ways they can. What caused it
// is found behind the error of the merge.
func TestFunctionFails(t *testing.T) {
	d := mustLoad(t, "t", "a: (( f() ))\n")
	cause := errors.New("the cause")
	for want, call := range map[string]func() (any, error){
		"f panics: the cause":                     func() (any, error) { panic(cause) },
		"f panics: 7":                             func() (any, error) { panic(7) },
		"f panics: no value":                      func() (any, error) { return panics{}, nil },
		"a chan int cannot be a value":            func() (any, error) { return make(chan int), nil },
		"unresolved node a: the cause":            func() (any, error) { return nil, cause },
		"f panics: runtime error: integer divide": func() (any, error) { zero := 0; return 1 / zero, nil },
	} {
		_, err := spiff.Merge(context.Background(), d, nil, spiff.Function{Name: "f", Call: func(context.Context, []spiff.Node) (any, error) { return call() }})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if strings.Contains(want, "the cause") && !errors.Is(err, cause) {
			t.Errorf("%s: the cause is lost", want)
		}
	}
}

// TestDecodeBinary decodes bytes as the documentation says.
func TestDecodeBinary(t *testing.T) {
	d, err := spiff.LoadValue("v", []byte{0, 255})
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if err := d.Docs()[0].Decode(&text); err != nil || text != "\x00\xff" {
		t.Errorf("%v: %q", err, text)
	}
}
