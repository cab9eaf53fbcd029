#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# arrows: who may use whom.  A folder of code is a room; an #include, or a
# function that one room declares and another one uses, is an arrow.

load support/common

# A rule: rooms; the rooms that they may use beside themselves; an arrow that
# the rule forbids, with which it is tested.
rules=(
	'src/base'
	''
	'src/base/text.c src/output/report.h'

	'cpu'
	'src/base'
	'cpu/engine_cpu.c src/lanes/job.h'

	# The interface of libqpu; all messages of the toolchain have its shape.
	'qpu'
	'src/base'
	'qpu/qpu.h qpu/isa/isa.h'

	# The toolchain: everything stands on isa, and knows no neighbour.
	'qpu/isa'
	'src/base'
	'qpu/isa/pack.c qpu/asm/asm.h'

	'qpu/(asm|validate)'
	'src/base qpu qpu/isa'
	'qpu/asm/asm.c qpu/emulator/emulator.h'

	# It asks the validator whether what it makes is as good as before.
	'qpu/opt'
	'src/base qpu/isa qpu/validate'
	'qpu/opt/opt.c qpu/asm/asm.h'

	'qpu/emulator/base'
	'src/base qpu/isa'
	'qpu/emulator/base/memory.c qpu/emulator/machine.h'

	'qpu/emulator'
	'src/base qpu qpu/abi qpu/isa qpu/emulator/base'
	'qpu/emulator/decode.c qpu/asm/asm.h'

	'qpu/debugger'
	'src/base qpu qpu/isa qpu/emulator'
	'qpu/debugger/stop.c qpu/pi/gpu.h'

	# The face of the toolchain; programs for QPU programs see no more of it.
	'qpu/api'
	'src/base qpu qpu/isa qpu/asm qpu/opt qpu/validate qpu/emulator qpu/emulator/base'
	'qpu/api/machine.c qpu/debugger/session.h'

	# The numbers of kernel, firmware and V3D; the kernels.  They include nothing.
	'qpu/(abi|kernel)'
	'src/base'
	'qpu/kernel/code.c qpu/abi/mailbox.h'

	# The ways to QPUs: they know kernel and firmware, and no model of them.
	'qpu/ways'
	'src/base qpu/abi qpu/isa'
	'qpu/ways/vcio.c qpu/pi/gpu.h'

	# The model of a Raspberry Pi, and devices on it.
	'qpu/pi'
	'src/base qpu/abi qpu/isa qpu/validate qpu/emulator qpu/emulator/base qpu/debugger qpu/ways'
	'qpu/pi/gpu.c qpu/virtual/mmio/trap.h'

	# The engine has the reference for its known answers.
	'qpu/sha'
	'src/base cpu qpu/abi qpu/ways qpu/pi qpu/kernel'
	'qpu/sha/lanes_launch.c qpu/isa/pack.h'

	# The questions of make check-hardware go to a device.
	'qpu/check'
	'src/base qpu/abi qpu/asm qpu/ways qpu/pi qpu/sha'
	'qpu/check/rig.c qpu/isa/pack.h'

	# The virtual board is found by system calls, not by includes.
	'qpu/virtual/mmio'
	'src/base'
	'qpu/virtual/mmio/trap.c qpu/pi/gpu.h'

	'qpu/virtual/preload'
	'qpu/abi qpu/pi qpu/virtual/mmio'
	'qpu/virtual/preload/node.c qpu/emulator/emulator.h'

	# The program: workers do not speak, and inputs know no lanes.
	'src/lanes'
	'src/base cpu'
	'src/lanes/lane.c src/feed/device_lane.h'

	'src/feed'
	'src/base cpu src/lanes'
	'src/feed/dispatch.c src/output/report.h'

	'src/pipeline'
	'src/base cpu src/lanes src/feed qpu/abi qpu/ways qpu/sha'
	'src/pipeline/pipeline.c src/output/report.h'

	'src/output'
	'src/base src/lanes'
	'src/output/report.c src/options.h'

	'src/inputs'
	'src/base cpu src/lanes src/output'
	'src/inputs/tree.c src/bench/rates.h'

	'src/bench'
	'src/base cpu src/pipeline src/output'
	'src/bench/listing.c src/inputs/names.h'

	'src'
	'src/base cpu src/lanes src/pipeline src/inputs src/output src/bench'
	'src/main.c qpu/sha/engine_qpu.h'

	'src/tools'
	'src/base qpu'
	'src/tools/arguments.c qpu/isa/rules.h'

	'src/tools/qpuasm'
	'src/base src/tools qpu'
	'src/tools/qpuasm/main.c qpu/isa/disasm.h'

	'src/tools/qpudis'
	'src/base src/tools qpu qpu/isa'
	'src/tools/qpudis/main.c qpu/asm/asm.h'

	# These two have the debugger, which looks into the machine.
	'src/tools/(qpurun|qpuemu)'
	'src/base src/tools qpu/(isa|emulator|debugger|pi) qpu/emulator/base'
	'src/tools/qpurun/main.c src/output/report.h'
)

# Headers that only some files may include, and one that may not.
few=(
	'openssl/[a-z]+\.h'
	'cpu/libcrypto\.[ch]'
	'src/lanes/message.c openssl/sha.h'

	# Who hashes whole messages uses the public header; lanes need states
	# between blocks, and the benchmark each kernel for itself.
	'cpu/sha256\.h'
	'cpu/.*|src/(lanes|feed|bench)/.*|qpu/sha/(known|sample|tiles_memory)\.c'
	'src/inputs/name_set.c cpu/sha256.h'

	'cpu/(engine|kernel|features|slots|lanes).*\.h'
	'cpu/.*|src/bench/.*|src/pipeline/engines\.c'
	'src/lanes/lane.c cpu/kernels.h'

	'cpu/.*\.h'
	'(cpu|src)/.*|qpu/sha/(known|sample|tiles_memory)\.c'
	'qpu/sha/lanes_launch.c cpu/sha256many.h'

	'argp\.h'
	'src/tools/[a-z/]+\.c'
	'src/main.c argp.h'

	'qpu/api/handle\.h'
	'qpu/api/.*'
	'src/tools/qpuasm/main.c qpu/api/handle.h'

	'qpu/abi/mailbox\.h'
	'qpu/(ways|pi|virtual|check)/.*'
	'qpu/sha/engine_qpu.c qpu/abi/mailbox.h'
)

# includes DIRECTORY: "includer included" for every #include of the code
includes()
{
	(cd "$1" && grep -rnE '^[ 	]*#[ 	]*include[ 	]*["<]' \
		--include='*.[chS]' --include='*.def' src cpu qpu \
		2>/dev/null) |
		sed -E 's/^([^:]*):[0-9]*:[^"<]*["<]([^">]*)[">].*/\1 \2/'
}

# between_rooms <INCLUDES: "room room includer included", none within a room
between_rooms()
{
	grep -E '^[^ ]+ (src|cpu|qpu|tests)/' |
		sed -E 's|^((.*)/[^/ ]+) ((.*)/[^/ ]+)$|\2 \4 \1 \3|' |
		awk '$1 != $2'
}

# forbidden <INCLUDES: those that no rule allows
forbidden()
{
	local all i rooms
	all=$(cat)
	for ((i = 0; i < ${#few[@]}; i += 3)); do
		grep -E "^[^ ]+ ${few[i]}\$" <<<"$all" |
			grep -vE "^(${few[i + 1]}) " || :
	done
	grep '\.c$' <<<"$all" || :
	all=$(between_rooms <<<"$all")
	for ((i = 0; i < ${#rules[@]}; i += 3)); do
		rooms=${rules[i + 1]// /|}
		grep -E "^${rules[i]} " <<<"$all" |
			grep -vE "^[^ ]+ (${rooms:-none}) " || :
	done | cut -d ' ' -f 3,4
}

# rooms_of_code: every folder with code in it
rooms_of_code()
{
	(cd "$TOP" && find src cpu qpu -name '*.[chS]') |
		sed 's|/[^/]*$||' | sort -u
}

@test "no #include goes against the rules" {
	includes "$TOP" >found
	[ "$(between_rooms <found | wc -l)" -gt 100 ]
	forbidden <found >bad
	[ ! -s bad ] || fail "$(sed 's/ / must not include /' bad)"
}

@test "every rule catches the arrow that it forbids" {
	local i
	for ((i = 2; i < ${#rules[@]}; i += 3)); do
		printf '%s\n' "${rules[i]}"
	done >arrows
	for ((i = 2; i < ${#few[@]}; i += 3)); do
		printf '%s\n' "${few[i]}"
	done >>arrows
	echo 'cpu/sha256.c cpu/engine_cpu.c' >>arrows
	forbidden <arrows >caught
	grep -vxFf caught arrows >missed || return 0
	fail "not caught: $(cat missed)"
}

@test "an #include is found however it is spelled" {
	mkdir -p src/base cpu
	printf '#include "src/output/report.h"\n' >cpu/a.c
	printf '#  include <src/output/output.h>\t/* why */\n' >cpu/b.h
	printf '\t#include "src/output/report.h"\n' >cpu/c.S
	[ "$(includes . | forbidden | wc -l)" = 3 ]
}

@test "every room has one rule, and rules name only what exists" {
	local i rooms file
	rooms_of_code >rooms
	for ((i = 0; i < ${#rules[@]}; i += 3)); do
		grep -xE "${rules[i]}" rooms
	done | sort >ruled
	same rooms ruled
	for ((i = 0; i < ${#rules[@]}; i += 3)); do
		for rooms in ${rules[i]} ${rules[i + 1]}; do
			grep -qxE "$rooms" rooms || fail "no room: $rooms"
		done
		for file in ${rules[i + 2]}; do
			[ -e "$TOP/$file" ] || fail "no file: $file"
		done
	done
	for ((i = 2; i < ${#few[@]}; i += 3)); do
		[ -e "$TOP/${few[i]% *}" ] || fail "no file: ${few[i]}"
	done
}

@test "there is no circle of rooms" {
	includes "$TOP" | between_rooms | cut -d ' ' -f 1,2 | sort -u >arrows
	tsort arrows >sorted 2>loops || fail "$(cat loops)"
	[ ! -s loops ]
}

@test "there is no circle of files in the driver, in its model and in make check-hardware" {
	local room
	for room in qpu/ways qpu/pi qpu/check; do
		includes "$TOP" | sed -nE \
			"s|^$room/([^.]*)\.[ch] $room/([^.]*)\.h$|\1 \2|p" |
			awk '$1 != $2' | sort -u >arrows
		[ -s arrows ]
		tsort arrows >sorted 2>loops || fail "$room: $(cat loops)"
	done
}

@test "what a room declares it also defines" {
	command -v nm >/dev/null || skip "no nm"
	[ -e "$BUILD/src/main.o" ] || skip "nothing is built here"
	# "symbol room" for each global function of an object.
	(cd "$BUILD" && find src cpu qpu -name '*.o' -exec nm -A {} + \
		2>/dev/null) |
		sed -nE 's|^(.*)/[^/]*:[^ ]* T ([a-zA-Z0-9_]+)$|\2 \1|p' |
		sort -u >defined
	[ "$(wc -l <defined)" -gt 100 ]
	# "symbol room" for each name before a parenthesis in a header.  What
	# libqpu shows to users is defined in qpu/api.
	(cd "$TOP" && grep -rnoE '^[a-z].*' --include='*.h' src cpu qpu) |
		sed 's|^qpu/qpu\.h|qpu/api/qpu.h|' |
		sed -nE 's|^(.*)/[^/:]*\.h:[0-9]*:([a-z].*[ *])?([a-z0-9_]+)\(.*|\3 \1|p' |
		sort -u >declared
	join declared defined | awk '
		{ seen[$1 " " $2]; if ($2 == $3) right[$1 " " $2] }
		END { for (s in seen) if (!(s in right)) print s }' >bad
	[ ! -s bad ] || fail "declared in a room, defined elsewhere: $(cat bad)"
}

@test "each source includes config.h first and its own header second" {
	(cd "$TOP" && find src cpu qpu -name '*.h' -printf 'header %p\n' &&
		find src cpu qpu -name '*.c' \
			-exec grep -Hm 2 '^#include' {} +) | awk '
		/^header / { header[$2]; next }
		{
			file = $0
			sub(/:.*/, "", file)
			own = file
			sub(/c$/, "h", own)
			line = substr($0, length(file) + 2)
			if (++n[file] == 1 && line != "#include \"config.h\"")
				print file ": config.h is not first"
			if (n[file] == 1 && own in header)
				missing[file] = own
			if (n[file] == 2 && line == "#include \"" own "\"")
				delete missing[file]
		}
		END {
			for (file in n)
				sources++
			if (sources < 100)
				print "no sources"
			for (file in missing)
				print file ": " missing[file] " is not second"
		}' >bad
	[ ! -s bad ] || fail "$(cat bad)"
}

@test "no folder of code has more than 45 files" {
	(cd "$TOP" && find src cpu qpu tests -name '*.[chS]') |
		sed 's|/[^/]*$||' | sort | uniq -c | awk '$1 > 45' >full
	[ ! -s full ] || fail "$(cat full)"
}

# Words that leave a reader to guess what they refer to, and unusual ones.
@test "comments are in plain English" {
	(cd "$TOP" && grep -rnEw '[Ss]o many|[Ww]hoever|[Hh]ad better|as (it|he) likes|for ever goes' \
		src cpu qpu tests \
		--include='*.[chS]' --include='*.def' --include='*.m4' \
		--include='*.mk' --include='*.sh' --include='*.bash' \
		--include='*.bats' --include='*.py') |
		grep -v '^tests/arrows\.bats:' >bad || return 0
	fail "$(cat bad)"
}

# continuations FILE...: names of tests that only go on from the one before;
# "and r0, ..." is an instruction
continuations()
{
	awk '
	FNR == 1 { before = "" }
	{ name = "\"(and|but|nor|or|until|which|then)[ ,\"]" }
	($0 ~ "^@test " name || $0 ~ "^[ \t]*(ok|is)\\(.*, " name ||
	 ($0 ~ "^[ \t]*" name && before !~ /"$/)) && !/"(and|or) r[0-9ab]/ {
		print FILENAME ":" FNR ": " $0
	}
	{ before = $0 }' "$@"
}

@test "no name of a test begins with and, but, nor, or, until, which, then" {
	printf '%s\n' '	ok(a, "and so on");' '	ok(a,' '	   "nor b");' \
		'	is(a, b, "a and b");' '	puts("a"' '	     "and b");' \
		'@test "then it ends" {' '	{ "and r0, ra25", 1 },' >names
	[ "$(continuations names | wc -l)" = 3 ]
	find "$TOP/tests" \( -name '*.c' -o -name '*.bats' \) >files
	mapfile -t files <files
	[ ${#files[@]} -gt 100 ]
	continuations "${files[@]}" >bad
	[ ! -s bad ] || fail "$(cat bad)"
}
