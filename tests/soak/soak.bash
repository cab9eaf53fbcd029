#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# soak.bash: random command lines over random files, under random limits, into
# files and pipes, stopped and continued: what the program prints and returns
# has to be what sha256sum prints and returns.
#
# Environment: QPU_SHA256SUM (the program), RUNS (200), SEED (1), SOAK_DEVICE
# (a word for --device), SOAK_RUN (only the run with this number), and
# SOAK_LIMIT (seconds that a run may take, 120).
#
# A run depends on SEED and its number only.  The first one that differs ends
# the script with status 1; its files stay, and how to repeat it is printed.
set -u
export LC_ALL=C
unset POSIXLY_CORRECT

program=${QPU_SHA256SUM:-$PWD/qpu-sha256sum}
runs=${RUNS:-200}
seed=${SEED:-1}
device=${SOAK_DEVICE-}
limit=${SOAK_LIMIT:-120}

scratch=$(mktemp -d) || exit 1
cd "$scratch" || exit 1
mkfifo silence sink
exec {silence}<>silence

# --- Random choices -------------------------------------------------------------

# one_in N: true once in N times
one_in()
{
	((RANDOM % $1 == 0))
}

# pick WORD...: one of them, in $picked; "" may be one
pick()
{
	shift $((RANDOM % $#))
	picked=$1
}

# --- Files ----------------------------------------------------------------------

# A pool of files of all sizes, mostly small; odd names among them.
make_pool()
{
	local i name bits=19 most=60
	[ -z "$device" ] || bits=13 most=25
	rm -rf pool
	mkdir -p pool/below/deeper pool/empty
	names=()
	for ((i = 0; i < 5 + RANDOM % most; i++)); do
		pick "$i" "below/$i" "below/deeper/$i" "a b $i" $'new\nline'"$i" \
			"back\\slash$i" "-$i" "*$i" $'\377'"$i" " $i"
		name=pool/$picked
		tail -c +$((1 + RANDOM)) noise |
			head -c $(((RANDOM << 15 | RANDOM) % (1 << RANDOM % bits))) \
			>"$name"
		names+=("$name")
	done
	if [ -z "$device" ] && one_in 8; then
		cat noise noise noise >pool/large
		truncate -s $((RANDOM * 600 + 5000000)) pool/large
		names+=(pool/large pool/large)
	fi
}

# A name that does not exist, of what matters to quoting.  It ends with a letter:
# before 9.7 GNU quoted an escape at the end in another way.
pick_odd_name()
{
	local i pieces
	# shellcheck disable=SC1003 # a backslash
	pieces=("'" "'" '"' ' ' ':' $'\n' $'\t' $'\033' '\' '$' '#' '~' '{' \
		'}' '!' '`' '=' '[' '?' '*' '(' '&' ';' '|' '<' '^' '%' ',' \
		$'\303\251' $'\303' $'\377' $'\302\205' $'\342\200\250')
	picked=
	for ((i = RANDOM % 6; i >= 0; i--)); do
		picked+=${pieces[RANDOM % ${#pieces[@]}]}
	done
	picked+=x
}

# A few names of the pool, some more than once, some that cannot be read.
choose_names()
{
	local i
	chosen=()
	for ((i = RANDOM % (2 * ${#names[@]}); i >= 0; i--)); do
		if one_in 20; then
			pick pool/nosuch pool/below pool/empty/ /dev/null odd
			[ "$picked" != odd ] || pick_odd_name
			chosen+=("$picked")
		else
			chosen+=("${names[RANDOM % ${#names[@]}]}")
		fi
	done
}

# --- Kinds of runs ----------------------------------------------------------------
# Each sets `arguments`, and writes what is right to the files expected and
# complaints, and its exit status to `right`.  Standard input is the file input.

expect()	# expect COMMAND...: what GNU does
{
	"$@" <input >expected 2>complaints
	right=$?
	# xargs has a status of its own.
	[ $right != 123 ] || right=1
}

as_gnu()
{
	(exec -a sha256sum sha256sum "$@")
}

hash_operands()
{
	local style
	pick '' -b -z --tag -bz '--tag -z' -t
	read -ra style <<<"$picked"
	choose_names
	! one_in 3 || chosen+=(-)
	arguments=("${style[@]}" -- "${chosen[@]}")
	expect as_gnu "${arguments[@]}"
}

check_list()
{
	local style words
	pick '' -b --tag
	read -ra style <<<"$picked"
	choose_names
	as_gnu "${style[@]}" -- "${chosen[@]}" >list 2>/dev/null
	pick '' '5~7s/[0-9]/x/' '3~4s/ [0-9a-f]/ 0/' '2~9d; 4~9a junk' \
		'1~5s/pool/nowhere/' 's/$/\r/'
	sed -i "$picked" list
	pick '' --quiet --status -w --strict --ignore-missing \
		'-w --strict' '--quiet --ignore-missing'
	read -ra words <<<"$picked"
	if one_in 3; then
		cp list input
		arguments=(-c "${words[@]}")
	else
		arguments=(-c "${words[@]}" list)
	fi
	expect as_gnu "${arguments[@]}"
}

walk_tree()
{
	pick pool pool/ ./pool pool/below
	# shellcheck disable=SC2016 # it is the inner shell's
	expect bash -c 'find "$1" -type f -print0 | LC_ALL=C sort -z |
		xargs -0r sha256sum --' - "$picked"
	arguments=(-r "$picked")
}

read_names()
{
	choose_names
	printf '%s\0' "${chosen[@]}" >input
	pick - input
	arguments=("--files0-from=$picked")
	expect xargs -0 sha256sum --
}

hash_stdin()
{
	cp "${names[RANDOM % ${#names[@]}]}" input
	arguments=()
	expect as_gnu
}

# --- One run ----------------------------------------------------------------------

# Runs the program in the background: its process is $pid.
start()
{
	local descriptors=$1 from=$2 to=$3
	(
		ulimit -n "$descriptors"
		exec -a sha256sum "$program" "${arguments[@]}" \
			<"$from" >"$to" 2>errors {silence}>&-
	) &
	pid=$!
}

# Sleep for n milliseconds without another process.
doze()
{
	local _
	read -r -t "0.$(printf '%03d' "$1")" -u "$silence" _
}

# The program does not end: is it slow, or does it wait for what never comes?
# Ticks of CPU time and what it sleeps in, by thread; gdb knows more.
tell_of()
{
	local task
	echo "no end after $limit s; user and system ticks of each thread:"
	for task in "/proc/$1"/task/*; do
		printf '%s %s %s %s\n' "${task##*/}" \
			"$(sed 's/.*) //' "$task/stat" | cut -d ' ' -f 1,12,13)" \
			"$(<"$task/wchan")" "$(<"$task/comm")"
	done
	! command -v gdb >/dev/null ||
		timeout 60 gdb -batch -p "$1" -ex 'thread apply all bt 12'
} 2>/dev/null

# Stop and continue the program a few times, then wait for its end.
disturb_and_wait()
{
	local i end=$((SECONDS + limit))
	for ((i = RANDOM % 4; i > 0; i--)); do
		doze $((RANDOM % 8))
		kill -STOP "$pid" 2>/dev/null || break
		doze $((RANDOM % 20))
		kill -CONT "$pid" 2>/dev/null
	done
	while kill -0 "$pid" 2>/dev/null; do
		if ((SECONDS >= end)); then
			tell_of "$pid"
			kill -KILL "$pid"
			break
		fi
		doze 5
	done
	wait "$pid"
	status=$?
	# It may not have opened what these wait for.
	[ $status != 137 ] || kill $reader $writer 2>/dev/null
}

# results_only FILE...: before 9.11 GNU did not quote names in results of -c, so
# what is compared with an older one is the results alone.
results_only()
{
	local release
	release=$(sha256sum --version | sed -n '1s/.* //p')
	[ "$(printf '9.11\n%s\n' "$release" | sort -V | head -n 1)" = 9.11 ] ||
		sed -i -E 's/^.*: (OK|FAILED( open or read)?)$/\1/' "$@"
}

run()
{
	local extra=() descriptors from=input to=out reader='' writer='' kind
	: >input
	make_pool
	pick hash_operands hash_operands check_list check_list walk_tree \
		read_names hash_stdin
	kind=$picked
	"$kind"
	pick '' '' --threads=1 --threads=2 --threads=5
	[ -z "$picked" ] || extra+=("$picked")
	! one_in 4 || extra+=(--verify)
	! one_in 4 || extra+=(--detect-changes)
	[ -z "$device" ] || extra+=("--device=$device")
	arguments=("${extra[@]}" "${arguments[@]}")
	pick 1000 1000 1000 64 24 12
	descriptors=$picked
	if one_in 2; then
		cat <sink >out {silence}>&- &
		reader=$!
		to=sink
	fi
	if one_in 3; then
		rm -f source
		mkfifo source
		cat input >source {silence}>&- 2>/dev/null &
		writer=$!
		from=source
	fi
	start "$descriptors" "$from" "$to"
	disturb_and_wait
	[ -z "$reader" ] || wait "$reader"
	[ -z "$writer" ] || wait "$writer"
	[ "$status" = "$right" ] || { echo "status $status, not $right"; return 1; }
	[ "$kind" != check_list ] || results_only out expected
	cmp out expected && cmp errors complaints
}

# Each run starts from its own number.
: >noise
for ((i = 0; i < 40; i++)); do
	seq $((seed + i)) $((seed + i + 4000)) | sha256sum
	seq $((seed * 31 + i)) 7 $((seed * 31 + i + 9000))
done | head -c 700000 >noise

first=1 last=$runs
[ -z "${SOAK_RUN-}" ] || first=$SOAK_RUN last=$SOAK_RUN
for ((n = first; n <= last; n++)); do
	RANDOM=$(((seed * 7919 + n * 31) % 32749))
	run && continue
	printf 'not ok: RUNS=%d SEED=%d SOAK_RUN=%d SOAK_DEVICE=%s in %s\n' \
		"$runs" "$seed" "$n" "$device" "$scratch"
	printf ' %q' "$program" "${arguments[@]}"
	echo
	head -n 5 errors
	exit 1
done
printf 'ok: %d runs, SEED=%d%s\n' $((last - first + 1)) "$seed" \
	"${device:+, --device=$device}"
exec {silence}>&-
cd / && rm -rf "$scratch"
