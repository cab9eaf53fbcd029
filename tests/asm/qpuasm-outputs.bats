# SPDX-License-Identifier: MIT
# The options of qpuasm, and the files that it writes.

load ../support/common

setup() {
	QPUASM="$BUILD/qpuasm"
	enter_scratch
	printf '%s\n' ':top' 'mov r0, unif' '.int 1, 2' '	brr -, r:top' \
		nop nop nop '.byte 3' >a.qasm
}

# fails TEXT ARGUMENT...: with status 1 and this as the first line
fails() {
	run "$QPUASM" "${@:2}"
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "$1" ] || fail "$output"
}

@test "each format has every word" {
	printf '%016x\n' 0x1002082715827d80 0x200000001 \
		0xf0f809e7ffffffd0 0x100009e7009e7000 0x100009e7009e7000 \
		0x100009e7009e7000 3 >hex
	printf '\t0x%s, 0x%s,\n' 15827d80 10020827 00000001 00000002 \
		ffffffd0 f0f809e7 009e7000 100009e7 009e7000 100009e7 \
		009e7000 100009e7 00000003 00000000 >c
	"$QPUASM" --format hex -o - a.qasm | diff hex -
	"$QPUASM" --format=c --output - a.qasm | diff c -
	"$QPUASM" --format=bin -o a.bin a.qasm
	od -An -v -tx8 --endian=little -w8 a.bin | tr -d ' ' | diff hex -
	"$QPUASM" -o - a.qasm | cmp a.bin -
	"$QPUASM" --format hex --format bin -o - a.qasm | cmp a.bin -
}

@test "the listing has every word, the line table every instruction" {
	cat >list <<-'END'
	00000  10020827 15827d80  a.qasm:2: mov r0, unif
	00008  00000002 00000001  a.qasm:3: .int 1, 2
	00010  f0f809e7 ffffffd0  a.qasm:4: @	brr -, r:top
	00018  100009e7 009e7000  a.qasm:5: nop
	00020  100009e7 009e7000  a.qasm:6: nop
	00028  100009e7 009e7000  a.qasm:7: nop
	00030  00000000 00000003  a.qasm:8: .byte 3
	END
	sed -i 's/@//' list
	printf '0 a.qasm:2\tmov r0, unif\n10 a.qasm:4\t\tbrr -, r:top\n' >lines
	printf '%s a.qasm:%s\tnop\n' 18 5 20 6 28 7 >>lines
	"$QPUASM" --list a.lst --lines a.map a.qasm
	diff list a.lst
	diff lines a.map
	"$QPUASM" --list=- a.qasm | diff list -
	"$QPUASM" --lines=- a.qasm | diff lines -
}

@test "wrong options end the program with a message and status 1" {
	local -a many=()
	for i in {1..32}; do many+=(-I "d$i"); done
	mkdir d32
	echo '.set x, 1' >d32/x.qinc
	echo '.include "x.qinc"' >b.qasm
	"$QPUASM" "${many[@]}" b.qasm
	fails "qpuasm: --include: more than 32 times the same option" \
		"${many[@]}" -I d33 b.qasm
	many=()
	for i in {1..32}; do echo ".set y$i, $i" >"y$i"; many+=(-i "y$i"); done
	echo '.assert y1 + y32 == 33' >c.qasm
	"$QPUASM" "${many[@]}" -I d32 c.qasm
	fails "qpuasm: --preload: more than 32 times the same option" \
		"${many[@]}" --preload y1 c.qasm
	fails "qpuasm: --format is bin, hex or c, not 'elf'" --format=elf a.qasm
	fails "qpuasm: only one source can be given" a.qasm b.qasm
	fails "qpuasm: no source given"
	run "$QPUASM" --frob a.qasm
	[ "$status" -eq 1 ]
	run "$QPUASM" missing.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == "qpuasm: error: cannot read 'missing.qasm': "* ]]
}

@test "options may stand apart from their values, and are all in --help" {
	mkdir lib
	echo '.set x, 1' >lib/x.qinc
	printf '.include <x.qinc>\nmov ra1, y\nmov r0, ra1\n' >b.qasm
	echo '.set y, 2' >y.qinc
	run "$QPUASM" --include lib --preload y.qinc b.qasm
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "b.qasm:3:1: error: ra1: read directly after it was written [R1]" ]
	"$QPUASM" --include lib --preload y.qinc --ignore R1 b.qasm
	"$QPUASM" -Ilib -iy.qinc --no-check -o b.bin b.qasm
	[ "$(wc -c <b.bin)" -eq 16 ]
	"$QPUASM" --help >help
	sed -nE 's/^ .*--([a-z-]+)(=(\S+))?  .*/\1 \3/p' help >got
	printf '%s\n' 'for mailbox|drm' 'format bin|hex|c' \
		'ignore RULE,...' 'preload FILE' \
		'include DIR' 'lines FILE' 'list FILE' 'no-check ' \
		'output FILE' 'help ' 'usage ' 'version ' >expected
	diff expected got
}

@test "an error at the end of any output is told, and nothing is left" {
	# A link: so no mistake can remove the device.
	ln -s /dev/full full
	for option in -o --list= --lines=; do
		run "$QPUASM" "${option}full" a.qasm
		[ "$status" -eq 1 ]
		[ "$output" = "qpuasm: cannot write 'full': No space left on device" ]
	done
	for format in hex c; do
		run "$QPUASM" --format=$format --list=new -o full a.qasm
		[ "$status" -eq 1 ]
		[ "$output" = "qpuasm: cannot write 'full': No space left on device" ]
		[ ! -e new ]
	done
	run bash -c '"$1" -o - a.qasm >/dev/full' - "$QPUASM"
	[ "$status" -eq 1 ]
	[ "$output" = "qpuasm: cannot write '-': No space left on device" ]
	run "$QPUASM" -o . a.qasm
	[ "$status" -eq 1 ]
	[ "$output" = "qpuasm: cannot write '.': Is a directory" ]
	run "$QPUASM" -o new --list=no/dir --lines=new2 a.qasm
	[ "$status" -eq 1 ]
	[ "$output" = "qpuasm: cannot write 'no/dir': No such file or directory" ]
	[ ! -e new ] && [ ! -e new2 ]
	# What was there is not changed, and a link stays one.
	echo old >out.bin
	run "$QPUASM" -o out.bin --list=no/such/dir a.qasm
	[ "$(cat out.bin)" = old ]
	ln -s out.bin link.bin
	"$QPUASM" -o link.bin --lines=/dev/null a.qasm
	[ -h link.bin ]
	[ "$(wc -c <out.bin)" -eq 56 ]
}

@test "what was in a file is replaced, whole" {
	head -c 1000 /dev/zero >a.bin
	echo -n old >a.lst
	chmod 600 a.bin
	(umask 0 && "$QPUASM" -o a.bin --list=a.lst --lines=a.map a.qasm)
	[ "$(wc -c <a.bin)" -eq 56 ]
	[ "$(wc -l <a.lst)" -eq 7 ]
	[ "$(stat -c %a a.bin a.map)" = $'600\n666' ]
	"$QPUASM" -o b.bin a.qasm
	cmp a.bin b.bin
}

@test "standard output is never shortened, and may be any file" {
	echo first >out
	"$QPUASM" --format=hex -o - a.qasm >>out
	[ "$(wc -l <out)" -eq 8 ]
	[ "$(head -n 1 out)" = first ]
	# Even the source itself.
	cp a.qasm b.qasm
	ln b.qasm same
	"$QPUASM" --format=hex -o - b.qasm >>same
	[ "$(wc -l <b.qasm)" -eq 15 ]
	# "-" is standard output, though there is a file of that name.
	echo old >./-
	"$QPUASM" --format=hex -o - --list=./- a.qasm >out
	[ "$(wc -l <out)" -eq 7 ]
	[ "$(head -c 5 ./-)" = 00000 ]
	"$QPUASM" -o - --list=- a.qasm >out
	[ "$(tail -n 1 out)" = "00030  00000000 00000003  a.qasm:8: .byte 3" ]
}

@test "two outputs are not one file, under whatever names" {
	mkdir d
	ln -s ../two d/link
	echo old | tee one >two
	ln one same
	for pair in '-o one --list=same' '-o one --lines=same' \
		'--list=one --lines=./one' '-o d/link --lines=two'; do
		# shellcheck disable=SC2086 # words
		run "$QPUASM" $pair a.qasm
		[ "$status" -eq 1 ]
		[ "$output" = "qpuasm: cannot write '${pair##*=}': it is a source or another output" ]
		[ "$(cat one)" = old ]
	done
	"$QPUASM" -o one --list=two --lines=three a.qasm
	[ "$(wc -c <one)" -eq 56 ]
}
