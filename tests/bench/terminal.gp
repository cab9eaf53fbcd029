# SPDX-License-Identifier: MIT
# What all pictures have in common: kind, picture, data, today are given.
if (kind eq 'svg') {
	set terminal svg size 860,420 dynamic font 'sans-serif,13' \
		background '#ffffff'
} else {
	set terminal pngcairo size 860,420 font 'sans,10'
}
set output picture
set datafile separator "\t"
set style data histograms
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
