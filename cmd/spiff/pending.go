// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package main

import (
	"errors"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// pend writes a file beside target.
func pend(target string, content []byte) (pendingFile, error) {
	f, err := renameio.NewPendingFile(target, renameio.WithTempDir(filepath.Dir(target)),
		renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return nil, err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, f.Cleanup())
	}
	return f, nil
}
