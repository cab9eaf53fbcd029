#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# hardware: make check-hardware, on devices that are emulated or break.
# shellcheck disable=SC2317 # functions in place of commands are called there

load hardware

@test "the parts of the report of an emulated device are there, in their order" {
	check emulator
	sed -n 's/^== \(.*\) ==$/\1/p' report >parts
	cat >right <<-END
		Memory
		Experiments
		SFU (the emulator's is right to 23 bits)
		Times
		Many launches
		Launches in turn
		System
		qpu-sha256sum --list-devices=details
		qpu-sha256sum --device=emulator --verify --stats
		qpu-sha256sum --benchmark
		Kernel messages
		Failures, the first one first
		Words of the experiments, of the SFU, and counters
	END
	same right parts
	[ "$(verdicts | grep -c ' (as emulated)$')" -gt 100 ]
	[ "$(verdicts | grep -vc ' (as emulated)$')" = 0 ]
	grep -q '^[0-9]* as emulated, 0 not, 0 unknown, 6 risky ones' report
	grep -q '^None: this device has no clock' report
	grep -q "^64 digests, the same as the CPU's$" report
	grep -q '^emulator .*usable' report
	head -n 3 report | grep -q '^Device: emulator$'
	grep -qE '^Words: (32|64) bits$' report
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

@test "after a failure the device is left alone, and the report ends" {
	run check emulator:fault=refuse@5
	[ "$status" = 1 ]
	grep -q '^  5 .*: NO ANSWER: ' report
	grep -q '^  5 .*: NO ANSWER: ' err
	[ "$(grep -cE '^  6 |^== SFU' report)" = 0 ]
	grep -q '^The device failed, and was not used any further' report
	grep -q '^== Kernel messages ==$' report
	grep -q '^== Words' report
}

@test "the report of a device that cannot be used has the reason and the machine" {
	run check qpu
	[ "$status" = 2 ]
	grep -q '^qpu cannot be used: ' report
	grep -q '^Kernel: Linux ' report
	grep -q '^== System ==$' report
	grep -q '^qpu .*not usable: ' report
	grep -q 'DEVICE=emulator:timed' err
	grep -q '^qpu cannot be used: ' err
	run check telepathy
	[ "$status" = 2 ]
	grep -q "there is no device 'telepathy'" report
}

@test "the report of a Pi whose user may do nothing has nodes and device tree" {
	[ -x "$QPUEMU" ] || skip "there is no qpuemu"
	QPU_TESTS=quick QPU_HWCHECK=$HWCHECK QPU_SHA256SUM=$PROGRAM \
		timeout "$LIMIT" "$QPUEMU" --board=pi3 --system=trixie \
		--user=video --kms bash "$TOP/qpu/check/check-hardware.sh" \
		qpu report 2>err && fail "status 0"
	grep -q '^qpu cannot be used: no permission for /dev/dri/render' report
	grep -q '^Kernel: Linux ' report
	grep -q '^Node /dev/dri/renderD128: crw-rw---- 660 ' report
	grep -q '^Node /dev/vcio: crw------- 600 0:0 a,' report
	grep -q '^Node /dev/vcio_gencmd: crw-rw---- 660 0:44 ' report
	grep -q '^Node /dev/dma_heap/linux,cma: ' report
	grep -q '^Status of the V3D: okay' report
	grep -q '^vc_mem: 3b000000 04000000 c0000000$' report
	grep -q '^Device tree: firmware/vcio$' report
	grep -q '^CmaTotal: ' report
	grep -q '^Module: vc4$' report
	grep -q "^  step 1: .*'sudo adduser .USER render'" report
}

# with_kernel_log COMMAND...: dmesg and journalctl are functions of the case
with_kernel_log()
{
	local name
	mkdir -p bin
	for name in dmesg journalctl; do
		printf '#!/bin/bash\n%s\n%s "$@"\n' "$(declare -f "$name")" \
			"$name" >"bin/$name"
		chmod +x "bin/$name"
	done
	PATH=$PWD/bin:$PATH "$@"
}

@test "what the kernel says of firmware, memory, SD card and voltage is in each report" {
	cat >kept <<-END
		[    1.0] raspberrypi-firmware soc:firmware: Request 0x00030011 returned status 0x80000001
		[    2.0] Firmware transaction 0x00030011 timeout
		[    2.1] WARNING: CPU: 0 PID: 7 at drivers/firmware/raspberrypi.c:131 rpi_firmware_property_list
		[    3.0] Unable to handle kernel NULL pointer dereference at virtual address 00000000
		[    4.0] cma: cma_alloc: linux,cma: alloc failed, req-size: 1024 pages, ret: -12
		[    5.0] vc_sm_cma_vchi_init: failed to open VCHI service (-1)
		[    6.0] mmc0: timeout waiting for hardware interrupt.
		[    7.0] hwmon hwmon1: Undervoltage detected!
		[    8.0] INFO: task kworker/0:1:7 blocked for more than 120 seconds.
		[    9.0] WARNING: eth0 (address) and others
	END
	dmesg()
	{
		sed 's/(address)/b8:27:eb:01:02:03/' kept
		echo '[    0.0] Kernel command line: cma=64M macaddr=B8:27:EB:01:02:03'
		echo '[   10.0] usb 1-1: new high-speed USB device'
	}
	journalctl() { return 1; }
	run with_kernel_log really_check telepathy
	[ "$status" = 2 ]
	section 'Kernel messages' >got
	same got kept
	dmesg()
	{
		echo 'dmesg: read kernel buffer failed: Operation not permitted' >&2
		return 1
	}
	journalctl()
	{
		[ "$*" = '-k -b -n 200 --no-pager -q -o cat' ] &&
			echo 'v3d: told by the journal'
	}
	with_kernel_log really_check emulator:fault=refuse@1 ||
		[ "$(section 'Kernel messages')" = 'v3d: told by the journal' ]
	journalctl() { return 1; }
	run with_kernel_log really_check telepathy
	[ "$(section 'Kernel messages')" = 'They cannot be read (dmesg: read kernel buffer failed: Operation not permitted); with sudo they can.' ]
	dmesg() { echo 'Linux version 6.18'; }
	run with_kernel_log really_check telepathy
	section 'Kernel messages' | grep -q '^None is about the GPU'
}

@test "the report has the lines of config.txt that are about the GPU, and cma=" {
	mkdir -p root/boot/firmware root/proc root/sys/class/hwmon/hwmon3
	echo 1 >root/sys/class/hwmon/hwmon3/in0_lcrit_alarm
	echo 'console=tty1 root=PARTUUID=abc cma=128M smsc95xx.macaddr=1' \
		>root/proc/cmdline
	cat >root/boot/firmware/config.txt <<-END
		# dtoverlay=none
		[pi3]
		dtoverlay=vc4-kms-v3d
		  gpu_mem=64
		core_freq=400
		force_turbo=1
		over_voltage=2
		disable_l2cache=1
		arm_64bit=0
		start_x=1
		cma=1
		hdmi_group=1
		program_serial=secret
	END
	QPU_CHECK_ROOT=$PWD/root run really_check telepathy
	grep -E '^(config.txt|Kernel command line|Under)' report >got
	same got - <<-END
		config.txt: [pi3]
		config.txt: dtoverlay=vc4-kms-v3d
		config.txt:   gpu_mem=64
		config.txt: core_freq=400
		config.txt: force_turbo=1
		config.txt: over_voltage=2
		config.txt: disable_l2cache=1
		config.txt: arm_64bit=0
		config.txt: start_x=1
		config.txt: cma=1
		Kernel command line: cma=128M
		Under-voltage alarm now: 1 
		Under-voltage alarm at the end: 1 
	END
}

# really_check_on_pi "QPUEMU'S OPTIONS": the whole report
really_check_on_pi()
{
	[ -x "$QPUEMU" ] || skip "there is no qpuemu"
	# shellcheck disable=SC2086
	QPU_TESTS=quick QPU_HWCHECK=$HWCHECK QPU_SHA256SUM=$PROGRAM \
		timeout "$LIMIT" "$QPUEMU" --no-kms $1 bash \
		"$TOP/qpu/check/check-hardware.sh" qpu report 2>err
}

@test "after a mailbox launch that failed the registers and the engine are tried" {
	has_registers || skip "registers cannot be emulated on this machine"
	run really_check_on_pi '--board=pi3 --fault=refuse@1'
	[ "$status" = 1 ]
	[[ $(section Registers | grep FAILED) == \
		'A launch: FAILED: by mailbox: the QPUs did not start'* ]]
	section 'After the failure' |
		grep -q '^Registers: SRQCS 0, SRQUL fff, DBQITC 0, ERRSTAT 0, VPMBASE 10$'
	section 'After the failure' | grep -q '^V3D after the failure: power '
	[ "$(grep -c '^A launch by registers: came back in ' report)" = 2 ]
	section 'qpu-sha256sum --device=qpu --verify --stats, one file' >got
	grep -qx 'status 0' got
	grep -qx "1 digests, the same as the CPU's" got
	section 'Failures, the first one first' >got
	[[ $(head -n 1 got) == 'A launch: FAILED: by mailbox: '* ]]
	same got <(grep FAILED err)
	grep -q '^Firmware: of 2020' err
}

@test "wrong words, and programs without a digest, are among the failures" {
	has_registers || skip "registers cannot be emulated on this machine"
	run really_check_on_pi '--board=pi3 --fault=stuck@1 --enable-answers=forever'
	[ "$status" = 1 ]
	section 'Failures, the first one first' >got
	[ "$(wc -l <got)" = 3 ]
	[[ $(head -n 1 got) == 'A launch: FAILED: by mailbox: '* ]]
	grep -q '^qpu:registers cannot be used: QPUs still run' got
	grep -qx 'Digests: FAILED: there are none' got
	printf '#!/bin/bash\necho "%s"\n' 'Words used again: 3 of 1600 wrong
	In turn: 20 came back, 2 words wrong
	Written on another core: 0 of 20 launches wrong
	NO ANSWER: job 7 was refused
	9 as emulated, 1 not, 2 unknown' | sed 's/\t//' >asked
	chmod +x asked
	HWCHECK=$PWD/asked
	run really_check emulator
	section 'Failures, the first one first' >got
	same got - <<-'END'
	Words used again: 3 of 1600 wrong
	In turn: 20 came back, 2 words wrong
	NO ANSWER: job 7 was refused
	END
	grep -qx '9 as emulated, 1 not, 2 unknown' err
}

@test "after a firmware that did not answer in time nothing more is asked of it" {
	run really_check_on_pi '--board=pi3 --no-mem --kernel-timeout=10 --delay=20'
	[ "$status" = 3 ]
	grep -q '^The firmware did not answer in time, ' report
	grep -q '^The device failed, and was not used any further' report
	grep -q 'reboot now' err
	[ "$(grep -c '^== By registers' report)" = 0 ]
}

@test "qpureport says what differs between two reports" {
	local tool="$TOP/qpu/check/qpureport"
	check emulator
	cp report one
	run bash "$tool" one one
	[ "$status" = 0 ] && [ "$output" = '' ]
	sed 's/^Words: 64 bits/Words: 32 bits/
		s/^\(Largest piece:\) .*/\1 7 MiB/
		/^CmaTotal/d
		s/ 20 came back, .* ms each/ 20 came back, 99999 ms each/' \
		one >two
	run bash "$tool" one two
	[ "$status" = 1 ]
	grep -qx 'Memory | Largest piece:' <<<"$output"
	grep -qx '	7 MiB' <<<"$output"
	grep -qx 'Many launches | Launches of 0.1 ms on 12 QPUs:' <<<"$output"
	sed 's/is 0 (as emulated)/is 1/; s/^Date: .*/Date: never/' one >two
	run bash "$tool" one two
	[ "$status" = 0 ] || grep -q '^Experiments | ' <<<"$output"
	printf '%s\n' 'hardware report' 'A: 9.5 ms' 'B: 99 ms' >one
	printf '%s\n' 'hardware report' 'A: 10.1 ms' 'B: 111 ms' >two
	run bash "$tool" one two
	[ "$output" = "Machine | B:
	99 ms
	111 ms" ]
	run bash "$tool" one /dev/null
	[ "$status" = 2 ]
	run bash "$tool" one
	[ "$status" = 2 ]
}

@test "an ordinary user of a stock system asks what programs for pixels do" {
	[ -x "$QPUEMU" ] || skip "qpuemu is not built"
	timeout "$LIMIT" "$QPUEMU" --board=pi3 --system=trixie --kms \
		--user=first "$HWCHECK" -nq qpu raw >report 2>err
	[ "$(grep -cE '^H[0-9]+[ab]? .* \(as emulated\)$' report)" = 8 ]
	! grep -qE 'NOT as emulated|none of the answers|refused' report || false
	grep -q '^H3 .* element 0: (2, 0) (0, 2) (2, 2)$' report
	[ "$(grep -c '^thread ' raw)" = 1024 ]
	! timeout "$LIMIT" "$QPUEMU" --board=pi3 --system=trixie --kms \
		--user=nobody "$HWCHECK" -nq qpu raw >report 2>err || false
	grep -q '^qpu cannot be used: no permission for /dev/dri/render' report
}
