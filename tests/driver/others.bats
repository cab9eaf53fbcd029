#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# others: programs and people who use the same board at the same time, and what
# they may do meanwhile.

load pi

@test "a second program is refused, and a third one is not" {
	needs_shell
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error bash -c "$first"'
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
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=ignore bash -c "$first"'
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

@test "nodes that vanish: who has them goes on, others are told" {
	needs_shell
	local system
	for system in buster bullseye; do
		timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error \
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
