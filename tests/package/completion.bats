#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# completion: for each program that is built, bash, zsh and fish offer the
# options of --help and no others, and the values that are accepted.

load ../support/common

completion=$TOP/src/completion

setup()
{
	is_ours || skip "GNU's has a completion of its own"
	enter_scratch
	mapfile -t programs < <(programs_built)
	touch 'a list'
	export HOME=$PWD
}

installed()	# installed SHELL
{
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

# The program of a name: qpu-sha256sum may be elsewhere than its tools.
program()
{
	case $1 in
	qpu-sha256sum)	echo "$PROGRAM" ;;
	*)		echo "$BUILD/$1" ;;
	esac
}

# same_options SHELL COMMAND: what the command prints for each program is
# what --help has, each once, with or without = behind it
same_options()
{
	local name
	for name in "${programs[@]}"; do
		"$2" "$name" >offered
		tr -d = <offered | sort >"$name.$1"
		options_of_help "$(program "$name")" >"$name.help"
		[ "$(wc -l <"$name.help")" -ge 4 ]
		same "$name.help" "$name.$1" || fail "$1: $name"
	done
}

# --- bash ---------------------------------------------------------------------

# in_bash WORD...: what the function of the first word's program offers for
# the last word, where the words are cut as readline cuts them
in_bash()
{
	bash -c '
		compopt() { :; }
		. "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		[[ $(complete -p "$1") =~ -F\ ([^ ]+) ]]
		word=${COMP_WORDS[-1]}
		case $word in [=:@]) word= ;; esac
		"${BASH_REMATCH[1]}" "$1" "$word" "${COMP_WORDS[-2]}"
		[ ${#COMPREPLY[@]} = 0 ] || printf "%s\n" "${COMPREPLY[@]}"' \
		"$completion/bash/$1" "$@"
}

bash_options()
{
	in_bash "$1" -
}

@test "bash: each option of --help, and no other" {
	same_options bash bash_options
}

@test "bash: no options behind --, and none where a name is begun" {
	[ -z "$(in_bash qpu-sha256sum -- -)" ]
	[ -z "$(in_bash qpu-sha256sum --check a)" ]
	[ -z "$(in_bash qpurun a)" ]
	[ "$(in_bash qpu-sha256sum --check --st)" = $'--stats\n--status\n--strict' ]
}

@test "bash: any file behind -c, as readline completes names" {
	local name
	[ -z "$(in_bash qpu-sha256sum -c '')" ]
	[ -z "$(in_bash qpu-sha256sum --files0-from = '')" ]
	for name in "${programs[@]}"; do
		bash -c '. "$1"; complete -p "$2"' - "$completion/bash/$name" \
			"$name" >out
		grep -qe '-o default' out || fail "$name"
	done
}

@test "bash: the values of --device, in one word and in two" {
	printf '%s\n' auto cpu emulator emulator: emulator+cpu emulator+cpu: \
		qpu qpu: qpu+cpu qpu+cpu: >right
	in_bash qpu-sha256sum --device = >out
	same right out
	in_bash qpu-sha256sum --device '' >out
	same right out
	[ "$(in_bash qpu-sha256sum --device = a)" = auto ]
	[ "$(in_bash qpu-sha256sum --device a)" = auto ]
}

@test "bash: the words of the emulator, behind colon and comma" {
	in_bash qpu-sha256sum --device = emulator : >all
	[ "$(wc -l <all)" = 18 ]
	in_bash qpu-sha256sum --device emulator : >out
	same all out
	[ "$(in_bash qpu-sha256sum --device = emulator : ti)" = timed ]
	[ "$(in_bash qpu-sha256sum --device = emulator : check,ti)" = \
		check,timed ]
	[ "$(in_bash qpu-sha256sum --device = emulator : qpus = 2,ti)" = \
		2,timed ]
	[ "$(in_bash qpu-sha256sum --device = emulator : fault = lan)" = lane@ ]
}

@test "bash: the words of the QPUs" {
	in_bash qpu-sha256sum --device = qpu : >out
	printf '%s\n' counters mailbox registers short >right
	same right out
	[ "$(in_bash qpu-sha256sum --device = qpu : counters,m)" = \
		counters,mailbox ]
	[ "$(in_bash qpu-sha256sum --device = qpu+cpu : counters,m)" = \
		counters,mailbox ]
	[ "$(in_bash qpu-sha256sum --device = emulator+cpu : check,ti)" = \
		check,timed ]
}

@test "bash: the word behind --list-devices=" {
	[ "$(in_bash qpu-sha256sum --list-devices = d)" = details ]
	[ -z "$(in_bash qpu-sha256sum --list-devices = x)" ]
}

@test "bash: directories behind --unlisted=" {
	mkdir dir
	touch dirt
	[ "$(in_bash qpu-sha256sum -c --unlisted = d)" = dir ]
}

@test "bash: what is typed is never expanded" {
	in_bash qpu-sha256sum '--device=emulator:$(touch expanded),ti' >out
	in_bash qpu-sha256sum --threads = '$(touch expanded)' >out
	[ ! -e expanded ]
}

@test "bash: --threads goes up to the number of processors" {
	(echo 0; seq "$(nproc)") >right
	in_bash qpu-sha256sum --threads = >out
	same right out
}

@test "bash: the values of qpuasm --format" {
	[ "$(in_bash qpuasm --format =)" = $'bin\nc\nhex' ]
	[ "$(in_bash qpuasm --format = h)" = hex ]
	[ "$(in_bash qpuasm --format h)" = hex ]
}

@test "bash: the values of qpuemu, and where its program begins" {
	needs qpuemu
	in_bash qpuemu --board = >out
	"$(program qpuemu)" --help | tr -d '\n' | tr -s ' ' |
		sed 's/.*the board: //; s/ (default)//; s/ --.*//; s/ or / /' |
		tr -d ' ' | tr , '\n' | sort >right
	same right out
	[ "$(in_bash qpuemu --kms --fault = en)" = enable@ ]
	[ "$(in_bash qpuemu --leaks e)" = error ]
	# The program is a command; what follows is none of ours.
	in_bash qpuemu --fault = lane @ 3 --check --board pi2 bas | grep -qx bash
	in_bash qpuemu bas | grep -qx bash
	[ -z "$(in_bash qpuemu --kms bash --leaks = e)" ]
	[ -z "$(in_bash qpuemu bash -)" ]
	[ -z "$(in_bash qpuemu --trace = a)" ]
}

@test "what is offered for --device is accepted, and the message has it" {
	local word
	needs qpu
	for word in $(in_bash qpu-sha256sum --device =); do
		sum --device="${word%:}" --list-devices >out
	done
	for word in $(in_bash qpu-sha256sum --device = emulator :); do
		[[ $word != *[=@] ]] || word+=1
		sum --device="emulator:$word" a* >out 2>err ||
			fail "$word: $(cat err)"
		echo "$word" | grep -oE '[a-z]+' >>offered
	done
	sum --device=emulator:bogus a* 2>err && fail 'bogus is accepted'
	sed 's/.* is none of //; s/ with / /; s/ and / /; s/ or / /' err |
		grep -oE '[a-z]+' | sort -u >accepted
	sort -u offered >out
	same accepted out
}

# --- zsh ----------------------------------------------------------------------

# The options among the specifications that are given to _arguments.
zsh_options()
{
	zsh -fc '_arguments() { print -rl -- "$@" }; . "$1"' - \
		"$completion/zsh/_$1" |
		sed -nE 's/^(\([^)]*\))?\*?(--?[A-Za-z0-9][a-z0-9-]*)([=+[].*)/\2/p'
}

# The same, as far as can be told without zsh.
zsh_options_in_text()
{
	sed "1,/^_arguments/d; s/\[[^]]*]//g; s/:.*//; s/'([^)]*)/'/" \
		"$completion/zsh/_$1" |
		grep -oE "[{',*]--?[A-Za-z0-9][a-z0-9-]*" |
		grep -oE -e '-.*'
}

@test "zsh: each option of --help, and no other" {
	installed zsh
	same_options zsh zsh_options
}

@test "zsh: each option of --help, and no other, in the text" {
	same_options zsh zsh_options_in_text
}

@test "zsh: syntax, and the command each file is for" {
	local name
	installed zsh
	for name in "${programs[@]}"; do
		zsh -n "$completion/zsh/_$name"
		head -n 1 "$completion/zsh/_$name" | grep -qx "#compdef $name"
	done
}

# --- fish ---------------------------------------------------------------------

# in_fish PROGRAM LINE: what fish offers, without the descriptions
in_fish()
{
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
		"$completion/fish/$1.fish" "$2" | cut -f 1
}

fish_options()
{
	in_fish "$1" "$1 -"
}

fish_options_in_text()
{
	grep -E '^(complete|\$own) ' "$completion/fish/$1.fish" |
		grep -oE -e ' -[sl] [A-Za-z0-9-]+' |
		sed 's/ -s /-/; s/ -l /--/'
}

@test "fish: each option of --help, and no other" {
	installed fish
	same_options fish fish_options
}

@test "fish: each option of --help, and no other, in the text" {
	same_options fish fish_options_in_text
}

@test "fish: the values of --device, and any file behind -c" {
	installed fish
	in_fish qpu-sha256sum 'qpu-sha256sum --device=emulator:qpus=2,t' >out
	[ "$(cat out)" = --device=emulator:qpus=2,timed ]
	[ "$(in_fish qpu-sha256sum 'qpu-sha256sum --device=qpu:counters,m')" = \
		--device=qpu:counters,mailbox ]
	in_fish qpu-sha256sum 'qpu-sha256sum --device=qpu+cpu:counters,m' >out
	[ "$(cat out)" = --device=qpu+cpu:counters,mailbox ]
	in_fish qpu-sha256sum 'qpu-sha256sum --device=emulator+cpu:qpus=2,t' >out
	[ "$(cat out)" = --device=emulator+cpu:qpus=2,timed ]
	in_fish qpu-sha256sum 'qpu-sha256sum --device emulator:' |
		sed 's/emulator://' | sort >out
	in_bash qpu-sha256sum --device = emulator : | sort >right
	same right out
	in_fish qpu-sha256sum 'qpu-sha256sum -c ' >out
	grep -qx 'a list' out
}

@test "fish: options of qpuemu end where its program begins" {
	installed fish
	[ "$(in_fish qpuemu 'qpuemu --board pi2 --leaks=e')" = --leaks=error ]
	[ "$(in_fish qpuemu 'qpuemu --leaks e')" = error ]
	[ -z "$(in_fish qpuemu 'qpuemu --kms bash --leaks=e')" ]
	in_fish qpuemu 'qpuemu --board pi2 bas' | grep -qx bash
}
