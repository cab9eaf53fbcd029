#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# robustness: never a wrong digest, never a partial line, never a hang;
# whatever happens to the files, the memory, the threads and the descriptors.

load common

setup()
{
	enter_scratch
}

teardown()
{
	leave_public_place
}

# files N: f1 to fN of odd sizes, their right lines in `right`
files()
{
	local i
	head -c 400000 /dev/urandom >noise
	for ((i = 1; i <= $1; i++)); do
		head -c $(((i * 7919 + i * i * 31) % 40000)) noise >"f$i"
	done
	names=("${@:2}")
	for ((i = 1; i <= $1; i++)); do
		names+=("f$i")
	done
	oracle "${names[@]}" >right
}

# Every line written is one of the right ones, and whole.
nothing_wrong()
{
	[ -z "$(tail -c 1 out)" ] || fail "a partial line: $(tail -n 1 out)"
	grep -vxFf right out >wrong || return 0
	fail "wrong: $(head -n 5 wrong)"
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

@test "a file that grows while it is read" {
	head -c 700001 /dev/zero >victim
	cp victim copy
	head -c 100000 /dev/zero | tr '\0' g >>copy
	faulty read:victim:2:append=100000 victim >out 2>err
	struck append
	digest_is_of_what_was_read copy
	[ ! -s err ]
}

@test "a small file that grows before its first read" {
	printf 'small' >victim
	cp victim copy
	head -c 90000 /dev/zero | tr '\0' g >>copy
	faulty read:victim:1:append=90000 victim >out 2>err
	struck append
	digest_is_of_what_was_read copy
	[ ! -s err ]
}

@test "a file that is truncated while it is read" {
	head -c 700001 /dev/urandom >victim
	cp victim copy
	faulty read:victim:2:truncate=1000 victim >out 2>err
	struck truncate
	digest_is_of_what_was_read copy
	[ ! -s err ]
}

@test "a file that is empty when it is read at last" {
	head -c 3000 /dev/urandom >victim
	cp victim copy
	faulty read:victim:1:truncate=0 victim >out 2>err
	struck truncate
	digest_is_of_what_was_read copy
	[ ! -s err ]
}

@test "a file that is deleted while it is read" {
	head -c 700001 /dev/urandom >victim
	cp victim copy
	faulty read:victim:2:unlink victim >out 2>err
	struck unlink
	[ ! -e victim ]
	digest_line victim <copy >expected
	same expected out
	[ ! -s err ]
}

@test "a file that is replaced while it is read" {
	head -c 700001 /dev/urandom >victim
	cp victim copy
	faulty read:victim:2:replace victim >out 2>err
	struck replace
	[ "$(stat -c %s victim)" = 777 ]
	digest_line victim <copy >expected
	same expected out
	[ ! -s err ]
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

@test "a read error midway: a message, no digest, the rest goes on" {
	files 20
	cp noise victim
	local status=0
	faulty read:victim:2:eio f{1..10} victim f{11..20} >out 2>err ||
		status=$?
	struck eio
	[ $status = 1 ]
	same right out
	echo 'sha256sum: victim: Input/output error' >expected
	same expected err
}

@test "a read error at once" {
	files 20
	printf 'small' >victim
	local status=0
	faulty read:victim:1:eio f{1..10} victim f{11..20} >out 2>err ||
		status=$?
	struck eio
	[ $status = 1 ]
	same right out
	echo 'sha256sum: victim: Input/output error' >expected
	same expected err
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

# --- Transfers in odd pieces ---------------------------------------------------

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
	faulty short:5 -c right >out
	[ "$(grep -c ': OK$' out)" = 30 ]
}

@test "short reads through a pipe" {
	files 1
	cat noise | faulty short:1 - >out
	digest_line - <noise >expected
	same expected out
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
	grep -qxE 'sha256sum: write error(: No space left on device)?' err
}

# --- Little memory, no threads, few descriptors --------------------------------

@test "no thread can be created" {
	files 60
	cat noise noise noise noise noise noise >big
	oracle big >>right
	faulty threads:0 f{1..60} big >out 2>err
	same right out
	[ ! -s err ]
	faulty threads:0 -c right >out 2>err
	[ "$(grep -c ': OK$' out)" = 61 ]
	[ ! -s err ]
}

@test "only some threads can be created" {
	local n
	files 60
	for n in 1 2 3; do
		faulty "threads:$n" f{1..60} >out 2>err
		same right out
		[ ! -s err ]
	done
}

@test "large allocations fail: right lines or an honest end" {
	local limit status
	files 40
	for limit in 4194304 1048576 262144 65536 16384 4096 1024; do
		status=0
		faulty "memory:$limit" f{1..40} >out 2>err || status=$?
		case $status in
		0)
			same right out
			[ ! -s err ]
			;;
		1)
			nothing_wrong
			grep -q '^sha256sum: ' err
			;;
		*) fail "status $status at memory:$limit" ;;
		esac
	done
}

@test "allocations fail after some have succeeded" {
	local calls status
	files 40
	for calls in {0..60}; do
		status=0
		faulty "calls:$calls" f{1..40} >out 2>err || status=$?
		case $status in
		0)
			same right out
			[ ! -s err ]
			;;
		1)
			nothing_wrong
			grep -q '^sha256sum: ' err
			;;
		*) fail "status $status at calls:$calls" ;;
		esac
	done
}

@test "allocations fail in check mode" {
	local calls status
	files 40
	sed 's/.*  //; s/$/: OK/' right >verdicts
	for calls in {0..60}; do
		status=0
		faulty "calls:$calls" -c right >out 2>err || status=$?
		case $status in
		0)
			same verdicts out
			[ ! -s err ]
			;;
		1)
			if grep -vxFf verdicts out; then fail "wrong"; fi
			grep -q '^sha256sum: ' err
			;;
		*) fail "status $status at calls:$calls" ;;
		esac
	done
}

@test "an address space of 256 MiB is enough" {
	under_qemu && skip "qemu needs more for itself"
	files 100
	cat noise noise noise noise noise noise noise noise >big
	oracle big >>right
	(ulimit -v 262144 && sum f{1..100} big) >out
	same right out
	(ulimit -v 262144 && sum -c --quiet right) >out
	[ ! -s out ]
}

@test "an address space of 32 MiB: right lines or an honest end" {
	under_qemu && skip "qemu needs more for itself"
	local status=0
	files 100
	(ulimit -v 32768 && exec -a sha256sum "$PROGRAM" f{1..100}) \
		>out 2>err || status=$?
	case $status in
	0) same right out ;;
	1)
		nothing_wrong
		grep -q '^sha256sum: ' err
		;;
	127) skip "not even the C library fits" ;;
	*) fail "status $status" ;;
	esac
}

@test "an address space that is enough for few names is for many" {
	under_qemu && skip "qemu needs more for itself"
	local i kib
	files 100
	for ((i = 0; i < 100; i++)); do
		printf '%s\0' f{1..100}
		cat right >&3
	done >names 3>all
	for kib in {5,6,7,8,9,10,12,14,20,60}000; do
		# More than the C library needs, and the buffers.
		(ulimit -v $((kib - 1000)) && sum f1) >out 2>&1 || continue
		(ulimit -v "$kib" && sum --threads=16 --files0-from=names) >out
		same all out
		(ulimit -v "$kib" && sum --threads=16 -c --quiet all) >out
		[ ! -s out ]
	done
}

@test "32 descriptors are enough" {
	files 300
	(ulimit -n 32 && sum f{1..300}) >out
	same right out
	(ulimit -n 32 && sum -c --quiet right) >out
	[ ! -s out ]
}

@test "7 descriptors are enough" {
	files 100
	(
		exec 3>&- 4>&- 5>&-
		ulimit -n 7 && sum f{1..100}
	) >out
	same right out
}

@test "32 descriptors and 100 FIFOs" {
	local i
	for i in {1..100}; do mkfifo "p$i"; done
	(ulimit -n 32 && sum p{1..100}) >out 3>&- &
	for i in {1..100}; do printf '%d' "$i" >"p$i"; done
	wait $!
	for i in {1..100}; do
		printf '%d' "$i" | digest_line "p$i"
	done >expected
	same expected out
}

@test "10 descriptors, 8 threads and 40 FIFOs" {
	local i
	for i in {1..40}; do mkfifo "p$i"; done
	(ulimit -n 10 && sum --threads=8 p{1..40}) >out 3>&- &
	for i in {1..40}; do printf '%d' "$i" >"p$i"; done
	wait $!
	for i in {1..40}; do
		printf '%d' "$i" | digest_line "p$i"
	done >expected
	same expected out
}

# --- Many, large --------------------------------------------------------------

@test "10,000 operands" {
	local i
	mkdir many
	for ((i = 0; i < 10000; i++)); do
		printf '%d' $((i % 977)) >"many/$i"
	done
	(cd many && printf '%s\0' * | xargs -0 -n 10000 sha256sum) >right
	(cd many && sum ./*) | sed 's|  \./|  |' >out
	same right out
	(cd many && sum -c --quiet ../right)
}

@test "10,000 times the same operand" {
	local names
	printf 'x' >f
	mapfile -t names < <(yes f | head -n 10000)
	sum "${names[@]}" >out
	oracle "${names[@]}" >right
	same right out
}

@test "a list of 20,000 lines, many of them wrong" {
	local i
	printf 'x' >f
	good=$(oracle f)
	for ((i = 0; i < 5000; i++)); do
		printf '%s\n%s\n%064d  f\njunk\n' "$good" "$good" 0
	done >list
	local status=0
	sum -c list >out 2>err || status=$?
	[ $status = 1 ]
	for ((i = 0; i < 5000; i++)); do
		printf 'f: OK\nf: OK\nf: FAILED\n'
	done >expected
	same expected out
	printf 'sha256sum: WARNING: %s\n' \
		'5000 lines are improperly formatted' \
		'5000 computed checksums did NOT match' >expected
	same expected err
}

# rate_is_enough MIB_PER_SECOND: is this machine fast enough for large files?
rate_is_enough()
{
	local start=${EPOCHREALTIME/[.,]/} spent
	head -c 33554432 /dev/zero | "$PROGRAM" >/dev/null
	spent=$((${EPOCHREALTIME/[.,]/} - start))
	[ $((32 * 1000000 / (spent + 1))) -ge "$1" ]
}

@test "a bit count that does not fit in 32 bits (512 MiB and 1 byte)" {
	quick && skip "not in a quick run"
	[ -z "${QPU_DEVICE-}" ] || skip "too slow a device"
	rate_is_enough 60 || skip "too slow a machine"
	truncate -s 536870913 sparse
	LIMIT=300 sum sparse >out
	oracle sparse >expected
	same expected out
}

@test "a byte count that does not fit in 32 bits (4 GiB and 3 bytes)" {
	quick && skip "not in a quick run"
	rate_is_enough 300 || skip "too slow a machine"
	truncate -s 4294967299 sparse
	LIMIT=300 sum sparse >out
	echo "$FOUR_GIB_AND_3  sparse" >expected
	same expected out
}
# Of 4294967299 zero bytes, from openssl dgst.
FOUR_GIB_AND_3=930fa067940ff8d9f427e3a116b7598503c70ce7380d66ff65f8de33d558f7f3

@test "a large file between small ones" {
	files 40
	rate_is_enough 60 || skip "too slow a machine"
	truncate -s 100000001 sparse
	oracle f{1..20} sparse f{21..40} >right
	LIMIT=300 sum f{1..20} sparse f{21..40} >out
	same right out
}

# --- Signals ---------------------------------------------------------------------

# interrupted_by SIGNAL: send it while the program waits for a FIFO, behind
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

@test "SIGINT ends it, by the signal" {
	interrupted_by INT
	[ "$status" = 130 ]
}

@test "SIGTERM ends it, by the signal" {
	interrupted_by TERM
	[ "$status" = 143 ]
}

@test "SIGINT while hundreds of files are hashed: whole lines only" {
	local i status=0 pid
	files 50
	mapfile -t names < <(for i in {1..12}; do printf 'f%d\n' {1..50}; done)
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
	grep -qxE 'sha256sum: write error(: Broken pipe)?' err
}

# --- Permissions -------------------------------------------------------------------

@test "a file that may not be read" {
	local status=0
	public_place
	printf 'a' >a
	printf 's' >secret
	chmod 0 secret
	as_user_sum a secret a >out 2>err || status=$?
	[ $status = 1 ]
	{ digest_line a <a; digest_line a <a; } >expected
	same expected out
	echo 'sha256sum: secret: Permission denied' >expected
	same expected err
}

@test "a directory that may not be searched, in check mode" {
	local status=0
	public_place
	mkdir closed
	printf 'a' >closed/a
	digest_line closed/a <closed/a >list
	chmod 0 closed
	as_user_sum -c --ignore-missing list >out 2>err || status=$?
	[ $status = 1 ]
	echo 'closed/a: FAILED open or read' >expected
	same expected out
	grep -qx 'sha256sum: closed/a: Permission denied' err
}
