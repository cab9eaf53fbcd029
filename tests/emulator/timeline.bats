# SPDX-License-Identifier: MIT
# qpurun --timeline: trace events in JSON.

load ../support/common

JSON_LINES=$BUILD/tests/support/json-lines

setup() {
	QPUASM="$BUILD/qpuasm"
	QPURUN="$BUILD/qpurun"
	enter_scratch
	# Looks up a word, adds it up under the mutex, and stores it.
	"$QPUASM" --lines work.map -o work.bin - <<-'END'
	mov t0s, unif
	mov r0, elem_num
	.rep i, 3
	add r0, r0, 1
	.endr
	ldtmu0
	mov -, mutex
	ldi vr_setup, 0x83011000
	ldi vr_addr, 0x40002000
	mov -, vr_wait
	ldi vw_setup, 0x1a00
	mov vpm, r4
	ldi vw_setup, 0xc0000000
	ldi vw_setup, 0x80904000
	ldi vw_addr, 0x40002000
	mov -, vw_wait
	mov mutex, 0
	thrend
	nop
	nop
	END
	echo '.int 0x40001000' | "$QPUASM" -o uniforms -
}

# work QPUS [OPTION]...: run it with the events in the file events
work() {
	local uniforms=40001000 i
	for ((i = 1; i < $1; i++)); do
		uniforms+=,40001000
	done
	"$QPURUN" --timeline events --code work.bin@40000000 \
		--mem uniforms@40001000 --mem ZERO:64@40002000 \
		--uniforms $uniforms "${@:2}" >out
}

# flat: the events as objects without arguments of their own, one in a line
flat() {
	sed '1d;$d; s/,$//
		s/"args":{"name":/"args.name":/; s/"args":{//; s/}}$/}/
		s/"\(ts\|dur\)":\([0-9.]*\)/"\1":"\2"/g' events
}

# events_of ROW: start and clocks of the complete events of a row, in order
events_of() {
	flat | sed -n 's/.*"ph":"X",.*"tid":'"$1"',.*"ts":"\([0-9]*\)\.\([0-9]*\)".*"clocks":\([0-9]*\).*/\1\2 \3/p' |
		sort -n
}

@test "every event is one line of valid JSON, whatever stands in a source line" {
	work 3 --lines work.map
	[ "$(head -n 1 events)" = '{"displayTimeUnit":"ns","traceEvents":[' ]
	[ "$(tail -n 1 events)" = ']}' ]
	flat >lines
	[ "$(wc -l <lines)" -gt 60 ]
	sed '1d;$d' events | sed '$!s/,$/ ok/' | sed '$s/$/ ok/' >ends
	no_line_but '} ok$' ends
	"$JSON_LINES" <lines
	"$JSON_LINES" args.name <lines | tr '\0' '\n' | sort >names
	printf '%s\n' 'DMA load' 'DMA store' 'QPU 0' 'QPU 1' 'QPU 2' \
		'VideoCore IV (modelled)' | diff names -
	printf '0 a"b\\c.m4:7\tmov r0, "x\\y" # \303\244 \342\202\254 \377 \355\240\200\n8 z.m4:1\n' \
		>work.map
	work 1 --lines work.map
	flat | "$JSON_LINES" source | tr '\0' '\n' >sources
	grep -qxF 'mov r0, "x\y" # ä € ? ???' sources
	flat | "$JSON_LINES" name | tr '\0' '\n' | grep -qxF 'a"b\c.m4:7'
}

@test "durations add up to the clocks of the run, instructions stand by their line" {
	local clocks
	work 1
	clocks=$(sed -n 's/.*, \([0-9]*\) clocks.*/\1/p' out)
	[ "$clocks" -gt 100 ]
	[ "$(events_of 0 | awk '{ sum += $2 } END { print sum }')" = "$clocks" ]
	# Without a line map each instruction has its own text.
	[ "$(grep -c '"name":"add r0, r0, 1","ts":.*"instructions":1,' events)" = 3 ]
	work 1 --lines work.map
	grep -q '"name":"-:4","ts":.*"clocks":12,"instructions":3,.*"source":"add r0, r0, 1"' events ||
		fail "$(grep add events)"
}

@test "events of a QPU follow each other, with the stalls that --profile has" {
	local qpu clocks cause
	work 12 --profile
	for qpu in 0 6 11; do
		events_of $qpu >row
		[ "$(wc -l <row)" -gt 15 ]
		# 4 ns a clock at 250 MHz
		awk 'NR > 1 && $1 != end { exit 1 }
			{ end = $1 + 4 * $2 }' row ||
			fail "QPU $qpu: $(cat row)"
	done
	for cause in 'DMA store' 'DMA load' mutex 'TMU result' \
		'instruction fetch'; do
		clocks=$(flat |
			sed -n 's/.*"cat":"stall","name":"'"$cause"'".*"clocks":\([0-9]*\).*/\1/p' |
			awk '{ sum += $1 } END { print sum + 0 }')
		[ "$clocks" -gt 0 ]
		[ "$clocks" = "$(sed -n "s/.*[;,] \(stalls: \)\?$cause \([0-9]*\).*/\2/p" out |
			awk '{ sum += $1 } END { print sum }')" ]
	done
}

@test "a timeline that cannot be written is an error" {
	run work 1 --timeline absent/events
	[ "$status" -eq 1 ]
	[ "$output" = "qpurun: absent/events: No such file or directory [E318]" ]
	[ -e /dev/full ] || return 0
	run work 1 --timeline /dev/full
	[ "$status" -eq 1 ]
	[[ "$output" == "qpurun: /dev/full: "*"[E318]" ]]
}
