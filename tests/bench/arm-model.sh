#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# arm-model: cycles a byte of the kernels for 64-bit ARM, and of OpenSSL's, by
# llvm-mca's models of three cores.  Modelled, not measured: caches, branches
# and decoding are left out, and of in-order cores the model is rough.
#
#	make bench-arm-model			in a configured build directory
#	make bench-arm-model ARM_CC=COMPILER	another compiler for aarch64
#
# OpenSSL's code comes from the libcrypto.a of Debian's libssl-dev for arm64,
# which src/packaging/sysroot fetches; without it there are only ours.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cores=(cortex-a53 cortex-a72 cortex-a76)
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT

need()
{
	command -v "$1" >/dev/null || {
		echo "bench-arm-model: $1 is needed" >&2
		exit 77
	}
}

# The instructions of one block: the outermost loop of the function, with the
# loop inside of it three times.  All of these functions are such: 16 rounds
# are straight, and the other 48 are a loop or straight as well.
block_of()	# block_of OBJECT FUNCTION
{
	llvm-objdump -d --no-show-raw-insn --mattr=+sha2 "$1" |
	awk -v name="<$2>:" '
	function span(i) { return i - target[i] }

	$2 == name { inside = 1; next }
	inside && /^[0-9a-f]+ <[^.$]/ { exit }
	inside && $1 ~ /:$/ {
		line = $0
		sub(/^[ \t]*[0-9a-f]+:[ \t]*/, "", line)
		sub(/[ \t]*(\/\/|<).*/, "", line)
		if (line ~ /^adrp?[ \t]/) {	# an address: any will do
			split(line, word, /[ \t,]+/)
			line = "mov " word[2] ", #64"
		}
		at[substr($1, 1, length($1) - 1)] = ++n
		text[n] = line
	}

	END {
		for (i = 1; i <= n; i++) {
			if (text[i] !~ /^(b\.|b[ \t]|cbn?z|tbn?z)/)
				continue
			is_branch[i] = 1
			to = text[i]
			sub(/.*0x/, "", to)
			target[i] = at[to]
			if (target[i] && target[i] <= i &&
			    span(i) > span(outer))
				outer = i
		}
		for (i = target[outer]; i < outer; i++)
			if (target[i] >= target[outer] && target[i] <= i &&
			    span(i) > span(inner))
				inner = i
		for (i = target[outer]; i <= outer; i++) {
			if (!is_branch[i])
				print text[i]
			if (i == inner && ++times < 3)
				i = target[inner] - 1
		}
	}'
}

cycles()	# cycles CORE: of one turn of what is on standard input
{
	llvm-mca -mtriple=aarch64-linux-gnu -mattr=+sha2 -mcpu="$1" \
		-iterations=12 - |
	awk '/^Total Cycles:/ { print $3 / 12 }'
}

# LANES divides: as many messages as are advanced by a turn.
row()		# row NAME LANES OBJECT FUNCTION
{
	local core block
	block=$(block_of "$3" "$4")
	printf '%-28s %6d' "$1" "$(wc -l <<<"$block")"
	for core in "${cores[@]}"; do
		cycles "$core" <<<"$block" | awk -v lanes="$2" '
			{ printf " %10.2f", $1 / 64 / lanes }
			END { if (NR == 0) printf " %10s", "-" }'
	done
	echo
}

openssl_rows()
{
	local root="$PWD/sysroot-arm64" object=libcrypto-lib-sha256-armv8.o
	local archive="$root/usr/lib/aarch64-linux-gnu/libcrypto.a" version
	if ! bash "$top/src/packaging/sysroot" arm64 "$root" >"$work/log" 2>&1 ||
		! (cd "$work" && ar x "$archive" "$object"); then
		echo 'OpenSSL: not modelled, no libssl-dev for arm64'
		return
	fi
	version=$(sed -n 's/^Version: //p' \
		"${archive%/*}/pkgconfig/libcrypto.pc")
	row "OpenSSL $version SHA-2" 1 "$work/$object" sha256_block_armv8
	row "OpenSSL $version NEON" 1 "$work/$object" sha256_block_neon
	row "OpenSSL $version scalar" 1 "$work/$object" sha256_block_data_order
}

: "${ARM_CC:=aarch64-linux-gnu-gcc}"
need llvm-mca
need llvm-objdump
need "${ARM_CC%% *}"
for file in streams_arm lanes; do
	$ARM_CC -std=gnu11 -O2 -I"$PWD" -I"$top" -c "$top/cpu/$file.c" \
		-o "$work/$file.o" || exit
done

printf 'Cycles a byte, modelled by %s; kernels by %s\n' \
	"$(llvm-mca --version | sed -n 's/.*\(LLVM version .*\)/\1/p')" \
	"$($ARM_CC --version | head -n 1)"
printf '%-28s %6s %10s %10s %10s\n' '' 'instr.' "${cores[@]}"
row sha2-x1 1 "$work/streams_arm.o" sha256_sha2_x1
row sha2-x2 2 "$work/streams_arm.o" sha256_sha2_x2
row neon-x4 4 "$work/lanes.o" sha256_neon_x4
row 'neon-x4, three messages' 3 "$work/lanes.o" sha256_neon_x4
openssl_rows
