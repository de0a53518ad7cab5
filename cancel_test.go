// SPDX-License-Identifier: Apache-2.0

package spiff_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/dynaml/spiff"
	"github.com/dynaml/spiff/diag"
)

// A cancellation ends what would take longer than anybody lives. How much is
// still done after it is counted.
func TestCancel(t *testing.T) {
	cells := "first: (( read(\"cancel\", \"text\") ))\n"
	for i := range 20_000 {
		cells += fmt.Sprintf("k%d: (( first + %d ))\n", i, i)
	}
	const fib = "fib: (( |n|->n < 2 ? n :_(n - 1) + _(n - 2) ))\n"
	tests := []struct {
		name, template string
	}{
		{"calls", fib + "x: (( read(\"cancel\", \"text\") .fib(90) ))"},
		{"rounds", fib + "x: (( read(\"cancel\", \"text\") sum[[1..100000]|0|s,x|->s + sum[[1..100000]|0|s,x|->s + x]] ))"},
		{"cells", cells},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			d, err := spiff.Load("t.yml", []byte(tt.template))
			if err != nil {
				t.Fatal(err)
			}
			var st spiff.Stats
			opt := spiff.Options{Stats: &st, Limits: spiff.Limits{Instructions: 1 << 60}}
			opt.Files.ReadFile = func(string) ([]byte, error) { cancel(); return []byte("1"), nil }
			_, err = spiff.Merge(ctx, d, nil, opt)
			mustBeCanceled(t, err)
			if st.VM.Instructions > 1<<15 {
				t.Errorf("%d instructions", st.VM.Instructions)
			}
		})
	}
}

func mustBeCanceled(t *testing.T, err error) {
	t.Helper()
	var d *diag.Diagnostic
	if !errors.Is(err, context.Canceled) || !errors.As(err, &d) || d.Code != diag.Canceled {
		t.Errorf("got %v", err)
	}
}

// A merge that never begins fails like one that is ended.
func TestCanceledBefore(t *testing.T) {
	cause := errors.New("nobody waits any more")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	for _, text := range []string{"a: 1", "a: (( 1 + 1 ))"} {
		d, err := spiff.Load("t.yml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, opt := range []spiff.Options{{}, {Partial: true}} {
			_, err = spiff.Merge(ctx, d, []*spiff.Document{d}, opt)
			mustBeCanceled(t, err)
			if !errors.Is(err, cause) || !strings.HasSuffix(err.Error(), cause.Error()) {
				t.Errorf("the cause is missing: %v", err)
			}
			_, err = spiff.Inspect(ctx, d, nil, opt)
			mustBeCanceled(t, err)
		}
	}
}

// What a failed merge tells later does not depend on its context.
func TestCanceledLater(t *testing.T) {
	d, err := spiff.Load("t.yml", []byte("a: (( b + 1 ))\nb: (( \"x\" \"y\" ))\n"))
	if err != nil {
		t.Fatal(err)
	}
	var want string
	for _, early := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := spiff.Merge(ctx, d, nil)
		if early {
			cancel()
		}
		var u *spiff.Unresolved
		if !errors.As(err, &u) {
			t.Fatalf("got %v", err)
		}
		got := u.Diagnostics().Error()
		if early && got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		want = got
		cancel()
	}
}

// writerFunc is a writer that is a function.
type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// A command of exec is killed when the merge ends.
func TestCancelCommand(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh to run")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d, err := spiff.Load("t.yml", []byte(`a: (( exec("sh", "-c", "echo runs >&2; sleep 3600") || "default" ))`))
	if err != nil {
		t.Fatal(err)
	}
	opt := spiff.Options{}
	opt.Files.Stderr = writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	_, err = spiff.Merge(ctx, d, nil, opt)
	mustBeCanceled(t, err)
}
