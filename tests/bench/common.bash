# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
#
# common.bash: what benches have in common.

# COUNT sizes from LEAST bytes to LEAST times RATIO, evenly spread over their
# logarithms, the same ones each time.
log_uniform()	# log_uniform COUNT LEAST RATIO
{
	awk -v n="$1" -v least="$2" -v ratio="$3" 'BEGIN { srand(1)
		for (i = 0; i < n; i++) print int(least * ratio ^ rand()) }'
}

print_machine()
{
	awk -F ': *' '/^model name/ { print "machine: " $2; exit }' \
		/proc/cpuinfo 2>/dev/null
	date '+date: %Y-%m-%d'
}

# For awk, of a line of tests/bench/cputime: other processes used little CPU time.
others_were_quiet='($3 <= 30000 + $2 / 10)'
