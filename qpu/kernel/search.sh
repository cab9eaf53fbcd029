#!/bin/bash
# SPDX-License-Identifier: MIT
#
# search.sh KERNEL SECONDS: schedule the hot sections of a kernel anew.
#
# Give the unscheduled sections, KERNEL_rounds.m4, to qpuasm -O for so long, and say how
# many instructions each has now and in KERNEL_hot.m4.  Sections that became shorter
# are written to KERNEL_hot.new, with the others as they are: move it to KERNEL_hot.m4,
# and let the tests and qpu-sha256sum --device=emulator:timed --stats say what it is
# worth.  A longer search finds more, and each starts anew.  QPUASM and M4 are programs;
# SOURCE is the top folder of the sources.
set -eu
kernel=${1:?usage: search.sh KERNEL SECONDS}
seconds=${2:-60}
source=${SOURCE:-.}
room=$source/qpu/kernel
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
starter=()
[ "$kernel" != pair ] || starter=(--for=drm)

"${M4:-m4}" -s -DUNSCHEDULED -I "$source" "$room/$kernel.m4" >"$scratch/source"
"${QPUASM:-./qpuasm}" "${starter[@]}" -O --effort="$seconds" \
	--list="$scratch/list" "$scratch/source" >&2

# Each word is made of lines of the unscheduled sections; their text, from that
# file, is the text of the word.
awk -v rounds="${kernel}_rounds.m4" -v hot="$room/${kernel}_hot.m4" '
	# The line of the listing is of the unscheduled sections: its number, or 0
	function number(line,	part) {
		if (!match(line, rounds ":[0-9]+:"))
			return 0
		part = substr(line, RSTART, RLENGTH - 1)
		sub(/.*:/, "", part)
		return part + 0
	}
	function finish(	text, comment, i, many, parts) {
		if (section == "" || !open)
			return
		for (i = 1; i <= nlines; i++) {
			many = split(unscheduled[lines[i]], parts, / # /)
			sub(/^\t/, "", parts[1]); sub(/ *$/, "", parts[1])
			text = text (text == "" ? "" : "; ") parts[1]
			if (many > 1)
				comment = comment (comment == "" ? "" : " | ") \
					parts[2]
		}
		if (text == "")
			text = "nop"
		words[section, ++length_of[section]] = \
			sprintf(comment == "" ? "\t%s" : "\t%-46s # %s", text,
				comment)
		nlines = open = 0
	}
	FILENAME ~ /_rounds\.m4$/ {
		unscheduled[FNR] = $0
		if (/^:/) {
			name = substr($0, 2)
			order[++nsections] = name
		}
		of[FNR] = name
		next
	}
	FILENAME == hot {
		if (/^# /)
			title = $0
		if (/^:/)
			kept_name = substr($0, 2)
		if (kept_name == "" && !/^# /)
			head = head $0 "\n"
		else if (/^\t/)
			kept[kept_name, ++kept_length[kept_name]] = $0
		if (/^:/)
			titles[kept_name] = title
		next
	}
	/^[0-9a-f]+  / { finish(); open = 1 }
	{
		at = number($0)
		if (at) {
			lines[++nlines] = at
			if (of[at] != section) {
				section = of[at]
				open = 1
			}
		} else if (/:[0-9]+: /) {
			section = ""
		}
	}
	END {
		finish()
		for (i = 1; i <= nsections; i++) {
			name = order[i]
			printf "%-12s %4d, kept %4d\n", name, length_of[name],
				kept_length[name] >"/dev/stderr"
			better += length_of[name] < kept_length[name]
		}
		if (!better)
			exit 1
		for (i = 1; i <= nsections; i++) {
			name = order[i]
			shorter[name] = length_of[name] < kept_length[name]
			n[name] = shorter[name] ? length_of[name] : \
				kept_length[name]
			split(titles[name], parts, ", ")
			total += n[name]
			executed += n[name] * parts[2]
		}
		sub(/[0-9]+ instructions, [0-9]+ executed/, total \
			" instructions, " executed " executed", head)
		printf "%s", head
		for (i = 1; i <= nsections; i++) {
			name = order[i]
			sub(/[0-9]+ instructions/, n[name] " instructions",
				titles[name])
			print titles[name] "\n:" name
			for (k = 1; k <= n[name]; k++)
				print shorter[name] ? words[name, k] : \
					kept[name, k]
		}
	}' "$room/${kernel}_rounds.m4" "$room/${kernel}_hot.m4" \
	"$scratch/list" >"$scratch/new" || {
	echo "search.sh: no section of $kernel became shorter" >&2
	exit 0
}
cp "$scratch/new" "$room/${kernel}_hot.new"
echo "search.sh: $room/${kernel}_hot.new has them" >&2
