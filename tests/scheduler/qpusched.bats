# SPDX-License-Identifier: MIT
# The search for a shorter kernel.  make search runs this suite; make check
# does not, since qpusched is not built then.

load ../support/common

setup() {
	QPUSCHED="$BUILD/qpusched"
	enter_scratch
	cp "$TOP"/qpu/kernel/{optimised,pair}_hot.m4 .
}

# fails TEXT ARGUMENT...: with status 1, this message, and nothing else
fails() {
	run "$QPUSCHED" "${@:2}"
	[ "$status" -eq 1 ]
	[ "$output" = "$1" ] || fail "$output"
}

@test "what is read from the kernels' sources gives these sources and their maps" {
	for kernel in optimised pair; do
		"$QPUSCHED" emit $kernel ${kernel}_hot.m4 |
			cmp - ${kernel}_hot.m4
		"$QPUSCHED" map $kernel |
			cmp - "$TOP/qpu/kernel/${kernel}_map.m4"
	done
}

@test "a schedule that a search finds makes a kernel without hazards" {
	: "${M4:=m4}"
	command -v "$M4" >/dev/null || skip "no m4"
	[ -x "$BUILD/qpuasm" ] || skip "qpuasm is not built"
	"$QPUSCHED" search end -n 24 --seed 2 --steps 300000 \
		--cycle 100000 --hot 2 --cold 0.3 -o 1.m4
	mkdir -p qpu/kernel
	"$QPUSCHED" emit optimised 1.m4 optimised_hot.m4 \
		>qpu/kernel/optimised_hot.m4
	run cmp -s qpu/kernel/optimised_hot.m4 optimised_hot.m4
	[ "$status" -eq 1 ]
	"$M4" -s -I . -I "$TOP" "$TOP/qpu/kernel/optimised.m4" >a.s
	run "$BUILD/qpuasm" -o a.bin a.s
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	# Rotations, conditions, clamped lookups: the kernel's driver takes them.
	"$QPUSCHED" search pair_light -n 180 --hot 1 --steps 3000000 \
		--cycle 3000000 -o 3.m4
	"$QPUSCHED" emit pair 3.m4 pair_hot.m4 >qpu/kernel/pair_hot.m4
	"$M4" -s -I . -I "$TOP" "$TOP/qpu/kernel/pair.m4" >b.s
	run "$BUILD/qpuasm" --for=drm -o b.bin b.s
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
}

@test "a schedule that breaks a rule, or is of another section, is refused" {
	# Without the instruction between a write of ra1 and its read.
	sed '18{h;d};19{G}' optimised_hot.m4 >early.m4
	run "$QPUSCHED" emit optimised early.m4
	[ "$status" -eq 1 ]
	[[ "$output" =~ ^'qpusched: early.m4: heavy: '[1-9]' early, 0 crowded, 0 full'$ ]]
	sed 's/^:heavy/:light/' optimised_hot.m4 >other.m4
	fails 'qpusched: other.m4:12: no instruction of light' \
		emit optimised other.m4
}

@test "slots out of range are refused, those at the limits are not" {
	local n
	for n in 4 401 -1 x ''; do
		run "$QPUSCHED" search end -n "$n"
		[ "$status" -eq 1 ]
		[ "${lines[0]}" = \
			"qpusched: --slots: '$n' is not from 5 to 400" ]
	done
	for n in 5 400; do
		run "$QPUSCHED" search end -n $n --steps 0
		[ "$status" -eq 0 ]
		[[ "$output" == "qpusched: stopped in $n slots: "* ]]
	done
}

@test "a search starts from 300 slots, and ends with what it has come to" {
	run "$QPUSCHED" search end --steps 0
	[ "$status" -eq 0 ]
	[ "$output" = 'qpusched: stopped in 300 slots: 0 early, 49 crowded, 0 full' ]
	run "$QPUSCHED" search heavy --steps 0
	[ "$output" = 'qpusched: stopped in 300 slots: 0 early, 471 crowded, 1351 full' ]
}

@test "a search starts from a schedule, in as many slots as are wanted" {
	run "$QPUSCHED" search end optimised_hot.m4 --steps 0
	[ "$output" = 'qpusched: stopped in 13 slots: 0 early, 0 crowded, 0 full' ]
	run "$QPUSCHED" search end optimised_hot.m4 --steps 0 -n 400
	[ "$output" = 'qpusched: stopped in 400 slots: 0 early, 0 crowded, 0 full' ]
	run "$QPUSCHED" search end optimised_hot.m4 --steps 1 -o same.m4
	[ "${lines[0]}" = 'qpusched: end in 13 slots' ]
	[[ "${lines[1]}" == 'qpusched: stopped in 12 slots: '* ]]
	[ "${#lines[@]}" -eq 2 ]
	sed -n '/^# end/,$p' optimised_hot.m4 | cmp - same.m4
}

@test "options have the values that --help says" {
	"$QPUSCHED" search end -n 30 --steps 30000 -o first.m4 2>first
	"$QPUSCHED" search end -n 30 --steps 30000 --seed 0x1 --hot 0.6 \
		--cold 0.24 --cycle 100000000 -o second.m4 2>second
	cmp first.m4 second.m4
	same first second
	[ "$(sed -n 1p first)" = 'qpusched: end in 30 slots' ]
}

# The moves, their order and their odds decide where a search ends.  A change of one
# of them, or of the operations, changes the sums here: take the new ones then, if
# solutions are found as fast as before.
@test "a search takes the way that it has always taken, a slot less each time" {
	local sum section slots seed steps cycle hot cold
	while read -r sum section slots seed steps cycle hot cold; do
		: >way.m4
		run "$QPUSCHED" search "$section" -n "$slots" --seed "$seed" \
			--steps "$steps" --cycle "$cycle" --hot "$hot" \
			--cold "$cold" -o way.m4
		[ "$status" -eq 0 ]
		[ "$(cat way.m4 - <<<"$output" | cksum)" = "${sum/:/ }" ] ||
			fail "$section $seed: $output, $(cksum <way.m4)"
		sed -n 's/.* in \([0-9]*\) slots.*/\1/p' <<<"$output" |
			awk 'NR > 1 && $1 != last - 1 { exit 1 } { last = $1 }'
	done <<-END
		3640068787:1424 end 24 3 300000 100000 2 0.3
		1416957651:1580 end 30 1 60000 20000 0.6 0.24
		3527122996:17248 light 300 5 150000 50000 1 0.1
		142838387:60 heavy 320 1 40000 30000 0.6 0.24
		4255210952:63 heavy 250 7 20000 8192 3 0.01
		3536181583:60 light 180 2 20000 8192 1 0.1
		4244926355:59 end 30 0xb9b38c4a7928ae34 1000 1000 1 0.1
	END
}

@test "the best schedule is kept, and can be emitted" {
	"$QPUSCHED" search end -n 30 --steps 30000 -o best.m4 2>log
	[ "$(grep -c '^qpusched: end in ' log)" -gt 5 ]
	[ "$(sed -n 's/^qpusched: end in \([0-9]*\) slots/\1/p' log | tail -n 1)" = \
	  "$(grep -vc '^[:#]\|delay slots' best.m4)" ]
	"$QPUSCHED" emit optimised best.m4 | grep -qx ':end'
}

@test "a schedule that cannot be written ends the search" {
	run "$QPUSCHED" search end optimised_hot.m4 --steps 100000 \
		-o absent/new.m4
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 'qpusched: end in 13 slots' ]
	[ "${lines[1]}" = 'qpusched: absent/new.m4: No such file or directory' ]
	[ "${lines[2]}" = 'qpusched: stopped in 13 slots: 0 early, 0 crowded, 0 full' ]
	[ -c /dev/full ] || return 0
	run "$QPUSCHED" search end optimised_hot.m4 --steps 100000 -o /dev/full
	[ "${lines[1]}" = 'qpusched: /dev/full: No space left on device' ]
	[ "${#lines[@]}" -eq 3 ]
}

# refused TEXT SCRIPT: sed makes a source of the section end that is refused so
refused() {
	sed -n '/^# end/,$p' optimised_hot.m4 | sed "$2" >bad.m4
	fails "qpusched: bad.m4$1" emit optimised bad.m4
	fails "qpusched: bad.m4$1" search end bad.m4
}

@test "wrong commands and files are named" {
	fails "qpusched: no command 'find'" find
	fails "qpusched: no kernel 'fair'" map fair
	fails "qpusched: no kernel ''" map
	fails "qpusched: no kernel 'fair'" emit fair absent
	fails "qpusched: no section 'heavier'" search heavier
	fails 'qpusched: absent: No such file or directory' emit pair absent
	fails 'qpusched: absent: No such file or directory' search end absent
	fails "qpusched: pair_hot.m4: no section 'end'" search end pair_hot.m4
	refused ": end is without 'H+'" '3,$d'
	refused ": end is without 'H+ (7)'" '3d'
	refused ":4: no instruction of end" '3p'
	refused ":3: no instruction of end" '3s/#.*//'
	refused ":3: no instruction of end" '3s/# /&- | /'
	refused ":4: no instruction of end" '4s/K again/K/'
	# A register without a value, and no register.
	refused ":6: no instruction of end" '6s/, state_3/, ra0/'
	refused ":6: no instruction of end" '6s/, state_3//'
	# An addition in the half of the mul ALU.
	refused ":6: no instruction of end" \
		'6s/\t\(add[^;]*\); .*/\tnop; \1 # - | H+ (4)/'
	for arguments in '' 'emit a b c d e f g'; do
		# shellcheck disable=SC2086 # words
		run "$QPUSCHED" $arguments
		[ "$status" -ne 0 ]
		[[ "${lines[0]}" == 'Usage: qpusched '* ]]
	done
}

@test "what is printed has to arrive" {
	[ -c /dev/full ] || skip 'no /dev/full'
	for arguments in 'map pair' 'emit pair pair_hot.m4'; do
		# shellcheck disable=SC2086 # words
		run bash -c '"$0" "${@}" >/dev/full' "$QPUSCHED" $arguments
		[ "$status" -eq 1 ]
		[ "$output" = 'qpusched: standard output: No space left on device' ]
	done
}

@test "the first of two schedules of a section counts" {
	sed -n '/^# end/,$p' optimised_hot.m4 >end.m4
	sed '/^:/a\	nop # -' end.m4 >longer.m4
	"$QPUSCHED" emit optimised end.m4 longer.m4 >out
	"$QPUSCHED" emit optimised end.m4 | same - out
	"$QPUSCHED" emit optimised longer.m4 end.m4 | sed -n 3p >out
	[ "$(cat out)" = 'dnl 15 instructions, 15 executed a block' ]
	"$QPUSCHED" emit optimised longer.m4 optimised_hot.m4 | sed -n 3p >out
	[ "$(cat out)" = 'dnl 413 instructions, 1751 executed a block' ]
}

@test "a kernel has its own sections only" {
	cat pair_hot.m4 optimised_hot.m4 >both.m4
	for kernel in optimised pair; do
		"$QPUSCHED" emit $kernel both.m4 | cmp - ${kernel}_hot.m4
	done
}
