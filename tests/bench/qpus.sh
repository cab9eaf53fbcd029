#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# qpus.sh PROGRAM: PERFORMANCE.md's table of what files take on twelve QPUs at 250
# MHz, modelled: MB/s of content by the firmware, which part of its lanes is
# occupied, and MB/s by the kernel's driver.  A few minutes.
#
#	TREE	a directory of real files (default /usr/share)
set -eu
export LC_ALL=C
# shellcheck source=tests/bench/common.bash
. "$(dirname "$0")/common.bash"
program=$(realpath "$1")
tree=${TREE:-/usr/share}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# Files of the sizes on standard input, in their order.
make_files()
{
	local size name=100000
	mkdir files
	while read -r size; do
		truncate -s "$size" "files/$name"
		name=$((name + 1))
	done
}

# MB/s of content on a device, and the part of its lanes that is occupied.
rate()	# rate DEVICE
{
	"$program" "--device=$1" --stats -r files 2>&1 >/dev/null |
		awk '/ content: / { content = $4 / 100 }
			/ lane occupancy: / { lanes = $5 }
			/ at 250 MHz/ { rate = $(NF - 3) }
			END { printf "%.0f %.0f\n", rate * content, lanes }'
}

row()	# row NAME, of what is in `files`
{
	local lanes driver
	read -r -a lanes < <(rate emulator:timed)
	read -r driver _ < <(rate emulator:tiles,timed)
	echo "| $1 | ${lanes[0]} | ${lanes[1]} % | $driver |"
	rm -rf files
}

echo '| files | by the firmware | lanes occupied | by the kernel'"'"'s driver |'
echo '|---|---|---|---|'
log_uniform 3000 1 1048576 | make_files
row '3,000, log-uniform, 1 B to 1 MiB'
mkdir files
find "$tree" -xdev -type f -size -200000c -print0 | sort -z | head -z -n 20000 |
	xargs -0 cp --no-preserve=mode --backup=numbered -t files
row "$(find files -type f | wc -l) of a real tree, each below 200 KB"
yes 4096 | head -n 5000 | make_files
row '5,000 of 4 KiB'
for ((i = 0; i < 20000; i++)); do echo $((i * 37 % 56)); done | make_files
row '20,000 of 0 to 55 bytes'
yes 120000 | head -n 191 | make_files
row '191 of 120,000 bytes'
log_uniform 2500 1 65536 | make_files
row '2,500, log-uniform, 1 B to 64 KiB'
