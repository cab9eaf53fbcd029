# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
#
# pi: what the suites of the driver share, which run the program with
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
	local status=0
	# shellcheck disable=SC2086
	PATH=$PWD/bin:$PATH timeout --foreground "$LIMIT" \
		"$QPUEMU" --no-kms --leaks=error $1 sha256sum "${@:2}" 2>said ||
		status=$?
	# Where qpuemu cannot show registers the program does without them.
	grep -v '^qpuemu: accesses to mapped registers cannot' said >&2 || true
	return $status
}

# hashes "QPUEMU'S OPTIONS" [ARGUMENT...]: right, and nothing is said
hashes()
{
	on_pi "$1" --device=qpu --verify "${@:2}" file* >out 2>err ||
		fail "$1: status $?: $(cat err)"
	same right out
	[ ! -s err ] || fail "$1: $(cat err)"
}

# refuses "QPUEMU'S OPTIONS" REASON: status 1, one line that gives the reason
refuses()
{
	local status=0
	on_pi "$1" --device=qpu file1 >out 2>err || status=$?
	[ $status = 1 ] || fail "$1: status $status"
	[ ! -s out ]
	[ "$(wc -l <err)" = 1 ] || fail "$1: $(cat err)"
	grep -q "^sha256sum: --device=qpu: .*$2" err || fail "$1: $(cat err)"
}

# survives "QPUEMU'S OPTIONS" REASON [ARGUMENT...]: one warning, and the CPU
# does the work
survives()
{
	on_pi "$1" --device=qpu --verify "${@:3}" file* >out 2>err ||
		fail "$1: status $?: $(cat err)"
	same right out
	[ "$(grep -c '^sha256sum: ' err)" = 1 ] || fail "$1: $(cat err)"
	grep -q "^sha256sum: warning: qpu failed (.*$2.*on the CPU\$" err ||
		fail "$1: $(cat err)"
	# What qpuemu says of the programs themselves is no complaint.
	no_line_but '^sha256sum: |^qpuemu: (programs were to be|deadlock|a process that keeps)' err
}

# heals "QPUEMU'S OPTIONS" REASON [OPTION...]: the QPUs fail their self-test, which
# the program tells, and hash after a restart
heals()
{
	on_pi "$1" --device=qpu --verify --stats "${@:3}" file* >out 2>err ||
		fail "$1: status $?: $(cat err)"
	same right out
	grep -q "^sha256sum: warning: qpu failed its self-test (.*$2.*), and \
passed it after a restart\$" err || fail "$1: $(cat err)"
	grep -q 'stats: self-tests that failed: 1$' err || fail "$1: $(cat err)"
	[ "$(grep -vc 'sum: stats: ' err)" = 1 ] || fail "$1: $(cat err)"
}

# qpuemu's object is for programs of the machine that it is built for.
needs_shell()
{
	! under_qemu || skip "there is no shell of the other machine"
}

# Can qpuemu show registers to a program of this machine?  It is asked once.
has_registers()
{
	local answer known=${BATS_RUN_TMPDIR:-$PWD}/registers
	if [ ! -s "$known" ]; then
		answer=no
		! on_pi --board=pi1 --device=qpu:registers file1 >/dev/null 2>&1 ||
			answer=yes
		echo $answer >"$known"
	fi
	grep -q yes "$known"
}

# --- What a run has told -------------------------------------------------------

# launches "QPUEMU'S OPTIONS" DEVICE: how many were made by registers
launches()
{
	on_pi "$1" --device="$2" --stats file1 >out 2>err
	sed -n 's/.*counter: launches by registers: //p' err
}

# all_launches: how many there were; a slow machine cuts one into several
all_launches()
{
	sed -n 's/.*stats: launches: //p' err
}

# restarts "QPUEMU'S OPTIONS": of the QPUs
restarts()
{
	on_pi "$1" --device=qpu --stats file1 >out 2>err
	sed -n 's/.*counter: restarts of the QPUs: //p' err
}

# --- A program that is using the QPUs -----------------------------------------

# A script under qpuemu: a first program that is using the QPUs, and in which
# signals are as in the foreground (set -m).
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
	[ -e "$PRELOAD" ] || skip "tests/support/preload.so is not built"
	needs_shell
	rm -f happened
	status=0
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --no-kms $3 bash -c '
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
# eight files makes some 60 to 130
requests()
{
	local step=23
	[ "${QPU_TESTS-}" != all ] || step=1
	seq 1 $step 200
}
