#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu-programs: programs of all kinds run on the virtual board, and see one board.

load qpuemu

@test "programs run on each kind of board, with threads and children, and leave nothing" {
	local options command output
	while IFS='|' read -r options command output; do
		# shellcheck disable=SC2086
		client $options --leaks=error $command </dev/null
		gives 0 "${output/;/$'\n'}"
	done <<-END
	--board=pi1|hello hello.bin|$RIGHT
	--board=pi2|hello hello.bin|$RIGHT
	--board=pi3|hello hello.bin|$RIGHT
	--board=pi1|vcsm hello.bin|$RIGHT;the kernel took it back
	--board=pi3|vcsm hello.bin|$RIGHT;the kernel took it back
	--board=pi1|fork hello.bin|$RIGHT
	--check|threads hello.bin|0 wrong
	END
}

# list OPTION...: the files of a board, with their contents; some of these are this
# machine's
list()
{
	echo "== $*"
	emu "$@" sh -c 'cd "$QPUEMU_DIR/root" 2>/dev/null || exit 0
		find . -empty -type d -printf "%P/\n"
		find . -type l -printf "%P -> %l\n"
		find . -type f -printf "%P\n" | while read -r name; do
			case $name in
			proc/*) echo "$name ..." ;;
			*) echo "$name $(tr "\n" "|" <"$name" | cat -v)" ;;
			esac
		done' | sed 's, $,,' | LC_ALL=C sort
}

@test "each board has its files, and no others" {
	{
		list --board=pi1
		list --board=pi3b+ --system=trixie --memory=17
		list --board=pi4 --system=mainline
		list --board=zero2 --system=dietpi
		list --board=pc --kms
	} >files
	same "$TOP/tests/virtual/board-files.txt" files
	run emu --memory=16 test -e /dev/vcsm-cma
	[ "$status" = 1 ]
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
	printf ':0\nbrr -, :0\nnop\nnop\nnop\n' | assemble endless
	cat >script <<-END
	$CLIENT hello endless.bin & client=\$!
	kill -KILL \$client
	wait \$client
	$CLIENT hello hello.bin
	END
	run emu --leaks=ignore sh script
	says 0 "^$RIGHT\$"
}

@test "programs in a pipeline and in the background see one board" {
	run emu --leaks=error sh -c "$CLIENT hello hello.bin | cat;
		$CLIENT raw 0 30012 4 4 1 0 >enabled &
		wait; $CLIENT raw 0 30012 4 4 0 0; cat enabled
		$CLIENT raw 0 3000c c c 64 10 4 0 >/dev/null
		$CLIENT raw 0 3000d 4 4 2 0; $CLIENT raw 0 3000e 4 4 2 0
		$CLIENT raw 0 3000f 4 4 2 0"
	gives 0 "$RIGHT
good 80000000 30012 4 80000004 0 0
good 80000000 30012 4 80000004 0 0
good 80000000 3000d 4 80000004 dc000000 0
good 80000000 3000e 4 80000004 0 0
good 80000000 3000f 4 80000004 0 0"
}

@test "Python programs run, and find libbcm_host" {
	command -v python3 >/dev/null || skip "python3 is not installed"
	cat >client.py <<-'END'
	import ctypes, fcntl, mmap, os, struct
	host = ctypes.CDLL("libbcm_host.so.0")
	assert host.bcm_host_get_peripheral_address() == 0x20000000
	vcio = os.open("/dev/vcio", os.O_RDWR)
	message = bytearray(struct.pack("<8I", 32, 0, 0x10006, 8, 0, 0, 0, 0))
	fcntl.ioctl(vcio, 3 << 30 | struct.calcsize("P") << 16 | 100 << 8,
	            message, True)
	base, = struct.unpack_from("<I", message, 20)
	mem = os.open("/dev/mem", os.O_RDWR | os.O_SYNC)
	with mmap.mmap(mem, 0x3000, offset=base) as all:
	    with mmap.mmap(mem, 0x1000, offset=base + 0x2000) as part:
	        all[0x2000:0x2004] = b"text"
	        print(hex(base), part[0:4].decode())
	END
	run emu --leaks=error python3 client.py
	gives 0 "0x1c000000 text"
}

# A handler of signals gives back what the program has, even amid malloc().
@test "an answer takes no memory that malloc gives" {
	needs preload
	! grep -q __asan_init "$BUILD/tests/virtual/$CLIENT" ||
		skip "a sanitizer has to be loaded first"
	run emu bash -c '
		export LD_PRELOAD+=:$0 FAULTS=calls:0
		exec "$@"' "$PRELOAD" "$CLIENT" raw 0 30012 4 4 0 0
	gives 0 "good 80000000 30012 4 80000004 0 0"
}

# answer OPTION...: the QPUs' state in --list-devices, in one word; if neither way
# can be used, the last one's, which is the firmware's
answer()
{
	local last
	# shellcheck disable=SC2153 # of common.bash, unlike program
	last=$("$EMU" "$@" "$PROGRAM" --list-devices 2>/dev/null |
		sed -n 's/^qpu  *[^ ]*  *//p' | tail -n 1)
	case $last in
	usable*)			echo works ;;
	*'no permission for /dev/dri/'*) echo render ;;
	*'only root may'*)		echo rule ;;
	*'no permission'*)		echo group ;;
	*modprobe*)			echo module ;;
	*)				echo "?$last" ;;
	esac
}

@test "each user of each system is told the next step, as the manual says" {
	! quick || skip "takes long"
	local system cells user kms some='bookworm64 trixie dietpi mainline'
	sed -n '/^system  *root/,/^\.fi/p' "$TOP/man/qpu-sha256sum-pi.7" |
		sed '1d;$d' | tr -s ' ' >table
	[ "$(wc -l <table)" -ge 8 ]
	while read -r system cells; do
		[[ ${QPU_TESTS-} = all || $some == *$system* ]] || continue
		echo "$system $cells" >>expected
		for kms in no yes; do
			for user in root first video nobody; do
				answer --board=pi3 --system="$system" \
					--user=$user --kms=$kms
			done
		done | paste -sd ' ' | sed "s/^/$system /" >>got
	done <table
	same expected got
}

# --- Calls: the rest is in calls.golden -------------------------------------------

@test "a program that is killed leaves no buffer behind" {
	run emu --kms --leaks=error sh -c '
		printf "%s\n" "file a /dev/dri/renderD128" \
			"ioctl a create 65536" kill | board-client
		printf "%s\n" "file a /dev/dri/renderD128" \
			"ioctl a create 65536" "close a" free | board-client'
	says 0 '^free -> 262144$'
}

@test "a request whose number is that of another size of pointers is answered, with a message, once" {
	printf '%s\n' 'file a /dev/vcio' '2x ioctl a other-mailbox 16 0 0 0' |
		emu board-client >out
	[ "$(sed -n 2p out)" = '2x ioctl a other-mailbox 16 0 0 0 -> good 80000000 0 0' ]
	[ "$(wc -l <out)" = 4 ]
	grep -qxE '  qpuemu: the number of an ioctl is that of a system of (32 bits; a kernel of 64|64 bits; a kernel of 32) bits refuses it' out
}
