#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# changes: with --detect-changes no digest of bytes that never stood in a file
# together; faults.bats is about what happens without.

load ../support/common

setup()
{
	is_ours || skip "GNU has no such option"
	enter_scratch
	head -c 700001 /dev/urandom >victim
	touch -d 2001-01-01 victim
	cp victim copy
}

# changed RULES ARGUMENT...: victim, and nothing else, is refused
changed()
{
	local status=0
	faulty "$1" --detect-changes "${@:2}" >out 2>err || status=$?
	struck "$(cut -d : -f 4 <<<"${1%%=*}")"
	[ $status = 1 ] || fail "status $status"
	echo 'sha256sum: victim: file changed while it was read' >expected
	same expected err
}

# unchanged RULES: the digest is that of what victim was
unchanged()
{
	faulty "$1" --detect-changes victim >out 2>err
	digest_line victim <copy >expected
	same expected out
	[ ! -s err ]
}

@test "a file that grows, shrinks or is rewritten is refused" {
	local rule
	for rule in 2:append=100000 1:append=90000 2:truncate=1000 2:rewrite; do
		cp copy victim
		changed "read:victim:$rule" victim
		[ ! -s out ]
	done
}

@test "a file that is written to before its last read is refused" {
	local reads
	faulty read:victim:99:unlink victim
	reads=$(grep -c '^bytes' faults)
	[ "$reads" -gt 2 ]
	changed "read:victim:$reads:rewrite" victim
	[ ! -s out ]
}

@test "a file whose names change has its digest" {
	local rule
	for rule in unlink link replace; do
		rm -f victim
		cp copy victim
		unchanged read:victim:2:$rule
		struck $rule
	done
	[ -e victim.more ]
	[ "$(stat -c %s victim)" = 777 ]
}

@test "with -c a file that changes is FAILED open or read" {
	local status=0
	oracle copy victim >list
	faulty read:victim:2:rewrite --detect-changes -c list \
		>out 2>err || status=$?
	struck rewrite
	[ $status = 1 ]
	printf '%s\n' 'copy: OK' 'victim: FAILED open or read' >expected
	same expected out
	printf 'sha256sum: %s\n' 'victim: file changed while it was read' \
		'WARNING: 1 listed file could not be read' >expected
	same expected err
}

@test "standard input from a file that changes is refused" {
	local status=0
	faulty read:victim:2:rewrite --detect-changes <victim \
		>out 2>err || status=$?
	struck rewrite
	[ $status = 1 ]
	[ ! -s out ]
	echo 'sha256sum: -: file changed while it was read' >expected
	same expected err
}

@test "pipes, FIFOs, devices and /proc are no files that change, nor is what nobody touches" {
	mkfifo fifo
	cat copy >fifo 3>&- &
	cat copy | sum --detect-changes - fifo /dev/null /proc/version victim \
		>out 2>err
	{
		digest_line - <copy
		digest_line fifo <copy
		oracle /dev/null /proc/version victim
	} >expected
	same expected out
	[ ! -s err ]
}
