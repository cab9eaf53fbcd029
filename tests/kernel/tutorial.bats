#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# tutorial: what stands in qpu/kernel/TUTORIAL.md is what comes.

load ../support/common

# transcript FILE: its indented blocks as a script, which prints each command
# before it runs it, so that the output is the blocks again.
transcript()
{
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

setup()
{
	enter_scratch
}
