// SPDX-License-Identifier: Apache-2.0

package main

import "os"

// A heldFile is kept in memory: Windows does not replace a file at once.
type heldFile struct {
	name    string
	content []byte
}

func (f heldFile) CloseAtomicallyReplace() error { return os.WriteFile(f.name, f.content, 0o666) }

func (heldFile) Cleanup() error { return nil }

// pend keeps the content for target.
func pend(target string, content []byte) (pendingFile, error) { return heldFile{target, content}, nil }
