#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# kernels: cpu/README.md lists for every kernel where it has run.

load ../support/common

# The names in the table of kernels.c, sorted.
kernels()
{
	sed -nE 's/^.*= ((STREAMS|LANES)\(|\{)"([^"]+)",.*/\3/p' \
		"$TOP/cpu/kernels.c" | sort
}

# The rows of README's table "CPUs on which each kernel has run".
rows()
{
	sed -n '/^## CPUs on which each kernel has run/,/^## To add/p' \
		"$TOP/cpu/README.md" | grep '^| [a-z0-9]*-x[0-9]'
}

@test "each kernel has one row that says where it has run" {
	[ "$(kernels | wc -l)" -gt 10 ]
	rows | cut -d '|' -f 2 | tr -d ' ' | tr , '\n' | sort >rows
	diff <(kernels) rows
}

@test "a kernel has run on a CPU or under emulation" {
	[ "$(rows | wc -l)" -gt 5 ]
	[ "$(rows | grep -cE '\| *(none)? *\| *\|')" = 0 ]
}

@test "a kernel that only an emulator has run is one for ARM" {
	rows | awk -F '|' '$3 ~ /none/ { print $2 }' | tr -d ' ' | tr , '\n' |
		sort >emulated
	diff <(kernels | grep -E '^(sha2|neon)-') emulated
}
