# SPDX-License-Identifier: MIT
#
# rows: the output of tests/bench/run.sh, for programs: a row for each workload
# and peer, with tabs between workload, peer, ratio of CPU time, ratio of
# wall-clock time, quiet runs "N/M" and remark.

/^(one|[0-9-])/ {
	workload = $0
	next
}
match($0, / [0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+\/[0-9]+/) {
	name = substr($0, 1, RSTART - 1)
	remark = substr($0, RSTART + RLENGTH)
	split(substr($0, RSTART, RLENGTH), figures, " +")
	gsub(/^ +| +$/, "", name)
	gsub(/^ +| +$/, "", remark)
	printf "%s\t%s\t%s\t%s\t%s\t%s\n", workload, name, figures[4],
		figures[5], figures[6], remark
}
