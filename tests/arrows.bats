#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# arrows: every #include is an arrow of the architecture, and these are the
# arrows there may be.

load common

top=$BATS_TEST_DIRNAME/..

# A row: a pattern of headers; a pattern of the only files that may include
# them; an arrow that the row forbids, with which it is tested.
rows=(
	# The folders: cpu/ and qpu/ are libraries, src/ uses them.
	'src/diag\.h'
	'(src|cpu|qpu|tests)/.*'
	'man/x.c src/diag.h'

	'src/(.*/)?[^/]*\.h'
	'(src|tests)/.*|(cpu|qpu)/.* src/diag\.h'
	'cpu/engine_cpu.c src/report.h'

	'cpu/.*'
	'(cpu|src|tests)/.*|qpu/.* cpu/(batch|engine)\.h|qpu/launch\.c cpu/sha256\.h'
	'qpu/engine_qpu.c cpu/sha256.h'

	'qpu/.*'
	'(qpu|src|tests)/.*'
	'cpu/engine_cpu.c qpu/isa.h'

	'tests/.*'
	'tests/.*'
	'src/reader.c tests/tap.h'

	'.*\.c'
	'nobody'
	'cpu/sha256.c cpu/engine_cpu.c'

	# Lanes and blocks are of no concern to words and messages.
	'cpu/(batch|engine)\.h'
	'(cpu|tests)/.*|qpu/(engine_qpu|launch)\.[ch]|src/(stats|engines|pipeline|worker|stepper|lane|reader|readahead|job|verify|listing|bench|benchmark|checklist|digest_line)\.[ch]'
	'src/report.c cpu/batch.h'

	'cpu/engine_[a-z]*\.h'
	'cpu/.*|tests/.*|src/engines\.c'
	'src/pipeline.c cpu/engine_reference.h'

	'cpu/(kernels|features|lanes_[a-z0-9]*|streams_[a-z0-9]*)\.h'
	'(cpu|tests)/.*|src/bench\.c'
	'src/worker.c cpu/kernels.h'

	'openssl/.*'
	'cpu/libcrypto\.[ch]|tests/.*'
	'src/verify.c openssl/sha.h'

	# Who speaks to people, and who reads the command line.
	'src/(report|output)\.h'
	'src/(main|report|output|options|own_options|check|sum|names|tree|listing|distrust|help|bench|benchmark|stats|ticker)\.[ch]|src/qpu[a-z]*\.c|tests/.*'
	'src/reader.c src/report.h'

	# How directories are walked is known to one source of names.
	'src/directory\.h'
	'src/(directory|tree)\.[ch]|tests/.*'
	'src/names.c src/directory.h'

	'src/tree\.h'
	'src/(tree|sum)\.[ch]|tests/.*'
	'src/check.c src/tree.h'

	'src/options\.h'
	'src/(main|options|own_options|help|check|sum|ticker)\.[ch]|tests/.*'
	'src/pipeline.c src/options.h'

	'src/status_line\.h'
	'src/(status_line|report|output|ticker)\.[ch]|tests/.*'
	'src/worker.c src/status_line.h'

	# Workers count; what the counts look like is no concern of theirs, nor
	# of those who only print results.
	'src/progress\.h'
	'src/(progress|worker|ticker)\.[ch]|tests/.*'
	'src/sum.c src/progress.h'

	'src/json(_line)?\.h'
	'src/(json|json_line|sum|check|bench)\.[ch]|tests/.*'
	'src/worker.c src/json.h'

	'argp\.h|getopt\.h'
	'src/(options|help)[a-z_]*\.[ch]|src/qpu[a-z]*\.c'
	'src/main.c argp.h'

	# The QPU's tools: isa <- pack <- everything else.
	'qpu/isa\.(h|def)'
	'qpu/(isa|pack|disasm|validate|asm|emu|rule)[a-z_]*\.[ch]|src/qpu[a-z]*\.c|tests/.*'
	'qpu/mailbox.c qpu/isa.h'

	'qpu/pack\.h'
	'qpu/(pack|disasm|validate|asm|emu|rule)[a-z_]*\.[ch]|src/qpu[a-z]*\.c|tests/.*'
	'qpu/isa.c qpu/pack.h'

	'qpu/asm[a-z_]*\.h'
	'qpu/(asm|assembly)[a-z_]*\.[ch]|src/qpu[a-z]*\.c|tests/.*'
	'qpu/emu_machine.c qpu/asm.h'

	'qpu/(emu_[a-z_]*|emulator)\.h'
	'qpu/(emu|device_emu)[a-z_]*\.[ch]|qpu/virtual/(gpu|state)\.[ch]|src/qpu[a-z_]*\.c|tests/.*'
	'qpu/asm.c qpu/emulator.h'

	'qpu/device\.h'
	'qpu/(device[a-z_]*|engine_qpu|launch)\.[ch]|src/qpu[a-z]*\.c|tests/.*'
	'qpu/emulator.c qpu/device.h'

	'qpu/device_(emu|vcio)\.h'
	'qpu/(device_emu|device_vcio|engine_qpu)\.c|tests/.*'
	'qpu/launch.c qpu/device_vcio.h'

	'qpu/device_vcio_[a-z]*\.h'
	'qpu/device_vcio[a-z_]*\.[ch]|tests/.*'
	'qpu/engine_qpu.c qpu/device_vcio_hold.h'

	'qpu/(mailbox|board|soc|vcsm)\.h'
	'qpu/(mailbox|board|soc|device_vcio|virtual)[a-z_/]*\.[ch]|src/qpuemu[a-z_]*\.c|tests/.*'
	'qpu/emulator.c qpu/mailbox.h'

	# The virtual board is found by system calls, not by includes.
	'qpu/virtual/.*'
	'qpu/virtual/.*|src/qpuemu[a-z_]*\.[ch]|tests/.*'
	'qpu/device_vcio.c qpu/virtual/gpu.h'

	# Only trap looks into its own pieces; segv has other friends.
	'qpu/virtual/(range|step|x86)\.h'
	'qpu/virtual/(range|step|trap|x86)[a-z0-9_]*\.[ch]|tests/.*'
	'qpu/virtual/segv.c qpu/virtual/step.h'

	'qpu/(kernel|kernels|sha256)[a-z0-9_/]*\.h'
	'qpu/(engine_qpu|launch|kernel[a-z0-9_]*|sha256[a-z0-9_]*)\.[ch]|tests/.*'
	'qpu/emulator.c qpu/kernel_abi.h'
)

# arrows DIRECTORY: "includer included" for every #include below it
arrows()
{
	(cd "$1" && grep -rnE '^[ 	]*#[ 	]*include[ 	]*["<]' \
		--include='*.[chS]' --include='*.def' src cpu qpu tests \
		2>/dev/null) |
		sed -E 's/^([^:]*):[0-9]*:[^"<]*["<]([^">]*)[">].*/\1 \2/'
}

# forbidden <ARROWS: those that some row forbids
forbidden()
{
	local all i allowed
	all=$(cat)
	for ((i = 0; i < ${#rows[@]}; i += 3)); do
		allowed=${rows[i + 1]}
		grep -E "^[^ ]* (${rows[i]})\$" <<<"$all" |
			grep -vE "^((${allowed}) [^ ]*|${allowed})\$"
	done | sed 's/ / must not include /'
}

@test "no #include goes against the arrows" {
	arrows "$top" >found
	[ "$(wc -l <found)" -gt 20 ]
	forbidden <found >bad
	[ ! -s bad ] || fail "$(cat bad)"
}

@test "every row of the table catches its forbidden arrow" {
	local i rest
	for ((i = 0; i < ${#rows[@]}; i += 3)); do
		rest=$(printf '%s\n' "${rows[i + 2]}" | forbidden)
		[ -n "$rest" ] || fail "not caught: ${rows[i + 2]}"
	done
}

@test "an arrow is found however it is spelled" {
	mkdir -p src cpu
	printf '#include "src/report.h"\n' >cpu/a.c
	printf '#  include <src/output.h>\t/* why */\n' >cpu/b.h
	printf '\t#include "src/report.h"\n' >cpu/c.S
	[ "$(arrows . | forbidden | sort -u -k1,1 | wc -l)" = 3 ]
}

@test "each source includes config.h first and its own header second" {
	local source first second own
	for source in "$top"/{src,cpu,qpu,qpu/virtual}/*.c; do
		[ -e "$source" ] || continue
		first=$(grep -m 1 '^#include' "$source")
		second=$(grep '^#include' "$source" | sed -n 2p)
		own=${source#"$top/"}
		own=${own%.c}.h
		[ "$first" = '#include "config.h"' ] ||
			fail "$source: config.h is not first"
		[ ! -e "$top/$own" ] || [ "$second" = "#include \"$own\"" ] ||
			fail "$source: $own is not second"
	done
}

setup()
{
	enter_scratch
}
