#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu-firmware: how a program meets the virtual firmware and kernel, by ioctl
# and with what is wrong.  What they answer in detail is in board.golden.

load qpuemu

# --- Messages -----------------------------------------------------------------

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
@test "a message with a tag that the firmware does not know comes back as it was sent" {
	local tag
	for tag in 9 12345; do
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
	client raw 0 10006 400 0 0 0 0
	gives 1 "Invalid argument 0 10006 400 0 0 0 0"
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

@test "wrong addresses and sizes of messages are errors, not crashes" {
	emu --leaks=error "$CLIENT" wrong >out
	diff - out <<-'END'
	0 bytes: Invalid argument
	4 bytes: Invalid argument
	8 bytes: Invalid argument
	12 bytes: good
	13 bytes: Invalid argument
	14 bytes: Invalid argument
	16 bytes: good
	5000 bytes: Bad address
	1048572 bytes: Bad address
	2147483648 bytes: Invalid argument
	4294967295 bytes: Invalid argument
	no address: Bad address
	a wrong address: Bad address
	not aligned: good
	at the end of memory: good
	beyond the end of memory: Bad address
	read-only: Bad address
	no address for a buffer: Bad address
	END
}

@test "a message without an end loses its last value, as in the kernel" {
	client raw 0 30002 8 4 5 0 0
	gives 0 'good 80000000 30002 8 80000008 5 ee6b280 0'
	# The handle comes out as 0.
	client raw 0 3000d 4 4 1
	gives 0 'good 80000000 3000d 4 80000004 1'
}

# --- Launches and memory --------------------------------------------------------

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

@test "a fault comes on order" {
	client --fault=lane@1 --leaks=error hello hello.bin
	gives 1 "answer 00000000, results are wrong"
	client --fault=stuck@1 hello hello.bin
	says 1 "^answer 80000000, results are wrong"
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
}

@test "a launch that is answered too late fails, and spoils the next message" {
	run emu --kernel-timeout=100 --delay=101 sh -c "
		$CLIENT hello hello.bin; $CLIENT raw 0 1 4 0 0 0 0
		$CLIENT raw 0 1 4 0 0 0"
	says 0 '^ioctl: Connection timed out'
	[ "$(grep -c 'Invalid argument' <<<"$output")" = 1 ] || fail "$output"
	says 0 '^good 80000000 1 4 80000004 5f3a1c80'
	client --kernel-timeout=100 --delay=1 hello hello.bin
	gives 0 "$RIGHT"
}

@test "a program that does not end is given up, and the QPUs hang until they are off" {
	printf ':0\nbrr -, :0\nnop\nnop\nnop\n' | assemble endless
	run emu --v3d-clock=1 sh -c "$CLIENT raw 0 30012 4 4 1 0 >/dev/null
		$CLIENT hello endless.bin
		$CLIENT hello hello.bin; $CLIENT raw 0 30012 4 4 0 0 >/dev/null
		$CLIENT hello hello.bin"
	gives 0 "qpuemu: the programs did not end within 500 ms (modelled)
answer 80000000, results are wrong
answer 80000000, results are wrong
$RIGHT"
}

@test "a killed program has left no QPU to others" {
	client --dirty=all --leaks=error hello hello.bin
	says 1 '^qpuemu: deadlock: .*every QPU is reserved'
	says 1 '^answer 80000000'
	client --dirty=some --leaks=report leak
	says 0 '^qpuemu: the QPUs were left enabled'
}

@test "a signal while the kernel allocates loses its device" {
	local when
	# The call takes a minute; how long it takes to get there is unknown.
	for when in 0.{1,2,4,8} 2 4 8 16; do
		emu --leaks=error --vcsm-delay=60000 \
			sh -c 'timeout -s TERM "$1" "$0" vcsm-alloc 1' \
			"$CLIENT" "$when" >out 2>&1 || true
		! grep -q . out || break
	done
	grep -qx 'qpuemu: a process ended during VCSM_ALLOCATE: .* boot' out
}

@test "a kernel without a descriptor for a buffer loses its device" {
	run emu --leaks=error sh -c 'exec 3>&- 4>&- 5>&- 6>&-; ulimit -n 4
		"$0" vcsm-alloc 1 1' "$CLIENT"
	gives 1 "qpuemu: no descriptor for a buffer: a kernel would lose \
/dev/vcsm-cma until the next boot
1 MiB: Cannot allocate memory
1 MiB: Cannot allocate memory"
}

@test "a process with no descriptor left asks the kernel for no buffer" {
	head -c 100000 /dev/zero >file
	run emu --leaks=error bash -c '
		ulimit -n 8
		exec "$0" --device=qpu file' "$PROGRAM"
	says 1 'device=qpu: no file descriptors are left for memory'
	[ "${#lines[@]}" = 1 ]
}
