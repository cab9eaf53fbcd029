#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# driver: --device=qpu on virtual Raspberry Pis (qpuemu).  Each run under
# qpuemu ends with an account of what the program has not given back.

load ../support/common

QPUEMU=${QPUEMU:-$BUILD/qpuemu}

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
	refuses --user=nobody 'no permission for /dev/vcio: .*usermod'
	refuses '--no-vcsm --no-mem' 'no /dev/vcsm-cma .*modprobe'
	refuses --memory=16 'gpu_mem is 16 MiB.*gpu_mem=64 into /boot'
	refuses '--memory=16 --no-mem' 'made no /dev/vcsm-cma, as with gpu_mem=16'
	refuses --fault=alloc@1 'vcsm-cma has no 4 KiB'
	refuses '--no-vcsm --fault=alloc@1' 'gpu_mem in /boot.* helps'
}

@test "each system is told what its user has to change" {
	local pi='--board=pi3 --user=video --system'
	hashes "$pi=buster"
	hashes "$pi=bullseye"
	hashes "$pi=bookworm32"
	hashes "$pi=bookworm64"
	refuses "$pi=bookworm64 --kms" 'comment out .* reboot; there is no desk'
	refuses "$pi=trixie" 'only root may open /dev/vcio: .*udevadm trigger'
	hashes '--board=pi3 --system=trixie'
	refuses "$pi=dietpi" 'only root may open /dev/vcio'
	refuses '--board=pi3 --system=dietpi' 'blacklist in /etc/modprobe.d/'
	hashes '--board=pi2 --system=dietpi'
	refuses "$pi=mainline" 'boot a kernel of Raspberry Pi OS'
}

@test "--list-devices says the same, and touches nothing" {
	on_pi --board=pi3 --list-devices >out 2>err
	[ ! -s err ]
	grep -q '^qpu .* usable as far as can be seen: ' out
	on_pi --kms --list-devices >out 2>err
	[ ! -s err ]
	grep -q '^qpu .* not usable: .*vc4-kms-v3d' out
}

@test "--list-devices=details says what it is, and all that is in the way" {
	on_pi '--board=pi3 --system=bookworm64 --v3d-clock=333' \
		--list-devices=details >out 2>err
	[ ! -s err ]
	sed -n 's/^  \([^/].*\)/\1/p' out | grep -v '^kernel: Linux .* aarch64$' >got
	same got - <<-'END'
	board: Raspberry Pi 3 Model B Rev 1.2
	chip: BCM2837
	GPU: VideoCore IV
	QPUs: 12
	clock of the QPUs now: 250 MHz
	at most: 333 MHz
	memory of the GPU (gpu_mem): 64 MiB
	firmware of: 2020-08-17
	memory of the QPUs from: /dev/dma_heap/linux,cma, cached
	memory of the kernel for devices (CMA): 64 MiB
	free of it: 64 MiB
	END
	on_pi '--board=pi3 --system=trixie --user=video --kms' \
		--list-devices=details >out 2>err
	grep -q '^  /dev/vcio: 0600 root:[^ ]*, you may not open it$' out
	grep -q '^  /dev/vcsm-cma: 0660 root:[^ ]*, you may open it$' out
	[ "$(grep -c '^  step' out)" = 2 ]
	grep -q '^  step 1: .*comment out dtoverlay=vc4-kms-v3d' out
	grep -q '^  step 2: only root may open /dev/vcio: .*udevadm trigger$' out
	on_pi '--board=pi3 --system=dietpi --user=root --kms' \
		--list-devices=details >out 2>err
	grep -q '^  /dev/vcsm-cma: does not exist$' out
	grep -q '^  step 2: .*blacklist-vcsm.conf; remove' out
	on_pi --board=pc --list-devices=details >out 2>err
	[ "$(grep -c '^  ' out)" = 0 ]
}

@test "no system of today needs more than three steps" {
	! under_qemu || skip "texts do not depend on the processor"
	local board system user
	for board in pi1 pi2 pi3; do
		for system in buster bullseye bookworm32 trixie dietpi; do
			for user in root video nobody; do
				on_pi "--board=$board --system=$system --user=$user
					--kms" --list-devices=details >out
				[ "$(grep -c '^  step' out)" -le 3 ]
				[ "$(grep -c '^  step' out)" -ge 1 ]
			done
		done
	done
}

# chooses "QPUEMU'S OPTIONS" THREADS ENGINE FILE...: what --device=auto takes
chooses()
{
	on_pi "$1" --stats --threads="$2" "${@:4}" >out 2>err
	grep -q "stats: device: $3\$" err || fail "$1: $(cat err)"
	grep -Eq 'stats: qpu is .*: estimated for [0-9]+ files, [0-9.]+ s by' \
		err || fail "$1: $(cat err)"
}

@test "QPUs are used unasked where they save time, and never if stores wait" {
	local i
	for ((i = 0; i < 300; i++)); do
		truncate -s 100000 "many$i"
	done
	chooses --board=pi3 4 qpu many*
	chooses --board=pi3 4 cpu many1 many2 many3
	chooses --board=pi3 4 cpu -- file* many1?
	chooses '--board=pi1 --no-vcsm' 1 qpu many*
	chooses '--board=pi3 --no-vcsm' 4 cpu many*
	on_pi '--board=pi3 --no-vcsm' --device=qpu --stats many1? >out 2>err
	grep -q 'stats: device: qpu$' err
}

@test "the choice follows what --benchmark has measured" {
	local node version i cache=$XDG_CACHE_HOME/qpu-sha256sum
	for ((i = 0; i < 300; i++)); do
		truncate -s 100000 "many$i"
	done
	mkdir -p "$cache"
	node=$(uname -n)
	version=$("$PROGRAM" --version | sed -n '1s/.* //p')
	printf '%s %s 2026-01-01 qpu 1000000\n' "$node" "$version" \
		>"$cache/rates"
	chooses --board=pi3 4 cpu many*
}

# --- Launches ------------------------------------------------------------------

# launches "QPUEMU'S OPTIONS" DEVICE: how many were made by registers
launches()
{
	on_pi "$1" --device="$2" --stats file1 >out 2>err
	sed -n 's/.*counter: launches by registers: //p' err
}

# all_launches: how many there were; a slow machine cuts one into several
all_launches()
{
	sed -n 's/.*stats: launches: //p' err
}

# restarts "QPUEMU'S OPTIONS": of the QPUs
restarts()
{
	on_pi "$1" --device=qpu --stats file1 >out 2>err
	sed -n 's/.*counter: restarts of the QPUs: //p' err
}

@test "launches by the firmware and by registers, as one wishes" {
	local memory
	for memory in '' --no-vcsm; do
		[ "$(launches "$memory" qpu:mailbox)" = 0 ]
		has_registers || continue
		launches "$memory" qpu:registers >direct
		[ "$(cat direct)" = "$(all_launches)" ]
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

@test "launches by registers that hang are tried again, wrong ones redone" {
	local memory
	has_registers || skip "registers cannot be emulated on this machine"
	for memory in '' --no-vcsm; do
		hashes "$memory --fault=stuck@2" --device=qpu:registers
		survives "$memory --fault=lane@2" 'wrong' \
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

@test "statistics name the memory, and what it costs" {
	local memory
	while read -r options memory; do
		on_pi "$options" --device=qpu --stats file* >out 2>err
		same right out
		grep -qE "stats: writing to memory \($memory\), measured: [0-9]+ MB/s\$" \
			err || fail "$options: $(cat err)"
		grep -qE 'stats: reading from it, measured: [0-9]+ MB/s$' err
	done <<-'END'
	--system=bullseye /dev/dma_heap/linux,cma, cached
	--system=buster /dev/vcsm-cma, not cached
	--no-vcsm /dev/mem, not cached
	END
}

@test "cached memory: launches of all kinds, and its failures" {
	local options
	for options in --board=pi1 --board=zero2 '--board=pi3 --no-mem' \
		'--cma=32 --cma-hole=4'; do
		hashes "$options --system=bullseye"
		hashes "$options --system=bullseye" --device=qpu:mailbox
	done
	hashes '--system=bookworm64 --board=pi3 --check --seed=3'
	! has_registers ||
		hashes '--system=bullseye' --device=qpu:registers
	hashes '--system=bullseye --fault=stuck@1'
	survives '--system=bullseye --no-mem --fault=stuck@2' 'did not'
	survives '--system=bullseye --fault=lane@2' 'wrong'
	refuses '--system=bullseye --fault=alloc@1' 'vcsm-cma has no 4 KiB'
}

# --- The device without an engine ---------------------------------------------

# device "QPUEMU'S OPTIONS" COMMAND...: both streams in out
device()
{
	local status=0
	needs_shell
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error $1 \
		"$BUILD/tests/driver/device-client" "${@:2}" >out 2>&1 ||
		status=$?
	[ $status = 0 ] || fail "$1: status $status: $(cat out)"
}

@test "memory comes in pieces where there is no large one" {
	device '--cma-hole=9' pieces 12 4
	[ "$(sort -u out)" = '12 pieces of 4 MiB, apart' ]
	device '--cma-hole=8' pieces 1 49
	grep -q 'no 50176 KiB in one piece .*CmaTotal 64 MiB, CmaFree 63 MiB' out
	grep -q 'dtoverlay=cma,cma-128 in /boot' out
	device '--no-vcsm --memory=76 --heap-used=20' pieces 12 4
	[ "$(sort -u out)" = '12 pieces of 4 MiB, apart' ]
	device '--no-vcsm --memory=76 --heap-used=70' pieces 12 4
	[ "$(head -n 1 out)" = '1 pieces of 4 MiB, apart' ]
}

@test "after a failure nothing runs, and no memory is taken or freed" {
	local memory
	for memory in '' --no-vcsm; do
		device "$memory --fault=refuse@1 --counters" fail
		grep -q '^run: 2, the QPUs did not start' out ||
			grep -q '^run: 1, the QPUs did not start' out
		grep -q '^run: 2, the QPUs have failed$' out
		grep -qx 'alloc: the QPUs have failed' out
		grep -qx 'memory stays' out
		grep -q '^qpuemu: 1 launches' out
	done
}

@test "a launch may take three times as long as expected, within bounds" {
	device --fault=refuse@1 late 0
	grep -q 'within 700 ms' out
	device --fault=refuse@1 late 1
	grep -q 'within 300 ms' out
	device --fault=refuse@1 late 150
	grep -q 'within 450 ms' out
	device --fault=refuse@1 late 9000
	grep -q 'within 700 ms' out
}

# --- Failures ---------------------------------------------------------------

@test "a first launch that fails is tried again after a restart" {
	local fault memory
	for memory in '' --no-vcsm --no-mem; do
		for fault in refuse stuck lane; do
			hashes "$memory --fault=$fault@1"
		done
	done
}

@test "a launch by mailbox that fails is tried again by registers" {
	local memory
	has_registers || skip "registers cannot be emulated on this machine"
	for memory in '' --no-vcsm; do
		hashes "$memory --fault=refuse@2"
		hashes "$memory --fault=stuck@2"
		survives "$memory --fault=stuck@2" 'did not' \
			--device=qpu:mailbox
	done
	[ "$(restarts --fault=stuck@2)" = 1 ]
	[ "$(restarts '')" = 0 ]
	[ "$(launches --fault=stuck@2 qpu)" = 2 ]
}

@test "a launch that fails for good is redone on the CPU" {
	survives '--no-mem --fault=refuse@2' 'did not start'
	survives '--no-mem --fault=stuck@2' 'did not'
	survives --fault=lane@2 'wrong'
	survives '--no-vcsm --fault=lane@2' 'wrong'
	survives '--no-mem --fault=lane@2' 'wrong'
}

@test "a launch that is not answered in time is redone on the CPU" {
	survives '--no-mem --delay=1000' 'did not answer'
}

@test "memory that runs out is made up for by the CPU" {
	local n
	for n in 2 3 4 5 6 7 8 9; do
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

# --- What is left in memory ---------------------------------------------------

# left_behind "QPUEMU'S OPTIONS" COMMAND...: files of the board that have a word
# of the message after `bash -c COMMAND`, in which $0 is the program
left_behind()
{
	yes SecretWord | head -c 500000 >secret
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=ignore $1 bash -c "
		$2"'
		cd "$QPUEMU_DIR"
		ls memory buffer.* cache.* >>"$OLDPWD/searched"
		grep -l SecretWord memory buffer.* cache.* 2>/dev/null
		true' "$PROGRAM" 2>err
}

@test "what goes back holds nothing of the messages" {
	needs_shell
	local memory
	for memory in --no-vcsm --system=buster --system=bullseye; do
		[ "$(left_behind $memory '"$0" --device=qpu secret file*')" = \
			"$(oracle secret file*)" ] || fail "$memory"
		[ "$(left_behind "$memory --no-mem --fault=lane@2" \
			'"$0" --device=qpu secret >/dev/null')" = '' ]
	done
	grep -q buffer.2 searched
	grep -q cache.2 searched
}

@test "the search finds what a killed program has left" {
	needs_shell
	local memory
	for memory in --no-vcsm --system=buster --system=bullseye; do
		[ -n "$(left_behind $memory '
			mkfifo in lines
			"$0" --device=qpu secret - <in >lines &
			exec 3>in 4<lines
			read -r line <&4
			kill -KILL $!
			wait $! 2>/dev/null
			rm in lines')" ] || fail "$memory"
	done
}

# cma_used "QPUEMU'S OPTIONS": by a program that is using the QPUs, in kB
cma_used()
{
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error $1 \
		bash -c "$first"'
		sed -n "s/^Cma.*: *//p" /proc/meminfo
		exec 3>&-
		wait' "$PROGRAM" | { read -r all _; read -r free _
			echo $((all - free)); }
	rm -f in lines
}

@test "holes of 4 MiB are as good as one that has it all" {
	needs_shell
	local system
	for system in buster bullseye; do
		hashes "--system=$system --cma=32 --cma-hole=4"
		[ "$(cma_used "--system=$system --cma=32 --cma-hole=4")" = \
			"$(cma_used "--system=$system")" ]
		hashes "--system=$system --cma=32 --cma-hole=3"
		[ "$(cma_used "--system=$system --cma=32 --cma-hole=3")" -lt \
			"$(cma_used "--system=$system")" ]
	done
}

# --- What others do meanwhile ---------------------------------------------------

@test "nodes that vanish: who has them goes on, others are told" {
	needs_shell
	local system
	for system in buster bullseye; do
		timeout --foreground "$LIMIT" "$QPUEMU" --leaks=error \
			--system=$system bash -c "$first"'
			rm -r "$QPUEMU_DIR"/root/dev
			"$0" --device=qpu file2 2>second
			echo more >&3
			exec 3>&-
			wait $!
			echo $? >status
			cat <&4 >rest' "$PROGRAM" >out 2>err
		[ ! -s err ] || fail "$(cat err)"
		[ "$(cat status)" = 0 ]
		[ ! -s first.err ] || fail "$(cat first.err)"
		grep -q 'device=qpu: there is no /dev/vcio' second
		same <(echo more | oracle -) rest
		rm -f in lines
	done
}

@test "a CMA that others have taken but for a rest" {
	local system mib
	for system in buster bullseye; do
		for mib in 16 8 4 1; do
			hashes "--system=$system --cma=$mib"
		done
		refuses "--system=$system --cma=0" 'vcsm-cma has no 4 KiB'
	done
}

# left_by_kill "QPUEMU'S OPTIONS" SECONDS: after SIGKILL the next one goes on
left_by_kill()
{
	# shellcheck disable=SC2086
	timeout --foreground "$LIMIT" "$QPUEMU" --leaks=ignore $1 bash -c '
		(timeout --foreground -s KILL '"$2"' "$0" --device=qpu file*
		true) >/dev/null 2>&1
		exec "$0" --device=qpu --verify file*' "$PROGRAM" >out 2>err ||
		fail "$*: status $?: $(cat err)"
	same right out
	[ ! -s err ] || fail "$*: $(cat err)"
}

@test "SIGKILL at any step: the next program has the QPUs" {
	needs_shell
	local when memory
	for memory in --no-vcsm --system=bullseye; do
		for when in 0.00{4,7} 0.01{0,3,6} 0.0{2,25,3,4,5,7}; do
			left_by_kill "$memory" "$when"
		done
	done
}

@test "SIGKILL while a cached piece is imported loses nothing" {
	needs_shell
	local when
	for when in 0.0{1,2,3,4,5,6,8}; do
		left_by_kill '--system=bullseye --vcsm-delay=15' "$when"
	done
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

@test "no signal comes while the kernel allocates" {
	needs_shell
	local when
	for when in 0.0{10,15,20,25,30,35,40,45,50,60,70}; do
		killed_after "$when" '--system=bullseye --vcsm-delay=15' mailbox
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

@test "what is opened is closed: descriptors, mappings, handlers of signals" {
	local memory
	for memory in '' --no-vcsm --no-mem; do
		device "$memory" balance mailbox
		grep -qx 'left: 0 descriptors, 0 mappings, 0 handlers' out ||
			fail "$memory: $(cat out)"
	done
	! has_registers || for memory in '' --no-vcsm; do
		device "$memory" balance registers
		grep -qx 'left: 0 descriptors, 0 mappings, 0 handlers' out ||
			fail "$memory, registers: $(cat out)"
	done
}
