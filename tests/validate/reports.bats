# SPDX-License-Identifier: MIT
# What qpuasm and qpudis say of a program that they could not check as a whole.

load ../support/common

setup() {
	enter_scratch
}

# callers N: a subroutine that is called N times
callers() {
	local i
	for ((i = 0; i < $1; i++)); do
		printf 'brr ra2, r:sub\nnop\nnop\nnop\n'
	done
	printf 'thrend\nnop\nnop\n:sub\nbra -, ra2\nnop\nnop\nnop\n'
}

@test "a program with ways that were left out is named" {
	callers 64 >calls.qasm
	run "$BUILD/qpuasm" -o calls.bin calls.qasm
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	callers 65 >calls.qasm
	warning='warning: not all ways through the program were checked: a subroutine has more than 64 callers, or too many branches stand in delay slots'
	run "$BUILD/qpuasm" -o calls.bin calls.qasm
	[ "$status" -eq 0 ]
	[ "$output" = "calls.qasm: $warning" ]
	run "$BUILD/qpudis" --check calls.bin
	[ "$status" -eq 0 ]
	[ "$(grep -c warning <<<"$output")" = 1 ]
	grep -qxF "calls.bin: $warning" <<<"$output"
}
