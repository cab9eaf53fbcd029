# SPDX-License-Identifier: MIT
# The kernels in use are what their sources say: words come from m4 and
# qpuasm, the hot loop from the solution files, and the ABI is the same for
# both sides.

load ../support/common

setup() {
	: "${M4:=m4}"
	enter_scratch
}

# The file of the build, or the one of the distribution.
words_file() {
	if [ -e "$BUILD/qpu/kernel/$1.words" ]; then
		echo "$BUILD/qpu/kernel/$1.words"
	else
		echo "$TOP/qpu/kernel/$1.words"
	fi
}

@test "m4 and qpuasm make the words in use, without a report" {
	command -v "$M4" >/dev/null || skip "no m4"
	for m4 in hello partial simple published optimised; do
		"$M4" -s -I "$TOP" "$TOP/qpu/kernel/$m4.m4" >"$m4.s"
		run "$BUILD/qpuasm" --format hex -o "$m4.hex" "$m4.s"
		[ "$status" -eq 0 ]
		[ -z "$output" ]
		sed 's/.*/	0x&,/' "$m4.hex" | cmp - "$(words_file "$m4")"
	done
}

@test "qpusched emits the hot loop from its solutions" {
	cd "$TOP"
	"$BUILD/qpusched" emit qpu/kernel/heavy.sol qpu/kernel/light.sol \
		qpu/kernel/end.sol | cmp - qpu/kernel/optimised_hot.m4
}

@test "qpusched emits the map of registers" {
	"$BUILD/qpusched" map | cmp - "$TOP/qpu/kernel/optimised_map.m4"
}

@test "a solution that breaks a rule is refused" {
	# The 40th operation two slots earlier than its operands allow.
	awk '!/^#/ { n++ } n == 41 && !/^#/ { $1 = 0 } { print }' \
		"$TOP/qpu/kernel/heavy.sol" >early.sol
	run "$BUILD/qpusched" emit early.sol
	[ "$status" -eq 1 ]
	[[ "$output" == "qpusched: early.sol: "*" early, "* ]]
}

@test "a solution of another section is refused" {
	sed 's/^heavy/light/' "$TOP/qpu/kernel/heavy.sol" >other.sol
	run "$BUILD/qpusched" emit other.sol
	[ "$status" -eq 1 ]
	[[ "$output" == "qpusched: other.sol: operation "* ]]
}

@test "the same seed finds the same schedule, from nothing" {
	for i in 1 2; do
		"$BUILD/qpusched" search end -n 24 --seed 3 --steps 300000 \
			--cycle 100000 --hot 2 --cold 0.3 -o $i.sol
	done
	cmp 1.sol 2.sol
	run "$BUILD/qpusched" emit 1.sol
	[ "$status" -eq 0 ]
	[[ "$output" == *":end"* ]]
}

@test "abi.h and abi.m4 have the same numbers" {
	command -v "$M4" >/dev/null || skip "no m4"
	cd "$TOP/qpu/kernel"
	for name in KERNEL_LANES KERNEL_STATE_ROWS KERNEL_STATE_BYTES \
		    KERNEL_JOB_ROWS KERNEL_JOB_BYTES KERNEL_RECORD_BYTES \
		    KERNEL_SEAL_ROWS KERNEL_AHEAD_BYTES KERNEL_UNIFORMS \
		    KERNEL_SEMAPHORE KERNEL_CODE_ALIGN; do
		theirs="$(echo $name | "$M4" abi.m4 -)"
		ours="$(sed -n "s/^	$name = \([0-9]*\),*\$/\1/p" abi.h)"
		[ -n "$ours" ]
		[ "$theirs" = "$ours" ]
	done
}
