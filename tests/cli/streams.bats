#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# streams: input that comes at any time.  A line is out as soon as all
# earlier inputs are done, whatever later ones do.  Nothing here sleeps:
# every step waits for the one before it, and a limit only ends a hang.

load ../support/common

setup()
{
	enter_scratch
	printf 'first\n' >first
	printf 'last\n' >last
	first=$(digest_line first <first)
	last=$(digest_line last <last)
	mkfifo out err
	exec 8<>out 9<>err
}

teardown()
{
	end_started
}

# start ARGUMENT...: the program, writing to descriptors 8 and 9; its stdin
# is this function's
start()
{
	timeout "$LIMIT" bash -c 'exec -a sha256sum "$0" "$@"' \
		"$PROGRAM" "$@" <&0 >out 2>err 3>&- 8>&- 9>&- &
	started=$!
}

@test "a line comes before the next input is written (FIFO)" {
	mkfifo slow
	exec 7<>slow
	start first slow last 7>&-
	expect_line 8 "$first"
	expect_nothing 8
	printf 'slow\n' >slow
	exec 7>&-
	expect_line 8 "$(printf 'slow\n' | digest_line slow)"
	expect_line 8 "$last"
	finish 0
}

@test "lines and complaints keep their order on one pipe" {
	mkfifo slow
	timeout "$LIMIT" bash -c 'exec -a sha256sum "$0" "$@"' "$PROGRAM" \
		first nothere slow nothere last \
		>out 2>&1 3>&- 8>&- 9>&- &
	started=$!
	expect_line 8 "$first"
	expect_line 8 "sha256sum: nothere: No such file or directory"
	printf 's' >slow
	expect_line 8 "$(printf 's' | digest_line slow)"
	expect_line 8 "sha256sum: nothere: No such file or directory"
	expect_line 8 "$last"
	finish 1
}

@test "check mode: a verdict comes before the next line is written" {
	mkfifo list
	exec 7<>list
	start -c list 7>&-
	printf '%s\n' "$first" >&7
	expect_line 8 "first: OK"
	expect_nothing 8
	printf '%s\n' "${last/#?/x}" "$last" >&7
	expect_line 8 "last: OK"
	printf '%064d  last\n' 0 >&7
	expect_line 8 "last: FAILED"
	exec 7>&-
	expect_line 9 "sha256sum: WARNING: 1 line is improperly formatted"
	expect_line 9 "sha256sum: WARNING: 1 computed checksum did NOT match"
	finish 1
}

@test "check mode: a bad line is named before the next one comes (-w)" {
	mkfifo list
	exec 7<>list
	start -cw list 7>&-
	printf 'junk\n' >&7
	expect_line 9 "sha256sum: list: 1: improperly formatted SHA256 checksum line"
	printf '%s\n' "$first" >&7
	expect_line 8 "first: OK"
	exec 7>&-
	expect_line 9 "sha256sum: WARNING: 1 line is improperly formatted"
	finish 0
}

@test "check mode: a listed FIFO that comes slowly" {
	mkfifo slow
	printf '%s\n' "$first" "$(printf 's' | digest_line slow)" "$last" >list
	start -c list
	expect_line 8 "first: OK"
	expect_nothing 8
	printf 's' >slow
	expect_line 8 "slow: OK"
	expect_line 8 "last: OK"
	finish 0
}

@test "check mode: the second list is opened when the first is done" {
	mkfifo list
	printf '%s\n' "$first" >l
	start -c l list
	expect_line 8 "first: OK"
	printf '%s\n' "$last" >list
	expect_line 8 "last: OK"
	finish 0
}

@test "--files0-from: a name is hashed before the next one comes" {
	is_ours || skip "GNU has no such option"
	mkfifo list
	exec 7<>list
	start --files0-from=- <list 7>&-
	printf 'first\0' >&7
	expect_line 8 "$first"
	expect_nothing 8
	printf 'last' >&7
	exec 7>&-
	expect_line 8 "$last"
	finish 0
}

@test "--files0-from: a FIFO named in a list that comes slowly" {
	is_ours || skip "GNU has no such option"
	mkfifo list slow
	exec 7<>list
	start --files0-from=list 7>&-
	printf 'slow\0first\0' >&7
	printf 's' >slow
	expect_line 8 "$(printf 's' | digest_line slow)"
	expect_line 8 "$first"
	exec 7>&-
	finish 0
}

# script(1) gives the program a terminal.  The terminal echoes nothing, and
# stays open after the ^D: one is enough.
on_terminal()
{
	needs_terminal
	mkfifo keys
	exec 7<>keys
	printf -v line '%q ' "$PROGRAM" "$@"
	timeout "$LIMIT" script -qec "stty -echo; echo ready; $line" /dev/null \
		<keys >out 2>err 3>&- 7>&- 8>&- 9>&- &
	started=$!
	expect_line 8 $'ready\r'
}

@test "on a terminal ^D ends one input, the next ^D the next" {
	on_terminal - first -
	printf 'one\n\004' >&7
	expect_line 8 "$(printf 'one\n' | digest_line -)"$'\r'
	expect_line 8 "$first"$'\r'
	printf 'two\n\004' >&7
	expect_line 8 "$(printf 'two\n' | digest_line -)"$'\r'
	wait "$started"
}

@test "on a terminal a list can be typed" {
	on_terminal -c
	printf '%s\n' "$first" >&7
	expect_line 8 $'first: OK\r'
	printf '\004' >&7
	wait "$started"
}

@test "a file has a time after 2038: it is hashed, and -r walks on" {
	mkdir -p t/far
	touch t/a t/far/b
	touch -d 2040-01-01 t/z t/far
	[ "$(stat -c %Y t/z)" = 2208988800 ] || skip "no such times here"
	oracle t/z >right
	sum t/z >got
	same right got
	is_ours || return 0
	oracle t/a t/far/b t/z >right
	sum -r t >got
	same right got
}
