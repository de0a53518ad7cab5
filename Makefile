# The habits of this project.
#
#   make check               everything that must hold, as CI runs it
#   make test                the tests
#   make follow              README, tutorial and recipes, in a fresh clone
#   make docs                rewrites what is generated in documents and cases
#   make bench [BASE=REV]    measures this tree against a commit
#   make fuzz [TIME=5m]      every fuzz target for a while
#   make release-check       the configuration of releases
#   make release-snapshot    all that a release consists of, in dist/
#
# A release is reproducible: two snapshots of one commit, built with one version
# of Go, have the same bytes, but for the lists of contents (SBOM), which have a
# date and a serial number.

BASE ?= main
TIME ?= 1m

GORELEASER = go run github.com/goreleaser/goreleaser/v2@v2.15.0

# What a snapshot leaves out where the programs for it are missing.
SKIP ?= $(shell docker info >/dev/null 2>&1 || printf docker,)$(shell command -v syft >/dev/null || printf sbom,)publish

.PHONY: check test follow docs bench fuzz release-check release-snapshot
.DEFAULT_GOAL := help

help:
	@sed -n 's/^#   //p' Makefile

check:
	.ci/run

test:
	go test ./...

follow:
	.ci/follow

docs:
	SPIFF_UPDATE=1 go test ./...

bench:
	go run ./bench/compare -base $(BASE)

fuzz:
	for target in $$(go test -list '^Fuzz' ./fuzz | grep '^Fuzz'); do \
	  go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(TIME) ./fuzz || exit; \
	done

release-check:
	$(GORELEASER) check

release-snapshot:
	$(GORELEASER) release --snapshot --clean --skip=$(SKIP)
