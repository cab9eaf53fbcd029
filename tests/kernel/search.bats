#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The kernels' hot sections: what qpuasm -O makes of their unscheduled form, and the
# search that keeps what is shorter.

load ../support/common

setup() {
	: "${M4:=m4}"
	command -v "$M4" >/dev/null || skip "no m4"
	enter_scratch
}

# executed KERNEL LIST: instructions a block, by the listing: each word of a section
# counts as often as KERNEL_hot.m4 says
executed() {
	awk -v rounds="$1_rounds.m4" '
		FILENAME ~ /_hot/ {
			if (/^# / && match($0, /[0-9]+ times/))
				times = substr($0, RSTART) + 0
			if (/^:/)
				count[substr($0, 2)] = times
			next
		}
		FILENAME ~ /_rounds/ {
			if (/^:/)
				name = substr($0, 2)
			of[FNR] = name
			next
		}
		/^0/ { sum += count[section]; words++ }
		match($0, rounds ":[0-9]+:") {
			line = substr($0, RSTART + length(rounds) + 1) + 0
			if (of[line] != section) {
				section = of[line]
				sum += count[section]
			}
			next
		}
		/:[0-9]+: / && section != "" {
			sum -= count[section]
			section = ""
		}
		END { print sum }' "$TOP/qpu/kernel/$1_hot.m4" \
		"$TOP/qpu/kernel/$1_rounds.m4" "$2"
}

@test "-O of the unscheduled kernels needs at most a tenth more than the kept words" {
	"$M4" -s -DUNSCHEDULED -I "$TOP" "$TOP/qpu/kernel/optimised.m4" |
		"$BUILD/qpuasm" -O --list=a.list -
	"$M4" -s -DUNSCHEDULED -I "$TOP" "$TOP/qpu/kernel/pair.m4" |
		"$BUILD/qpuasm" --for=drm -O --list=b.list -
	a=$(executed optimised a.list)
	b=$(executed pair b.list)
	echo "$a $b"
	[ "$a" -ge 1700 ] && [ "$a" -le 1905 ]
	[ "$b" -ge 1050 ] && [ "$b" -le 1195 ]
}

@test "make search writes what has become shorter, and it is a kernel" {
	local room=qpu/kernel
	mkdir -p $room
	cp "$TOP"/$room/*.m4 $room
	SOURCE=. QPUASM=$BUILD/qpuasm run "$TOP/$room/search.sh" optimised 1
	[ "$status" -eq 0 ]
	[[ "$output" == *'no section of optimised became shorter'* ]]
	[ ! -e $room/optimised_hot.new ]
	# Kept words with room in them.
	sed '/brr/!s/^\t[a-z].*#.*/\tnop\n&/' "$TOP/$room/optimised_hot.m4" \
		>$room/optimised_hot.m4
	SOURCE=. QPUASM=$BUILD/qpuasm run "$TOP/$room/search.sh" optimised 1
	[ "$status" -eq 0 ]
	[ "$(wc -l <$room/optimised_hot.new)" -lt \
		"$(wc -l <$room/optimised_hot.m4)" ]
	"$M4" -s -I . $room/optimised.m4 | "$BUILD/qpuasm" -O -o long.bin -
	mv $room/optimised_hot.new $room/optimised_hot.m4
	run bash -c "'$M4' -s -I . $room/optimised.m4 |
		'$BUILD/qpuasm' -O -o new.bin -"
	[ "$status" -eq 0 ] && [ -z "$output" ]
	[ "$(wc -c <new.bin)" -lt "$(wc -c <long.bin)" ]
}
