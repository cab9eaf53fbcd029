#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# parallel: the commands of the page qpu-sha256sum-machines(7), run as they
# stand there.  The hosts are played by this one: ssh is a stand-in that gives
# the command to a shell here, or is a host that is dead.

load ../support/common

page=$TOP/man/qpu-sha256sum-machines.7

setup()
{
	is_ours || skip "GNU's has no --part"
	parallel --version 2>/dev/null | grep -q '^GNU parallel' ||
		skip "GNU parallel is not installed"
	enter_scratch
	[[ $PWD != *[[:blank:]]* ]] ||
		skip "PARALLEL_SSH is a command line, and its path has a blank"
	mkdir bin
	export HOME=$PWD SHELL=/bin/bash PARALLEL_SSH=$PWD/bin/ssh SCRATCH=$PWD
	export PATH=$PWD/bin:$PATH PROGRAM
	command_file ssh '
		# [OPTION]... HOST -- COMMAND...
		while [[ $1 == -* ]]; do shift; done
		host=$1
		shift 2
		[ ! -e "$SCRATCH/dead.$host" ] || exit 255
		cd / && exec bash -c "$*"'
	# The program of all hosts.  Mischief happens once.
	command_file qpu-sha256sum '
		if mv "$SCRATCH/mischief" "$SCRATCH/done" 2>/dev/null; then
			. "$SCRATCH/done"
		fi
		exec "$PROGRAM" "$@"'
	export tree=$PWD/tree work="$PWD/the parts" parts=6
}

command_file()	# command_file NAME TEXT
{
	printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

# The manual's example that holds the pattern, as it is to be typed.
example()
{
	sed "s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\e/\\\\/g" "$page" | awk '
		/^\.SH/ { section = /DESCRIPTION/ }
		section && /^\.fi/ { if (text ~ want) printf "%s", text
			inside = 0; text = "" }
		inside { text = text $0 "\n" }
		section && /^\.nf/ { inside = 1 }' want="$1" >example
	[ -s example ] || fail "the manual has no $1"
	timeout --foreground "$LIMIT" bash example
}

# A tree with all that a name can hold.
plant()
{
	local i
	mkdir -p tree/deep/er
	head -c 40000 /dev/urandom >noise
	for i in {1..40}; do
		head -c $((i * 997)) noise >"tree/deep/$i"
	done
	cat noise noise >tree/deep/er/large
	printf 1 >$'tree/new\nline'
	printf 2 >'tree/back\slash'
	printf 3 >$'tree/not\xff\xfeUTF-8'
	printf 4 >'tree/ {} $(touch expanded) '\'' " * -c'
	printf 5 >$'tree/deep/er/cr\r and\ttab'
	printf 6 >tree/-rf
	: >tree/empty
}

give_hosts()	# give_hosts HOST...
{
	mkdir "$work"
	printf '%s\n' "$@" >"$work/hosts"
	(cd tree && "$PROGRAM" -r .) | LC_ALL=C sort -k 1.67 >right
}

hash_parts()
{
	example resume-failed >out 2>err
}

joined_right()	# Do the parts together have what a single run prints?
{
	example LC_ALL
	same right "$work/SHA256SUMS"
}

@test "many machines: each has its parts, and these are those of a single run" {
	plant
	give_hosts one two
	hash_parts
	joined_right
	[ "$(wc -l <right)" = 48 ]
	[ "$(find "$work" -name '*.sum' -size +0 | wc -l)" = 6 ]
	[ ! -s out ]
	[ ! -s err ]
	[ "$(cut -f 2 "$work/log" | sort -u | grep -cx 'one\|two')" = 2 ]
	[ -z "$(find . -name expanded)" ]
}

@test "many machines: the parts of a dead host go to another" {
	plant
	: >dead.two
	give_hosts one two
	hash_parts
	joined_right
	[ "$(cut -f 2 "$work/log" | sed 1d | sort -u)" = one ]
}

@test "many machines: a host that dies amid a part leaves nothing of it" {
	plant
	give_hosts one two
	echo 'head -c 100 "$SCRATCH/noise"; exit 255' >mischief
	hash_parts
	[ -e "done" ]
	joined_right
}

@test "many machines: when all hosts are dead, the same command goes on later" {
	local status=0
	plant
	give_hosts one two
	: >dead.one
	: >dead.two
	hash_parts || status=$?
	[ $status = "$parts" ]
	rm dead.one dead.two
	hash_parts
	joined_right
}

@test "many machines: a file that cannot be read fails its part only" {
	local status=0
	plant
	give_hosts one two
	# One part is asked for a file that is not there, each time.
	command_file qpu-sha256sum '
		[[ $* != *--part=3/* ]] || "$PROGRAM" ./gone || exit
		exec "$PROGRAM" "$@"'
	hash_parts || status=$?
	[ $status = 1 ]
	grep -q '\./gone: No such file' err
	command_file qpu-sha256sum 'exec "$PROGRAM" "$@"'
	hash_parts
	joined_right
}

@test "many machines: checking says what a single check says" {
	plant
	give_hosts one two
	hash_parts
	joined_right
	example --check >out 2>err
	(cd tree && "$PROGRAM" --check "$work/SHA256SUMS") | sort >right
	sort out >got
	same right got
	[ "$(wc -l <out)" = 48 ]
	echo changed >tree/deep/7
	example --check >out 2>err && fail "a changed file passed"
	grep -qx './deep/7: FAILED' out
	[ "$(grep -c 'OK$' out)" = 47 ]
}
