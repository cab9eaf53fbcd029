#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# mutation: the map from rooms to suites is complete, and the tool tells
# mutants that a test notices from those that none does.

load ../support/common

setup()
{
	enter_scratch
	MAP=$TOP/tests/mutation/rooms
	# Not a part of the make that runs this test.
	unset MAKEFLAGS MFLAGS MAKELEVEL
}

rooms()		# the rooms of the map
{
	grep -oE '^[^#[:space:]]+' "$MAP"
}

suites()	# the suites of the map
{
	grep -E '^[[:space:]]' "$MAP" | tr -s '[:space:]' '\n' | sed '/^$/d'
}

@test "every room with C sources has one row, and every row a room" {
	(cd "$TOP" && find src cpu qpu -name '*.c') |
		sed 's|/[^/]*$||' | sort -u >expected
	rooms | sort >found
	same expected found
}

@test "every suite of the map exists, and make check runs it" {
	local suite file
	[ "$(suites | wc -l)" -gt 50 ]
	while read -r suite; do
		file=$suite
		[ -e "$TOP/$file" ] || file=$suite.c
		[ "${file##*.}" != "${suite##*/}" ] || fail "no kind: $suite"
		[ -f "$TOP/$file" ] || fail "no suite: $suite"
		grep -qE "(^|[[:space:]])%D%/${suite##*/}( |\$)" \
			"$TOP/${suite%/*}/local.mk" || fail "not run: $suite"
	done < <(suites)
}

@test "every program that make check runs as a test is in the map" {
	(cd "$TOP" && grep -oE '%D%/test-[a-z0-9-]+' tests/*/local.mk) |
		sed 's|local.mk:%D%/||' | sort -u >programs
	[ "$(wc -l <programs)" -gt 50 ]
	suites | sort -u | comm -23 programs - >left
	[ ! -s left ] || fail "not in the map: $(cat left)"
}

@test "every row names suites" {
	awk '/^[^#[:space:]]/ { if (room && !n) print room; room = $1; n = 0 }
		/^[[:space:]]/ { n += NF }
		END { if (!n) print room }' "$MAP" >empty
	[ ! -s empty ] || fail "no suite: $(cat empty)"
}

# A tree with one room, and a test that looks at one of its two functions.
example()
{
	mkdir -p tree/room tree/tests
	cat >tree/room/bounds.c <<-'END'
	#include "bounds.h"

	/* a < b in a comment stays as it is, and so does "a < b" */
	int seen(int a, int b)
	{
		return a < b;
	}

	int unseen(int a, int b)
	{
		if (a > b)
			return 7;
		return 3;
	}
	END
	cat >tree/room/bounds.h <<-'END'
	int seen(int a, int b);
	int unseen(int a, int b);
	END
	cat >tree/tests/test-bounds.c <<-'END'
	#include <stdio.h>
	#include "../room/bounds.h"
	int main(void)
	{
		int good = seen(1, 2) == 1 && seen(2, 2) == 0 && seen(3, 2) == 0;

		unseen(1, 2);
		printf("%sok 1 - seen\n1..1\n", good ? "" : "not ");
		return !good;
	}
	END
	cat >tree/Makefile <<-'END'
	tests/test-bounds: tests/test-bounds.c room/bounds.o; $(CC) -o $@ $^
	room/bounds.o: room/bounds.c; $(CC) -Wall -O1 -c -o $@ $<
	END
	printf 'room\n\ttests/test-bounds\n' >map
}

mutate()
{
	python3 "$TOP/tests/mutation/mutation.py" --source=tree --build=built \
		--rooms=map "$@"
}

needs_python()
{
	command -v python3 >/dev/null || skip "python3 is not installed"
	command -v cc >/dev/null || skip "no C compiler called cc"
}

@test "a mutant that a test notices and one that none does are told apart" {
	needs_python
	example
	cp -r tree before
	mutate --count=100 >report || fail "$(cat report)"
	grep -E '^noticed +[0-9a-f]+ room/bounds.c:6: <  ->  <=  #' report
	grep -E '^SURVIVED +[0-9a-f]+ room/bounds.c:11: >  ->  >=$' report
	no_line_but ':(6|11|12|13): |mutants$|^$|^not counted|^noticed' report
	grep -qE ':12: 7  ->  \(7 \+ 1\)$' report
	# Nothing of line 6 survives, and nothing else is noticed.
	grep -E '^SURVIVED.*:6:|^noticed .*:1[123]:' report >wrong || :
	[ ! -s wrong ]
	[ "$(grep -c '^noticed.*#' report)" = "$(sed -n \
		's/^noticed \([0-9]*\) of.*/\1/p' report)" ]
	# The sources are as they were, and so is the copy.
	diff -r before tree
	cmp tree/room/bounds.c built/room/bounds.c
}

@test "a loop without end, what does not compile, and the same code are counted apart" {
	needs_python
	example
	cat >tree/room/bounds.c <<-'END'
	#include "bounds.h"

	int seen(int a, int b)
	{
		for (; a < 2; a++)
			b += met(a);
		return b + 0;
	}

	int unseen(int a, int b)
	{
		switch (a) {
		case 1:
			return b;
		case 2:
			break;
		}
		return b;
	}
	END
	# What runs for ever does so at leisure.
	echo 'int met(int a);' >>tree/room/bounds.h
	cat >tree/tests/test-bounds.c <<-'END'
	#include <stdio.h>
	#include <unistd.h>
	#include "../room/bounds.h"
	int met(int a)
	{
		return a < 0 && usleep(10000) ? 0 : a;
	}
	int main(void)
	{
		puts(seen(0, 0) == 1 ? "ok 1" : "not ok 1");
		return 0;
	}
	END
	mutate --count=100 --patience=4 >report || fail "$(cat report)"
	grep -E '^timed out +[0-9a-f]+ room/bounds.c:5: \+\+  ->  --  # .*after' report
	grep -E '^not compiled +[0-9a-f]+ room/bounds.c:13: 1  ->  \(1 \+ 1\)$' report
	grep -E '^same code +[0-9a-f]+ room/bounds.c:7: \+  ->  -$' report
	grep -E '^noticed [0-9]+ of [0-9]+ \([0-9]+ %\), 1 of them by time-out$' report
}

@test "a test that the mutant is no part of is not run" {
	needs_python
	example
	cat >tree/tests/test-other.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	int main(void)
	{
		FILE *log = fopen(getenv("RUNS"), "a");

		fputs("run\n", log);
		puts("ok 1");
		return fclose(log);
	}
	END
	echo 'tests/test-other: tests/test-other.c; $(CC) -o $@ $^' \
		>>tree/Makefile
	printf 'room\n\ttests/test-other tests/test-bounds\n' >map
	RUNS=$PWD/runs mutate --count=5 >report || fail "$(cat report)"
	grep -q '^noticed .*test-bounds' report
	[ "$(wc -l <runs)" = 1 ]
}

@test "what a suite leaves behind goes, however deep it is" {
	needs_python
	example
	cat >tree/tests/test-bounds.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/stat.h>
	#include <unistd.h>
	int main(void)
	{
		int good = chdir(getenv("TMPDIR")) == 0;

		for (int i = 0; i < 1500; i++)
			good = good && mkdir("d", 0700) == 0 && chdir("d") == 0;
		puts(good ? "ok 1" : "not ok 1");
		return !good;
	}
	END
	mutate --count=2 >report 2>&1 || fail "$(tail -n 3 report)"
	grep -q '^noticed 0 of 2' report
	[ ! -e built/mutation-scratch ]
}

@test "the seed chooses, the same each time" {
	needs_python
	example
	mutate --list --count=4 --seed=1 >first
	mutate --list --count=4 --seed=1 >again
	mutate --list --count=4 --seed=2 >other
	[ "$(wc -l <first)" = 5 ]
	same first again
	run cmp -s first other
	[ "$status" = 1 ]
}
