// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package main

import "os"

// exitInterrupted is 128 plus the number of the signal, as shells have it.
const exitInterrupted = 130

// endBy ends the process as if by a signal.
func endBy(os.Signal) { os.Exit(exitInterrupted) }
