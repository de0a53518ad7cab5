// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A watcher says which files change.
type watcher interface {
	// Watch names the files that count from now on.
	Watch(files []string) error
	// Next waits until some of them have changed, and returns their names, sorted.
	// It fails with io.EOF if nothing can change any more.
	Next() ([]string, error)
}

// watch runs a round, and another one whenever files change.
func (b *batcher) watch(w watcher) error {
	var changed []string
	for {
		// Before files are read, so that no change is missed. Only a file that an
		// expression reads for the first time, in a folder where nothing else is
		// used, can change between that and the next round.
		if err := w.Watch(append(b.runner.Files(), b.file)); err != nil {
			return err
		}
		if err := b.round(changed); err != nil && err != errReported {
			return err
		}
		if err := w.Watch(append(b.runner.Files(), b.file)); err != nil {
			return err
		}
		var err error
		if changed, err = w.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if slices.Contains(changed, b.file) {
			b.replan()
		}
	}
}

// replan takes over the batch file as it is now, or keeps the targets if it is
// wrong.
func (b *batcher) replan() {
	plan, err := b.plan()
	switch {
	case err == nil:
		b.runner.SetPlan(plan)
	case err != errReported:
		fmt.Fprintln(b.e.stderr, err)
	}
}

// quiet is how long nothing must happen until a change counts as complete:
// editors and checkouts write several files, and some of them several times.
const quiet = 50 * time.Millisecond

// A fileWatcher watches the folders of files, not the files: an editor that
// writes a new file and renames it would take the watch away with the old one.
type fileWatcher struct {
	events <-chan fsnotify.Event
	errors <-chan error
	add    func(folder string) error
	close  func() error // ends Next
	quiet  time.Duration
	names  map[string][]string // of the files, by their places
}

func newFileWatcher() (*fileWatcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &fileWatcher{events: w.Events, errors: w.Errors, add: w.Add, close: w.Close, quiet: quiet}, nil
}

// Watch implements watcher. Folders stay watched; what happens to files that do
// not count is ignored.
func (w *fileWatcher) Watch(files []string) error {
	w.names = map[string][]string{}
	folders := map[string]bool{}
	for _, name := range files {
		abs, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		// A link may change, or what it leads to.
		for _, place := range []string{abs, identity(name)} {
			w.names[place] = append(w.names[place], name)
			folders[filepath.Dir(place)] = true
		}
	}
	for folder := range folders {
		if err := w.addNearest(folder); err != nil {
			return err
		}
	}
	return nil
}

// addNearest watches a folder, or if it is not there, the nearest one around it
// in which it may appear.
func (w *fileWatcher) addNearest(folder string) error {
	for {
		err := w.add(folder)
		if errors.Is(err, fsnotify.ErrClosed) {
			return nil // Next says so
		}
		parent := filepath.Dir(folder)
		if !errors.Is(err, os.ErrNotExist) || parent == folder {
			return err
		}
		folder = parent
	}
}

// Next implements watcher.
func (w *fileWatcher) Next() ([]string, error) {
	changed := map[string]bool{}
	var done <-chan time.Time // nil until something has changed
	for {
		matched := false
		select {
		case e, open := <-w.events:
			if !open {
				return nil, io.EOF
			}
			matched = w.match(e.Name, changed)
		case err := <-w.errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return nil, err
			}
			matched = w.match("", changed) // any may have changed
		case <-done:
			return slices.Sorted(maps.Keys(changed)), nil
		}
		if matched {
			done = time.After(w.quiet)
		}
	}
}

// match adds the files that are at a place, or in a folder there, and says
// whether there are any.
func (w *fileWatcher) match(place string, changed map[string]bool) bool {
	matched := false
	for p, names := range w.names {
		if below, ok := strings.CutPrefix(p, place); ok && (below == "" || place == "" || below[0] == filepath.Separator) {
			matched = true
			for _, name := range names {
				changed[name] = true
			}
		}
	}
	return matched
}
