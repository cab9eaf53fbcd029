# SPDX-License-Identifier: MIT
# Where the clocks of a QPU go.
set title 'Clocks of a QPU for 16 blocks, modelled (' . today . ', make bench-plots)'
set ylabel 'clocks'
set yrange [0:*]
set style histogram rowstacked
set boxwidth 0.6
plot for [i = 2:7] data using i:xtic(1) title columnheader(i)
