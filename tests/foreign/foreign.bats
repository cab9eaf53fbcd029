# SPDX-License-Identifier: MIT
# The table of tests/foreign/run, with programs and rows of our own.

load ../support/common

setup() {
	RUN=$BATS_TEST_DIRNAME/run
	enter_scratch
	mkdir -p dir/project
	export FOREIGN=$PWD/dir FOREIGN_ROWS=$PWD/rows QPU_BUILD=$BUILD
}

program_of() {	# program_of NAME LINE: an executable shell script
	printf '#!/bin/sh\n%s\n' "$2" >"dir/project/$1"
	chmod +x "dir/project/$1"
}

@test "without a directory nothing is run: status 77" {
	for FOREIGN in '' absent; do
		run "$RUN"
		[ "$status" -eq 77 ]
	done
}

@test "a program is right or wrong by a pattern or by its twin; absent ones are counted" {
	needs qpuemu
	program_of good 'echo "error 1e-07"'
	program_of bad 'echo "error 1e-02"'
	program_of twin 'echo "error 1e-07"'
	# shellcheck disable=SC2016 # for the program
	program_of words 'cat here; echo "$1 $(basename "$2")"; test -e "$2"'
	echo beside >dir/project/here
	printf '%s\t%s\tproject/%s\t%s\t%s\tclocks\t-\n' \
		run 'one good' good - 'e-0[67]$' run 'a bad' bad - 'e-0[67]$' \
		run 'two good' good - '=project/twin' \
		run 'two bad' bad - '=project/twin' \
		run 'words' words '7 @project/twin' '^7 twin$' \
		run 'beside' words - '^beside$' \
		run 'absent' absent - x >rows
	run "$RUN"
	[ "$status" -eq 1 ]
	grep -qE '^one good +right ' <<<"$output"
	grep -qE '^a bad +WRONG ' <<<"$output"
	grep -qE '^two good +right ' <<<"$output"
	grep -qE '^two bad +WRONG ' <<<"$output"
	grep -qE '^words +right ' <<<"$output"
	[ "${lines[-1]}" = 'not there: 1' ]
	run "$RUN" 'one' words
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" = 3 ]
}

@test "sources that the assembler takes are counted, those that it refuses are named" {
	printf 'nop\n' >dir/project/a.qasm
	printf 'nop nop nop\n' >dir/project/b.qasm
	printf 'assemble\tsources\tproject\t.qasm\t-\t-\n' >rows
	run "$RUN"
	[ "$status" -eq 0 ]
	grep -qE '^sources +1 refused +1 of 2' <<<"$output"
	[[ "${lines[2]}" == *project/b.qasm:1:*error:* ]]
	[ -z "$(find dir -newer rows)" ]
}

@test "a source that is given memory is right by the checksum of what it stores" {
	local code='ldi vw_setup, 0x1a00\nmov -, unif\nmov vpm, 7\n'
	code+='ldi vw_setup, 0x80904000\nmov vw_addr, unif\nmov -, vw_wait\n'
	printf '%bthrend\nnop\nnop\n' "$code" >dir/project/a.qasm
	printf 'nop nop nop\n' >dir/project/b.qasm
	local sum
	sum=$(printf '\7\0\0\0%.0s' {1..16} | cat - <(head -c 65472 /dev/zero) |
		cksum)
	printf 'code\t%s\tproject/%s\t-\t40100000\t%s\t%s\n' \
		good a.qasm '.int 1 | .int 0x40300000' "${sum%% *}" \
		bad a.qasm '.int 1, 0x40300040' "${sum%% *}" \
		refused b.qasm '.int 1' 0 >rows
	run "$RUN"
	[ "$status" -eq 1 ]
	grep -qE '^good +right' <<<"$output"
	grep -qE '^bad +WRONG' <<<"$output"
	grep -qE '^refused +WRONG' <<<"$output"
	grep -qE '^    .*project/b.qasm:1:.* error:' <<<"$output"
}

@test "every row that is delivered has the fields of its kind" {
	awk -F '\t' '/^#/ || /^$/ { next }
		$1 == "run" && (NF == 7 || NF == 8) { n++; next }
		$1 == "code" && NF == 7 { n++; next }
		$1 ~ /^(tests|fft|compare)$/ && NF == 5 { n++; next }
		$1 ~ /^(arm|assemble)$/ && NF == 6 { n++; next }
		{ print "bad: " $0; bad = 1 }
		END { exit bad || n < 20 }' "$BATS_TEST_DIRNAME/programs.rows"
}
