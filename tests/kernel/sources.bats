# SPDX-License-Identifier: MIT
# The kernels in use are what their sources say: words come from m4 and
# qpuasm, the ABI is the same for both sides, and what stands in
# qpu/kernel/TUTORIAL.md is what comes.

load ../support/common

setup() {
	: "${M4:=m4}"
	enter_scratch
}

# words_are_of SOURCE [OPTION]: m4 and qpuasm make of SOURCE the words of the build
# or of the distribution
words_are_of() {
	local words=$BUILD/${1%.m4}.words
	[ -e "$words" ] || words=$TOP/${1%.m4}.words
	"$M4" -s -I "$TOP" "$TOP/$1" >a.s
	run "$BUILD/qpuasm" "${@:2}" --format hex -o a.hex a.s
	[ "$status" -eq 0 ]
	! grep -v ': note: the kernel.s driver' <<<"$output" | grep -q . ||
		false
	sed 's/.*/	0x&,/' a.hex | cmp - "$words"
}

@test "m4 and qpuasm make the words in use, without a report" {
	command -v "$M4" >/dev/null || skip "no m4"
	words_are_of qpu/kernel/optimised.m4 -O
	for name in kernel/pair sha/probe sha/forms_tiles; do
		words_are_of "qpu/$name.m4" --for=drm
	done
	words_are_of qpu/sha/forms_lanes.m4
	words_are_of tests/kernel/simple.m4
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

# forms: print the forms of the kernels' instructions, one a line, as the list has them
forms() {
	local name
	for name in optimised pair; do
		"$M4" -s -I "$TOP" "$TOP/qpu/kernel/$name.m4"
	done | sed 's/#.*//' | tr ';' '\n' | awk '
	$1 == "" || $1 ~ /^[:.]/ { next }
	{
		form = $1
		sub(/\.setf/, "", form)
		sub(/\.ifn?[znc]/, ".if", form)
		if (form ~ /^brr/)
			form = "brr"
		first = form ~ /\.rot/ ? 3 : 2
		gsub(/,/, "")
		print form
		for (i = first; i <= NF; i++)
			if (match($i, /\.(16[ab]|8[abcd])$/))
				print form (i == first ? " to " : " of ") \
					substr($i, RSTART)
	}' | sort -u
}

@test "each form of instruction in the kernels stands in the list, with its evidence" {
	command -v "$M4" >/dev/null || skip "no m4"
	local form
	forms >used
	[ "$(wc -l <used)" -gt 40 ]
	# shellcheck disable=SC2016 # ticks of the table
	grep '^| `' "$TOP/qpu/kernel/README.md" >rows
	! grep -vE '^\|[^|]+\|[^|]+\| *[^ |][^|]*\|$' rows || fail "a row without evidence"
	cut -d '|' -f 2 rows | tr ',' '\n' | tr -d '\140' | sed 's/^ *//; s/ *$//
		s/ and waits//' >listed
	while read -r form; do
		grep -qxF "$form" listed || fail "$form is not in the list"
	done <used
}

# transcript FILE: its indented blocks as a script, which prints each command
# before it runs it, so that the output is the blocks again.
transcript() {
	awk '
	function flush() {
		if (command == "")
			return
		quoted = shown
		gsub(/\047/, "\047\\\047\047", quoted)
		printf "printf \047%%s\\n\047 \047%s\047\n%s\n", quoted, command
		command = shown = ""
	}
	!/^    / { flush(); next }
	{ line = substr($0, 5) }
	line ~ /^\$ / { flush(); command = substr(line, 3); shown = line; next }
	line ~ /^>/ && command != "" {
		command = command "\n" substr(line, 2)
		shown = shown "\n" line
		next
	}
	{ flush() }
	END { flush() }' "$1"
}

@test "the tutorial of the kernels: every command gives what it says" {
	local tutorial=$TOP/qpu/kernel/TUTORIAL.md tool
	command -v m4 >/dev/null || skip 'm4 is not installed'
	ln -s "$(realpath "$TOP/qpu")" qpu
	ln -s "$(realpath "$TOP/tests")" tests
	for tool in qpuasm qpurun qpu-sha256sum; do
		ln -s "$(dirname "$(realpath "$PROGRAM")")/$tool" .
	done
	transcript "$tutorial" >script
	[ "$(grep -c '^printf' script)" -gt 20 ]
	sed -n 's/^    //p' "$tutorial" >expected
	timeout "$LIMIT" bash script >out 2>&1
	diff expected out
}
