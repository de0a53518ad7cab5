// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf returns the largest resident size of a finished process.
func peakOf(st *os.ProcessState) int64 {
	r, ok := st.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin":
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) << 10
}
