#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-boards: what --list-devices says on each virtual board, with each
# system, for each user, without and with the kernel's graphics driver (KMS).
# Boards with equal answers share a line.
#
#	works	the QPUs can be used: with KMS by the kernel's driver, without by
#		the firmware
#	render	join the group render
#	rule	use sudo, or add a udev rule
#	group	join the group video
#	module	allow the kernel's module vc-sm-cma
#	never	the board has another GPU
#
# Usage: [SYSTEMS='NAME...'] check-boards.sh QPUEMU QPU-SHA256SUM [BOARD...]

set -u
qpuemu=$1
program=$2
boards=${*:3}
boards=${boards:-pi1 pi1b+ zero zerow pi2 pi2v1.2 pi3 pi3b+ pi3a+ zero2 pi4 pi5}
systems=${SYSTEMS:-buster bullseye bookworm32 bookworm64 trixie dietpi mainline
	debian fedora ubuntu}

# answer OPTION...: one word; of two ways that cannot be used it is the last one,
# which is the firmware's.  False if there is no such board.
answer()
{
	local device words last='?' lines
	lines=$("$qpuemu" "$@" "$program" --list-devices 2>/dev/null) ||
		[ $? != 125 ] || return
	while read -r device _ words; do
		[ "$device" != qpu ] || last=$words
	done <<<"$lines"
	case $last in
	usable*)		echo works ;;
	*'no permission for /dev/dri/'*) echo render ;;
	*'only root may'*)	echo rule ;;
	*'no permission'*)	echo group ;;
	*'modprobe'*)		echo module ;;
	*'another GPU'*)	echo never ;;
	*)			echo "$last" ;;
	esac
}

# answers BOARD SYSTEM: eight words
answers()
{
	local kms user
	for kms in --no-kms --kms; do
		for user in root first video nobody; do
			answer --board="$1" --system="$2" --user=$user $kms ||
				return
		done
	done
}

printf '%-11s%-28s%s\n' '' 'KMS off' 'KMS on'
printf '%-11s%s%s%s\n' system 'root   first  video  nobody ' \
	'root   first  video  nobody ' boards
for system in $systems; do
	for board in $boards; do
		words=$(answers "$board" "$system") || continue
		printf '%s %s\n' "$board" "${words//$'\n'/ }"
	done | awk -v name="$system" '
		{
			cells = ""
			for (i = 2; i <= 9; i++)
				cells = cells sprintf("%-7s", $i)
			if (!(cells in boards))
				order[++n] = cells
			boards[cells] = boards[cells] " " $1
		}
		END {
			for (i = 1; i <= n; i++)
				printf "%-11s%s%s\n", name, order[i], \
					substr(boards[order[i]], 2)
		}'
done
