# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2119,SC2120,SC2317
#
# common: what the bats suites share.
#
# The program under test answers to the name sha256sum, so that most suites
# can be held against GNU's: QPU_SHA256SUM=/usr/bin/sha256sum bats tests/cli/X.bats

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# The build directory.
BUILD=${QPU_BUILD:-$TOP}
PROGRAM=${QPU_SHA256SUM:-$BUILD/qpu-sha256sum}
# QPU_DEVICE=emulator bats tests/X.bats: on another device than usual.
# A path in LD_PRELOAD ends at a blank.
PRELOAD=$BUILD/tests/support/preload.so
[[ $PRELOAD != *[[:blank:]]* ]] || {
	PRELOAD=${PRELOAD##*/}
	export LD_LIBRARY_PATH=$BUILD/tests/support${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}
WRONG_CRYPTO_LIBRARY=$BUILD/tests/support/wrong-crypto.so
# Nothing takes this long, unless it hangs: a program, and a case of a suite.
# Only bats from 1.8 on ends a case, with the help of pkill; a case must then say
# what it waits for, since the clock is a child of its shell.
LIMIT=180
! command -v pkill >/dev/null ||
	export BATS_TEST_TIMEOUT="${BATS_TEST_TIMEOUT:-600}"
# The clock sleeps in the background.  A case that ends before the clock is ready
# leaves it behind: it must hold no pipe that others read to its end.
sleep()
{
	[ "$BASHPID" != $$ ] || { command sleep "$@"; return; }
	exec sleep "$@" >/dev/null 2>&1 3>&- 4>&-
}
export LC_ALL=C
# A make that a suite runs does not inherit from the one that runs the suite.
unset POSIXLY_CORRECT MAKEFLAGS MFLAGS MAKELEVEL
# Another user has to read some files.
umask 022

# Every case starts in an empty directory of its own; bats before 1.4 makes
# none.
enter_scratch()
{
	: "${BATS_TEST_TMPDIR:=$(mktemp -d -p "${BATS_RUN_TMPDIR-}")}"
	cd "$BATS_TEST_TMPDIR" || return
	# Results of --benchmark are kept there.
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
}

# The usual setup and teardown of a case.
setup()
{
	enter_scratch
}

teardown()
{
	leave_public_place
}

only_ours()	# a suite about what GNU's program does not have
{
	setup()
	{
		is_ours || skip "GNU has no such option"
		enter_scratch
	}
}

# The program, killed when it hangs: the status is then 124.
sum()
{
	timeout --foreground "$LIMIT" \
		bash -c 'exec -a sha256sum "$0" "$@"' "$PROGRAM" \
		${QPU_DEVICE:+"--device=$QPU_DEVICE"} "$@"
}

# The one that is believed.
oracle()
{
	command sha256sum "$@"
}

# Return true if the program under test has our extensions.
is_ours()
{
	"$PROGRAM" --help 2>/dev/null | grep -q -e --list-devices
}

built_with()	# built_with qpu|openssl|tools|libraries|preload|qpuemu: is this part built here?
{
	case $1 in
	qpu)	! "$PROGRAM" --version | grep -q '^Built without:.*QPUs' ;;
	openssl)
		! "$PROGRAM" --version | grep -q '^Built without:.*OpenSSL' ;;
	tools)	[ -x "$BUILD/qpurun" ] ;;
	libraries) [ -e "$BUILD/libsha256many.a" ] ;;
	preload) [ -e "$BUILD/tests/support/preload.so" ] ;;
	*)	[ -x "$BUILD/$1" ] ;;
	esac
}

# --verify where it is built, else nothing: for runs whose output is compared
# with the right one anyhow
VERIFY=(--verify)
built_with openssl || VERIFY=()

# Build roots may have no /dev/pts.
needs_terminal()	# skip the test where script(1) cannot make a terminal
{
	script -qec true /dev/null </dev/null >/dev/null 2>&1 ||
		skip "script makes no terminal here"
}

needs()		# needs qpu|openssl|tools|preload|qpuemu: skip the test in a build without it
{
	built_with "$1" || skip "built without $1"
}

programs_built()	# the names of all programs that are built to be installed
{
	echo qpu-sha256sum
	! built_with tools || printf '%s\n' qpuasm qpudis qpurun
	! built_with qpuemu || echo qpuemu
}

under_qemu()	# Does tests/support/stand-in.c stand for the program?
{
	[ -n "${QPU_QEMU-}" ]
}

quick()		# return true if a short run was asked for
{
	[ "${QPU_TESTS-}" = quick ]
}

# Run a command as a user without root's privileges.
as_user()
{
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

fail()
{
	printf '%s\n' "$*" >&2
	return 1
}

# same FILE FILE: equal byte for byte, or else show how they differ
same()
{
	cmp "$1" "$2" || { diff "$1" "$2" | head -n 20 >&2; return 1; }
}

# no_line_but PATTERN FILE: every line of the file matches
no_line_but()
{
	local others
	others=$(grep -vE -- "$1" "$2") || return 0
	fail "unexpected: $(head -n 5 <<<"$others")"
}

# --- Talking with a running program ------------------------------------------

# expect_line FD TEXT: the next line there is TEXT; fails when none comes
expect_line()
{
	local line
	IFS= read -r -t "$LIMIT" -u "$1" line ||
		{ fail "no line came; expected: $2"; return 1; }
	[ "$line" = "$2" ] || fail "got: $line; expected: $2"
}

# expect_nothing FD: nothing more is there to be read
expect_nothing()
{
	local line
	! IFS= read -r -t 0.01 -u "$1" line || fail "unexpected: $line"
}

# digest_line NAME <INPUT: the line that GNU would write
digest_line()
{
	local line
	line=$(oracle)
	printf '%s  %s\n' "${line%% *}" "$1"
}

# faulty RULES ARGUMENT...: the program under the rules of tests/support/preload.c;
# the file faults logs which of them struck.
faulty()
{
	local rules=$1
	shift
	needs preload
	: "${SANITIZED=$(grep -aoEm 1 'lib[at]san\.so' "$PROGRAM")}"
	[ -z "$SANITIZED" ] ||
		skip "the library of a sanitizer wants to be loaded first"
	: >faults
	timeout --foreground "$LIMIT" bash -c '
		export LD_PRELOAD=$1${LD_PRELOAD:+:$LD_PRELOAD}
		export FAULTS=$2 FAULTS_LOG=$PWD/faults
		shift 2
		exec -a sha256sum "$0" "$@"' \
		"$PROGRAM" "$PRELOAD" "$rules" \
		${QPU_DEVICE:+"--device=$QPU_DEVICE"} "$@"
}

# Names as messages have them.
quoted()	# quoted FILE...
{
	ls -1d --quoting-style=shell-escape -- "$@"
}

struck()	# struck KIND: the fault was really met
{
	grep -q "^$1 " faults || fail "the program never met the fault: $1"
}

# exits STATUS COMMAND ARGUMENT...: the command ends with this status; what it
# prints is in out and err
exits()
{
	local status=0
	"${@:2}" >out 2>err || status=$?
	[ "$status" = "$1" ] || fail "status $status, not $1: $(cat err)"
}

# said [LINE...]: this is all that is in err, after the program's name
said()
{
	[ $# = 0 ] || printf 'sha256sum: %s\n' "$@" >expected.err
	[ $# != 0 ] || : >expected.err
	same expected.err err
}

# printed [LINE...]: this is all that is in out
printed()
{
	[ $# = 0 ] || printf '%s\n' "$@" >expected.out
	[ $# != 0 ] || : >expected.out
	same expected.out out
}

# refused TEXT ARGUMENT...: status 1, this on stderr, nothing on stdout
refused()
{
	local text=$1
	shift
	exits 1 sum "$@" </dev/null
	[ ! -s out ] || fail "on stdout: $(head -n 1 out)"
	grep -qE -- "$text" err || fail "on stderr: $(cat err)"
}

# --- Files to hash --------------------------------------------------------------

# files N [NAME...]: f1 to fN of odd sizes, begins of the file noise; the right
# lines of NAMEs and of them in `right`
files()
{
	local i
	head -c 300000 /dev/urandom | base64 -w 0 >noise
	awk -v n="$1" '{
		for (i = 1; i <= n; i++) {
			name = "f" i
			printf "%s", substr($0, 1,
				(i * 7919 + i * i * 31) % 40000) >name
			close(name)
		}
	}' noise
	names=("${@:2}")
	for ((i = 1; i <= $1; i++)); do
		names+=("f$i")
	done
	oracle "${names[@]}" >right
}

# Every line written is one of the right ones, and whole.
nothing_wrong()
{
	[ -z "$(tail -c 1 out)" ] || fail "a partial line: $(tail -n 1 out)"
	grep -vxFf right out >wrong || return 0
	fail "wrong: $(head -n 5 wrong)"
}

# --- As another user -----------------------------------------------------------

# A place that another user can reach, with a copy of the program.  TMPDIR may
# be closed to others.
public_place()
{
	local folder
	for folder in "${TMPDIR:-/tmp}" /tmp; do
		place=$(mktemp -d -p "$folder")
		chmod 755 "$place"
		cp "$PROGRAM" "$place/program"
		chmod 755 "$place/program"
		! as_user_sum </dev/null >/dev/null 2>&1 || break
		rm -r "$place"
	done
	cd "$place" || skip "cannot become another user"
}

leave_public_place()	# for teardown
{
	[ -z "${place-}" ] || { chmod -R u+rwx "$place"; rm -rf "$place"; }
}

as_user_sum()
{
	as_user bash -c 'exec -a sha256sum "$0" "$@"' "$place/program" "$@"
}

# --- What a program says about itself -----------------------------------------

# options_of_help PROGRAM: the options at the begin of the lines of --help
options_of_help()
{
	"$1" --help | sed -nE 's/^ {2,7}(-\?, )?(-.*)/\2/p' |
		grep -oE '^(-[A-Za-z], )?--?[a-z0-9-]+' | tr -d , |
		tr ' ' '\n' | sort -u
}

# finish STATUS: the program $started, which writes to 8 and 9, ends with this
# status, and says no more
finish()
{
	local status=0
	wait "$started" || status=$?
	started=
	[ "$status" = "$1" ] || fail "status $status, expected $1"
	expect_nothing 8 && expect_nothing 9
}

end_started()
{
	[ -z "${started-}" ] || kill "$started" 2>/dev/null || :
}
