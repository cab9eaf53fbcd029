#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
#
# signals: however the program ends, all that it has from the firmware goes back;
# after SIGKILL the next one gets the QPUs.  tests/ways/test-cleanup.c has all signals.

load pi

@test "whenever it is killed by SIGTERM or SIGINT, nothing is lost" {
	local n signal
	for n in $(requests); do
		signal=$((n % 2 ? 15 : 2))
		if ! at_request "$n" $signal '--leaks=error --system=buster' ''
		then
			same right out
			break
		fi
		[ "$status" = $((128 + signal)) ] ||
			fail "request $n: status $status"
		[ -z "$(cat err board)" ] || fail "request $n: $(cat err board)"
	done
	[ "$n" -gt 20 ]
}

@test "whenever it is killed by SIGKILL, the next program has the QPUs" {
	local n
	for n in $(requests); do
		at_request "$n" 9 '--leaks=ignore --system=bullseye --cma=4' '
			[ $status = 137 ] &&
			"$0" --device=qpu '"${VERIFY[*]}"' file* || status=1' ||
			break
		[ "$status" = 137 ] || fail "request $n: status $status"
		[ ! -s board ] || fail "request $n: $(cat board)"
		same right after
	done
	[ "$n" -gt 20 ]
}

@test "no standard stream that is closed becomes a node of the board" {
	local status=0
	needs_shell
	in_shell --leaks=error 'exec "$0" --device=qpu file1 /dev/stdin <&- \
		3>&- 4>&- 5>&- 6>&-' >out 2>err || status=$?
	[ $status = 1 ] || fail "status $status"
	same <(oracle file1) out
	grep -q '/dev/stdin: No such file or directory$' err ||
		fail "$(cat err)"
}
