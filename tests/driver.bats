#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# driver: --device=qpu on virtual Raspberry Pis (qpuemu).  Each run under
# qpuemu ends with an account of what the program has not given back.

load common

QPUEMU=${QPUEMU:-$(dirname "$PROGRAM")/qpuemu}

setup()
{
	is_ours || skip "GNU's program has no devices"
	[ -x "$QPUEMU" ] || skip "qpuemu is not built"
	enter_scratch
	mkdir bin
	ln -s "$PROGRAM" bin/sha256sum
	local i
	for i in 1 2 3 4 5 6 7 8; do
		head -c $((i * i * 997)) /dev/zero | tr '\0' "$i" >"file$i"
	done
	oracle file* >right
}

# on_pi "QPUEMU'S OPTIONS" ARGUMENT...: hash on the QPUs of a virtual Pi
on_pi()
{
	local status=0
	# shellcheck disable=SC2086
	PATH=$PWD/bin:$PATH timeout --foreground "$LIMIT" \
		"$QPUEMU" --leaks=error $1 sha256sum "${@:2}" 2>said ||
		status=$?
	# Where qpuemu cannot show registers the program does without them.
	grep -v '^qpuemu: accesses to mapped registers cannot' said >&2 || true
	return $status
}

# hashes "QPUEMU'S OPTIONS" [ARGUMENT...]: right, and nothing is said
hashes()
{
	on_pi "$1" --device=qpu --verify "${@:2}" file* >out 2>err ||
		fail "$1: status $?: $(cat err)"
	same right out
	[ ! -s err ] || fail "$1: $(cat err)"
}

# refuses "QPUEMU'S OPTIONS" REASON: status 1, one line that gives the reason
refuses()
{
	local status=0
	on_pi "$1" --device=qpu file1 >out 2>err || status=$?
	[ $status = 1 ] || fail "$1: status $status"
	[ ! -s out ]
	[ "$(wc -l <err)" = 1 ] || fail "$1: $(cat err)"
	grep -q "^sha256sum: --device=qpu: .*$2" err || fail "$1: $(cat err)"
}

# survives "QPUEMU'S OPTIONS" REASON [ARGUMENT...]: one warning, and the CPU
# does the work
survives()
{
	on_pi "$1" --device=qpu --verify "${@:3}" file* >out 2>err ||
		fail "$1: status $?: $(cat err)"
	same right out
	[ "$(grep -c '^sha256sum: ' err)" = 1 ] || fail "$1: $(cat err)"
	grep -q "^sha256sum: warning: qpu failed (.*$2.*on the CPU\$" err ||
		fail "$1: $(cat err)"
	# What qpuemu says of the programs themselves is no complaint.
	no_line_but '^sha256sum: |^qpuemu: (programs were to be|deadlock)' err
}

# qpuemu's object is for programs of the machine that it is built for.
needs_shell()
{
	! under_qemu || skip "there is no shell of the other machine"
}

# Can qpuemu show registers to a program of this machine?
has_registers()
{
	on_pi --board=pi1 --device=qpu:registers file1 >/dev/null 2>&1
}

# --- Boards ------------------------------------------------------------------

@test "every Raspberry Pi with a VideoCore IV hashes" {
	local board
	for board in pi1 pi1b+ zero zerow pi2 pi2v1.2 pi3 pi3b+ pi3a+ zero2; do
		hashes "--board=$board"
	done
}

@test "memory of the GPU does where there is no vcsm-cma" {
	local board
	for board in pi1 zerow pi2 pi3 zero2; do
		hashes "--board=$board --no-vcsm"
	done
}

@test "vcsm-cma does where there is no /dev/mem" {
	hashes "--board=pi1 --no-mem"
	hashes "--board=pi3 --no-mem"
}

@test "neither the kernels' code nor the driver has a hazard" {
	hashes "--board=pi3 --check --seed=1"
	hashes "--board=pi1 --check --seed=2 --no-vcsm"
}

@test "little memory is enough" {
	hashes "--memory=17"
	hashes "--memory=17 --no-vcsm"
}

@test "fewer QPUs than a VideoCore IV has are enough" {
	hashes "--qpus=1"
	hashes "--qpus=5 --no-vcsm"
}

@test "other boards and systems are refused, each for its reason" {
	refuses --board=pi4 'Raspberry Pi 4 .*another GPU'
	refuses --board=pi5 'Raspberry Pi 5 .*another GPU'
	refuses --board=pc 'not a Raspberry Pi'
	refuses --kms 'comment out dtoverlay=vc4-kms-v3d in /boot'
	refuses --fkms 'comment out dtoverlay=vc4-fkms-v3d in /boot'
	refuses --no-vcio 'no /dev/vcio: boot a kernel of Raspberry Pi OS'
	refuses --deny '/dev/vcio is not for this user'
	refuses '--no-vcsm --no-mem' 'no /dev/vcsm-cma .*modprobe'
	refuses --memory=16 'gpu_mem is 16 MiB.*gpu_mem=64 into /boot'
	refuses --fault=alloc@1 'vcsm-cma has no 4 KiB'
	refuses '--no-vcsm --fault=alloc@1' 'gpu_mem in /boot.* helps'
}

@test "--list-devices says the same, and touches nothing" {
	on_pi --board=pi3 --list-devices >out 2>err
	[ ! -s err ]
	grep -q '^qpu .* usable: ' out
	on_pi --kms --list-devices >out 2>err
	[ ! -s err ]
	grep -q '^qpu .* not usable: .*vc4-kms-v3d' out
}

# --- Launches ------------------------------------------------------------------

# launches "QPUEMU'S OPTIONS" DEVICE: how many were made by registers
launches()
{
	on_pi "$1" --device="$2" --stats file1 >out 2>err
	sed -n 's/.*counter: launches by registers: //p' err
}

@test "launches by the firmware and by registers, as one wishes" {
	local memory
	for memory in '' --no-vcsm; do
		[ "$(launches "$memory" qpu:mailbox)" = 0 ]
		has_registers || continue
		[ "$(launches "$memory" qpu:registers)" = 1 ]
		hashes "--board=pi1 $memory" --device=qpu:registers
		hashes "--board=pi3 $memory" --device=qpu:registers
	done
	[ "$(launches --no-mem qpu)" = 0 ]
}

@test "what cannot be done by registers is refused, as is an unknown word" {
	local status=0
	on_pi --no-mem --device=qpu:registers file1 >out 2>err || status=$?
	[ $status = 1 ]
	grep -q 'registers of the QPUs cannot be mapped' err
	status=0
	on_pi --board=pi1 --device=qpu:directly file1 >out 2>err || status=$?
	[ $status = 1 ]
	grep -q "'directly' is none of mailbox, registers and counters" err
}

@test "launches by registers that hang or are wrong are redone on the CPU" {
	local memory
	has_registers || skip "registers cannot be emulated on this machine"
	for memory in '' --no-vcsm; do
		survives "$memory --fault=stuck@1" 'started by registers' \
			--device=qpu:registers
		survives "$memory --fault=stuck@2" 'started by registers' \
			--device=qpu:registers
		survives "$memory --fault=lane@1" 'wrong answer in lane' \
			--device=qpu:registers
	done
}

@test "statistics are those of the device" {
	on_pi --board=pi3 --device=qpu --stats file* >out 2>err
	same right out
	grep -q 'stats: QPUs: 12$' err
	grep -q 'stats: clock of the QPUs.*: 400 MHz$' err
	grep -q 'stats: time in launches, measured: ' err
	grep -q 'modelled' err && fail "nothing here is a model's"
	on_pi '--board=pi3 --v3d-clock=321' --device=qpu --stats file1 \
		>out 2>err
	grep -q ': 321 MHz$' err
}

# --- Failures ---------------------------------------------------------------

@test "a launch that is refused, hangs or is wrong is redone on the CPU" {
	local memory
	for memory in '' --no-vcsm; do
		survives "$memory --fault=refuse@1" 'did not start'
		survives "$memory --fault=refuse@2" 'did not'
		survives "$memory --fault=stuck@1" 'did not'
		survives "$memory --fault=stuck@2" 'did not'
		survives "$memory --fault=lane@1" 'wrong answer in lane'
	done
}

@test "memory that runs out is made up for by the CPU" {
	local n
	for n in 2 3 4; do
		survives "--fault=alloc@$n" ' KiB\|too small'
		survives "--no-vcsm --fault=alloc@$n" ' KiB\|too small'
	done
}

@test "QPUs that cannot be enabled: the list of what is left to look at" {
	survives '--no-mem --fault=enable@1' 'refuses to enable.*gpu_mem'
	! has_registers ||
		refuses '--fault=enable@1' 'refuses to enable.*vc4-kms-v3d'
}

# --- One at a time ---------------------------------------------------------

# A script under qpuemu: a first program that is using the QPUs, and in which
# signals are as in the foreground (set -m).
first='
	set -m
	mkfifo in lines
	"$0" --device=qpu file1 - <in >lines 2>first.err &
	set +m
	exec 3>in 4<lines
	read -r line <&4'

@test "a second program is refused, and a third one is not" {
	needs_shell
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error bash -c "$first"'
		"$0" --device=qpu file1 2>second
		echo $? >>second
		exec 3>&-
		wait
		"$0" --device=qpu file1 >third 2>&1' "$PROGRAM" >out 2>err
	[ ! -s err ] || fail "$(cat err)"
	grep -q 'another program uses the QPUs$' second
	grep -qx 1 second
	same <(oracle file1) third
}

@test "after a program was killed the next one gets the QPUs" {
	needs_shell
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=ignore bash -c "$first"'
		kill -KILL $!
		wait
		for words in qpu qpu:mailbox; do
			"$0" --device=$words file1
		done' "$PROGRAM" >out 2>err
	[ "$(grep -c "$(oracle file1)" out)" = 2 ] ||
		fail "$(cat out err)"
	grep -E '^qpuemu|: (warning|--device)' err && fail "$(cat err)"
	true
}

# --- Ends --------------------------------------------------------------------

# ends_by SIGNAL "QPUEMU'S OPTIONS": while it uses the QPUs; $status
ends_by()
{
	status=0
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error $2 \
		bash -c "$first"'
		ulimit -c 0
		kill -'"$1"' $!
		wait $!' "$PROGRAM" >out 2>err || status=$?
	rm -f in lines
	grep '^qpuemu' err && fail "$1 $2"
	[ "$status" = $((128 + $(kill -l "$1"))) ] || fail "$1: status $status"
}

@test "every signal that kills gives back everything first" {
	needs_shell
	local signal
	for signal in HUP INT QUIT ILL TRAP ABRT BUS FPE SEGV USR2 PIPE \
		ALRM TERM XCPU XFSZ VTALRM PROF IO SYS; do
		ends_by $signal ''
		ends_by $signal --no-vcsm
	done
}

@test "a signal that is ignored or has a meaning does not end it" {
	needs_shell
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error \
		bash -c 'trap "" INT TERM'"$first"'
		kill -INT $!
		kill -TERM $!
		kill -USR1 $!
		exec 3>&-
		wait $!' "$PROGRAM" >out 2>err
	[ ! -s err ] || fail "$(cat err)"
}

@test "a reader that goes away ends it by SIGPIPE, with all given back" {
	needs_shell
	local i
	for i in {1..2000}; do
		echo file1
	done | tr '\n' '\0' >many
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error bash -c '
		trap - PIPE
		"$0" --device=qpu --files0-from=many | head -n 1 >out
		echo ${PIPESTATUS[0]} >status' "$PROGRAM" 2>err
	[ ! -s err ] || fail "$(cat err)"
	same <(oracle file1) out
	# All lines may have fitted into the pipe.
	grep -qxE '141|0' status
}

# killed_after SECONDS "QPUEMU'S OPTIONS" WORD
killed_after()
{
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error $2 \
		timeout -s TERM "$1" "$PROGRAM" --device=qpu:"$3" file* \
		>out 2>err || true
	grep -q '^qpuemu' err && fail "$*: $(cat err)"
	true
}

@test "whenever it is killed, nothing is lost" {
	needs_shell
	local when memory word
	for memory in '' --no-vcsm --delay=5; do
		for word in mailbox registers; do
			for when in 0.00{4,6,8} 0.01{0,2,4,6,8} 0.0{20,25,3,4,6}; do
				killed_after "$when" "$memory" "$word"
			done
		done
	done
}

@test "no standard stream that is closed becomes a node of the board" {
	local status memory
	needs_shell
	for memory in '' --no-vcsm; do
		status=0
		# shellcheck disable=SC2086
		timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error $memory \
			bash -c 'exec "$0" --device=qpu file1 /dev/stdin <&- \
			3>&- 4>&- 5>&- 6>&-' "$PROGRAM" >out 2>err || status=$?
		[ $status = 1 ] || fail "status $status"
		same <(oracle file1) out
		grep -q '/dev/stdin: No such file or directory$' err ||
			fail "$(cat err)"
	done
}

@test "errors and empty runs leave nothing behind" {
	local status=0
	on_pi --no-vcsm --device=qpu file1 nothing >out 2>err || status=$?
	[ $status = 1 ]
	[ "$(cat err)" = 'sha256sum: nothing: No such file or directory' ]
	same <(oracle file1) out
	on_pi --no-vcsm --device=qpu nothing >out 2>err && fail "status 0"
	[ "$(wc -l <err)" = 1 ]
	on_pi --no-vcsm --device=qpu -c right >out 2>err
	[ ! -s err ]
	[ "$(grep -c ': OK$' out)" = 8 ]
	status=0
	on_pi --no-vcsm --device=qpu file1 >/dev/full 2>err || status=$?
	[ $status = 1 ]
	no_line_but '^sha256sum: write error' err
}

@test "--benchmark measures the QPUs, too, and gives everything back" {
	! quick || skip "takes long"
	on_pi --no-vcsm --benchmark >out 2>err
	[ ! -s err ]
	grep -Eq '^engine +qpu +64 KiB +16 +[0-9.]+' out
	on_pi --board=pi3 --benchmark >out 2>err
	[ ! -s err ]
	grep -Eq '^engine +qpu +4 KiB files +16 +[0-9.]+' out
}
