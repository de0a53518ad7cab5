// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/dynaml/spiff/builtin"
	"github.com/dynaml/spiff/diag"
)

// A Policy says what the expressions of a merge may not do to the world
// outside. The zero Policy forbids nothing. What it says about files concerns
// real ones: Files.ReadFile is asked without it.
type Policy struct {
	DenyExec bool

	DenyRead bool     // but for what lies in ReadDirs
	ReadDirs []string // folders, with all that is below them

	DenyEnv  bool     // but for EnvNames
	EnvNames []string // names of variables
}

// WithFolders returns p with the folders of files, in which and below which read
// is allowed. A file "-" has none.
func (p Policy) WithFolders(files []string) Policy {
	p.ReadDirs = slices.Clone(p.ReadDirs)
	for _, file := range files {
		if dir := filepath.Dir(file); file != "-" && !slices.Contains(p.ReadDirs, dir) {
			p.ReadDirs = append(p.ReadDirs, dir)
		}
	}
	return p
}

// exec returns why a command may not be run, or nil.
func (p *Policy) exec(command string) error {
	if !p.DenyExec {
		return nil
	}
	return builtin.Stopf(diag.NotAllowed, "exec of %q is not allowed (--allow-exec allows it)", command)
}

// env returns why a variable may not be read, or nil.
func (p *Policy) env(name string) error {
	if !p.DenyEnv || slices.Contains(p.EnvNames, name) {
		return nil
	}
	return builtin.Stopf(diag.NotAllowed, "env of %q is not allowed (--allow-env=%s allows it)", name, name)
}

// open opens a file to be read, or returns why it may not be. A file is where it
// is after all symbolic links are followed, so neither they nor ".." lead out
// of an allowed folder.
func (p *Policy) open(name string) (*os.File, error) {
	if !p.DenyRead {
		return os.Open(name)
	}
	file, err := resolve(name)
	if err != nil {
		// Whether a file is missing is told only where files may be read.
		if file, err = filepath.Abs(name); err != nil {
			return nil, err
		}
	}
	for _, dir := range p.ReadDirs {
		if f, ok, err := openIn(dir, file); ok {
			return f, err
		}
	}
	return nil, builtin.Stopf(diag.NotAllowed, "read of %q is not allowed: it is outside of the folders of the given files and of --allow-read", name)
}

// openIn opens a file that is in a folder; ok is false if it is not. What is
// opened is found from the folder on again, without leaving it, in case a link
// was put in its way meanwhile.
func openIn(dir, file string) (f *os.File, ok bool, err error) {
	real, err := resolve(dir)
	if err != nil {
		return nil, false, nil // there is nothing in it
	}
	for _, d := range []string{real, absolute(dir)} {
		rel, err := filepath.Rel(d, file)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		f, err := openBelow(real, rel)
		var errno syscall.Errno
		if err != nil && !errors.As(err, &errno) {
			return nil, false, nil // it leads out of the folder
		}
		return f, true, err
	}
	return nil, false, nil
}

func openBelow(dir, name string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	st, err := root.Stat(name)
	if err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		// To open a pipe would wait for somebody to write to it.
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}
	}
	return root.Open(name)
}

// resolve returns the absolute name of a file without symbolic links.
func resolve(name string) (string, error) {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	if name, err = filepath.Abs(name); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(name) // the working folder may be one
}

func absolute(name string) string {
	if a, err := filepath.Abs(name); err == nil {
		return a
	}
	return name
}
