#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
#
# memory: what the CPU and the QPUs share, from each source, until there is none
# left; and what stays in it.

load pi

@test "memory of the GPU, vcsm-cma without /dev/mem, and little memory will do" {
	local options
	for options in '--board=pi1 --no-vcsm' '--board=pi3 --no-vcsm' \
		'--board=pi1 --no-mem' '--board=pi3 --no-mem' \
		--memory=17 '--memory=17 --no-vcsm'; do
		hashes "$options"
	done
}

@test "statistics name the memory, and what it costs" {
	local memory
	while IFS='|' read -r options memory; do
		on_pi "$options" --device=qpu --stats file* >out 2>err
		same right out
		grep -qE "stats: writing to memory \($memory\), measured: [0-9]+ MB/s\$" \
			err || fail "$options: $(cat err)"
		grep -qE 'stats: reading from it, measured: [0-9]+ MB/s$' err
		[ "$(grep -cE 'stats: copying files to it, measured: [0-9]+ MB/s$' err)" = \
			"$(grep -c 'writing to memory (/dev/mem' err)" ]
	done <<-'END'
	--system=bullseye|/dev/dma_heap/linux,cma, cached
	--system=trixie --heap-name=default_cma_region|/dev/dma_heap/default_cma_region, cached
	--system=trixie --heap-name=reserved|/dev/dma_heap/reserved, cached
	--system=buster|/dev/vcsm-cma, not cached
	--no-vcsm|/dev/mem, not cached
	END
}

@test "cached memory is used on all boards, and where CMA has holes" {
	local options
	for options in --board=pi1 '--cma=8 --no-mem --evictions' \
		'--cma=32 --cma-hole=4'; do
		hashes "$options --system=bullseye"
	done
}

@test "cached memory has no hazards, and failures with it are made up for" {
	hashes '--system=bookworm64 --board=pi3 --check --seed=3'
	! has_registers ||
		hashes '--system=bullseye' --device=qpu:registers
	heals '--system=bullseye --fault=stuck@1' 'did not'
	survives '--system=bullseye --no-mem --fault=stuck@6' 'did not'
	survives '--system=bullseye --fault=lane@6' 'wrong'
	refuses '--system=bullseye --fault=alloc@1' 'vcsm-cma has no 4 KiB'
}

@test "memory that runs out is made up for by the CPU" {
	local n
	for n in 2 4 7; do
		survives "--fault=alloc@$n" ' KiB\|no memory'
		survives "--no-vcsm --fault=alloc@$((n + 1))" ' KiB\|no memory'
	done
}

# --- Where others have had it before -----------------------------------------

# cma_used "QPUEMU'S OPTIONS": by a program that is using the QPUs, in kB
cma_used()
{
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --no-kms --leaks=error $1 \
		bash -c "$first"'
		sed -n "s/^Cma.*: *//p" /proc/meminfo
		exec 3>&-
		wait' "$PROGRAM" | { read -r all _; read -r free _
			echo $((all - free)); }
	rm -f in lines
}

@test "holes of 4 MiB are as good as one that has it all" {
	needs_shell
	local system all
	for system in buster bullseye; do
		hashes "--system=$system --cma=32 --cma-hole=4"
		all=$(cma_used "--system=$system")
		[ "$(cma_used "--system=$system --cma=32 --cma-hole=4")" = \
			"$all" ]
		[ $system = buster ] || continue
		hashes "--system=$system --cma=32 --cma-hole=3"
		[ "$(cma_used "--system=$system --cma=32 --cma-hole=3")" -lt \
			"$all" ]
	done
}

@test "a CMA that others have taken but for a rest will do" {
	local system mib
	for system in buster bullseye; do
		for mib in 8 1; do
			hashes "--system=$system --cma=$mib --late-free=3"
		done
		refuses "--system=$system --cma=0" 'vcsm-cma has no 4 KiB'
	done
}

# --- What is left in it --------------------------------------------------------

# left_behind "QPUEMU'S OPTIONS" COMMAND...: files of the board that have a word
# of the message after `bash -c COMMAND`, in which $0 is the program
left_behind()
{
	yes SecretWord | head -c 100000 >secret
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --no-kms --leaks=ignore $1 bash -c "
		$2"'
		cd "$QPUEMU_DIR"
		ls memory buffer.* cache.* >>"$OLDPWD/searched"
		grep -l SecretWord memory buffer.* cache.* 2>/dev/null
		true' "$PROGRAM" 2>err
}

@test "what goes back holds nothing of the messages" {
	needs_shell
	local memory
	# tests/ways/test-buffers.c has each kind of memory.
	for memory in --no-vcsm --system=bullseye; do
		[ "$(left_behind $memory '"$0" --device=qpu secret file*')" = \
			"$(oracle secret file*)" ] || fail "$memory"
	done
	[ "$(left_behind '--system=bullseye --no-mem --fault=lane@6' \
		'"$0" --device=qpu secret >/dev/null')" = '' ]
	grep -q buffer.2 searched
	grep -q cache.2 searched
}

@test "the search finds what a killed program has left" {
	needs_shell
	local memory
	for memory in --no-vcsm --system=bullseye; do
		[ -n "$(left_behind $memory '
			mkfifo in lines
			"$0" --device=qpu secret - <in >lines &
			exec 3>in 4<lines
			read -r line <&4
			kill -KILL $!
			wait $! 2>/dev/null
			rm in lines')" ] || fail "$memory"
	done
}
