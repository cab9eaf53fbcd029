#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu: what it shows to the shell that starts it.

load qpuemu

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

@test "signals of the kernel are passed on, but a terminal's, which the program has, are not" {
	command -v python3 >/dev/null || skip "python3 is not installed"
	cat >client.py <<-'END'
	import fcntl, os, signal
	signals = {signal.SIGINT, signal.SIGIO}
	signal.pthread_sigmask(signal.SIG_BLOCK, signals)
	pipe, end = os.pipe()
	fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getppid())
	fcntl.fcntl(pipe, fcntl.F_SETFL, os.O_ASYNC)
	for number in sorted(signals):
	    fcntl.fcntl(pipe, fcntl.F_SETSIG, number)
	    os.write(end, b"x")
	print(signal.sigwait(signals).name)
	END
	run emu python3 client.py
	gives 0 SIGIO
}

@test "a signal that ends programs does not leave the directory behind" {
	local name status
	mkfifo ready
	for name in HUP INT QUIT TERM PIPE USR1 USR2 ALRM XCPU XFSZ VTALRM \
		PROF IO PWR; do
		# Bash lets background processes ignore INT and QUIT, and nohup
		# lets all of them ignore HUP.
		env --default-signal "$EMU" \
			sh -c 'echo >ready; exec sleep 60' 2>err &
		read -r _ <ready
		kill -"$name" $!
		status=0
		wait $! || status=$?
		[ $status = $((128 + $(kill -l "$name"))) ] ||
			fail "$name: $status"
		[ -z "$(ls -A "$TMPDIR")" ] || fail "$name: left behind"
	done
}

@test "SIGKILL: the program ends, and the next start removes the directory" {
	mkfifo ready
	"$EMU" sh -c 'exec >ready; echo; exec sleep 60' &
	exec 7<ready
	read -r _ <&7
	kill -KILL $!
	wait $! || :
	# The end of the FIFO: the program is gone.
	status=0
	read -t "$LIMIT" -r _ <&7 || status=$?
	exec 7<&-
	[ "$status" = 1 ]
	[ -n "$(ls -A "$TMPDIR")" ]
	emu true
	[ -z "$(ls -A "$TMPDIR")" ]
}

@test "only boards that no process uses are removed" {
	mkfifo ready
	"$EMU" sh -c 'cp -r "$QPUEMU_DIR" "$TMPDIR/qpuemu.copied"
		echo >ready; read -r line <ready; echo "$line"' >out &
	read -r _ <ready
	[ -e "$TMPDIR/qpuemu.copied/shared" ]
	ln -s qpuemu.copied "$TMPDIR/qpuemu.linked"
	mkdir "$TMPDIR"/qpuemu.{begun0,other0}
	echo file >"$TMPDIR/qpuemu.other0/file"
	# The file of a board of any version knows its length.
	local name
	for name in qpuemu.older0 qpuemX.older0 qpuemu.longer1 qpuemu.wrong0; do
		mkdir "$TMPDIR/$name"
		printf '\210\023\0\0' >"$TMPDIR/$name/shared"
		truncate -s 5000 "$TMPDIR/$name/shared"
	done
	truncate -s 5001 "$TMPDIR/qpuemu.wrong0/shared"
	emu true
	for name in qpuemX.older0 qpuemu.{linked,longer1,other0,wrong0}; do
		[ -L "$TMPDIR/$name" ] || [ -d "$TMPDIR/$name" ] || fail "no $name"
		rm -r "${TMPDIR:?}/$name"
	done
	[ "$(find "$TMPDIR" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ]
	[ ! -e "$TMPDIR/qpuemu.copied" ]
	echo still >ready
	wait $!
	[ "$(cat out)" = still ]
}

@test "the board is in TMPDIR, by a path that loaders can have, and for its user alone" {
	local place
	mkdir -p good 'a b' a:b 'a;b'
	ln -s good link
	touch file
	for place in good link 'a b' a:b 'a;b' file none; do
		TMPDIR=$PWD/$place emu sh -c \
			'echo "$(stat -c %a "$QPUEMU_DIR") ${QPUEMU_DIR%/*}"'
	done >got
	# The others are in /dev/shm or /tmp; all are, if the test runs in 'a b'.
	local own=2
	[[ $(pwd -P) != *[[:blank:]:\;]* ]] || own=0
	sed "s,$(pwd -P)/,," got | grep -v '700 /' >found || :
	yes '700 good' | head -n $own | diff - found
	[ "$(grep -cE '^700 (/dev/shm|/tmp)$' got)" = $((7 - own)) ]
}

@test "what cannot be removed is removed by the next start" {
	needs preload
	local i left=0
	for i in {1..40..3}; do
		FAULTS=calls:$i LD_PRELOAD=$PRELOAD "$EMU" true >out 2>&1 || :
		left=$((left + $(find "$TMPDIR" -name shared | wc -l)))
	done
	emu true
	[ -z "$(ls -A "$TMPDIR")" ] || fail "left behind"
	# Otherwise nothing was tested.
	[ $left -gt 0 ]
}

@test "a limit of file sizes is told, and holds for the program" {
	run bash -c "ulimit -f 10; exec '$EMU' true"
	[ "$status" = 125 ]
	[[ "$output" == "qpuemu: $TMPDIR/"*": File too large" ]]
	[ -z "$(ls -A "$TMPDIR")" ]
	run bash -c "ulimit -f 200000; exec '$EMU' \\
		sh -c 'ulimit -f 0; echo >file; echo not reached'"
	[ "$status" = 153 ]
	[[ "$output" != *reached* ]]
}

@test "a program that cannot be run is refused by name" {
	run emu ./nothing
	says 127 '^qpuemu: ./nothing: No such file'
	PATH=/usr/bin:/bin run emu nothing-of-this-name
	says 127 '^qpuemu: nothing-of-this-name: No such file'
	echo text >text
	run emu ./text
	says 126 '^qpuemu: ./text: Permission denied'
	printf '#!/no/such/program\n' >lost
	chmod +x lost
	run emu ./lost
	says 127 '^qpuemu: ./lost: No such file'
}

# alone: a program that ends with 3, without a loader
alone()
{
	{
		printf '\x7fELF\2\1\1\0\0\0\0\0\0\0\0\0'
		printf '\2\0\x3e\0\1\0\0\0\x78\0\x40\0\0\0\0\0\x40\0\0\0\0\0\0\0'
		printf '\0\0\0\0\0\0\0\0\0\0\0\0\x40\0\x38\0\1\0\0\0\0\0\0\0'
		printf '\1\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\x40\0\0\0\0\0'
		printf '\0\0\x40\0\0\0\0\0\x84\0\0\0\0\0\0\0\x84\0\0\0\0\0\0\0'
		printf '\0\x10\0\0\0\0\0\0\xbf\3\0\0\0\xb8\x3c\0\0\0\x0f\5'
	} >alone
	chmod +x alone
}

@test "a program that went past us is told at the end" {
	[ "$(uname -m)" = x86_64 ] || skip "the program is for x86-64"
	alone
	status=0
	./alone || status=$?
	[ "$status" = 3 ]
	run emu --leaks=error ./alone
	says 126 '^qpuemu: ./alone: it ran without the board: .* statically linked'
	run emu sh -c ./alone
	gives 3 ''
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
}

@test "without a program, the object or a place for the board nothing is started" {
	run emu
	says 125 'no program given'
	cp "$EMU" .
	run ./qpuemu true
	# It may be installed.
	[ "$status" = 0 ] || says 125 '^qpuemu: .*/qpuemu[.]so: No such file'
	# Nobody makes a directory there, but only root may try.
	[ "$(id -u)" = 0 ] || return 0
	run env TMPDIR=/proc "$EMU" true
	says 125 '^qpuemu: /proc: No such file'
}

@test "an option that is wrong is refused with what it may be" {
	local options message n=0
	while IFS='|' read -r options message; do
		# shellcheck disable=SC2086
		run emu $options touch started </dev/null
		[ "$status" = 125 ] || fail "$options: status $status: $output"
		[[ $output == "qpuemu: $message"* ]] || fail "$options: $output"
		n=$((n + 1))
	done <<-'END'
	--nothing|unrecognized option '--nothing'
	--board=pi7|--board is pi1, pi1b+, pi1a, zero, zerow, pi2, pi2v1.2, pi3, pi3b+, pi3a+, zero2, pi4, pi5 or pc, not 'pi7'
	--system=bookworm64|bookworm64 needs a 64-bit CPU; that of this board has 32 bits
	--user=pi|--user is root, video, nobody or first, not 'pi'
	--cma=1025|--cma: '1025' is not a number between 0 and 1024
	--memory=0|--memory: '0' is not a number between 1 and 1008
	--memory=433|this board has at most 496 MiB for GPU memory and CMA together
	--board=pi2 --memory=512 --cma=481|this board has at most 992 MiB for GPU memory and CMA together
	--debug=0|--debug: '0' is not a number between 1 and 18446744073709551615
	--ignore=X5|--ignore: 'X5' is not a rule: there are R1 to R20 and C21 to C50
	--trace=|--trace: '' cannot be the name of a file
	--fault=late@0|--fault: 'late@0' is not KIND@N[-[M]]; KIND is alloc, refuse, stuck, late, lost, reset,
	--fault=stuck@1.2.3|--fault: 'stuck@1.2.3' is not KIND@N[-[M]]; KIND is alloc,
	--fault=once@1|--fault: 'once@1' is not KIND@N[-[M]]; KIND is alloc,
	END
	[ $n = 14 ]
	[ ! -e started ]
}

@test "the memory of a board and its driver are as the options and the system say" {
	local options cma card gpu
	while IFS='|' read -r options cma card gpu; do
		# shellcheck disable=SC2086
		run emu $options sh -c 'sed -n "s/^CmaTotal: *//p" /proc/meminfo
			test -e /dev/dri/card0 && echo card
			wc -c <"$QPUEMU_DIR/memory"; :' </dev/null
		gives 0 "$cma kB${card:+$'\n'}$card
$((gpu << 20))"
	done <<-'END'
	|65536||64
	--cma=0|0||64
	--memory=432|65536||432
	--board=pi2 --memory=512 --cma=480|491520||512
	--kms|262144|card|64
	--kms --kms=no|65536||64
	--system=bullseye|262144|card|64
	--system=bullseye --kms=no|65536||64
	--system=fedora --cma=100|102400|card|64
	--system=mainline --kms=no|65536|card|64
	END
}

# --- Reports on the QPUs ------------------------------------------------------

@test "leaks are reported, ignored or errors" {
	local leak="for words in '30012 4 4 1 0' '3000c c c 64 10 4 0' \
			'3000d 4 4 1 0' '3000c c c 32 10 4 0'; do
		$CLIENT raw 0 \$words >leak.out
	done"
	run emu sh -c "$leak"
	gives 0 "qpuemu: GPU memory was not released: 176 bytes in 2 blocks, 1 of them locked
qpuemu: the QPUs were left enabled"
	run emu --leaks=error sh -c "$leak"
	says 1 'was not released'
	run emu --leaks=ignore sh -c "$leak"
	gives 0 ""
	run emu --leaks=error sh -c "$leak; exit 3"
	[ "$status" = 3 ]
	client --leaks=error --board=pi3 raw 0 38002 8 8 5 ee6b280 0
	says 1 '^qpuemu: the clock of the QPUs was not put back$'
}

@test "a process that keeps memory of the QPUs ends with the board" {
	printf ':0\nbrr -, :0\nnop\nnop\nnop\n' | assemble endless
	run emu --leaks=ignore sh -c "
		$CLIENT vcsm endless.bin &
		until grep -q /buffer /proc/\$!/maps; do :; done"
	gives 0 "qpuemu: a process that keeps memory of the QPUs ends with the board"
}

@test "--counters adds up the launches of all processes" {
	run emu --counters sh -c "$CLIENT hello hello.bin
		$CLIENT hello hello.bin"
	says 0 '^qpuemu: 2 launches, [1-9][0-9]* instructions$'
	says 0 '^16 +[1-9][0-9]*  QPU clocks executing'
	says 0 '^\(the other counters need --timed\)$'
	client --counters --timed hello hello.bin
	says 0 '^qpuemu: 1 launches, [0-9]+ instructions, [0-9]+ clocks = .* us at 250 MHz \(modelled\)$'
	says 0 '^13 +[0-9]+  '
	[[ $output != *--timed* ]]
}

@test "a trace that cannot be written: a message, once" {
	[ -e /dev/full ] || skip "no /dev/full"
	run emu --trace=/dev/full sh -c "$CLIENT hello hello.bin 2>err &&
		$CLIENT hello hello.bin 2>>err"
	gives 0 "$RIGHT"$'\n'"$RIGHT"
	[ "$(sort -u err)" = "qpuemu: the trace is not whole: \
No space left on device" ]
	[ "$(wc -l <err)" = 2 ]
}
