#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# check-hardware [DEVICE [REPORT]]: make check-hardware for people with a Pi.
#
# Runs qpu-hwcheck and the program on DEVICE (qpu, if left out) and writes one
# text file to send back.  Nothing in it tells whose machine it was: names of
# files are our own, and no host or user is asked for.  In the environment,
# from make: QPU_HWCHECK and QPU_SHA256SUM, the programs.  QPU_TESTS=quick
# leaves out the benchmark, QPU_RISKY=yes adds what may hang the QPUs.
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
	section 'qpu-sha256sum --list-devices'
	program --list-devices 2>&1
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

main()
{
	local status
	make_files || exit 2
	echo "Asking $device; this takes a minute or two." >&2
	"$QPU_HWCHECK" ${QPU_RISKY:+-x} "$device" "$scratch/raw" >"$report"
	status=$?
	if [ "$status" = 2 ]; then
		rm -f "$report"
		echo 'No report was written.  To see one of the emulated' \
			'device: make check-hardware DEVICE=emulator:timed' >&2
		exit 2
	fi
	{
		use_program "$status"
		section 'Words of the experiments, of the SFU, and counters'
		cat "$scratch/raw"
	} >>"$report" || exit 2
	echo "The report is in $report; please attach it to an issue." >&2
	exit "$status"
}

main
