#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu-observe: source lines, trace and debugger of programs that
# run on the virtual board.

load qpuemu

# mapped NAME <SOURCE: NAME.bin and the line map NAME.map
mapped()
{
	cat >"$1.qasm"
	"$QPUASM" --no-check --lines "$1.map" -o "$1.bin" "$1.qasm"
}

# debug OPTION... -- WORD...: with commands from standard input
debug()
{
	cat >script
	emu --debug-script=script "$@" >out 2>log
}

# shows TEXT...: these lines of the debugger, one after the other
shows()
{
	local at
	at=$(grep -nxF -- "$1" log | head -n 1 | cut -d : -f 1)
	[ -n "$at" ] || fail "no line '$1' in: $(cat log)"
	tail -n "+$at" log | head -n $# >part
	printf '%s\n' "$@" | diff - part
}

# --- Source lines -------------------------------------------------------------

@test "--lines: a hazard names its source line, once for the line" {
	mapped hazard <<-'END'
	.rep i, 2
	mov ra0, unif
	mov r0, ra0
	.endr
	mov irq, 1
	thrend
	nop
	nop
	END
	run emu --leaks=ignore --check --lines=hazard.map "$CLIENT" hello hazard.bin
	[ "$(grep -c 'hazard R1:' <<<"$output")" = 1 ] || fail "$output"
	says 1 '^qpuemu: hazard.qasm:3: hazard R1: .* \(QPU [0-9]+ at 0x5c000008\)$'
	says 1 '^    mov r0, ra0$'
	client --leaks=ignore --check --ignore=R1,C32,C47 hello hazard.bin
	[[ "$output" != *hazard* ]] || fail "$output"
}

@test "--lines: a deadlock and a fault name their source lines" {
	printf 'nop\nsacq -, 3\nthrend\nnop\nnop\n' | mapped dead
	run emu --leaks=ignore --lines=dead.map "$CLIENT" hello dead.bin
	says 1 '^qpuemu: dead.qasm:2: QPU 0 waits for semaphore 3, which is 0$'
	says 1 '^qpuemu: dead.qasm:2: QPU 1 waits for semaphore 3, which is 0$'
	says 1 '^    sacq -, 3$'
	printf 'nop\nldi vr_addr, 0x90000\nthrend\nnop\nnop\n' | mapped away
	run emu --leaks=ignore --lines=away.map "$CLIENT" hello away.bin
	says 1 '^qpuemu: away.qasm:2: QPU [01] is here$'
}

@test "files that cannot be used are errors before the start, quoted as for a shell" {
	echo nonsense >'wrong map'
	run emu --lines='wrong map' touch started
	says 125 "^qpuemu: '/.*/wrong map':1: not a row of a line table\$"
	run emu --lines='absent map' touch started
	says 125 "^qpuemu: '/.*/absent map': No such file or directory\$"
	run emu --debug-script=absent touch started
	says 125 '^qpuemu: .*/absent.?: No such file'
	touch 'no program'
	run emu './no program'
	says 126 "^qpuemu: './no program': Permission denied\$"
	[ ! -e started ]
}

@test "- is standard input for a script, and output for the trace" {
	emu --lines=hello.map --trace=- "$CLIENT" hello hello.bin >out
	grep -q '^ *0 qpu0  5c000000  mov ra0, unif .*  # hello.m4:29$' out
	grep -qxF "$RIGHT" out
	run emu --lines=- touch started <hello.map
	says 125 '^qpuemu: --lines: a file is needed, since each process reads it$'
	emu --debug-script=- "$CLIENT" hello hello.bin <<<'print 7' 2>log
	shows '(qpu 0) print 7' '7 = 0x00000007 = 7 = 9.80908925e-45'
	[ ! -e - ] && [ ! -e started ]
}

# --- Trace --------------------------------------------------------------------

@test "--trace: the instructions of each process" {
	emu --trace=run --lines=hello.map sh -c "$CLIENT hello hello.bin
		$CLIENT hello hello.bin" >out
	[ "$(cat out)" = "$RIGHT
$RIGHT" ]
	[ "$(grep -c 'mov vpm, r0 .*  # hello.m4:36$' run)" = 4 ]
}

@test "the manual's sum of clocks by source line" {
	emu --timed --trace=run --lines=hello.map "$CLIENT" hello hello.bin
	sed -n "/^sed/,/sort/p" "$TOP/man/qpuemu.1" |
		sed 's/\\e/\\/g; s/\\-/-/g' >sums
	[ -s sums ]
	bash sums >clocks
	grep -qE '^[1-9][0-9]* hello.m4:36$' clocks
	grep -qE '^[1-9][0-9]* DMA store$' clocks
	sort -nc clocks
}

# --- Debugger -----------------------------------------------------------------

@test "--debug-script: a launch by mailbox stops before its first instruction" {
	printf '%s\n' 'break 36' c 'print r0[0]' 'delete 1' c 'vpm 0' c |
		debug --lines=hello.map "$CLIENT" hello hello.bin
	[ "$(cat out)" = "$RIGHT" ]
	[ "$(head -n 1 log)" = 'QPU 0 at 5c000000  mov ra0, unif  # hello.m4:29' ]
	shows '(qpu 0) break 36' 'breakpoint 1 at hello.m4:36' '(qpu 0) c' \
		'breakpoint 1' \
		'QPU 0 at 5c000030  mov vpm, r0  # hello.m4:36' \
		'(qpu 0) print r0[0]' 'r0[0] = 0x00001298 = 4760 = 6.67018069e-42'
	shows 'all programs have ended' '(qpu 0) vpm 0' \
		'0     00001298 in all lanes' '(qpu 0) c'
}

@test "--debug-script: the same where programs are started by registers" {
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "registers are mapped on x86-64 and AArch64 only" ;;
	esac
	printf '%s\n' 'break *5c000068' c setup c 'delete 1' c where |
		debug --lines=hello.map "$CLIENT" direct hello.bin
	[ "$(cat out)" = "$RIGHT" ]
	shows 'breakpoint 1' 'QPU 0 at 5c000068  mov vw_addr, unif  # hello.m4:42'
	grep -q '^vw 0x80904000  DMA store: 1 row of 16 words' log
	shows 'breakpoint 1' 'QPU 0 at 5c000068  mov vw_addr, unif  # hello.m4:42'
	shows 'all programs have ended' '(qpu 1) where' 'no program runs' ||
		shows 'all programs have ended' '(qpu 0) where' 'no program runs'
}

@test "the process of the launch that is asked for is debugged, and no other" {
	{
		echo 'mov ra1, 7'
		hello
	} | mapped second
	printf '%s\n' 'print ra0[0]' q |
		debug --debug=2 sh -c "$CLIENT hello hello.bin
			$CLIENT hello second.bin; $CLIENT hello hello.bin"
	[ "$(cat out)" = "$RIGHT
$RIGHT
$RIGHT" ]
	[ "$(grep -c '^QPU 0 at' log)" = 1 ]
	grep -q 'mov ra1, 7' log
}

@test "a deadlock comes to the debugger, then to the program" {
	printf 'nop\nsacq -, 3\nthrend\nnop\nnop\n' | mapped dead
	printf '%s\n' c where shared c |
		debug --leaks=ignore --lines=dead.map "$CLIENT" hello dead.bin ||
		status=$?
	[ "$status" = 1 ]
	grep -q '^answer 80000000' out
	shows '(qpu 0) where' 'QPU 0 at 5c000008  sacq -, 3  # dead.qasm:2' \
		'      waits for semaphore 3, which is 0'
	shows '(qpu 0) shared' 'all semaphores are 0' 'the mutex is free' '(qpu 0) c'
}

@test "the interrupt key stops the programs, not the program" {
	printf ':0\nbrr -, :0\nnop\nnop\nnop\n' | mapped endless
	printf '%s\n' c 'print 7' c >script
	mkfifo never
	exec 4<>never
	emu --debug-script=script --lines=endless.map \
		--leaks=ignore sh -c 'echo $$ >pid; exec "$0" hello endless.bin' \
		"$CLIENT" >out 2>log 3>&- &
	until grep -q '^(qpu 0) c' log; do
		read -r -t 0.05 _ <&4 || :
	done
	# Signals that come before the run are ignored in the background.
	until grep -q '^interrupted' log; do
		kill -INT "$(cat pid)" || break
		read -r -t 0.05 _ <&4 || :
	done
	shows '(qpu 0) c' 'interrupted'
	kill -TERM "$(cat pid)"
	wait $! || status=$?
	[ "$status" = 143 ]
	grep -q '^qpuemu: programs were stopped for a signal' log ||
		fail "$(cat log)"
}

@test "without a terminal --debug says so, and the program runs" {
	make_hello
	command -v setsid >/dev/null || skip "no setsid"
	run setsid --wait "$EMU" --debug "$CLIENT" hello hello.bin
	says 0 '^qpuemu: no debugger: /dev/tty: .*; --debug-script needs no terminal$'
	grep -qx "$RIGHT" <<<"$output"
}

@test "--debug takes commands from the terminal, not from the program's input" {
	make_hello
	needs_terminal
	printf 'print 7\nq\n' |
		script -qec "'$EMU' --debug sh -c '
			$CLIENT hello hello.bin </dev/null >out 2>err'" \
			/dev/null >terminal
	[ "$(cat out)" = "$RIGHT" ]
	grep -q '(qpu 0) 7 = 0x00000007' terminal
	[ ! -s err ]
}
