# SPDX-License-Identifier: MIT
# codes: what hazards are called, in the sources and in the manual, and how
# often one is reported that is found without a run.

load ../support/common

setup() {
	QPUASM="$BUILD/qpuasm"
	QPUDIS="$BUILD/qpudis"
	QPURUN="$BUILD/qpurun"
	enter_scratch
}

# rules_in FILE...: the rules that these sources name
rules_in() {
	cat "$@" | awk '
		NR == FNR && split($0, row, "[(, ]+") && row[1] == "RULE" {
			number[row[3]] = row[2]
		}
		NR != FNR {
			while (match($0, /QPU_RULE_[A-Z0-9_]+/)) {
				name = substr($0, RSTART + 9, RLENGTH - 9)
				if (name in number)
					print (number[name] <= 20 ? "R" : "C") \
						number[name]
				$0 = substr($0, RSTART + RLENGTH)
			}
		}' "$TOP/qpu/isa/rules.def" - | sort -uV
}

# validator_rules, machine_rules: names of what each can report
validator_rules() {
	rules_in "$TOP"/qpu/validate/*.c
}

machine_rules() {
	rules_in "$TOP"/qpu/emulator/*.c
}

# explains PAGE RULES: each rule of the file RULES has a paragraph of several
# sentences, which says what is known of boards.
explains() {
	awk '
		BEGIN {
			evidence = "guide|board|vc4asm|measured|known"
			evidence = evidence "|published|py-videocore"
		}
		NR == FNR { wanted[$1]; next }
		/^\.B [RC][0-9]+$/ { rule = $2; next }
		/^\.(TP|SH|SS)/ { rule = "" }
		rule && /[.:)]$/ { sentences[rule]++ }
		rule && tolower($0) ~ evidence { proven[rule] }
		END {
			for (rule in wanted)
				if (sentences[rule] < 2)
					print rule " says too little"
				else if (!(rule in proven))
					print rule " has no evidence"
		}' "$2" "$TOP/man/$1.1" >wrong
	[ ! -s wrong ] || fail "$1: $(cat wrong)"
}

@test "every rule that the validator can report has its paragraph" {
	validator_rules >rules
	[ "$(wc -l <rules)" -ge 17 ]
	explains qpuasm rules
}

@test "every rule that a run can report has its paragraph" {
	local last
	machine_rules >rules
	[ "$(wc -l <rules)" -ge 28 ]
	explains qpurun rules
	# The list is that of the programs.
	last=$(grep C rules | tail -n 1)
	run "$QPURUN" --ignore="$last" --uniforms 0
	[[ "$output" != *"--ignore"* ]] || fail "$output"
	run "$QPURUN" --ignore="C$((${last#C} + 1))" --uniforms 0
	[[ "$output" == *"and C21 to $last"* ]] || fail "$output"
}

@test "the manual explains no rule that nothing reports" {
	validator_rules >rules
	machine_rules >>rules
	# R15 and R18 show in a run only, as the page of qpuasm says.
	sed -nE 's/^\.B ([RC][0-9]+)$/\1/p' "$TOP"/man/qpu{asm,run}.1 |
		sort -u >page
	[ "$(wc -l <page)" -ge 34 ]
	sort -u rules | comm -13 - page >unknown
	[ ! -s unknown ] || fail "$(cat unknown)"
}

@test "what is found without a run is reported once for its line, or for its address" {
	cat >again.qasm <<-'END'
	.rep i, 3
	mov ra0, 1
	mov r0, ra0
	.endr
	thrend
	nop
	nop
	END
	run "$QPUASM" -o again.bin again.qasm
	[ "$(grep -c '\[R1\]' <<<"$output")" = 1 ]
	[[ "$output" == *'again.qasm:3:1: error:'*'[R1] (3 times)'* ]]
	"$QPUASM" --no-check -o again.bin again.qasm
	run "$QPUDIS" --check again.bin
	[ "$(grep -c '\[R1\]' <<<"$output")" = 3 ]
	[ "$(grep -o '^again.bin:0x[0-9a-f]*: error' <<<"$output" | sort -u |
		wc -l)" = 3 ]
}
