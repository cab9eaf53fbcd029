#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154
#
# board: the program on virtual Raspberry Pis: who can use the QPUs, the messages
# where they cannot be used or fail, and other programs on the same board.

load pi

@test "the QPUs of boards and systems hash, by the kernel's driver where it has the GPU" {
	local options device name
	while IFS='|' read -r options device name; do
		on_pi "$options" --device="$device" "${VERIFY[@]}" --stats \
			file* >out 2>err </dev/null || fail "$(cat err)"
		same right out
		grep -q "stats: device: $name\$" err || fail "$(cat err)"
		no_line_but '^sha256sum: stats: ' err
	done <<-'END'
	--kms --system=trixie --user=first|qpu|drm
	--kms --user=first|qpu:drm|drm
	--board=pi3 --system=bookworm64|qpu|mailbox
	--system=buster --cma=1|qpu:mailbox|mailbox
	END
	# Checking mode takes long: the smallest file.
	on_pi '--board=pi1 --check --seed=2' --device=qpu file1 >out 2>err
	[ ! -s err ] || fail "$(cat err)"
	same <(oracle file1) out
	# No advice leads to a driver that the firmware refuses.
	on_pi '--board=pi1a --kms' --list-devices=details >out
	! grep -q drm out || false
	[ "$(tail -n 1 out)" = \
		'Nothing is left to do: --device=qpu uses mailbox.' ]
}

# boards.golden has all reasons, and qpuemu-programs.bats the users and systems.
@test "a board whose QPUs cannot be used is refused, for the last way's reason" {
	refuses --board=pi4 'Raspberry Pi 4 .*another GPU'
	refuses --fault=alloc@1 'vcsm-cma has no 4 KiB'
	refuses '' "'directly' is none of drm and mailbox" --device=qpu:directly
	refuses --kms 'comment out dtoverlay=vc4-kms-v3d in /boot' \
		--device=qpu:mailbox
	refuses '' 'put dtoverlay=vc4-kms-v3d into /boot' --device=qpu:drm
}

@test "faults of launches and of memory: the CPU, or another try, makes up for them" {
	! under_qemu || skip "the same on each CPU, and takes long"
	each_row <<-'END'
	--fault=refuse@1|heals|did not start
	--fault=stuck@1|heals|did not
	--fault=refuse@6|survives|did not start
	--system=bullseye --cma=4 --fault=stuck@6|survives|a process keeps their memory until the next boot
	--fault=caches@6|survives|wrong answer
	--fault=late@6|survives|did not answer
	--kms --user=first --fault=hang@3|hashes
	--kms --user=first --fault=reset@3|heals|has not stored all
	--fault=alloc@2|survives| KiB
	END
}

# --- Messages ----------------------------------------------------------------

@test "--list-devices says the same as a refusal, and touches nothing" {
	on_pi --board=pi3 --list-devices >out 2>err
	[ ! -s err ]
	grep -q '^qpu .* usable as far as can be seen: ' out
	# The rate of QPUs would be no rate of an emulator.
	grep -q '^emulator  *tiles .*; not measured yet' out
	on_pi '--kms --user=first' --list-devices >out 2>err
	[ ! -s err ]
	[ "$(grep -c '^qpu ' out)" = 1 ]
	grep -q '^qpu  *drm  *usable as far as can be seen: ' out
}

@test "statistics are those of the device, and its memory" {
	local options memory
	while IFS='|' read -r options memory; do
		on_pi "--board=pi3 $options" --device=qpu \
			--stats file* >out 2>err </dev/null
		same right out
		grep -q 'stats: QPUs: 12$' err
		grep -q 'stats: clock of the QPUs.*: 400 MHz$' err
		grep -q 'stats: time in launches, measured: ' err
		grep -q 'counter: restarts of the QPUs: 0$' err
		grep -q "stats: memory of the QPUs: $memory\$" err
		! grep -q 'modelled' err || fail "nothing here is a model's"
	done <<-'END'
	--system=bullseye --cma=4|/dev/dma_heap/linux,cma
	--system=buster|/dev/vcsm-cma
	END
}

# The clock of the program is faster: it measures less.
@test "--benchmark measures memory and files on the QPUs" {
	! quick || skip "takes long"
	needs preload
	! under_qemu || skip "the emulator's loader takes one preload library"
	FAULTS=clock:20 FAULTS_LOG=$PWD/faults LD_PRELOAD=$PRELOAD \
		on_pi '--kms --user=first' --benchmark --device=qpu >out 2>err
	[ ! -s err ] || fail "$(cat err)"
	grep -Eq '^engine +drm +64 KiB +186 +[0-9.]+' out
	grep -Eq '^engine +drm +4 KiB files +186 +[0-9.]+' out
	! grep -Ev '^(engine +drm|  |core cycles: )' out || false
}

# chooses "QPUEMU'S OPTIONS" THREADS ENGINE FILE...: what --device=auto takes.
# It looks at files for 100 ms, which are as long as they take: the clock stands.
chooses()
{
	needs preload
	FAULTS=clock:0 FAULTS_LOG=$PWD/faults LD_PRELOAD=$PRELOAD \
		on_pi "$1" --stats --threads="$2" "${@:4}" >out 2>err
	grep -q "stats: device: $3\$" err || fail "$1: $(cat err)"
	grep -Eq 'stats: mailbox is .*: estimated for [0-9]+ files, [0-9.]+ s by' \
		err || fail "$1: $(cat err)"
}

@test "QPUs are used unasked where they save time, and not where they cannot" {
	! under_qemu || skip "the same on each CPU, and takes long"
	local node version rate cache=$XDG_CACHE_HOME/qpu-sha256sum
	truncate -s 100000 many{0..199}
	chooses --board=pi3 4 mailbox many*
	chooses --board=pi3 4 cpu many1 many2 many3
	chooses --board=pi3 4 cpu -- file* many1?
	chooses --board=pi1 1 mailbox many1*
	# --benchmark's measurements take precedence.
	mkdir -p "$cache"
	node="$(uname -n) raspberrypi,3-model-b"
	version=$("$PROGRAM" --version | sed -n '1s/.* //p')
	for rate in 'mailbox 1000000' 'cpu 9000000000000'; do
		echo "$node $version 2026-01-01 $rate" >"$cache/rates"
		chooses --board=pi3 4 cpu many*
	done
}

# --- Others -----------------------------------------------------------------------

@test "a second program is refused, and a third one is not" {
	needs_shell
	in_shell --leaks=error "$first"'
		"$0" --device=qpu file1 2>second
		echo $? >>second
		exec 3>&-
		wait
		"$0" --device=qpu file1 >third 2>&1' >out 2>err
	[ ! -s err ] || fail "$(cat err)"
	grep -q 'another program uses the QPUs$' second
	grep -qx 1 second
	same <(oracle file1) third
}

@test "a program goes on when its nodes vanish, and others are told" {
	needs_shell
	in_shell '--leaks=error --system=buster' "$first"'
		rm -r "$QPUEMU_DIR"/root/dev
		"$0" --device=qpu file2 2>second
		echo more >&3
		exec 3>&-
		wait $!
		echo $? >status
		cat <&4 >rest' >out 2>err
	[ ! -s err ] || fail "$(cat err)"
	[ "$(cat status)" = 0 ]
	[ ! -s first.err ] || fail "$(cat first.err)"
	grep -q 'device=qpu: there is no /dev/vcio' second
	same <(echo more | oracle -) rest
}

# goes_on "QPUEMU'S OPTIONS" COMMAND [COMMANDS]: COMMAND before each request of the
# program, in a shell of the board, COMMANDS after its end; the lines are right,
# or it says in one why the device cannot be used
goes_on()
{
	local n
	export FAULTS_COMMAND=$2
	: >steps
	for n in $(requests); do
		at_request "$n" run "--leaks=ignore $1" "${3-}" || break
		# The board's messages on launches are not ours.
		grep -v '^qpuemu: ' err >told || true
		if [ "$status" = 0 ]; then
			same right out
			no_line_but ": warning: mailbox failed (.* on the CPU\
|its self-test .* after a restart)\$" told
		else
			[ ! -s out ] || fail "$1, request $n: status $status"
			no_line_but ': --device=qpu: ' told
		fi
		[ "$(wc -l <told)" -le 1 ] || fail "$1, request $n: $(cat err)"
		echo "$n $status $(cat told)" >>steps
	done
	[ "$n" -gt 20 ]
	unset FAULTS_COMMAND
}

@test "another program may switch the QPUs on and off at any step" {
	needs tools
	[ -x "$BUILD/tests/virtual/vcio-client" ] || skip "there is no client"
	"$BUILD/qpuasm" -o hello.bin - < <(m4 -s -I "$TOP/qpu/examples" \
		"$TOP/qpu/examples/hello.m4")
	ln -s "$BUILD/tests/virtual/vcio-client" client
	goes_on --system=buster './client vcsm hello.bin >hello.out 2>&1'
	grep -q 'results are right' hello.out
}

@test "two programs use the GPU at once by the kernel's driver, and both are right" {
	needs_shell
	in_shell '--leaks=error --kms --user=first --system=trixie' '
		"$0" --device=qpu:drm file* >one & first=$!
		"$0" --device=qpu:drm file* >out || exit
		wait $first' 2>err
	same right out
	same right one
}
