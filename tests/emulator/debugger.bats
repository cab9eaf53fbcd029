# SPDX-License-Identifier: MIT
# What a user of qpurun --debug sees.

load ../support/common

setup() {
	QPUASM="$BUILD/qpuasm"
	QPURUN="$BUILD/qpurun"
	enter_scratch
	# Stores the sum of the numbers from 1 to the first uniform.
	assemble sum <<-'END'
	mov ra0, unif
	ldi r0, 0
	:again
	add r0, r0, ra0
	sub.setf ra0, ra0, 1
	brr.anynz -, :again
	nop
	nop
	nop
	ldi vw_setup, 0x1a00
	mov vpm, r0
	ldi vw_setup, 0xc0000000
	ldi vw_setup, 0x80904000
	mov vw_addr, unif
	mov -, vw_wait
	thrend
	nop
	nop
	END
	echo '.int 10, 0x40002000' | "$QPUASM" -o uniforms -
	truncate -s 64 out
}

# Name of a program whose source is standard input.
assemble() {
	cat >"$1.qasm"
	"$QPUASM" --lines "$1.map" -o "$1.bin" "$1.qasm"
}

# debug NAME [OPTION]...: the commands are standard input; there are $qpus QPUs.
debug() {
	local uniforms=40001000 i
	for ((i = 1; i < ${qpus-1}; i++)); do
		uniforms+=,40001000
	done
	timeout --foreground "$LIMIT" "$QPURUN" --debug --lines "$1.map" \
		--code "$1.bin@40000000" --mem uniforms@40001000 \
		--mem out@40002000:rw --uniforms $uniforms "${@:2}" >log
}

# shows TEXT...: these lines, one behind the other
shows() {
	local at
	at=$(grep -nxF -- "$1" log | head -n 1 | cut -d : -f 1)
	[ -n "$at" ] || fail "no line '$1' in: $(cat log)"
	tail -n "+$at" log | head -n $# >part
	printf '%s\n' "$@" | diff - part
}

# page_block SECTION N: the N-th block without filling of a section of the page
page_block() {
	awk -v section="$1" -v n="$2" '
		/^\.SH/ { within = $0 ~ section }
		within && /^\.nf/ { block++; next }
		within && block == n && /^\.fi/ { exit }
		within && block == n' "$TOP/man/qpurun.1" |
		sed 's/\\-/-/g; s/\\e$/\\/'
}

# page_session SECTION N: run its shell commands, the last one with what is
# typed behind the prompts, and compare all that is shown
page_session() {
	page_block "$1" "$2" >session
	# A command goes on in lines that begin with blanks.
	sed -nE '1,/^QPU/{/^QPU/d; s/^\$ //; p}' session >session.sh
	sed -n '/^QPU/,$p' session >right
	sed -n 's/^(qpu [0-9]*) //p' right >typed
	[ "$(wc -l <typed)" -ge 4 ]
	PATH="$BUILD:$PATH" bash -e session.sh <typed >out
	same right out
}

# to_the_end: the commands of the last session without the debugger; the QPUs
# run at the same time then, too
to_the_end() {
	sed 's/^qpurun --debug/qpurun --timed/' session.sh >whole.sh
	PATH="$BUILD:$PATH" bash -e whole.sh
}

# word FILE N: the N-th word, from 0
word() {
	od -An -v -td4 -w4 "$1" | tr -d ' ' | sed -n "$(($2 + 1))p"
}

@test "the manual's session is what a user sees" {
	page_block DEBUGGER 1 | assemble add
	[ -s add.bin ]
	echo '.int 100, 0x40002000' | "$QPUASM" -o add.unif -
	truncate -s 64 add.out
	page_session DEBUGGER 2
}

@test "the manual's bugs are found, and make the results that it says" {
	cp "$TOP"/qpu/examples/*.m4 .
	sed -n 's/^#	[$>][ 	]//p' heat.m4 | sed '/^m4/,/qpuasm/d; /^qpurun/,$d' |
		sed -n '/^echo/,$p' >heat.sh
	PATH="$BUILD:$PATH" bash -e heat.sh
	[ -s heat.in ]
	page_session 'FINDING A BUG' 1
	to_the_end
	[ "$(word heat.out 17)" != "$(word heat.out 30)" ]
	page_session 'FINDING A BUG' 2
	to_the_end
	[ "$(word hello.out 0)" = 4760 ]
	[ "$(word hello.out 16)" = 4760 ]
	[ "$(word hello.out 30)" = 4761 ]
	page_session 'FINDING A BUG' 3
	to_the_end
	[ "$(word debug.log 0)" = 20 ]
	[ "$(page_block 'FINDING A BUG' 4 | wc -l)" = 0 ]
}

@test "every command of help stands in the manual, and the other way round" {
	echo help | debug sum
	sed -n 's/^\([a-z]*\).*/\1/p' log | grep . | sort -u >names
	[ "$(wc -l <names)" -ge 20 ]
	sed -n '/^\.SH DEBUGGER/,/^\.SH RULES/p' "$TOP/man/qpurun.1" |
		grep -A 1 '^\.TP' |
		sed -nE 's/^(\\fB|\.B |\.BR )([a-z]+).*/\2/p' >page
	echo quit >>page
	sort -u page -o page
	same names page
}

@test "a label, a line and an address stop a program" {
	printf '%s\n' 'break again' 'c' 'break sum.qasm:10' 'delete 1' c \
		'break *40000070' b 'delete 2' c | debug sum
	shows '(qpu 0) break again' 'breakpoint 1 at sum.qasm:4' '(qpu 0) c' \
		'breakpoint 1' \
		'QPU 0 at 40000010  add r0, r0, ra0  # sum.qasm:4'
	shows '(qpu 0) break sum.qasm:10' 'breakpoint 2 at sum.qasm:10'
	shows 'breakpoint 2' \
		'QPU 0 at 40000040  ldi vw_setup, 0x1a00  # sum.qasm:10'
	shows '(qpu 0) b' 'breakpoint 2 at sum.qasm:10' \
		'breakpoint 3 at 40000070'
	shows 'breakpoint 3' 'QPU 0 at 40000070  thrend  # sum.qasm:16'
}

@test "a line without instructions stands for the next one" {
	printf 'break 3\n' | debug sum
	shows '(qpu 0) break 3' 'breakpoint 1 at sum.qasm:4'
}

@test "step counts instructions of the chosen QPU, next goes by lines" {
	printf 'mov r0, 1\n.rep i, 3\nadd r0, r0, 1\n.endr\nthrend\nnop\nnop\n' |
		assemble lines
	printf '%s\n' next next 's 2' s 's 5' 'print r0[0]' | debug lines
	shows '(qpu 0) next' 'QPU 0 at 40000008  add r0, r0, 1  # lines.qasm:3' \
		'(qpu 0) next' 'QPU 0 at 40000020  thrend  # lines.qasm:5' \
		'(qpu 0) s 2' 'QPU 0 at 40000030  nop  # lines.qasm:7' \
		'      ends behind 1 more' '(qpu 0) s' 'all programs have ended' \
		'(qpu 0) s 5' 'the run is over' '(qpu 0) print r0[0]' \
		'r0[0] = 0x00000004 = 4 = 5.60519386e-45'
}

@test "the QPUs take turns, and the choice moves on from one that has ended" {
	printf '%s\n' 's 3' where 's 100' where |
		qpus=2 debug sum
	shows '(qpu 0) where' \
		'QPU 0 at 40000018  sub.setf ra0, ra0, 1  # sum.qasm:5' \
		'QPU 1 at 40000010  add r0, r0, ra0  # sum.qasm:4'
	shows '(qpu 0) s 100' 'the program of QPU 0 has ended' \
		'QPU 1 at 40000080  nop  # sum.qasm:18' \
		'      ends behind 1 more'
}

@test "until holds for a register, a lane, memory and a float" {
	printf '%s\n' 'until r0 >= 30' 'print r0 int' 'until ra0[15]<3' \
		'p ra0[15]' 'until [40002000] == 55' 'until [50000000] == 0' |
		debug sum
	shows '(qpu 0) until r0 >= 30' \
		'QPU 0 at 40000018  sub.setf ra0, ra0, 1  # sum.qasm:5' \
		'(qpu 0) print r0 int' 'r0             34 in all lanes'
	shows '(qpu 0) p ra0[15]' 'ra0[15] = 0x00000002 = 2 = 2.80259693e-45'
	shows '(qpu 0) until [40002000] == 55' \
		'QPU 0 at 40000068  mov -, vw_wait  # sum.qasm:15' \
		'(qpu 0) until [50000000] == 0' 'all programs have ended'
	printf 'itof r0, elem_num\nfmul r0, r0, 0.5\nnop\nthrend\nnop\nnop\n' |
		assemble floats
	printf '%s\n' 'until r0[1] == 0.5' 'p r0 float' flags |
		debug floats
	shows '(qpu 0) until r0[1] == 0.5' \
		'QPU 0 at 40000010  nop  # floats.qasm:3'
	grep -q '^r0  *0  *0.5  *1  *1.5  *2  *2.5  *3  *3.5$' log
}

@test "a breakpoint with a condition stops only the QPUs for which it holds" {
	printf '%s\n' 'break 5 if ra0 == 7' b c 'p ra0[0]' c 'p ra0[0]' \
		'delete 1' 'break again if [40002000] == 1' c |
		qpus=2 debug sum
	shows '(qpu 0) b' 'breakpoint 1 at sum.qasm:5, with a condition' \
		'(qpu 0) c' 'breakpoint 1' \
		'QPU 0 at 40000018  sub.setf ra0, ra0, 1  # sum.qasm:5' \
		'(qpu 0) p ra0[0]' 'ra0[0] = 0x00000007 = 7 = 9.80908925e-45' \
		'(qpu 0) c' 'breakpoint 1' \
		'QPU 1 at 40000018  sub.setf ra0, ra0, 1  # sum.qasm:5' \
		'(qpu 1) p ra0[0]' 'ra0[0] = 0x00000007 = 7 = 9.80908925e-45'
	[ "$(tail -n 1 log)" = 'all programs have ended' ]
	printf '%s\n' 'break 5 when r0 == 1' 'break 5 if' 'break 5 if r0' b |
		debug sum
	shows "'when' is not if"
	shows '(qpu 0) b' 'no breakpoints'
}

@test "until tells which QPU made it hold" {
	printf '%s\n' 'qpu 1' 'until [40002000] == 55' | qpus=2 debug sum
	shows '(qpu 1) until [40002000] == 55' \
		'it holds since an instruction of QPU 0'
}

@test "where tells what each QPU waits for, and so does a deadlock" {
	printf 'nop\nsacq -, 3\nthrend\nnop\nnop\n' | assemble wait
	printf '%s\n' c where shared c |
		qpus=2 debug wait || status=$?
	[ "$status" = 1 ]
	shows '(qpu 0) c' \
		'deadlock: QPU 0 at 0x40000008 waits for semaphore, QPU 1 at 0x40000008 waits for semaphore' \
		'QPU 0 at 40000008  sacq -, 3  # wait.qasm:2' \
		'      waits for semaphore 3, which is 0' \
		'QPU 1 at 40000008  sacq -, 3  # wait.qasm:2' \
		'      waits for semaphore 3, which is 0'
	shows '(qpu 0) shared' 'all semaphores are 0' 'the mutex is free' \
		'(qpu 0) c' 'the run is over'
	printf 'mov -, mutex\nnop\nmov r0, mutex\nthrend\nnop\nnop\n' |
		assemble mutex
	printf '%s\n' 's 2' shared c | debug mutex && return 1
	shows '(qpu 0) shared' 'all semaphores are 0' 'QPU 0 holds the mutex'
	shows '      waits for mutex, which QPU 0 holds'
}

@test "where tells until which clock a DMA runs" {
	printf '%s\n' 'break 16' c where | qpus=2 debug sum --timed
	grep -qE '^      waits for DMA store, until clock [1-9][0-9]*$' log
}

@test "a fault ends the run and shows the place" {
	printf 'nop\nldi vr_addr, 0x90000\nthrend\nnop\nnop\n' | assemble nowhere
	printf '%s\n' c | debug nowhere && return 1
	shows 'QPU 0 at 0x40000008: DMA load (VDR) at 0x00090000 is outside memory' \
		'QPU 0 at 40000008  ldi vr_addr, 0x90000  # nowhere.qasm:2'
}

@test "a hazard stops the run" {
	printf 'nop\nmov r0, ra7\nnop\nthrend\nnop\nnop\n' | assemble hazard
	printf '%s\n' c where | debug hazard --check 2>err && return 1
	grep -q 'hazard.qasm:2: hazard C22' err
	grep -qx 'stopped at a hazard' log
	grep -qx 'QPU [0-9]* at 40000010  nop  # hazard.qasm:3' log
}

@test "the limit of instructions ends the run" {
	printf '%s\n' 's 10' c c | debug sum --max-instructions 20 && return 1
	shows '(qpu 0) c' 'limit reached with 1 programs running'
	[ "$(grep -c 'the run is over' log)" = 1 ]
}

@test "quit leaves memory as it is by then, with status 0" {
	printf '%s\n' 's 5' q 'this is not read' | debug sum
	tail -n 1 log | grep -qx '(qpu 0) q'
	cmp out <(head -c 64 /dev/zero)
}

@test "registers, memory, VPM, uniforms and code are shown" {
	printf '%s\n' 'break 15' c registers 'registers b float' \
		'memory 40001000 2 int' 'mem 40002000 5' 'vpm 0' 'v 62 5 int' \
		uniforms 'dis 40000000 2' dis 'list 1' | debug sum
	shows '(qpu 0) registers' 'r0    00000037 in all lanes'
	[ "$(grep -c '^rb[0-9]* .* 0 in all lanes$' log)" = 32 ]
	shows '40001000:          10  1073750016'
	shows '40002000: 00000037 00000037 00000037 00000037' \
		'40002010: 00000037'
	shows '0     00000037 in all lanes'
	shows '62              0 in all lanes' '63              0 in all lanes' \
		'(qpu 0) uniforms' 'the next uniform is at 0x40001008'
	shows '   40000000  mov ra0, unif  # sum.qasm:1' \
		'   40000008  ldi r0, 0x0  # sum.qasm:2' '(qpu 0) dis' \
		'-> 40000068  mov -, vw_wait  # sum.qasm:15'
	shows '      14  mov vw_addr, unif' '->    15  mov -, vw_wait' \
		'      16  thrend'
}

# means PORT WORD TEXT: what setup says of a word
means() {
	echo "setup $1 $2" | debug sum
	tail -n 1 log >last
	printf '%s  %s\n' "$2" "$3" | diff - last
}

@test "set-up words are read as the reference guide has them" {
	means vw 0x00001a00 'VPM write: 32-bit, horizontal, row 0, stride 1'
	means vr 0x00301a05 \
		'VPM read of 3 vectors: 32-bit, horizontal, row 5, stride 1'
	means vr 0x00000213 \
		'VPM read of 16 vectors: 32-bit, vertical, column 3 of row 16, stride 64'
	means vw 0x00002d05 \
		'VPM write: 16-bit, horizontal, row 2, laned part 1, stride 2'
	means vw 0x00001806 \
		'VPM write: 8-bit, horizontal, row 1, packed part 2, stride 1'
	means vr 0x83011820 \
		'DMA load: 1 row of 16 words, 64 bytes apart in memory, to VPM row 2 column 0, vertical, stride 1'
	means vr 0xc0421003 \
		'DMA load: 2 rows of 4 bytes 0, the extended pitch apart in memory, to VPM row 0 column 3, horizontal, stride 1'
	means vr 0x90003000 'DMA load: extended pitch of 12288 bytes'
	means vw 0x80904000 \
		'DMA store: 1 row of 16 words, from VPM row 0 column 0, horizontal'
	means vw 0x88100193 \
		'DMA store: 16 rows of 16 halves 1, from VPM row 3 column 2, vertical'
	means vw 0xc0010040 \
		'DMA store: 64 bytes from the end of a row to the next, block mode'
	printf 's\nsetup vw ra0\n' | debug sum
	shows '0x0000000a  VPM write: 8-bit, vertical, column 2 of row 0, packed part 2, stride 64'
}

@test "a file of commands, and one that is missing" {
	printf '# a comment\n\nprint 0x10\n' >script
	debug sum --debug-script script </dev/null
	shows '(qpu 0) # a comment' '(qpu 0) ' '(qpu 0) print 0x10' \
		'0x10 = 0x00000010 = 16 = 2.24207754e-44'
	run debug sum --debug-script absent
	[ "$status" -eq 1 ]
	[ "$output" = "qpurun: absent: No such file or directory [E317]" ]
}

@test "what makes no sense is said, and the next command is obeyed" {
	while read -r command; do
		printf '%s\nprint 7\n' "$command" | debug sum
		[ "$(sed -n 3p log)" ]
		! grep -q '^QPU' <(sed -n 3p log) || fail "$command"
		grep -q '^7 = 0x00000007' log
	done <<-'END'
		nonsense
		break nowhere
		break 1000
		break other.qasm:1
		break *40000004
		break *x
		delete 3
		step x
		until
		until r0
		until r6 == 1
		until r0 = 1
		until r0 == 1 2
		until r0[16] == 1
		print ra32
		print r0 octal
		print [50000000]
		print 1.2.3
		registers c
		memory
		memory 40001000 x
		memory 50000000
		vpm 64
		qpu 12
		setup va 1
		setup vw
		setup vw [50000000]
		disassemble 50000000
	END
}

@test "without a line map only addresses are known" {
	printf '%s\n' 'break 3' 'break *40000010' c next list |
		"$QPURUN" --debug --code sum.bin@40000000 \
			--mem uniforms@40001000 --mem out@40002000:rw \
			--uniforms 40001000 >log
	shows '(qpu 0) break 3' 'without --lines only *ADDR is known'
	shows 'breakpoint 1' 'QPU 0 at 40000010  add r0, r0, ra0' \
		'(qpu 0) next' 'QPU 0 at 40000018  sub.setf ra0, ra0, 1' \
		'(qpu 0) list' 'no source line is known for 40000018'
}

@test "the interrupt key stops a program that never ends" {
	printf ':here\nbrr -, :here\nnop\nnop\nnop\n' | assemble endless
	printf '%s\n' c 'print 7' q >script
	# Signals that come before the run are ignored in the background.
	"$QPURUN" --debug-script script --lines endless.map \
		--code endless.bin@40000000 --uniforms 40001000 \
		--max-instructions 0 >log 3>&- &
	mkfifo never
	exec 4<>never
	while kill -INT $! 2>/dev/null; do
		read -r -t 0.05 _ <&4 || :
	done
	wait $!
	shows '(qpu 0) c' 'interrupted'
	grep -q '^7 = 0x00000007' log
}
