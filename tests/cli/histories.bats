#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# histories: random lives of a tree and its list (histories.py).
# HISTORIES=5000 plays more of them, HISTORIES_SEED others, HISTORIES_KILLS=--kills
# interrupts some updates by SIGKILL.

load ../support/common

setup()
{
	is_ours || skip "GNU has no such option"
	command -v python3 >/dev/null || skip "no python3"
	enter_scratch
}

@test "in random histories no digest is lost, no damage taken, no edit called damage" {
	local status=0

	python3 "$TOP/tests/cli/histories.py" \
		${HISTORIES_KILLS:+"$HISTORIES_KILLS"} --count="${HISTORIES:-200}" --seed="${HISTORIES_SEED:-1}" \
		"$PROGRAM" >out || status=$?
	[ "$status" = 0 ] || fail "$(cut -c 1-2000 out)"
	grep -q "^${HISTORIES:-200} histories, 0 wrong$" out
}
