#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu: what a user of the virtual board sees.  tests/vcio-client.c is the
# program that runs on it.

load common

EMU=$PWD/qpuemu
CLIENT=$PWD/tests/vcio-client
QPUASM=$PWD/qpuasm
examples=$BATS_TEST_DIRNAME/../qpu/examples

setup()
{
	enter_scratch
	export TMPDIR=$PWD/private
	mkdir private
	m4 -s -I "$examples" "$examples/hello.m4" | "$QPUASM" -o hello.bin -
}

# The private directory goes, whatever happens.
teardown()
{
	[ -z "$(ls -A "$TMPDIR")" ]
}

emu()
{
	timeout --foreground "$LIMIT" "$EMU" "$@"
}

# client OPTION... COMMAND...: both streams in $output
client()
{
	local options=()
	while [[ $1 == --* ]]; do
		options+=("$1")
		shift
	done
	run emu "${options[@]}" "$CLIENT" "$@"
}

right="answer 00000000, results are right"

gives()		# gives STATUS OUTPUT
{
	[ "$status" = "$1" ] || fail "status $status: $output"
	[ "$output" = "$2" ] || fail "output: $output"
}

says()		# says STATUS PATTERN
{
	[ "$status" = "$1" ] || fail "status $status: $output"
	grep -qE -- "$2" <<<"$output" || fail "output: $output"
}

# --- Programs ----------------------------------------------------------------

@test "a classic program runs, and leaves nothing" {
	client --leaks=error hello hello.bin
	gives 0 "$right"
}

@test "memory of the kernel is used, and goes by itself" {
	client --leaks=error vcsm hello.bin
	gives 0 "$right
the kernel took it back"
}

@test "a node of the program's own works, here and in /dev" {
	client --leaks=error mknod char_dev hello.bin
	gives 0 "$right"
	client --leaks=error mknod /dev/char_dev hello.bin
	gives 0 "$right"
	[ ! -e char_dev ]
}

@test "a node that the program leaves is taken away" {
	run emu sh -c "mknod left c 100 0 && test -c left && ls -l left"
	says 0 '^c.* 100, 0 '
	[ ! -e left ] && [ ! -L left ]
}

@test "registers start programs, too" {
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "registers are not trapped here" ;;
	esac
	client --leaks=error direct hello.bin
	gives 0 "$right"
	client --leaks=error --timed direct hello.bin
	gives 0 "$right"
	client map 20000000 1000000
	gives 0 "mapped, first word 00000000"
	# Without power there is nothing to be read.
	client map 20c00000 1000
	gives 0 "mapped, first word deadbeef"
	client map 20c00000 f24
	gives 0 "mapped, first word deadbeef"
	client map 20000000 2000000
	gives 0 "mapped, first word 00000000"
}

@test "a child has what its parent has" {
	client --leaks=error fork hello.bin
	gives 0 "$right"
}

@test "threads take turns" {
	client --leaks=error threads hello.bin
	gives 0 "0 wrong"
	client --leaks=error --check threads hello.bin
	gives 0 "0 wrong"
}

@test "programs at once take turns" {
	run emu --leaks=error sh -c "
		for i in 1 2 3 4; do
			$CLIENT threads hello.bin &
		done
		wait"
	gives 0 "0 wrong
0 wrong
0 wrong
0 wrong"
}

@test "a process that is killed in a call leaves the board to others" {
	cat >script <<-END
	$CLIENT hello hello.bin & hello=\$!
	kill -KILL \$hello
	wait \$hello
	$CLIENT hello hello.bin
	END
	run emu --leaks=ignore --delay=100 sh script
	says 0 "^$right\$"
}

@test "a lock on the node is one between processes" {
	command -v flock >/dev/null || skip "flock is not installed"
	run emu sh -c 'exec 3</dev/vcio; flock 3; exec 4</dev/vcio
		flock -n 4 || echo taken; flock -u 3; flock -n 4 && echo free'
	gives 0 "taken
free"
}

@test "libbcm_host is there, and tells addresses" {
	command -v python3 >/dev/null || skip "python3 is not installed"
	cat >host.py <<-'END'
	import ctypes
	host = ctypes.CDLL("libbcm_host.so")
	host.bcm_host_init()
	for name in ("peripheral_address", "peripheral_size", "sdram_address"):
	    call = getattr(host, "bcm_host_get_" + name)
	    call.restype = ctypes.c_uint
	    print(hex(call()))
	host.bcm_host_deinit()
	END
	run emu python3 host.py
	gives 0 "0x20000000
0x1000000
0x40000000"
	run emu --board=pi3 python3 host.py
	gives 0 "0x3f000000
0x1000000
0xc0000000"
}

@test "programs in a pipeline and in the background see one board" {
	run emu --leaks=error sh -c "$CLIENT hello hello.bin | cat;
		$CLIENT raw 0 30012 4 4 1 0 >enabled &
		wait; $CLIENT raw 0 30012 4 4 0 0; cat enabled"
	gives 0 "$right
good 80000000 30012 4 80000004 0 0
good 80000000 30012 4 80000004 0 0"
}

@test "memory outlives the process that took it" {
	run emu sh -c "$CLIENT raw 0 3000c c c 64 10 4 0
		$CLIENT raw 0 3000d 4 4 1 0"
	says 0 'good 80000000 3000d 4 80000004 dc000000 0'
}

@test "Python programs run" {
	command -v python3 >/dev/null || skip "python3 is not installed"
	cat >client.py <<-'END'
	import fcntl, mmap, os, struct
	def tag(fd, number, *values):
	    values = list(values) + [0] * (8 - len(values))
	    message = bytearray(struct.pack("<14I", 56, 0, number, 32, 0,
	                                    *values, 0))
	    request = 3 << 30 | struct.calcsize("P") << 16 | 100 << 8
	    fcntl.ioctl(fd, request, message, True)
	    return struct.unpack("<14I", message)[5]
	vcio = os.open("/dev/vcio", os.O_RDWR)
	assert tag(vcio, 0x30012, 1) == 0
	handle = tag(vcio, 0x3000c, 0x3000, 4096, 0xc)
	bus = tag(vcio, 0x3000d, handle)
	mem = os.open("/dev/mem", os.O_RDWR | os.O_SYNC)
	with mmap.mmap(mem, 0x3000, offset=bus & 0x3fffffff) as m:
	    code = open("hello.bin", "rb").read()
	    m[0:len(code)] = code
	    m[0x1000:0x1010] = struct.pack("<4I", 0, 1, 100, bus + 0x2000)
	    m[0x1800:0x1808] = struct.pack("<2I", bus + 0x1000, bus)
	    assert tag(vcio, 0x30011, 1, bus + 0x1800, 0, 500) == 0
	    print(hex(struct.unpack("<I", m[0x2000:0x2004])[0]))
	tag(vcio, 0x3000e, handle)
	tag(vcio, 0x3000f, handle)
	tag(vcio, 0x30012, 0)
	END
	run emu --leaks=error python3 client.py
	gives 0 0x1298
}

@test "scripts run, and C++ streams read the device tree" {
	printf '#!/bin/sh\nexec "%s" hello hello.bin\n' "$CLIENT" >script
	chmod +x script
	run emu ./script
	gives 0 "$right"
	command -v g++ >/dev/null || skip "g++ is not installed"
	cat >model.cc <<-'END'
	#include <fstream>
	#include <iostream>
	#include <string>
	int main()
	{
		std::ifstream file("/proc/device-tree/model");
		std::string model;
		std::getline(file, model, '\0');
		std::cout << model << '\n';
	}
	END
	g++ -o model model.cc
	run emu --board=zero ./model
	gives 0 "Raspberry Pi Zero Rev 1.3"
}

# --- What the program shows to the shell --------------------------------------

@test "status and streams are the program's" {
	run emu sh -c 'cat; exit 9' <<<hello
	gives 9 hello
	run emu sh -c 'kill -SEGV $$'
	[ "$status" = 139 ]
	run emu sh -c 'kill -TERM $$'
	[ "$status" = 143 ]
}

@test "qpuemu waits even where ends of children are ignored" {
	run sh -c "trap '' CHLD; exec '$EMU' sh -c 'exit 6'"
	[ "$status" = 6 ]
}

@test "a signal that is sent to qpuemu reaches the program" {
	mkfifo ready
	"$EMU" sh -c 'trap "echo got; exit 5" TERM; echo >ready
		while :; do read -r line <ready; done' >out &
	read -r _ <ready
	kill -TERM $!
	wait $! || status=$?
	[ "$status" = 5 ]
	[ "$(cat out)" = got ]
}

@test "programs that cannot be run are refused by name" {
	output=$(emu ./nothing 2>&1) || status=$?
	says 127 '^qpuemu: ./nothing: No such file'
	output=$(emu nothing-of-this-name 2>&1) || status=$?
	says 127 '^qpuemu: nothing-of-this-name: .*PATH'
	echo text >text
	run emu ./text
	says 126 '^qpuemu: ./text: it cannot be executed'
	chmod +x text
	run emu ./text
	says 126 '^qpuemu: ./text: it is neither a program nor a script'
	run emu /
	says 126 '^qpuemu: /: it cannot be executed'
	printf '#!./loop\n' >loop
	chmod +x loop
	run emu ./loop
	says 126 '^qpuemu: ./loop: too many scripts'
}

# elf FILE CLASS MACHINE SEGMENTS: a header, one PT_LOAD, no interpreter
elf()
{
	{
		printf '\177ELF%b\1\1' "$2"
		head -c 9 /dev/zero
		printf '\2\0%b\1\0\0\0' "$3"
		head -c 8 /dev/zero
		printf '\100\0\0\0\0\0\0\0'
		head -c 8 /dev/zero
		printf '\0\0\0\0\100\0\070\0\1\0\0\0\0\0\0\0'
		printf '%b' "$4"
		head -c 256 /dev/zero
	} >"$1"
	chmod +x "$1"
}

@test "programs that would go past us are refused" {
	case $(uname -m) in
	x86_64) machine='\076\0' ;;
	aarch64) machine='\267\0' ;;
	*) skip "this test knows 64-bit machines only" ;;
	esac
	elf static '\2' "$machine" '\1\0\0\0'
	run emu ./static
	says 126 '^qpuemu: ./static: it is statically linked'
	elf other '\2' '\363\0' '\1\0\0\0'
	run emu ./other
	says 126 '^qpuemu: ./other: it is for another kind of machine'
	elf small '\1' "$machine" '\1\0\0\0'
	run emu ./small
	says 126 '^qpuemu: ./small: it is for another kind of machine'
	# A note, 16 bytes at offset 120: name of 4 bytes, type 4, "Go".
	elf go '\2' "$machine" \
		'\4\0\0\0\4\0\0\0\170\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\020\0\0\0\0\0\0\0\020\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\4\0\0\0Go\0\0'
	run emu ./go
	says 126 '^qpuemu: ./go: it is written in Go'
	elf head '\2' "$machine" ''
	truncate -s 66 head
	run emu ./head
	says 126 '^qpuemu: ./head: it is damaged'
	# Left to the kernel, which does not like it better.
	QPUEMU_ANY_PROGRAM=1 run emu ./head
	says 125 '^qpuemu: ./head: Exec format error'
}

@test "a program with rights of its own is refused" {
	[ "$(id -u)" = 0 ] || skip "only root can make one"
	cp "$CLIENT" own
	chown 65534 own
	chmod 4755 own
	run emu ./own
	says 126 '^qpuemu: ./own: it is set-user-ID'
}

@test "the object is found beside qpuemu, or where it is installed" {
	mkdir -p here there/bin there/lib/qpu-sha256sum
	cp "$EMU" "${EMU%/*}/qpuemu.so" here
	cp "$EMU" there/bin
	cp "${EMU%/*}/qpuemu.so" there/lib/qpu-sha256sum
	for place in here there/bin; do
		run "./$place/qpuemu" test -c /dev/vcio
		[ "$status" = 0 ] || fail "$place: $output"
	done
	cp "$EMU" .
	run env QPUEMU_LIBRARY=here/qpuemu.so ./qpuemu test -c /dev/vcio
	[ "$status" = 0 ]
}

@test "wrong options are refused" {
	for option in --board=pi7 --qpus=13 --memory=0 --memory=1008 \
		--seed=x --fault=lane --fault=enable@x --leaks=all \
		--v3d-clock=9999 --delay=-1 --trace= --nothing; do
		run emu "$option" true
		[ "$status" = 125 ] || fail "$option: $status: $output"
	done
	run emu
	says 125 'a program is needed'
	run env QPUEMU_LIBRARY=./nothing "$EMU" true
	says 125 '^qpuemu: ./nothing: No such file'
}

# --- Boards ---------------------------------------------------------------------

@test "each board has its model, its revision, its clock and its window" {
	while IFS='|' read -r board revision clock window model; do
		run emu --board="$board" sh -c "tr -d '\\0' \
			</proc/device-tree/model; echo
			od -An -tx1 -j4 -N4 /proc/device-tree/soc/ranges
			$CLIENT raw 0 10002 4 0 0 0
			$CLIENT raw 0 30002 8 4 5 0 0"
		gives 0 "$model
 $window
good 80000000 10002 4 80000004 $revision 0
good 80000000 30002 8 80000008 5 $clock 0"
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

@test "the QPUs of each board run the same program" {
	for board in pi1 pi1b+ zero zerow pi2 pi2v1.2 pi3 pi3b+ pi3a+ zero2; do
		client --board="$board" --leaks=error hello hello.bin
		gives 0 "$right"
		client --board="$board" --leaks=error vcsm hello.bin
		says 0 "$right"
	done
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

@test "/proc/cpuinfo tells of the board" {
	run emu --board=zero grep -E '^(Hardware|Revision|Model)' /proc/cpuinfo
	gives 0 "Hardware	: BCM2835
Revision	: 900093
Model		: Raspberry Pi Zero Rev 1.3"
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

@test "nodes can be missing" {
	client --no-vcio hello hello.bin
	gives 1 "/dev/vcio: No such file or directory"
	client --no-vcsm vcsm hello.bin
	says 1 "^/dev/vcsm-cma: No such file or directory"
	client --no-mem hello hello.bin
	says 1 "^/dev/mem: No such file or directory"
}

@test "the tree can be walked and asked like any other" {
	run emu sh -c 'cd /proc/device-tree && cat model | tr -d "\0"; echo
		ls -l /dev/vcio | cut -c1-10
		ls /sys/firmware/devicetree/base/system
		realpath /dev/vcio; readlink /proc/device-tree
		: >>/dev/vcio && rm -f /dev/vcio; test -c /dev/vcio && echo yes'
	gives 0 "Raspberry Pi Model B Rev 2
crw-rw----
linux,revision
/dev/vcio
../sys/firmware/devicetree/base
yes"
}

@test "nodes can be for others" {
	client --deny hello hello.bin
	gives 1 "/dev/vcio: Permission denied"
	client --deny mknod char_dev hello.bin
	gives 1 "mknod: Operation not permitted"
	run emu --deny sh -c 'test -e /dev/vcio && ! test -r /dev/vcio &&
		! test -w /dev/mem && stat -c "%A %G %t" /dev/vcio'
	gives 0 "crw-rw---- video 64"
	run emu sh -c 'test -r /dev/vcio && test -w /dev/vcio'
	[ "$status" = 0 ]
}

# --- The firmware -----------------------------------------------------------------

@test "several tags are answered in one message, unknown ones are not" {
	client raw 0 10006 8 0 0 0 12345 4 0 0 10005 8 0 0 0 0
	gives 0 "good 80000000 10006 8 80000008 1c000000 4000000 12345 4 0 0 10005 8 80000008 0 1c000000 0"
	client --memory=128 --board=pi3 raw 0 10006 8 0 0 0 0
	gives 0 "good 80000000 10006 8 80000008 37000000 8000000 0"
}

# Handlers of signals give back what the program has, even amid malloc().
@test "an answer takes no memory that malloc gives" {
	[ -e "$PRELOAD" ] || skip "tests/preload.so is not built"
	run emu bash -c '
		export LD_PRELOAD+=:$0 FAULTS=calls:0 FAULTS_LOG=$PWD/faults
		exec "$@"' "$PRELOAD" "$CLIENT" raw 0 30012 4 0 0 0
	gives 0 "good 80000000 30012 4 80000004 0 0"
}

@test "an answer that does not fit is cut off, its length is told" {
	client raw 0 10006 4 0 0 0
	gives 0 "good 80000000 10006 4 80000008 1c000000 0"
}

@test "a message that is no message is refused" {
	client raw 0 3000c 8 4 5 0 0
	gives 1 "Invalid argument 80000001 3000c 8 4 5 0 0"
	client raw 0 10006 400 0 0 0 0
	gives 1 "Invalid argument 80000001 10006 400 0 0 0 0"
	client raw 0 10006 fffffffd 0 0 0 0
	gives 1 "Invalid argument 80000001 10006 fffffffd 0 0 0 0"
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
		$CLIENT raw 0 30047 8 4 5 0 0; $CLIENT raw 0 30007 8 4 4 0 0"
	says 0 "30047 8 80000008 5 12345678 0"
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

assemble()	# assemble NAME <SOURCE
{
	"$QPUASM" --no-check -o "$1.bin" -
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
$right" ] || fail "$output"
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

@test "faults come on order" {
	client --fault=lane@1 --leaks=error hello hello.bin
	gives 1 "answer 00000000, results are wrong"
	client --fault=lane@2 hello hello.bin
	gives 0 "$right"
	client --fault=stuck@1 hello hello.bin
	says 1 "^answer 80000000, results are wrong"
	client --fault=refuse@1 --leaks=error hello hello.bin
	gives 1 "answer 80000000, results are wrong"
	client --fault=alloc@1 --leaks=ignore hello hello.bin
	gives 1 "no memory"
	client --fault=alloc@1 --leaks=ignore vcsm hello.bin
	gives 1 "vcsm: Cannot allocate memory"
	client --fault=enable@1 hello hello.bin
	gives 1 "enable: 80000000"
	client --fault=enable@2 hello hello.bin
	gives 0 "$right"
	client --delay=1 hello hello.bin
	gives 0 "$right"
}

# --- What is told of the QPUs --------------------------------------------------------

@test "--counters adds up the launches of all processes" {
	run emu --counters sh -c "$CLIENT hello hello.bin
		$CLIENT hello hello.bin"
	says 0 '^qpuemu: 2 launches, [1-9][0-9]* instructions$'
	says 0 '^16 +[1-9][0-9]*  QPU clocks executing'
	client --timed --counters hello hello.bin
	says 0 '1 launches, .* clocks = .* us at 250 MHz \(modelled\)$'
	says 0 'instruction cache misses'
}

@test "--trace has what qpurun's has" {
	mkdir elsewhere
	run emu --trace=trace sh -c "cd elsewhere; $CLIENT hello ../hello.bin"
	gives 0 "$right"
	grep -qE '^ *[0-9]+ qpu1 +5c0000[0-9a-f]+  add r0, r0, unif ' trace
}

@test "--check finds hazards, and they are an error" {
	assemble hazard <<-'END'
	mov ra0, unif
	mov r0, ra0
	mov irq, 1
	thrend
	nop
	nop
	END
	client --leaks=ignore --check hello hazard.bin
	says 1 '^qpuemu: hazard R[0-9]+: .*QPU [0-9]+ at 0x5c000008'
	client --check --seed=5 hello hello.bin
	gives 0 "$right"
}

@test "fewer QPUs run more programs than they are" {
	client --qpus=1 --leaks=ignore hello hello.bin
	says 1 '^qpuemu: '
	client --qpus=2 hello hello.bin
	gives 0 "$right"
}

@test "programs that have no use for the board are not disturbed" {
	run emu sh -c 'echo text >file && cat file && ls -l file | cut -c1 &&
		cat </dev/null && rm file'
	gives 0 "text
-"
}

# --- The page ---------------------------------------------------------------------------

@test "the page and --help tell of the same options" {
	awk '/^\.TP/ { getline; print }' \
		"$BATS_TEST_DIRNAME/../man/qpuemu.1" |
		sed 's/\\-/-/g; s/\\f.//g; s/^\.[A-Z]* *//' |
		grep -oE -- '^--[a-z0-9-]+' | sort -u >page
	"$EMU" --help | grep -oE -- '--[a-z0-9-]+' | sort -u >help
	same help page
}
