#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# bench: CPU and wall-clock time of the program and its peers on the same
# files, in the same minutes.  `make bench` runs it.
#
#	QPU_SHA256SUM	the program
#	CPUTIME		tests/bench/cputime
#	SCALE		size of the workloads: 1 is small, 64 is 2 GiB
#	RUNS		quiet runs of each, the median counts (default 5)
#	PEERS		folders, with colons between them: executables in them
#			take part; openssl*, busybox* and coreutils* are
#			called with their own syntax
#	LOOP		tests/bench/loop, which takes part if it is named
#	THREADS		numbers of threads with which the program and the loop
#			take part once more (default 1)
#	WORKLOADS	a choice, e.g. "many tree"
#	TREE		a directory of real files (default /usr/share)
#	BENCH_DIR	where the files are made (default a new one in TMPDIR)
#
# Everything is read once before it is timed, but for the files of "cold", which
# are on the disk then.  What the same call of true takes with all the names is
# subtracted, since it is the shell's and the kernel's.  Every answer is compared
# with the first peer's.  All take turns, until each has enough quiet
# runs, or three times as many runs in all.  A run is quiet if other processes
# used little CPU time meanwhile.  A program with fewer than three quiet runs is
# marked as disturbed, and its median counts all runs.
set -u
export LC_ALL=C
# shellcheck source=tests/bench/common.bash
. "$(dirname "$0")/common.bash"
program=${QPU_SHA256SUM:?names the program}
cputime=${CPUTIME:?names the stop watch}
scale=${SCALE:-1}
runs=${RUNS:-5}
tree=${TREE:-/usr/share}
workloads=${WORKLOADS:-one stdin several small mixed pipe check tree names tiny
	sparse cold}
drop_caches=/proc/sys/vm/drop_caches
fewest=$((runs < 3 ? runs : 3))

scratch=$(mktemp -d "${BENCH_DIR:-${TMPDIR:-/tmp}}/bench.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# --- Who takes part: a name, and how to call it, with tabs between the words ---

names=() commands=()

# add NAME COMMAND: add a peer, its version behind its name if it prints one
add()
{
	local said version
	local -a words
	IFS=$'\t' read -r -a words <<<"$2"
	said=$("${words[@]}" --version 2>/dev/null </dev/null | head -n 1)
	case $said in
	*'GNU coreutils'*) version="coreutils ${said##* }" ;;
	*uutils*) version="uutils ${said##* }" ;;
	*) version=$1 ;;
	esac
	names+=("$version")
	commands+=("$2")
}

# openssl_version COMMAND, busybox_version COMMAND: as in "openssl 3.0.2"
openssl_version()
{
	"$1" version 2>/dev/null | awk 'NR == 1 { print "openssl", $2 }'
}

busybox_version()
{
	"$1" 2>/dev/null | awk 'NR == 1 { sub("^v", "", $2); print "busybox", $2 }'
}

add_peer()
{
	local name=${1##*/} call=$1
	case $name in
	openssl*) add "$(openssl_version "$call")" "$call"$'\tdgst\t-sha256\t-r' ;;
	busybox*) add "$(busybox_version "$call")" "$call"$'\tsha256sum' ;;
	coreutils*) add "$name" "$call"$'\tsha256sum' ;;
	*) add "$name" "$call" ;;
	esac
}

if command -v sha256sum >/dev/null; then
	add sha256sum sha256sum
fi
if command -v openssl >/dev/null; then
	add_peer "$(command -v openssl)"
fi
IFS=: read -r -a folders <<<"${PEERS-}"
for folder in "${folders[@]}"; do
	for peer in "$folder"/*; do
		if [ -f "$peer" ] && [ -x "$peer" ]; then
			add_peer "$peer"
		fi
	done
done
[ ${#names[@]} -gt 0 ] || { echo 'bench: nothing to compare with' >&2; exit 1; }
for own in ${LOOP:+"$LOOP"} "$program"; do
	name=$([ "$own" = "$program" ] && echo ours || echo loop)
	for n in ${THREADS-1}; do
		names+=("$name, threads: $n")
		commands+=("$own"$'\t'"--threads=$n")
	done
	names+=("$name")
	commands+=("$own")
done

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

make_mixed()	# make_mixed DIRECTORY COUNT LEAST RATIO, as of log_uniform
{
	local size name=0
	mkdir "$1"
	head -c $(($3 * $4)) /dev/urandom >noise
	log_uniform "$2" "$3" "$4" |
		while read -r size; do
			head -c "$size" noise >"$1/$name"
			name=$((name + 1))
		done
	rm noise
}

# prepare WORKLOAD: fills the array `arguments` and `about`, or says why it
# cannot be had here
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
	stdin)
		about="$((32 * scale)) MiB as standard input"
		make_file $((33554432 * scale)) one
		;;
	sparse)
		about="a file of $((32 * scale)) MiB, 1 MiB of which is no hole"
		make_file 1048576 sparse
		truncate -s $((33554432 * scale)) sparse
		arguments=(sparse)
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
		make_mixed mixed $((320 * scale)) 1 1048576
		arguments=(mixed/*)
		;;
	cold)
		if [ "$(stat -f -c %T .)" = tmpfs ]; then
			echo "bench: cold: $PWD is in memory" >&2
			return 1
		fi
		if ! { : >"$drop_caches"; } 2>/dev/null; then
			echo 'bench: cold: only root can empty the page cache' \
				>&2
			return 1
		fi
		about="$((320 * scale)) files of 500 B to 256 KiB, cold"
		make_mixed cold $((320 * scale)) 500 524
		arguments=(cold/*)
		sync
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
	names)
		# Without names that need an escape.
		find "$tree" -xdev -type f -size -65536k -readable \
			! -path '*\\*' ! -path $'*\n*' -print0 2>/dev/null |
			sort -z | head -z -n $((3750 * scale)) >names
		about="$(tr -dc '\0' <names | wc -c) real files, --files0-from"
		arguments=(--files0-from=names)
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
	[ "$workload" != cold ] || echo 3 >"$drop_caches"
	case $workload in
	stdin) "$cputime" times "$@" <one >out ;;
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

# measure_call WORKLOAD: what the call alone takes, the least of three, in
# `call_cpu` and `call_wall`
measure_call()
{
	call_cpu=0 call_wall=0
	[ ${#arguments[@]} -gt 9 ] || return
	read -r call_cpu call_wall < <(
		for _ in 1 2 3; do
			run_once "$1" true
			awk '{ cpu += $1; wall += $2 }
				END { print cpu, wall }' times
		done | sort -n | head -n 1
	)
}

# Digests and names, however a peer marks binary mode.
answers()
{
	sed -E 's/^([0-9a-f]{64}) [ *]/\1 /; s/ stdin$/ -/' out
}

# label WHO: its runs, "quiet" or "disturbed" in front
label()
{
	awk '{
		quiet = '"$others_were_quiet"'
		print quiet ? "quiet" : "disturbed", $0
	}' "times.$1"
}

# Succeed if each peer has enough quiet runs.
all_quiet()
{
	local who
	for who in "${!names[@]}"; do
		[ -s "times.$who" ] && [ "${good[who]-no}" = yes ] &&
			[ "$(label "$who" | grep -c ^quiet)" -lt "$runs" ] &&
			return 1
	done
	return 0
}

# play WORKLOAD WHO ROUND: one run; round 0 only warms the cache
play()
{
	local -a words
	# openssl and the loop have no check mode
	[ -n "$lists" ] && [[ ${names[$2]} =~ ^(openssl|loop) ]] && return
	# Another digest: once is enough
	[ "$3" -gt 0 ] && [ "${good[$2]-no}" = no ] && return
	IFS=$'\t' read -r -a words <<<"${commands[$2]}"
	run_once "$1" "${words[@]}" 2>err || {
		[ "${names[$2]}" = ours ] && cat err >&2
		return
	}
	answers >answer
	[ -e right ] || cp answer right
	if cmp -s answer right; then
		good[$2]=yes
	fi
	[ "$3" = 0 ] && [ "${good[$2]-no}" = yes ] && return
	awk -v cpu=-"$call_cpu" -v wall=-"$call_wall" '{
		cpu += $1; wall += $2; others += $3 }
		END { print cpu, wall, others }' times >>"times.$2"
}

# The median of what counts: CPU, wall, and of how many runs.
summary()	# summary WHO
{
	label "$1" | awk -v fewest="$fewest" '
		function median(v, n,   i, j, t) {
			for (i = 2; i <= n; i++)
				for (j = i; j > 1 && v[j] < v[j - 1]; j--) {
					t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
				}
			return v[int((n + 1) / 2)]
		}
		{ cpu[NR] = $2; wall[NR] = $3 }
		$1 == "quiet" { quiet_cpu[++n] = $2; quiet_wall[n] = $3 }
		END {
			if (n >= fewest)
				print median(quiet_cpu, n),
					median(quiet_wall, n), n "/" NR
			else
				print median(cpu, NR), median(wall, NR),
					n + 0 "/" NR, "disturbed"
		}'
}

# measure WORKLOAD: prints its rows of the table
measure()
{
	local run who
	local -a good=()
	measure_call "$1"
	for ((run = 0; run <= 3 * runs; run++)); do
		for who in "${!names[@]}"; do
			play "$1" "$who" "$run"
		done
		if [ "$run" -ge "$runs" ] && all_quiet; then
			break
		fi
	done
	for who in "${!names[@]}"; do
		[ -s "times.$who" ] || continue
		printf '%s\t%s\t%s\n' "${names[who]}" \
			"$(summary "$who" | tr ' ' '\t')" \
			"$([ "${good[who]-no}" = yes ] || echo 'other digests')"
	done | awk -F '\t' -v about="$about" '
		{ name[NR] = $1; cpu[NR] = $2; wall[NR] = $3; quiet[NR] = $4
			remark[NR] = $5 != "" && $6 != "" ? $5 ", " $6 : $5 $6 }
		$1 == "ours" { our_cpu = $2 + 1; our_wall = $3 + 1 }
		END {
			print about
			for (i = 1; i <= NR; i++)
				printf "  %-18s %9.3f %9.3f %7.2f %7.2f %7s%s\n",
				name[i], cpu[i] / 1e6, wall[i] / 1e6,
				cpu[i] / our_cpu, wall[i] / our_wall, quiet[i],
				remark[i] != "" ? "  " remark[i] : ""
		}'
	if [ "${good[${#names[@]} - 1]-no}" = no ]; then
		wrong=yes
	fi
	rm -f right answer times.*
}

# --- The story ----------------------------------------------------------------

wrong=
print_machine
printf '%-20s %9s %9s %7s %7s %7s\n' 'median of '"$runs" 'CPU s' 'wall s' \
	'CPU' 'wall' 'quiet'
printf '%-20s %9s %9s %15s %7s\n' '' '' '' 'ratio to ours' 'of runs'
for workload in $workloads; do
	if prepare "$workload"; then
		measure "$workload"
	fi
	rm -rf one several small mixed piped checked list names tiny sparse cold
done
[ -z "$wrong" ]
