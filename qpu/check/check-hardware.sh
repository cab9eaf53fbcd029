#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# check-hardware [DEVICE [REPORT]]: make check-hardware for people with a Pi.
#
# Runs qpu-hwcheck and the program on DEVICE (qpu, if left out) and writes one
# text file to send back.  Nothing in it tells whose machine it was: names of
# files are our own, and no host or user is asked for.  In the environment,
# from make: QPU_HWCHECK and QPU_SHA256SUM, the programs.  QPU_TESTS=quick
# makes fewer launches and no benchmark, QPU_RISKY=yes adds what may hang the QPUs.
export LC_ALL=C
device=${1:-qpu}
report=${2:-qpu-hardware-report.txt}
files=64
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# program ARGUMENT...: by a name without a path, in a directory of its own
program()
{
	(cd "$scratch/files" && XDG_CACHE_HOME=$scratch/cache \
		bash -c 'exec -a qpu-sha256sum "$0" "$@"' \
		"$QPU_SHA256SUM" "$@")
}

# section TITLE: what follows is about
section()
{
	printf '\n== %s ==\n' "$1"
}

# show LABEL FILE: what a small file holds
show()
{
	[ -r "$2" ] && printf '%s: %s\n' "$1" "$(tr '\0\n' '  ' <"$2" |
		head -c 300)"
}

# cells LABEL FILE: 32-bit numbers of a device tree
cells()
{
	[ -r "$2" ] && printf '%s:%s\n' "$1" \
		"$(od -An -v -tx1 "$2" | tr -d ' \n' | sed 's/.\{8\}/ &/g')"
}

# What can be seen without opening anything; it works on any machine.
describe_system()
{
	local tree=/proc/device-tree node
	for node in /dev/vcio* /dev/vcsm-cma /dev/mem /dev/dma_heap/* \
		/dev/dri/*; do
		[ -e "$node" ] && stat -c 'Node %n: %A %a %u:%g %t,%T' "$node"
	done
	show 'Status of the V3D' $tree/soc/v3d@7ec00000/status
	cells 'dma-ranges' $tree/soc/dma-ranges
	cells 'vc_mem' $tree/axi/vc_mem/reg
	[ ! -d $tree/soc/firmware/vcio ] || echo 'Device tree: firmware/vcio'
	grep -E '^Cma(Total|Free):' /proc/meminfo
	for node in vc4 vc_sm_cma v3d; do
		[ ! -d /sys/module/$node ] || echo "Module: $node"
	done
	grep -hE 'vc.sm.cma' /etc/modprobe.d/* 2>/dev/null |
		sed 's/^/modprobe.d: /'
	sed -n 's/^PRETTY_NAME=/System: /p' /etc/os-release 2>/dev/null
	dpkg-query -W -f 'Package ${Package}: ${Version}\n' \
		raspberrypi-sys-mods 2>/dev/null
	true
}

# What the kernel said of a failure, and of nothing else.
show_kernel_messages()
{
	section 'Kernel messages'
	dmesg 2>&1 | grep -iE 'vc.sm|raspberrypi-firmware|vchiq|v3d|oops' |
		tail -n 20
}

# Files of all lengths around blocks and pages, the same everywhere.
make_files()
{
	local i
	mkdir "$scratch/files"
	for ((i = 0; i < files; i++)); do
		yes "$i" | head -c $((i * i * 61 + i)) >"$scratch/files/$i"
	done
}

hash_files()
{
	local names=("$scratch"/files/*)
	names=("${names[@]##*/}")
	program --device="$device" --verify --stats "${names[@]}" \
		>"$scratch/device" 2>"$scratch/stats"
	echo "status $?"
	cat "$scratch/stats"
	program --device=cpu "${names[@]}" >"$scratch/cpu"
	if cmp -s "$scratch/device" "$scratch/cpu"; then
		echo "$files digests, the same as the CPU's"
	else
		echo 'NOT the digests of the CPU'
		diff "$scratch/device" "$scratch/cpu" | head -n 20
	fi
}

benchmark()
{
	if [ "${QPU_TESTS-}" = quick ]; then
		echo 'left out'
	else
		program --benchmark 2>&1
	fi
}

# What the program does, if the device is still in order.
use_program()
{
	section 'qpu-sha256sum --list-devices=details'
	program --list-devices=details 2>&1
	if [ "$1" = 2 ]; then
		return
	fi
	if [ "$1" != 0 ]; then
		echo
		echo 'The device failed, and was not used any further.'
		return
	fi
	section "qpu-sha256sum --device=$device --verify --stats"
	hash_files
	section 'qpu-sha256sum --benchmark'
	benchmark
}

# What the report says of failures, for those who see only the screen.
tell_failures()
{
	grep -E -e '(^|[ :])FAILED(:| at )|: NO ANSWER: |^NOT the digests' \
		-e '^[^ ]+ cannot be used: ' "$report" | head -n 20 >&2
}

main()
{
	local status options=()
	make_files || exit 2
	echo "Asking $device; this takes a minute or two." >&2
	[ "${QPU_TESTS-}" != quick ] || options+=(-q)
	[ -z "${QPU_RISKY-}" ] || options+=(-x)
	"$QPU_HWCHECK" "${options[@]}" "$device" "$scratch/raw" >"$report"
	status=$?
	{
		section 'System'
		describe_system
		use_program "$status"
		[ "$status" != 1 ] || show_kernel_messages
		section 'Words of the experiments, of the SFU, and counters'
		cat "$scratch/raw"
	} >>"$report" || exit 2
	[ "$status" != 2 ] || echo "$device cannot be used, but what the" \
		'report says about this machine is worth sending, too.  To see' \
		'one of the emulated device: make check-hardware' \
		'DEVICE=emulator:timed' >&2
	tell_failures
	echo "The report is in $report; please attach it to an issue." >&2
	exit "$status"
}

main
