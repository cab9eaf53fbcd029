#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# bench: which runs count, and how the tables show them.  The stop watch is a stub
# that reports planned times.

load ../support/common

setup()
{
	enter_scratch
	cat >cputime <<-'END'
		#!/bin/sh
		report=$1
		shift
		"$@" || exit
		if [ "$1" = "$QPU_SHA256SUM" ]; then
			echo >>"$PLAN.done"
			line=$(sed -n "$(wc -l <"$PLAN.done")p" "$PLAN")
		fi
		echo "${line:-100000 100000 0}" >>"$report"
	END
	chmod +x cputime
	mkdir peers tree
	echo text >tree/file
	export CPUTIME=$PWD/cputime PLAN=$PWD/plan WORKLOADS=tree TREE=$PWD/tree
	export QPU_SHA256SUM=$PROGRAM PEERS=$PWD/peers
	export THREADS=
	unset SCALE RUNS BENCH_TABLE LOOP
	: >plan
}

bench()
{
	bash "$TOP/tests/bench/$1.sh" >table 2>err
}

@test "the medians are of the quiet runs only" {
	cat >plan <<-END
		0 0 0
		200000 400000 0
		900000 900000 130000
		220000 400000 60000
		210000 420000 0
	END
	RUNS=3 bench run
	grep -Eq '^  ours  +0\.210  +0\.400  +1\.00  +1\.00  +3/4$' table
	[ "$(grep -c disturbed table)" = 0 ]
}

@test "without quiet runs the medians are of all runs, and marked as disturbed" {
	cat >plan <<-END
		0 0 0
		300000 300000 900000
		100000 100000 900000
		200000 200000 900000
	END
	RUNS=1 bench run
	grep -Eq '^  ours  +0\.200 .* 0/3  disturbed$' table
}

@test "the time of a call of true with the same names is subtracted" {
	touch tree/{0..9}
	cat >plan <<-END
		0 0 0
		300000 400000 0
	END
	RUNS=1 bench run
	grep -Eq '^  ours  +0\.200  +0\.300  +1\.00' table
}

@test "peers are called with their own syntax, and their digests compared" {
	cat >peers/coreutils-x <<-'END'
		#!/bin/sh
		[ "$1" = sha256sum ] || exit
		[ "$2" != --version ] ||
			{ echo 'sha256sum (uutils coreutils) 9.9'; exit; }
		shift
		exec sha256sum -- "$@"
	END
	printf '#!/bin/sh\nexec md5sum "$@"\n' >peers/other
	chmod +x peers/*
	RUNS=1 bench run
	grep -Eq '^  uutils 9\.9  +0\.100' table
	grep -q ' other digests$' table
}

@test "the loop over the library and runs with one thread take part, on files and on a list of names" {
	LOOP=$BUILD/tests/bench/loop THREADS=1 WORKLOADS='tree names' RUNS=1 \
		bench run
	cat table >&2
	grep -q '^1 real files, --files0-from$' table
	[ "$(grep -cE '^  (ours|loop)(, threads: 1)?  ' table)" = 8 ]
	[ "$(grep -c 'other digests' table)" = 0 ]
}

@test "README's table has ratios, marks disturbed ones, and leaves out peers with other digests" {
	cat >saved <<-'END'
		machine: One CPU
		date: 2026-11-26
		median of 5 ...
		1600 files of 4 KiB
		  coreutils 9.7          0.022     0.125    1.94    1.86     5/6
		  busy box               0.015     0.073    1.36    1.09     0/6  disturbed
		  other                  0.015     0.073    1.36    1.09     1/1  other digests
		  ours                   0.011     0.067    1.00    1.00     5/6
		-c, 1600 files of 4 KiB
		  coreutils 9.7          0.022     0.125    1.50    1.25     6/6
		  ours                   0.011     0.067    1.00    1.00     6/6
	END
	BENCH_TABLE=saved bench table
	diff - table <<-'END'
		| workload | coreutils 9.7 | busy box |
		|---|---|---|
		| 1600 files of 4 KiB | 1.94 / 1.86 | ~1.36 / ~1.09 |
		| -c, 1600 files of 4 KiB | 1.50 / 1.25 | - |

		One CPU, 2026-11-26; 23 of 31 runs were quiet.
	END
}

@test "on modelled boards CPU and QPUs together are not slower than one alone" {
	[ -x "$BUILD/tests/bench/boards" ] || skip "built without QPUs"
	local list
	for list in 'log-uniform, 1 B to 1 MiB' '120,000 bytes'; do
		"$BUILD/tests/bench/boards" "$list" >table
		# Six boards; in the column "of better" at least 97 %.
		awk '/%$/ { n++; slow += $(NF - 3) < 97 }
			END { exit n != 6 || slow > 0 }' table ||
			fail "$(cat table)"
	done
}
