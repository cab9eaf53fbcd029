#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# disks: files on a rotating disk are read one at a time, and with
# --one-at-a-time on any.  The disk is a model (tests/support/slow-disk.c) that
# counts how often its head moves.

load ../support/common

files=8

setup()
{
	is_ours || skip "GNU reads one file at a time"
	SLOW_DISK_LIBRARY=$BUILD/tests/support/slow-disk.so
	[ -e "$SLOW_DISK_LIBRARY" ] ||
		skip "tests/support/slow-disk.so is not built"
	! under_qemu || skip "LD_PRELOAD is of this machine"
	enter_scratch
	mkdir disk
	for ((i = 1; i <= files; i++)); do
		head -c $((1000000 + i)) /dev/zero >"disk/$i"
	done
	(cd disk && oracle {1..8}) >expected
}

# from_disk ARGUMENT...: the program on files of the disk; into moves how often
# the head moved
from_disk()
{
	local disk
	disk=$(realpath disk)
	(
		cd disk
		SLOW_DISK=$disk SLOW_DISK_LOG=$disk/../moves
		LD_PRELOAD=$SLOW_DISK_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD}
		export SLOW_DISK SLOW_DISK_LOG LD_PRELOAD
		exec -a sha256sum "$PROGRAM" "$@"
	) >out
}

# rotating: from now on the device of our files says that it is a SATA disk
rotating()
{
	local place=pci0/ata1/host0/target0:0:0/0:0:0:0/block/sda
	local major minor
	read -r major minor < <(stat -c '%Hd %Ld' disk)
	mkdir -p sys/block sys/bus/scsi "sys/$place"/{queue,device}
	ln -s "../$place" "sys/block/$major:$minor"
	echo 1 >"sys/$place/queue/rotational"
	ln -s /sys/bus/scsi "sys/$place/device/subsystem"
	echo ATA >"sys/$place/device/vendor"
	export SLOW_DISK_SYS=$PWD/sys/block
}

@test "a disk that is not seen to rotate: several files are read at a time" {
	from_disk --threads=1 {1..8}
	same expected out
	[ "$(<moves)" -gt $((3 * files)) ]
}

# Until the first claim each file is begun, to see whether it is cached, which
# may interrupt another.
@test "one that is: no more moves than to begin, interrupt and go on" {
	rotating
	for threads in 1 2; do
		from_disk --threads=$threads {1..8}
		same expected out
		[ "$(<moves)" -le $((3 * files)) ] || fail "moves: $(<moves)"
	done
}

@test "--one-at-a-time: one move for each file" {
	from_disk --one-at-a-time {1..8}
	same expected out
	[ "$(<moves)" = $files ]
	from_disk --one-at-a-time --threads=2 --device=cpu -r .
	[ "$(<moves)" = $files ]
	cp expected disk/list
	from_disk --one-at-a-time -c list
	[ "$(grep -c ': OK$' out)" = $files ]
	[ "$(<moves)" = $((files + 1)) ]
}

@test "--one-at-a-time: each line comes before the next file is opened" {
	mkfifo second
	exec 7<>second
	mkfifo lines
	exec 8<>lines
	sum --one-at-a-time disk/1 second disk/2 nothere >lines 2>&1 7>&- 8>&- &
	expect_line 8 "$(digest_line disk/1 <disk/1)"
	rm disk/2
	exec 7>&-
	expect_line 8 "$(digest_line second </dev/null)"
	expect_line 8 'sha256sum: disk/2: No such file or directory'
	expect_line 8 'sha256sum: nothere: No such file or directory'
	wait $! || [ $? = 1 ]
	expect_nothing 8
}

@test "--one-at-a-time: standard input, FIFOs, errors and --verify" {
	needs openssl
	printf 'a' >a
	mkfifo fifo
	head -c 300000 /dev/zero >fifo &
	printf 'in' | sum --one-at-a-time --verify a - fifo nothere a >out 2>err ||
		[ $? = 1 ]
	{
		digest_line a <a
		printf 'in' | digest_line -
		head -c 300000 /dev/zero | digest_line fifo
		digest_line a <a
	} >expected
	same expected out
	[ "$(cat err)" = 'sha256sum: nothere: No such file or directory' ]
}
