#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu-wrong: what is wrong is answered as a kernel would, and explained.

load ../support/common

EMU=$BUILD/qpuemu
CLIENT=$BUILD/tests/virtual/vcio-client
QPUASM=$BUILD/qpuasm
EXAMPLES=$TOP/qpu/examples

setup()
{
	! under_qemu || skip "qpuemu is for programs of this machine"
	[ -x "$CLIENT" ] || skip "tests/virtual/vcio-client is not built"
	enter_scratch
}

# client OPTION... COMMAND...: both streams in out, the status in $status
client()
{
	local options=()
	while [[ $1 == --* ]]; do
		options+=("$1")
		shift
	done
	status=0
	timeout --foreground "$LIMIT" "$EMU" "${options[@]}" \
		"$CLIENT" "$@" >out 2>&1 || status=$?
}

# --- Messages ----------------------------------------------------------------

@test "wrong addresses and sizes of messages are errors, not crashes" {
	client --leaks=error wrong
	[ "$status" = 0 ] || fail "status $status"
	diff - out <<-'END'
	0 bytes: Invalid argument
	4 bytes: Invalid argument
	8 bytes: Invalid argument
	12 bytes: good
	13 bytes: Invalid argument
	14 bytes: Invalid argument
	16 bytes: good
	5000 bytes: Bad address
	1048572 bytes: Bad address
	2147483648 bytes: Invalid argument
	4294967295 bytes: Invalid argument
	no address: Bad address
	a wrong address: Bad address
	not aligned: good
	at the end of memory: good
	beyond the end of memory: Bad address
	read-only: Bad address
	no address for a buffer: Bad address
	END
}

@test "a message without an end loses its last value, as in the kernel" {
	client raw 0 30002 8 4 5 0 0
	[ "$(cat out)" = 'good 80000000 30002 8 80000008 5 ee6b280 0' ]
	client raw 0 3000c c c 1000 1000 4
	grep -q '^good 80000000 3000c c 80000004 1 1000 4$' out
	# The handle comes out as 0.
	client raw 0 3000d 4 4 1
	[ "$(cat out)" = 'good 80000000 3000d 4 80000004 1' ]
}

@test "a launch that is answered too late is an error of the call" {
	m4 -s -I "$EXAMPLES" "$EXAMPLES/hello.m4" | "$QPUASM" -o hello.bin -
	client --delay=1000 hello hello.bin
	[ "$status" = 1 ]
	grep -qx 'ioctl: Connection timed out' out
}

@test "a signal while the kernel allocates, or no descriptor, loses vcsm" {
	local when
	# The call takes a minute; how long it takes to get there is unknown.
	for when in 0.{1,2,4,8} 2 4 8 16; do
		timeout --foreground "$LIMIT" "$EMU" --leaks=error \
			--vcsm-delay=60000 \
			sh -c 'timeout -s TERM "$1" "$0" vcsm-alloc 1' \
			"$CLIENT" "$when" >out 2>&1 || true
		! grep -q . out || break
	done
	grep -qx 'qpuemu: a process ended during VCSM_ALLOCATE: .* boot' out
	status=0
	timeout --foreground "$LIMIT" "$EMU" --leaks=error \
		sh -c 'exec 3>&- 4>&- 5>&- 6>&-; ulimit -n 4
			"$0" vcsm-alloc 1 1' "$CLIENT" \
		>out 2>&1 || status=$?
	[ "$status" = 1 ]
	diff - out <<-'END'
	qpuemu: no descriptor for a buffer: a kernel would lose /dev/vcsm-cma until the next boot
	1 MiB: Cannot allocate memory
	1 MiB: Cannot allocate memory
	END
}

# --- Programs ----------------------------------------------------------------

@test "a script whose interpreter is missing: which one" {
	echo '#!/no/such/program' >script
	chmod +x script
	status=0
	"$EMU" ./script >out 2>&1 || status=$?
	[ "$status" = 126 ]
	grep -qx 'qpuemu: ./script: /no/such/program cannot be looked at: .*' out
}

@test "a process with no descriptor left asks the kernel for no buffer" {
	status=0
	head -c 100000 /dev/zero >file
	timeout --foreground "$LIMIT" "$EMU" --leaks=error bash -c '
		ulimit -n 8
		exec "$0" --device=qpu file' "$PROGRAM" >out 2>&1 || status=$?
	[ "$status" = 1 ] || fail "status $status: $(cat out)"
	grep -q 'device=qpu: no file descriptors are left for memory' out
	[ "$(wc -l <out)" = 1 ]
}
