#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# on-board: what make check-hardware finds on virtual Raspberry Pis.

load hardware

# on_pi "QPUEMU'S OPTIONS": what qpu-hwcheck says, in `report`, without what
# depends on the time and on the machine
on_pi()
{
	local status=0
	[ -x "$QPUEMU" ] || skip "there is no qpuemu"
	# shellcheck disable=SC2086
	timeout "$LIMIT" "$QPUEMU" --leaks=error $1 "$HWCHECK" -q qpu \
		>raw 2>err || status=$?
	sed -E '1,/^Kernel/d; s/[0-9.]+ ms/# ms/g; s/-?[0-9]+ MB/# MB/g
		s/-?[0-9]+ MHz/# MHz/g; s/[0-9]+ us/# us/g
		s/(measured|after a launch:) [24].0000/\1 #/' raw >report
	return $status
}

@test "the whole report of a virtual Raspberry Pi, by way of its firmware" {
	on_pi '--board=pi3 --kms=no'
	# Registers are not shown by qpuemu on all machines.
	[[ $(uname -m) == @(x86_64|aarch64) ]] || return 0
	same report - <<-'END'
	Board: Raspberry Pi 3 Model B Rev 1.2
	SoC: BCM2837
	Firmware: of 2020-08-17 05:58:24 UTC
	Board revision: 0xa02082
	Memory of the GPU: 64 MiB
	Core clock: 400000 kHz
	ARM clock: 1200000 kHz
	Temperature: 42000 millidegrees C
	V3D at first: power 0, clock state 1, clock 400000 kHz, least 250000 kHz, most 400000 kHz, measured # kHz, throttled 0x0
	
	== Power ==
	At first: IDENT0 0xdeadbeef
	Enable: 0x00000000, IDENT0 0x02443356
	Enable again: 0x00000000, IDENT0 0x02443356
	Disable: 0x00000000, IDENT0 0x02443356
	Disable again: 0x00000000, IDENT0 0xdeadbeef
	V3D enabled: power 1, clock state 1, clock 400000 kHz, least 250000 kHz, most 400000 kHz, measured # kHz, throttled 0x0
	
	== Memory ==
	Source: /dev/vcsm-cma
	Alias: c
	
	== Launches ==
	Launches of # ms on 1 QPUs: 20 came back, # ms each, the slowest # ms
	Launches of # ms on 12 QPUs: 20 came back, # ms each, the slowest # ms
	Launches of # ms on 1 QPUs: 10 came back, # ms each, the slowest # ms
	Launches of # ms on 1 QPUs: 3 came back, # ms each, the slowest # ms
	Clock by launches of known length: # MHz
	V3D clock after a launch: # kHz
	Words used again: 0 of 1600 wrong
	Launches on the same words: 100 came back, # ms each, the slowest # ms
	
	== Forms of instructions ==
	Results of the mul ALU in parts of file A: are packed (as emulated)
	
	== Streams and memory ==
	Memory of the device: word by word # MB/s, copied to # MB/s, read(2) into # MB/s, copied from # MB/s
	Memory of its own: word by word # MB/s, copied to # MB/s, read(2) into # MB/s, copied from # MB/s
	192 streams through the TMUs: # MB/s, modelled # MB/s at # MHz
	V3D after all launches: power 1, clock state 1, clock 400000 kHz, least 250000 kHz, most 400000 kHz, measured # kHz, throttled 0x0
	END
}

@test "launches with cached memory leave the right words" {
	on_pi '--board=pi3 --kms=no --system=bullseye'
	grep -qx 'Source: /dev/dma_heap/linux,cma' report
	grep -qx 'Words used again: 0 of 1600 wrong' report
	grep -q '^Results of the mul ALU .*: are packed (as emulated)$' report
}

@test "an ordinary user of a stock system asks what programs for pixels do" {
	on_pi '--board=pi3 --system=trixie --kms --user=first'
	section Pixels >got
	same got - <<-'END'
	Four words that are no colours: stay as they are (as emulated)
	Coordinates, and the elements of a quad: x to the right, y down, in rows (as emulated)
	Results of the mul ALU in parts of file A: are packed (as emulated)
	Elements 4, 8 and 12 of threads, from element 0: (2, 0) (0, 2) (2, 2)
	Threads of a tile: 64; of each QPU: 6 6 6 6 5 5 5 5 5 5 5 5
	END
	grep -q '^192 streams through the TMUs: # MB/s, modelled # MB/s' report
	grep -q ' a short one after that: written$' report
}

@test "where neither way is open the driver's comes first, and the other says what it opens" {
	run on_pi '--board=pi3 --system=dietpi --user=nobody'
	[ "$status" = 2 ]
	tail -n 2 report >got
	sed -n '1s/^qpu cannot be used: .*driver vc4.*dtoverlay=vc4-kms-v3d.*/driver/p
		2s/^Nor by the firmware, with access to all memory: .*\/dev\/vcio.*/firmware/p' got >ways
	same ways - <<<$'driver\nfirmware'
}

@test "where the kernel's driver works nobody is told to switch it off" {
	[ -x "$QPUEMU" ] || skip "there is no qpuemu"
	check qpu "$QPUEMU" --board=pi3 --system=trixie --user=first
	grep -qx "64 digests, the same as the CPU's" report
	[ "$(section 'Failures, the first one first')$(tail -n 1 report)" = None ]
	! grep -E 'dtoverlay|adduser|step [0-9]|not usable' report ||
		fail "advice"
}

@test "a firmware that does not answer in time is told, and asked no more" {
	run on_pi '--board=pi3 --kms=no --fault=late@1'
	[ "$status" = 3 ]
	[ "$(grep -c FAILED report)" = 1 ]
	[[ $(tail -n 1 report) == 'The firmware did not answer in time, '* ]]
}

@test "after a launch that failed the state of the V3D is told" {
	run on_pi '--board=pi3 --kms=no --fault=refuse@1'
	[ "$status" = 1 ]
	grep -q '^Launches of .* FAILED at 1 of 20: the QPUs did not start' report
	[[ $(tail -n 1 report) == 'V3D after the failure: power '* ]]
}
