#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu-heap: cached memory of /dev/dma_heap, which CPU and QPUs see in
# different states until the program says SYNC.

load qpuemu

@test "a cached buffer, imported and synchronised, is as good as any" {
	local on
	for on in '--board=pi1 --system=bullseye --no-kms' \
		'--board=pi2 --system=bookworm32 --no-kms' '--board=pi3 --system=trixie --no-kms'; do
		# shellcheck disable=SC2086
		client $on --leaks=error heap hello.bin
		gives 0 "$RIGHT
the kernel took it back"
	done
}

@test "a SYNC or an import that is missing shows each time" {
	client --system=bullseye --no-kms heap hello.bin end
	says 1 'answer 80000000, results are wrong'
	client --system=bullseye --no-kms heap hello.bin start
	says 1 'answer 00000000, results are wrong'
	client --system=bullseye --no-kms heap hello.bin import
	says 1 'results are wrong'
}

@test "systems have the heap or not, and it is for the group video" {
	local system
	for system in buster mainline plain; do
		run emu --system=$system --no-kms ls /dev/dma_heap/linux,cma
		[ "$status" != 0 ] || fail "$system"
	done
	for system in bullseye bookworm32 trixie; do
		run emu --system=$system --no-kms stat -c '%a %u %g %F' \
			/dev/dma_heap/linux,cma
		gives 0 '660 0 44 character special file'
	done
	client --system=bullseye --no-kms --user=nobody heap hello.bin
	says 1 'Permission denied'
	client --system=bullseye --no-kms --no-vcsm heap hello.bin
	says 1 '^/dev/dma_heap/linux,cma: No such file'
}

@test "the heap and /dev/vcsm-cma share the CMA" {
	client --system=bullseye --no-kms --cma=0 heap hello.bin
	says 1 '^heap: Cannot allocate memory'
	client --system=bullseye --no-kms --fault=alloc@1 heap hello.bin
	says 1 '^heap: Cannot allocate memory'
}
