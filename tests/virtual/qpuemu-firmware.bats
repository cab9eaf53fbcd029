#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu-firmware: what the virtual firmware answers, and what it does with
# programs that go wrong.

load qpuemu

# --- The firmware -----------------------------------------------------------------

@test "several tags are answered in one message" {
	client raw 0 10006 8 0 0 0 10005 8 0 0 0 0
	gives 0 "good 80000000 10006 8 80000008 1c000000 4000000 10005 8 80000008 0 1c000000 0"
	client --memory=128 --board=pi3 raw 0 10006 8 0 0 0 0
	gives 0 "good 80000000 10006 8 80000008 37000000 8000000 0"
}

@test "the serial number is that of cpuinfo and the device tree" {
	client raw 0 10004 8 0 0 0 0
	gives 0 "good 80000000 10004 8 80000008 12345678 0 0"
	run emu --board=pi3 sh -c '
		sed -n "s/^Serial[^:]*: //p" /proc/cpuinfo
		tr "\0" "\n" </proc/device-tree/serial-number'
	gives 0 "0000000012345678
0000000012345678"
}

@test "an answer that does not fit is cut off, its length is told" {
	client raw 0 10006 4 0 0 0
	gives 0 "good 80000000 10006 4 80000008 1c000000 0"
}

# A handler of signals gives back what the program has, even amid malloc().
@test "an answer takes no memory that malloc gives" {
	[ -e "$PRELOAD" ] || skip "tests/support/preload.so is not built"
	! grep -q __asan_init "$CLIENT" ||
		skip "a sanitizer has to be loaded first"
	run emu bash -c '
		export LD_PRELOAD+=:$0 FAULTS=calls:0
		exec "$@"' "$PRELOAD" "$CLIENT" raw 0 30012 4 0 0 0
	gives 0 "good 80000000 30012 4 80000004 0 0"
}

# What fails is returned as it was sent; 7 is what the program had there.
@test "a tag that the firmware does not know: no answer" {
	local tag
	for tag in 2 3 30030 12345; do
		client raw 7 $tag 8 0 0 0 0
		gives 1 "Invalid argument 7 $tag 8 0 0 0 0"
	done
	client raw 7 10006 8 0 0 0 12345 4 0 0 10005 8 0 0 0 0
	gives 1 "Invalid argument 7 10006 8 0 0 0 12345 4 0 0 10005 8 0 0 0 0"
	client raw 0 12345 4 0 0 0
	client raw 0 10006 8 0 0 0 0
	gives 0 "good 80000000 10006 8 80000008 1c000000 4000000 0"
}

@test "a message that is no message is refused" {
	client raw 0 3000c 8 4 5 0 0
	gives 1 "Invalid argument 0 3000c 8 4 5 0 0"
	client raw 0 10006 400 0 0 0 0
	gives 1 "Invalid argument 0 10006 400 0 0 0 0"
	client raw 0 10006 fffffffd 0 0 0 0
	gives 1 "Invalid argument 0 10006 fffffffd 0 0 0 0"
	client raw 0
	gives 1 "Invalid argument 0"
}

@test "the number of the request depends on the size of pointers" {
	case $(getconf LONG_BIT) in
	64) good=c0086400 other=c0046400 ;;
	*) good=c0046400 other=c0086400 ;;
	esac
	client ioctl /dev/vcio "$good"
	gives 0 good
	client ioctl /dev/vcio "$other"
	says 0 "^qpuemu: .* a kernel of [0-9]+ bits refuses it"
	says 0 "^good"
	client ioctl /dev/vcio c00c6400
	gives 1 "ioctl: Invalid argument"
	client ioctl /dev/vcsm-cma c0004a5b
	gives 1 "ioctl: Invalid argument"
}

@test "memory has the alias, the alignment and the content of its flags" {
	while read -r flags bus; do
		run emu --leaks=ignore sh -c "
			$CLIENT raw 0 3000c c c 1000 10000 $flags 0 >/dev/null
			$CLIENT raw 0 3000d 4 4 1 0"
		gives 0 "good 80000000 3000d 4 80000004 $bus 0"
	done <<-'END'
	0 1c000000
	4 dc000000
	8 9c000000
	c 5c000000
	END
	for content in 1c:00000000 c:ffffffff; do
		run emu --leaks=ignore sh -c "
			$CLIENT raw 0 3000c c c 1000 1000 ${content%:*} 0
			$CLIENT map 1c000000 1000"
		says 0 "mapped, first word ${content#*:}"
	done
}

@test "handles are locked, unlocked and released once" {
	run emu --leaks=error sh -c "
		for message in '3000c c c 64 10 4' '3000d 4 4 1' '3000d 4 4 1' \
			'3000e 4 4 1' '3000e 4 4 1' '3000e 4 4 1' \
			'3000f 4 4 1' '3000f 4 4 1' '3000d 4 4 1'; do
			$CLIENT raw 0 \$message 0
		done | cut -d' ' -f6"
	gives 0 "1
dc000000
dc000000
0
0
ffffffff
0
ffffffff
0"
}

@test "memory ends" {
	run emu --memory=32 sh -c "$CLIENT raw 0 3000c c c 2000000 1000 4 0
		$CLIENT raw 0 3000c c c 1 1000 4 0"
	says 0 '^good 80000000 3000c c 80000004 0 1000 4 0$'
	[ "$(grep -c ' 80000004 0 ' <<<"$output")" = 1 ]
	client raw 0 3000c c c ffffffff 1000 4 0
	says 0 ' 80000004 0 '
	client raw 0 3000c c c 64 30 4 0
	says 0 ' 80000004 0 '
}

@test "a small memory is that of a firmware without QPUs" {
	client --memory=16 hello hello.bin
	gives 1 "enable: 80000000"
}

@test "clocks can be chosen and set" {
	client --v3d-clock=333 raw 0 30002 8 4 5 0 0
	gives 0 "good 80000000 30002 8 80000008 5 13d92d40 0"
	run emu sh -c "$CLIENT raw 0 38002 c c 5 12345678 0 0
		$CLIENT raw 0 30002 8 4 5 0 0; $CLIENT raw 0 30007 8 4 4 0 0"
	says 0 "30002 8 80000008 5 12345678 0"
	says 0 "30007 8 80000008 4 ee6b280 0"
}

@test "memory can be mapped where it is, and nothing else" {
	client map 1c000000 1000
	gives 0 "mapped, first word 00000000"
	client map 1fff0000 10000
	gives 0 "mapped, first word 00000000"
	# The first boards do not look at the bits of the alias.
	client map 5c000000 1000
	gives 0 "mapped, first word 00000000"
	client --board=pi3 map 5c000000 1000
	says 1 'it is neither GPU memory nor peripherals$'
	client map 1fff0000 11000
	says 1 '^qpuemu: 69632 bytes of memory at 0x1fff0000'
	client map 1000 1000
	says 1 'it is neither GPU memory nor peripherals$'
	says 1 '^mmap: Operation not permitted'
}

# --- What goes wrong ---------------------------------------------------------------

@test "leaks are reported, ignored or errors" {
	client leak
	gives 0 "qpuemu: GPU memory was not released: 176 bytes in 2 blocks, 1 of them locked
qpuemu: the QPUs were left enabled"
	client --leaks=error leak
	says 1 'was not released'
	client --leaks=ignore leak
	gives 0 ""
	run emu --leaks=error sh -c "$CLIENT leak; exit 3"
	[ "$status" = 3 ]
}

@test "QPUs that are not enabled start nothing" {
	client raw 0 30011 10 10 1 dc000000 0 64 0
	says 0 ' 80000004 80000000 '
	says 0 '^qpuemu: .*the QPUs are not enabled'
}

@test "a program without an interrupt runs into its timeout" {
	assemble mute <<-'END'
	thrend
	nop
	nop
	END
	client --leaks=ignore hello mute.bin
	says 1 '^qpuemu: the programs ended without a host interrupt'
	says 1 '^answer 80000000'
}

@test "a program that does not end is given up, and the QPUs hang" {
	assemble endless <<-'END'
	:0
	brr -, :0
	nop
	nop
	nop
	END
	cat >script <<-END
	$CLIENT raw 0 30012 4 4 1 0
	$CLIENT hello endless.bin
	$CLIENT hello hello.bin
	$CLIENT raw 0 30012 4 4 0 0
	$CLIENT hello hello.bin
	END
	run emu --v3d-clock=1 sh script
	says 0 '^qpuemu: the programs did not end within 500 ms .modelled.'
	[ "$(grep '^answer' <<<"$output")" = "answer 80000000, results are wrong
answer 80000000, results are wrong
$RIGHT" ] || fail "$output"
}

@test "memory that is not locked is out of reach" {
	assemble stray <<-'END'
	ldi vw_setup, 0x80904000
	ldi vw_addr, 0x1d000000
	mov -, vw_wait
	thrend
	nop
	nop
	END
	client --leaks=ignore hello stray.bin
	says 1 '^qpuemu: QPU 0 .*1d000000'
	says 1 '^answer 80000000'
}

@test "a deadlock is told" {
	assemble deadlock <<-'END'
	sacq -, 3
	thrend
	nop
	nop
	END
	client --leaks=ignore hello deadlock.bin
	says 1 '^qpuemu: .*semaphore'
	says 1 '^answer 80000000'
}

# A program that is let through by a semaphore that it expects to be 0.
@test "a killed program has left semaphores, until the QPUs are off" {
	local off="$CLIENT raw 0 30012 4 4 0 0"
	echo 'sacq -, 3' | assemble hasty
	cat hello.bin >>hasty.bin
	client --dirty=none --leaks=ignore hello hasty.bin
	says 1 '^qpuemu: .*semaphore'
	client --dirty=some --leaks=error hello hasty.bin
	gives 0 "$RIGHT"
	run emu --dirty=some --leaks=ignore sh -c "$off >/dev/null
		exec $CLIENT hello hasty.bin"
	says 1 '^qpuemu: .*semaphore'
	client --dirty=little hello hello.bin
	says 125 '--dirty is none, some or all'
}

@test "a killed program has left no QPU to others" {
	client --dirty=all --leaks=error hello hello.bin
	says 1 '^qpuemu: deadlock: .*every QPU is reserved'
	says 1 '^answer 80000000'
	client --dirty=all --board=pi4 raw 0 30011 10 10 1 dc000000 0 64 0
	says 0 '^qpuemu: .*the QPUs are not enabled'
	client --dirty=some --leaks=report leak
	says 0 '^qpuemu: the QPUs were left enabled'
}

@test "faults come on order" {
	client --fault=lane@1 --leaks=error hello hello.bin
	gives 1 "answer 00000000, results are wrong"
	client --fault=lane@2 hello hello.bin
	gives 0 "$RIGHT"
	client --fault=stuck@1 hello hello.bin
	says 1 "^answer 80000000, results are wrong"
	client --fault=refuse@1 --leaks=error hello hello.bin
	gives 1 "answer 80000000, results are wrong"
	client --fault=refuse@1 vcsm hello.bin
	says 1 '^answer 80000000'
	says 1 '^the kernel took it back$'
	client --fault=alloc@1 --leaks=ignore hello hello.bin
	gives 1 "no memory"
	client --fault=alloc@1 --leaks=ignore vcsm hello.bin
	gives 1 "vcsm: Cannot allocate memory"
	client --fault=enable@1 hello hello.bin
	gives 1 "enable: 80000000"
	client --fault=enable@2 hello hello.bin
	gives 0 "$RIGHT"
	client --delay=1 hello hello.bin
	gives 0 "$RIGHT"
}

@test "a launch that is answered too late spoils the next message" {
	run emu --delay=1200 sh -c "$CLIENT hello hello.bin; $CLIENT raw 0 1 4 0 0 0 0
		$CLIENT raw 0 1 4 0 0 0"
	says 0 '^ioctl: Connection timed out'
	[ "$(grep -c 'Invalid argument' <<<"$output")" = 1 ] || fail "$output"
	says 0 '^good 80000000 1 4 80000004 5f3a1c80'
}

@test "some firmwares answer 0 only to the first enable and the last disable" {
	local on="$CLIENT raw 0 30012 4 4 1 0" off="$CLIENT raw 0 30012 4 4 0 0"
	run emu --enable-answers=ends sh -c "$on; $on; $off; $off"
	gives 0 "good 80000000 30012 4 80000004 0 0
good 80000000 30012 4 80000004 80000000 0
good 80000000 30012 4 80000004 80000000 0
good 80000000 30012 4 80000004 0 0"
}

@test "some firmwares do not count: one disable is enough" {
	local on="$CLIENT raw 0 30012 4 4 1 0" off="$CLIENT raw 0 30012 4 4 0 0"
	run emu --enable-answers=single --leaks=error sh -c "$on; $on; $off"
	gives 0 "good 80000000 30012 4 80000004 0 0
good 80000000 30012 4 80000004 0 0
good 80000000 30012 4 80000004 0 0"
	run emu --enable-answers=single sh -c "$on; $on; $off
		exec $CLIENT hello hello.bin"
	says 0 "$RIGHT"
	run emu --enable-answers=some true
	says 125 '--enable-answers is all, ends or single'
}

@test "others may have taken a part of the firmware's memory" {
	run emu --memory=64 --heap-used=60 sh -c "
		$CLIENT raw 0 3000c c c 500000 1000 4 0
		$CLIENT raw 0 3000c c c 300000 1000 4 0"
	says 0 '^good 80000000 3000c c 80000004 0 1000 4 0$'
	says 0 '^good 80000000 3000c c 80000004 1 1000 4 0$'
}

@test "buffers of vcsm-cma take DMA_BUF_IOCTL_SYNC" {
	client vcsm-sync 3
	gives 0 "3: good"
	client vcsm-sync 6
	gives 0 "6: good"
	client vcsm-sync 8
	gives 0 "8: Invalid argument"
	client vcsm-sync 0
	gives 0 "0: Invalid argument"
}

# The kernel's vc-sm-cma has it where it has 32 bits; qmkl needs it.
@test "vcsm-cma cleans caches, on kernels of 32 bits" {
	client vcsm-caches 1 4096
	gives 0 "1 4096: good"
	client vcsm-caches 2 4096
	gives 0 "2 4096: good"
	client vcsm-caches 4 4096
	gives 0 "4 4096: Invalid argument"
	client vcsm-caches 1 0
	gives 0 "1 0: Invalid argument"
	client vcsm-caches 0 0
	gives 0 "0 0: good"
	run emu --board=pi3 --system=bookworm32 "$CLIENT" vcsm-caches 1 4096
	gives 0 "1 4096: good"
	run emu --board=pi3 --system=bookworm64 "$CLIENT" vcsm-caches 1 4096
	gives 0 "1 4096: Invalid argument"
}
