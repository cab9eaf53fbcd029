#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# on-board: what a user sees of the program is the same when its messages are
# hashed by the QPUs of a virtual Raspberry Pi.  Some cases of suites that know no
# device run there (QPU_TESTS=all: these suites as a whole), one board for each,
# which must be left as it was.

load ../support/common

QPUEMU=$BUILD/qpuemu

setup()
{
	! under_qemu || skip "qpuemu is for programs of this machine"
	is_ours || skip "GNU's program has no devices"
	[ -x "$QPUEMU" ] || skip "qpuemu is not built"
	enter_scratch
}

# on_board "QPUEMU'S OPTIONS" COMMAND...: with the QPUs as the usual device.
# Below /dev mkdir -p would make directories of the board's.
on_board()
{
	[[ ${TMPDIR-} != /dev/* ]] || local -x TMPDIR=/tmp
	# shellcheck disable=SC2086
	env -u BATS_TEST_TMPDIR QPU_DEVICE=qpu \
		"$QPUEMU" --no-kms --leaks=error $1 "${@:2}" >log 2>&1 ||
		fail "$(grep -A 9 '^not ok' log || tail -n 9 log)"
	! grep '^qpuemu' log
}

# suite "QPUEMU'S OPTIONS" NAME CASES: these cases of tests/cli/NAME.bats
suite()
{
	command -v bats >/dev/null || skip "bats cannot be found"
	local cases=$3
	[ "${QPU_TESTS-}" != all ] || cases=.
	on_board "$1" bats -f "$cases" "$TOP/tests/cli/$2.bats"
	[ "$(grep -c '^ok' log)" -ge 2 ] || fail "no such cases: $3"
}

# In one locale, unless all is wanted.
rows()		# rows "QPUEMU'S OPTIONS" NAME
{
	local tests=${QPU_TESTS-}
	[ "$tests" = all ] || tests=quick
	QPU_TESTS=$tests ROWS=$2 on_board "$1" \
		bash "$TOP/tests/cli/differential.test"
	grep '^# ' log
}

@test "digests are those that others have published" {
	suite --board=pi1 vectors 'NIST CAVP, short|FIPS'
	[ "${QPU_TESTS-}" = all ] || return 0
	suite '--board=pi3 --no-vcsm' vectors .
}

@test "a line comes before the next input is written, from pipes and FIFOs" {
	suite --board=zero2 streams 'line comes before|FIFO twice|nobody has opened'
	[ "${QPU_TESTS-}" = all ] || return 0
	suite '--board=zero --no-vcsm' streams .
}

@test "files that change while they are read are refused" {
	suite --board=pi2 changes 'that grows|neighbours|in place'
}

@test "read errors, short and interrupted reads are told or made up for" {
	if [ "${QPU_TESTS-}" = all ]; then
		suite '--board=pi1 --no-vcsm' faults \
			'while it is read|read error|short|interrupted'
	else
		suite '--board=pi1 --no-vcsm' faults 'read error|short'
	fi
}

# Command lines, each with its input; streams and statuses on a board are those
# of the CPU.
@test "command lines have the output and the status that they have on the CPU" {
	mkdir d
	printf abc >abc
	: >empty
	head -c 100000 /dev/urandom >"long name"
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
	{
		echo 'exec 2>&1'
		while IFS= read -r line; do
			printf 'qpu-sha256sum --device=$1 %s; echo "status $?"\n' \
				"$line"
		done <lines
	} >script
	PATH=$BUILD:$PATH
	bash script cpu >right.out
	[ "$(grep -c '^status' right.out)" = "$(wc -l <lines)" ]
	for options in --board=zero2 '--board=pi1 --no-vcsm'; do
		[[ $options != *vcsm || ${QPU_TESTS-} = all ]] || continue
		on_board "$options" bash script qpu
		sed 's/"qpu"/"cpu"/' log >out
		same right.out out
	done
}

@test "GNU's answers, extensions and --json are those of the CPU" {
	[ "${QPU_TESTS-}" = all ] || skip "takes long; QPU_TESTS=all"
	rows --board=pi3 input
	rows '--board=pi1 --no-vcsm' names
	rows --board=pi2 lists
	rows '--board=pi2v1.2 --no-vcsm' options
	suite --board=pi1 extensions .
	suite --board=pi3 json .
}

# Whatever this machine has, in check mode, too, and recomputed.  Copies: nobody
# else may change them.
@test "files of this machine" {
	local most=400
	! quick || most=200
	find -L /usr/share -maxdepth 6 -type f -readable -size -128k -print0 \
		2>/dev/null | head -z -n "$most" >found || true
	mkdir copies
	xargs -0 cp --parents -L -t copies -- <found 2>/dev/null || true
	find copies -type f -readable -print0 | LC_ALL=C sort -z >names
	[ "$(tr -dc '\0' <names | wc -c)" -gt 100 ] || skip "there are few"
	xargs -0 sha256sum -- <names >right
	PATH=$BUILD:$PATH
	on_board --board=pi3 qpu-sha256sum --device=qpu --verify \
		--files0-from=names
	same right log
	on_board '--board=pi3 --no-vcsm' qpu-sha256sum --device=qpu --verify \
		--files0-from=names
	same right log
	on_board --board=zero2 qpu-sha256sum --device=qpu -c --quiet right
	[ ! -s log ]
}

# with_memory "QPUEMU'S OPTIONS" N: the program, whose allocations fail from the
# Nth on; its streams in out and err
with_memory()
{
	# shellcheck disable=SC2086
	"$QPUEMU" --no-kms --leaks=error $1 bash -c '
		export FAULTS_LOG=$PWD/faults FAULTS=calls:$1
		LD_PRELOAD=$2:$LD_PRELOAD exec "$0" --device=qpu file' \
		"$PROGRAM" "$2" "$PRELOAD" >out 2>err || true
}

@test "a program that has no memory left gives everything back" {
	local first=1 calls memory
	[ -e "$PRELOAD" ] || skip "tests/support/preload.so is not built"
	head -c 3000 /dev/zero >file
	# How many does the command line take?
	while with_memory '' $first && grep -q 'parse the command line' err; do
		first=$((first + 10))
	done
	for memory in '' --no-vcsm; do
		: >out
		calls=$first
		while [ ! -s out ]; do
			calls=$((calls + 1 + (calls - first) / 3))
			[ $calls -lt 100000 ] || fail "never"
			with_memory "$memory" $calls
			! grep -E 'left enabled|not released|would lose' err
			[ ! -s out ] || same <(oracle file) out
		done
	done
}
