# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154
#
# qpuemu: what the suites of the virtual board share.  vcio-client.c is the
# program that runs on it.

load ../support/common

EMU=$BUILD/qpuemu
CLIENT=vcio-client
PATH=$BUILD/tests/virtual:$PATH
QPUASM=$BUILD/qpuasm
examples=$TOP/qpu/examples

# Boards are made in memory, as usual, since a disk would take most of the time.
setup()
{
	enter_scratch
	TMPDIR=$(mktemp -d -p /dev/shm qpuemu-bats.XXXXXX 2>/dev/null) ||
		TMPDIR=$(mktemp -d -p "$PWD")
	export TMPDIR
}

# The board's directory goes, whatever happens.
teardown()
{
	rmdir "$TMPDIR" || {
		rm -r "$TMPDIR"
		return 1
	}
}

# hello: hello.m4 for the assembler, whose lines have its name and numbers
hello()
{
	(cd "$examples" && m4 -s hello.m4)
}

make_hello()
{
	hello | "$QPUASM" --lines hello.map -o hello.bin -
}

# emu OPTION... PROGRAM...: makes hello.bin and hello.map for the first call that
# names the program
emu()
{
	[[ $* != *hello.bin* || -e hello.bin ]] || make_hello
	timeout --foreground "$LIMIT" "$EMU" "$@"
}

# client OPTION... COMMAND...: both streams in $output
client()
{
	local options=()
	while [[ $1 == --* ]]; do
		options+=("$1")
		shift
	done
	run emu "${options[@]}" "$CLIENT" "$@"
}

assemble()	# assemble NAME <SOURCE
{
	"$QPUASM" --no-check -o "$1.bin" -
}

RIGHT="answer 00000000, results are right"

gives()		# gives STATUS OUTPUT
{
	[ "$status" = "$1" ] || fail "status $status: $output"
	[ "$output" = "$2" ] || fail "output: $output"
}

says()		# says STATUS PATTERN
{
	[ "$status" = "$1" ] || fail "status $status: $output"
	grep -qE -- "$2" <<<"$output" || fail "output: $output"
}
