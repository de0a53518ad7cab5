// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"os"
	"syscall"
)

// endBy ends the process by a signal that is not caught any more.
func endBy(s os.Signal) {
	number := s.(syscall.Signal)
	if err := syscall.Kill(syscall.Getpid(), number); err != nil {
		os.Exit(128 + int(number))
	}
	select {}
}
