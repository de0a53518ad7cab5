// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/dynaml/spiff/batch"
)

// outputs are the files that a batch writes.
type outputs struct{ e *env }

// Same implements batch.Outputs.
func (outputs) Same(name string, content []byte) bool {
	st, err := os.Stat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() != int64(len(content)) {
		return false
	}
	old, err := os.ReadFile(name)
	return err == nil && bytes.Equal(old, content)
}

// A pendingFile is beside an output, of which it is to take the place. Replace
// does so, Cleanup removes it.
type pendingFile interface {
	CloseAtomicallyReplace() error
	Cleanup() error
}

// maxSyncs is how many files are flushed to the disk at a time: file systems do
// that together in hardly more time than for one.
const maxSyncs = 16

// Replace implements batch.Outputs. All files are written beside their outputs
// first, which is where errors are to be expected; then they take their places.
func (o outputs) Replace(files []batch.File, all bool) []error {
	defer o.e.during()()
	pending := make([]pendingFile, len(files))
	errs := make([]error, len(files))
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxSyncs)
	for i, f := range files {
		slots <- struct{}{}
		wg.Go(func() {
			pending[i], errs[i] = prepare(f)
			<-slots
		})
	}
	wg.Wait()
	failed := all && errors.Join(errs...) != nil
	for i, p := range pending {
		switch {
		case errs[i] != nil:
		case failed:
			errs[i] = errors.Join(batch.ErrOthers, p.Cleanup())
		default:
			if errs[i] = p.CloseAtomicallyReplace(); errs[i] != nil {
				failed = all
				_ = p.Cleanup()
			}
		}
	}
	for i, err := range errs {
		errs[i] = asNamed(files[i].Name, err)
	}
	return errs
}

// prepare writes a file beside the output, whose folder is made if there is
// none.
func prepare(f batch.File) (pendingFile, error) {
	target, err := linkTarget(f.Name)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return nil, err
	}
	old, err := os.OpenFile(target, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return pend(target, f.Content)
	}
	if err != nil {
		return nil, err // it may not be written, although it could be replaced
	}
	st, err := old.Stat()
	if err := errors.Join(err, old.Close()); err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("write %s: it is no file that can be replaced", f.Name)
	}
	return pend(target, f.Content)
}
