#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# table [FOLDER]: what `make bench` prints, as README's table of peers, in
# Markdown (`make bench-table`); or, with a folder, as a picture there (`make
# bench-plots`, which needs gnuplot).
#
#	BENCH_TABLE	the saved output of `make bench`; without it bench is
#			run, and takes the variables that tests/bench/run.sh
#			names
set -eu
export LC_ALL=C
folder=${1-}
here=$(cd "$(dirname "$0")" && pwd)
[ -z "$folder" ] || command -v gnuplot >/dev/null || {
	echo 'bench-plots: gnuplot is needed (Debian package: gnuplot-nox)' >&2
	exit 1
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -n "${BENCH_TABLE-}" ]; then
	cp "$BENCH_TABLE" "$scratch/table"
else
	bash "$here/run.sh" | tee "$scratch/table" >&2
fi

# A row for each workload, a column for each peer; for pictures the ratio of
# wall-clock time alone.  "~": disturbed.  A peer with another digest is left out.
machine=$(sed -n 's/^machine: //p' "$scratch/table")
today=$(sed -n 's/^date: //p' "$scratch/table")
awk -v machine="${machine:-unknown machine}" -v today="$today" \
	-v picture="$folder" '
	function print_line(first, cells) {
		print picture ? first cells : "| " first cells " |"
	}
	BEGIN { between = picture ? "\t" : " | " }
	/^(one|[0-9-])/ { about = $0; next }
	match($0, / [0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+\/[0-9]+/) {
		name = substr($0, 1, RSTART - 1)
		remark = substr($0, RSTART + RLENGTH)
		split(substr($0, RSTART, RLENGTH), figures, " +")
		gsub(/^ +| +$/, "", name)
		split(figures[6], runs, "/")
		quiet += runs[1]
		all += runs[2]
		if (name == "ours" || remark ~ /other digests/)
			next
		if (!(about in row)) {
			row[about] = ++rows
			workload[rows] = about
		}
		if (!(name in column)) {
			column[name] = ++columns
			peer[columns] = name
		}
		mark = remark ~ /disturbed/ ? "~" : ""
		cell[row[about], column[name]] = picture ? figures[5] : \
			sprintf("%s%.2f / %s%.2f", mark, figures[4], mark,
				figures[5])
	}
	END {
		for (j = 1; j <= columns; j++) {
			line = line between peer[j]
			rule = rule "---|"
		}
		print_line("workload", line)
		if (!picture)
			print "|---|" rule
		for (i = 1; i <= rows; i++) {
			line = ""
			for (j = 1; j <= columns; j++)
				line = line between ((i, j) in cell ? \
					cell[i, j] : picture ? "NaN" : "-")
			print_line(workload[i], line)
		}
		if (!picture)
			printf "\n%s, %s; %d of %d runs were quiet.\n",
				machine, today, quiet, all
		exit rows == 0
	}' "$scratch/table" >"$scratch/peers" || {
	echo 'bench: the table has no rows' >&2
	exit 1
}
[ -n "$folder" ] || exec cat "$scratch/peers"

mkdir -p "$folder"
gnuplot -e "data='$scratch/peers'" -e "today='$today'" \
	-e "picture='$folder/peers.svg'" "$here/plots.gp"
echo "$folder/peers.svg"
