#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# storage.sh PROGRAM LIBRARY CPUTIME [DIR]: what a tree, directories with one small
# file each, and a big file take when they are not in the page cache, when they are,
# and on storage that takes 1 and 10 ms for each open and read
# (tests/support/preload.c): seconds, ours with other numbers of threads, and the
# programs found in PEERS (a PATH).  Files are made in DIR, on the disk that is to
# be measured; only root can empty the cache.
#
# A cell is marked with "~" where other processes used much CPU time meanwhile.
#
#	FILES	in the tree (2000); there is a fifth as many directories
#	BIG	MiB of the big file (128)
#	PEERS	folders of other programs, separated by colons
set -eu
export LC_ALL=C
# shellcheck source=tests/bench/common.bash
. "$(dirname "$0")/common.bash"
program=$(realpath "$1")
library=$(realpath "$2")
cputime=$(realpath "$3")
scratch=$(mktemp -d "${4-.}/bench-storage.XXXXXX")
scratch=$(realpath "$scratch")
trap 'rm -rf "$scratch"' EXIT
files=${FILES-2000}
mkdir -p "$scratch/tree"

mkdir "$scratch"/tree/{0..49}
head -c 262144 /dev/urandom >"$scratch/bytes"
name=0
log_uniform "$files" 500 524 |
	while read -r size; do
		head -c "$size" "$scratch/bytes" \
			>"$scratch/tree/$((name % 50))/$name"
		name=$((name + 1))
	done
mkdir "$scratch/dirs"
for ((name = 0; name < files / 5; name++)); do
	mkdir "$scratch/dirs/$name"
	echo "$name" >"$scratch/dirs/$name/file"
done
head -c "$((${BIG-128} << 20))" /dev/urandom >"$scratch/big"
sync

empty_cache()
{
	{ echo 3 >/proc/sys/vm/drop_caches; } 2>/dev/null
}

# The median of three runs of at most a minute each.  CPUTIME
# adds a line "CPU WALL OTHERS", in microseconds, for each.
seconds()	# seconds BEFORE COMMAND...
{
	rm -f "$scratch/times"
	for _ in 1 2 3; do
		"$1"
		"$cputime" "$scratch/times" timeout 60 "${@:2}" >/dev/null 2>&1
		awk '$2 >= 60e6 { exit 1 }' "$scratch/times" || break
	done
	sort -n -k 2,2 "$scratch/times" | awk '
		{ line[NR] = $0 }
		END {
			$0 = line[int((NR + 1) / 2)]
			if ($2 >= 60e6) print "> 60"
			else printf "%s%.2f", '"$others_were_quiet"' ? "" : "~",
				$2 / 1e6
		}'
}

far()	# far MICROSECONDS COMMAND...
{
	seconds true env "FAULTS=slow:$1" "FAULTS_BELOW=$scratch" \
		"LD_PRELOAD=$library" "${@:2}"
}

# A cell for each storage, of a command that gets the name of a tree or a file.
row()	# row NAME COMMAND...
{
	local name=$1
	shift
	printf '%s' "$name"
	if empty_cache; then
		printf '\t%s' "$(seconds empty_cache "$@")"
	else
		printf '\t-'
	fi
	"$@" >/dev/null 2>&1
	printf '\t%s\t%s\t%s\n' "$(seconds true "$@")" "$(far 1000 "$@")" \
		"$(far 10000 "$@")"
}

peer()	# peer PROGRAM NAME: each file of the tree by one command
{
	# shellcheck disable=SC2016 # the other shell's
	row "$2, $1" sh -c 'find "$2" -type f -print0 | xargs -0 "$1"' \
		peer "$1" "$scratch/$2"
}

print_machine
printf 'files\tcold\twarm\t1 ms\t10 ms\n'
for what in tree dirs big; do
	row "$what, ours" "$program" -r "$scratch/$what"
	for threads in 8 64; do
		row "$what, --threads=$threads" "$program" \
			"--threads=$threads" -r "$scratch/$what"
	done
	PATH=${PEERS-}:$PATH
	for name in sha256sum sha256sum97 b3sum b3sum18; do
		if command -v "$name" >/dev/null; then
			peer "$(command -v "$name")" "$what"
		fi
	done
done
