# SPDX-License-Identifier: MIT
# How many times longer others take.
set title "How many times as long other programs take for the same files\n" \
	. '{/*0.8 wall-clock time, two cores, files in the page cache; ' \
	. today . ', make bench-plots}' enhanced
set ylabel 'times as long as qpu-sha256sum'
set yrange [0:*]
set ytics add ('qpu-sha256sum: 1' 1)
set style histogram clustered gap 1
set xtics rotate by -20 noenhanced
columns = int(system("head -n 1 '" . data . "' | awk -F '\t' '{ print NF }'"))
plot for [i = 2:columns] data using i:xtic(1) title columnheader(i) noenhanced, \
	1 with lines lw 2 lc rgb '#202020' title 'qpu-sha256sum'
