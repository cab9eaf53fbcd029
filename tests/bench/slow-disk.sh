#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# slow-disk.sh PROGRAM LIBRARY: what reading from a rotating disk takes, by the
# model of tests/support/slow-disk.c, as if the disk were not seen to rotate,
# seen to, and with --one-at-a-time: seconds, and movements of the head.
set -eu
program=$(realpath "$1")
library=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# The device of our files says that it is a SATA disk.
place=sys/pci0/ata1/host0/target0:0:0/0:0:0:0/block/sda
mkdir -p sys/block "$place"/{queue,device}
ln -s "../${place#sys/}" "sys/block/$(stat -c '%Hd:%Ld' .)"
echo 1 >"$place/queue/rotational"
ln -s /sys/bus/scsi "$place/device/subsystem"
echo ATA >"$place/device/vendor"

measure()	# measure ARGUMENT...: "SECONDS s, MOVES"
{
	local TIMEFORMAT=%R seconds
	seconds=$({
		time SLOW_DISK=$scratch/disk SLOW_DISK_LOG=$scratch/moves \
			LD_PRELOAD=$library "$program" "$@" disk/* >lines
	} 2>&1)
	printf '%s s, %s moves\t' "$seconds" "$(<moves)"
}

# row FILES BYTES
row()
{
	mkdir disk
	for ((i = 0; i < $1; i++)); do
		head -c "$2" /dev/zero >"disk/$i"
	done
	printf '%s of %s\t' "$1" "$2"
	measure --threads=4
	export SLOW_DISK_SYS=$scratch/sys/block
	measure --threads=4
	unset SLOW_DISK_SYS
	measure --one-at-a-time
	echo
	rm -r disk
}

printf 'files\tas if none rotates\tseen to rotate\t--one-at-a-time\n'
row 4 64000000
row 16 16000000
row 100 2000000
row 1000 100000
