#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# qpuemu-options: what each option makes of the board, and what is wrong with
# one that is refused.

load qpuemu

SHOW=$BUILD/tests/virtual/show-board

# shows OPTION... <<LINES: these lines, and no others, differ without options.
shows()
{
	local line now changed='' expected=''
	[ -n "${usual-}" ] || usual=$'\n'$(emu "$SHOW")$'\n'
	now=$(emu "$@" "$SHOW" 2>err) || fail "$*: $(cat err)"
	while read -r line; do
		[[ $usual == *$'\n'"$line"$'\n'* ]] || changed+=$line$'\n'
	done <<<"$now"
	while read -r line; do
		expected+=$line$'\n'
		[[ $changed == *"$line"$'\n'* ]] || fail "$*: $changed"
	done
	[ ${#expected} = ${#changed} ] || fail "$*: $changed"
}

# refuses MESSAGE OPTION...: its first line, without the program's name
refuses()
{
	local message=$1
	shift
	status=0
	output=$("$EMU" "$@" true 2>&1) || status=$?
	[ "$status" = 125 ] || fail "$*: status $status"
	[ "${output%%$'\n'*}" = "qpuemu: $message" ] || fail "$*: $output"
}

# number OPTION LINE LEAST MOST: up to MOST, and no number outside
number()
{
	shows "$1=$4" <<<"$2 $4"
	refuses "$1: '$(($4 + 1))' is not a number between $3 and $4" \
		"$1=$(($4 + 1))"
	refuses "$1: '$(($3 - 1))' is not a number between $3 and $4" \
		"$1=$(($3 - 1))"
}

@test "--help lists all options in the order of their names" {
	emu --help | sed -nE 's/^ {2,6}(-., )?(--[^ ]+).*/\2/p' >now
	diff - now <<-'END'
	--board=NAME
	--check
	--classic-vcsm
	--clock-state=STATE
	--cma=MIB
	--cma-hole=MIB
	--counters
	--debug
	--debug-launch=N
	--debug-script=FILE
	--delay=MS
	--dirty=HOW
	--enable-answers=WHICH
	--evictions
	--fault=KIND@N
	--fkms
	--heap-name=NAME
	--heap-used=MIB
	--ignore=RULE,...
	--kernel-timeout=MS
	--kms
	--late-free=N
	--leaks=WHAT
	--lines=FILE
	--memory=MIB
	--modprobe
	--no-kms
	--no-mem
	--no-vcio
	--no-vcsm
	--profile
	--qpus=N
	--render-node=WHAT
	--render-number=N
	--seed=N
	--skip-tags
	--system=NAME
	--timed
	--timeline=FILE
	--trace=FILE
	--udev-rule
	--user=WHO
	--v3d-clock=MHZ
	--vcsm-delay=MS
	--help
	--usage
	--version
	END
}

# --- What options do ------------------------------------------------------------

@test "without options it is a Pi 1" {
	emu "$SHOW" >now
	diff - now <<-'END'
	qpus 12
	memory 64
	timed 0
	check 0
	seed 0
	fault 0
	fault-at 0
	board pi1
	system plain
	refuse-enable 0
	late-launch 0
	v3d-clock 250
	clock-state 0
	skip-tags 0
	enable-answers 0
	dirty 0
	heap-used 0
	cma 64
	cma-hole 0
	evictions 0
	late-free 0
	vcsm-delay 0
	delay 0
	kms 0
	render-node 0
	render-number 128
	vc4-fault 0
	vc4-fault-at 0
	user 0
	modprobe 0
	udev-rule 0
	kernel-timeout 0
	ignore 0
	profile 0
	debug 0
	debug-launch 1
	trace -
	timeline -
	lines -
	debug-script -
	vcio 1
	vcsm-cma 1
	mem 1
	gencmd 0
	heap 0
	vcsm 0
	card 0
	render 0
	END
}

@test "numbers have limits on both sides" {
	shows --cma=0 <<<"cma 0"
	number --heap-used heap-used 0 1024
	number --cma-hole cma-hole 0 1024
	number --late-free late-free 0 1000
	number --v3d-clock v3d-clock 0 2000
	number --delay delay 0 60000
	number --vcsm-delay vcsm-delay 0 60000
	number --kernel-timeout kernel-timeout 0 3600000
	shows --qpus=1 <<<"qpus 1"
	refuses "--qpus: '0' is not a number between 1 and 12" --qpus=0
	refuses "--qpus: '13' is not a number between 1 and 12" --qpus=13
	local text
	for text in "" x 1x " 1" 99999999999999999999; do
		refuses "--delay: '$text' is not a number between 0 and 60000" \
			--delay="$text"
	done
	refuses "--cma: '1025' is not a number between 0 and 1024" --cma=1025
	refuses "this board has at most 496 MiB for GPU memory and CMA together" \
		--cma=1024
}

@test "memory of both kinds is what the board has" {
	shows --memory=432 <<<"memory 432"
	refuses "this board has at most 496 MiB for GPU memory and CMA together" \
		--memory=433
	refuses "--memory: '1009' is not a number between 1 and 1008" --memory=1009
	refuses "--memory: '0' is not a number between 1 and 1008" --memory=0
	shows --cma=432 <<<"cma 432"
	refuses "this board has at most 496 MiB for GPU memory and CMA together" \
		--cma=433
	shows --board=pi2 --memory=512 --cma=480 <<-'END'
	board pi2
	memory 512
	cma 480
	END
	refuses "this board has at most 992 MiB for GPU memory and CMA together" \
		--board=pi2 --memory=512 --cma=481
}

@test "boards and systems are known by name" {
	shows --board=pi3 <<-'END'
	board pi3
	v3d-clock 400
	END
	shows --board=pi3 --v3d-clock=250 <<<"board pi3"
	shows --system=bullseye <<-'END'
	cma 256
	kms 1
	system bullseye
	heap 1
	card 1
	render 1
	END
	shows --board=pi3 --system=bookworm64 --no-kms <<-'END'
	board pi3
	v3d-clock 400
	system bookworm64
	heap 1
	END
	shows --system=mainline --no-kms <<-'END'
	kms 1
	system mainline
	vcio 0
	vcsm-cma 0
	card 1
	render 1
	END
	shows --system=fedora --cma=100 <<-'END'
	cma 100
	kms 1
	system fedora
	vcio 0
	vcsm-cma 0
	card 1
	render 1
	END
	run emu --system=mainline test -d /sys/module/vc4
	gives 0 ""
	refuses "--board is pi1, pi1b+, zero, zerow, pi2, pi2v1.2, pi3, pi3b+, \
pi3a+, zero2, pi4, pi5 or pc, not 'pi7'" --board=pi7
	refuses "--system is plain, buster, bullseye, bookworm32, bookworm64, \
trixie, dietpi, mainline, debian, fedora or ubuntu, not ''" --system=
	refuses "bookworm64 needs a 64-bit CPU; that of this board has 32 bits" \
		--system=bookworm64
}

@test "words choose one of a few" {
	shows --leaks=report --dirty=none --user=root --enable-answers=all \
		</dev/null
	shows --enable-answers=ends <<<"enable-answers 1"
	shows --enable-answers=single <<<"enable-answers 2"
	shows --enable-answers=stays <<<"enable-answers 3"
	shows --enable-answers=forever <<<"enable-answers 4"
	shows --clock-state=off --skip-tags <<-'END'
	clock-state 3
	skip-tags 1
	END
	shows --dirty=some --leaks=ignore <<<"dirty 1"
	shows --dirty=all --leaks=ignore <<<"dirty 2"
	shows --user=video <<<"user 1"
	shows --user=nobody <<<"user 2"
	refuses "--leaks is report, error or ignore, not 'all'" --leaks=all
	refuses "--enable-answers is all, ends, single, stays or forever, not \
'x'" \
		--enable-answers=x
	shows --dirty=runs --leaks=ignore <<<"dirty 3"
	refuses "--dirty is none, some, all or runs, not ''" --dirty=
	shows --user=first <<<"user 3"
	refuses "--user is root, video, nobody or first, not 'pi'" --user=pi
}

@test "nodes come and go" {
	shows --no-mem <<<"mem 0"
	shows --no-vcio <<<"vcio 0"
	shows --no-vcsm <<<"vcsm-cma 0"
	shows --classic-vcsm <<<"vcsm 1"
	shows --udev-rule <<<"udev-rule 1"
	shows --modprobe <<<"modprobe 1"
	for driver in --kms --fkms; do
		shows $driver --cma=64 <<-'END'
		kms 1
		card 1
		render 1
		END
	done
	shows --kms --no-kms </dev/null
	shows --kms --cma=64 --render-node=none --render-number=130 <<-'END'
	kms 1
	card 1
	render-node 1
	render-number 130
	END
	run emu --kms test -e /proc/device-tree/soc/firmwarekms@7e600000
	gives 1 ""
	run emu --fkms test -e /proc/device-tree/soc/firmwarekms@7e600000
	gives 0 ""
}

@test "the emulated device has options of its own" {
	shows --qpus=3 --seed=77 --check --timed <<-'END'
	qpus 3
	seed 77
	check 1
	timed 1
	END
	refuses "--seed: '1,timed' is not a number" --seed=1,timed
}

@test "faults are chosen by kind and launch" {
	shows --fault=lane@2 <<-'END'
	fault 1
	fault-at 2
	END
	shows --fault=alloc@1 --leaks=ignore <<-'END'
	fault 13
	fault-at 1
	END
	shows --fault=tile@5 <<-'END'
	vc4-fault 3
	vc4-fault-at 5
	END
	shows --fault=enable@3 <<<"refuse-enable 3"
	shows --fault=late@5 <<<"late-launch 5"
	shows --fault=enable@4294967295 <<<"refuse-enable 4294967295"
	refuses "--fault: '0' is not a number between 1 and 4294967295" --fault=enable@0
	refuses "--fault: '4294967296' is not a number between 1 and 4294967295" \
		--fault=enable@4294967296
	local text
	for text in lane lane@1.0.3 lane@0 once@1 swap@1 lane@1,timed ""; do
		refuses "--fault is lane, stuck, refuse, late, alloc, enable, caches, \
slices or l2, with @N; for the kernel's driver busy, clear, eintr, exchange, hang, lost, reset, stale or \
tile, with @N" \
			--fault="$text"
	done
}

@test "files are known by their whole names" {
	mkdir sub
	cd sub
	: >lines
	: >script
	shows --trace=t --profile <<-END
	trace $PWD/t
	profile 1
	END
	shows --trace=/dev/null <<<"trace /dev/null"
	shows --timeline=x <<-END
	timeline $PWD/x
	timed 1
	END
	shows --lines=lines <<<"lines $PWD/lines"
	shows --debug <<<"debug 1"
	shows --debug-script=script <<-END
	debug 1
	debug-script $PWD/script
	END
	shows --debug-launch=2 <<-'END'
	debug 1
	debug-launch 2
	END
	shows --ignore=R5,C30 <<<"ignore $((1 << 5 | 1 << 30))"
	refuses "--debug-launch: '0' is not a number between 1 and 18446744073709551615" \
		--debug-launch=0
	local option
	for option in --trace --timeline --lines --debug-script; do
		refuses "$option: '' cannot be the name of a file" $option=
	done
	refuses "$PWD/none: No such file or directory" --lines=none
	refuses "$PWD/none: No such file or directory" --debug-script=none
	refuses "$PWD/none/x: No such file or directory" --timeline=none/x
	run emu --debug
	[ "$status" = 125 ]
	[ "${lines[0]}" = "qpuemu: no program given" ]
}
