#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# hardware: make check-hardware, on devices that are emulated or break, and on
# virtual Raspberry Pis.
# shellcheck disable=SC2317 # functions in place of commands are called there

load ../support/common

HWCHECK=$BUILD/qpu/check/qpu-hwcheck
QPUEMU=$BUILD/qpuemu
# A report takes hundreds of launches.
LIMIT=300

only_ours

# check DEVICE [PREFIX...]: the report in `report`; the prefix is a command that
# runs it, as qpuemu
check()
{
	QPU_TESTS=quick QPU_HWCHECK=$HWCHECK QPU_SHA256SUM=$PROGRAM \
		timeout "$LIMIT" "${@:2}" bash \
		"$TOP/qpu/check/check-hardware.sh" "$1" report 2>err
}

# section TITLE [FILE]: its lines
section()
{
	sed -n "/^== $1 ==\$/,/^\$/p" "${2-report}" | sed '1d; $d'
}

@test "the parts of the report are there, in their order, and nothing tells whose machine it is" {
	local word
	check emulator
	sed -n 's/^== \(.*\) ==$/\1/p' report >parts
	same parts - <<-END
		Memory
		Launches
		Forms of instructions
		Rates of memory
		System
		qpu-sha256sum --list-devices=details
		qpu-sha256sum --device=emulator ${VERIFY[*]:+${VERIFY[*]} }--stats
		qpu-sha256sum --benchmark
		Kernel messages
		Failures, the first one first
	END
	grep -qx "16 digests, the same as the CPU's" report
	grep -q '^emulator .*usable' report
	[ "$(section 'Failures, the first one first')" = '' ]
	[ "$(tail -n 1 report)" = None ]
	for word in "$(uname -n)" "$(id -un)" "$PWD" "$HOME" "$PROGRAM" \
		"$HWCHECK"; do
		[ ${#word} -lt 4 ] || ! grep -qF -- "$word" report ||
			fail "$word is in it"
	done
}

@test "the report of a machine without QPUs is not asked for" {
	check qpu "$QPUEMU" --board=pc
	grep -q '^qpu cannot be used: this is not a Raspberry Pi' err
	! grep -q 'worth sending' err || false
}

@test "the report of a Pi whose user may do nothing has the reason, nodes and device tree" {
	check qpu "$QPUEMU" --board=pi3 --system=trixie --user=video --kms
	grep -q '^qpu cannot be used: no permission for /dev/dri/render' report
	grep -q '^qpu cannot be used: ' err
	grep -q 'worth sending' err
	grep -q 'DEVICE=emulator:timed' err
	grep -q '^Kernel: Linux ' report
	grep -q '^qpu .*not usable: ' report
	grep -qx 'Firmware: cannot be asked' report
	grep -q '^Node /dev/dri/renderD128: crw-rw---- 660 ' report
	grep -q '^Node /dev/vcio: crw------- 600 0:0 a,' report
	grep -q '^Node /dev/dma_heap/linux,cma: ' report
	grep -q '^Status of the V3D: okay' report
	grep -q '^CmaTotal: ' report
	grep -q '^Module: vc4$' report
	grep -q "^  step 1: .*'sudo usermod -aG render .USER'" report
	# The kernel's driver blocks the firmware's way.
	! grep -q '^QPUs of this machine: ' report || false
}

@test "who waits at a terminal sees each part as it begins" {
	needs_terminal
	QPU_TESTS=quick QPU_HWCHECK=$HWCHECK QPU_SHA256SUM=$PROGRAM timeout \
		"$LIMIT" script -qec "bash '$TOP/qpu/check/check-hardware.sh' \
		telepathy report" /dev/null >terminal </dev/null
	tr -d '\r' <terminal | sed -n 's/^  //p' >shown
	sed -n 's/^== \(.*\) ==$/\1/p' report >parts
	same shown parts
	[ "$(wc -l <parts)" -ge 4 ]
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
		[    9.5] [drm] Resetting GPU.
	END
	dmesg()
	{
		sed 's/(address)/b8:27:eb:01:02:03/' kept
		echo '[    0.0] Kernel command line: cma=64M macaddr=B8:27:EB:01:02:03'
		echo '[   10.0] usb 1-1: new high-speed USB device'
	}
	journalctl() { return 1; }
	with_kernel_log check telepathy
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
	run with_kernel_log check telepathy
	[ "$(section 'Kernel messages')" = 'v3d: told by the journal' ]
	journalctl() { return 1; }
	run with_kernel_log check telepathy
	[ "$(section 'Kernel messages')" = 'They cannot be read (dmesg: read kernel buffer failed: Operation not permitted); with sudo they can.' ]
	dmesg() { echo 'Linux version 6.18'; }
	run with_kernel_log check telepathy
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
	QPU_CHECK_ROOT=$PWD/root run check telepathy
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

# answers COMMAND: a qpu-hwcheck that says and returns what is given
answers()
{
	printf '#!/bin/bash\n%s\n' "$1" >asked
	chmod +x asked
	HWCHECK=$PWD/asked
}

@test "failures and answers that nobody expects come once more at the end" {
	cat >said <<-'END'
		Words used again: 3 of 1600 wrong
		Words used again: 0 of 1600 wrong
		Launches of 0.1 ms on 1 QPUs: FAILED at 7 of 20: launch 7 was refused
		Memory: NO ANSWER: 1024 KiB more do not fit
		Results of the mul ALU in parts of file A: 8a is lost (NOT as emulated)
	END
	answers "cat '$PWD/said'"
	check emulator
	section 'Failures, the first one first' >got
	tail -n 1 report >>got
	same got <(sed -n '1p; 3,4p' said)
	grep -qx '.*is lost (NOT as emulated)' err
	grep -qx 'Words used again: 3 of 1600 wrong' err
}

@test "after a failure one file is hashed, and after silence nothing is asked" {
	answers 'exit 1'
	run check qpu
	[ "$status" = 1 ]
	[ "$(section "qpu-sha256sum --device=qpu ${VERIFY[*]:+${VERIFY[*]} }--stats, one file" |
		tail -n 1)" = "1 digests, the same as the CPU's" ] ||
		grep -qx 'Digests: FAILED: there are none' report
	answers 'exit 3'
	run check qpu
	[ "$status" = 3 ]
	grep -q '^The device failed, and was not used any further' report
	grep -q 'reboot now' err
	answers 'exit 1'
	run check emulator
	[ "$status" = 1 ]
	grep -q '^The device failed, and was not used any further' report
}

# --- On virtual Raspberry Pis -----------------------------------------------------

# on_pi "QPUEMU'S OPTIONS": what qpu-hwcheck says, in `report`, without what
# depends on the time and on the machine
on_pi()
{
	local status=0
	# shellcheck disable=SC2086
	timeout "$LIMIT" "$QPUEMU" --leaks=error $1 "$HWCHECK" -q qpu \
		>raw 2>err || status=$?
	sed -E '1,/^Kernel/d; s/[0-9.]+ ms/# ms/g; s/-?[0-9]+ MB/# MB/g
		s/-?[0-9]+ MHz/# MHz/g; s/[0-9]+ us/# us/g
		s/(measured|after a launch:) [24].0000/\1 #/' raw >report
	return $status
}

# What comes after that is as in reports.golden.
@test "the report of a virtual Raspberry Pi has its facts, power and memory, by way of its firmware" {
	on_pi '--board=pi3 --kms=no'
	# Registers are not shown by qpuemu on all machines.
	[[ $(uname -m) == @(x86_64|aarch64) ]] || return 0
	sed '/^== Launches/,$d' report >facts
	same facts - <<-'END'
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
	
	END
	grep -q '^Memory of the device: word by word # MB/s' report
	grep -qx "Words used again: 0 of 528 wrong" report
	grep -qx "V3D clock after a launch: # kHz" report
	tail -n 1 report | grep -q "^V3D after all launches: power 1, clock state 1, clock 400000 kHz, "
}

@test "an ordinary user of a stock system asks what programs for pixels do" {
	on_pi '--board=pi3 --system=trixie --kms --user=first'
	section Pixels >got
	section Pixels "$TOP/tests/hardware/reports.golden" >expected
	[ "$(wc -l <expected)" -ge 5 ]
	same got expected
	grep -q '^Memory of the driver: word by word # MB/s' report
}

@test "where neither way is open the driver's comes first, and the other says what it opens" {
	run on_pi '--board=pi3 --system=dietpi --user=nobody'
	[ "$status" = 2 ]
	tail -n 2 report >got
	sed -n '1s/^qpu cannot be used: .*driver vc4.*dtoverlay=vc4-kms-v3d.*/driver/p
		2s/^Nor by the firmware, with access to all memory: .*\/dev\/vcio.*/firmware/p' got >ways
	same ways - <<<$'driver\nfirmware'
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
	grep -q '^Launches of .* FAILED at 1 of 6: the QPUs did not start' report
	[[ $(tail -n 1 report) == 'V3D after the failure: power '* ]]
}
