# SPDX-License-Identifier: MIT
# What a user of qpuasm and qpudis sees: messages with their place, exit
# status, and files that are written only when all is well.

load ../support/common

setup() {
	QPUASM="$BUILD/qpuasm"
	QPUDIS="$BUILD/qpudis"
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
	source_is open.qasm <<-'END'
	.if 1
	nop
	END
	source_is a.qasm <<-'END'
	.assert 1 + 1 == 3
	.endr
	.include "open.qasm"
	END
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == *"a.qasm:1:9: error: assertion failed [E123]"* ]]
	[[ "$output" == *"a.qasm:2:1: error: .endr does not close an open block [E121]"* ]]
	[[ "$output" == *"open.qasm:1: error: .endif is missing [E121]"* ]]
}

@test "the end of the program closes .if, with a warning" {
	source_is a.qasm <<-'END'
	.if 0
	nop
	.else
	or r0, r0, 1
	END
	run "$QPUASM" --no-check -o a.bin a.qasm
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 'a.qasm:1: warning: .endif is missing: it ends with the program [W206]' ]
	[ "$(stat -c %s a.bin)" = 8 ]
}

@test "formats, listing and line table" {
	source_is a.qasm <<-'END'
	:top
	mov r0, unif
	.int 1, 2
	brr -, r:top
	nop
	nop
	nop
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
	[ "$(head -n 2 a.map)" = "0 a.qasm:2	mov r0, unif
10 a.qasm:4	brr -, r:top" ]
}

# Both took hours when their time grew with the square.
@test "names by the hundred thousand: wrong ones, and ones that are taken back" {
	seq 150000 >numbers
	sed 's/.*/mov r0, wrong&/' numbers >a.qasm
	sed 's/.*/.set name&, &/' numbers >b.qasm
	sed 's/.*/.unset name&/' numbers >>b.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "a.qasm:1:9: error: 'wrong1' is not defined"* ]]
	"$QPUASM" b.qasm
}

# Under FNV-1a, either half of a pair leads to the same place: 2^17 names.
@test "names that are chosen to share a place in a table take no longer" {
	awk 'BEGIN {
		split("nrfbw knssp vxosl uwhic bdfpo hpsmg bbeju lpxvd rwtsl" \
			" sllti rpcyx csfum mhfrb npfep wzgws zsxvy ilsof ngkdq" \
			" zcbhk dklfe vwzzp korri fkurm kdcjo ghrsq quwbj zlutt" \
			" onwkd xskhm qshcr ddysl rgfdm seqtf uuxub", word, " ")
		for (i = 0; i < 100000; i++) {
			name = ""
			for (k = 0; k < 17; k++)
				name = name word[2 * k + 1 + int(i / 2 ^ k) % 2]
			print ".set " name ", 1"
		}
	}' >a.qasm
	[ "$(sort -u a.qasm | wc -l)" = 100000 ]
	"$QPUASM" a.qasm
}

@test "control characters of a source do not reach the terminal" {
	printf '# 7 "a\033[1mb.m4"\n' >a.qasm
	printf '\tmov ra5, r0\n\tmov r1, ra5 # \302\233 \303\251 \001\033]0;x\a\177\n' \
		>>a.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "a?[1mb.m4:8:2: error: ra5: "* ]]
	[ "${lines[1]}" = $'    \tmov r1, ra5 # ? \303\251 ??]0;x??' ]
	printf '\tmov r1, r9\033c\n' >>a.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[ "$(tr -cd '\001-\010\013-\037\177' <<<"$output" | wc -c)" = 0 ]
}

@test ".ifnc is told to be two things, and qpudis prints .ifcc" {
	echo 'mov.ifnc r0, r1' >a.qasm
	run "$QPUASM" --no-check -o a.bin a.qasm
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "a.qasm:1:4: warning: "*"vc4asm"*" [W200]" ]]
	run "$QPUDIS" a.bin
	[ "$output" = "	mov.ifcc r0, r1" ]
}

@test "a clone of what is not there is an error" {
	printf 'nop\n.clone :l, 2\n:l nop\n' >a.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "a.qasm:2: error: there are no such instructions"* ]]
	printf ':l\n.clone :l, 2\n' >a.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
}

@test "an expression nested too deeply is an error" {
	{ printf 'ldi r0, '; printf 'sin %.0s' {1..60000}; echo 1; } >a.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == *"error: expression is nested too deeply [E124]" ]]
	{ printf 'ldi r0, '; printf 'sin (-%.0s' {1..60000}; echo 1; } >a.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == *"error: expression is nested too deeply [E124]" ]]
}

@test "many symbols, labels and macros assemble" {
	seq 30000 | sed 's/.*/.set s&, &/' >a.qasm
	seq 30000 | sed 's/.*/:l& .int s&/' >>a.qasm
	for i in $(seq 2000); do printf '.macro m%d\n.int %d\n.endm\nm%d\n' \
		"$i" "$i" "$i"; done >>a.qasm
	echo '.int :l30000' >>a.qasm
	"$QPUASM" --format=hex -o a.hex a.qasm
	[ "$(wc -l <a.hex)" -eq 16001 ]
	[ "$(tail -n 1 a.hex)" = 000000000001d4bc ]
}

@test "a failure leaves no file that was not there, and no file changed" {
	printf 'nop\n' >a.qasm
	run "$QPUASM" -o out.bin --list=no/such/dir a.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == "qpuasm: cannot write 'no/such/dir': "* ]]
	[ ! -e out.bin ]
	echo old >out.bin
	run "$QPUASM" -o out.bin --list=no/such/dir a.qasm
	[ "$(cat out.bin)" = old ]
	"$QPUASM" -o out.bin a.qasm
	[ "$(wc -c <out.bin)" -eq 8 ]
	ln -s out.bin link.bin
	"$QPUASM" -o link.bin --lines=/dev/null a.qasm
	[ -h link.bin ]
	run "$QPUASM" -o new.bin --list=/dev/full a.qasm
	[ "$status" -eq 1 ]
	[ ! -e new.bin ]
}

@test "a source or another output is not overwritten" {
	echo nop >a.qasm
	echo 'mov r0, 1' >before.qasm
	mkdir lib
	echo '.include <far.qinc>' >>a.qasm
	echo '.set x, 1' >lib/far.qinc
	ln a.qasm same.qasm
	ln -s before.qasm link
	for name in a.qasm same.qasm link lib/far.qinc; do
		for option in -o --list= --lines=; do
			run "$QPUASM" -I lib -i before.qasm "$option$name" a.qasm
			[ "$status" -eq 1 ]
			[ "$output" = "qpuasm: cannot write '$name': it is a source or another output" ]
		done
	done
	run "$QPUASM" -I lib -o a.qasm - <a.qasm
	[ "$status" -eq 1 ]
	[ "$(cat before.qasm a.qasm lib/far.qinc)" = \
		$'mov r0, 1\nnop\n.include <far.qinc>\n.set x, 1' ]
	echo nop >a.qasm
	run "$QPUASM" -o out --lines=./out a.qasm
	[ "$status" -eq 1 ]
	[ ! -e out ]
	"$QPUASM" -o /dev/null --lines=/dev/null a.qasm
}

@test "a hazard in a loop or a repetition is told once, with its count" {
	source_is a.qasm <<-'END'
	.rep i, 5
	mov ra1, r0
	mov r0, ra1
	.endr
	:l
	brr.anyz -, r:l
	mov rb2, r0
	mov r0, rb2
	nop
	thrend
	nop
	nop
	END
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[ "$(grep -c 'error' <<<"$output")" -eq 2 ]
	[[ "$output" == *"a.qasm:3:1: error: ra1: read directly after it was written [R1] (5 times)"* ]]
	[[ "$output" == *"a.qasm:8:1: error: rb2: read directly after it was written [R1]"$'\n'* ]]
}

@test "--ignore silences the rules and warnings that it names" {
	source_is a.qasm <<-'END'
	mov ra1, r0
	mov.ifnc r0, ra1
	mov t0s, r0; ldtmu0
	END
	run "$QPUASM" --ignore=R1,W200 -o a.bin a.qasm
	[ "$status" -eq 0 ]
	[[ "$output" == *"[R9]"* ]]
	[[ "$output" != *"[R1]"* && "$output" != *"[W200]"* ]]
	run "$QPUASM" --ignore=R1 --ignore=R9,W200 a.qasm
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	run "$QPUDIS" --check a.bin
	[ "$status" -eq 1 ]
	run "$QPUDIS" --check --ignore=R1,R9 a.bin
	[ "$status" -eq 0 ]
	[[ "$output" != *"[R"* ]]
	for rules in R0 R21 W199 W999 E111 'R1,' ',' R1x ''; do
		run "$QPUASM" --ignore="$rules" a.qasm
		[ "$status" -eq 1 ]
		[[ "$output" == *"'$rules' is not a list of rules"* ]]
	done
}

@test "near misses of mnemonics and registers suggest the right ones" {
	source_is a.qasm <<-'END'
	ad r0, r1, r2
	fmull r0, r1, r2
	mov r0, uniff
	mov vwsetup, r0
	ldtmu2
	xyzzy r0
	mov r0, plugh
	END
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == *"unknown instruction 'ad'; did you mean 'add'? [E130]"* ]]
	[[ "$output" == *"unknown instruction 'fmull'; did you mean 'fmul'? [E130]"* ]]
	[[ "$output" == *"'uniff' is not defined; did you mean 'unif'? [E111]"* ]]
	[[ "$output" == *"'vwsetup' is not defined; did you mean 'vw_setup'? [E111]"* ]]
	[[ "$output" == *"unknown instruction 'ldtmu2'; did you mean 'ldtmu0'? [E130]"* ]]
	[[ "$output" == *"unknown instruction 'xyzzy' [E130]"* ]]
	[[ "$output" == *"'plugh' is not defined [E111]"* ]]
}

@test "a constant that has no encoding is shown as written, with a remedy" {
	source_is a.qasm <<-'END'
	.set size, 100
	and r0, r1, 0x64
	fadd r0, r1, 100.0
	or r0, r1, size + 1 ; mov r2, r3
	END
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == *"a.qasm:2:13: error: 0x64 is not a small immediate (-16 to 15, or a power of two from 1.0/256 to 128.0): load it into a register with ldi first [E143]"* ]]
	[[ "$output" == *"a.qasm:3:14: error: 100.0 is not a small immediate"* ]]
	[[ "$output" == *"a.qasm:4:12: error: size + 1 is not a small immediate"* ]]
}

@test "bad arguments of directives and operations are refused at their place" {
	source_is a.qasm <<-'END'
	.bit 0, 2
	.half ra1
	.align 3
	.align 8, :later
	.clone 8, 1
	.foreach 3, 4
	.endfor
	anop; add r0, r1, r2
	mnop; mul24 r0, r1, r2
	nop r0, r1
	read 100
	mov r0, r1, r2, r3
	bra -, r:later
	mul24 r0, r1 << 1, r2 << 2
	:later
	.foreach x, 4
	END
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == *"a.qasm:1:9: error: a bit is 0 or 1 [E143]"* ]]
	[[ "$output" == *"a.qasm:2:7: error: a number is expected [E110]"* ]]
	[[ "$output" == *"a.qasm:3:8: error: a power of two up to 4096 is expected [E122]"* ]]
	[[ "$output" == *"a.qasm:4:11: error: the label must be above [E111]"* ]]
	[[ "$output" == *"a.qasm:5:8: error: instructions at a label are expected [E122]"* ]]
	[[ "$output" == *"a.qasm:6:10: error: a name for the counter is expected [E122]"* ]]
	[[ "$output" == *"a.qasm:16: error: .endfor is missing [E121]"* ]]
	[[ "$output" == *"a.qasm:8:1: error: 'anop' and 'add' need the same ALU [E140]"* ]]
	[[ "$output" == *"a.qasm:9:1: error: 'mnop' and 'mul24' need the same ALU [E140]"* ]]
	[[ "$output" == *"a.qasm:10:1: error: 'nop' takes 1 operand, not 2 [E132]"* ]]
	[[ "$output" == *"a.qasm:11:6: error: 100 is not a small immediate"* ]]
	[[ "$output" == *"a.qasm:12:1: error: 'mov' takes 2 operands, not 4 [E132]"* ]]
	[[ "$output" == *"a.qasm:13:8: error: bra needs an absolute address, use brr for r:label [E148]"* ]]
	[[ "$output" == *"a.qasm:14:11: error: the result is rotated, so both operands must be rotated alike [E147]"* ]]
}

@test "--version names the program" {
	run "$QPUASM" --version
	[[ "$output" == "qpuasm (qpu-sha256sum) "* ]]
	run "$QPUDIS" --version
	[[ "$output" == "qpudis (qpu-sha256sum) "* ]]
	run "$BUILD/qpurun" --version
	[[ "$output" == "qpurun (qpu-sha256sum) "* ]]
	built_with qpuemu || return 0
	run "$BUILD/qpuemu" --version
	[[ "$output" == "qpuemu (qpu-sha256sum) "* ]]
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

@test "without memory for its options a tool says so, and does not crash" {
	[ -e "$PRELOAD" ] || skip "tests/support/preload.so is not built"
	printf '\x80\x7d\x82\x15\x27\x08\x02\x10' >a.bin
	echo nop >a.qasm
	tools=("$QPUASM a.qasm" "$QPUDIS a.bin")
	! built_with tools || tools+=("$BUILD/qpurun --uniforms=0")
	! built_with qpuemu || tools+=("$BUILD/qpuemu true")
	for tool in "${tools[@]}"; do
		status=0
		# shellcheck disable=SC2086 # words
		env FAULTS=calls:0 LD_PRELOAD="$PRELOAD" $tool >out 2>&1 ||
			status=$?
		[ "$status" = 1 ] || [ "$status" = 125 ] ||
			fail "$tool: $status $(cat out)"
		grep -q 'Cannot allocate memory' out || fail "$tool: $(cat out)"
	done
}

@test "the manual has each mnemonic, register, condition, directive and rule" {
	local page=$TOP/man/qpuasm.1 name
	tr -cs 'A-Za-z0-9_.' '\n' <"$page" | sed 's/^fB//; s/^fR//' >words
	{
		sed -nE 's/^QPU_(OP|SIG)\([^"]*"([a-z0-9]+)".*/\2/p' \
			"$TOP/qpu/isa/isa.def"
		sed -nE 's/^QPU_(READ|WRITE)\([^"]*"([a-z0-9_]+)", *"([a-z0-9_]+)".*/\2\n\3/p' \
			"$TOP/qpu/isa/isa.def"
		sed -nE 's/^QPU_(COND|BR)\([^"]*"([a-z]+)".*/.\2/p' \
			"$TOP/qpu/isa/isa.def"
		seq 20 | sed 's/^/R/'
		sed -nE 's/^\tASM_([EW])_[A-Z_]+ = ([0-9]+),.*/\1\2/p' \
			"$TOP/qpu/asm/message.h"
		echo .foreach .half .bit .clone .align .include .rodata .long |
			tr ' ' '\n'
	} | grep -vxE 'r[0-3]' >names
	[ "$(wc -l <names)" -gt 100 ]
	while read -r name; do
		grep -qxF -- "$name" words || fail "no $name"
	done <names
}
