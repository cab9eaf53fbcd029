#!/bin/bash
# SPDX-License-Identifier: MIT
#
# optimise-corpus.sh: what qpuasm -O makes of published programs.
#
#	tests/foreign/optimise-corpus.sh DIR [OPTION]...
#
# DIR holds checkouts of the repositories of optimise.rows, each in a folder NAME;
# nothing is fetched here, nothing is written there, and what is missing is named.
# OPTIONs go to qpuasm instead of -O.  A program that several have is counted once.
# The table has, for each repository: programs, words before and after, and how many
# were refused.  The status is 1 if one has become longer, or has a new finding.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${QPU_BUILD:-$(cd "$here/../.." && pwd)}
dir=$(cd "${1:?usage: optimise-corpus.sh DIR [OPTION]...}" && pwd) || exit 2
shift
[ $# -gt 0 ] || set -- -O
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wrong=0

# findings FILE: how many rules the validator finds broken, by place
findings()
{
	"$build/qpudis" --check "$1" 2>&1 >/dev/null | grep -c '\[R[0-9]*\]'
}

# assemble SOURCE OUTPUT [OPTION]...: in its own folder, which it may include from
assemble()
{
	(cd "${1%/*}" && timeout 60 "$build/qpuasm" "${@:3}" -i vc4.qinc \
		--no-check -o "$2" "${1##*/}" 2>"$scratch/messages")
}

# try REPOSITORY SOURCE: add a line to the results
try()
{
	local before after sum
	rm -f "$scratch"/{plain,short}
	assemble "$2" "$scratch/plain" && [ -s "$scratch/plain" ] || return 0
	sum=$(cksum <"$scratch/plain")
	[ ! -e "$scratch/seen $sum" ] || return 0
	touch "$scratch/seen $sum"
	before=$(($(wc -c <"$scratch/plain") / 8))
	if ! assemble "$2" "$scratch/short" "${@:3}"; then
		echo "$1 0 0 1" >>"$scratch/results"
		grep -h 'E150' "$scratch/messages" | sed "s|^|refused: $1: |"
		return 0
	fi
	after=$(($(wc -c <"$scratch/short") / 8))
	echo "$1 $before $after 0" >>"$scratch/results"
	if [ "$after" -gt "$before" ] ||
		[ "$(findings "$scratch/short")" -gt \
			"$(findings "$scratch/plain")" ]; then
		echo "WRONG: $2"
		wrong=1
	fi
}

options=("$@")
while IFS=$'\t' read -r repository _ folder ending; do
	[[ "$repository" != '#'* ]] || continue
	if [ ! -d "$dir/${repository##*/}" ]; then
		echo "missing: $repository"
		continue
	fi
	while read -r -d '' source; do
		try "$repository" "$source" "${options[@]}"
	done < <(find "$dir/${repository##*/}/$folder" -name "*.$ending" \
		-print0 2>/dev/null | LC_ALL=C sort -z)
done <"$here/optimise.rows"
# row NAME PATTERN: the sum of results that match
row()
{
	awk -v name="$1" -v pattern="$2" '
		$1 ~ pattern {
			n += !$4; before += $2; after += $3; refused += $4
		}
		END {
			printf "%-40s %4d %7d %7d %6.1f %% %4d refused\n",
				name, n, before, after,
				before ? 100 * (before - after) / before : 0,
				refused
		}' "$scratch/results"
}
cut -d ' ' -f 1 "$scratch/results" | sort -u | while read -r name; do
	row "$name" "^$name\$"
done
row all .
row 'all but crab-pi' '^([^v]|v[^d])'
exit $wrong
