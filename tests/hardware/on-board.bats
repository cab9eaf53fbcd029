#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# on-board: what make check-hardware finds on virtual Raspberry Pis, by way of
# their firmware.
# shellcheck disable=SC2317 # functions in place of commands are called there

load hardware

# on_pi "QPUEMU'S OPTIONS" COMMAND...: what it says, in `report`
on_pi()
{
	[ -x "$QPUEMU" ] || skip "there is no qpuemu"
	# shellcheck disable=SC2086
	timeout "$LIMIT" "$QPUEMU" --leaks=error $1 "${@:2}" >report 2>err
}

# all_as_emulated: no experiment has another answer
all_as_emulated()
{
	[ "$(verdicts | grep -c ' (as emulated)$')" -gt 100 ]
	[ "$(verdicts | grep -vc ' (as emulated)$')" = 0 ]
}

@test "beside the kernel's driver registers are asked, and the firmware is not" {
	has_registers || skip "registers cannot be emulated on this machine"
	cat >keep_on <<-'END'
		echo on | tee /sys/bus/platform/drivers/vc4_v3d/*.v3d/power/control
		exec "$@"
	END
	on_pi '--board=pi3 --system=bookworm64 --kms' bash keep_on "$HWCHECK" \
		-nq beside raw
	all_as_emulated
	grep -q '^Words used again by registers: 0 of 1600 wrong' report
	grep -q '^In turn: 20 came back, 20 by registers, 0 words wrong' report
	! grep -v '^At first, enabled' report | grep -q mailbox || false
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

@test "the whole report of a virtual Raspberry Pi, after which a hang is over" {
	on_pi '--board=pi3 --no-kms' "$HWCHECK" -nqx qpu raw
	all_as_emulated
	has_registers || return 0
	[ "$(wc -l <raw)" -gt 700 ]
	# Times, a clock that is lower at rest, and lines of machines with two cores.
	sed -E '1,/^Kernel/d; / \(as emulated\)$/d; s/[0-9.]+ ms/# ms/g; / MB/d
		s/(clock (after|during) .*|measured) [24].0000/\1 #/
		/^(Two|Written)/d' report >got
	same got - <<-'END'
	GPU memory by: /dev/vcsm-cma, not cached; registers: yes
	Board: Raspberry Pi 3 Model B Rev 1.2
	SoC: BCM2837
	Firmware: of 2020-08-17 05:58:24 UTC
	Firmware variant: 1
	Firmware hash: 9e3779b9
	Board revision: 0xa02082
	Memory of the ARM: 944 MiB
	Memory of the GPU: 64 MiB
	Core clock: 400000 kHz
	ARM clock: 1200000 kHz
	Temperature: 42000 millidegrees C
	V3D at first: power 0, power of H264 0, clock state 1, clock 400000 kHz, least 250000 kHz, most 400000 kHz, measured # kHz, throttled 0x0
	
	== Power ==
	At first: IDENT0 0xdeadbeef
	Enable: 0x00000000, IDENT0 0x02443356
	Enable again: 0x00000000, IDENT0 0x02443356
	Disable: 0x00000000, IDENT0 0x02443356
	Disable again: 0x00000000, IDENT0 0xdeadbeef
	
	== Memory ==
	Largest piece: 55 MiB
	Time for a piece: # ms/MiB
	Pieces of 2 MiB: 25 of 25
	Alias: c
	Source: /dev/vcsm-cma, not cached
	
	== Registers ==
	V3D enabled: power 1, power of H264 0, clock state 1, clock 400000 kHz, least 250000 kHz, most 400000 kHz, measured # kHz, throttled 0x0
	A launch by mailbox: came back in # ms
	A launch by registers: came back in # ms
	At first, enabled, after a launch by mailbox, by registers; - is without power
	IDENT0:        -  2443356  2443356  2443356
	IDENT1:        - c1102431 c1102431 c1102431
	L2CACTL:        -        0        0        0
	SQRSV0:        -        0        0        0
	SQRSV1:        -        0        0        0
	SQCNTL:        -        0        0        0
	SRQUL:        -      fff      fff      fff
	SRQCS:        -        0    10100    10100
	VPMBASE:        -       10       10       10
	PCTRE:        -        0        0        0
	DBCFG:        -        0        0        0
	DBQITE:        -        0        0        0
	DBQITC:        -        0        1        0
	ERRSTAT:        -        0        0        0
	
	== Experiments ==
	115 as emulated, 0 not, 0 unknown, 6 risky ones left for QPU_RISKY=yes
	
	== SFU (the emulator's is right to 23 bits) ==
	recip 1..2      relative error -1.15e-07 to +0, 23.0 good bits
	recipsqrt 1..4  relative error -1.16e-07 to +0, 23.0 good bits
	exp 1..2        relative error -1.12e-07 to +0, 23.1 good bits
	exp -2..-1      relative error -1.17e-07 to +0, 23.0 good bits
	log 1..2        absolute error -5.95e-08 to +0, 24.0 good bits
	log 1/4..1      absolute error +0 to +1.19e-07, 23.0 good bits
	
	== Many launches ==
	Launches of # ms on 1 QPUs by mailbox: 20 came back, # ms each
	Launches of # ms on 1 QPUs by registers: 20 came back, # ms each
	Launches of # ms on 1 QPUs by mailbox: 20 came back, # ms each
	Launches of # ms on 1 QPUs by mailbox: 3 came back, # ms each
	Launches of # ms on 12 QPUs by mailbox: 20 came back, # ms each
	Launches of # ms on 12 QPUs by registers: 20 came back, # ms each
	V3D clock after a launch: # kHz
	Words used again by mailbox: 0 of 1600 wrong
	Launches on the same words by mailbox: 100 came back, # ms each
	Words used again by registers: 0 of 1600 wrong
	Launches on the same words by registers: 100 came back, # ms each
	
	== Launches in turn ==
	In turn: 20 came back, 10 by registers, 0 words wrong
	V3D clock during a launch by mailbox: # kHz
	The slowest answer during a launch by mailbox: # ms
	V3D clock during a launch by registers: # kHz
	The slowest answer during a launch by registers: # ms
	V3D after all launches: power 1, power of H264 0, clock state 1, clock 400000 kHz, least 250000 kHz, most 400000 kHz, measured # kHz, throttled 0x0
	
	== Rates of memory ==
	/dev/dma_heap/linux,cma, cached: not there
	
	== Risky experiments ==
	6 as emulated, 0 not, 0 unknown
	
	== A hang ==
	A program that never ends: given up: by mailbox: the QPUs did not start or did not come back within # ms (0x80000000)
	Time until then: # ms
	Off and on after it: possible
	A launch after it: right
	Off and on with a semaphore at 1: possible
	Semaphore that was left at 1, after off and on: is 0 again
	END
}

@test "launches by way of cached memory, and of the firmware's, are right" {
	has_registers || skip "registers cannot be emulated on this machine"
	local memory
	for memory in --system=bullseye --system=buster --no-vcsm; do
		on_pi "--board=pi3 --no-kms $memory" "$HWCHECK" -nq qpu raw
		all_as_emulated
		grep -qx 'In turn: 20 came back, 10 by registers, 0 words wrong' \
			report
		[ "$(grep -c '^Written on .*: 0 of 20 launches' report)" = 2 ] ||
			grep -q '^Two cores: not asked' report
		[ "${QPU_TESTS-}" = all ] || break
	done
}
