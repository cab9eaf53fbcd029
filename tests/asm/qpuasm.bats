# SPDX-License-Identifier: MIT
# What the command line of qpuasm adds to the assembler: where sources come
# from, messages on standard error, the exit status, and files that are written
# only when all is well.  What a source gives is in *.golden.

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

@test "a warning is told and does not stop" {
	echo 'mov t0s, r0; ldtmu0' >a.qasm
	run "$QPUASM" -o a.bin a.qasm
	[ "$status" -eq 0 ]
	[[ "$output" == *"a.qasm:1:1: warning: "*"[R9]"* ]]
	[ -e a.bin ]
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

@test "--ignore silences the rules and warnings that it names" {
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
	[[ "$output" == *"[R9]"* ]]
	[[ "$output" != *"[R1]"* && "$output" != *"[W200]"* ]]
	run "$QPUASM" --ignore=R1 --ignore=R9,W200 a.qasm
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	run "$QPUASM" --ignore=R1,R21 a.qasm
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "qpuasm: --ignore: 'R21' is not a rule: there are R1 to R20 and W200 to W211" ]
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
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	grep -q 'R14' <<<"$output"
	sed -i '2d' a.qasm
	run "$QPUASM" --for=drm -o b.bin a.qasm
	[ "$status" -eq 1 ]
	same - <(printf '%s\n' "${lines[@]}") <<-'END'
	a.qasm:2: error: the kernel's driver vc4: the first operand of a direct lookup must be clamped in this block: max with 0, then min with a uniform [D24]
	    add t0s, r0, unif
	END
	[ ! -e b.bin ]
}

@test "a source or another output is not overwritten" {
	echo nop >a.qasm
	echo 'mov r0, 1' >before.qasm
	mkdir lib
	echo '.include <far.qinc>' >>a.qasm
	echo '.set x, 1' >lib/far.qinc
	ln a.qasm same.qasm
	ln -s before.qasm link
	for file in '-o a.qasm' '--list=same.qasm' '--lines=link' \
		'-o lib/far.qinc'; do
		# shellcheck disable=SC2086 # an option and its value
		run "$QPUASM" --no-check -I lib -i before.qasm $file a.qasm
		[ "$status" -eq 1 ]
		[ "$output" = "qpuasm: cannot write '${file##*[= ]}': it is a source or another output" ]
	done
	run "$QPUASM" -I lib -o a.qasm - <a.qasm
	[ "$status" -eq 1 ]
	[ "$(cat before.qasm a.qasm lib/far.qinc)" = \
		$'mov r0, 1\nnop\n.include <far.qinc>\n.set x, 1' ]
	echo nop >a.qasm
	"$QPUASM" -o /dev/null --lines=/dev/null a.qasm
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
			"$TOP/qpu/asm/diagnostic.h"
		echo .foreach .half .bit .clone .align .include .rodata .long |
			tr ' ' '\n'
	} | grep -vxE 'r[0-3]' >names
	[ "$(wc -l <names)" -gt 100 ]
	while read -r name; do
		grep -qxF -- "$name" words || fail "no $name"
	done <names
}
