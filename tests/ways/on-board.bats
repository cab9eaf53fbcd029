#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# on-board: what a user sees of the program is the same when its messages are
# hashed by the QPUs of a virtual Raspberry Pi.

load pi

# Command lines, each with its input; streams and statuses on a board are those
# of the CPU.
@test "command lines have the output and the status that they have on the CPU" {
	needs_shell
	mkdir d
	printf abc >abc
	: >empty
	head -c 20000 /dev/urandom >"long name"
	printf x >$'new\nline'
	sha256sum abc empty 'long name' >right
	sed 's/^./0/' right >wrong
	echo 'no line of a list' >>wrong
	cat >lines <<-'END'
	abc empty "long name" d nowhere
	- </dev/null
	- abc - <abc
	--tag -z abc new*
	-b abc ./new*
	--zero --text abc
	-c right
	-c --quiet --ignore-missing wrong
	-c --strict -w wrong
	-c --status wrong
	-c - <right
	--files0-from=- < <(printf "abc\\0empty\\0nowhere\\0")
	-r d
	--json abc empty
	--verify abc "long name"
	END
	while IFS= read -r line; do
		printf 'qpu-sha256sum --device=$1 %s; echo "status $?"\n' \
			"$line"
	done <lines >script
	PATH=$BUILD:$PATH
	bash script cpu >right.out 2>&1
	[ "$(grep -c '^status' right.out)" = "$(wc -l <lines)" ]
	in_shell '--board=zero2 --leaks=error' 'bash script qpu' >log 2>&1
	sed 's/"mailbox"/"cpu"/' log >out
	same right.out out
}

@test "digests, streams, changes and read errors: suites that know no device" {
	needs_shell
	command -v bats >/dev/null || skip "bats cannot be found"
	# Below /dev mkdir -p would make directories of the board's.
	[[ ${TMPDIR-} != /dev/* ]] || local -x TMPDIR=/tmp
	local suite cases
	while IFS='|' read -r suite cases; do
		[ "${QPU_TESTS-}" != all ] || cases=.
		env -u BATS_TEST_TMPDIR QPU_DEVICE=qpu "$QPUEMU" --kms=no \
			--leaks=error bats -f "$cases" \
			"$TOP/tests/cli/$suite.bats" >log 2>&1 </dev/null ||
			fail "$(grep -A 9 '^not ok' log || tail -n 9 log)"
		! grep '^qpuemu' log
		[ "$(grep -c '^ok' log)" -ge 1 ] || fail "no such cases: $cases"
	done <<-'END'
	vectors|NIST CAVP, short
	streams|line comes before
	changes|before its last read
	faults|read error
	END
}
