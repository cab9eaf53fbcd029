# SPDX-License-Identifier: MIT
# The command line of qpuasm: where sources come
# from, messages on standard error, the exit status, options, and files that are
# written only when all is well.  What a source gives is in *.golden.

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

@test "a source that is wrong has messages with place and caret, status 1, and no output" {
	source_is a.qasm <<-'END'
	nop
	add r0, ra1, ra2
	frob
	END
	run "$QPUASM" -o a.bin a.qasm
	[ "$status" -eq 1 ]
	same - <(printf '%s\n' "${lines[@]}") <<-'END'
	a.qasm:2:14: error: regfile A is read at ra1 and ra2 in one instruction [E141]
	    add r0, ra1, ra2
	                 ^
	a.qasm:3:1: error: unknown instruction 'frob' [E130]
	    frob
	    ^
	END
	[ ! -e a.bin ]
	for _ in $(seq 30); do echo frob; done >a.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[ "$(grep -c 'unknown instruction' <<<"$output")" -eq 20 ]
	[ "${lines[-1]}" = 'qpuasm: too many errors, 10 not shown' ]
}

@test "after m4 -s errors and hazards name the line of the macro source" {
	command -v m4 >/dev/null || skip 'm4 is not installed'
	source_is a.m4 <<-'END'
	define(`load', `mov $1, unif
	add $1, ra1, $2')dnl
	nop
	load(r0, rb2)
	load(r1, ra2)
	END
	source_is b.m4 <<-'END'
	define(`hurry', `mov $1, r0
	add r1, $1, r2')dnl
	nop
	hurry(ra5)
	thrend
	nop
	nop
	END
	m4 -s a.m4 >a.qasm
	m4 -s b.m4 >b.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ "${lines[0]}" == "a.m4:5:14: error: regfile A is read at ra1 and ra2"* ]]
	[ "${lines[1]}" = "    add r1, ra1, ra2" ]
	[ "${lines[2]}" = "                 ^" ]
	run "$QPUASM" -o a.bin b.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == *"b.m4:4:1: error: ra5: read directly after it was written [R1]"* ]]
	[[ "$output" == *"    add r1, ra5, r2"* ]]
	[[ "$output" == *"b.m4:4:1: note: because of this instruction"* ]]
	[ ! -e a.bin ]
	run "$QPUASM" --no-check -o a.bin b.qasm
	[ "$status" -eq 0 ]
	[ -e a.bin ]
}

@test "standard input is a source, too" {
	run "$QPUASM" --no-check --format=hex -o - - <<-'END'
	# 7 "macros.m4"
	nop
	END
	[ "$status" -eq 0 ]
	[ "$output" = "100009e7009e7000" ]
}

@test "-I names directories for included files, -i files to run before" {
	mkdir sub lib
	source_is sub/a.qasm <<-'END'
	.include "beside.qinc"
	.include "far.qinc"
	.include <x.qinc>
	mov r0, near + far + x
	END
	echo '.set near, 2' >sub/beside.qinc
	echo '.set far, 3' >lib/far.qinc
	echo '.set x, 4' >lib/x.qinc
	run "$QPUASM" sub/a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "sub/a.qasm:2:10: error: cannot read 'far.qinc'"* ]]
	run "$QPUASM" --no-check -I lib --format=hex -o - sub/a.qasm
	[ "$status" -eq 0 ]
	[ "$output" = d0020827159c9fc0 ]
	echo 'mov r0, x' >b.qasm
	run "$QPUASM" --no-check -I lib --preload=x.qinc --format=hex -o - b.qasm
	[ "$output" = d0020827159c4fc0 ]
	run "$QPUASM" -i x.qinc b.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == "qpuasm: error: cannot read 'x.qinc': "* ]]
}

# Time that grew with the square would be hours here.
@test "fifty thousand names assemble at once: wrong ones, removed ones, labels, macros" {
	seq 50000 >numbers
	sed 's/.*/mov r0, wrong&/' numbers >a.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "a.qasm:1:9: error: 'wrong1' is not defined"* ]]
	{
		sed 's/.*/.set name&, &/' numbers
		head -n 30000 numbers | sed 's/.*/:l& .int name&/'
		sed 's/.*/.unset name&/' numbers
		head -n 2000 numbers |
			sed 's/.*/.macro m&\n.int &\n.endm\nm&/'
		echo '.int :l30000'
	} >b.qasm
	"$QPUASM" --format=hex -o a.hex b.qasm
	[ "$(wc -l <a.hex)" -eq 16001 ]
	[ "$(tail -n 1 a.hex)" = 000000000001d4bc ]
}

@test "a warning does not stop, and --ignore silences the rules and warnings that it names" {
	source_is a.qasm <<-'END'
	mov ra1, r0
	mov.ifnc r0, ra1
	mov t0s, r0; ldtmu0
	thrend
	nop
	nop
	END
	run "$QPUASM" --ignore=R1,W200 -o a.bin a.qasm
	[ "$status" -eq 0 ]
	[ -e a.bin ]
	[[ "$output" == *"a.qasm:3:1: warning: "*"[R9]"* ]]
	[[ "$output" != *"[R1]"* && "$output" != *"[W200]"* ]]
	run "$QPUASM" --ignore=R1 --ignore=R9,W200,C45 a.qasm
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	run "$QPUASM" --ignore=R1,R21 a.qasm
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "qpuasm: --ignore: 'R21' is not a rule: there are R1 to R20 and C45 and W200 to W213" ]
}

@test "--for=drm names the kernel's rule that a program breaks, or what the kernel counts" {
	source_is a.qasm <<-'END'
	max r0, r0, 0
	min r0, r0, unif
	add t0s, r0, unif
	ldtmu0
	sbwait
	mov tlbm, r4
	thrend
	nop
	sbdone
	END
	run "$QPUASM" --for=drm -o a.bin a.qasm
	[ "$status" -eq 0 ]
	[ "$output" = "a.qasm: note: the kernel's driver vc4 accepts it; uniforms: 2, lookups: 1, address words: 0" ]
	[ -s a.bin ]
	sed -i '2d' a.qasm
	run "$QPUASM" --for=drm -o b.bin a.qasm
	[ "$status" -eq 1 ]
	same - <(printf '%s\n' "${lines[@]}") <<-'END'
	a.qasm:2:1: error: the kernel's driver vc4: the first operand of a direct lookup must be clamped in this block: max with 0, then min with a uniform [D24]
	    add t0s, r0, unif
	    ^
	END
	[ ! -e b.bin ]
}

@test "sbdone without mutex and DMA makes a shader, in which R14 is a note" {
	printf '%s\n' 'mov.setf r0, vary' 'mov tlb_z, rb15; sbwait' 'mov t0t, r0' \
		'mov.ifz tlbc, r0; thrend' nop 'nop; nop; sbdone' >a.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 0 ]
	[ "$output" = "a.qasm: note: R14 is off: sbdone, without the mutex and DMA, makes it a fragment shader" ]
	run "$QPUASM" --ignore=R14 a.qasm
	[ "$output" = "" ]
	for line in 'mov vw_addr, r0' 'mov -, mutex' 'mov mutex, r0'; do
		run "$QPUASM" - < <(echo "$line"; cat a.qasm)
		[ "$status" -eq 1 ]
		grep -q 'error: vary: only graphics shaders can use this \[R14\]' <<<"$output"
	done
	run "$QPUASM" - < <(sed 's/; sbdone//' a.qasm)
	[ "$status" -eq 1 ]
}

@test "no source is overwritten, under whatever name" {
	echo nop >a.qasm
	echo '.include "a.qasm"' >all.qasm
	run "$QPUASM" --no-check -o a.qasm all.qasm
	[ "$status" -eq 1 ]
	[ "$output" = "qpuasm: cannot write 'a.qasm': it is a source" ]
	run "$QPUASM" --no-check -i a.qasm --list=a.qasm all.qasm
	[ "$status" -eq 1 ]
	[ "$(cat a.qasm)" = nop ]
	ln a.qasm same.qasm
	ln -s a.qasm link
	for file in '-o a.qasm' '--list=same.qasm' '--lines=link'; do
		# shellcheck disable=SC2086 # an option and its value
		run "$QPUASM" --no-check $file a.qasm
		[ "$status" -eq 1 ]
		[ "$output" = "qpuasm: cannot write '${file##*[= ]}': it is a source" ]
	done
	run "$QPUASM" --no-check -o a.qasm - <a.qasm
	[ "$status" -eq 1 ]
	[ "$(cat a.qasm)" = nop ]
	"$QPUASM" --no-check -o /dev/null --lines=/dev/null a.qasm
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

@test "without memory for its options a tool says so, and does not crash" {
	needs preload
	printf '\x80\x7d\x82\x15\x27\x08\x02\x10' >a.bin
	echo nop >a.qasm
	tools=("$QPUASM:a.qasm" "$QPUDIS:a.bin")
	! built_with tools || tools+=("$BUILD/qpurun:--uniforms=0")
	! built_with qpuemu || tools+=("$BUILD/qpuemu:true")
	for tool in "${tools[@]}"; do
		status=0
		env FAULTS=calls:0 LD_PRELOAD="$PRELOAD" \
			"${tool%:*}" "${tool##*:}" >out 2>&1 || status=$?
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
		sed -nE 's/^RULE\((1?[0-9]|20),.*/R\1/p' \
			"$TOP/qpu/isa/rules.def"
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

# words_are_in_a: a source with instructions, data and a partial word
words_are_in_a() {
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
	words_are_in_a
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
	words_are_in_a
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
	words_are_in_a
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
	words_are_in_a
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
	sed -nE 's/^ .*--([a-z-]+)(\[?=(\S+))?  .*/\1 \3/p' help >got
	printf '%s\n' 'effort SECONDS' 'for mailbox|drm' 'format bin|hex|c' \
		'ignore RULE,...' 'preload FILE' \
		'include DIR' 'lines FILE' 'list FILE' 'no-check ' \
		'output FILE' 'optimise LEVEL]' 'help ' 'usage ' 'version ' >expected
	diff expected got
}

@test "an error at the end of any output is told, and nothing is left" {
	words_are_in_a
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
	# The old file is unchanged, and a link stays a link.
	echo old >out.bin
	run "$QPUASM" -o out.bin --list=no/such/dir a.qasm
	[ "$(cat out.bin)" = old ]
	ln -s out.bin link.bin
	"$QPUASM" -o link.bin --lines=/dev/null a.qasm
	[ -h link.bin ]
	[ "$(wc -c <out.bin)" -eq 56 ]
}

@test "what was in a file is replaced, whole" {
	words_are_in_a
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
	words_are_in_a
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

@test "a warning of a line that is assembled often is told once, with its count" {
	printf '%s\n' '.rep i, 3' 'srel -, 16' 'sacq -, 17' '.endr' thrend \
		nop nop >often.qasm
	run "$QPUASM" -o often.bin often.qasm
	[ "$(grep -c W212 <<<"$output")" = 2 ]
	[[ "$output" == *'often.qasm:2:9: warning: '*'[W212] (3 times)'* ]]
}
