#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# on-board: what make check-hardware finds on virtual Raspberry Pis, by way of
# their firmware.
# shellcheck disable=SC2317 # functions in place of commands are called there

load hardware

# on_pi "QPUEMU'S OPTIONS" HWCHECK'S-ARGUMENT...: its answers in `report`
on_pi()
{
	[ -x "$QPUEMU" ] || skip "there is no qpuemu"
	once "$*" really_on_pi "$@"
}

really_on_pi()
{
	# shellcheck disable=SC2086
	timeout "$LIMIT" "$QPUEMU" --no-kms --leaks=error $1 "$HWCHECK" "${@:2}" raw \
		>report 2>err
}

@test "beside the kernel's driver registers are asked, and the firmware is not" {
	has_registers || skip "registers cannot be emulated on this machine"
	[ -x "$QPUEMU" ] || skip "there is no qpuemu"
	cat >keep_on <<-'END'
		echo on | tee /sys/bus/platform/drivers/vc4_v3d/*.v3d/power/control
		exec "$@"
	END
	timeout "$LIMIT" "$QPUEMU" --board=pi3 --system=bookworm64 --kms \
		bash keep_on "$HWCHECK" -nq beside raw >report 2>err
	grep -qx "Way: by registers, beside the kernel's driver vc4" report
	[ "$(grep -c '^A launch by registers: came back' report)" = 2 ]
	grep -qE '^VPMBASE: +- +0 +- +0$' report
	[ "$(verdicts | grep -c ' (as emulated)$')" -gt 100 ]
	[ "$(verdicts | grep -vc ' (as emulated)$')" = 0 ]
	grep -q '^Words used again by registers: 0 of 1600 wrong' report
	! grep -v '^At first, enabled' report | grep -q mailbox || false
	! "$QPUEMU" --board=pi3 --system=bookworm64 --kms "$HWCHECK" -nq \
		beside raw >report || false
	grep -q '^beside cannot be used: the V3D has no power' report
}

@test "beside the kernel's driver the GPU is kept on, and has its setting back" {
	local folder=root/sys/bus/platform/drivers/vc4_v3d/3fc00000.v3d/power
	mkdir -p $folder
	echo auto >$folder/control
	echo active >$folder/runtime_status
	printf '#!/bin/bash\necho "$*: $(cat %s/control)"\nexit 2\n' \
		"$folder" >asked
	chmod +x asked
	HWCHECK=$PWD/asked
	QPU_KMS=yes QPU_CHECK_ROOT=$PWD/root run really_check qpu
	[ "$status" = 2 ]
	grep -q '^-q beside .*: on$' report
	[ "$(cat $folder/control)" = auto ]
}

@test "beside the kernel's driver nothing is asked while a program has the GPU open" {
	local folder=root/sys/bus/platform/drivers/vc4_v3d/3fc00000.v3d/power
	mkdir -p root/proc/17/fd $folder
	echo Xorg >root/proc/17/comm
	ln -s /dev/dri/card0 root/proc/17/fd/5
	echo auto >$folder/control
	QPU_KMS=yes QPU_CHECK_ROOT=$PWD/root run really_check qpu
	[ "$status" = 2 ]
	grep -q 'KMS=yes: a program has the GPU open (Xorg).*stop display-manager' err
	[ ! -e report ]
	[ "$(cat $folder/control)" = auto ]
	rm -r root/sys
	QPU_KMS=yes QPU_CHECK_ROOT=$PWD/root run really_check qpu
	[ "$status" = 2 ]
	grep -q "KMS=yes: the kernel's driver vc4 does not have the GPU" err
	QPU_RISKY=yes QPU_KMS=yes run really_check qpu
	[ "$status" = 2 ]
	grep -q 'KMS=yes: QPU_RISKY=yes is not for this way' err
}

@test "answers to enable and disable are told, with IDENT0 after each" {
	has_registers || skip "registers cannot be emulated on this machine"
	on_pi '--board=pi3 --no-vcsm' -nq qpu
	same <(section Power) - <<-'END'
	At first: IDENT0 0xdeadbeef
	Enable: 0x00000000, IDENT0 0x02443356
	Enable again: 0x00000000, IDENT0 0x02443356
	Disable: 0x00000000, IDENT0 0x02443356
	Disable again: 0x00000000, IDENT0 0xdeadbeef
	END
	cp report one
	# The first launch is refused, which ends the report after these answers.
	run on_pi '--board=pi1 --enable-answers=ends --fault=refuse@2' -nq qpu
	grep -qx 'Enable again: 0x80000000, IDENT0 0x02443356' report
	grep -qx 'Disable: 0x80000000, IDENT0 0x02443356' report
	run bash "$TOP/qpu/check/qpureport" one report
	[ "$status" = 1 ]
	grep -qx 'Power | Enable again:' <<<"$output"
	run on_pi '--board=pi1 --fault=enable@1' -nq qpu
	[ "$status" = 2 ]
	grep -qx 'Enable: 0x80000000, IDENT0 0xdeadbeef' report
}

@test "a clock that Linux 6.18 has left low or off is told, and used at its full rate" {
	has_registers || skip "registers cannot be emulated on this machine"
	local state at_first
	while read -r state at_first; do
		# The first launch is refused, which ends the report after the clock.
		run on_pi "--board=pi3 --system=trixie --clock-state=$state --fault=refuse@1" -nq qpu
		grep -q "^V3D at first: power 0, power of H264 0, clock state $at_first, least 250000 kHz, most 400000 kHz, measured " report
		grep -q '^V3D enabled: power 1, power of H264 0, clock state 1, clock 400000 kHz, ' report
		[ "$(section Power | grep -c '^The clock was off')" = \
			"$([ "$state" = off ] && echo 1 || echo 0)" ]
		! grep -q 'clock is off' err || false
	done <<-'END'
	usual 1, clock 250000 kHz
	off 0, clock 250000 kHz
	END
}

@test "QPUs that a killed program has left on are told" {
	has_registers || skip "registers cannot be emulated on this machine"
	run on_pi '--board=pi1 --dirty=all' -nq qpu
	[ "$status" = 1 ]
	section Power | head -n 2 >got
	same got - <<-'END'
	At first: IDENT0 0x02443356
	They are on: a program may have left them in disorder; reboot, and ask again
	END
}

@test "registers are told before a launch, and after one of either kind" {
	has_registers || skip "registers cannot be emulated on this machine"
	on_pi --board=pi3 -nqx qpu
	section Registers | sed '1,/^At first/d' >got
	[ "$(wc -l <got)" = 14 ]
	grep -qE '^SRQUL: +- +fff +fff +fff$' got
	grep -qE '^VPMBASE: +- +10 +10 +10$' got
	# The interrupt of the launch by mailbox is what the board leaves.
	grep -qE '^DBQITC: +- +0 +1 +0$' got
	grep -qE '^(SQRSV0|DBCFG|DBQITE|ERRSTAT): +- +0 +0 +0$' got
	grep -qE '^SRQCS: +- +0 +10100 +10100$' got
	sed 's/^SRQUL: .*/SRQUL:        -        0        0        0/' report >two
	run bash "$TOP/qpu/check/qpureport" report two
	[ "${lines[0]}" = 'Registers | SRQUL:' ]
}

@test "what cannot be seen without /dev/mem is left out" {
	on_pi '--board=pi3 --no-mem' -nq qpu
	grep -qx 'Enable: 0x00000000, IDENT0 not seen' report
	grep -qx 'Not mapped: /dev/mem: No such file or directory' report
	grep -qx 'Firmware: of 2020-08-17 05:58:24 UTC' report
	grep -q '^In turn: 20 came back, 0 by registers, 0 words' report
	[ "$(grep -c '^V3D clock during a launch by mailbox: 400000 kHz' \
		report)" = 2 ]
	run on_pi '--board=pi3 --kms' -nq qpu:mailbox
	[ "$status" = 2 ]
	grep -q '^Not asked: .*dtoverlay=vc4-kms-v3d' report
}

@test "launches in turn and on two cores are right, and questions are answered" {
	has_registers || skip "registers cannot be emulated on this machine"
	local memory
	for memory in --no-vcsm --system=buster --system=bullseye; do
		[ $memory != --system=buster ] || [ "${QPU_TESTS-}" = all ] ||
			continue
		on_pi "--board=pi3 $memory" -nq qpu
		grep -qx 'In turn: 20 came back, 10 by registers, 0 words wrong' \
			report
		[ "$(grep -c '^Written on .*: 0 of 20 launches' report)" = 2 ] ||
			grep -q '^Two cores: not asked' report
		[ "$(grep -cE '^V3D clock during .*(mailbox|registers): [24]' \
			report)" = 2 ]
		[ "$(grep -cE '^The slowest answer .*: [0-9.]+ ms$' report)" = 2 ]
	done
}

@test "QPUs come back from a program that never ends" {
	on_pi --board=pi3 -nqx qpu
	sed -n '/^== A hang ==$/,$p' report >got
	grep -q '^A program that never ends: given up: ' got
	grep -qx 'Off and on after it: possible' got
	grep -qx 'A launch after it: right' got
	grep -qx 'Semaphore that was left at 1, .*: is 0 again' got
}

@test "the real driver on a virtual Raspberry Pi answers as emulated" {
	on_pi --board=pi3 -nqx qpu
	[ "$(verdicts | grep -c ' (as emulated)$')" -gt 100 ]
	[ "$(verdicts | grep -vc ' (as emulated)$')" = 0 ]
	grep -q '^Board: Raspberry Pi' report
	grep -q '^Memory of the GPU: 64 MiB$' report
	grep -q '^V3D clock after a launch: [24]..000 kHz$' report
	[ "$(grep -cE '^V3D (at first|enabled|after all launches): power .*, clock state .*, throttled 0x0$' report)" = 3 ]
	grep -q '^Launches of 0.1 ms on 12 QPUs by mailbox: 20' report
	grep -q '^Words used again by mailbox: 0 of 1600 wrong' report
	has_registers || return 0
	grep -q '^Launches of 0.1 ms on 12 QPUs by registers: 20' report
	grep -q '^Words used again by registers: 0 of 1600' report
	[ "$(wc -l <raw)" -gt 700 ]
}
