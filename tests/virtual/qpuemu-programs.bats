#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu-programs: programs of all kinds run on the virtual board, and see one
# board.

load qpuemu

registers_are_trapped()
{
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "registers are not trapped here" ;;
	esac
}

@test "a classic program runs, and leaves nothing" {
	client --leaks=error hello hello.bin
	gives 0 "$RIGHT"
}

@test "memory of the kernel is used, and goes by itself" {
	client --leaks=error vcsm hello.bin
	gives 0 "$RIGHT
the kernel took it back"
}

@test "a node of the program's own works, here and in /dev" {
	client --leaks=error mknod char_dev hello.bin
	gives 0 "$RIGHT"
	client --leaks=error mknod /dev/char_dev hello.bin
	gives 0 "$RIGHT"
	[ ! -e char_dev ]
}

@test "a node that the program leaves is taken away" {
	run emu sh -c "mknod left c 100 0 && test -c left && ls -l left"
	says 0 '^c.* 100, 0 '
	[ ! -e left ] && [ ! -L left ]
}

@test "the older /dev/vcsm shares the firmware's memory" {
	client --classic-vcsm --leaks=error classic hello.bin
	gives 0 "$RIGHT
request 64: Invalid argument"
	client --classic-vcsm --board=pi3 --leaks=error classic hello.bin
	says 0 "^$RIGHT"
	client --leaks=ignore classic hello.bin
	gives 1 "/dev/vcsm: No such file or directory"
	run emu --classic-vcsm --board=pi3 --system=buster --user=video \
		stat -c '%a %u %g %F' /dev/vcsm
	gives 0 "660 0 44 character special file"
	# It goes with its process: two of 40 MiB do not fit together.
	run emu --classic-vcsm --leaks=error sh -c "$CLIENT classic-leave &&
		$CLIENT classic-leave"
	gives 0 ""
	run emu --classic-vcsm sh -c "$CLIENT raw 0 3000c c c 2000000 1000 4 0
		$CLIENT classic-leave"
	says 1 "^request 5a: Cannot allocate memory"
}

@test "a node is found behind links, relative paths and dots" {
	local name
	mkdir -p sub/deeper
	ln -s /dev/vcio linked
	ln -s linked again
	ln -s ../../again sub/deeper/third
	ln -s /dev sub/devices
	for name in linked ./again sub/deeper/third sub/devices/vcio \
		/dev/../dev/vcio "//dev/./vcio"; do
		client hello hello.bin "$name"
		gives 0 "$RIGHT"
	done
	run emu sh -c "cd /dev && $CLIENT hello $PWD/hello.bin vcio"
	gives 0 "$RIGHT"
	run emu sh -c 'test -c linked && test -r sub/deeper/third &&
		test -L again && stat -Lc "%t %F" sub/devices/vcio'
	gives 0 "64 character special file"
	# What the board has not, and what is none of its business.
	client --no-vcio hello hello.bin linked
	gives 1 "linked: No such file or directory"
	run emu --board=pi3 --system=trixie --no-kms --user=video "$CLIENT" hello hello.bin linked
	gives 1 "linked: Permission denied"
	ln -s loop loop
	client hello hello.bin loop
	gives 1 "loop: Too many levels of symbolic links"
	echo text >vcio
	run emu sh -c 'cat vcio; cat <linked/x'
	says 2 '^text$'
	# Other boards that run now may keep their nodes in /dev/shm.
	[ -z "$(find /dev -path /dev/shm -prune -o \
		-name vcio -newer sub -print)" ]
}

@test "a node that was made outside is known by its number" {
	mknod outside c 100 0 2>/dev/null || skip "only root makes nodes"
	client hello hello.bin outside
	gives 0 "$RIGHT"
	ln -s outside linked
	client hello hello.bin linked
	gives 0 "$RIGHT"
	# On systems with a misc device it is another number.
	run emu --board=pi3 --system=bookworm64 --no-kms "$CLIENT" hello hello.bin outside
	[ "$status" = 1 ]
	[[ "$output" != *answer* ]] || fail "$output"
	rm outside
	mknod outside c 10 123
	run emu --board=pi3 --system=bookworm64 --no-kms "$CLIENT" raw 0 1 4 0 0 0
	[ "$status" = 0 ]
	run emu --board=pi3 --system=bookworm64 --no-kms "$CLIENT" hello hello.bin outside
	gives 0 "$RIGHT"
}

@test "registers start programs" {
	registers_are_trapped
	client --leaks=error direct hello.bin
	gives 0 "$RIGHT"
	client --leaks=error --timed direct hello.bin
	gives 0 "$RIGHT"
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

@test "a program is queued while another runs, in memory that is newer" {
	registers_are_trapped
	local memory options
	# shellcheck disable=SC2154
	sed '/mov r0, 0x1234/i \
	ldi r3, 200000\
:busy\
	sub.setf r3, r3, 1\
	brr.anynz -, r:busy\
	nop\
	nop\
	nop' "$examples/hello.m4" >slow.m4
	m4 -s -I "$examples" slow.m4 | assemble slow
	for options in '' --timed --fault=lane@9; do
		for memory in firmware vcsm; do
			client --leaks=error $options queued slow.bin $memory
			gives 0 "$RIGHT"
		done
	done
	# A wrong bit is one of a result, whatever memory has come meanwhile.
	for memory in firmware vcsm; do
		client --leaks=error --fault=lane@1 queued slow.bin $memory
		gives 1 "${RIGHT/right/wrong}"
	done
}

@test "a child has what its parent has" {
	client --leaks=error fork hello.bin
	gives 0 "$RIGHT"
}

@test "launches of threads take turns" {
	client --leaks=error --check threads hello.bin
	gives 0 "0 wrong"
}

@test "launches of programs at once take turns" {
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
	make_hello
	cat >script <<-END
	$CLIENT hello hello.bin & hello=\$!
	kill -KILL \$hello
	wait \$hello
	$CLIENT hello hello.bin
	END
	run emu --leaks=ignore --delay=100 sh script
	says 0 "^$RIGHT\$"
}

@test "a lock on the node is one between processes" {
	command -v flock >/dev/null || skip "flock is not installed"
	run emu sh -c 'exec 3</dev/vcio; flock 3; exec 4</dev/vcio
		flock -n 4 || echo taken; flock -u 3; flock -n 4 && echo free'
	gives 0 "taken
free"
}

@test "programs in a pipeline and in the background see one board" {
	run emu --leaks=error sh -c "$CLIENT hello hello.bin | cat;
		$CLIENT raw 0 30012 4 4 1 0 >enabled &
		wait; $CLIENT raw 0 30012 4 4 0 0; cat enabled"
	gives 0 "$RIGHT
good 80000000 30012 4 80000004 0 0
good 80000000 30012 4 80000004 0 0"
}

@test "memory outlives the process that took it" {
	run emu sh -c "$CLIENT raw 0 3000c c c 64 10 4 0
		$CLIENT raw 0 3000d 4 4 1 0"
	says 0 'good 80000000 3000d 4 80000004 dc000000 0'
}

@test "Python programs run" {
	make_hello
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
	make_hello
	printf '#!/bin/sh\nexec "%s" hello hello.bin\n' "$CLIENT" >script
	chmod +x script
	run emu ./script
	gives 0 "$RIGHT"
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
