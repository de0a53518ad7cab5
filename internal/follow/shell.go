// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Run follows the steps in a folder, with one shell that keeps its working
// folder and variables; files go where it is. It returns what each command printed, and what is not
// as the document says. After an error, such as a shell that ends, the outputs
// are incomplete.
func Run(ctx context.Context, steps []Step, dir string, env []string) (outputs, problems []string, err error) {
	sh, err := start(ctx, dir, env)
	if err != nil {
		return nil, nil, err
	}
	defer sh.end()
	for i, s := range steps {
		if s.File != "" {
			outputs = append(outputs, "")
			folder, _, err := sh.do("pwd")
			if err == nil {
				err = write(filepath.Join(strings.TrimSuffix(folder, "\n"), s.File), s.Body)
			}
			if err != nil {
				return outputs, problems, fmt.Errorf("line %d: %w", s.Line, err)
			}
			continue
		}
		got, status, err := sh.do(s.Body)
		if err != nil {
			return outputs, problems, fmt.Errorf("line %d: $ %s: %w", s.Line, s.Body, err)
		}
		asked := i+1 < len(steps) && steps[i+1].Body == "echo $?"
		if status != 0 && !asked {
			problems = append(problems, fmt.Sprintf("line %d: $ %s\nexit status %d\n%s", s.Line, s.Body, status, got))
		} else if got != s.Want {
			problems = append(problems, fmt.Sprintf("line %d: $ %s\nprints\n%swant\n%s", s.Line, s.Body, got, s.Want))
		}
		outputs = append(outputs, got)
	}
	return outputs, problems, nil
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o666)
}

// A shell runs one command after the other.
type shell struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(ctx context.Context, dir string, env []string) (*shell, error) {
	cmd := exec.CommandContext(ctx, "sh")
	cmd.Dir, cmd.Env = dir, env
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &shell{cmd, in, bufio.NewReader(out)}, cmd.Start()
}

// mark follows the output of every command, on a line of its own, with the exit
// status. The subshell hands the status of the command before to the next one,
// as $?. With eval a quote that nobody closes is an error instead of the
// beginning of whatever comes.
const mark = "\x00status "

// do runs a command. Its output ends in a newline, unless it is empty.
func (sh *shell) do(command string) (output string, status int, err error) {
	_, err = fmt.Fprintf(sh.in, "{ (exit ${follow_status:-0}); eval '%s'; } </dev/null 2>&1; follow_status=$?; printf '\\n\\0status %%d\\n' $follow_status\n",
		strings.ReplaceAll(command, "'", `'\''`))
	if err != nil {
		return "", 0, err
	}
	var b strings.Builder
	for {
		line, err := sh.out.ReadString('\n')
		if err != nil {
			return b.String(), 0, fmt.Errorf("the shell ended: %w", err)
		}
		if number, ok := strings.CutPrefix(line, mark); ok {
			_, err = fmt.Sscan(number, &status)
			output = strings.TrimSuffix(b.String(), "\n")
			if output != "" && !strings.HasSuffix(output, "\n") {
				output += "\n"
			}
			return output, status, err
		}
		b.WriteString(line)
	}
}

// end lets the shell come to its end. Its status is that of the last command,
// which has been looked at.
func (sh *shell) end() {
	sh.in.Close()
	sh.cmd.Wait()
}
