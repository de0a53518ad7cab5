// SPDX-License-Identifier: Apache-2.0

package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// A Shard is one of several shares of a plan. The zero Shard is all of it.
type Shard struct {
	Index int // from 1 on
	Of    int
}

// ParseShard reads a share as it is written in command lines, such as 1/4.
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, err := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !ok || err != nil || err2 != nil || i < 1 || n < i {
		return Shard{}, fmt.Errorf("%q is no share; it is I/N with I from 1 to N, such as 1/4", text)
	}
	return Shard{i, n}, nil
}

// has says whether a target belongs to the share. That depends on its name
// alone: when other targets come or go, or change places, it stays.
func (s Shard) has(name string) bool {
	if s.Of == 0 {
		return true
	}
	sum := sha256.Sum256([]byte(name))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.Of) == uint64(s.Index-1)
}

// Share returns the part of the plan that a shard has, in the same order. The
// shards 1/N to N/N have each target once.
func (p *Plan) Share(s Shard) *Plan {
	share := &Plan{Warnings: p.Warnings}
	for _, t := range p.Targets {
		if s.has(t.Name) {
			share.Targets = append(share.Targets, t)
		}
	}
	return share
}
