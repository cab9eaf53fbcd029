#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# descriptors: wherever in a run files cannot be opened any more, for ever or for
# a while, it ends: each input has its line or a message, and no line is wrong.

load ../support/common

setup()
{
	enter_scratch
	[ -e "$PRELOAD" ] || skip "tests/support/preload.so is not built"
	: "${SANITIZED=$(grep -aoEm 1 'lib[at]san\.so' "$PROGRAM")}"
	[ -z "$SANITIZED" ] ||
		skip "the library of a sanitizer wants to be loaded first"
	make_files
}

# Long files call for more threads, which then have small ones.
make_files()
{
	local i
	mkdir d
	head -c 3000000 /dev/urandom >noise
	for ((i = 100; i < 148; i++)); do
		head -c $((i % 16 ? i * 40 : 1300000)) noise >d/f$i
	done
	: >d/f105
	names=(d/f*)
	printf '%s\0' "${names[@]}" >names
	oracle "${names[@]}" >right
	sed 's/.*  //; s/$/: OK/' right >right.check
}

# fails_from N ERRNO LAST OPTION...: the program, where the Nth open of a file and
# those up to LAST fail (all that follow if LAST is 0); its status is `status`.
fails_from()
{
	local n=$1 error=$2 last=$3
	shift 3
	status=0
	LD_PRELOAD=$PRELOAD${LD_PRELOAD:+:$LD_PRELOAD} \
		FAULTS=opens:$n:$error:$last timeout "$LIMIT" \
		"$PROGRAM" "$@" >out 2>err || status=$?
}

# Has the run ended well: with lines of $1 only, in their order, and with a
# message if some are missing?
is_honest()
{
	local found
	[ "$status" -le 1 ] || fail "status $status of $2"
	found=$(awk 'NR == FNR { right[++n] = $0; next }
		{ while (i < n && right[++i] != $0); bad += right[i] != $0 }
		END { print bad ? "wrong lines" : FNR == n ? "all" : "some" }
		' "$1" out) && [ -s out ] || found=some
	case $found,$status in
	all,0)
		[ ! -s err ] || fail "a message of $2: $(head -n 1 err)"
		;;
	some,1)
		[ -s err ] || fail "silence of $2"
		;;
	*) fail "$found, status $status of $2" ;;
	esac
}

# each_open_fails RIGHT "N..." "THREADS..." ARGUMENT...: with ENFILE and EMFILE by turns
each_open_fails()
{
	local right=$1 numbers=$2 counts=$3 n threads error=23
	shift 3
	for threads in $counts; do
		for n in $numbers; do
			fails_from "$n" $error 0 "--threads=$threads" "$@"
			is_honest "$right" \
				"opens:$n:$error:0 --threads=$threads ${*:1:2}"
			error=$((47 - error))
		done
	done
}

step=1
! quick || step=3
all_numbers=$(seq 1 $step 40)

@test "whichever open is the last one to succeed: each file has a line or a message" {
	each_open_fails right "$all_numbers" "1 2 4" "${names[@]}"
	fails_from 20 24 0 --threads=4 "${names[@]}"
	[ $(($(wc -l <out) + $(grep -c ': Too many open files$' err))) = \
		"${#names[@]}" ]
}

@test "the same for --files0-from, --verify and a walk" {
	each_open_fails right "$(seq 1 3 40)" "2 4" --files0-from=names
	if built_with openssl; then
		each_open_fails right "$(seq 2 5 40)" "2 4" \
			--verify "${names[@]}"
	fi
	each_open_fails right "$(seq 3 3 40)" "1 4" -r d
}

@test "the same for --json: whole objects" {
	local n threads
	for threads in 1 4; do
		for ((n = 1; n <= 40; n += 3)); do
			fails_from $n 24 0 --threads=$threads --json \
				"${names[@]}"
			[ "$status" -le 1 ]
			! grep -v '^{.*}$' out || fail "not whole: $n"
			[ "$(grep -c '"sha256"\|"error"' out)" = 48 ]
		done
	done
}

@test "the same for -c, and --update keeps the list whole" {
	local n threads
	for threads in 1 4; do
		for ((n = 1; n <= 40; n += 3)); do
			fails_from $n 24 0 --threads=$threads -c right
			[ "$status" = 1 ]
			if grep -vxFf right.check out |
			   grep -v ': FAILED open or read$'; then
				fail "wrong lines: $n"
			fi
		done
	done
	head -n 20 right >list
	cp list before
	for threads in 1 4; do
		for ((n = 1; n <= 60; n += 4)); do
			cp before list
			fails_from $n 24 0 --threads=$threads --update=list d
			[ "$status" -le 1 ]
			[ "$(grep -cxFf right list)" = "$(wc -l <list)" ]
			grep -qxFf before list
		done
	done
}

@test "the same beside a device" {
	needs qpu
	grep 'd/f1[03]' right >few
	each_open_fails few "$(seq 1 5 24)" "1 2" \
		--device=emulator d/f10? d/f13?
}

@test "a shortage that passes at once fails no file" {
	local n threads error
	for threads in 1 2 4; do
		for n in 3 20 40; do
			for error in 23 24; do
				fails_from $n $error $((n + 2)) \
					--threads=$threads "${names[@]}"
				[ $status = 0 ]
				same right out
			done
		done
	done
}

# Many small files: whenever the shortage begins, each worker has some that are not
# open yet.
@test "a shortage that passes: the run goes on" {
	local i n threads
	grep -v 'd/f1\(12\|28\|44\)$' right >small
	for ((i = 0; i < 40; i++)); do
		cat small
	done >all
	sed 's/.*  //' all | tr '\n' '\0' >names
	for threads in 1 2 4; do
		for ((n = 60; n <= 360; n += 60)); do
			fails_from $n 24 $((n + 1000)) --threads=$threads \
				--files0-from=names
			is_honest all "opens:$n:24:$((n + 1000))"
			[ "$(tail -n 1 out)" = "$(tail -n 1 all)" ] ||
				fail "the run did not go on: $n"
		done
	done
}

@test "a limit that comes and goes while files are hashed: lines or messages" {
	local i n pid threads
	command -v prlimit >/dev/null || skip "no prlimit"
	mkfifo slow
	for i in {1..20}; do cat right; done >all
	{ printf 'slow\0'; sed 's/.*  //' all | tr '\n' '\0'; } >names
	printf 'x' | digest_line slow | cat - all >whole
	for threads in 1 2 4; do
		status=0
		timeout "$LIMIT" bash -c 'echo $$ >pid; exec "$0" "$@"' \
			"$PROGRAM" "--threads=$threads" --files0-from=names \
			>out 2>err 3>&- &
		exec 5>slow
		pid=$(cat pid)
		for i in {1..20}; do
			for n in 3 8 64; do
				prlimit --pid "$pid" --nofile=$n:
			done
		done
		printf 'x' >&5
		exec 5>&-
		wait $! || status=$?
		is_honest whole "--threads=$threads"
	done
}

# The open ends when it has two bytes: one comes when the lines before it are out,
# the other one when the last file is opened.
@test "a file that hangs in its open holds up nothing but its line and later ones" {
	local i line threads
	! under_qemu || skip "the library is for programs of this machine"
	grep -v 'd/f1\(12\|28\|44\)$' right >small
	for ((i = 0; i < 4; i++)); do
		cat small
	done >before
	printf hangs >hangs
	printf last >last
	mapfile -t names < <(sed 's/.*  //' before)
	oracle "${names[@]}" hangs "${names[@]}" last >all
	mkfifo gate
	exec 5<>gate
	for threads in 1 2; do
		: >log
		FAULTS=hang:hangs:last FAULTS_GATE=gate FAULTS_LOG=log \
			LD_PRELOAD=$PRELOAD timeout "$LIMIT" "$PROGRAM" \
			--threads=$threads "${names[@]}" hangs "${names[@]}" \
			last 2>err | {
			for i in "${names[@]}"; do
				IFS= read -r line || break
				printf '%s\n' "$line"
			done
			printf x >&5
			cat
		} >out
		! grep -q '^blind' log ||
			skip "this system cannot tell what is cached"
		grep -q '^hang' log
		same all out
		[ ! -s err ]
	done
}

@test "a descriptor that is not open has no digest, whatever the program has open" {
	local i interleaved=()
	for ((i = 0; i < 480; i++)); do
		interleaved+=("${names[i % 48]}" /dev/stdin "/dev/fd/$((i % 8 + 3))")
	done
	exits 1 sum --threads=2 "${interleaved[@]}" \
		<&- 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- 10>&-
	for ((i = 0; i < 10; i++)); do
		cat right
	done | same - out
	[ "$(grep -c ': /dev/stdin: No such file or directory$' err)" = 480 ]
	[ "$(grep -c ': /dev/fd/[0-9]*: No such file or directory$' err)" = 480 ]
}
