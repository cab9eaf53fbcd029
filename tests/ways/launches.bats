#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# launches: programs for the QPUs are started by the firmware or by registers;
# what is told of them afterwards.

load pi

@test "neither the kernels' code nor the driver has a hazard" {
	hashes "--board=pi3 --check --seed=1"
	hashes "--board=pi1 --check --seed=2 --no-vcsm"
}

@test "launches are by the firmware or by registers, as one wishes" {
	local memory
	for memory in '' --no-vcsm; do
		[ "$(launches "$memory" qpu:mailbox)" = 0 ]
		has_registers || continue
		launches "$memory" qpu:registers >direct
		[ "$(cat direct)" = "$(all_launches)" ]
		hashes "--board=pi3 $memory" --device=qpu:registers
	done
	[ "$(launches --no-mem qpu)" = 0 ]
}

@test "registers that cannot be mapped are refused, as is an unknown option" {
	local status=0
	on_pi --no-mem --device=qpu:registers file1 >out 2>err || status=$?
	[ $status = 1 ]
	grep -q 'registers of the QPUs cannot be mapped' err
	status=0
	on_pi --board=pi1 --device=qpu:directly file1 >out 2>err || status=$?
	[ $status = 1 ]
	grep -q "'directly' is none of drm, mailbox, registers, short and counters" err
}

@test "launches by registers that hang are tried again, and wrong ones redone" {
	local memory
	has_registers || skip "registers cannot be emulated on this machine"
	for memory in '' --no-vcsm; do
		hashes "$memory --fault=stuck@6" --device=qpu:registers
		survives "$memory --fault=lane@6" 'wrong' \
			--device=qpu:registers
	done
}

@test "statistics are those of the device" {
	on_pi --board=pi3 --device=qpu --stats file* >out 2>err
	same right out
	grep -q 'stats: QPUs: 12$' err
	grep -q 'stats: clock of the QPUs.*: 400 MHz$' err
	grep -q 'stats: time in launches, measured: ' err
	grep -q 'modelled' err && fail "nothing here is a model's"
	on_pi '--board=pi3 --v3d-clock=321' --device=qpu --stats file1 \
		>out 2>err
	grep -q ': 321 MHz$' err
}

@test "errors and empty runs leave nothing behind" {
	local status=0
	on_pi --no-vcsm --device=qpu file1 nothing >out 2>err || status=$?
	[ $status = 1 ]
	[ "$(cat err)" = 'sha256sum: nothing: No such file or directory' ]
	same <(oracle file1) out
	on_pi --no-vcsm --device=qpu nothing >out 2>err && fail "status 0"
	[ "$(wc -l <err)" = 1 ]
	on_pi --no-vcsm --device=qpu -c right >out 2>err
	[ ! -s err ]
	[ "$(grep -c ': OK$' out)" = 8 ]
	status=0
	on_pi --no-vcsm --device=qpu file1 >/dev/full 2>err || status=$?
	[ $status = 1 ]
	no_line_but '^sha256sum: write error' err
}

# The clock of the program is a thousand times as fast: it measures less.
@test "--benchmark measures memory and files on the QPUs, too" {
	[ -e "$PRELOAD" ] || skip "tests/support/preload.so is not built"
	! under_qemu || skip "the emulator's loader takes one preload library"
	FAULTS=clock:1000 FAULTS_LOG=$PWD/faults LD_PRELOAD=$PRELOAD \
		on_pi --no-vcsm --benchmark >out 2>err
	[ ! -s err ] || fail "$(cat err)"
	grep -Eq '^engine +qpu +64 KiB +16 +[0-9.]+' out
	grep -Eq '^engine +qpu +4 KiB files +16 +[0-9.]+' out
}
