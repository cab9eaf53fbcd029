#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# limits: little memory, no threads, few descriptors; many inputs and large
# ones: right lines, or an honest end.

load ../support/common

# --- Little memory, no threads, few descriptors -------------------------------

@test "no thread can be created, or only some" {
	local n
	files 60
	cat noise noise noise noise noise noise >big
	oracle big >>right
	for n in 0 1 2 3; do
		faulty "threads:$n" f{1..60} big >out 2>err
		same right out
		[ ! -s err ]
	done
	faulty threads:0 -c right >out 2>err
	[ "$(grep -c ': OK$' out)" = 61 ]
	[ ! -s err ]
}

# each_allocation_fails RIGHT ARGUMENT...: with each call for memory that
# the program makes as the last one that succeeds, it prints the lines of
# RIGHT, or it says why not and prints no line that is not there.
each_allocation_fails()
{
	local calls status right=$1
	shift
	for ((calls = 0; calls < 1000; calls++)); do
		status=0
		faulty "calls:$calls" "$@" >out 2>err || status=$?
		case $status in
		0)
			same "$right" out
			[ ! -s err ]
			;;
		1)
			if grep -vxFf "$right" out; then fail "wrong"; fi
			[ -z "$(tail -c 1 out)" ]
			grep -q '^sha256sum: ' err
			;;
		*) fail "status $status at calls:$calls" ;;
		esac
		[ -s faults ] || break
	done
	[ "$calls" -gt 20 ]
}

@test "whichever allocation fails: right lines or an honest end" {
	files 16
	each_allocation_fails right f{1..16}
}

@test "whichever allocation of a check fails: right verdicts or an honest end" {
	files 16
	sed 's/.*  //; s/$/: OK/' right >verdicts
	each_allocation_fails verdicts -c right
}

@test "an address space that is enough for few names is for many" {
	under_qemu && skip "qemu needs more for itself"
	local kib
	files 100
	for _ in {1..30}; do cat right; done >all
	sed 's/.*  //' all | tr '\n' '\0' >names
	for kib in {5,6,7,8,9,10,12,20}000; do
		# More than the C library needs, and the buffers.
		(ulimit -v $((kib - 1000)) && sum f1) >out 2>&1 || continue
		(ulimit -v "$kib" && sum --threads=16 --files0-from=names) >out
		same all out
		(ulimit -v "$kib" && sum --threads=16 -c --quiet all) >out
		[ ! -s out ]
	done
}

@test "memory does not grow with the number of names" {
	local kib
	! under_qemu || skip "the emulator has memory of its own"
	printf x >f1
	yes f1 | head -n 100000 | tr '\n' '\0' >names
	# A second thread may be far ahead of one that has lost its processor.
	faulty peak --threads=1 --files0-from=names >out
	[ "$(uniq out | wc -l)" = 1 ]
	[ "$(wc -l <out)" = 100000 ]
	kib=$(sed -n 's/^peak - //p' faults)
	[ "$kib" -lt 8000 ] || fail "$kib KiB"
}

@test "14 MB of address space are enough for one thread" {
	! under_qemu || skip "the emulator has memory of its own"
	! grep -aqm 1 'lib[at]san\.so' "$PROGRAM" || skip "so has a sanitizer"
	files 3
	(ulimit -v 14000 && exec "$PROGRAM" --threads=1 f{1..3}) >out
	same right out
}

@test "32 descriptors are enough, and 7 where some are closed" {
	files 300
	(ulimit -n 32 && sum f{1..300}) >out
	same right out
	(ulimit -n 32 && sum -c --quiet right) >out
	[ ! -s out ]
	(exec 3>&- 4>&- 5>&-; ulimit -n 7 && sum f{1..300}) >out
	same right out
}

@test "a soft limit of descriptors is no limit" {
	files 20
	(exec 3>&- 4>&- 5>&-; ulimit -Sn 4; exec "$PROGRAM" -c --quiet right)
}

# fifos N DESCRIPTORS [OPTION]: N FIFOs, whose bytes come one after the other
fifos()
{
	local i names
	mapfile -t names < <(seq -f p%g "$1")
	mkfifo "${names[@]}"
	(ulimit -n "$2" && sum "${@:3}" "${names[@]}") >out 3>&- &
	mkdir contents
	for ((i = 1; i <= $1; i++)); do
		printf '%d' "$i" >"p$i"
		printf '%d' "$i" >"contents/p$i"
	done
	wait $!
	(cd contents && oracle "${names[@]}") >expected
	same expected out
}

@test "32 descriptors are enough for 100 FIFOs, 10 for 8 threads and 40" {
	fifos 100 32
	rm -r p* contents
	fifos 40 10 --threads=8
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
	echo "$HALF_GIB_AND_1  sparse" >expected
	same expected out
}
# Of 536870913 zero bytes, from openssl dgst.
HALF_GIB_AND_1=7c40fe5ce847740d0f0d0cdde3949d6585804cdec3ae61a15b923165699c8137

# calls_for N: how many calls for files the program makes for N small ones
calls_for()
{
	faulty total --threads=1 "${@:2:$1}" >out
	sed -n 's/^total - //p' faults
}

# Files of 1 to 511 bytes more than whole sectors, all of them cached.  While the
# machine is busy some may be opened by other threads: the best of several runs.
@test "a small file takes three system calls: open, read and close" {
	local few many i least=1000000
	[ -z "${QPU_DEVICE-}" ] || skip "a device has calls of its own"
	mapfile -t names < <(seq -f s%g 400)
	for i in "${names[@]}"; do
		printf '%4000s' "$i" >"$i"
	done
	mkfifo gate
	exec 5<>gate
	printf xx >&5
	FAULTS_GATE=gate faulty hang:s1: s1 >out
	! grep -q '^blind' faults || skip "this system cannot tell what is cached"
	for i in {1..5}; do
		few=$(calls_for 100 "${names[@]}")
		many=$(calls_for 400 "${names[@]}")
		((many - few >= least)) || least=$((many - few))
	done
	# Lines are written many at a time.
	[ "$least" -lt 1000 ] || fail "$least system calls for 300 files"
}
