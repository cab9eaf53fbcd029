#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# hardware: make check-hardware, on devices that are emulated or break.

load common

HWCHECK=${QPU_HWCHECK:-$BATS_TEST_DIRNAME/hardware/qpu-hwcheck}
QPUEMU=${QPU_QPUEMU:-$BATS_TEST_DIRNAME/../qpuemu}

setup()
{
	enter_scratch
	is_ours || skip "--device is an option of qpu-sha256sum"
}

# check DEVICE: the report in `report`, in a world without a Raspberry Pi
check()
{
	QPU_TESTS=quick QPU_HWCHECK=$HWCHECK QPU_SHA256SUM=$PROGRAM \
		timeout "$LIMIT" bash \
		"$BATS_TEST_DIRNAME/hardware/check-hardware.sh" \
		"$1" report 2>err
}

# verdicts: of the experiments
verdicts()
{
	grep -E '^ *[0-9]+ [^ ]+ +[^:]+:' report
}

@test "the report of an emulated device: all as emulated, all ratios 1.00" {
	check emulator:timed
	[ "$(verdicts | wc -l)" -gt 100 ]
	[ "$(verdicts | grep -vc ' (as emulated)$')" = 0 ]
	grep -q '^[0-9]* as emulated, 0 not, 0 unknown, 5 risky ones' report
	grep -qE '^ +[0-9.]+ +4\.00 +4\.00 +1\.00  instruction' report
	[ "$(grep -cE '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+  ' report)" -gt 50 ]
	run grep -E '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+  ' report
	[ "$(grep -vcE ' 1\.00  | 0\.99  | 1\.01  ' <<<"$output")" = 0 ]
	grep -q "^64 digests, the same as the CPU's$" report
	grep -q '^emulator .*usable' report
}

@test "without a clock there are verdicts and no times" {
	check emulator
	[ "$(verdicts | grep -c ' (as emulated)$')" -gt 100 ]
	grep -q '^None: this device has no clock' report
}

@test "the parts of the report are there, in their order" {
	check emulator
	sed -n 's/^== \(.*\) ==$/\1/p' report >parts
	cat >right <<-END
		Experiments
		SFU (the emulator's is right to 23 bits)
		Times
		qpu-sha256sum --list-devices
		qpu-sha256sum --device=emulator --verify --stats
		qpu-sha256sum --benchmark
		Words of the experiments, of the SFU, and counters
	END
	same right parts
	head -n 3 report | grep -q '^Device: emulator$'
}

@test "nothing in the report tells whose machine it is" {
	local word
	check emulator
	for word in "$(uname -n)" "$(id -un)" "$PWD" "$HOME" "$PROGRAM" \
		"$HWCHECK"; do
		[ ${#word} -lt 4 ] || ! grep -qF -- "$word" report ||
			fail "$word is in it"
	done
}

@test "an answer that nobody knows is told word by word" {
	check emulator:fault=lane@7
	[ "$(verdicts | grep -vc ' (as emulated)$')" = 1 ]
	verdicts | grep -qE '^ *7 .*: none of the answers.*( 0{8}){15} 00008000$'
	grep -qE '[0-9]+ as emulated, 0 not, 1 unknown' report
}

@test "behind a failure the device is left alone, and the report ends" {
	local fault
	for fault in refuse stuck; do
		run check "emulator:fault=$fault@5"
		[ "$status" = 1 ]
		grep -q '^  5 .*: NO ANSWER: ' report
		[ "$(grep -cE '^  6 |^== SFU' report)" = 0 ]
		grep -q '^The device failed, and was not used any further' report
		grep -q '^== Words' report
	done
}

@test "what cannot be used is refused, with the reason and no report" {
	run check qpu
	[ "$status" = 2 ]
	[ ! -e report ]
	grep -q '^qpu-hwcheck: qpu cannot be used: ' err
	grep -q 'DEVICE=emulator:timed' err
	run check telepathy
	[ "$status" = 2 ]
	grep -q "there is no device 'telepathy'" err
}

@test "one QPU answers what one can" {
	check emulator:qpus=1
	[ "$(verdicts | grep -vc ' (as emulated)$')" = 0 ]
	grep -qE '0 unknown, [1-9] need more QPUs, ' report
}

@test "what may hang the QPUs runs last, and only if it is wanted" {
	check emulator
	[ "$(grep -c '8 lookups in flight' report)" = 0 ]
	export QPU_RISKY=yes
	check emulator
	[ "$(verdicts | grep -c 'lookups in flight: all come back')" = 5 ]
	[ "$(sed -n '/^== Risky/,$p' report | sed -n '/^ *[0-9]/p' |
		grep -c ' (as emulated)$')" = 5 ]
	[ "$(sed '/^== SFU/,$d' report | grep -c '8 lookups')" = 0 ]
}

@test "the driver of the real device, on a virtual Raspberry Pi" {
	[ -x "$QPUEMU" ] || skip "there is no qpuemu"
	local board
	for board in pi1 pi3; do
		timeout "$LIMIT" "$QPUEMU" --board="$board" "$HWCHECK" -n qpu \
			raw >report
		[ "$(verdicts | grep -c ' (as emulated)$')" -gt 100 ]
		[ "$(verdicts | grep -vc ' (as emulated)$')" = 0 ]
		grep -q '^Board: Raspberry Pi' report
		grep -q '^Memory of the GPU: 64 MiB$' report
		[ "$(wc -l <raw)" -gt 700 ]
	done
}
