#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu-calls: each call of the C library that qpuemu stands in front of is
# answered as on a board.  The programs say what they expect.

load qpuemu

CALLS=$BUILD/tests/virtual/board-calls
REQUESTS=$BUILD/tests/virtual/board-requests

# calls PROGRAM OPTION... PART...: all of its cases are good; what qpuemu says
# is in "err".
calls()
{
	local program=$1 options=()
	shift
	while [[ $1 == --* ]]; do
		options+=("$1")
		shift
	done
	emu "${options[@]}" "$program" "$@" >out 2>err ||
		fail "$*: $(grep -v '^ok' out; cat err)"
}

@test "nodes have the numbers, modes and groups of their system" {
	calls "$CALLS" nodes plain
	calls "$CALLS" --board=pi3b+ --system=trixie --kms=no nodes trixie
}

@test "a user without rights opens no node, by no function" {
	calls "$CALLS" --system=trixie --kms=no --user=video denied
	[ ! -s err ]
}

@test "files, links and directories are the board's by all functions" {
	calls "$CALLS" --kms names
	[ ! -s err ]
}

@test "handlers and masks of signals are kept for the program" {
	calls "$CALLS" signals
}

@test "the machine has the name that the system gives it" {
	calls "$CALLS" --board=pi3 --system=trixie --kms=no machine aarch64
	calls "$CALLS" --board=pi3 --system=buster machine armv7l
	calls "$CALLS" --board=pi1 --system=buster machine armv6l
	calls "$CALLS" --board=pi3 machine "$(uname -m)"
}

@test "libbcm_host tells of the board" {
	calls "$CALLS" --board=pi1 host 536870912 16777216 1073741824
	calls "$CALLS" --board=pi3b+ host 1056964608 16777216 -1073741824
	calls "$CALLS" --board=pc host 0 16777216 0
}

@test "requests for the kernel's memory are answered as it does" {
	calls "$REQUESTS" --system=bullseye --kms=no kernel
	[ ! -s err ]
}

@test "caches are for kernels of 32 bits" {
	calls "$REQUESTS" caches 32
	calls "$REQUESTS" --board=pi3 --system=bookworm64 --kms=no caches 64
}

@test "wrong sizes of messages are errors" {
	calls "$REQUESTS" --leaks=ignore messages
	[ ! -s err ]
}

@test "requests that are for other nodes are refused, or passed on" {
	calls "$REQUESTS" --system=trixie --kms=no others
	[ "$(wc -l <err)" = 1 ]
	grep -qxE 'qpuemu: the number of an ioctl is that of a system of (32 bits; a kernel of 64|64 bits; a kernel of 32) bits refuses it' err
}

@test "physical memory is where the board has it, and nowhere else" {
	calls "$CALLS" memory
	diff - err <<-'END'
	qpuemu: 8192 bytes of memory at 0x1ffff000 cannot be mapped: it is neither GPU memory nor peripherals
	qpuemu: 4096 bytes of memory at 0x1bfff000 cannot be mapped: it is neither GPU memory nor peripherals
	qpuemu: 4096 bytes of memory at 0x22000000 cannot be mapped: it is neither GPU memory nor peripherals
	qpuemu: 8192 bytes of memory at 0x21fff000 cannot be mapped: it is neither GPU memory nor peripherals
	qpuemu: /dev/mem is mapped through the caches of the CPU: open it with O_SYNC
	END
	calls "$CALLS" --board=pi3 later-memory
	[ "$(wc -l <err)" = 5 ]
	grep -q ' at 0xfb000000 ' err
}

@test "registers are mapped 64 times, and no more" {
	calls "$CALLS" registers
	[ ! -s err ] || diff - err <<<"qpuemu: too many mappings of registers"
}
