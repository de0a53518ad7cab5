// SPDX-License-Identifier: Apache-2.0

package doc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

// realworld is a folder of manifest sets that were merged with the classic
// tools. It is not part of the repository.
const realworld = "../../shared/realworld/cases"

func cases(t *testing.T) []string {
	dirs, err := filepath.Glob(filepath.Join(realworld, "*"))
	if err != nil || len(dirs) == 0 {
		t.Skipf("%s is not there", realworld)
	}
	return dirs
}

// rewrite reads a text and prints its documents again.
func rewrite(text string, o WriteOptions) (string, error) {
	s := value.NewStore()
	res, err := Read(s, diag.NewSource("in.yml", text))
	if err != nil {
		return "", err
	}
	var out []byte
	if res.Empty {
		return "---\n", nil // as the command prints it
	}
	for _, id := range res.Docs {
		if len(res.Docs) > 1 {
			out = append(out, "---\n"...)
		}
		if out, err = Append(out, s, id, o); err != nil {
			return "", err
		}
	}
	return string(out), nil
}

// What the classic tools printed is printed again to the byte.
func TestRealOutput(t *testing.T) {
	same, all := 0, 0
	for _, dir := range cases(t) {
		info, err := os.ReadFile(filepath.Join(dir, "case.json"))
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			Due bool `json:"oracles_bytes_equal_ignoring_final_newline"`
		}
		if err := json.Unmarshal(info, &c); err != nil {
			t.Fatal(err)
		}
		outputs, _ := filepath.Glob(filepath.Join(dir, "expected*.yml"))
		for _, file := range outputs {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.TrimRight(string(text), "\n")
			if strings.HasPrefix(want, "{") && json.Valid(text) {
				continue // printed with --json
			}
			got, err := rewrite(string(text), WriteOptions{})
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			all++
			got = strings.TrimRight(got, "\n")
			switch {
			case got == want:
				same++
			case c.Due:
				t.Errorf("%s: %s", file, firstDifference(got, want))
			default:
				t.Logf("%s: %s", file, firstDifference(got, want))
			}
		}
	}
	t.Logf("%d of %d outputs are the same", same, all)
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := 0; i < len(g) && i < len(w); i++ {
		if g[i] != w[i] {
			return "got line " + g[i] + "\nwant line " + w[i]
		}
	}
	return "one is longer"
}

// realInputs calls visit for every file that a real set merges.
func realInputs(t *testing.T, visit func(dir, name, text string)) {
	for _, dir := range cases(t) {
		cmd, err := os.ReadFile(filepath.Join(dir, "cmd"))
		if err != nil {
			t.Fatal(err)
		}
		for _, arg := range strings.Fields(string(cmd)) {
			text, err := os.ReadFile(filepath.Join(dir, arg))
			if err == nil { // else it is a flag
				visit(dir, arg, string(text))
			}
		}
	}
}

// All inputs that are merged can be read, without the library.
func TestRealInput(t *testing.T) {
	files, warnings := 0, 0
	realInputs(t, func(dir, name, text string) {
		res, err := Read(value.NewStore(), diag.NewSource(name, text))
		if err != nil || res.Library {
			t.Errorf("%s: %s is left to the library, error: %v", dir, name, err)
		}
		files++
		warnings += len(res.Warnings)
	})
	t.Logf("%d files, %d warnings", files, warnings)
}
