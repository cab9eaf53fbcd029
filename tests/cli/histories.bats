#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# histories: random lives of a tree and its list (histories.py).
# Some of the updates are killed.  HISTORIES=5000 plays more of them, HISTORIES_SEED
# others.

load ../support/common

setup()
{
	is_ours || skip "GNU has no such option"
	command -v python3 >/dev/null || skip "no python3"
	enter_scratch
}

@test "in random histories no digest is lost, no damage taken, no edit called damage" {
	local status=0 kills=

	# Programs for other machines, and sanitizers, cannot have the library.
	under_qemu || grep -aqEm 1 'lib[at]san\.so' "$PROGRAM" || kills=$PRELOAD
	python3 "$TOP/tests/cli/histories.py" ${kills:+"--kills=$kills"} \
		--count="${HISTORIES:-100}" --seed="${HISTORIES_SEED:-1}" \
		"$PROGRAM" >out || status=$?
	[ "$status" = 0 ] || fail "$(cut -c 1-2000 out)"
	grep -q "^${HISTORIES:-100} histories, 0 wrong$" out
}
