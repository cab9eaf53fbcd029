# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# fault-table.sh PROGRAM ROWS RUNS SEED [WORD [FILE]]: what becomes of faults of a
# device in RUNS runs of the program for each row of ROWS (test-faults --rows) in
# which WORD is.  After each round of ten runs of all rows the table is written to
# FILE, and when all is done to standard output.
#
# A run has 12 QPUs.  Most have 1500 files, 9 MB: in lanes two launches of 510 blocks, a
# short one with the rest, and the test that follows it; the fault begins in one of
# these three.  Of rows that have to be found by a proof, whatever the length
# of a launch, nine runs in ten have the first 150 files.  Every second run has
# --verify, which names the digests that were wrong; of the others the lines are
# compared.
#
# Columns: nothing was wrong; found before anything wrong left the device; found
# after it; passed (1 of N digests of these runs was wrong); status 0 although wrong
# digests were printed before the fault was found, in runs without --verify; wrong
# lines in runs with it.  A run is stopped after five minutes.  Status 1: something
# passed that may not, or one of the last two columns is not 0.
set -eu
export LC_ALL=C
program=$1 rows=$2 runs=$3 seed=$4 word=${5-} table=${6-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
# Fewer page faults, where the C library is GNU's: a third of a short run.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
mkdir t
noise=$(head -c 60000 /dev/urandom | base64 -w 0)
awk -v seed="$seed" 'BEGIN {
	srand(seed)
	for (i = 0; i < 1500; i++)
		printf "t/%04d %d\n", i, exp(rand() * log(70000))
}' >sizes
while read -r name size; do
	printf '%s' "$name${noise:0:size}" >"$name"
done <sizes
"$program" --device=cpu t/* >right
files=$(wc -l <right)
head -n $((files / 10)) right >right-short

# Run number $4 of the fault $2 of a device $1, with promise $3; sets `became` and
# `spoiled`.
run()
{
	local device=emulator: at=$((6 + $4 % 3)) status=0 words names=(t/*)
	local right=right verify=()
	[ "$1" = lanes ] || device=emulator:tiles,
	if [[ "$3" == a* ]] && [ $(($4 % 10)) != 0 ]; then
		names=(t/00* t/01[0-4]*) right=right-short
	fi
	[ $(($4 % 2)) = 0 ] || verify=(--verify)
	# shellcheck disable=SC2059
	words=$(printf "$2" $at)
	timeout 300 "$program" ${verify[0]+"${verify[0]}"} \
		--device="${device}seed=$((seed * 1000 + $4)),fault=$words" \
		"${names[@]}" >out 2>err || status=$?
	spoiled=0
	if [ ${#verify[@]} != 0 ]; then
		spoiled=$(grep -c 'wrong digest' err) || true
		! diff $right out | grep -q '^>' || verified=$((verified + 1))
	elif ! cmp -s $right out; then
		spoiled=$(diff $right out | grep -c '^>') || true
	fi
	if grep -q 'warning: .* failed' err; then
		became=found
		[ "$spoiled" = 0 ] || became=later
		[ $became = found ] || [ $status != 0 ] || told=$((told + 1))
	else
		became=harmless
		[ "$spoiled" = 0 ] || became=silent
	fi
}

print_table()
{
	local key share silent
	printf '| by | fault | runs | nothing was wrong | found at once |'
	printf " found later | passed | status 0 | with \`--verify\` |\n"
	printf '|---|---|---|---|---|---|---|---|---|\n'
	for key in "${keys[@]}"; do
		silent=${n[$key,silent]-0} share=
		[ "$silent" = 0 ] ||
			share=" (1 of $((silent * files / ${n[$key,passed]})))"
		echo "| ${key%%|*} | ${key#*|} | ${n[$key,runs]-0} |" \
			"${n[$key,harmless]-0} | ${n[$key,found]-0} |" \
			"${n[$key,later]-0} | $silent$share |" \
			"${n[$key,told]-0} | ${n[$key,verified]-0} |"
	done
}

declare -A n=()
keys=() bad=0
for ((first = 0; first < runs; first += 10)); do
	while IFS='|' read -r device fault promise what; do
		[[ "$device $fault $what" == *"$word"* ]] || continue
		key="$device|$what"
		[ $first != 0 ] || keys+=("$key")
		for ((i = first; i < first + 10 && i < runs; i++)); do
			verified=0 told=0
			run "$device" "$fault" "$promise" "$i"
			n[$key,runs]=$((${n[$key,runs]-0} + 1))
			n[$key,$became]=$((${n[$key,$became]-0} + 1))
			n[$key,told]=$((${n[$key,told]-0} + told))
			n[$key,verified]=$((${n[$key,verified]-0} + verified))
			[ $became != silent ] ||
				n[$key,passed]=$((${n[$key,passed]-0} + spoiled))
			case $promise-$became in
			at-once-later | at-once-silent | again-silent) bad=1 ;;
			later-silent) echo "run $i: passed: $key" >&2 ;;
			esac
			[ $((told + verified)) = 0 ] || bad=1
		done
	done <"$rows"
	[ -z "$table" ] || print_table >"$table.new"
	[ -z "$table" ] || mv "$table.new" "$table"
done
print_table
exit $bad
