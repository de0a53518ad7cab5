// SPDX-License-Identifier: Apache-2.0

//go:build unix

package merge

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a command a process group, and makes its context end all of it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
