# SPDX-License-Identifier: MIT
# What a user of qpuasm and qpudis sees: messages with their place, exit
# status, and files that are written only when all is well.

load common

setup() {
	QPUASM="$PWD/qpuasm"
	QPUDIS="$PWD/qpudis"
	enter_scratch
}

# Lines of standard input as a source.
source_is() {
	cat >"$1"
}

@test "a port collision names both registers, with place and caret" {
	source_is a.qasm <<-'END'
	nop
	add r0, ra1, ra2
	END
	run "$QPUASM" -o a.bin a.qasm
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "a.qasm:2:14: error: regfile A is read at ra1 and ra2 in one instruction [E141]" ]
	[ "${lines[1]}" = "    add r0, ra1, ra2" ]
	[ "${lines[2]}" = "                 ^" ]
	[ ! -e a.bin ]
}

@test "a small immediate beside a read of regfile B is named" {
	source_is a.qasm <<<'add r0, rb1, 3'
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == *"read of rb1 (rule R16)"* ]]
}

@test "two results in one file are named" {
	source_is a.qasm <<<'add ra1, r0, r1; mul24 ra2, r0, r1'
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "a.qasm:1:24: error: regfile A is written at ra1 and ra2"* ]]
}

@test "behind m4 -s an error names the line of the macro source" {
	source_is a.m4 <<-'END'
	define(`load', `mov $1, unif
	add $1, ra1, $2')dnl
	nop
	load(r0, rb2)
	load(r1, ra2)
	END
	m4 -s a.m4 >a.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ "${lines[0]}" == "a.m4:5:14: error: regfile A is read at ra1 and ra2"* ]]
	[ "${lines[1]}" = "    add r1, ra1, ra2" ]
	[ "${lines[2]}" = "                 ^" ]
}

@test "standard input is a source, too" {
	run "$QPUASM" --format=hex -o - - <<-'END'
	# 7 "macros.m4"
	nop
	END
	[ "$status" -eq 0 ]
	[ "$output" = "100009e7009e7000" ]
}

@test "several errors come in one run" {
	source_is a.qasm <<-'END'
	frob r0
	.frobnicate 3
	mov r0, missing
	brr -, r:nowhere
	sub r0, r1
	END
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == *"a.qasm:1:1: error: unknown instruction 'frob' [E130]"* ]]
	[[ "$output" == *"a.qasm:2:1: error: unknown directive '.frobnicate' [E120]"* ]]
	[[ "$output" == *"a.qasm:3:9: error: 'missing' is not defined [E111]"* ]]
	[[ "$output" == *"a.qasm:4:10: error: label 'nowhere' is not defined [E111]"* ]]
	[[ "$output" == *"a.qasm:5:1: error: 'sub' takes 3 operands, not 2 [E132]"* ]]
}

@test "after twenty errors it is enough" {
	for _ in $(seq 30); do echo frob; done >a.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[ "$(grep -c 'unknown instruction' <<<"$output")" -eq 20 ]
	[[ "$output" == *"too many errors, 10 not shown" ]]
}

@test "an error in a macro names the macro's line and the call" {
	source_is a.qasm <<-'END'
	.macro sum, a, b
	  add r0, a, b
	.endm
	sum ra1, ra2
	END
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "a.qasm:2:14: error: "* ]]
	[ "${lines[3]}" = "a.qasm:4:1: note: in macro 'sum' called here" ]
}

@test "a deliberate read after write is refused at its macro line" {
	source_is a.m4 <<-'END'
	define(`hurry', `mov $1, r0
	add r1, $1, r2')dnl
	nop
	hurry(ra5)
	thrend
	nop
	nop
	END
	m4 -s a.m4 >a.qasm
	run "$QPUASM" -o a.bin a.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == *"a.m4:4:1: error: ra5: read directly after it was written [R1]"* ]]
	[[ "$output" == *"    add r1, ra5, r2"* ]]
	[[ "$output" == *"a.m4:4:1: note: because of this instruction"* ]]
	[ ! -e a.bin ]
	run "$QPUASM" --no-check -o a.bin a.qasm
	[ "$status" -eq 0 ]
	[ -e a.bin ]
}

@test "a warning is told and does not stop" {
	source_is a.qasm <<-'END'
	mov t0s, r0; ldtmu0
	END
	run "$QPUASM" -o a.bin a.qasm
	[ "$status" -eq 0 ]
	[[ "$output" == *"a.qasm:1:1: warning: "*"[R9]"* ]]
	[ -e a.bin ]
}

@test "graphics-only units are refused" {
	source_is a.qasm <<<'mov tlbc, r0'
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "a.qasm:1:1: error: tlbc: only graphics shaders can use this [R14]" ]]
}

@test "a failed assertion, an unclosed block, a stray end" {
	source_is a.qasm <<-'END'
	.assert 1 + 1 == 3
	.endr
	.if 1
	nop
	END
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == *"a.qasm:1:9: error: assertion failed [E123]"* ]]
	[[ "$output" == *"a.qasm:2:1: error: there is no open block that .endr belongs to [E121]"* ]]
	[[ "$output" == *"a.qasm:3: error: .endif is missing [E121]"* ]]
}

@test "formats, listing and line table" {
	source_is a.qasm <<-'END'
	:top
	mov r0, unif
	.int 1, 2
	brr -, r:top
	END
	run "$QPUASM" --format=hex -o - a.qasm
	[ "${lines[0]}" = 1002082715827d80 ]
	[ "${lines[1]}" = 0000000200000001 ]
	[ "${lines[2]}" = f0f809e7ffffffd0 ]

	run "$QPUASM" --format=c -o - a.qasm
	[ "${lines[2]}" = "	0xffffffd0, 0xf0f809e7," ]

	"$QPUASM" -o a.bin --list=a.lst --lines=a.map a.qasm
	[ "$(od -An -tx1 -N8 a.bin)" = " 80 7d 82 15 27 08 02 10" ]
	[ "$(sed -n 1p a.lst)" = "00000  10020827 15827d80  a.qasm:2: mov r0, unif" ]
	[ "$(cat a.map)" = "0 a.qasm:2	mov r0, unif
10 a.qasm:4	brr -, r:top" ]
}

@test "includes are looked for beside the source and in -I" {
	mkdir sub lib
	source_is sub/a.qasm <<-'END'
	.include "beside.qinc"
	.include "far.qinc"
	mov r0, near + far
	END
	echo '.set near, 2' >sub/beside.qinc
	echo '.set far, 3' >lib/far.qinc
	run "$QPUASM" sub/a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "sub/a.qasm:2:10: error: cannot read 'far.qinc'"* ]]
	run "$QPUASM" -I lib --format=hex -o - sub/a.qasm
	[ "$status" -eq 0 ]
	[ "$output" = d0020827159c5fc0 ]
}

@test "foreign sources: functions, repetition, parts, numeric labels" {
	source_is a.qasm <<-'END'
	.set setup(num, y) (num & 0xf) << 20 | 0xa00 | y
	.func larger(a, b)
	  .if a > b
	    a
	  .else
	    b
	  .endif
	.endf
	.set isRegfileA(x) (x & :[0,1]) == :[0,1]
	.assert isRegfileA(ra3) && !isRegfileA(rb3) && !isRegfileA(3)
	.set low, ra3.8a
	mov r0, setup(2, larger(3, 5))
	.rep i, 2
	  mov ra10 + i, low
	.endr
	:1
	brr.anyz -, r:1b
	nop
	nop
	.back 1
	brr -, r:1f
	.endb
	:1 nop
	END
	run "$QPUASM" --no-check --format=hex -o - a.qasm
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = e002082700200a05 ]
	[ "${lines[1]}" = 180202a7150e7d80 ]
	[ "${lines[2]}" = 180202e7150e7d80 ]
	[ "${lines[3]}" = f02809e7ffffffe0 ]
	[ "${lines[5]}" = f0f809e7fffffff0 ]
}

@test "qpudis writes what gives the same bits, odd words as data" {
	printf '\x80\x7d\x82\x15\x27\x08\x02\x10' >a.bin
	printf '\xbf\x7d\x9e\x00\xe7\x49\x02\x10' >>a.bin
	printf '\xe8\xff\xff\xff\xe7\x09\xf8\xf0' >>a.bin
	printf '\xff\xff\xff\xff\xff\xff\xff\xff' >>a.bin
	run "$QPUDIS" a.bin
	[ "$status" -eq 0 ]
	[[ "$output" == *"mov r0, unif"* ]]
	[[ "$output" == *".int 0x009e7dbf, 0x100249e7	# nop"* ]]
	[[ "$output" == *":L18"* ]]
	[[ "$output" == *"brr -, r:L18"* ]]
	"$QPUDIS" a.bin >b.qasm
	"$QPUASM" --no-check -o b.bin b.qasm
	cmp a.bin b.bin
}

@test "qpudis --check names hazards by address" {
	source_is a.qasm <<-'END'
	nop
	mov ra5, r0
	mov r1, ra5
	END
	"$QPUASM" --no-check -o a.bin a.qasm
	run "$QPUDIS" --check a.bin
	[ "$status" -eq 1 ]
	[[ "$output" == *"a.bin:0x10: error: ra5: read directly after it was written [R1]"* ]]
	[[ "$output" == *"a.bin:0x8: note: because of this instruction"* ]]
	run "$QPUDIS" a.bin
	[ "$status" -eq 0 ]
}

@test "bad images, files and options give a message and exit 1" {
	printf '1234567' >a.bin
	run "$QPUDIS" a.bin
	[ "$status" -eq 1 ]
	[ "$output" = "qpudis: a.bin: not a whole number of 8-byte words" ]
	run "$QPUASM" missing.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == "qpuasm: error: cannot read 'missing.qasm': "* ]]
	run "$QPUASM" --format=elf missing.qasm
	[ "$status" -eq 1 ]
	run "$QPUASM"
	[ "$status" -eq 1 ]
	echo nop >a.qasm
	run "$QPUASM" -o no/such/dir a.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == "qpuasm: cannot write 'no/such/dir': "* ]]
}
