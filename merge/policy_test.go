// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/dynaml/spiff/builtin"
)

// An allowed folder is left neither by symbolic links nor by "..", and what is
// in it may be reached by way of links.
func TestPolicyFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	root := absolute(".")
	for _, dir := range []string{"in/below", "out/below"} {
		must(t, os.MkdirAll(dir, 0o777))
	}
	for _, name := range []string{"in/file", "in/below/file", "out/file", "out/below/file"} {
		must(t, os.WriteFile(name, []byte(name), 0o666))
	}
	links := []struct{ name, to string }{
		{"in/to-file-outside", "../out/file"},
		{"in/to-file-outside-absolute", root + "/out/file"},
		{"in/to-folder-outside", "../out"},
		{"in/to-nothing-outside", "../out/nothing"},
		{"in/to-file-inside", "below/file"},
		{"in/to-file-inside-absolute", root + "/in/below/file"},
		{"in/to-itself", "to-itself"},
		{"to-in", "in"},
		{"out/to-in", "../in"},
	}
	for _, l := range links {
		if err := os.Symlink(l.to, l.name); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	p := Policy{DenyRead: true, ReadDirs: []string{"in", "missing"}}
	for _, tt := range []struct{ name, want string }{
		{"in/file", "in/file"},
		{root + "/in/file", "in/file"},
		{"./out/../in/file", "in/file"},
		{"in/to-file-inside", "in/below/file"},
		{"in/to-file-inside-absolute", "in/below/file"},
		{"to-in/below/file", "in/below/file"},
		{"out/to-in/file", "in/file"},
		{"in/nothing", "missing"},
		{"in/below/nothing", "missing"},

		{"out/file", "denied"},
		{"in/../out/file", "denied"},
		{"in/to-file-outside", "denied"},
		{"in/to-file-outside-absolute", "denied"},
		{"in/to-folder-outside/file", "denied"},
		{"in/to-folder-outside/below/file", "denied"},
		{"in/to-folder-outside/../out/file", "denied"},
		{"in/to-folder-outside/nothing", "denied"},
		{"in/to-nothing-outside", "denied"},
		{"in-not/file", "denied"},
		{"out/nothing", "denied"},
		{"..", "denied"},
		{"/", "denied"},
	} {
		if got := opened(&p, tt.name); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	if _, err := p.open("in/to-itself"); err == nil {
		t.Error("a link to itself was opened")
	}
	p.ReadDirs = []string{"to-in"}
	if got := opened(&p, "in/file"); got != "in/file" {
		t.Errorf("a folder given by a link: got %s, want in/file", got)
	}
}

// opened returns the content of a file, or why there is none.
func opened(p *Policy, name string) string {
	f, err := p.open(name)
	var stop *builtin.Stop
	switch {
	case errors.As(err, &stop):
		return "denied"
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	case err != nil:
		return err.Error()
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return err.Error()
	}
	return filepath.ToSlash(string(text))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestLooksSecret(t *testing.T) {
	for _, name := range []string{"PASSWORD", "db_password", "DB_PASSWD", "SECRET_KEY_BASE", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY",
		"AWS_ACCESS_KEY_ID", "API_KEY", "apikey", "MY.KEY", "SSH-KEYS", "GOOGLE_APPLICATION_CREDENTIALS", "DB_PWD", "PASS", "PGPASSWORD", "PRIVATE_PEM", "BASIC_AUTH"} {
		if !LooksSecret(name) {
			t.Errorf("%s does not look like a secret", name)
		}
	}
	for _, name := range []string{"PWD", "OLDPWD", "HOME", "KEYBOARD", "MONKEY", "PATH", "COMPASS", "AUTHOR", "SPINNER", "USER", ""} {
		if LooksSecret(name) {
			t.Errorf("%s looks like a secret", name)
		}
	}
}
