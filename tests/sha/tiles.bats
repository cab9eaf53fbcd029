#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# tiles: the real programs for tiles, on emulated QPUs behind a model of the
# kernel's driver.

load ../support/common

setup()
{
	enter_scratch
	is_ours || skip "--device is an option of qpu-sha256sum"
}

@test "files of many lengths have their digests on emulated tiles" {
	local i
	mkdir t
	head -c 60000 /dev/urandom >noise
	for ((i = 0; i < 150; i++)); do
		head -c $(((i * 7919 + i * i * 31) % 9000)) noise >"t/$i"
	done
	cp noise t/long
	oracle t/* >right
	sum --device=emulator:tiles --stats t/* >out 2>err
	same right out
	grep -q 'QPUs: 12$' err
	# A dozen of them, with every hazard of the machine looked for.
	oracle t/1? >right
	sum --device=emulator:tiles,check t/1? >out 2>err
	same right out
	[ ! -s err ]
}

@test "a run on emulated tiles repeats to the clock, and another seed changes it" {
	local i
	for ((i = 0; i < 30; i++)); do
		head -c $((i * 211)) /dev/zero >"f$i"
	done
	for i in 7 7 8; do
		sum --device=emulator:tiles,timed,seed=$i --stats f* 2>err >out
		grep 'clocks, modelled' err >>clocks
	done
	[ "$(grep -c . clocks)" = 3 ]
	[ "$(sort -u clocks | grep -c .)" = 2 ]
	[ "$(sed -n 1p clocks)" = "$(sed -n 2p clocks)" ]
}

@test "after another program has hung the GPU for 3.1 s the QPUs go on with all blocks" {
	local i fault
	for ((i = 0; i < 400; i++)); do
		head -c $((i * 97)) /dev/urandom >"f$i"
	done
	oracle f* >right
	# At the opening, before the first launch, and in the middle of the run.
	for fault in eintr@1- hang@4 hang@5 hang@9; do
		sum --device="emulator:tiles,fault=$fault" --stats f* >out 2>err
		same right out
		! grep warning err || fail "$fault"
		grep 'blocks on the device: [1-9]' err >>blocks
	done
	[ "$(wc -l <blocks)" = 4 ]
	[ "$(sort -u blocks | wc -l)" = 1 ] || fail "$(cat blocks)"
}
