# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
#
# common.bash: functions that the benchmarks share.

# Print COUNT random sizes from LEAST bytes to LEAST times RATIO, log-uniform, the
# same each time.
log_uniform()	# log_uniform COUNT LEAST RATIO
{
	awk -v n="$1" -v least="$2" -v ratio="$3" 'BEGIN { srand(1)
		for (i = 0; i < n; i++) print int(least * ratio ^ rand()) }'
}

# Print the CPU's name and today's date.
print_machine()
{
	awk -F ': *' '/^model name/ { print "machine: " $2; exit }' \
		/proc/cpuinfo 2>/dev/null
	date '+date: %Y-%m-%d'
}

# A condition of awk, true for a line of tests/bench/cputime during which other
# processes used little CPU time.
others_were_quiet='($3 <= 30000 + $2 / 10)'
