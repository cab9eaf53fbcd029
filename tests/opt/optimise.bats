#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuasm -O and qpudis -O as users see them: listing and line map, what is refused or
# left alone and which line is the reason, and input that is broken.  That programs do
# the same is in test-random.

load ../support/common

setup() {
	QPUASM="$BUILD/qpuasm"
	QPUDIS="$BUILD/qpudis"
	QPURUN="$BUILD/qpurun"
	enter_scratch
	cat >loop.qasm <<-'END'
	mov r0, 5
	mov ra0, 7
	mov rb1, 4
	nop
	add r2, r0, ra0
	mov r3, rb1
	:loop
	sub.setf r2, r2, 1
	mov ra3, r3
	brr.anynz -, r:loop
	nop
	nop
	nop
	mov irq, nop
	thrend
	nop
	nop
	END
}

# words FILE: the number of words in it
words() {
	echo $(($(wc -c <"$1") / 8))
}

# refuses TEXT REGEX: -O refuses a source, whose lines end at |, with a message that
# names a line
refuses() {
	printf '%s\n' "$1" | tr '|' '\n' >refused.qasm
	run "$QPUASM" --no-check -O -o refused.bin refused.qasm
	[ "$status" -eq 1 ] && [ ! -e refused.bin ] &&
		[[ "$output" =~ $2 ]] && [[ "$output" == *'[E150]'* ]]
}

@test "-O makes a program shorter, and the listing has all lines of each word" {
	"$QPUASM" -o plain.bin loop.qasm
	"$QPUASM" -O -o short.bin --list=list loop.qasm
	[ "$(words short.bin)" -lt "$(words plain.bin)" ]
	# Each line with an effect stands with some word; both of a pair with one.
	for line in 1 2 3 5 6 8 9 10 14 15; do
		grep "loop.qasm:$line: " list >/dev/null
	done
	grep -A 1 'loop.qasm:5: add r2, r0, ra0' list |
		grep -E '^[[:space:]]+loop.qasm:6: mov r3, rb1'
}

@test "the line map has a row for each line of a word, and breakpoints are met there" {
	"$QPUASM" -O -o short.bin --lines=map loop.qasm
	[ "$(cut -d ' ' -f 1 map | sort | uniq -d | wc -l)" -gt 0 ]
	head -c 64 /dev/zero >uniforms
	# Lines 5 and 6 share a word.
	printf 'break loop.qasm:6\ncontinue\nwhere\nquit\n' |
		"$QPURUN" --code=short.bin@40000000 --mem=uniforms@40001000 \
			--uniforms=40001000 --lines=map --debug >session
	grep 'loop.qasm:5, loop.qasm:6' session
}

@test "the same input gives the same words, with -O2, too" {
	for level in 1 2; do
		"$QPUASM" -O$level -o a.bin loop.qasm
		"$QPUASM" -O$level -o b.bin loop.qasm
		cmp a.bin b.bin
		[ "$(words a.bin)" -le 12 ]
	done
	"$QPUASM" -o plain.bin loop.qasm
	"$QPUDIS" -O2 plain.bin >again.qasm
	"$QPUASM" -o c.bin again.qasm
	cmp a.bin c.bin
}

@test "--effort ends after its time, with a program that is not longer" {
	"$QPUASM" -O -o a.bin loop.qasm
	"$QPUASM" -O2 --effort=1 -o b.bin loop.qasm
	[ "$(words b.bin)" -le "$(words a.bin)" ]
	run "$QPUASM" -O --effort=0 loop.qasm
	[ "$status" -ne 0 ]
	[[ "$output" == *--effort* ]]
	run "$QPUASM" -O3 loop.qasm
	[ "$status" -ne 0 ]
}

@test "what stands between .noschedule and .schedule stays as it is" {
	cat >fixed.qasm <<-'END'
	mov r0, 1
	mov ra0, 2
	.noschedule
	mov r1, 3
	mov ra1, 4
	mov r2, 5
	.schedule
	mov r3, 6
	mov ra2, 7
	thrend
	nop
	nop
	END
	"$QPUASM" -O --list=- fixed.qasm >list
	same - <(grep -E ':(4|5|6): ' list | sed 's/.*: //') <<-'END'
	mov r1, 3
	mov ra1, 4
	mov r2, 5
	END
	[ "$(wc -l <list)" -lt 12 ]
	"$QPUASM" --format=hex -o - fixed.qasm >plain
	{ echo .noschedule; grep -v schedule fixed.qasm; } >all.qasm
	"$QPUASM" -O --format=hex -o - all.qasm | cmp - plain
}

@test "what .align aligns stays aligned" {
	cat >align.qasm <<-'END'
	mov ra0, 1
	mov rb0, 2
	mov ra1, 3
	nop
	mov rb1, ra0
	mov ra2, 5
	mov ra3, 5
	nop
	mov ra2, ra3
	nop
	.align 64
	:loop
	sub.setf ra0, ra0, 1
	brr.anynz -, r:loop
	nop
	nop
	nop
	thrend
	nop
	nop
	END
	"$QPUASM" -O --list=list align.qasm
	grep '^00040 .*sub.setf' list
}

@test "what cannot be followed is refused, with its line and without an output" {
	local end='thrend|nop|nop'
	refuses "mov ra0, unif|nop|bra -, ra0|nop|nop|nop|$end" \
		'refused.qasm:3:.*may hold what no branch has left'
	refuses "brr ra1, r:a|nop|nop|nop|:a|mov ra2, ra1|mov ra1, unif|bra -, ra2|nop|nop|nop|$end" \
		'refused.qasm:8:.*may hold what no branch has left'
	refuses "bra -, 64|nop|nop|nop|$end" 'refused.qasm:1:.*absolute'
	refuses "brr -, r:a|brr -, r:a|nop|nop|:a|$end" \
		'refused.qasm:2:.*delay slot'
	refuses "brr.allz -, r:a|nop|:a|nop|nop|$end" \
		'refused.qasm:4:.*a branch leads there'
	refuses 'mov r0, 1|mov r1, 2' 'refused.qasm:2:.*run on'
	refuses 'nop|.int 1, 2' 'refused.qasm:2:.*runs into data'
	refuses ":a|mov r0, :a|$end" 'refused.qasm:2:.*address of a label'
	refuses ":a|nop|:b|$end|.int :b - :a" \
		'refused.qasm:7:.*address of a label'
	refuses "brr ra0, r:a|nop|nop|nop|:a|nop|mov vpm, ra0|$end" \
		'refused.qasm:7:.*leaves the registers'
	refuses "brr ra0, r:a|nop|nop|nop|$end|:a|add ra1, ra0, 8|nop|bra -, ra1|nop|nop|nop" \
		'refused.qasm:9:.*no table'
}

@test "a table that is entered by arithmetic stays as it is, entry by entry" {
	cat >table.qasm <<-'END'
	mov r0, unif
	brr rb0, r:main
	nop
	nop
	nop
	mov r1, 1
	brr -, r:done
	nop
	nop
	nop
	mov r1, 2
	brr -, r:done
	nop
	nop
	nop
	mov r1, 3
	brr -, r:done
	nop
	nop
	nop
	:main
	mov r2, 0
	mul24 r0, r0, 8
	nop
	mul24 r0, r0, 5
	nop
	add ra1, rb0, r0
	mov r3, 9
	bra -, ra1
	nop
	nop
	nop
	:done
	shl r1, r1, 4
	mov ra4, r1
	nop
	mov rb5, r3
	mov vw_setup, vpm_setup(1, 1, h32(0))
	mov vpm, ra4
	mov vw_setup, vdw_setup_0(1, 16, dma_h32(0, 0))
	mov vw_addr, unif
	mov -, vw_wait
	mov irq, nop
	thrend
	nop
	nop
	END
	"$QPUASM" -i vc4.qinc -O -o table.bin --list=list table.qasm
	[ "$(grep -E -c ': (mov r1, [123]|brr -, r:done)$' list)" = 6 ]
	[ "$(words table.bin)" -lt 41 ]
	for entry in 0 1 2; do
		printf '.int %d, 0x40002000\n' "$entry" |
			"$QPUASM" -o uniforms -
		head -c 64 /dev/zero >out
		"$QPURUN" --code=table.bin@40000000 --mem=uniforms@40001000 \
			--mem=out@40002000:rw --uniforms=40001000
		[ "$(od -An -tu4 -N4 out | tr -d ' ')" -eq $((16 * (entry + 1))) ]
	done
}

@test "what is left alone is a warning, which can be silenced" {
	cat >left.qasm <<-'END'
	mov r0, 1
	thrend
	nop
	nop
	mov r1, 2
	mov r2, 3
	thrend
	nop
	nop
	END
	run "$QPUASM" -O left.qasm
	[ "$status" -eq 0 ]
	[[ "$output" == *'left.qasm:5:1: warning: '*'not reached'*'[W213]'* ]]
	run "$QPUASM" -O --ignore=W213 left.qasm
	[ -z "$output" ]
	sed '5i ::second' left.qasm >entry.qasm
	run "$QPUASM" -O entry.qasm
	[ -z "$output" ]
}

@test "programs that are cut off, odd or random are refused or optimised without a crash" {
	"$QPUASM" -o plain.bin loop.qasm
	for bytes in 0 1 7 8 9 24 72 96 128 135; do
		head -c "$bytes" plain.bin >cut.bin
		run "$QPUDIS" -O cut.bin
		[ "$status" -le 1 ]
		[ "$status" -eq 0 ] || [[ "$output" == *cut.bin* ]]
	done
	for seed in $(seq 20); do
		awk -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < 400; i++)
			printf ".int %d\n", int(rand() * 4294967296) }' |
			"$QPUASM" -o random.bin -
		run "$QPUDIS" -O2 random.bin
		[ "$status" -le 1 ]
	done
}

@test "the mutex is not held longer than before" {
	cat >mutex.qasm <<-'END'
	mov -, mutex
	mov r0, unif
	mov vw_setup, unif
	mov vpm, r0
	mov mutex, nop
	mov ra1, 0x12345
	mov ra2, 0x23456
	mov ra3, 0x34567
	mov rb4, ra1
	thrend
	nop
	nop
	END
	"$QPUASM" -O --list=- mutex.qasm >list
	awk '/^0/ { word++ } /:1: / { from = word } /:5: / { to = word }
		END { exit !(to - from <= 4) }' list
	! grep -A 4 ':1: ' list | grep -E ':(6|7|8): ' || false
}

@test "a tile is not touched in the first two instructions, nor by thrend" {
	cat >tile.qasm <<-'END'
	mov r0, 1
	mov ra1, 2
	mov ra2, 3
	mov tlbm, r0
	mov r1, 1
	nop; sbdone
	nop
	thrend
	nop
	nop
	END
	"$QPUASM" --for=drm -O --list=list tile.qasm
	[ "$(wc -l <list)" -lt 10 ]
	awk '/^0/ { word++ } /:4: / { tile = word } /:8: / { end = word }
		END { exit !(tile > 2 && end > tile) }' list
}
