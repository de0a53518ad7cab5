// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/dynaml/spiff"
)

// A process ends quietly on a signal, but not in the middle of what concerns
// others: a file is written first, and a command of exec is killed.
type process struct {
	once sync.Once
	ctx  context.Context
	busy sync.RWMutex // held for reading while something must not be left alone
}

// watch makes the signals that end a process end it by way of p. The shell sees
// that it was ended by the signal, exit status 130 for SIGINT, as it does if
// nobody watches: so this begins with the first thing that concerns others, as
// few runs have one.
func (p *process) watch() {
	p.ctx = context.Background()
	var signals []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as by nohup
			signals = append(signals, s)
		}
	}
	if len(signals) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(p.ctx)
	p.ctx = ctx
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, signals...)
	go func() {
		s := <-caught
		signal.Reset(signals...) // a second one ends it at once
		cancel()
		p.busy.Lock()
		endBy(s)
	}()
}

// during says that something begins that must not be left alone; the function
// returned ends it.
func (e *env) during() func() {
	if e.process == nil {
		return func() {}
	}
	e.process.once.Do(e.process.watch)
	e.process.busy.RLock()
	return e.process.busy.RUnlock
}

// exec runs a command of exec.
func (e *env) exec(argv []string, stderr io.Writer) ([]byte, error) {
	ctx := context.Background()
	end := e.during()
	if e.process != nil {
		ctx = e.process.ctx
	}
	out, err := e.limits.Command(ctx).Run(argv, stderr)
	end()
	if ctx.Err() != nil {
		select {} // the process ends, and says nothing
	}
	return out, err
}

// files is the world outside, as the expressions of a merge see it.
func (e *env) files() spiff.Files { return spiff.Files{Stderr: e.stderr, Exec: e.exec} }
