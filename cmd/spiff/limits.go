// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dynaml/spiff"
	"github.com/spf13/pflag"
)

// limitFlags returns a flag for each limit of a command, which writes to l.
func limitFlags(l *spiff.Limits, merges bool) *pflag.FlagSet {
	f := pflag.NewFlagSet("limits", pflag.ContinueOnError)
	for i := range spiff.LimitTable {
		row := &spiff.LimitTable[i]
		if !merges && !row.Reads {
			continue
		}
		f.Var(&limitValue{row: row, limits: l, text: limitText(row, row.Default)}, "max-"+row.Name, row.Bounds)
	}
	return f
}

// A limitValue is the flag of a limit: a number; of bytes with a suffix K, M or
// G; of time as 90s or 5m.
type limitValue struct {
	row    *spiff.Limit
	limits *spiff.Limits
	text   string
}

func (v *limitValue) String() string { return v.text }

// Type is what the help calls the value.
func (v *limitValue) Type() string {
	switch v.row.Unit {
	case spiff.UnitBytes:
		return "bytes"
	case spiff.UnitTime:
		return "time"
	}
	return "number"
}

// Set takes over a value from the command line.
func (v *limitValue) Set(text string) error {
	n, err := parseLimit(v.row, text)
	if err != nil {
		return err
	}
	if n < least(v.row) || n > v.row.Most {
		return fmt.Errorf("it must be from %s to %s", limitText(v.row, least(v.row)), limitText(v.row, v.row.Most))
	}
	v.row.Set(v.limits, n)
	v.text = text
	return nil
}

func least(row *spiff.Limit) int64 {
	if row.Unit == spiff.UnitTime {
		return int64(time.Millisecond)
	}
	return 1
}

func parseLimit(row *spiff.Limit, text string) (int64, error) {
	shift := 0
	number := text
	switch row.Unit {
	case spiff.UnitTime:
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("a time is expected, such as 90s or 5m")
		}
		return int64(d), nil
	case spiff.UnitBytes:
		for i, suffix := range []string{"K", "M", "G"} {
			if n, ok := strings.CutSuffix(strings.ToUpper(text), suffix); ok {
				number, shift = n, 10*(i+1)
			}
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	switch {
	case err != nil && row.Unit == spiff.UnitBytes:
		return 0, fmt.Errorf("a number of bytes is expected, such as 1000000 or 100M")
	case err != nil:
		return 0, fmt.Errorf("a number is expected")
	case n > 1<<62>>shift:
		return 1 << 62, nil
	}
	return n << shift, nil
}

// limitText writes a value of a limit as the flag takes it.
func limitText(row *spiff.Limit, n int64) string {
	switch row.Unit {
	case spiff.UnitTime:
		text := time.Duration(n).String()
		if t, ok := strings.CutSuffix(text, "m0s"); ok {
			text = t + "m"
		}
		return strings.Replace(text, "h0m", "h", 1)
	case spiff.UnitBytes:
		for i, suffix := range []string{"G", "M", "K"} {
			if unit := int64(1) << (10 * (3 - i)); n >= unit && n%unit == 0 {
				return strconv.FormatInt(n/unit, 10) + suffix
			}
		}
	}
	return strconv.FormatInt(n, 10)
}
