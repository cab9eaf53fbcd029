#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# progress: the answer to SIGUSR1, and the line that --progress shows on a
# terminal.  The program is held by a FIFO that the test keeps open; nothing
# here sleeps.

load ../support/common

setup()
{
	is_ours || skip "GNU's is killed by the signal"
	enter_scratch
	printf 'first\n' >first
	printf 'last\n' >last
	first=$(digest_line first <first)
	last=$(digest_line last <last)
	mkfifo out err pid slow
	exec 7<>slow 8<>out 9<>err
}

teardown()
{
	end_started
}

# start ARGUMENT...: the program, held by stdin; writing to 8 and 9.  The program
# itself is $program.
start()
{
	timeout "$LIMIT" bash -c '
		echo $$ >pid
		exec -a sha256sum "$0" "$@"' \
		"$PROGRAM" "$@" <slow >out 2>err 3>&- 7>&- 8>&- 9>&- &
	started=$!
	read -r program <pid
}

# ask: a signal, and the line that answers it, in $answer
ask()
{
	kill -USR1 "$program"
	IFS= read -r -t "$LIMIT" -u 9 answer || fail "no answer"
	[[ $answer =~ ^sha256sum:\ [0-9]+(\ of\ [0-9]+)?\ files?,\ .*B,\ .*B/s$ ]] ||
		fail "no answer: $answer"
}

# ask_until PATTERN: the work goes on, until it is this far
ask_until()
{
	ask
	while [[ $answer != "sha256sum: "$1 ]]; do
		ask
	done
}

# --- SIGUSR1 -----------------------------------------------------------------

@test "SIGUSR1: a line on standard error, and the work goes on" {
	start first - last
	expect_line 8 "$first"
	ask_until '2 of 3 files, 0 kB, 0 kB/s'
	head -c 5000000 /dev/zero >&7
	ask_until '2 of 3 files, 5.0 MB, *'
	exec 7>&-
	expect_line 8 "$(head -c 5000000 /dev/zero | digest_line -)"
	expect_line 8 "$last"
	finish 0
}

@test "SIGUSR1 in check mode, while a list is waited for" {
	start -c
	printf '%s\n' "$first" >&7
	expect_line 8 'first: OK'
	ask_until '1 file, *'
	printf '%s\n' "$last" >&7
	expect_line 8 'last: OK'
	exec 7>&-
	finish 0
}

@test "SIGUSR1: many of them lose and tear nothing" {
	local i
	head -c 3000000 /dev/urandom >noise
	start --threads=2 first - noise
	expect_line 8 "$first"
	for ((i = 0; i < 100; i++)); do
		head -c 10000 noise >&7
		kill -USR1 "$program"
	done
	exec 7>&-
	expect_line 8 "$(for ((i = 0; i < 100; i++)); do
		head -c 10000 noise; done | digest_line -)"
	expect_line 8 "$(digest_line noise <noise)"
	wait "$started"
	started=
	echo end >&9
	while IFS= read -r -u 9 answer && [ "$answer" != end ]; do
		[[ $answer =~ ^sha256sum:\ [0-9]\ of\ 3\ files,\ [^:]*B/s$ ]] ||
			fail "torn: $answer"
	done
}

# --- --progress ---------------------------------------------------------------

# on_terminal COMMAND: bash's, whose standard error is a terminal; what the
# terminal gets is to be read from 8.  `script` takes the user's shell, or sh.
on_terminal()
{
	needs_terminal
	export PROGRAM TERM=xterm
	SHELL=$BASH timeout "$LIMIT" script -qec "$1" /dev/null \
		</dev/null >out 2>err 3>&- 6>&- 7>&- 8>&- 9>&- &
	started=$!
}

# see TEXT: what the terminal gets up to this, added to the file seen
see()
{
	local char
	local got=
	while [[ $got != *"$1" ]]; do
		IFS= read -r -d '' -n 1 -t "$LIMIT" -u 8 char ||
			fail "never seen: $1; but: $got"
		got+=$char
	done
	printf '%s' "$got" >>seen
}

# screen <BYTES: what stands on the terminal in the end, without empty lines and
# blanks at the end of lines; ESC [ K erases to the end of the line
screen()
{
	awk 'BEGIN { RS = "\n" }
	{
		n = split($0, parts, "\r")
		line = ""
		for (i = 1; i <= n; i++) {
			erased = sub(/\033\[K$/, "", parts[i])
			rest = erased ? "" : substr(line, length(parts[i]) + 1)
			if ((at = index(parts[i], "\033[K")) > 0) {
				rest = ""
				parts[i] = substr(parts[i], 1, at - 1) \
					substr(parts[i], at + 3)
			}
			line = parts[i] rest
		}
		sub(/ *$/, "", line)
		if (line != "")
			print line
	}'
}

# end_of_terminal: the rest of what the terminal gets
end_of_terminal()
{
	wait "$started" || :
	started=
	printf '<end>' >&8
	see '<end>'
	sed -i 's/<end>$//' seen
}

@test "--progress: the line keeps changing, and nothing of it stays" {
	on_terminal 'exec "$PROGRAM" --progress first - last <slow'
	see $'\n'
	see '2 of 3 files, 0 kB'
	head -c 2000000 /dev/zero >&7
	see '2 of 3 files, 2.0 MB'
	exec 7>&-
	end_of_terminal
	printf '%s\n' "$first" \
		"$(head -c 2000000 /dev/zero | digest_line -)" "$last" >expected
	screen <seen >got
	same expected got
}

@test "--progress -r: the trees are walked ahead of the work" {
	mkdir -p tree/sub
	cp first last tree/sub
	on_terminal 'exec "$PROGRAM" -r --progress - tree <slow'
	see '2 of 3 files'
	exec 7>&-
	end_of_terminal
	{
		digest_line - </dev/null
		digest_line tree/sub/first <first
		digest_line tree/sub/last <last
	} >expected
	screen <seen >got
	same expected got
}

@test "--progress: nothing of it stays after a write error" {
	on_terminal 'exec -a sha256sum "$PROGRAM" --progress - first <slow >/dev/full'
	see '1 of 2 files'
	exec 7>&-
	end_of_terminal
	[ "$(screen <seen)" = \
		'sha256sum: write error: No space left on device' ]
}

@test "--progress -c: nothing is taken from a list in a pipe" {
	mkfifo list
	exec 6<>list
	on_terminal 'exec "$PROGRAM" --progress -c list'
	printf '%s\n' "$first" >&6
	see '1 file,'
	see '1 file,'
	printf '%s\n' "$last" >&6
	exec 6>&-
	end_of_terminal
	printf '%s: OK\n' first last >expected
	screen <seen >got
	same expected got
}
