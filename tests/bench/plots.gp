# SPDX-License-Identifier: MIT
# The picture of the README: picture, data, today are given.
set terminal svg size 860,420 dynamic font 'sans-serif,13' background '#ffffff'
set output picture
set datafile separator "\t"
set style data histograms
set style histogram clustered gap 1
set style fill solid border rgb '#ffffff'
set border 3 lc rgb '#606060'
set tics nomirror scale 0.5
set grid ytics lc rgb '#d8d8d8' lt 1
set key outside right top vertical Left reverse samplen 1
set linetype 1 lc rgb '#1f5fa8'
set linetype 2 lc rgb '#e08a1e'
set linetype 3 lc rgb '#3a9b5c'
set linetype 4 lc rgb '#b4433b'
set linetype 5 lc rgb '#7d62b0'
set linetype 6 lc rgb '#8a8a8a'
set yrange [0:*]
set title "How many times as long other programs take for the same files\n" \
	. '{/*0.8 wall-clock time, two cores, files in the page cache unless cold; ' \
	. today . ', make bench-plots}' enhanced
set ylabel 'times as long as qpu-sha256sum'
set ytics add ('qpu-sha256sum: 1' 1)
set xtics rotate by -20 noenhanced
columns = int(system("head -n 1 '" . data . "' | awk -F '\t' '{ print NF }'"))
plot for [i = 2:columns] data using i:xtic(1) title columnheader(i) noenhanced, \
	1 with lines lw 2 lc rgb '#202020' title 'qpu-sha256sum'
