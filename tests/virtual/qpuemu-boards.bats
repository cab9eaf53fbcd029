#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu-boards: each virtual board is like the real one of its name.

load qpuemu

@test "each board has its model, revision, clock and window, and runs programs" {
	local board revision clock window model run
	while IFS='|' read -r board revision clock window model; do
		case $board in
		pi[45]) run= ;;
		*) run="$CLIENT hello hello.bin && $CLIENT vcsm hello.bin" ;;
		esac
		run emu --board="$board" --leaks=error sh -c "tr -d '\\0' \
			</proc/device-tree/model; echo
			od -An -tx1 -j4 -N4 /proc/device-tree/soc/ranges
			$CLIENT raw 0 10002 4 0 0 30002 8 4 5 0 0
			$run"
		gives 0 "$model
 $window
good 80000000 10002 4 80000004 $revision 30002 8 80000008 5 $clock 0${run:+
$RIGHT
$RIGHT
the kernel took it back}"
	done <<-'END'
	pi1|e|ee6b280|20 00 00 00|Raspberry Pi Model B Rev 2
	pi1b+|900032|ee6b280|20 00 00 00|Raspberry Pi Model B Plus Rev 1.2
	zero|900093|11e1a300|20 00 00 00|Raspberry Pi Zero Rev 1.3
	zerow|9000c1|11e1a300|20 00 00 00|Raspberry Pi Zero W Rev 1.1
	pi2|a01041|ee6b280|3f 00 00 00|Raspberry Pi 2 Model B Rev 1.1
	pi2v1.2|a02042|17d78400|3f 00 00 00|Raspberry Pi 2 Model B Rev 1.2
	pi3|a02082|17d78400|3f 00 00 00|Raspberry Pi 3 Model B Rev 1.2
	pi3b+|a020d3|17d78400|3f 00 00 00|Raspberry Pi 3 Model B Plus Rev 1.3
	pi3a+|9020e0|17d78400|3f 00 00 00|Raspberry Pi 3 Model A Plus Rev 1.0
	zero2|902120|11e1a300|3f 00 00 00|Raspberry Pi Zero 2 W Rev 1.0
	pi4|a03111|1dcd6500|00 00 00 00|Raspberry Pi 4 Model B Rev 1.1
	pi5|c04170|39387000|00 00 00 00|Raspberry Pi 5 Model B Rev 1.0
	END
}

@test "the clock of the QPUs is lower while they rest" {
	local ask="$CLIENT raw 0 30047 8 4 5 0 0"
	run emu --board=pi3 sh -c "$ask; $CLIENT hello hello.bin; $ask"
	gives 0 "good 80000000 30047 8 80000008 5 ee6b280 0
$RIGHT
good 80000000 30047 8 80000008 5 17d78400 0"
}

@test "boards with another GPU refuse to enable it" {
	for board in pi4 pi5; do
		client --board="$board" hello hello.bin
		gives 1 "enable: 80000000"
	done
}

@test "a PC has none of the files" {
	client --board=pc hello hello.bin
	gives 1 "/dev/vcio: No such file or directory"
	run emu --board=pc ls /proc/device-tree/model
	[ "$status" -ne 0 ]
}

@test "the kernel's driver takes the QPUs away, and shows" {
	for driver in kms fkms; do
		client --$driver hello hello.bin
		gives 1 "enable: 80000000"
		run emu --$driver sh -c "tr -d '\\0' \
			</proc/device-tree/soc/v3d@7ec00000/status; echo
			ls -d /sys/module/vc4 /dev/dri/card0 \
				/sys/bus/platform/drivers/vc4_v3d/20c00000.v3d
			readlink /sys/class/drm/card0/device/driver"
		gives 0 "okay
/dev/dri/card0
/sys/bus/platform/drivers/vc4_v3d/20c00000.v3d
/sys/module/vc4
../../../../bus/platform/drivers/vc4-drm"
	done
	run emu sh -c "tr -d '\\0' </proc/device-tree/soc/v3d@7ec00000/status
		ls /sys/module/vc4"
	says 2 '^disabled'
}

@test "a node that is left out is missing" {
	client --no-vcio hello hello.bin
	gives 1 "/dev/vcio: No such file or directory"
	client --no-vcsm vcsm hello.bin
	says 1 "^/dev/vcsm-cma: No such file or directory"
	client --no-mem hello hello.bin
	says 1 "^/dev/mem: No such file or directory"
}

@test "the files of a board can be walked, read and asked like any other" {
	run emu sh -c 'cd /proc/device-tree && cat model | tr -d "\0"; echo
		ls -l /dev/vcio | cut -c1-10
		ls /sys/firmware/devicetree/base/system
		realpath /dev/vcio; readlink /proc/device-tree
		: >>/dev/vcio && rm -f /dev/vcio; test -c /dev/vcio && echo yes
		grep -E "^(Hardware|Revision|Model)" /proc/cpuinfo'
	gives 0 "Raspberry Pi Model B Rev 2
crw-rw----
linux,revision
/dev/vcio
../sys/firmware/devicetree/base
yes
Hardware	: BCM2835
Revision	: 000e
Model		: Raspberry Pi Model B Rev 2"
}

@test "a user without rights opens no node and makes none" {
	client --user=nobody hello hello.bin
	gives 1 "/dev/vcio: Permission denied"
	client --user=nobody mknod char_dev hello.bin
	gives 1 "mknod: Operation not permitted"
	run emu --user=nobody sh -c 'test -e /dev/vcio && ! test -r /dev/vcio &&
		! test -w /dev/mem && stat -c "%A %G %t" /dev/vcio'
	gives 0 "crw-rw---- video 64"
	run emu sh -c 'test -r /dev/vcio && test -w /dev/vcio'
	[ "$status" = 0 ]
}

# --- Systems -----------------------------------------------------------------

@test "the kernel's memory has a size and a largest hole, and /proc/meminfo shows it" {
	run emu --cma=32 --cma-hole=8 sh -c 'grep Cma /proc/meminfo
		"$0" vcsm-alloc 9; "$0" vcsm-alloc 8
		"$0" vcsm-alloc 8 8 8; "$0" vcsm-alloc 8 8 8 8' "$CLIENT"
	gives 0 "CmaTotal:          32768 kB
CmaFree:           32768 kB
9 MiB: Cannot allocate memory
8 MiB: 24576 kB free
8 MiB: 24576 kB free
8 MiB: 16384 kB free
8 MiB: 8192 kB free
8 MiB: 24576 kB free
8 MiB: 16384 kB free
8 MiB: 8192 kB free
8 MiB: Cannot allocate memory"
}

# Boards with the same processor give the same answers; QPU_TESTS=all asks all.
@test "each user of each system on each kind of processor is told the next step" {
	! quick || skip "takes long"
	local boards=(pi1 pi2 pi3)
	[ "${QPU_TESTS-}" != all ] || boards=(pi1 pi1b+ zero zerow pi2 pi2v1.2 pi3 pi3b+ pi3a+
		zero2 pi4 pi5)
	bash "$TOP/tests/virtual/check-boards.sh" "$EMU" "$PROGRAM" \
		"${boards[@]}" >table
	awk -v names="${boards[*]}" '
		BEGIN {
			for (i = split(names, list, " "); i > 0; i--)
				asked[list[i]]
		}
		NR <= 2 { print; next }
		{
			line = substr($0, 1, 67)
			n = split(substr($0, 68), list, " ")
			found = ""
			for (i = 1; i <= n; i++)
				if (list[i] in asked)
					found = found " " list[i]
			if (found != "")
				print line substr(found, 2)
		}' "$TOP/tests/virtual/boards.txt" >expected
	same expected table
}
