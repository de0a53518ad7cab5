// SPDX-License-Identifier: Apache-2.0

package golden

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// A Set is files to merge, the template first.
type Set struct {
	Name  string // "area/case"
	Files []txtar.File
	Plain bool // is merged without flags, some of which only other tools have
}

// OwnSets returns the sets in the archives of some areas of testdata, or of all
// that there are. Areas that are not there have none.
func OwnSets(testdata string, areas ...string) (sets []Set, err error) {
	if len(areas) == 0 {
		areas = []string{"."}
	}
	for _, area := range areas {
		root := filepath.Join(testdata, area)
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && path == root {
				return nil
			}
			if err != nil || filepath.Ext(path) != ".txtar" {
				return err
			}
			a, err := txtar.ParseFile(path)
			if err != nil {
				return err
			}
			s := Set{Name: filepath.Base(filepath.Dir(path)) + "/" + strings.TrimSuffix(filepath.Base(path), ".txtar"), Plain: true}
			for _, f := range a.Files {
				if strings.HasSuffix(f.Name, ".yml") && !strings.HasPrefix(f.Name, "want") {
					s.Files = append(s.Files, f)
				}
				s.Plain = s.Plain && f.Name != "args"
			}
			if len(s.Files) > 0 {
				sets = append(sets, s)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// RealSets returns the sets below a folder in which each has a folder of its own
// with a file cmd, the words of a command. It returns none if there is no such
// folder.
func RealSets(folder string) (sets []Set, err error) {
	cmds, err := filepath.Glob(filepath.Join(folder, "*", "cmd"))
	for _, cmd := range cmds {
		line, err := os.ReadFile(cmd)
		if err != nil {
			return nil, err
		}
		words := strings.Fields(string(line))
		dir := filepath.Dir(cmd)
		s := Set{Name: "real/" + filepath.Base(dir), Plain: words[0] == "merge" && !slices.ContainsFunc(words, isFlag)}
		for _, name := range words[1:] {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
				s.Files = append(s.Files, txtar.File{Name: name, Data: text})
			} else if s.Plain {
				return nil, err
			}
		}
		if len(s.Files) > 0 {
			sets = append(sets, s)
		}
	}
	return sets, err
}

func isFlag(word string) bool { return strings.HasPrefix(word, "-") }
