# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# fault-table.sh PROGRAM ROWS RUNS SEED [WORD]: what becomes of faults of a device
# in RUNS runs of the program for each row of ROWS (test-faults --rows) in which
# WORD is.  A run has 12 QPUs and launches of up to 512 blocks in a lane.
#
# It is run with --verify, which names the digests that were wrong: without the
# option these would have been printed.  Columns: nothing was wrong; found before
# anything wrong left the device; found after it; passed (wrong digests of all that
# were hashed in these runs); wrong lines with --verify.  Status 1: something passed
# that may not, or a line was wrong with --verify.
set -eu
program=$1 rows=$2 runs=$3 seed=$4 word=${5-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
# 280 short messages and 240 of up to 70,000 bytes: 8.5 MB.
mkdir t
head -c 80000 /dev/urandom >noise
for ((i = 0; i < 520; i++)); do
	if ((i % 13 < 6)); then
		size=$(((i * 7919 + seed * 31) % 69000 + 500))
	else
		size=$(((i * 811 + seed) % 2500))
	fi
	{
		printf '%s' "$i"
		head -c $size noise
	} >"t/$i"
done
"$program" --device=cpu t/* >right
files=$(wc -l <right)

# Run number $3 of a fault of a device; sets `became` and `spoiled`.
run()
{
	local device=emulator: first=6 words status=0
	[ "$1" = lanes ] || device=emulator:tiles, first=5
	# shellcheck disable=SC2059
	words=$(printf "$2" $((first + $3 % 3)))
	timeout 300 "$program" --verify \
		--device="${device}seed=$((seed * 1000 + $3)),fault=$words" \
		t/* >out 2>err || status=$?
	cmp -s right out || verified=$((verified + 1))
	spoiled=$(grep -c 'wrong digest' err) || true
	if grep -q 'warning: .* failed' err; then
		became=found
		[ "$spoiled" = 0 ] || became=later
	else
		became=harmless
		[ "$spoiled" = 0 ] || became=silent
		[ "$spoiled" = 0 ] || [ "$status" = 1 ]
	fi
}

bad=0
printf '| by | fault | runs | nothing was wrong | found at once | found later |'
printf ' passed | with --verify |\n|---|---|---|---|---|---|---|---|\n'
while IFS='|' read -r device fault promise what; do
	[[ "$device $fault $what" == *"$word"* ]] || continue
	declare -A n=([harmless]=0 [found]=0 [later]=0 [silent]=0)
	verified=0 passed=0
	for ((i = 0; i < runs; i++)); do
		run "$device" "$fault" "$i"
		n[$became]=$((n[$became] + 1))
		[ $became != silent ] || passed=$((passed + spoiled))
	done
	share=
	[ "${n[silent]}" = 0 ] ||
		share=" (1 of $((n[silent] * files / passed)))"
	echo "| $device | $what | $runs | ${n[harmless]} | ${n[found]} |" \
		"${n[later]} | ${n[silent]}$share | $verified |"
	case $promise in
	at-once | again) ((n[later] + n[silent] == 0)) || bad=1 ;;
	later) ((n[silent] == 0)) || echo "  passed, and lasts: $what" >&2 ;;
	esac
	[ $verified = 0 ] || bad=1
done <"$rows"
exit $bad
