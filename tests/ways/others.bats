#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
#
# others: programs and people who use the same board at the same time, and what
# they may do meanwhile.

load pi

@test "a second program is refused, and a third one is not" {
	needs_shell
	timeout --foreground "$LIMIT" "$QPUEMU" --no-kms --leaks=error bash -c "$first"'
		"$0" --device=qpu file1 2>second
		echo $? >>second
		exec 3>&-
		wait
		"$0" --device=qpu file1 >third 2>&1' "$PROGRAM" >out 2>err
	[ ! -s err ] || fail "$(cat err)"
	grep -q 'another program uses the QPUs$' second
	grep -qx 1 second
	same <(oracle file1) third
}

@test "after a program was killed the next one gets the QPUs" {
	needs_shell
	timeout --foreground "$LIMIT" "$QPUEMU" --no-kms --leaks=ignore bash -c "$first"'
		kill -KILL $!
		wait
		for words in qpu qpu:mailbox; do
			"$0" --device=$words file1
		done' "$PROGRAM" >out 2>err
	[ "$(grep -c "$(oracle file1)" out)" = 2 ] ||
		fail "$(cat out err)"
	grep -E '^qpuemu|: (warning|--device)' err && fail "$(cat err)"
	true
}

@test "a program goes on when its nodes vanish, and others are told" {
	needs_shell
	local system
	for system in buster bullseye; do
		timeout --foreground "$LIMIT" "$QPUEMU" --no-kms --leaks=error \
			--system=$system bash -c "$first"'
			rm -r "$QPUEMU_DIR"/root/dev
			"$0" --device=qpu file2 2>second
			echo more >&3
			exec 3>&-
			wait $!
			echo $? >status
			cat <&4 >rest' "$PROGRAM" >out 2>err
		[ ! -s err ] || fail "$(cat err)"
		[ "$(cat status)" = 0 ]
		[ ! -s first.err ] || fail "$(cat first.err)"
		grep -q 'device=qpu: there is no /dev/vcio' second
		same <(echo more | oracle -) rest
		rm -f in lines
	done
}

# --- At any step ----------------------------------------------------------------

# goes_on "QPUEMU'S OPTIONS" COMMAND [COMMANDS]: COMMAND before each request of the
# program, in a shell of the board, COMMANDS after its end; the lines are right,
# or it says in one why the device cannot be used
goes_on()
{
	local n
	export FAULTS_COMMAND=$2
	for n in $(requests); do
		at_request "$n" run "--leaks=ignore $1" "${3-}" || break
		# What the board says of launches is not ours.
		grep -v '^qpuemu: ' err >told || true
		if [ "$status" = 0 ]; then
			same right out
			no_line_but ": warning: qpu failed (.* on the CPU\
|its self-test .* after a restart)\$" told
		else
			[ ! -s out ] || fail "$1, request $n: status $status"
			no_line_but ': --device=qpu: ' told
		fi
		[ "$(wc -l <told)" -le 1 ] || fail "$1, request $n: $(cat err)"
		echo "$n $status $(cat told)" >>steps
	done
	[ "$n" -gt 40 ]
	unset FAULTS_COMMAND
}

@test "nodes may vanish at any step" {
	local options
	for options in --system=buster --no-vcsm --system=bullseye; do
		! quick || [ $options != --system=bullseye ] || continue
		: >steps
		goes_on $options 'rm -r "$QPUEMU_DIR"/root/dev'
		# What is open stays open: who has begun goes on.
		grep -q ' 0 $' steps
	done
}

# switched "QPUEMU'S OPTIONS": another program enables, launches, and disables at
# any step
switched()
{
	needs tools
	[ -x "$BUILD/tests/virtual/vcio-client" ] || skip "there is no client"
	"$BUILD/qpuasm" -o hello.bin - < <(m4 -s -I "$TOP/qpu/examples" \
		"$TOP/qpu/examples/hello.m4")
	goes_on "--system=buster $1" \
		"$BUILD/tests/virtual/vcio-client vcsm hello.bin \
		>hello.out 2>&1"
}

@test "another program may switch the QPUs on and off at any step" {
	switched --enable-answers=all
	grep -q 'results are right' hello.out
	switched --enable-answers=ends
}

@test "another program may switch off the QPUs that all use" {
	switched --enable-answers=single
	grep -q 'results are right' hello.out
	# Without registers to start again the CPU does the rest.
	switched '--no-mem --enable-answers=single'
	grep -q 'qpu failed' steps
}

@test "somebody may take all memory of the kernel at any step" {
	local client=$BUILD/tests/virtual/vcio-client
	[ -x "$client" ] || skip "there is no client"
	mkfifo hold held
	goes_on '--system=buster --cma=32' \
		"exec 7<>hold 8<>held
		$client vcsm-hold 16 8 4 2 1 1 1 1 1 1 <&7 >held 8<&- &
		echo \$! >holder
		while read -r line <&8 && [ \"\$line\" != held ]; do :; done
		sed -n 's/^CmaFree: *\\([0-9]*\\).*/\\1/p' /proc/meminfo >free" \
		'kill "$(cat holder)" 2>/dev/null; rm -f holder'
	grep -q ' 0 $' steps
	[ "$(cat free)" -lt 2048 ]
}
