#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# mutation: the map from rooms to suites is complete, and the tool distinguishes
# mutants that a test notices from survivors.

load ../support/common

setup()
{
	enter_scratch
	MAP=$TOP/tests/mutation/rooms
}

words()		# the suites and folders of the map
{
	sed 's/#.*//; s/^[^[:space:]]*//' "$MAP" | tr -s '[:space:]' '\n' |
		sed '/^$/d'
}

@test "every room with C sources has one row, and every row a room and suites" {
	(cd "$TOP" && find src cpu qpu -name '*.c') |
		sed 's|/[^/]*$||' | sort -u >expected
	grep -oE '^[^#[:space:]]+[[:space:]]+[a-z]' "$MAP" | cut -f 1 |
		sort >found
	same expected found
}

@test "every suite of the map is run by make check, and every folder has programs" {
	local word
	while read -r word; do
		case $word in
		*/)	ls "$TOP/tests/$word"test-*.c >/dev/null ;;
		*)	grep -qE "(^|[[:space:]])%D%/${word##*/}( |\$)" \
				"$TOP/tests/${word%/*}/local.mk" ;;
		esac || fail "no such suite: $word"
	done < <(words)
}

@test "every folder with test programs is in the map" {
	(cd "$TOP/tests" && printf '%s\n' */test-*.c) | sed 's|[^/]*$||' |
		sort -u >folders
	[ "$(wc -l <folders)" -gt 15 ]
	words | sort -u | comm -23 folders - >left
	[ ! -s left ] || fail "not in the map: $(cat left)"
}

# A tree with one room, and a test that looks at two of its four functions.
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

	int summed(int a, int b)
	{
		for (; a < 2; a++)
			b += met(a);
		return b + 0;
	}

	int chosen(int a, int b)
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
	cat >tree/room/bounds.h <<-'END'
	int seen(int a, int b);
	int unseen(int a, int b);
	int summed(int a, int b);
	int chosen(int a, int b);
	int met(int a);
	END
	# The endless loop sleeps.
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
		int good = seen(1, 2) == 1 && seen(2, 2) == 0 && seen(3, 2) == 0;

		unseen(1, 2);
		puts(good && summed(0, 0) == 1 ? "ok 1" : "not ok 1");
		return 0;
	}
	END
	cat >tree/Makefile <<-'END'
	tests/test-bounds: tests/test-bounds.c room/bounds.o; $(CC) -o $@ $^
	room/bounds.o: room/bounds.c; $(CC) -Wall -O1 -c -o $@ $<
	END
	printf 'room\ttest-bounds\n' >map
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

@test "mutants are noticed, survive or time out; what does not compile or is the same code is counted apart" {
	needs_python
	example
	cp -r tree before
	mutate --count=100 --patience=4 >report || fail "$(cat report)"
	grep -E '^noticed +[0-9a-f]+ room/bounds.c:6: <  ->  <=  #' report
	grep -E '^SURVIVED +[0-9a-f]+ room/bounds.c:11: >  ->  >=$' report
	grep -qE ':12: 7  ->  \(7 \+ 1\)$' report
	grep -E '^timed out +[0-9a-f]+ room/bounds.c:18: \+\+  ->  --  # .*after' report
	grep -E '^not compiled +[0-9a-f]+ room/bounds.c:26: 1  ->  \(1 \+ 1\)$' report
	grep -E '^same code +[0-9a-f]+ room/bounds.c:20: \+  ->  -$' report
	no_line_but ':(6|1[1-3]|18|19|20|2[5-9]|31): |mutants$|^$|^not counted|^noticed' report
	# Nothing of line 6 survives, and nothing of what no test looks at is noticed.
	grep -E '^SURVIVED.*:6:|^noticed .*:(1[123]|2[5-9]|31):' report >wrong || :
	[ ! -s wrong ]
	[ "$(grep -c '^noticed.*#\|^timed out' report)" = "$(sed -n \
		's/^noticed \([0-9]*\) of.* by time-out$/\1/p' report)" ]
	# The sources are as they were, and so is the copy.
	diff -r before tree
	cmp tree/room/bounds.c built/room/bounds.c
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
	printf 'room\ttest-other test-bounds\n' >map
	id=$(mutate --list --count=100 | sed -n 's/ .*: <  ->  <=$//p')
	RUNS=$PWD/runs mutate --id="$id" >report || fail "$(cat report)"
	grep -q '^noticed .*test-bounds' report
	[ "$(wc -l <runs)" = 1 ]
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
