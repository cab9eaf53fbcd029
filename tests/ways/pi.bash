# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
#
# pi: what the suites of the ways to the QPUs share, which run the program with
# --device=qpu on virtual Raspberry Pis (qpuemu).  Each run under qpuemu ends
# with an account of what the program has not given back.

load ../support/common

QPUEMU=${QPUEMU:-$BUILD/qpuemu}

setup()
{
	is_ours || skip "GNU's program has no devices"
	[ -x "$QPUEMU" ] || skip "qpuemu is not built"
	enter_scratch
	mkdir bin
	ln -s "$PROGRAM" bin/sha256sum
	local i
	for i in 1 2 3 4 5 6 7 8; do
		printf '%*s' $((i * i * 199)) "$i" >"file$i"
	done
	oracle file* >right
}

# on_pi "QPUEMU'S OPTIONS" ARGUMENT...: hash on the QPUs of a virtual Pi
on_pi()
{
	# shellcheck disable=SC2086
	PATH=$PWD/bin:$PATH timeout --foreground "$LIMIT" \
		"$QPUEMU" --kms=no --leaks=error $1 sha256sum "${@:2}"
}

# hashes "QPUEMU'S OPTIONS" [ARGUMENT...]: right, and the program says nothing
hashes()
{
	on_pi "$1" --device=qpu "${VERIFY[@]}" "${@:2}" file* >out 2>err ||
		fail "$1: status $?: $(cat err)"
	same right out
	no_line_but '^qpuemu: the kernel resets the GPU' err
}

# refuses "QPUEMU'S OPTIONS" REASON [ARGUMENT...]: status 1, one line that gives
# the reason
refuses()
{
	local status=0
	on_pi "$1" --device=qpu "${@:3}" file1 >out 2>err || status=$?
	[ $status = 1 ] || fail "$1: status $status"
	[ ! -s out ]
	[ "$(wc -l <err)" = 1 ] || fail "$1: $(cat err)"
	grep -qE "^sha256sum: --device=qpu[^ ]*: .*$2" err ||
		fail "$1: $(cat err)"
}

# survives "QPUEMU'S OPTIONS" REASON: one warning, and the CPU does the work
survives()
{
	on_pi "$1" --device=qpu "${VERIFY[@]}" file* >out 2>err ||
		fail "$1: status $?: $(cat err)"
	same right out
	[ "$(grep -c '^sha256sum: ' err)" = 1 ] || fail "$1: $(cat err)"
	grep -qE "^sha256sum: warning: (mailbox|drm) failed \(.*$2.*on the CPU\$" err ||
		fail "$1: $(cat err)"
	# qpuemu's messages on the programs themselves are expected.
	no_line_but '^sha256sum: |^qpuemu: (the kernel resets|programs were to be|deadlock|a process that keeps)' err
}

# heals "QPUEMU'S OPTIONS" REASON: the QPUs fail their self-test, which the program
# reports, and hash after a restart
heals()
{
	on_pi "$1" --device=qpu "${VERIFY[@]}" --stats file* >out 2>err ||
		fail "$1: status $?: $(cat err)"
	same right out
	grep -qE "^sha256sum: warning: (mailbox|drm) failed its self-test \(.*$2.*\), and \
passed it after a restart\$" err || fail "$1: $(cat err)"
	grep -q 'stats: self-tests that failed: 1$' err || fail "$1: $(cat err)"
	[ "$(grep -c '^sha256sum: warning: ' err)" = 1 ] || fail "$1: $(cat err)"
	no_line_but '^sha256sum: (warning|stats): |^qpuemu: (deadlock|the kernel resets)' err
}

# each_row: lines of "QPUEMU'S OPTIONS|OUTCOME|REASON" from standard input
each_row()
{
	local options outcome reason
	while IFS='|' read -r options outcome reason; do
		# shellcheck disable=SC2086
		$outcome "$options" ${reason:+"$reason"} </dev/null
	done
}

# qpuemu's object is for programs of the machine that it is built for.
needs_shell()
{
	! under_qemu || skip "there is no shell of the other machine"
}

# in_shell "QPUEMU'S OPTIONS" COMMANDS: bash on a virtual Pi; $0 is the program
in_shell()
{
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --kms=no $1 bash -c "$2" \
		"$PROGRAM"
}

# Commands: a first program that is using the QPUs, and in which signals are as
# in the foreground (set -m).
first='
	set -m
	mkfifo in lines
	"$0" --device=qpu file1 - <in >lines 2>first.err &
	set +m
	exec 3>in 4<lines
	read -r line <&4'

# --- Something happens before a request ----------------------------------------

# at_request N SIGNAL|run "QPUEMU'S OPTIONS" COMMANDS: the program with all files,
# to which that happens before its Nth request to the firmware or the kernel
# (tests/support/preload.c), then the commands, which print to `after`.  The
# status in $status, the program's streams in out and err, qpuemu's in board.
# False if it makes fewer requests.
at_request()
{
	needs preload
	needs_shell
	rm -f happened
	status=0
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --kms=no $3 bash -c '
		status=0
		{ (export FAULTS_LOG=$PWD/happened FAULTS=ioctl:$1:$2
		LD_PRELOAD=$3:$LD_PRELOAD exec "$0" --device=qpu \
			file*) >out 2>err; } 2>/dev/null || status=$?
		'"$4"'
		exit $status' \
		"$PROGRAM" "$1" "$2" "$PRELOAD" >after 2>board || status=$?
	[ -s happened ]
}

# requests: their numbers, all with QPU_TESTS=all, else some; a program with
# eight files makes 25 or, where memory is cached, more than 100
requests()
{
	if [ "${QPU_TESTS-}" = all ]; then
		seq 1 200
	else
		printf '%s\n' 1 6 11 16 21 60
	fi
}
