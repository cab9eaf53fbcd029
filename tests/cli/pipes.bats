#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# pipes: lines stay whole where several processes write into one pipe, and a
# pipe that does not block is answered as GNU answers it.

load ../support/common

# --- Output -----------------------------------------------------------------

# many_files DIRECTORY: 400 empty files with names of 240 characters
many_files()
{
	mkdir "$1"
	(
		cd "$1"
		local name
		name=$(printf '%0237d' 0)
		seq -f "$name%03g" 0 399 | xargs touch
	)
}

@test "8 processes write into one pipe: every line is whole" {
	local names
	many_files many
	mapfile -t names < <(cd many && printf '%s\n' ./*)
	# All at the same time.
	for _ in {1..8}; do
		(cd many && sum "${names[@]}") &
	done | cat >out
	oracle many/"$(printf '%0240d' 0)" >digest
	[ "$(wc -l <out)" = 3200 ]
	no_line_but "^$(head -c 64 digest)  \\./0{237}[0-9]{3}\$" out
	(cd many && sum -c --quiet ../out)
}

@test "a full pipe that does not block: whole lines and a write error" {
	local status=0
	many_files many
	mkfifo pipe
	exec 7<>pipe
	(cd many && faulty nonblock:1 ./* >&7 2>../err) || status=$?
	[ $status = 1 ]
	grep -q '^sha256sum: write error' err
	# Opened again, it blocks.
	printf 'end\n' >pipe &
	local last=$!
	sed /end/q <pipe | grep -vE '^[0-9a-f]{64}  \./[0-9]{240}$' >others
	[ "$(cat others)" = end ]
	wait "$last"
}

@test "with -r and --json a full pipe that does not block is waited for" {
	is_ours || skip "this is about extensions"
	many_files many
	mkfifo pipe
	for options in '-r many' '--json -r many'; do
		exec 7<>pipe
		head -c 65536 /dev/zero >&7
		# shellcheck disable=SC2086 # words
		faulty nonblock:1 $options >&7 7>&- 2>err &
		started=$!
		wc -l <pipe 7>&- >lines &
		reader=$!
		exec 7>&-
		wait "$started"
		wait "$reader"
		[ ! -s err ]
		[ "$(cat lines)" -ge 400 ]
	done
}

# --- Input ------------------------------------------------------------------

# unblocked STATUS ARGUMENT...: the program's standard input is a FIFO that
# does not block, has a writer, and brings what is in the file `input`
unblocked()
{
	rm -f pipe
	mkfifo pipe
	exec 7<>pipe
	cat input >&7
	exits "$1" faulty nonblock:0 "${@:2}" <&7
	exec 7>&-
}

@test "standard input that does not block and ends too early" {
	printf 'abc' >input
	unblocked 1 /dev/null - /dev/null
	oracle /dev/null /dev/null >expected
	same expected out
	said '-: Resource temporarily unavailable'
}

@test "standard input that does not block and ends" {
	printf 'abc' >input
	faulty nonblock:0 <input >out
	oracle <input >expected
	same expected out
	faulty nonblock:0 </dev/null >out
	oracle </dev/null >expected
	same expected out
}

@test "a check list that does not block" {
	oracle /dev/null >input
	unblocked 1 -c
	printed '/dev/null: OK'
	said "'standard input': read error"
}

@test "a list of names that does not block" {
	is_ours || skip "GNU has no such option"
	printf '/dev/null\0' >input
	unblocked 1 --files0-from=-
	oracle /dev/null >expected
	same expected out
	said '-: read error: Resource temporarily unavailable'
}
