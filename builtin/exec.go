// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dynaml/spiff/diag"
	"github.com/dynaml/spiff/value"
)

func execute(c Context, args []value.Value) (value.Value, error) {
	if len(args) == 1 && args[0].Kind == value.List {
		ids := elems(c.Store(), args[0])
		args = make([]value.Value, len(ids))
		for i, id := range ids {
			args[i] = load(c.Store(), id)
		}
	}
	if len(args) == 0 {
		return value.Value{}, errors.New("exec: argument required")
	}
	argv := make([]string, len(args))
	for i, v := range args {
		t, err := commandArg(c, i, v)
		if err != nil {
			return value.Value{}, err
		}
		argv[i] = t
	}
	out, err := c.Exec(argv)
	var stop *Stop
	if errors.As(err, &stop) {
		return value.Value{}, err
	}
	if err != nil {
		return value.Value{}, diag.Coded(diag.CommandFailed, fmt.Errorf("execution '%s' failed", clip(argv[0])))
	}
	return outputValue(c, argv[0], out), nil
}

// commandArg returns the text of word i of a command line. The command itself,
// word 0, must be a simple value.
func commandArg(c Context, i int, v value.Value) (string, error) {
	if t, ok := simple(v); ok {
		return t, nil
	}
	if i == 0 {
		if v.Kind == value.List {
			return "", errors.New("list not allowed for command argument")
		}
		return "", errors.New("invalid command argument: yaml or empty data not supported")
	}
	switch v.Kind {
	case value.List, value.Map, value.Template:
		t, err := c.YAML(v)
		return "---\n" + t, err
	case value.Float:
		return value.FormatFloat(v.Float()), nil
	case value.Lambda:
		return lambdaText(c.Store(), v), nil
	}
	return "", fmt.Errorf("invalid command argument %d: empty data not supported", i)
}

// outputValue gives the output of a command a type: a document if it says so or
// is a map, else an integer if it reads like one, else text.
func outputValue(c Context, command, out string) value.Value {
	document := strings.HasPrefix(out, "---\n")
	// No map is written without one of these; most outputs need no parser.
	if document || strings.ContainsAny(out, ":{?") {
		v, err := c.ParseYAML("output of "+clip(command), out)
		if err == nil && (document || v.Kind == value.Map) {
			return v
		}
	}
	out = strings.TrimRight(out, "\n")
	if n, err := strconv.ParseInt(out, 10, 64); err == nil {
		return value.OfInt(n)
	}
	return value.OfString(out)
}

// env returns the value of one variable, or a map of those of several that are
// set. Names may come in lists; null arguments do not count.
func env(c Context, args []value.Value) (value.Value, error) {
	if len(args) == 0 {
		return value.Value{}, errors.New("at least one argument required for 'env'")
	}
	names, err := texts(c, args, func(i int) error {
		return fmt.Errorf("env argument %d must be simple value or list", i)
	}, "env")
	if err != nil {
		return value.Value{}, err
	}
	if len(names) == 1 {
		t, ok, err := c.LookupEnv(names[0])
		if err != nil {
			return value.Value{}, err
		}
		if !ok {
			return value.Value{}, diag.Coded(diag.EnvironmentVariable, fmt.Errorf("environment variable '%s' not set", clip(names[0])))
		}
		return value.OfString(t), nil
	}
	var m mapBuilder
	for _, name := range names {
		t, ok, err := c.LookupEnv(name)
		if err != nil {
			return value.Value{}, err
		}
		if ok {
			m.set(c.Store().Intern(name), element(c, value.OfString(t)))
		}
	}
	return m.result(c), nil
}
