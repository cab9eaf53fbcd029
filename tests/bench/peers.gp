# SPDX-License-Identifier: MIT
# How many times longer others take.
set title 'Wall-clock time of others, ours = 1 (' . today . ', make bench-plots)'
set ylabel 'times as long'
set yrange [0:*]
set ytics add 1
set style histogram clustered gap 1
set xtics rotate by -20
columns = int(system("head -n 1 '" . data . "' | awk -F '\t' '{ print NF }'"))
plot for [i = 2:columns] data using i:xtic(1) title columnheader(i), \
	1 with lines lc rgb '#202020' notitle
