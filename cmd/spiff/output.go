// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/pflag"
)

const theTemplate = "the template"

// conflict returns the error of a file that a merge would write in vain: over
// another one that it writes, or over what it reads and nobody means to replace.
// A template and stubs may be replaced by the result that they went into.
func conflict(flags *pflag.FlagSet) error {
	taken := map[string]string{}
	if flags.NArg() > 0 && flags.Arg(0) != "-" {
		taken[identity(flags.Arg(0))] = theTemplate
	}
	for _, name := range []string{"bindings", "check-output", "output", "provenance"} {
		file, _ := flags.GetString(name)
		switch {
		case file == "" || name == "bindings" && file == "-":
			continue
		case file == "-":
			return usageError{fmt.Sprintf("--%s: - is no file here; one of that name is written ./-", name)}
		}
		if st, err := os.Stat(file); err == nil && !st.Mode().IsRegular() {
			continue // a device may be written to twice
		}
		id := identity(file)
		other := taken[id]
		replaces := name == "provenance" || name == "output" && other != theTemplate
		if other != "" && replaces {
			return usageError{fmt.Sprintf("--%s would overwrite %s, %s", name, other, file)}
		}
		taken[id] = "the file of --" + name
	}
	return nil
}

// writeFile writes a file. It is written beside and then takes the place and
// the mode of the old one, so that there is the whole new content or the old;
// what is no file, such as a pipe or a device, is written to.
func writeFile(e *env, name string, out []byte) error {
	defer e.during()()
	return asNamed(name, replaceFile(name, out))
}

// asNamed makes an error about an output name what the user named, not the file
// beside it.
func asNamed(name string, err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return &fs.PathError{Op: "write", Path: name, Err: pe.Err}
	case errors.As(err, &le):
		return &fs.PathError{Op: "write", Path: name, Err: le.Err}
	}
	return err
}

func replaceFile(name string, out []byte) error {
	target, err := linkTarget(name)
	if err != nil {
		return err
	}
	old, err := os.OpenFile(target, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return maybe.WriteFile(target, out, 0o666)
	}
	if err != nil {
		return err // it may not be written, although it could be replaced
	}
	st, err := old.Stat()
	if err == nil && !st.Mode().IsRegular() {
		_, err = old.Write(out)
		return errors.Join(err, old.Close())
	}
	if err := errors.Join(err, old.Close()); err != nil {
		return err
	}
	return maybe.WriteFile(target, out, 0o666)
}

// maxLinks is how many symbolic links in a row are followed, as by Linux.
const maxLinks = 40

// linkTarget follows symbolic links to the file that is meant, which need not
// exist: it is replaced, not the link.
func linkTarget(name string) (string, error) {
	target := name
	for range maxLinks {
		to, err := os.Readlink(target)
		if err != nil {
			return target, nil // no link
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(target), to)
		}
		target = to
	}
	return "", fmt.Errorf("open %s: too many levels of symbolic links", name)
}
