# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# verified-faults.sh PROGRAM RUNS SEED: each kind of fault of the emulated
# device in turn, with --verify; prints in how many of these runs a line was
# wrong.  Status 1: in one at least.
set -eu
program=$1 runs=$2 seed=$3
kinds="lane@N once@N stores@N row@N stale@N swap@N short@N nothing@N data@N
late@N code@N code@1- constant@N uniforms@N job@N job@N- pointers@N begins@N
begins@N- next@N lengths@N segments@N between@N old@N neighbour@N bit@N-
seal@N- register@N registers@N skip@N glitch@N sticks@N caches@N slices@N l2@N"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir t
for ((i = 0; i < 150; i++)); do
	head -c $(((i * 7919 + seed) % 2500)) /dev/urandom >"t/$i"
done
"$program" --device=cpu t/* >right
read -rd '' -a row <<<"$kinds" || true
wrong=0 told=0
for ((i = 0; i < runs; i++)); do
	# The first five launches are the self-test.
	words=${row[i % ${#row[@]}]//N/$((6 + i / ${#row[@]} % 3))}
	"$program" --verify --device="emulator:qpus=2,seed=$((seed * runs + i
		)),fault=$words" t/* >out 2>err || true
	[ ! -s err ] || told=$((told + 1))
	cmp -s right out || wrong=$((wrong + 1))
done
echo "with --verify: $runs runs, $told with a message, $wrong with a wrong line"
[ $wrong = 0 ]
