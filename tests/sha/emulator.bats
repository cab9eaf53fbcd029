#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# emulator: what users see is the same on an emulated VideoCore IV, in lanes and in
# tiles; what goes wrong there costs no digest; and what the QPUs need for it.

load ../support/common

only_ours

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

# emulated WORDS ARGUMENT...
emulated()
{
	local words=$1
	shift
	sum --device="emulator${words:+:$words}" "$@"
}

@test "a tree of files has the right lines, also with --verify, and is checked" {
	needs openssl
	local words
	tree 250 1000
	for words in '' --verify mem=1 qpus=2; do
		case $words in
		--*) emulated '' "$words" t/* >out 2>err ;;
		*) emulated "$words" t/* >out 2>err ;;
		esac
		same right out
		[ ! -s err ]
	done
	emulated '' -c --quiet right
}

@test "a form of instruction that a device does not have is named when it is opened" {
	local way seed form
	oracle "$TOP/README.md" >right
	while read -r way seed form; do
		sum --device="emulator:${way#lanes}qpus=1,seed=$seed,fault=mulpack@1-" \
			"$TOP/README.md" >out 2>err
		same right out
		grep -qE ' failed \(.*; a form of instruction does not work, .* parts of '\
"file A: $form\); the files" err || fail "$way$seed: $(cat err)"
	done <<-'END'
		lanes 0 16a is 3c3c0000
		lanes 2 8a is 3c3c3c00
		lanes 5 8d is 003c3c3c
		tiles, 2 8a is 3c3c3c00
		tiles, 5 8d is 003c3c3c
	END
	# No program of ours has 16b; and what else is wrong is none of them.
	emulated seed=1,qpus=1,fault=mulpack@1- "$TOP/README.md" 2>err
	[ ! -s err ]
	emulated qpus=1,fault=lane@1- "$TOP/README.md" 2>err
	grep -q 'wrong answer' err
	! grep form err || fail "$(cat err)"
}

@test "a device that fails costs one warning; digests from before are counted" {
	local words cause status=0
	tree 60 50000
	while read -r words cause; do
		status=0
		emulated "$words" t/* >out 2>err || status=$?
		same right out
		grep -qE "^sha256sum: warning: emulator failed \(.*$cause" err
		# Status 1: a line more, if there were digests before.
		[ "$(wc -l <err)" = $((1 + status)) ] || fail "$(cat err)"
		[ $status = 0 ] || grep -qE \
			'^sha256sum: [1-9][0-9]* digests had come from emul' err
	done <<-'END'
		fault=lane@1 wrong answer
		fault=stuck@6,qpus=1 did not come back
		fault=refuse@7 did not start
		fault=alloc@3 memory
	fault=lane@9,qpus=1 wrong answer
	END
	[ $status = 1 ]
	if built_with openssl; then
		emulated qpus=1,fault=lane@9 --verify t/* >out 2>err
		[ "$(wc -l <err)" = 1 ]
	fi
	emulated fault=stuck@7 -c --quiet right >out 2>err
	[ ! -s out ]
	[ "$(wc -l <err)" = 1 ]
}

# A bit of the data of one message, not of its known answer.  The message is
# seldom in the CPU's sample; if it is, or the bit is not used, run again.
@test "--verify corrects and names a digest that no check has seen" {
	needs openssl
	local status=0 i
	tree 400 2000
	for i in 1 2 3 4 5 6 7 8; do
		emulated "fault=data@6.0.0,seed=$i" t/* >out 2>err
		cmp -s right out || break
	done
	cmp -s right out && fail "the fault did not strike"
	for _ in 1 2 3 4; do
		emulated "fault=data@6.0.0,seed=$i" --verify t/* >out 2>err ||
			status=$?
		same right out
		[ "$(wc -l <err)" = 1 ]
		[ $status = 0 ] || break
	done
	[ $status = 1 ]
	grep -q '^sha256sum: t/[0-9]*: .*wrong digest' err
}

@test "--stats tells what the device has done, and times of a model" {
	tree 50 3000
	emulated timed --stats t/* >out 2>err
	same right out
	no_line_but '^sha256sum: stats: [^:]+: ' err
	for line in 'device: emulator' 'QPUs: 12' 'launches: [1-9]' \
		'blocks: [1-9]' 'bytes, with padding: [1-9]' \
		'instructions per block of 16 lanes: [12][0-9]{3}\.' \
		'lane occupancy: [0-9.]+ %' 'at 250 MHz, modelled: ' \
		'at 400 MHz, modelled: .* million blocks/s, .* MB/s' \
		'counter: .*: [1-9][0-9]* \(modelled\)'; do
		grep -qE "^sha256sum: stats: $line" err || fail "no $line"
	done
	emulated fault=stuck@6 --stats t/* >out 2>err
	same right out
	grep -q '^sha256sum: stats: device: emulator' err
}

# figure LABEL: a number of --stats
figure()
{
	sed -n "s/.*stats: $1: \\([0-9.]*\\).*/\\1/p" err
}

# Counts and a model's clocks: the same on any machine.
@test "12 QPUs full of long messages reach 6.3 million blocks/s, modelled" {
	local instructions rate
	head -c $((191 * 32750)) /dev/urandom >noise
	split -a 3 -b 32750 noise long
	emulated timed --stats long* >out 2>err
	oracle long* >expected
	same expected out
	instructions=$(figure 'instructions per block.*')
	rate=$(figure 'at 250 MHz, modelled')
	echo "$instructions instructions, $rate million blocks/s"
	awk "BEGIN { exit !($instructions <= 1765 && $rate >= 6.3) }"
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

# Messages in flight fill two launches, however few files may be open.
@test "messages of one block fill lanes and launches" {
	many 36000 1 55
	ulimit -n 250
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

# --- Tiles: fragment shaders behind a model of the kernel's driver ---------------

@test "files of many lengths have their digests on emulated tiles" {
	tree 150 3000
	head -c 20000 noise >t/long
	oracle t/* >right
	sum --device=emulator:tiles --stats t/* >out 2>err
	same right out
	grep -q 'QPUs: 12$' err
	# A dozen of them, with every hazard of the machine looked for.
	oracle t/1? >right
	sum --device=emulator:tiles,check t/1? >out 2>err
	same right out
	[ ! -s err ]
}

@test "a run on emulated tiles repeats to the clock, and another seed changes it" {
	local i
	for ((i = 0; i < 30; i++)); do
		head -c $((i * 211)) /dev/zero >"f$i"
	done
	for i in 7 7 8; do
		sum --device=emulator:tiles,timed,seed=$i --stats f* 2>err >out
		grep 'clocks, modelled' err >>clocks
	done
	[ "$(grep -c . clocks)" = 3 ]
	[ "$(sort -u clocks | grep -c .)" = 2 ]
	[ "$(sed -n 1p clocks)" = "$(sed -n 2p clocks)" ]
}

@test "after another program has hung the GPU for 3.6 s the QPUs go on with all blocks" {
	local i fault
	for ((i = 0; i < 400; i++)); do
		head -c $((i * 25)) /dev/urandom >"f$i"
	done
	oracle f* >right
	# At the opening, before the first launch, and between some launches.
	for fault in eintr@1- hang@4 hang@5 hang@9; do
		sum --device="emulator:tiles,mem=21,fault=$fault" --stats f* >out 2>err
		same right out
		! grep warning err || fail "$fault"
		grep -q 'launches: [3-9]$' err
		grep 'blocks on the device: [1-9]' err >>blocks
	done
	[ "$(wc -l <blocks)" = 4 ]
	[ "$(sort -u blocks | wc -l)" = 1 ] || fail "$(cat blocks)"
}
