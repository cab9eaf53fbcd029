#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu-render: the nodes of the kernel's driver vc4, as programs meet them.

load qpuemu

RENDER=/dev/dri/renderD128

# render OPTIONS NODE COMMAND...: the client, both streams in $output
render()
{
	# shellcheck disable=SC2086
	run emu $1 "$BUILD/tests/virtual/drm-client" "${@:2}"
}

@test "a stock system has a render node for its first user" {
	render '--board=pi3 --system=trixie --user=first' $RENDER \
		status identity
	gives 0 "status: device 660 106, 226:128
identity: ok vc4, ok 02443356"
	render '--board=pi3 --system=trixie --user=first' /dev/dri/card0 \
		status identity
	gives 0 "status: device 660 44, 226:0
identity: ok vc4, ok 02443356"
}

@test "the node is for the users to whom the system gives it" {
	render '--board=pi3 --system=trixie --user=video' $RENDER
	gives 1 "open: Permission denied"
	render '--board=pi3 --system=fedora --user=nobody' $RENDER identity
	gives 0 "identity: ok vc4, ok 02443356"
}

@test "a Raspberry Pi 4 has a vc4 for displays and another driver that draws" {
	render '--board=pi4 --system=trixie' /dev/dri/card0 identity
	gives 0 "identity: ok vc4, Invalid argument 00000000"
	render '--board=pi4 --system=trixie' $RENDER identity
	gives 0 "identity: ok v3d, Invalid argument 00000000"
}

@test "a job stores to a buffer that is mapped by its offset" {
	render '--board=pi3 --system=trixie --user=first' $RENDER buffer clear
	gives 0 "buffer: ok
mapping: ok
job: ok
stored: 5eed 5eed"
}

@test "a buffer is of the open node, whatever its descriptor" {
	render '--board=pi3 --kms' $RENDER buffer descriptors child program
	gives 0 "buffer: ok
mapping: ok
dup: ok
other: Invalid argument
closed: Bad file descriptor
child: 0, 8
program: ok
written: Invalid argument"
}

# A buffer of 64 KiB and the binner's 16 MiB.
@test "contiguous memory is taken by the first buffer, and given back" {
	render '--board=pi3 --kms' $RENDER used buffer used close used
	gives 0 "used: 0 kB
buffer: ok
mapping: ok
used: 16448 kB
used: 0 kB"
	render '--board=pi3 --kms --cma=16' $RENDER buffer
	gives 0 "buffer: Cannot allocate memory
mapping: Cannot allocate memory"
}

@test "a program that is killed leaves nothing behind" {
	run emu --kms --leaks=error sh -c '
		"$0" '$RENDER' buffer kill >/dev/null
		"$0" '$RENDER' buffer used' "$BUILD/tests/virtual/drm-client"
	[[ $output == *"used: 16448 kB" ]]
	[ "$status" = 0 ]
}

@test "faults strike the job that they name" {
	render '--kms --fault=lost@1' $RENDER buffer clear clear
	[[ $output == *"stored: 0 0"*"stored: 5eed 5eed" ]]
	render '--kms --fault=tile@1' $RENDER buffer clear
	[[ $output == *"stored: 0 5eed" ]]
	render '--kms --fault=eintr@1' $RENDER buffer clear
	[[ $output == *"interrupted"*"stored: 5eed 5eed" ]]
	render '--kms --fault=eintr@1' $RENDER buffer restart clear
	[[ $output == *"mapping: ok"$'\n'"job: ok"* ]]
	render '--kms --fault=eintr@1' $RENDER buffer restart interrupt clear
	[[ $output == *"interrupted"*"stored: 5eed 5eed" ]]
	render '--kms --fault=alloc@2' $RENDER buffer
	[[ $output == "buffer: Cannot allocate memory"* ]]
}
