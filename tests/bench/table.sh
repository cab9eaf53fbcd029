#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# table: README's table of peers, as Markdown.  `make bench-table` runs it.
#
#	BENCH_TABLE	the saved output of `make bench`; without it bench is
#			run, and takes the variables that tests/bench/run.sh
#			names
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [ -n "${BENCH_TABLE-}" ]; then
	cp "$BENCH_TABLE" "$scratch/table"
else
	bash "$here/run.sh" | tee "$scratch/table" >&2
fi
awk -f "$here/rows.awk" "$scratch/table" >"$scratch/rows"
[ -s "$scratch/rows" ] || {
	echo 'bench-table: the table has no rows' >&2
	exit 1
}

# A column for each peer.  "~": disturbed.  Another digest is no comparison.
machine=$(sed -n 's/^machine: //p' "$scratch/table")
awk -F '\t' -v machine="${machine:-unknown machine}" '
	{ split($5, runs, "/"); quiet += runs[1]; all += runs[2] }
	$2 == "ours" || $6 ~ /other digests/ { next }
	!($1 in row) { row[$1] = ++rows; workload[rows] = $1 }
	!($2 in column) { column[$2] = ++columns; peer[columns] = $2 }
	{
		about = $6 ~ /disturbed/ ? "~" : ""
		cell[row[$1], column[$2]] = sprintf("%s%.2f / %s%.2f", about,
			$3, about, $4)
	}
	END {
		line = "| workload |"
		rule = "|---|"
		for (j = 1; j <= columns; j++) {
			line = line " " peer[j] " |"
			rule = rule "---|"
		}
		print line
		print rule
		for (i = 1; i <= rows; i++) {
			line = "| " workload[i] " |"
			for (j = 1; j <= columns; j++)
				line = line " " ((i, j) in cell ? \
					cell[i, j] : "-") " |"
			print line
		}
		printf "\n%s; %d of %d runs were quiet.\n", machine, quiet, all
	}' "$scratch/rows"
