#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu-heap: cached memory of /dev/dma_heap, which CPU and QPUs see in
# different states until the program says SYNC.

load qpuemu

@test "a cached buffer, imported and synchronised, is as good as any" {
	local on
	for on in '--board=pi1 --system=bullseye' \
		'--board=pi2 --system=bookworm32' '--board=pi3 --system=trixie'; do
		# shellcheck disable=SC2086
		client $on --leaks=error heap hello.bin
		gives 0 "$RIGHT
the kernel took it back"
	done
}

@test "a SYNC or an import that is missing shows each time" {
	client --system=bullseye heap hello.bin end
	says 1 'answer 80000000, results are wrong'
	client --system=bullseye heap hello.bin start
	says 1 'answer 00000000, results are wrong'
	client --system=bullseye heap hello.bin import
	says 1 'results are wrong'
}

@test "systems have the heap or not, and it is for the group video" {
	local system
	for system in buster mainline plain; do
		run emu --system=$system ls /dev/dma_heap/linux,cma
		[ "$status" != 0 ] || fail "$system"
	done
	for system in bullseye bookworm32 trixie; do
		run emu --system=$system stat -c '%a %u %g %F' \
			/dev/dma_heap/linux,cma
		gives 0 '660 0 44 character special file'
	done
	client --system=bullseye --user=nobody heap hello.bin
	says 1 'Permission denied'
	client --system=bullseye --no-vcsm heap hello.bin
	says 1 '^/dev/dma_heap/linux,cma: No such file'
}

@test "the heap and /dev/vcsm-cma share the CMA" {
	client --system=bullseye --cma=0 heap hello.bin
	says 1 '^heap: Cannot allocate memory'
	client --system=bullseye --fault=alloc@1 heap hello.bin
	says 1 '^heap: Cannot allocate memory'
}
