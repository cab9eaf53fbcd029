# SPDX-License-Identifier: MIT
# The search for a shorter kernel.  make search runs this suite; make check
# does not, since qpusched is not built then.

load ../support/common

setup() {
	QPUSCHED="$BUILD/qpusched"
	enter_scratch
	cp "$TOP"/qpu/kernel/*.sol .
}

# fails TEXT ARGUMENT...: with status 1, this message, and nothing else
fails() {
	run "$QPUSCHED" "${@:2}"
	[ "$status" -eq 1 ]
	[ "$output" = "$1" ] || fail "$output"
}

# late SECTION: its solution with one slot more, in which state_4 is written
late() {
	local slot slots
	slots=$(sed -n "s/^$1 \([0-9]*\) .*/\1/p" "$1.sol")
	slot=$(awk -v label=":$1" '
		$0 == label { within = 1; next }
		/delay slots follow/ { next }
		within && /7 e=d\+T1|b\^c.*state=H/ { print slot + 0; exit }
		within { slot++ }' "$TOP/qpu/kernel/optimised_hot.m4")
	sed "s/^$1 $slots /$1 $((slots + 1)) /
		s/^$slot \(add\|mul\) - /$slots \1 - /" "$1.sol"
}

# In the tree are the solutions and the source that comes from them.
@test "the solutions give the kernels' sources and their maps of registers" {
	"$QPUSCHED" emit heavy.sol light.sol end.sol |
		cmp - "$TOP/qpu/kernel/optimised_hot.m4"
	"$QPUSCHED" map | cmp - "$TOP/qpu/kernel/optimised_map.m4"
	"$QPUSCHED" emit pair_heavy.sol pair_light.sol |
		cmp - "$TOP/qpu/kernel/pair_hot.m4"
	"$QPUSCHED" map pair | cmp - "$TOP/qpu/kernel/pair_map.m4"
}

@test "a schedule that a search finds makes a kernel without hazards" {
	: "${M4:=m4}"
	command -v "$M4" >/dev/null || skip "no m4"
	[ -x "$BUILD/qpuasm" ] || skip "qpuasm is not built"
	for i in 1 2; do
		"$QPUSCHED" search end -n 24 --seed 2 --steps 300000 \
			--cycle 100000 --hot 2 --cold 0.3 -o $i.sol
	done
	cmp 1.sol 2.sol
	mkdir -p qpu/kernel
	"$QPUSCHED" emit heavy.sol light.sol 1.sol >qpu/kernel/optimised_hot.m4
	run cmp -s qpu/kernel/optimised_hot.m4 "$TOP/qpu/kernel/optimised_hot.m4"
	[ "$status" -eq 1 ]
	"$M4" -s -I . -I "$TOP" "$TOP/qpu/kernel/optimised.m4" >a.s
	run "$BUILD/qpuasm" -o a.bin a.s
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	# Rotations, conditions, clamped lookups: the kernel's driver takes them.
	"$QPUSCHED" search pair_light -n 180 --hot 1 --steps 3000000 \
		--cycle 3000000 -o 3.sol
	"$QPUSCHED" emit pair_heavy.sol 3.sol >qpu/kernel/pair_hot.m4
	"$M4" -s -I . -I "$TOP" "$TOP/qpu/kernel/pair.m4" >b.s
	run "$BUILD/qpuasm" --for=drm -o b.bin b.s
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
}

@test "a solution that breaks a rule, or is of another section, is refused" {
	# The 40th operation two slots earlier than its operands allow.
	awk '!/^#/ { n++ } n == 41 && !/^#/ { $1 = 0 } { print }' heavy.sol \
		>early.sol
	run "$QPUSCHED" emit early.sol
	[ "$status" -eq 1 ]
	[[ "$output" == "qpusched: early.sol: "*" early, "* ]]
	sed 's/^heavy/light/' heavy.sol >other.sol
	run "$QPUSCHED" emit other.sol
	[ "$status" -eq 1 ]
	[[ "$output" == "qpusched: other.sol: operation "* ]]
}

@test "numbers out of range are refused, those at the limits are not" {
	local n
	for n in 4 401 -1 5x '' 99999999999999999999; do
		fails "qpusched: --slots: '$n' is not a number from 5 to 400" \
			search end -n "$n"
	done
	for n in 5 400; do
		run "$QPUSCHED" search end -n $n --steps 0
		[ "$status" -eq 0 ]
		[[ "$output" == "qpusched: stopped in $n slots: "* ]]
	done
	for n in -1 18446744073709551616; do
		fails "qpusched: --seed: '$n' is not a number from 0 to 18446744073709551615" \
			search end --seed="$n"
		fails "qpusched: --steps: '$n' is not a number from 0 to 18446744073709551615" \
			search end --steps="$n"
		fails "qpusched: --cycle: '$n' is not a number from 1 to 18446744073709551615" \
			search end --cycle="$n"
	done
	fails "qpusched: --cycle: '0' is not a number from 1 to 18446744073709551615" \
		search end --cycle 0
	for n in 0 -1 1x nan inf 1000.1; do
		fails "qpusched: --hot: '$n' is not a temperature above 0, up to 1000" \
			search end --hot=$n
		fails "qpusched: --cold: '$n' is not a temperature above 0, up to 1000" \
			search end --cold=$n
	done
	run "$QPUSCHED" search end --steps 0 --hot 1000 --cold 1e-9 \
		--cycle 1 --seed 18446744073709551615
	[ "$status" -eq 0 ]
}

@test "a search starts from 300 slots, and ends with what it has come to" {
	run "$QPUSCHED" search end --steps 0
	[ "$status" -eq 0 ]
	[ "$output" = 'qpusched: stopped in 300 slots: 0 early, 49 crowded, 0 full' ]
	run "$QPUSCHED" search heavy --steps 0
	[ "$output" = 'qpusched: stopped in 300 slots: 0 early, 471 crowded, 1351 full' ]
}

@test "a search starts from a solution, in as many slots as are wanted" {
	run "$QPUSCHED" search end.sol --steps 0
	[ "$output" = 'qpusched: stopped in 13 slots: 0 early, 0 crowded, 0 full' ]
	run "$QPUSCHED" search end.sol --steps 0 -n 400
	[ "$output" = 'qpusched: stopped in 400 slots: 0 early, 0 crowded, 0 full' ]
	run "$QPUSCHED" search end.sol --steps 1 -o same.sol
	[ "${lines[0]}" = 'qpusched: end in 13 slots' ]
	[[ "${lines[1]}" == 'qpusched: stopped in 12 slots: '* ]]
	[ "${#lines[@]}" -eq 2 ]
	cmp same.sol end.sol
}

@test "options have the values that --help says" {
	"$QPUSCHED" search end -n 30 --steps 30000 -o first.sol 2>first
	"$QPUSCHED" search end -n 30 --steps 30000 --seed 0x1 --hot 0.6 \
		--cold 0.24 --cycle 100000000 -o second.sol 2>second
	cmp first.sol second.sol
	same first second
	[ "$(sed -n 1p first)" = 'qpusched: end in 30 slots' ]
	local option n=1 i
	cp first.sol 0.sol
	for option in --seed=2 --hot=0.7 --cycle=20000 --cold=0.01; do
		# The last one counts at the end of a cycle.
		[ $option = --cold=0.01 ] && option+=' --cycle=20000'
		# shellcheck disable=SC2086 # one or two options
		"$QPUSCHED" search end -n 30 --steps 30000 $option \
			-o $n.sol 2>/dev/null
		for ((i = 0; i < n; i++)); do
			! cmp -s $i.sol $n.sol || fail "$option changes nothing"
		done
		n=$((n + 1))
	done
}

@test "the best solution is kept, and can be emitted" {
	"$QPUSCHED" search end -n 30 --steps 30000 -o best.sol 2>log
	[ "$(grep -c '^qpusched: end in ' log)" -gt 5 ]
	[ "$(sed -n 's/^qpusched: end in \([0-9]*\) slots/\1/p' log | tail -n 1)" = \
	  "$(sed -n 's/^end \([0-9]*\) 25/\1/p' best.sol)" ]
	"$QPUSCHED" emit best.sol | grep -qx ':end'
}

@test "a solution that cannot be written ends the search" {
	run "$QPUSCHED" search end.sol --steps 100000 -o absent/new.sol
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 'qpusched: end in 13 slots' ]
	[ "${lines[1]}" = 'qpusched: absent/new.sol: No such file or directory' ]
	[ "${lines[2]}" = 'qpusched: stopped in 13 slots: 0 early, 0 crowded, 0 full' ]
	[ -c /dev/full ] || return 0
	run "$QPUSCHED" search end.sol --steps 100000 -o /dev/full
	[ "${lines[1]}" = 'qpusched: /dev/full: No space left on device' ]
	[ "${#lines[@]}" -eq 3 ]
}

@test "wrong commands and files are named" {
	fails "qpusched: no command 'find'" find
	fails "qpusched: no kernel 'fair'" map fair
	fails 'qpusched: absent: No such file or directory' emit absent
	fails 'qpusched: absent: No such file or directory' search absent
	printf 'end 13 25\n' >head.sol
	fails 'qpusched: head.sol: operation 0 (H+) does not fit' emit head.sol
	fails 'qpusched: head.sol: operation 0 (H+) does not fit' search head.sol
	sed 's/^10 add - 18 10/10 add - 999 10/' end.sol >values.sol
	fails 'qpusched: values.sol: operation 0 (H+) does not fit' \
		emit values.sol
	sed '$s/.*/&\n1 add - 0 0/' end.sol >long.sol
	fails 'qpusched: long.sol: more operations than the section has' \
		emit long.sol
	printf 'x' >none.sol
	fails 'qpusched: none.sol: no head of a solution' emit none.sol
	# Two adds and two muls in slot 3.
	sed 's/^4 \(add\|mul\)/3 \1/' end.sol >crowd.sol
	run "$QPUSCHED" emit crowd.sol
	[ "$status" -eq 1 ]
	[[ "$output" =~ ^'qpusched: crowd.sol: '[0-9]+' early, '[1-9]' crowded, 0 full'$ ]]
	for arguments in '' 'emit a b c d e f g'; do
		# shellcheck disable=SC2086 # words
		run "$QPUSCHED" $arguments
		[ "$status" -ne 0 ]
		[[ "${lines[0]}" == 'Usage: qpusched '* ]]
	done
	fails 'qpusched: a: No such file or directory' emit a b c d
}

@test "what is printed has to arrive" {
	[ -c /dev/full ] || skip 'no /dev/full'
	for arguments in map 'emit end.sol'; do
		# shellcheck disable=SC2086 # words
		run bash -c '"$0" "${@}" >/dev/full' "$QPUSCHED" $arguments
		[ "$status" -eq 1 ]
		[ "$output" = 'qpusched: standard output: No space left on device' ]
	done
}

@test "the last of two solutions of a section counts" {
	sed 's/^end 13 /end 14 /' end.sol >longer.sol
	"$QPUSCHED" emit longer.sol end.sol >out
	"$QPUSCHED" emit end.sol | same - out
	"$QPUSCHED" emit end.sol longer.sol | sed -n 3p >out
	[ "$(cat out)" = 'dnl 15 instructions, 15 executed a block' ]
	"$QPUSCHED" emit heavy.sol light.sol end.sol | sed -n 3p >out
	[ "$(cat out)" = 'dnl 412 instructions, 1750 executed a block' ]
}

@test "what a section writes last no section that follows reads at once" {
	local section
	for section in heavy light end; do
		late $section >$section.late
	done
	fails 'qpusched: heavy reads at once what heavy wrote last' \
		emit heavy.late
	fails 'qpusched: light reads at once what light wrote last' \
		emit light.late
	"$QPUSCHED" emit end.late light.sol >/dev/null
	fails 'qpusched: heavy reads at once what end wrote last' \
		emit end.late heavy.sol
}
