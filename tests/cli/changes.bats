#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# changes: --detect-changes refuses a file that changes while it is read, since
# its digest could be of contents that it never had.  faults.bats tests what
# happens without the option.

load ../support/common

setup()
{
	is_ours || skip "GNU has no such option"
	enter_scratch
	head -c 300001 /dev/urandom >victim
	touch -d 2001-01-01 victim
	cp victim copy
}

# midway STATUS N COMMAND ARGUMENT...: the program ends with STATUS when COMMAND
# runs before its Nth read of victim
midway()
{
	FAULTS_COMMAND=$3 exits "$1" faulty "read:victim:$2:run" \
		--detect-changes "${@:4}"
	struck run
}

# refused N COMMAND ARGUMENT...: as midway, and victim is refused, and nothing
# printed
refused()
{
	midway 1 "$@"
	[ ! -s out ]
	said 'victim: file changed while it was read'
}

rewrite='exec 3<>victim; printf ! >&3'

@test "a file that grows, shrinks or is rewritten is refused" {
	local change
	for change in '2 cat copy >>victim' '1 cat copy >>victim' \
		'2 truncate -s 1000 victim' "2 $rewrite"; do
		cp copy victim
		refused "${change%% *}" "${change#* }" victim
	done
}

@test "a file that is written to before its last read is refused" {
	local reads
	faulty read:victim:99:run victim
	reads=$(grep -c '^bytes' faults)
	[ "$reads" -gt 2 ]
	refused "$reads" "$rewrite" victim
}

@test "a file that is unlinked, linked or replaced by a rename is not refused" {
	local command
	for command in 'rm victim' 'ln victim more' 'mv other victim'; do
		rm -f victim
		cp copy victim
		cp copy other
		midway 0 2 "$command" victim
		digest_line victim <copy >expected
		same expected out
		[ ! -s err ]
	done
	[ -e more ]
	[ ! -e other ]
}

@test "with -c a file that changes is FAILED open or read" {
	oracle copy victim >list
	midway 1 2 "$rewrite" -c list
	printed 'copy: OK' 'victim: FAILED open or read'
	said 'victim: file changed while it was read' \
		'WARNING: 1 listed file could not be read'
}

@test "standard input from a file that changes is refused" {
	midway 1 2 "$rewrite" <victim
	[ ! -s out ]
	said '-: file changed while it was read'
}

@test "pipes, FIFOs, devices, /proc and files that do not change are hashed as without it" {
	mkfifo fifo
	cat copy >fifo 3>&- &
	cat copy | sum --detect-changes - fifo /dev/null /proc/version victim \
		>out 2>err
	{
		digest_line - <copy
		digest_line fifo <copy
		oracle /dev/null /proc/version victim
	} >expected
	same expected out
	[ ! -s err ]
}
