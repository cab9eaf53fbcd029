#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# plots: draws what `make bench` measures and what the cycle model says, as
# SVG and PNG.  `make bench-plots` runs it; gnuplot is needed.
#
#	KERNEL_CAUSES	tests/bench/kernel-causes
#	PLOTS		where the pictures go
#	BENCH_TABLE	the saved output of `make bench`; without it bench is
#			run, and takes the variables that tests/bench/run.sh
#			names
set -eu
export LC_ALL=C
causes=${KERNEL_CAUSES:?names tests/bench/kernel-causes}
plots=${PLOTS:?names a folder}
here=$(cd "$(dirname "$0")" && pwd)
command -v gnuplot >/dev/null || {
	echo 'bench-plots: gnuplot is needed (Debian package: gnuplot-nox)' >&2
	exit 1
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
today=$(date +%Y-%m-%d)
mkdir -p "$plots"

# draw NAME: with both terminals; the data are in $scratch/NAME
draw()
{
	local kind
	for kind in svg png; do
		gnuplot -e "data='$scratch/$1'" -e "today='$today'" \
			-e "kind='$kind'" -e "picture='$plots/$1.$kind'" \
			"$here/terminal.gp" "$here/$1.gp"
	done
	echo "$plots/$1.svg"
}

if [ -n "${BENCH_TABLE-}" ]; then
	cp "$BENCH_TABLE" "$scratch/table"
	today=$(date -r "$BENCH_TABLE" +%Y-%m-%d)
else
	bash "$here/run.sh" | tee "$scratch/table"
fi

# A row for each workload, a column for each peer: wall-clock time against
# ours.  Who computes something else is left out.
awk -f "$here/rows.awk" "$scratch/table" | awk -F '\t' '
	!($1 in row) { row[$1] = ++rows; workload[rows] = $1 }
	$2 == "ours" || $6 ~ /other digests/ { next }
	!($2 in column) { column[$2] = ++names; title[names] = $2 }
	{ ratio[row[$1], column[$2]] = $4 }
	END {
		printf "workload"
		for (i = 1; i <= names; i++)
			printf "\t%s", title[i]
		for (i = 1; i <= rows; i++) {
			printf "\n%s", workload[i]
			for (j = 1; j <= names; j++)
				printf "\t%s", (i, j) in ratio ? \
					ratio[i, j] : "NaN"
		}
		print ""
	}' >"$scratch/peers"
[ "$(wc -l <"$scratch/peers")" -gt 1 ] || {
	echo 'bench-plots: the table has no rows' >&2
	exit 1
}
"$causes" >"$scratch/kernels"
draw peers
draw kernels
