#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# completion: each program that is built offers the options of --help and no
# others, and the values that it accepts; bash, zsh and fish show them.

load ../support/common

completion=$BUILD/src/completion

setup()
{
	is_ours || skip "GNU's has a completion of its own"
	[ -d "$completion" ] || skip "not built here"
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

# offered NAME WORD...: what the program offers, without descriptions
offered()
{
	local path
	path=$(program "$1")
	shift
	"$path" --completion "$@" | cut -f 1
}

@test "each program offers each option of --help, and no other" {
	local name
	for name in "${programs[@]}"; do
		offered "$name" - | tr -d = | grep -v '^-?$' | sort >out
		options_of_help "$(program "$name")" | grep -v '^-?$' >right
		[ "$(wc -l <right)" -ge 4 ]
		same right out || fail "$name"
	done
}

@test "options are offered until a name begins, or -- stands before it" {
	[ "$(offered qpu-sha256sum --check --st)" = \
		$'--status\n--strict\n--stats' ]
	[ "$(offered qpu-sha256sum -- -)" = ':file ' ]
	[ "$(offered qpu-sha256sum --check a)" = ':file ' ]
	[ "$(offered qpu-sha256sum -c '')" = ':file ' ]
	[ "$(offered qpu-sha256sum a --tag --v)" = $'--version\n--verify' ]
}

@test "the value of an option is offered in one word and in two" {
	printf '%s\n' auto cpu >right
	! built_with qpu || printf '%s\n' auto qpu qpu: qpu+cpu qpu+cpu: cpu \
		emulator emulator: emulator+cpu emulator+cpu: >right
	offered qpu-sha256sum --device '' >out
	same right out
	offered qpu-sha256sum --device= | sed 's/--device=//' >out
	same right out
	[ "$(offered qpu-sha256sum --device=a)" = --device=auto ]
	[ "$(offered qpu-sha256sum --device x --device a)" = auto ]
	[ "$(offered qpu-sha256sum --list-devices=)" = --list-devices=details ]
	[ -z "$(offered qpu-sha256sum --list-devices=x)" ]
	[ "$(offered qpu-sha256sum --threads=0)" = --threads=0 ]
	[ "$(offered qpu-sha256sum --unlisted=)" = ':directory --unlisted=' ]
	[ "$(offered qpu-sha256sum --files0-from=x)" = ':file --files0-from=' ]
	"$PROGRAM" --completion --nothing= >out
	[ ! -s out ]
}

@test "options of a device are offered after colon and comma" {
	needs qpu
	[ "$(offered qpu-sha256sum --device=emulator:check,time)" = \
		--device=emulator:check,timed ]
	[ "$(offered qpu-sha256sum --device emulator+cpu:qpus=2,se)" = \
		emulator+cpu:qpus=2,seed= ]
	[ "$(offered qpu-sha256sum --device=qpu+cpu:counters,m)" = \
		--device=qpu+cpu:counters,mailbox ]
	[ "$(offered qpu-sha256sum --device=emulator:fault=lan)" = \
		--device=emulator:fault=lane@ ]
	# Each way to a device has faults of its own.
	[ -z "$(offered qpu-sha256sum --device=emulator:fault=tileb)" ]
	[ "$(offered qpu-sha256sum --device=emulator:tiles,fault=tileb)" = \
		--device=emulator:tiles,fault=tilebit@ ]
	[ -z "$(offered qpu-sha256sum --device=emulator:tiles,fault=refu)" ]
}

@test "what is offered for --device is accepted, and the message has it" {
	local word
	needs qpu
	for word in $(offered qpu-sha256sum --device=); do
		sum "${word%:}" --list-devices >out
	done
	for word in $(offered qpu-sha256sum --device=emulator:) \
		$(offered qpu-sha256sum --device=emulator:fault=); do
		# With the first memory that it asks for the device is open.
		[[ $word != *@ ]] || word+=2
		[[ $word != *= ]] || word+=1
		[[ $word != *fault=1 ]] || continue
		# With one QPU it takes a twelfth of the time.
		sum "${word/:/:qpus=1,}" a* >out 2>err ||
			fail "$word: $(cat err)"
		word=${word#*:}
		echo "${word%%=*}" >>accepted
	done
	[ "$(offered qpu-sha256sum --device=emulator:fault= | wc -l)" = \
		"$(grep -c '^PI_FAULT.*LANES' "$TOP/qpu/pi/fault.def")" ]
	sum --device=emulator:bogus a* 2>err && fail 'bogus is accepted'
	sed 's/.* is none of //; s/ and / /' err |
		grep -oE '[a-z]+' | sort -u >right
	sort -u accepted >out
	same right out
}

@test "qpuemu's options end where its program begins" {
	needs qpuemu
	offered qpuemu --board= | sed 's/--board=//' | sort >out
	"$BUILD/qpuemu" --help | tr -d '\n' | tr -s ' ' |
		sed 's/.*the board: //; s/ (default)//; s/ --.*//; s/ or / /' |
		tr -d ' ' | tr , '\n' | sort >right
	same right out
	[ "$(offered qpuemu --kms --fault=ca)" = --fault=caches@ ]
	[ "$(offered qpuemu --leaks e)" = error ]
	[ "$(offered qpuemu --fault stuck@3 --check ba)" = ':words 3' ]
	[ "$(offered qpuemu --kms bash --leaks=e)" = ':words 1' ]
	[ "$(offered qpuemu -- bash -)" = ':words 1' ]
	[ "$(offered qpuemu - e)" = ':words 0' ]
}

@test "qpuasm offers formats, and directories after -I" {
	needs tools
	[ "$(offered qpuasm --format=)" = $'--format=bin\n--format=hex\n--format=c' ]
	[ "$(offered qpuasm -I '')" = ':directory ' ]
	[ "$(offered qpuasm -o '')" = ':file ' ]
}

# --- shells -------------------------------------------------------------------

# in_bash WORD...: what bash offers for the last word, where the words are cut
# as readline cuts them; with `nested` set as another completion calls this one
in_bash()
{
	bash -c '
		compopt() { :; }
		. "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		[[ $(complete -p "${1##*/}") =~ -F\ ([^ ]+) ]]
		word=${COMP_WORDS[-1]}
		case ${nested-}$word in [=:@]) word= ;; esac
		"${BASH_REMATCH[1]}" "$1" "$word" "${COMP_WORDS[-2]}"
		[ ${#COMPREPLY[@]} = 0 ] || printf "%s\n" "${COMPREPLY[@]}"' \
		"$completion/bash/${1##*/}" "$@"
}

@test "bash offers words without what it takes for other words" {
	local name
	[ "$(in_bash "$PROGRAM" --device = a)" = auto ]
	[ "$(nested=yes in_bash "$PROGRAM" --device =)" = \
		"$(in_bash "$PROGRAM" --device =)" ]
	[ "$(in_bash "$PROGRAM" --device = | head -n 1)" = auto ]
	[ "$(in_bash "$PROGRAM" --device a)" = auto ]
	[ "$(in_bash "$PROGRAM" --check --st)" = $'--status\n--strict\n--stats' ]
	[ -z "$(in_bash "$PROGRAM" -c a)" ]
	! built_with qpu ||
		[ "$(in_bash "$PROGRAM" --device = emulator : qpus = 2,time)" = \
			2,timed ]
	for name in "${programs[@]}"; do
		bash -c '. "$1"; complete -p "$2"' - "$completion/bash/$name" \
			"$name" >out
		grep -qe '-o default' out || fail "$name"
	done
}

@test "a link named sha256sum is completed as the manual says" {
	mkdir bin
	ln -s "$PROGRAM" bin/sha256sum
	export PATH=$PWD/bin:${PROGRAM%/*}:$PATH
	[ "$(sha256sum --completion --unl)" = "$("$PROGRAM" --completion --unl)" ]
	sed -n 's/\\-/-/g; /^complete -.* -F /p' "$TOP/man/qpu-sha256sum.1" >line
	[ -s line ]
	cat "$completion/bash/qpu-sha256sum" line >both
	[ "$(bash -c '. ./both; _qpu_complete() { echo "$1"; }
		complete -p sha256sum')" = "$(cat line)" ]
	command -v fish >/dev/null || return 0
	sed -n 's/\\-/-/g; /^complete -c /p' "$TOP/man/qpu-sha256sum.1" >line
	cat "$completion/fish/qpu-sha256sum.fish" line >both
	fish --no-config -c 'source both; complete -C "sha256sum --unl"' |
		grep -q '^--unlisted'
}

@test "bash expands nothing that is typed" {
	in_bash "$PROGRAM" '--device=emulator:$(touch expanded),ti' >out
	in_bash "$PROGRAM" --threads = '$(touch expanded)' >out
	[ ! -e expanded ]
}

@test "bash offers commands for the program of qpuemu" {
	needs qpuemu
	in_bash "$BUILD/qpuemu" --fault = lane @ 3 --check --board pi2 bas |
		grep -qx bash
	in_bash "$BUILD/qpuemu" bas | grep -qx bash
	[ -z "$(in_bash "$BUILD/qpuemu" --kms bash --leaks = e)" ]
}

@test "zsh reads each file, which names its command" {
	local name
	for name in "${programs[@]}"; do
		head -n 1 "$completion/zsh/_$name" | grep -qx "#compdef $name"
		! command -v zsh >/dev/null || zsh -n "$completion/zsh/_$name"
	done
}

@test "fish offers options, values and files" {
	installed fish
	in_fish()
	{
		fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
			"$completion/fish/qpu-sha256sum.fish" "$1" | cut -f 1
	}
	PATH=${PROGRAM%/*}:$PATH
	[ "$(in_fish 'qpu-sha256sum --benchm')" = --benchmark ]
	[ "$(in_fish 'qpu-sha256sum --device=a')" = --device=auto ]
	in_fish 'qpu-sha256sum --device=' | sed 's/--device=//' | sort >out
	offered qpu-sha256sum --device '' | sort >right
	same right out
	in_fish 'qpu-sha256sum -c ' >out
	grep -qx 'a list' out
}
