#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# faults: never a wrong digest, never a partial line, never a hang: whatever
# happens to the files and to the calls that read and write.  (What one file
# does to others is asked by tests/pipeline/test-files.c.)

load ../support/common

# The digest of victim stands for the bytes that were read, $1 for the
# content they were read from.
digest_is_of_what_was_read()
{
	local bytes
	bytes=$(awk '$1 == "bytes" { n = $3 } END { print n }' faults)
	head -c "$bytes" "$1" | digest_line victim >expected
	same expected out
}

# --- Files that change -------------------------------------------------------

@test "the digest of a file that changes is of the bytes that were read" {
	local length nth command
	while read -r length nth command; do
		head -c "$length" /dev/urandom >victim
		cp victim copy
		head -c 100000 /dev/zero >>copy
		FAULTS_COMMAND=$command faulty "read:victim:$nth:run" victim \
			>out 2>err
		struck run
		digest_is_of_what_was_read copy
		[ ! -s err ]
	done <<-'END'
	700001 2 head -c 100000 /dev/zero >>victim
	5 1 head -c 90000 /dev/zero >>victim
	700001 2 truncate -s 1000 victim
	3000 1 truncate -s 0 victim
	END
}

# --- Read errors -----------------------------------------------------------

@test "a read error in check mode is FAILED open or read" {
	files 4
	cp noise victim
	oracle f1 victim f2 >list
	exits 1 faulty read:victim:2:eio -c list
	struck eio
	printed 'f1: OK' 'victim: FAILED open or read' 'f2: OK'
	said 'victim: Input/output error' \
		'WARNING: 1 listed file could not be read'
}

@test "a read error on standard input" {
	printf 'some' >victim
	exits 1 faulty read:victim:1:eio - <victim
	struck eio
	[ ! -s out ]
	grep -qx 'sha256sum: -: Input/output error' err
}

@test "a list that cannot be read to its end" {
	files 3
	yes "$(cat right)" | head -n 9000 >victim
	exits 1 faulty read:victim:2:eio -c victim
	struck eio
	no_line_but '^f[123]: OK$' out
	grep -qx 'sha256sum: victim: read error' err
}

# --- Transfers in odd pieces --------------------------------------------------

@test "reads and writes that are short or interrupted change nothing" {
	local rules
	files 30
	for rules in short:1 short:2 eintr:2 halves 'short:3 halves eintr:3'; do
		faulty "$rules" f{1..30} >out
		same right out
		faulty "$rules" -c right >out
		[ "$(grep -c ': OK$' out)" = 30 ]
		[[ $rules != *eintr* ]] || struck eintr
		digest_line - <noise >expected
		faulty "$rules" - <noise >out
		same expected out
		cat noise | faulty "$rules" - >out
		same expected out
	done
}

@test "a device that fills up midway is reported" {
	files 300
	exits 1 faulty enospc:1000 f{1..300}
	struck enospc
	[ "$(stat -c %s out)" -le 1000 ]
	grep -qxE 'sha256sum: write error: No space left on device' err
}
