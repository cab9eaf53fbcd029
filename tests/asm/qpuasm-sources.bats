# SPDX-License-Identifier: MIT
# The files that qpuasm reads: where it looks for them, and how large they are.

load ../support/common

setup() {
	QPUASM="$BUILD/qpuasm"
	enter_scratch
}

# Lines of standard input as a source.
source_is() {
	cat >"$1"
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

@test "<name> is looked for in -I first, and -i runs files before the source" {
	mkdir lib
	echo '.set x, 2' >x.qinc
	echo '.set x, 3' >lib/x.qinc
	printf '.include <x.qinc>\nmov r0, x\n' >a.qasm
	printf 'mov r0, x\n' >b.qasm
	run "$QPUASM" -I lib --format=hex -o - a.qasm
	[ "$status" -eq 0 ]
	[ "$output" = d0020827159c3fc0 ]
	run "$QPUASM" --format=hex -o - a.qasm
	[ "$output" = d0020827159c2fc0 ]
	run "$QPUASM" -i x.qinc --format=hex -o - b.qasm
	[ "$status" -eq 0 ]
	[ "$output" = d0020827159c2fc0 ]
	rm x.qinc
	run "$QPUASM" -I lib --preload=x.qinc --format=hex -o - b.qasm
	[ "$output" = d0020827159c3fc0 ]
	run "$QPUASM" -i x.qinc b.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == "qpuasm: error: cannot read 'x.qinc': "* ]]
	printf '.include <x.qinc\n' >a.qasm
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "a.qasm:1:10: error: a file name in quotes or in angle brackets is expected [E122]" ]]
}

@test "<name> may hold what is no token, and nothing but a comment follows it" {
	mkdir lib
	echo '.set x, 3' >lib/x.qinc
	cp lib/x.qinc 'lib/y$@'\''.qinc'
	for name in ./x.qinc ../lib/x.qinc .//x.qinc "y\$@'.qinc"; do
		printf '.include <%s>#>\nmov r0, x\n' "$name" >a.qasm
		run "$QPUASM" -I lib --format=hex -o - a.qasm
		[ "$status" -eq 0 ]
		[ "$output" = d0020827159c3fc0 ]
	done
	printf 'nop\n.include <./none>\n' >a.qasm
	run "$QPUASM" -I lib a.qasm
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "a.qasm:2:10: error: cannot read './none': No such file or directory [E100]" ]
	printf '.include <x.qinc> x\n' >a.qasm
	run "$QPUASM" -I lib a.qasm
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "a.qasm:1:19: error: unexpected text at the end of the line [E103]" ]
}

@test "a file that never ends is refused, not read" {
	echo '.include "/dev/zero"' >a.qasm
	under_qemu || ulimit -v 1500000
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == "a.qasm:1:10: error: cannot read '/dev/zero': File too large"* ]]
}

# Lines take far more memory than their bytes.
@test "files with too many lines, alone or together, are refused" {
	yes '' | head -n 1100000 >long.qinc
	head -n 600000 long.qinc | tee half.qinc >other.qinc
	printf '.include "%s"\n' half.qinc other.qinc half.qinc >a.qasm
	printf '.include "long.qinc"\n%.0s' {1..1000} >b.qasm
	under_qemu || ulimit -v 500000
	run "$QPUASM" long.qinc
	[ "$status" -eq 1 ]
	[[ "$output" == "qpuasm: error: cannot read 'long.qinc': File too large"* ]]
	run "$QPUASM" a.qasm
	[ "$status" -eq 1 ]
	[[ "$output" == "a.qasm:2:10: error: cannot read 'other.qinc': File too large"* ]]
	run "$QPUASM" b.qasm
	[ "$status" -eq 1 ]
	[ "$(grep -c error: <<<"$output")" = 1 ]
}

# 4095 bytes are the longest path, and those name another file here.
@test "the name of an included file is not cut" {
	local beside far
	beside=$(printf './%.0s' {1..2044})/near.qinc
	far=$(printf './%.0s' {1..2043})/near.qinc
	mkdir lib
	echo '.set x, 1' | tee near >lib/near
	echo ".include \"$beside\"" >a.qasm
	echo ".include \"$far\"" >b.qasm
	for name in a.qasm b.qasm; do
		run "$QPUASM" -I lib "./$name"
		[ "$status" -eq 1 ]
		[[ "$output" == *": error: cannot read './././"* ]]
	done
}
