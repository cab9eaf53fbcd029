#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# bench: CPU and wall-clock time of the program and its peers on the same
# files, in the same minutes.  `make bench` runs it.
#
#	QPU_SHA256SUM	the program
#	CPUTIME		tests/bench/cputime
#	SCALE		size of the workloads: 1 is small, 64 is 2 GiB
#	RUNS		runs of each, the median counts (default 5)
#	PEERS		a folder: executables in it take part, too; those named
#			openssl* and busybox* are called as these want it
#	WORKLOADS	a choice, e.g. "many tree"
#	TREE		a directory of real files (default /usr/share)
#	BENCH_DIR	where the files are made (default a new one in TMPDIR)
#
# Everything is read once before it is timed, and every answer is compared
# with that of the first peer.
set -u
export LC_ALL=C
program=${QPU_SHA256SUM:?names the program}
cputime=${CPUTIME:?names the stop watch}
scale=${SCALE:-1}
runs=${RUNS:-5}
tree=${TREE:-/usr/share}
workloads=${WORKLOADS:-one several small mixed pipe check tree tiny}

scratch=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/bench.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# --- Who takes part: a name, and how to call it --------------------------------

names=() commands=()

add()
{
	names+=("$1")
	commands+=("$2")
}

if command -v sha256sum >/dev/null; then
	version=$(sha256sum --version 2>/dev/null | sed -n '1s/.* //p')
	add "sha256sum${version:+ $version}" sha256sum
fi
if command -v openssl >/dev/null; then
	version=$(openssl version | cut -d ' ' -f 2)
	add "openssl $version" 'openssl dgst -sha256 -r'
fi
for peer in "${PEERS:-/nonexistent}"/*; do
	if [ ! -f "$peer" ] || [ ! -x "$peer" ]; then
		continue
	fi
	case ${peer##*/} in
	openssl*) add "${peer##*/}" "$peer dgst -sha256 -r" ;;
	busybox*) add "${peer##*/}" "$peer sha256sum" ;;
	*) add "${peer##*/}" "$peer" ;;
	esac
done
[ ${#names[@]} -gt 0 ] || { echo 'bench: nobody to compare with' >&2; exit 1; }
add ours "$program"

# --- The workloads ------------------------------------------------------------

# make_file SIZE NAME
make_file()
{
	head -c "$1" /dev/urandom >"$2"
}

make_many()	# make_many DIRECTORY SIZE COUNT
{
	mkdir "$1"
	head -c $(($2 * $3)) /dev/urandom |
		(cd "$1" && split -a 5 -b "$2" - f)
}

# Sizes from 1 byte to 1 MiB, evenly spread over their logarithms.
make_mixed()	# make_mixed DIRECTORY COUNT
{
	local size name=0
	mkdir "$1"
	head -c 1048576 /dev/urandom >noise
	awk -v n="$2" 'BEGIN { srand(1)
		for (i = 0; i < n; i++) print int(2 ^ (rand() * 20)) }' |
		while read -r size; do
			head -c "$size" noise >"$1/$name"
			name=$((name + 1))
		done
	rm noise
}

# prepare WORKLOAD: fills the array `arguments` and `about`
prepare()
{
	arguments=()
	lists=
	case $1 in
	one)
		about="one file of $((32 * scale)) MiB"
		make_file $((33554432 * scale)) one
		arguments=(one)
		;;
	several)
		about="64 files of $((512 * scale)) KiB"
		make_many several $((524288 * scale)) 64
		arguments=(several/*)
		;;
	small)
		about="$((1600 * scale)) files of 4 KiB"
		make_many small 4096 $((1600 * scale))
		arguments=(small/*)
		;;
	mixed)
		about="$((320 * scale)) files of 1 B to 1 MiB"
		make_mixed mixed $((320 * scale))
		arguments=(mixed/*)
		;;
	pipe)
		about="$((32 * scale)) MiB through a pipe"
		make_file $((33554432 * scale)) piped
		;;
	check)
		about="-c, $((1600 * scale)) files of 4 KiB"
		make_many checked 4096 $((1600 * scale))
		"$program" checked/* >list
		lists=yes
		arguments=(-c list)
		;;
	tree)
		mapfile -d '' -t arguments < <(find "$tree" -xdev -type f \
			-size -65536k -print0 2>/dev/null | sort -z |
			head -z -n $((1000 * scale)))
		about="${#arguments[@]} real files"
		;;
	tiny)
		about="100 runs on a file of 1 KiB"
		make_file 1024 tiny
		;;
	*)
		echo "bench: no such workload: $1" >&2
		exit 1
		;;
	esac
}

# --- Timing -------------------------------------------------------------------

# run_once WORKLOAD COMMAND-WORD...: answers in `out`, times in `times`
run_once()
{
	local workload=$1
	shift
	rm -f times
	case $workload in
	pipe)
		"$cputime" times sh -c 'cat piped | "$@"' - "$@" >out
		;;
	tiny)
		"$cputime" times sh -c 'for i in 0 1 2 3 4 5 6 7 8 9; do
			for j in 0 1 2 3 4 5 6 7 8 9; do "$@" tiny; done
			done' - "$@" >out
		;;
	*)
		# Too many arguments for one run make two, whose times add up.
		printf '%s\0' "${arguments[@]}" |
			xargs -0 -s 2000000 "$cputime" times "$@" >out
		;;
	esac
}

# Digests and names, however a peer marks binary mode.
answers()
{
	sed -E 's/^([0-9a-f]{64}) [ *]/\1 /; s/ stdin$/ -/' out
}

median()
{
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# measure WORKLOAD: prints its rows of the table
measure()
{
	local run who
	local -a words good=()
	for ((run = 0; run <= runs; run++)); do
		for who in "${!names[@]}"; do
			# openssl has no check mode
			[ -n "$lists" ] &&
				[[ ${names[who]} == openssl* ]] && continue
			read -r -a words <<<"${commands[who]}"
			run_once "$1" "${words[@]}" 2>err || {
				[ "${names[who]}" = ours ] && cat err >&2
				continue
			}
			answers >answer
			[ -e right ] || cp answer right
			cmp -s answer right && good[who]=yes
			# The first run warms the cache.
				[ "$run" = 0 ] || awk '{ cpu += $1; wall += $2 }
				END { print cpu, wall }' times >>"times.$who"
		done
	done
	for who in "${!names[@]}"; do
		[ -s "times.$who" ] || continue
		printf '%s\t%s\t%s\t%s\t%s\n' "$who" "${names[who]}" \
			"$(cut -d ' ' -f 1 "times.$who" | median)" \
			"$(cut -d ' ' -f 2 "times.$who" | median)" \
			"${good[who]-no}"
	done | awk -F '\t' -v about="$about" '
		{ name[NR] = $2; cpu[NR] = $3; wall[NR] = $4; good[NR] = $5 }
		$2 == "ours" { our_cpu = $3 + 1; our_wall = $4 + 1 }
		END {
			print about
			for (i = 1; i <= NR; i++)
				printf "  %-18s %9.3f %9.3f %7.2f %7.2f%s\n",
				name[i], cpu[i] / 1e6, wall[i] / 1e6,
				cpu[i] / our_cpu, wall[i] / our_wall,
				good[i] == "no" ? "  other digests" : ""
		}'
	if [ "${good[${#names[@]} - 1]-no}" = no ]; then
		wrong=yes
	fi
	rm -f right answer times.*
}

# --- The story ------------------------------------------------------------------

wrong=
printf '%-20s %9s %9s %7s %7s\n' 'median of '"$runs" 'CPU s' 'wall s' \
	'CPU' 'wall'
printf '%-20s %9s %9s %15s\n' '' '' '' 'ratio to ours'
for workload in $workloads; do
	prepare "$workload"
	measure "$workload"
	rm -rf one several small mixed piped checked list tiny
done
[ -z "$wrong" ]
