#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
#
# signals: however the program ends, all that it has from the firmware goes back;
# after SIGKILL the next one gets the QPUs.

load pi

# ends_by SIGNAL "QPUEMU'S OPTIONS": while it uses the QPUs; $status
ends_by()
{
	status=0
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --no-kms --leaks=error $2 \
		bash -c "$first"'
		ulimit -c 0
		kill -'"$1"' $!
		wait $!' "$PROGRAM" >out 2>err || status=$?
	rm -f in lines
	grep '^qpuemu' err && fail "$1 $2"
	[ "$status" = $((128 + $(kill -l "$1"))) ] || fail "$1: status $status"
}

@test "a signal that kills gives back everything first" {
	needs_shell
	local signal
	# tests/ways/test-handles.c has all of them.
	for signal in HUP ABRT TERM; do
		ends_by $signal ''
	done
	for signal in INT SEGV IO; do
		ends_by $signal --no-vcsm
	done
}

@test "a signal that is ignored or has a meaning does not end it" {
	needs_shell
	timeout --foreground "$LIMIT" "$QPUEMU" --no-kms --leaks=error \
		bash -c 'trap "" INT TERM'"$first"'
		kill -INT $!
		kill -TERM $!
		kill -USR1 $!
		exec 3>&-
		wait $!' "$PROGRAM" >out 2>err
	[ ! -s err ] || fail "$(cat err)"
}

@test "a reader that goes away ends it by SIGPIPE, with all given back" {
	needs_shell
	for _ in {1..2000}; do
		echo file1
	done | tr '\n' '\0' >many
	timeout --foreground "$LIMIT" "$QPUEMU" --no-kms --leaks=error bash -c '
		trap - PIPE
		"$0" --device=qpu --files0-from=many | head -n 1 >out
		echo ${PIPESTATUS[0]} >status' "$PROGRAM" 2>err
	[ ! -s err ] || fail "$(cat err)"
	same <(oracle file1) out
	# All lines may have fitted into the pipe.
	grep -qxE '141|0' status
}

# --- At any step ----------------------------------------------------------------

# ended_at_requests "QPUEMU'S OPTIONS": by SIGTERM, with all given back
ended_at_requests()
{
	local n
	for n in $(requests); do
		if ! at_request "$n" 15 "--leaks=error $1" ''; then
			same right out
			break
		fi
		[ "$status" = 143 ] || fail "$1, request $n: status $status"
		[ -z "$(cat err board)" ] ||
			fail "$1, request $n: $(cat err board)"
	done
	[ "$n" -gt 40 ]
}

@test "whenever it is killed, nothing is lost" {
	local memory
	for memory in --no-vcsm --system=buster; do
		ended_at_requests "$memory"
	done
}

@test "whenever it is killed, nothing is lost of cached memory, and the clock is put back" {
	ended_at_requests '--system=bullseye --cma=8 --clock-state=off'
}

# killed_after SECONDS "QPUEMU'S OPTIONS" WORD
killed_after()
{
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --no-kms --leaks=error $2 \
		timeout -s TERM "$1" "$PROGRAM" --device=qpu:"$3" file* \
		>out 2>err || true
	grep -q '^qpuemu' err && fail "$*: $(cat err)"
	true
}

# A launch by registers makes no request.
@test "killed while a launch by registers is under way, perhaps" {
	needs_shell
	local when
	for when in 0.0{10,18,25,40}; do
		killed_after "$when" --no-vcsm registers
	done
}

@test "no signal comes while the kernel allocates" {
	needs_shell
	local when
	for when in 0.0{10,20,30,45,60}; do
		killed_after "$when" '--system=bullseye --vcsm-delay=15' mailbox
	done
}

# next_after_kill "QPUEMU'S OPTIONS": SIGKILL before each request, then another
next_after_kill()
{
	local n
	for n in $(requests); do
		at_request "$n" 9 "--leaks=ignore $1" '
			[ $status = 137 ] &&
			"$0" --device=qpu --verify file* || status=1' || break
		[ "$status" = 137 ] || fail "$1, request $n: status $status"
		[ ! -s board ] || fail "$1, request $n: $(cat board)"
		same right after
	done
	[ "$n" -gt 40 ]
}

@test "SIGKILL at any step: the next program has the QPUs" {
	next_after_kill --no-vcsm
	next_after_kill --system=buster
}

@test "SIGKILL at any step of cached memory: the next program has the QPUs" {
	next_after_kill '--system=bullseye --cma=8'
}

# left_by_kill "QPUEMU'S OPTIONS" SECONDS: after SIGKILL the next one goes on
left_by_kill()
{
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --no-kms --leaks=ignore $1 bash -c '
		(timeout --foreground -s KILL '"$2"' "$0" --device=qpu file*
		true) >/dev/null 2>&1
		exec "$0" --device=qpu --verify file*' "$PROGRAM" >out 2>err ||
		fail "$*: status $?: $(cat err)"
	same right out
	[ ! -s err ] || fail "$*: $(cat err)"
}

@test "SIGKILL while a cached piece is imported loses nothing" {
	needs_shell
	local when
	for when in 0.0{1,3,5,8}; do
		left_by_kill '--system=bullseye --vcsm-delay=15' "$when"
	done
}

# --- What is opened is closed --------------------------------------------------

@test "no standard stream that is closed becomes a node of the board" {
	local status memory
	needs_shell
	for memory in '' --no-vcsm; do
		status=0
		# shellcheck disable=SC2086
		timeout --foreground "$LIMIT" "$QPUEMU" --no-kms --leaks=error $memory \
			bash -c 'exec "$0" --device=qpu file1 /dev/stdin <&- \
			3>&- 4>&- 5>&- 6>&-' "$PROGRAM" >out 2>err || status=$?
		[ $status = 1 ] || fail "status $status"
		same <(oracle file1) out
		grep -q '/dev/stdin: No such file or directory$' err ||
			fail "$(cat err)"
	done
}
