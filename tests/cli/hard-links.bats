#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# hard-links: --hard-links-once.  A file that was made just now is hashed by each of
# its names, so the program is called again until it is old enough.

load ../support/common

setup()
{
	is_ours || skip "this is about an extension"
	enter_scratch
	mkdir 1
	(cd 1 && seq 5 | split -l 1 -a 1 - f && head -c 300000 /dev/zero >big)
	cp -al 1 2
	cp -al 1 3
	echo another >3/only
}

teardown()
{
	end_started
}

# once N ARGUMENT...: the program until N names were not hashed
once()
{
	local n=$1 tries
	shift
	for ((tries = 0; tries < 10000; tries++)); do
		status=0
		sum --hard-links-once --stats "$@" >out 2>err || status=$?
		! grep -qx "sha256sum: stats: other names of hashed files: $n" \
			err || return 0
	done
	fail "not $n: $(cat err)"
}

@test "snapshots of links are hashed once, and each name has its line" {
	sum -r 1 2 3 >right
	once 12 -r 1 2 3
	[ "$status" = 0 ]
	same right out
	once 12 --threads=2 -- 1/* 2/* 3/*
	same right out
	once 12 --json -r 1 2 3
	[ "$(grep -c '"size":300000' out)" = 3 ]
	sum --stats -r 1 2 3 2>err >out
	! grep -q 'other names' err || fail "it is an option"
}

@test "-c has the verdict of one name for all" {
	sum -r 1 2 3 >list
	once 12 -c list
	[ "$status" = 0 ]
	sed 's/.*  \(.*\)/\1: OK/' list >right
	same right out
	chmod u+w 2/fa
	echo damage >2/fa
	once 12 -c --quiet list
	[ "$status" = 1 ]
	printf '%s: FAILED\n' 1/fa 2/fa 3/fa | same - out
}

@test "a file that changes between two names has two digests" {
	local before after
	mkfifo between out.fifo
	once 12 -r 1 2 3
	before=$(digest_line 1/fa <1/fa)
	exec 8<>out.fifo
	sum --hard-links-once --one-at-a-time 1/fa between 2/fa >out.fifo 3>&- 8>&- &
	started=$!
	exec 7>between
	expect_line 8 "$before"
	cp --preserve=timestamps 1/fa stamp
	printf 'X\n' >1/fa
	touch -r stamp 1/fa
	after=$(digest_line 2/fa <1/fa)
	exec 7>&-
	expect_line 8 "$(digest_line between </dev/null)"
	expect_line 8 "$after"
	wait "$started"
	started=
	[ "${before%% *}" != "${after%% *}" ]
}

@test "a name has the error of the one that was read" {
	once 12 -r 1 2 3
	! faulty read:big:1:eio --hard-links-once 1/big 2/big >out 2>err || false
	[ ! -s out ]
	printf 'sha256sum: %s: Input/output error\n' 1/big 2/big | same - err
}

@test "it is refused where a list is updated" {
	refused '^sha256sum: the --hard-links-once option is not supported with --update$' \
		--hard-links-once -r --update=list 1
}
