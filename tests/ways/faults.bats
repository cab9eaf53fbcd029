#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# faults: a launch fails, or a device; the QPUs are restarted, or the CPU does
# the work.

load pi

@test "a first launch that fails is tried again after a restart" {
	local memory
	for memory in '' --no-vcsm --no-mem; do
		heals "$memory --fault=refuse@1" 'did not start'
		heals "$memory --fault=stuck@1" 'did not'
	done
}

@test "after a wrong answer in the self-test launches are by registers, or there are none" {
	local memory
	for memory in '' --no-vcsm; do
		! has_registers || heals "$memory --fault=lane@1-1" wrong
		survives "$memory --fault=lane@1-1" wrong \
			--device=qpu:mailbox
	done
	survives '--no-mem --fault=lane@1-1' wrong
}

@test "a firmware that does not clear the caches is found when the QPUs are opened" {
	local kind
	for kind in caches slices l2; do
		survives "--no-mem --fault=$kind@1" \
			'caches of the QPUs were not cleared'
		# By registers they are cleared before launches by mailbox.
		! has_registers || hashes "--fault=$kind@1"
	done
}

@test "semaphores, QPUs and VPM as a killed program left them" {
	local memory
	for memory in '' --no-vcsm --no-mem; do
		hashes "$memory --dirty=some" --device=qpu:mailbox
	done
	has_registers || return 0
	for memory in '' --no-vcsm; do
		hashes "$memory --dirty=some" --device=qpu:registers
		hashes "$memory --dirty=all" --device=qpu:registers
	done
}

@test "a board on which nothing runs any more is switched off and on" {
	local options found=0
	for options in --dirty=all '--dirty=all --no-vcsm' \
		'--dirty=all --no-mem --enable-answers=single'; do
		[[ $options == *single ]] || has_registers || continue
		on_pi "$options" --device=qpu --verify file* >out 2>err
		same right out
		no_line_but '^qpuemu: deadlock|failed its self-test' err
		[ "$(grep -vc ' failed its self-test (.*did not' err)" = 1 ]
		found=$((found + 1))
	done
	[ $found -ge 1 ]
	# Who cannot see that it is off leaves it on for others who count.
	survives '--no-mem --dirty=all' 'did not'
}

@test "a board whose power stays: QPUs that are idle go on, and a domain resets those that hang" {
	local memory
	for memory in --no-vcsm --no-mem; do
		heals "$memory --enable-answers=stays --fault=refuse@1" \
			'did not'
		heals "$memory --enable-answers=forever --fault=refuse@1" \
			'did not'
	done
	has_registers || return 0
	heals "--enable-answers=stays --fault=stuck@1" 'did not'
	hashes "--enable-answers=stays --fault=stuck@6"
	# What cannot be stopped keeps its memory.
	on_pi '--enable-answers=forever --fault=stuck@6 --leaks=report' \
		--device=qpu --verify file* >out 2>err
	same right out
	grep -q ' qpu failed (.*did not.*on the CPU$' err
	no_line_but '^sha256sum: |^qpuemu: (GPU memory was not|a process that)' err
}

@test "a program that was killed has left one on the QPUs: it is stopped, or nothing is started" {
	has_registers || skip "registers cannot be emulated on this machine"
	local memory
	for memory in '' --no-vcsm; do
		hashes "$memory --dirty=runs"
		hashes "$memory --dirty=runs --enable-answers=stays"
		refuses "$memory --dirty=runs --enable-answers=forever" \
			'QPUs still run programs.*reboot$'
	done
}

@test "a launch that ends after its timeout does not end the next one" {
	local memory
	for memory in '' --no-vcsm; do
		heals "$memory --fault=late@1" 'did not'
		has_registers || continue
		heals "$memory --fault=late@1 --enable-answers=stays" 'did not'
		heals "$memory --fault=late@1 --enable-answers=stays" \
			'did not' --device=qpu:mailbox,counters
	done
	# Without registers the next launch seems to end at once: it is found out.
	survives '--no-mem --fault=late@1 --enable-answers=stays' ''
}

@test "memory to which QPUs may still write is kept until the board ends, or they are seen idle" {
	needs_shell
	local system
	for system in buster bullseye; do
		survives "--system=$system --no-mem --dirty=all" \
			'after a restart: .*a process keeps their memory'
		grep -q '^qpuemu: a process that keeps memory' err
		survives "--system=$system --no-mem --fault=stuck@6" \
			'a process keeps their memory until the next boot'
		has_registers || continue
		survives "--system=$system --enable-answers=forever --fault=stuck@6" \
			'cannot be stopped: reboot; .*a process keeps their memory'
		grep -q '^qpuemu: a process that keeps memory' err
		hashes "--system=$system --enable-answers=stays --fault=stuck@6"
	done
	# The one that keeps memory holds no lock: another program may try.
	timeout --foreground "$LIMIT" "$QPUEMU" --no-kms --system=buster --no-mem \
		--dirty=all --leaks=error bash -c '
		"$0" --device=qpu file1; "$0" --device=qpu file1' \
		"$PROGRAM" >out 2>err
	[ "$(grep -c "$(oracle file1)" out)" = 2 ]
	[ "$(grep -c '^qpuemu: a process that keeps memory' err)" = 2 ]
	# A signal in the middle of a launch that hangs.
	at_request 30 TERM '--system=buster --no-mem --dirty=all --leaks=error' '' ||
		true
	no_line_but '^qpuemu: (deadlock|a process that keeps)' board
}

@test "a clock that the kernel has turned down or off is full while the QPUs are used" {
	local state
	for state in low off; do
		hashes "--clock-state=$state"
	done
	on_pi '--board=pi3 --system=trixie' --device=qpu --stats file1 >out 2>err
	grep -q ' 400 MHz' err || fail "$(cat err)"
}

@test "a launch by mailbox that fails is tried again by registers" {
	local memory
	has_registers || skip "registers cannot be emulated on this machine"
	for memory in '' --no-vcsm; do
		hashes "$memory --fault=refuse@6"
		hashes "$memory --fault=stuck@6"
		survives "$memory --fault=stuck@6" 'did not' \
			--device=qpu:mailbox
	done
	[ "$(restarts --fault=stuck@6)" = 1 ]
	[ "$(restarts '')" = 0 ]
	# A test of five launches, and all work.
	[ "$(launches --fault=stuck@6 qpu)" = $((5 + $(all_launches))) ]
}

@test "a launch that fails for good is redone on the CPU" {
	survives '--no-mem --fault=refuse@6' 'did not start'
	survives '--no-mem --fault=stuck@6' 'did not'
	survives --fault=lane@6 'wrong'
	survives '--no-vcsm --fault=lane@6' 'wrong'
	survives '--no-mem --fault=lane@6' 'wrong'
}

@test "a launch that is not answered in time is redone on the CPU" {
	survives '--no-mem --delay=1000' 'did not answer'
}

@test "QPUs that cannot be enabled: the list of what is left to look at" {
	survives '--no-mem --fault=enable@1' 'refuses to enable.*gpu_mem'
	! has_registers ||
		refuses '--fault=enable@1' 'refuses to enable.*vc4-kms-v3d'
}
