#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# emulator: what users see is the same on an emulated VideoCore IV, and what
# goes wrong there costs no digest.

load ../support/common

setup()
{
	enter_scratch
	is_ours || skip "--device is an option of qpu-sha256sum"
}

# tree COUNT: files of all lengths in t/, their lines in `right`
tree()
{
	local i
	mkdir t
	head -c 60000 /dev/urandom >noise
	for ((i = 0; i < $1; i++)); do
		head -c $(((i * 7919 + i * i * 31) % ${2:-9000})) noise >"t/$i"
	done
	oracle t/* >right
}

# One file more, which keeps a lane busy for ten launches.
lengthen()
{
	cat noise noise noise noise noise >t/long
	oracle t/* >right
}

# emulated WORDS ARGUMENT...
emulated()
{
	local words=$1
	shift
	sum --device="emulator${words:+:$words}" "$@"
}

# all_is_well WORDS ARGUMENT...: the right lines, nothing else
all_is_well()
{
	emulated "$@" t/* >out 2>err
	same right out
	[ ! -s err ] || fail "on stderr: $(cat err)"
}

# replaced CAUSE WORDS ARGUMENT...: the right lines, one warning, status 0; or
# status 1 and one line more, if there were digests before
replaced()
{
	local cause=$1 status=0
	shift
	emulated "$@" t/* >out 2>err || status=$?
	same right out
	[ "$(wc -l <err)" = $((1 + status)) ] || fail "on stderr: $(cat err)"
	grep -qE "^sha256sum: warning: emulator failed \(.*$cause" err ||
		fail "on stderr: $(cat err)"
	[ $status = 0 ] ||
		grep -qE '^sha256sum: [0-9]+ digests had come from ' err ||
		fail "on stderr: $(cat err)"
}

# --- The same lines --------------------------------------------------------------

@test "a tree of files has the right lines, also with --verify" {
	needs openssl
	tree 250
	all_is_well ''
	all_is_well '' --verify
	emulated '' -c --quiet right
}

@test "more files than lanes, and files longer than buffers, have the right lines" {
	tree 400 2000
	cat noise noise >t/big
	cat t/big t/big >t/bigger
	oracle t/* >right
	all_is_well mem=1
	all_is_well qpus=2
}

@test "standard input and pipes are hashed, and files that cannot be read are told" {
	local status=0
	tree 5
	emulated '' <noise >out
	digest_line - <noise >expected
	same expected out
	cat noise noise | emulated '' t/1 - t/2 >out
	{ oracle t/1; cat noise noise | digest_line -; oracle t/2; } >expected
	same expected out
	emulated '' t/1 nowhere t/2 >out 2>err || status=$?
	[ $status = 1 ]
	oracle t/1 t/2 >expected
	same expected out
	[ "$(cat err)" = 'sha256sum: nowhere: No such file or directory' ]
}

# knows_no_device SUITE CASES: these, or with QPU_TESTS=all all of them, pass on
# the emulator
knows_no_device()
{
	command -v bats >/dev/null || skip "bats cannot be found"
	local cases=$2
	[ "${QPU_TESTS-}" != all ] || cases=.
	env -u BATS_TEST_TMPDIR QPU_DEVICE=emulator bats -f "$cases" \
		"$TOP/tests/cli/$1.bats" >log ||
		fail "$(grep -A 9 '^not ok' log)"
	[ "$(grep -c '^ok' log)" -ge 1 ] || fail "no such cases: $cases"
}

@test "digests are those that others have published" {
	knows_no_device vectors 'NIST CAVP, long'
}

@test "a line comes before the next input is written, from pipes and FIFOs" {
	knows_no_device streams \
		'next input is written|single bytes|second is the empty|a verdict'
}

# --- What goes wrong ---------------------------------------------------------------

@test "whatever a device does wrong is found, and its work redone: one warning" {
	local words cause
	tree 200 3000
	lengthen
	while read -r words cause; do
		replaced "$cause" "$words"
	done <<-'END'
		fault=lane@1 wrong answer
		fault=lane@11,qpus=5 wrong answer
		fault=lane@7,timed wrong answer
		fault=stuck@6 did not come back
		fault=stuck@6,qpus=1 did not come back
		fault=refuse@1 refused
		fault=refuse@11 refused
		fault=alloc@1 memory
		fault=alloc@3 memory
		fault=stores@7.0.5 has not stored
		fault=short@7.0.5,check (wrong (answer|seal|proof)|has not stored)
	END
}

@test "digests that came before wrong results are counted: status 1" {
	local status=0
	tree 60 20000
	emulated qpus=1,fault=lane@7 t/* >out 2>err || status=$?
	[ $status = 1 ]
	same right out
	[ "$(wc -l <err)" = 2 ]
	grep -qE '^sha256sum: [1-9][0-9]* digests had come from emulator' err
	emulated qpus=1,fault=lane@7 --verify t/* >out 2>err
	[ "$(wc -l <err)" = 1 ]
	emulated qpus=1,fault=stuck@7 t/* >out 2>err
	[ "$(wc -l <err)" = 1 ]
}

@test "a device that fails in check mode costs one warning" {
	tree 200 3000
	emulated fault=stuck@7 -c --quiet right >out 2>err
	[ ! -s out ]
	[ "$(wc -l <err)" = 1 ]
	grep -q '^sha256sum: warning: emulator failed' err
}

@test "--verify corrects and names a digest that no check has seen" {
	needs openssl
	local status=0
	printf 'abc' >abc
	digest_line abc <abc >expected
	# One bit of the data of the message, not of its known answer.
	emulated fault=data@6.0.0,seed=1 abc >out
	cmp -s expected out && fail "the fault did not strike"
	emulated fault=data@6.0.0,seed=1 --verify abc >out 2>err || status=$?
	[ $status = 1 ]
	same expected out
	[ "$(wc -l <err)" = 1 ]
	grep -q '^sha256sum: abc: .*wrong digest' err
}

# --- Words and --stats ---------------------------------------------------------------

@test "options that nobody knows are refused" {
	local words status
	printf 'a' >a
	for words in qpus=13 fast fault=fire@1; do
		status=0
		emulated "$words" a >out 2>err || status=$?
		[ $status = 1 ]
		[ ! -s out ]
		grep -q "^sha256sum: --device=emulator:$words: '$words'" err
	done
}

@test "--stats tells what the device has done, on stderr" {
	tree 50 3000
	emulated '' --stats t/* >out 2>err
	same right out
	no_line_but '^sha256sum: stats: [^:]+: ' err
	for line in 'device: emulator' 'QPUs: 12' 'launches: [1-9]' \
		'blocks: [1-9]' 'bytes, with padding: [1-9]' \
		'instructions per block of 16 lanes: [12][0-9]{3}\.' \
		'lane occupancy: [0-9.]+ %'; do
		grep -qE "^sha256sum: stats: $line" err || fail "no $line"
	done
	[ "$(grep -c MHz err)" = 0 ]
}

@test "--stats of a timed run has counters and modelled rates" {
	tree 50 3000
	emulated timed --stats t/* >out 2>err
	same right out
	for line in 'at 250 MHz, modelled: ' 'at 300 MHz, modelled: ' \
		'at 400 MHz, modelled: .* million blocks/s, .* MB/s' \
		'counter: .*: [1-9][0-9]* \(modelled\)'; do
		grep -qE "^sha256sum: stats: $line" err || fail "no $line"
	done
}

# Counts and a model's clocks: the same on any machine.
@test "12 QPUs full of long messages reach 6.3 million blocks/s, modelled" {
	local instructions rate
	head -c $((191 * 65500)) /dev/urandom >noise
	split -a 3 -b 65500 noise long
	emulated timed --stats long* >out 2>err
	oracle long* >expected
	same expected out
	instructions=$(sed -n 's/.*instructions per block.*: //p' err)
	rate=$(sed -n 's/.*at 250 MHz, modelled: \([0-9.]*\) .*/\1/p' err)
	echo "$instructions instructions, $rate million blocks/s"
	awk "BEGIN { exit !(${instructions%% *} <= 1765 && $rate >= 6.3) }"
}

# figure LABEL: a number of --stats
figure()
{
	sed -n "s/.*stats: $1: \\([0-9.]*\\).*/\\1/p" err
}

# many COUNT LEAST MOST: a list of COUNT names of files of LEAST to MOST bytes
many()
{
	local i
	mkdir t
	head -c "$3" /dev/urandom >noise
	for ((i = 0; i < 50; i++)); do
		head -c $(($2 + i * ($3 - $2) / 49)) noise >"t/$i"
	done
	for ((i = 0; i < $1; i += 50)); do
		printf '%s\0' t/*
	done >list
	xargs -0 sha256sum <list >right
}

# As many as may be under way at a time are two launches.
@test "messages of one block fill lanes and launches" {
	many 60000 1 55
	emulated '' --stats --files0-from=list >out 2>err
	same right out
	[ "$(figure launches)" = 2 ]
	awk "BEGIN { exit !($(figure 'lane occupancy') >= 97) }"
}

# A buffer holds 507 blocks of a lane, and none has to be left for later.
@test "messages that end after each block are all in one launch, in 16 MiB" {
	many 20000 100 420
	emulated mem=16 --stats --files0-from=list >out 2>err
	same right out
	[ "$(figure launches)" = 1 ]
}

@test "--stats works on the CPU, and after a device has failed" {
	tree 30 3000
	sum --stats t/* >out 2>err
	same right out
	grep -qE '^sha256sum: stats: blocks: [1-9]' err
	emulated fault=stuck@6 --stats t/* >out 2>err
	same right out
	grep -q '^sha256sum: warning: emulator failed' err
	grep -q '^sha256sum: stats: device: emulator' err
}
