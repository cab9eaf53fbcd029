#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# signals: however the program ends, all that it has from the firmware goes back;
# after SIGKILL the next one gets the QPUs.

load pi

# ends_by SIGNAL "QPUEMU'S OPTIONS": while it uses the QPUs; $status
ends_by()
{
	status=0
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error $2 \
		bash -c "$first"'
		ulimit -c 0
		kill -'"$1"' $!
		wait $!' "$PROGRAM" >out 2>err || status=$?
	rm -f in lines
	grep '^qpuemu' err && fail "$1 $2"
	[ "$status" = $((128 + $(kill -l "$1"))) ] || fail "$1: status $status"
}

@test "every signal that kills gives back everything first" {
	needs_shell
	local signal
	for signal in HUP INT QUIT ILL TRAP ABRT BUS FPE SEGV USR2 PIPE \
		ALRM TERM XCPU XFSZ VTALRM PROF IO SYS; do
		ends_by $signal ''
		ends_by $signal --no-vcsm
	done
}

@test "a signal that is ignored or has a meaning does not end it" {
	needs_shell
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error \
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
	local i
	for i in {1..2000}; do
		echo file1
	done | tr '\n' '\0' >many
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error bash -c '
		trap - PIPE
		"$0" --device=qpu --files0-from=many | head -n 1 >out
		echo ${PIPESTATUS[0]} >status' "$PROGRAM" 2>err
	[ ! -s err ] || fail "$(cat err)"
	same <(oracle file1) out
	# All lines may have fitted into the pipe.
	grep -qxE '141|0' status
}

# --- At any step ----------------------------------------------------------------

# killed_after SECONDS "QPUEMU'S OPTIONS" WORD
killed_after()
{
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error $2 \
		timeout -s TERM "$1" "$PROGRAM" --device=qpu:"$3" file* \
		>out 2>err || true
	grep -q '^qpuemu' err && fail "$*: $(cat err)"
	true
}

@test "whenever it is killed, nothing is lost" {
	needs_shell
	local when memory word
	for memory in '' --no-vcsm --delay=5; do
		for word in mailbox registers; do
			for when in 0.00{4,6,8} 0.01{0,2,4,6,8} 0.0{20,25,3,4,6}; do
				killed_after "$when" "$memory" "$word"
			done
		done
	done
}

@test "no signal comes while the kernel allocates" {
	needs_shell
	local when
	for when in 0.0{10,15,20,25,30,35,40,45,50,60,70}; do
		killed_after "$when" '--system=bullseye --vcsm-delay=15' mailbox
	done
}

# left_by_kill "QPUEMU'S OPTIONS" SECONDS: after SIGKILL the next one goes on
left_by_kill()
{
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=ignore $1 bash -c '
		(timeout --foreground -s KILL '"$2"' "$0" --device=qpu file*
		true) >/dev/null 2>&1
		exec "$0" --device=qpu --verify file*' "$PROGRAM" >out 2>err ||
		fail "$*: status $?: $(cat err)"
	same right out
	[ ! -s err ] || fail "$*: $(cat err)"
}

@test "SIGKILL at any step: the next program has the QPUs" {
	needs_shell
	local when
	for when in 0.00{4,7} 0.01{0,3,6} 0.0{2,25,3,4,5,7}; do
		left_by_kill --no-vcsm "$when"
	done
}

@test "SIGKILL at any step of cached memory: the next program has the QPUs" {
	needs_shell
	local when
	for when in 0.00{4,7} 0.01{0,3,6} 0.0{2,25,3,4,5,7}; do
		left_by_kill --system=bullseye "$when"
	done
}

@test "SIGKILL while a cached piece is imported loses nothing" {
	needs_shell
	local when
	for when in 0.0{1,2,3,4,5,6,8}; do
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
		timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error $memory \
			bash -c 'exec "$0" --device=qpu file1 /dev/stdin <&- \
			3>&- 4>&- 5>&- 6>&-' "$PROGRAM" >out 2>err || status=$?
		[ $status = 1 ] || fail "status $status"
		same <(oracle file1) out
		grep -q '/dev/stdin: No such file or directory$' err ||
			fail "$(cat err)"
	done
}

@test "what is opened is closed: descriptors, mappings, handlers of signals" {
	local memory
	for memory in '' --no-vcsm --no-mem; do
		device "$memory" balance mailbox
		grep -qx 'left: 0 descriptors, 0 mappings, 0 handlers' out ||
			fail "$memory: $(cat out)"
	done
	! has_registers || for memory in '' --no-vcsm; do
		device "$memory" balance registers
		grep -qx 'left: 0 descriptors, 0 mappings, 0 handlers' out ||
			fail "$memory, registers: $(cat out)"
	done
}
