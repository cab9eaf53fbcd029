#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# faults: never a wrong digest, never a partial line, never a hang: whatever
# happens to the files and to the calls that read and write.

load ../support/common

setup()
{
	enter_scratch
}

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
	local length rule
	while read -r length rule; do
		head -c "$length" /dev/urandom >victim
		cp victim copy
		head -c 100000 /dev/zero | tr '\0' g >>copy
		faulty "read:victim:$rule" victim >out 2>err
		struck "$(cut -d : -f 2 <<<"${rule%=*}")"
		digest_is_of_what_was_read copy
		[ ! -s err ]
	done <<-'END'
	700001 2:append=100000
	5 1:append=90000
	700001 2:truncate=1000
	3000 1:truncate=0
	END
}

@test "a file that loses its name while it is read has the digest that it had" {
	local rule
	for rule in unlink replace; do
		head -c 700001 /dev/urandom >victim
		digest_line victim <victim >expected
		faulty "read:victim:2:$rule" victim >out 2>err
		struck $rule
		same expected out
		[ ! -s err ]
	done
	[ "$(stat -c %s victim)" = 777 ]
}

@test "changing files do not disturb their neighbours" {
	local kind
	files 40
	for kind in truncate=5 append=99999 unlink replace; do
		head -c 300000 noise >victim
		faulty "read:victim:2:$kind" f{1..20} victim f{21..40} \
			>out 2>err
		struck "${kind%=*}"
		grep -v victim out >others
		same right others
		[ ! -s err ]
	done
}

# --- Read errors -----------------------------------------------------------

@test "a read error, at once or midway: a message, no digest, the rest goes on" {
	local nth status
	files 20
	cp noise victim
	for nth in 1 2; do
		status=0
		faulty read:victim:$nth:eio f{1..10} victim f{11..20} \
			>out 2>err || status=$?
		struck eio
		[ $status = 1 ]
		same right out
		echo 'sha256sum: victim: Input/output error' >expected
		same expected err
	done
}

@test "a read error in check mode is FAILED open or read" {
	files 4
	cp noise victim
	oracle f1 victim f2 >list
	local status=0
	faulty read:victim:2:eio -c list >out 2>err || status=$?
	struck eio
	[ $status = 1 ]
	printf '%s\n' 'f1: OK' 'victim: FAILED open or read' 'f2: OK' >expected
	same expected out
	printf '%s\n' 'sha256sum: victim: Input/output error' \
		'sha256sum: WARNING: 1 listed file could not be read' >expected
	same expected err
}

@test "a read error on standard input" {
	printf 'some' >victim
	local status=0
	faulty read:victim:1:eio - <victim >out 2>err || status=$?
	struck eio
	[ $status = 1 ]
	[ ! -s out ]
	grep -qx 'sha256sum: -: Input/output error' err
}

@test "a list that cannot be read to its end" {
	files 3
	yes "$(cat right)" | head -n 9000 >victim
	local status=0
	faulty read:victim:2:eio -c victim >out 2>err || status=$?
	struck eio
	[ $status = 1 ]
	no_line_but '^f[123]: OK$' out
	grep -qx 'sha256sum: victim: read error' err
}

# --- Transfers in odd pieces --------------------------------------------------

@test "short reads change nothing" {
	local seed
	files 30
	for seed in 1 2 3; do
		faulty "short:$seed" f{1..30} >out
		same right out
	done
	faulty short:4 - <noise >out
	digest_line - <noise >expected
	same expected out
	cat noise | faulty short:1 - >out
	same expected out
	faulty short:5 -c right >out
	[ "$(grep -c ': OK$' out)" = 30 ]
}

@test "reads that take long, as of a disk" {
	is_ours || skip "GNU's does not look at a clock"
	local i
	files 5
	head -c 900000 /dev/urandom >big
	for i in 1 2 3 4; do cat big f$i >big$i; done
	oracle big* f? >right
	for i in 1 2 3; do
		faulty clock:10 --threads=$i big* f? >out 2>err
		same right out
		[ ! -s err ]
	done
	struck clock
}

@test "interrupted reads and writes are repeated" {
	files 30
	faulty eintr:2 f{1..30} >out
	struck eintr
	same right out
	cat noise | faulty eintr:2 - >out
	struck eintr
	digest_line - <noise >expected
	same expected out
	faulty eintr:2 -c right >out
	struck eintr
	[ "$(grep -c ': OK$' out)" = 30 ]
}

@test "short writes are continued" {
	files 30
	faulty halves f{1..30} >out
	same right out
	faulty 'halves eintr:3' f{1..30} >out
	same right out
}

@test "a device that fills up midway is reported" {
	files 300
	local status=0
	faulty enospc:1000 f{1..300} >out 2>err || status=$?
	struck enospc
	[ $status = 1 ]
	[ "$(stat -c %s out)" -le 1000 ]
	grep -qxE 'sha256sum: write error: No space left on device' err
}
