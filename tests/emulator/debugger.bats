# SPDX-License-Identifier: MIT
# qpurun --debug as a program: its manual, its input and its exit status.  What
# commands show is in tests/debugger/transcripts.golden.

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
# typed after the prompts, and compare all that is shown
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

# to_the_end: run the commands of the last session without the debugger; the QPUs
# still run at the same time
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
	[ "$(page_block 'FINDING A BUG' 3 | wc -l)" = 0 ]
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

@test "quit leaves memory as it is by then, with status 0" {
	printf '%s\n' 's 5' q 'this is not read' | debug sum
	tail -n 1 log | grep -qx '(qpu 0) q'
	cmp out <(head -c 64 /dev/zero)
}
