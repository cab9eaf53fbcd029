#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpudis prints words as text that assembles to the same words, and refuses what is not
# a program.

load ../support/common

setup() {
	QPUASM="$BUILD/qpuasm"
	QPUDIS="$BUILD/qpudis"
	enter_scratch
}

@test "the target of a branch has a label if it is an instruction of the program" {
	"$QPUASM" --no-check -o a.bin - <<-'END'
	brr -, -8
	brr.allz ra1, -40
	brr -, 0
	brr -, 8
	brr -, -72
	bra -, 8
	brr -, ra1, -64
	.int 0xffffffe0, 0xf0c809e7
	brr -, -1
	brr -, -8
	brr -, -24
	nop
	END
	cat >expected <<-'END'
	:L0
	@brr -, r:L18
	@brr.allz ra1, r:L0
	:L10
	@brr -, r:L30
	:L18
	@brr -, r:L40
	@brr -, -72
	@bra -, 0x8
	:L30
	@brr -, ra1, r:L10
	@.int 0xffffffe0, 0xf0c809e7
	:L40
	@brr -, -1
	@brr -, -8
	@brr -, r:L58
	:L58
	@nop
	END
	"$QPUDIS" a.bin | tr '\t' @ | diff expected -
	"$QPUDIS" - <a.bin | tr '\t' @ | diff expected -
	"$QPUDIS" a.bin >b.qasm
	"$QPUASM" --no-check -o b.bin b.qasm
	cmp a.bin b.bin
}

@test "a word that its text does not assemble to is data, with the text beside it" {
	printf '\xbf\x7d\x9e\x00\xe7\x49\x02\x10' >a.bin
	run "$QPUDIS" a.bin
	[ "$status" -eq 0 ]
	[ "$output" = $'\t.int 0x009e7dbf, 0x100249e7\t# nop' ]
}

@test "words that no source assembles to have the text of the nearest ones" {
	"$QPUASM" --no-check -o a.bin - <<-'END'
	.quad 0x10021e27159e7000, 0x100059f8809e7000, 0x10025e3c959e7009
	.quad 0x100419e7159e7000, 0xe0025e3c00000005, 0xe8021e2700000011
	.quad 0, 0x100249e7009e7dbf
	END
	"$QPUDIS" a.bin | sed 's/^.*# //; s/^\t//' | diff - <(cat <<-'END'
	mov rb56, r0
	nop; mov ra56, r0
	mov rb56, r0; mov t1s, r1
	mov.ifz rb39, r0
	ldi rb56, t1s, 0x5
	sacq rb56, 1
	read ra0; read rb0; bkpt
	nop
	END
	)
}

@test "2^17 words are the longest program" {
	# Data, since each instruction is assembled again, which takes long.
	printf '\xe0\xff\xff\xff\xe7\x09\xc8\xf0%.0s' {1..1024} >part
	for _ in {1..128}; do cat part; done >a.bin
	"$QPUDIS" a.bin >a.qasm
	[ "$(wc -l <a.qasm)" -eq 131072 ]
	[ "$(sort -u a.qasm)" = $'\t.int 0xffffffe0, 0xf0c809e7' ]
	head -c 8 part >>a.bin
	run "$QPUDIS" a.bin
	[ "$status" -eq 1 ]
	[ "$output" = "qpudis: a.bin: the program is too long" ]
}

@test "memory for one line is enough for many" {
	printf '\x00\x70\x9e\x00\xe7\x09\x00\x10%.0s' {1..1000} >part
	for _ in {1..10}; do cat part; done >a.bin
	under_qemu || ulimit -v 400000
	"$QPUDIS" a.bin >a.qasm
	[ "$(wc -l <a.qasm)" -eq 10000 ]
	[ "$(sort -u a.qasm)" = $'\tnop' ]
}

@test "a file that is no program is refused with the reason" {
	printf '12345678' >a.bin
	for bytes in 1 7; do
		head -c "$bytes" a.bin >>b.bin
		run "$QPUDIS" b.bin
		[ "$status" -eq 1 ]
		[ "$output" = "qpudis: b.bin: not a whole number of 8-byte words" ]
		cp a.bin b.bin
	done
	run "$QPUDIS" .
	[ "$status" -eq 1 ]
	[ "$output" = "qpudis: .: cannot be read" ]
	run "$QPUDIS" none
	[ "$status" -eq 1 ]
	[ "$output" = "qpudis: cannot read 'none': No such file or directory" ]
	: >empty
	run "$QPUDIS" --check empty
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	run bash -c '"$1" a.bin >/dev/full' - "$QPUDIS"
	[ "$status" -eq 1 ]
	[ "$output" = "qpudis: standard output: cannot be written" ]
}

@test "wrong options end qpudis with a message and status 1" {
	printf '12345678' >a.bin
	run "$QPUDIS" a.bin a.bin
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "qpudis: only one program can be given" ]
	run "$QPUDIS" --check
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "qpudis: no program given" ]
	run "$QPUDIS" --ignore R99 a.bin
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "qpudis: --ignore: 'R99' is not a rule: there are R1 to R20 and C45 and W200 to W213" ]
	run "$QPUDIS" --frob a.bin
	[ "$status" -eq 1 ]
}

@test "--check reports what is not ignored, and --help has all options" {
	printf 'mov ra1, r0\nmov r0, ra1\nthrend\nnop\nnop\n' | "$QPUASM" --no-check -o a.bin -
	"$QPUDIS" a.bin >text
	run "$QPUDIS" --check a.bin
	[ "$status" -eq 1 ]
	[[ "$output" == *"a.bin:0x8: error: ra1: read directly after it was written [R1]"* ]]
	"$QPUDIS" --check --ignore R1 a.bin 2>&1 | diff text -
	"$QPUDIS" --ignore R2 a.bin 2>&1 | diff text -
	"$QPUDIS" --help >help
	sed -nE 's/^ .*--([a-z-]+)(\[?=(\S+))?  .*/\1 \3/p' help >got
	printf '%s\n' 'check ' 'effort SECONDS' 'ignore RULE,...' \
		'optimise LEVEL]' 'setup ' 'help ' 'usage ' 'version ' |
		diff - got
}

@test "without memory qpudis says so, or writes data, and does not crash" {
	needs preload
	local data=$'\t.int 0x009e7000, 0x100009e7\t# nop' refused=0
	"$QPUASM" -o a.bin - <<<nop
	for n in {0..30}; do
		run env FAULTS=calls:"$n" LD_PRELOAD="$PRELOAD" "$QPUDIS" a.bin
		if [ "$status" -eq 0 ]; then
			[ "$output" = "$data" ] || [ "$output" = $'\tnop' ]
			continue
		fi
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == "qpudis: "*"out of memory" ||
			"$output" == "qpudis: "*"Cannot allocate memory" ]]
		refused=$((refused + 1))
	done
	# The words are one allocation, and three arrays describe each of them.
	[ "$refused" -ge 4 ]
	[ "$output" = $'\tnop' ]
}

@test "a set-up word is explained, as the manual shows it" {
	grep -A2 '^\$ qpudis' "$TOP/man/qpu-setup.7" | sed 's/\\-/-/g' >page
	read -r _ _ option word <page
	tail -n +2 page | diff - <("$QPUDIS" "$option" "$word")
	for word in '' 0x100000000 80904000x -1 a.bin; do
		run "$QPUDIS" --setup -- "$word"
		[ "$status" -eq 1 ]
		[ "$output" = "qpudis: $word: not a word of 32 bits, such as 0x80904000" ]
	done
}

@test "the manual has the functions of vc4.qinc, and the flags of each operation" {
	local name
	sed -n 's/^.*"\.func \([vdh][a-z0-9_]*\)(.*/\1/p' \
		"$TOP/qpu/asm/vc4_qinc.c" |
		grep -vx 'v[a-z]*_\(vector\|column\|place\)' >names
	[ "$(wc -l <names)" -ge 20 ]
	while read -r name; do
		grep -q "$name(" "$TOP/man/qpu-setup.7"
	done <names
	sed -n '/^\.SS Flags/,/^\.SS Operands/p' "$TOP/man/qpuasm.1" |
		grep -E '^(\.B|v8)' >flags
	sed -n 's/^QPU_OP(\(ADD\|MUL\),.*"\(.*\)",.*/\2/p' \
		"$TOP/qpu/isa/isa.def" | grep -vx nop | sort -u >names
	[ "$(wc -l <names)" -ge 25 ]
	while read -r name; do
		grep -qw -- "$name" flags
	done <names
}
