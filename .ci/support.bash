# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2030,SC2031
#
# support: what the steps of .ci/run share.  All of them run from the top of
# the clone; $scratch is for what a step builds elsewhere.

top=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$top"; rm -rf "$top"' EXIT
scratch=$top

# What users get: the tarball, and what is in it.  Builds from it show that it is
# complete, and leave the clone alone.
tarball=$top/tarball
source=$top/source

# shellcheck disable=SC2034 # .ci/run prints them
passed=0 failed=0 skipped=0 unsteady=0
jobs=-j$(nproc)

# --- Steps -------------------------------------------------------------------

# run_step STEP: in a directory of its own, where its counts are at the end
run_step()
{
	local start=$SECONDS
	mkdir "$top/$1" || return
	(
		scratch=$top/$1
		report_to "$scratch/sanitizer"
		passed=0 failed=0 skipped=0 unsteady=0
		# shellcheck source=/dev/null
		. ".ci/steps/$1"
		echo "$passed $failed $skipped $unsteady" >"$scratch/counts"
	)
	printf '        %-44s             %4d s\n' "step $1, in all" \
		$((SECONDS - start))
}

# Run the steps, two at a time, in their order.
run_side_by_side()
{
	local step
	jobs=-j$((($(nproc) + 1) / 2))
	mkdir "$top/claims"
	for _ in 1 2; do
		for step; do
			! mkdir "$top/claims/$step" 2>/dev/null ||
				run_step "$step"
		done &
	done
	wait
}

# Add the counts of all steps.
sum_up()
{
	local counts good bad skips shaky
	for counts in "$top"/*/counts; do
		[ -e "$counts" ] || continue
		read -r good bad skips shaky <"$counts"
		passed=$((passed + good))
		failed=$((failed + bad))
		skipped=$((skipped + skips))
		unsteady=$((unsteady + shaky))
	done
}

# --- Checks ------------------------------------------------------------------

# Sum one line of automake's summaries ("# PASS:  12") over a log.
count()
{
	awk -v key="$1:" '$1 == "#" && $2 == key { n += $3 }
		END { print n + 0 }' "$2"
}

# The failed cases of these logs of suites, with their explanations, and how a
# program ended that did not come to its end.
failed_cases()	# failed_cases LOG...
{
	awk '/^(ok|1\.\.)/ { inside = 0 }
		/^not ok/ { inside = 1; print FILENAME ":" }
		inside || /^ERROR: tests\//' "$@" </dev/null
}

# Reports are there and not in the output, which a test may be looking at.
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:exitcode=99:handle_sigbus=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:exitcode=99
report_to()	# report_to PREFIX: of the files with reports
{
	local options
	for options in ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS; do
		export "$options=${!options}:log_path=$1"
	done
}

sanitizers_said()
{
	find "$scratch" -maxdepth 1 -name 'sanitizer.*' \
		-exec head -n 100 {} + | sed 's/^/    /'
}

# Print the part of a failed check that matters: the failed cases, or else the
# end of the log.
explain()	# explain LOG
{
	local logs cases=
	mapfile -t logs < <(find . "$scratch" -name '*.log' \
		-newer "$scratch/start" ! -name test-suite.log \
		! -name config.log ! -path "$1")
	sanitizers_said
	[ ${#logs[@]} = 0 ] || cases=$(failed_cases "${logs[@]}")
	if [ -n "$cases" ]; then
		printf '%s\n' "$cases" | head -n 400
	else
		tail -n 60 "$1"
	fi | sed 's/^/    /'
}

# check NAME COMMAND...: run the command, count its cases, and print one line
check()
{
	local name=$1 log=$scratch/check.log status start=$SECONDS
	local good bad skips shaky=0
	shift
	rm -f "$scratch/unsteady" "$scratch"/sanitizer.*
	touch "$scratch/start"
	("$@") >"$log" 2>&1 </dev/null
	status=$?
	good=$(count PASS "$log")
	skips=$(count SKIP "$log")
	bad=$(($(count FAIL "$log") + $(count XPASS "$log") + \
		$(count ERROR "$log")))
	if [ $((good + bad + skips)) = 0 ] && [ $status = 0 ]; then
		good=1
	elif [ $status != 0 ] && [ "$bad" = 0 ]; then
		bad=1
	elif [ $status = 0 ] && [ -e "$scratch/unsteady" ]; then
		bad=0
		shaky=$(grep -c '^not ok' "$scratch/unsteady")
		[ "$shaky" != 0 ] || shaky=1
	fi
	passed=$((passed + good))
	failed=$((failed + bad))
	skipped=$((skipped + skips))
	unsteady=$((unsteady + shaky))
	if [ "$bad" = 0 ]; then
		printf 'ok      %-44s %5d cases %4d s\n' "$name" \
			$((good + skips)) $((SECONDS - start))
	else
		printf 'not ok  %-44s %5d failed, exit status %d\n' "$name" \
			"$bad" "$status"
		explain "$log"
	fi >"$scratch/lines"
	[ "$shaky" = 0 ] || sed '1i unsteady:
		s/^/    /' "$scratch/unsteady" >>"$scratch/lines"
	cat "$scratch/lines"
	[ "$bad" = 0 ]
}

# --- A second try ------------------------------------------------------------

# A test that fails beside others and passes alone is a bug, in the test or in
# the program; but it shall not hide what the steps behind it find.

# Suites of this directory that have failed since the check began.
failed_suites()
{
	find . -name '*.trs' -newer "$scratch/start" \
		-exec grep -lx ':recheck: *yes' {} +
}

# again COMMAND...: after a make check that failed.  At most two suites are run
# once more, alone, by the command; what they said the first time is kept.
again()
{
	local suites log
	mapfile -t suites < <(failed_suites)
	case ${#suites[@]} in
	1 | 2) ;;
	*) return 1 ;;
	esac
	suites=("${suites[@]/%.trs/.log}")
	[ -z "$(sanitizers_said)" ] || return
	for log in "${suites[@]}"; do
		failed_cases "$log" | grep . || tail -n 20 "$log"
	done >"$scratch/first"
	"$@" >"$scratch/second" 2>&1 || return
	mv "$scratch/first" "$scratch/unsteady"
}

# tested MAKE-WORD...: make check, in this directory
tested()
{
	make "$jobs" check "$@" || again make -j1 recheck "$@"
}

# --- What several steps need -------------------------------------------------

# install COMMAND:PACKAGE...: the packages whose command is missing
install()
{
	local missing=() sudo=() pair try lock
	for pair; do
		command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
	done
	[ ${#missing[@]} != 0 ] || return 0
	[ "$(id -u)" = 0 ] || sudo=(sudo)
	# The step beside this one may be installing as well.
	exec {lock}>"$top/lock"
	flock "$lock"
	for try in 1 2 3; do
		"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q \
			-o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
			install -y --no-install-recommends "${missing[@]}" &&
			return
		"${sudo[@]}" apt-get -q -o Acquire::Retries=3 update
	done
	echo "not installed on try $try: ${missing[*]}"
	return 1
}

# The clone, with everything built; a no-op after the step build.
built_clone()
{
	[ -x qpu-sha256sum ] || check "bootstrap" ./bootstrap
}

unpacked_tarball()
{
	[ ! -d "$source" ] || return 0
	built_clone && check "make dist" unpack_tarball
}

unpack_tarball()
{
	make dist-gzip &&
	mkdir "$source" &&
	tar -xf qpu-sha256sum-*.tar.gz -C "$source" --strip-components=1 &&
	mv qpu-sha256sum-*.tar.gz "$tarball"
}

# build NAME CONFIGURE-WORD...: the tarball, in a directory of its own
build()
{
	mkdir "$scratch/$1" && cd "$scratch/$1" &&
	shift &&
	"$source/configure" --enable-werror "$@" &&
	make "$jobs" all
}
