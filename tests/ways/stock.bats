#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# stock: the program on a stock system with a desktop, by the kernel's driver vc4:
# others beside it, kills, and too little memory.

load ../driver/pi

stock='--board=pi3 --system=trixie --kms --user=first'

@test "nothing is left of a program that is killed, and the next one hashes" {
	! under_qemu || skip "qemu keeps what it was to map"
	mkfifo list
	cat >script <<-'END'
		"$PROGRAM" --device=qpu --files0-from=list >killed &
		exec 3>list
		printf '%s\0' file* >&3
		# It has opened the device when memory is gone.
		while [ "$(sed -n 's/^CmaFree: *//p' /proc/meminfo)" = \
			"$(sed -n 's/^CmaTotal: *//p' /proc/meminfo)" ]; do :; done
		kill -9 $!
		wait $! 2>/dev/null
		exec 3>&-
		"$PROGRAM" --device=qpu file* >out
		grep '^Cma' /proc/meminfo >cma
	END
	# shellcheck disable=SC2086
	PROGRAM=$PROGRAM timeout "$LIMIT" "$QPUEMU" --leaks=error $stock \
		bash script 2>err
	same right out
	[ "$(sed -n 's/^CmaTotal: *//p' cma)" = "$(sed -n 's/^CmaFree: *//p' cma)" ]
}

@test "two programs use the GPU at once, and both are right" {
	cat >script <<-'END'
		"$PROGRAM" --device=qpu:drm file* >one & first=$!
		"$PROGRAM" --device=qpu:drm file* >out || exit
		wait $first
	END
	# shellcheck disable=SC2086
	PROGRAM=$PROGRAM timeout "$LIMIT" "$QPUEMU" --leaks=error $stock \
		bash script 2>err
	same right out
	same right one
}

@test "too little contiguous memory is an error with its size, or the CPU hashes" {
	refuses "$stock --cma=16" 'contiguous memory is too small .* CmaFree is'
	refuses "$stock --cma=64 --cma-hole=8" 'too small or in pieces'
	on_pi "$stock --cma=16" file* >out 2>err
	same right out
}
