// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The scripts of completion are tried in the shells themselves.

// typed are command lines at whose cursor the tab key is pressed once, and
// what is run when they are entered then.
var typed = []struct{ left, right, want string }{
	{"spiff expl", "", "[explain]"},
	{"spiff help expl", "", "[help][explain]"},
	{"spiff merge --prov", "", "[merge][--provenance]"},
	{"spiff merge --error-format sa", "", "[merge][--error-format][sarif]"},
	{"spiff merge --error-format=sa", "", "[merge][--error-format=sarif]"},
	{"spiff merge t", "", "[merge][t.yml]"},
	{"spiff convert --to=json s", "", "[convert][--to=json][s.yml]"},
	{"spiff merge --allow-read bel", "", "[merge][--allow-read][below]"},
	{"spiff completion po", "", "[completion][powershell]"},
	{"spiff graph t.yml --path m", "", "[graph][t.yml][--path][meta.]"},
	{"spiff graph t.yml --path meta.", "", "[graph][t.yml][--path][meta.domain]"},
	{"spiff graph --path jobs.a", " t.yml", "[graph][--path][jobs.api.][t.yml]"},
	{"spiff explain jo", " t.yml", "[explain][jobs.][t.yml]"},
	{"spiff explain jobs.d", " t.yml s.yml", "[explain][jobs.db.][t.yml][s.yml]"},
	{"spiff explain jobs.name:a", " t.yml", "[explain][jobs.name:api.][t.yml]"},
	{"spiff explain /jobs/name=a", " t.yml", "[explain][/jobs/name=api][t.yml]"},
	{`spiff explain \"x`, " quoted.yml", `[explain]["x.y"][quoted.yml]`},
	{"spiff explain x", " broken.yml", "[explain][x][broken.yml]"},
}

// keys returns what is typed for all lines: the line, the way back to the
// cursor, tab and enter.
func keys() string {
	var b strings.Builder
	for _, k := range typed {
		b.WriteString(k.left + k.right + strings.Repeat("\x02", len(k.right)) + "\t\n")
	}
	return b.String()
}

// notedCalls makes a shell write what would be run to the file ran.
const notedCalls = `
spiff() {
	case $1 in
	__complete*) command spiff "$@" ;;
	*) printf '[%s]' "$@" >>ran; echo >>ran ;;
	esac
}
`

// shell returns a child that runs a shell where it finds spiff and the files
// of completable. The test is skipped if the shell is not installed.
func shell(t *testing.T, name string, args ...string) child {
	t.Helper()
	bin, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	c := child{bin: bin, dir: t.TempDir(), args: args}
	c.env = []string{"PATH=" + filepath.Dir(buildBinary(t)) + string(os.PathListSeparator) + os.Getenv("PATH"), "TERM=dumb", "HOME=" + c.dir}
	for _, f := range completable {
		c.write(t, f.Name, string(f.Data))
	}
	c.write(t, "quoted.yml", "x.y: 1\n")
	return c
}

// write writes a file into the folder of the child.
func (c child) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	writeText(t, file, text)
}

// checkRan compares the file ran with what is wanted.
func (c child) checkRan(t *testing.T, out outcomeOf) {
	t.Helper()
	got := strings.Split(strings.TrimSuffix(readText(t, filepath.Join(c.dir, "ran")), "\n"), "\n")
	for i, k := range typed {
		// Some shells remove the slash at the end when the line is entered.
		if i >= len(got) || strings.ReplaceAll(got[i], "/]", "]") != k.want {
			t.Errorf("%s<tab>%s runs\n%s, want\n%s", k.left, k.right, strings.Join(got[min(i, len(got)):min(i+1, len(got))], ""), k.want)
		}
	}
	if t.Failed() {
		t.Logf("the shell says:\n%s%s", out.stdout, out.stderr)
	}
}

// bashCompletion is the package that the script for bash needs.
const bashCompletion = "/usr/share/bash-completion/bash_completion"

func TestCompletionInBash(t *testing.T) {
	if _, err := os.Stat(bashCompletion); err != nil {
		t.Skip("the package bash-completion is not installed")
	}
	c := shell(t, "bash", "--rcfile", "rc", "-i")
	c.write(t, "rc", "source "+bashCompletion+"\nsource <(spiff completion bash)\n"+notedCalls)
	c.stdin = keys() // bash reads it by readline, although it is no terminal
	c.checkRan(t, c.run(t))
}

// zshSession types the lines of the file keys into a zsh, each once the one
// before has run.
const zshSession = `
zmodload zsh/zpty zsh/zselect
zpty -b session zsh -f -i
wait-for-lines() {
	until (( $(wc -l <ran) >= $1 )); do
		zpty -rt session text && print -rn -- $text
		zselect -t 2
	done
}
: >ran
zpty -w session 'source ./rc'
wait-for-lines 1
integer lines=1
while IFS= read -r line; do
	zpty -w -n session $line$'\n'
	(( lines++ ))
	wait-for-lines $lines
done <keys
`

func TestCompletionInZsh(t *testing.T) {
	c := shell(t, "zsh", "-f", "session")
	c.write(t, "session", zshSession)
	c.write(t, "keys", keys())
	c.write(t, "rc", "autoload -Uz compinit; compinit -u -D\nsource <(spiff completion zsh)\nbindkey -e\n"+notedCalls+"echo ready >>ran\n")
	out := c.run(t)
	ran := filepath.Join(c.dir, "ran")
	writeText(t, ran, strings.TrimPrefix(readText(t, ran), "ready\n"))
	c.checkRan(t, out)
}

// TestCompletionInFish asks fish for the completions, which it only gives for
// what is to the left of the cursor.
func TestCompletionInFish(t *testing.T) {
	var script strings.Builder
	script.WriteString("spiff completion fish | source\n")
	var want []string
	for _, k := range typed {
		if k.right == "" {
			script.WriteString("complete -C '" + k.left + "' | string split --fields 1 \\t\necho\n")
			words := strings.Split(strings.Trim(k.want, "[]"), "][")
			want = append(want, words[len(words)-1])
		}
	}
	c := shell(t, "fish", "--no-config", "ask")
	c.write(t, "ask", script.String())
	out := c.run(t)
	got := strings.Split(strings.TrimSuffix(strings.ReplaceAll(out.stdout, "/\n", "\n"), "\n\n"), "\n\n")
	if !slices.Equal(got, want) || out.stderr != "" {
		t.Errorf("fish completes to\n%q, want\n%q\n%s", got, want, out.stderr)
	}
}

func TestCompletionInPowerShell(t *testing.T) {
	c := shell(t, "pwsh", "-NoProfile", "-Command", `spiff completion powershell | Out-String | Invoke-Expression
(TabExpansion2 -inputScript 'spiff expl' -cursorColumn 10).CompletionMatches.CompletionText
(TabExpansion2 -inputScript 'spiff merge --prov' -cursorColumn 18).CompletionMatches.CompletionText`)
	if out := c.run(t); strings.Join(strings.Fields(out.stdout), " ") != "explain --provenance" {
		t.Errorf("PowerShell completes to\n%s%s", out.stdout, out.stderr)
	}
}
