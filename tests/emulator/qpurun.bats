# SPDX-License-Identifier: MIT
# qpurun's output, and the names of hazards in the sources and in the manual.

load ../support/common

setup() {
	QPUASM="$BUILD/qpuasm"
	QPURUN="$BUILD/qpurun"
	enter_scratch
	# Adds a uniform to 0x1234 and stores 16 lanes.
	assemble hello <<-'END'
	mov r0, unif
	ldi r1, 0x1234
	mov ra2, unif
	add r0, r0, r1
	ldi vw_setup, 0x1a00
	mov vpm, r0
	ldi vw_setup, 0xc0000000
	ldi vw_setup, 0x80904000
	mov vw_addr, ra2
	mov -, vw_wait
	mov irq, 1
	thrend
	nop
	nop
	END
	words 100 0x40020000 >uniforms
	head -c 64 /dev/zero >out
}

# Name of a program whose source is standard input.
assemble() {
	cat >"$1.qasm"
	"$QPUASM" --lines "$1.lines" -o "$1.bin" "$1.qasm"
}

# Little-endian 32-bit words.
words() {
	local word bytes
	for word; do
		printf -v bytes '\\x%02x' $((word & 255)) \
			$((word >> 8 & 255)) $((word >> 16 & 255)) \
			$((word >> 24 & 255))
		# shellcheck disable=SC2059 # that is how printf writes bytes
		printf "$bytes"
	done
}

hello() {
	"$QPURUN" --code hello.bin@0x40001000 --mem uniforms@40003000 \
		--mem out@40020000:rw --uniforms 40003000 "$@"
}

@test "stores to a file without :rw are noted, and leave the file as it is" {
	cp out before
	run "$QPURUN" --code hello.bin@0x40001000 --mem uniforms@40003000 \
		--mem out@40020000 --uniforms 40003000
	[ "$status" -eq 0 ]
	[ "$output" = "qpurun: note: the program has changed 32 bytes of the memory from out; without :rw the file stays as it is" ]
	cmp out before
}

@test "- is standard input or output, for files of all kinds" {
	"$QPURUN" --code -@40001000 --mem uniforms@40003000 \
		--mem out@40020000:rw --uniforms 40003000 \
		--trace=trace <hello.bin
	hello --trace=- >piped
	cmp trace piped
	[ ! -e ./- ]
	run hello --mem -@40030000:rw
	[[ "$output" == *"standard input cannot be written back"* ]]
	run "$QPURUN" --code -@40001000 --uniforms 40003000 </dev/null
	[ "$status" -eq 1 ]
	[ "$output" = 'qpurun: standard input: empty' ]
	# More than is read at a time.
	{ printf '.rep i, 9000\nnop\n.endr\n'; cat hello.qasm; } | assemble long
	head -c 64 /dev/zero >out
	"$QPURUN" --code -@40040000 --mem uniforms@40003000 \
		--mem out@40020000:rw --uniforms 40003000 <long.bin
	[ "$(od -An -N4 -tx4 out)" = " 00001298" ]
}

@test "a result is written back to a file with :rw, by any alias and without --code" {
	run hello --mem ZERO:0x1000@60000000
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(od -An -v -tx4 out | tr -d '\n')" = \
	  "$(printf ' 00001298%.0s' {1..16})" ]
	head -c 64 /dev/zero >out
	run "$QPURUN" --code hello.bin@c0001000 --mem uniforms@3000 \
		--mem out@80020000:rw --uniforms 40003000
	[ "$status" -eq 0 ]
	[ "$(od -An -N4 -tx4 out)" = " 00001298" ]
	head -c 64 /dev/zero >out
	run "$QPURUN" --mem hello.bin@40001000 --mem uniforms@40003000 \
		--mem out@40020000:rw --launch 40003000:40001000
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(od -An -N4 -tx4 out)" = " 00001298" ]
}

@test "--launch gives each QPU its own program" {
	assemble other <<-'END'
	mov r0, unif
	ldi vw_setup, 0x1a10
	mov vpm, r0
	ldi vw_setup, 0x80904800
	mov vw_addr, unif
	mov -, vw_wait
	thrend
	nop
	nop
	END
	words 7 0x40020040 >uniforms2
	head -c 128 /dev/zero >out
	"$QPURUN" --code hello.bin@40001000 --code other.bin@40002000 \
		--mem uniforms@40003000 --mem uniforms2@40004000 \
		--mem out@40020000:rw \
		--launch 40003000:40001000,40004000:40002000
	[ "$(od -An -j60 -N8 -tx4 out)" = " 00001298 00000007" ]
}

@test "--timed says how many clocks are modelled, --counters names the counters" {
	run hello --timed
	[ "$status" -eq 0 ]
	[[ "$output" =~ ^"14 instructions, "([0-9]+)" clocks = "([0-9.]+)" us at 250 MHz (modelled)"$ ]]
	[ "${BASH_REMATCH[1]}" -gt 100 ]
	[ "${BASH_REMATCH[2]}" = "$(awk -v n="${BASH_REMATCH[1]}" \
		'BEGIN { printf "%.1f", n / 250 }')" ]
	run hello --timed --counters
	[[ "$output" == *"21            2  instruction cache misses"* ]]
	[[ "$output" == *"16           56  QPU clocks executing valid instructions"* ]]
	[[ "$output" != *"need --timed"* ]]
	[[ "${lines[0]}" == '14 instructions, '* ]]
}

@test "--check names a hazard that no assembler can see at its line, and exits with 1" {
	assemble depth <<-'END'
	mov r0, unif
	ldi ra0, 6
	nop
	:loop
	sub.setf ra0, ra0, 1
	brr.anynz -, :loop
	mov t0s, r0
	nop
	nop
	thrend
	nop
	nop
	END
	words 0x3000 >address
	run "$QPURUN" --code depth.bin@1000 --lines depth.lines \
		--mem address@3000 --uniforms 3000 --check
	[ "$status" -eq 1 ]
	[[ "$output" == *"depth.qasm:7: hazard C21: more than 4 TMU requests"* ]]
	[[ "$output" == *"the program has hazards"* ]]
}

@test "deadlock, limit and fault have messages of their own, with source lines" {
	printf ':a\nbrr -, :a\nnop\nnop\nnop\n' | assemble loop
	run "$QPURUN" --code loop.bin@1000 --uniforms 1000 \
		--max-instructions 1000
	[ "$status" -eq 1 ]
	[[ "$output" == "qpurun: instruction limit: "* ]]
	printf 'nop\nsacq -, 3\nthrend\nnop\nnop\n' | assemble wait
	run "$QPURUN" --code wait.bin@1000 --uniforms 1000,1000 \
		--lines wait.lines
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "qpurun: deadlock: QPU 0 at 0x00001008 waits for semaphore 3, which is 0; QPU 1 at 0x00001008 waits for semaphore 3, which is 0" ]
	[ "${lines[1]}" = "wait.qasm:2: QPU 0 waits for semaphore 3, which is 0" ]
	[ "${lines[2]}" = "    sacq -, 3" ]
	[ "${lines[3]}" = "wait.qasm:2: QPU 1 waits for semaphore 3, which is 0" ]
	printf 'nop\nldi vr_addr, 0x2000\nthrend\nnop\nnop\n' |
		assemble nowhere
	run "$QPURUN" --code nowhere.bin@1000 --uniforms 1000 \
		--lines nowhere.lines
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "qpurun: fault: QPU 0 at 0x00001008: DMA load (VDR) at 0x00002000 is outside memory" ]
	[ "${lines[1]}" = "nowhere.qasm:2: QPU 0 is here" ]
	[ "${lines[2]}" = "    ldi vr_addr, 0x2000" ]
}

@test "a lookup outside of memory is a warning, with --check a hazard, with --ignore nothing" {
	printf 'nop\nldi t0s, 0x2000\nldtmu0\nmov irq, 1\nthrend\nnop\nnop\n' |
		assemble behind
	run "$QPURUN" --code behind.bin@1000 --uniforms 1000 \
		--lines behind.lines
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "behind.qasm:2: warning C33: TMU lookup at 0x00002000 in lane 0 is outside memory"* ]]
	[ "${lines[1]}" = "    ldi t0s, 0x2000" ]
	[ "${#lines[@]}" -eq 2 ]
	run "$QPURUN" --code behind.bin@1000 --uniforms 1000 --check
	[ "$status" -eq 1 ]
	[[ "$output" == "hazard C33: "* ]]
	run "$QPURUN" --code behind.bin@1000 --uniforms 1000 --check \
		--ignore=R5,C33
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "what cannot be written is told" {
	run hello --trace absent/trace
	[ "$status" -eq 1 ]
	[ "$output" = 'qpurun: absent/trace: No such file or directory' ]
	[ -c /dev/full ] || return 0
	run hello --trace /dev/full
	[ "$status" -eq 1 ]
	[ "$output" = 'qpurun: /dev/full: No space left on device' ]
	hello --timed >/dev/full 2>err && return 1
	[ "$(cat err)" = 'qpurun: standard output: No space left on device' ]
}

@test "what cannot be memory is refused by its file and reason" {
	local option reason
	head -c 12 /dev/zero >odd
	: >empty
	mkdir folder
	mkfifo fifo
	truncate -s 1073741825 large
	while IFS='|' read -r option reason; do
		run hello "--${option%% *}" "${option#* }"
		[ "$status" -eq 1 ]
		[ "$output" = "qpurun: $reason" ] || fail "$option: $output"
	done <<-'END'
	mem absent@9000|absent: No such file or directory
	mem empty@9000|empty: empty
	mem folder@9000|folder: Is a directory
	mem fifo@9000:rw|fifo: not a regular file
	mem large@9000|large: larger than the bus
	code odd@9000|odd: not a whole number of 8-byte instructions
	END
}

@test "nothing is written when an option, a file or a place in memory is wrong" {
	cp out before
	for option in "--mem absent@1000" "--mem out@40001000" "--lines out" \
		"--uniforms" "stray" "--nonsense"; do
		# shellcheck disable=SC2086 # an option and its value
		run hello --trace trace $option
		[ "$status" -eq 1 ]
		[ -n "$output" ]
	done
	cmp out before
	[ ! -e trace ]
}

@test "a name with blanks or control codes is quoted in messages, as a shell reads it" {
	run hello --lines 'no such'
	[ "$output" = "qpurun: 'no such': No such file or directory" ]
	printf '0\n' >'wrong lines'
	run hello --lines 'wrong lines'
	[ "$output" = "qpurun: 'wrong lines':1: not a row of a line table" ]
	run hello --trace $'absent/\e[2J'
	[ "$output" = "qpurun: 'absent/'$'\\033''[2J': No such file or directory" ]
	run hello --mem $'gone\n@9000'
	[ "$output" = "qpurun: 'gone'$'\\n': No such file or directory" ]
}

# --- Names of hazards -----------------------------------------------------------

# rules_of text|seen: the rules that the validator, or that a run can report: those
# that have a text in this column.  test-hazards has a program for each.
rules_of() {
	awk -v RS='\nRULE[(]' -v column="$1" '
		NR > 1 {
			none = column == "seen" ? "NULL[)]" : \
				", [0-9],[ \n]*NULL"
			if ($0 !~ none)
				print ($1 + 0 <= 20 ? "R" : "C") $1 + 0
		}' "$TOP/qpu/isa/rules.def" | sort -V
}

# explained PAGE: the rules that a page of the manual has a paragraph for
explained() {
	sed -nE 's/^\.B ([RC][0-9]+)$/\1/p' "$TOP/man/$1.1" | sort -Vu
}

@test "the manual explains each rule that the validator or a run can report, and no other" {
	local last
	rules_of text >text
	rules_of seen >seen
	[ "$(wc -l <text)" -ge 17 ] && [ "$(wc -l <seen)" -ge 28 ]
	explained qpuasm >page
	[ -z "$(sort text | comm -23 - <(sort page))" ]
	explained qpurun >>page
	same <(sort -u text seen) <(sort -u page)
	# The programs have the same list.
	last=$(grep C seen | tail -n 1)
	run "$QPURUN" --ignore="$last" --uniforms 0
	[[ "$output" != *"--ignore"* ]] || fail "$output"
	run "$QPURUN" --ignore="C$((${last#C} + 1))" --uniforms 0
	[[ "$output" == *"and C21 to $last"* ]] || fail "$output"
}

# The programs of the page, after two registers that they want.
end_of_page() {	# end_of_page N
	printf 'mov ra0, unif\nmov rb0, unif\n'
	sed -n '/^\.SH HOW A PROGRAM ENDS/,/^\.SH SEE/p' \
		"$TOP/man/qpu-programs.7" |
		awk -v n="$1" '/^\.nf/ { block++; within = 1; next }
			/^\.fi/ { within = 0 }
			within && block == n { gsub(/\\/, ""); print }'
}

@test "programs end without a hazard as qpu-programs(7) says, and with one if a part is left out" {
	local n
	end_of_page 1 | assemble one
	end_of_page 2 | assemble many
	for n in 1 2 3 12; do
		# shellcheck disable=SC2046 # words
		words $(for ((i = 0; i < n; i++)); do echo "$i $n"; done) >unif
		run "$QPURUN" --check --seed=$n --code many.bin@1000 \
			--mem unif@2000 --uniforms "$(
				for ((i = 0; i < n; i++)); do
					printf '%x,' $((0x2000 + 8 * i))
				done | sed 's/,$//')"
		[ "$status" -eq 0 ] || fail "$n: $output"
	done
	run "$QPURUN" --check --code one.bin@1000 --mem unif@2000 --uniforms 2000
	[ "$status" -eq 0 ] || fail "$output"
	end_of_page 1 | sed '/irq/d' | assemble silent
	run "$QPURUN" --check --code silent.bin@1000 --mem unif@2000 \
		--uniforms 2000
	[ "$status" -eq 1 ]
	[[ "$output" == *'hazard C46: the last program ends without a host'* ]]
	end_of_page 2 | sed 's/sacq.*/nop/' | assemble left
	run "$QPURUN" --check --code left.bin@1000 --mem unif@2000 \
		--uniforms 2000,2008
	[ "$status" -eq 1 ]
	[[ "$output" == *'hazard C48: semaphore 0 is 1: the last program'* ]]
}
