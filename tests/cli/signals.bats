#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# signals: they end the program as they end any other, and no line stays
# unfinished.

load ../support/common

# interrupted_by SIGNAL: send it while the program waits for a FIFO, after
# the first line; leaves the status.
interrupted_by()
{
	printf 'first\n' >first
	mkfifo slow out
	exec 8<>out
	env --default-signal="$1" bash -c 'exec -a sha256sum "$0" "$@"' \
		"$PROGRAM" first slow >out 3>&- 8>&- &
	expect_line 8 "$(digest_line first <first)"
	kill "-$1" $!
	status=0
	wait $! || status=$?
	expect_nothing 8
}

@test "SIGINT and SIGTERM end it, by the signal" {
	interrupted_by INT
	[ "$status" = 130 ]
	rm slow out
	interrupted_by TERM
	[ "$status" = 143 ]
}

@test "SIGINT while hundreds of files are hashed: whole lines only" {
	local status=0 pid
	files 50
	mapfile -t names < <(for _ in {1..12}; do printf 'f%d\n' {1..50}; done)
	mkfifo pipe
	env --default-signal=INT bash -c 'exec -a sha256sum "$0" "$@"' \
		"$PROGRAM" "${names[@]}" >pipe 3>&- &
	pid=$!
	{
		IFS= read -r line
		kill -INT "$pid" || :
		printf '%s\n' "$line"
		cat
	} <pipe >out
	wait "$pid" || status=$?
	# It may have been done before the signal came.
	[ "$status" = 130 ] || [ "$status" = 0 ]
	nothing_wrong
}

@test "SIGINT ends it at once while a file server does not answer" {
	local status arguments
	needs preload
	! under_qemu || skip "LD_PRELOAD is of this machine"
	is_ours || skip "this is about our threads"
	mkdir far
	(cd far && files 50)
	for arguments in 'far/f1' 'far/f1 far/f2 far/f3 far/f4' '-r far'; do
		SECONDS=0 status=0
		rm -f faults
		# shellcheck disable=SC2086 # words
		FAULTS=slow:600000000 FAULTS_BELOW=$PWD/far \
			FAULTS_LOG=$PWD/faults \
			LD_PRELOAD=$PRELOAD${LD_PRELOAD:+:$LD_PRELOAD} \
			env --default-signal=INT \
			bash -c 'exec -a sha256sum "$0" "$@"' \
			"$PROGRAM" $arguments >out 3>&- &
		until [ -s faults ]; do sleep 0.01; done
		kill -INT $!
		wait $! || status=$?
		[ "$status" = 130 ]
		[ "$SECONDS" -lt 300 ]
		[ ! -s out ]
	done
}

@test "SIGPIPE ends it, by the signal" {
	local status=0
	printf 'first\n' >first
	mkfifo in out
	exec 7<>in
	exec 8<>out
	env --default-signal=PIPE bash -c 'exec -a sha256sum "$0" "$@"' \
		"$PROGRAM" first - last <in >out 2>err 3>&- 7>&- 8>&- &
	expect_line 8 "$(digest_line first <first)"
	exec 8>&-
	exec 7>&-
	wait $! || status=$?
	[ "$status" = 141 ]
	[ ! -s err ]
}

@test "an ignored SIGPIPE becomes a write error" {
	local status=0
	printf 'first\n' >first
	mkfifo in out
	exec 7<>in
	exec 8<>out
	env --ignore-signal=PIPE bash -c 'exec -a sha256sum "$0" "$@"' \
		"$PROGRAM" first - <in >out 2>err 3>&- 7>&- 8>&- &
	expect_line 8 "$(digest_line first <first)"
	exec 8>&-
	exec 7>&-
	wait $! || status=$?
	[ "$status" = 1 ]
	grep -qxE 'sha256sum: write error: Broken pipe' err
}
