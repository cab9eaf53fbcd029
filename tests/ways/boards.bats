#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# boards: which Raspberry Pis have QPUs for this program, what is said where they
# cannot be used, and when they are used unasked.

load pi

@test "Raspberry Pis with each chip of a VideoCore IV hash" {
	local board
	for board in pi1 zerow pi2 pi3 pi3a+ zero2; do
		hashes "--board=$board"
	done
}

@test "fewer QPUs than a VideoCore IV has are enough" {
	hashes "--qpus=1"
	hashes "--qpus=5 --no-vcsm"
}

@test "other boards and systems are refused, each for its reason" {
	refuses --board=pi4 'Raspberry Pi 4 .*another GPU'
	refuses --board=pi5 'Raspberry Pi 5 .*another GPU'
	refuses --board=pc 'not a Raspberry Pi'
	refuses '--kms --user=nobody' 'no permission for /dev/dri/.* render.*in again'
	refuses '--board=pi3 --user=video --system=mainline' "'sudo adduser .USER render', then log in"
	refuses --no-vcio 'no /dev/vcio: boot a kernel of Raspberry Pi OS'
	refuses --user=nobody 'no permission for /dev/vcio: .*usermod'
	refuses '--no-vcsm --no-mem' 'no /dev/vcsm-cma .*modprobe'
	refuses --memory=16 'gpu_mem is 16 MiB.*gpu_mem=64 into /boot'
	refuses '--memory=16 --no-mem' 'firmware for gpu_mem=16 has no QPUs: put gpu_mem=64'
	refuses --fault=alloc@1 'vcsm-cma has no 4 KiB'
	refuses '--no-vcsm --fault=alloc@1' 'gpu_mem in /boot.* helps'
}

@test "the kernel's driver is used where it has the GPU, the firmware elsewhere" {
	local device
	for device in qpu qpu:drm; do
		on_pi '--kms --user=first' --device=$device --stats file* \
			>out 2>err
		same right out
		grep -q 'stats: device: drm$' err
	done
	hashes --fkms
	on_pi '--no-kms' --device=qpu --stats file* >out 2>err
	same right out
	grep -q 'stats: device: qpu$' err
	! on_pi --kms --device=qpu:mailbox file1 >out 2>err || false
	grep -q 'comment out dtoverlay=vc4-kms-v3d in /boot' err
	! on_pi --fkms --device=qpu:mailbox file1 >out 2>err || false
	grep -q 'comment out dtoverlay=vc4-fkms-v3d in /boot' err
	! on_pi --no-kms --device=qpu:drm file1 >out 2>err || false
	grep -q 'put dtoverlay=vc4-kms-v3d into /boot' err
}

@test "--list-devices says the same as a refusal, and touches nothing" {
	on_pi --board=pi3 --list-devices >out 2>err
	[ ! -s err ]
	grep -q '^qpu .* usable as far as can be seen: ' out
	on_pi '--kms --user=first' --list-devices >out 2>err
	[ ! -s err ]
	[ "$(grep -c '^qpu ' out)" = 1 ]
	grep -q '^qpu  *drm  *usable as far as can be seen: ' out
}

@test "--list-devices=details says what the board is, and all that is in the way" {
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
	on_pi '--board=pi3 --system=trixie --user=video --no-kms' \
		--list-devices=details >out 2>err
	grep -q '^  /dev/vcio: 0600 root:[^ ]*, you may not open it$' out
	grep -q '^  /dev/vcsm-cma: 0660 root:[^ ]*, you may open it$' out
	[ "$(grep -c '^  step' out)" = 1 ]
	sed -n '/^  step/,/^[^ ]/p' out | grep '^    ' >got
	same got - <<-'END'
	    echo 'KERNEL=="vcio|vcsm-cma", GROUP="video", MODE="0660"' | sudo tee /etc/udev/rules.d/90-vcio.rules
	    sudo udevadm control --reload
	    sudo udevadm trigger
	    sudo usermod -aG video $USER
	END
	on_pi '--board=pi3 --system=dietpi --user=root --no-kms' \
		--list-devices=details >out 2>err
	grep -q '^  /dev/vcsm-cma: does not exist$' out
	grep -q '^  step 1: .*blacklist in /etc/modprobe.d/.*vcsm.conf$' out
	on_pi '--board=pi3 --system=trixie --user=first --kms' \
		--list-devices=details >out 2>err
	grep -q '^  /dev/dri/renderD128: 0660 root:[^ ]*, you may open it$' out
	grep -q '^  identity of the V3D: 0x02443356 ' out
	grep -q '^  clock of the QPUs, measured by a job: [1-9][0-9]* MHz$' out
	grep -q '^  free of it: [1-9][0-9]* MiB$' out
	! grep -q '^  step' out || false
	on_pi --board=pc --list-devices=details >out 2>err
	[ "$(grep -c '^  ' out)" = 0 ]
}

# play "QPUEMU'S OPTIONS": an owner who does what the first step says, until no
# step is left; then it has to work.  What was done is in `done_steps`.
play()
{
	local options="$1 " left=3 n
	done_steps=()
	while :; do
		on_pi "$options" --list-devices=details >out 2>err
		[ ! -s err ] || fail "$options: $(cat err)"
		n=$(grep -c '^  step' out) || break
		[ "$n" -le "$left" ] || fail "$options: no step nearer"
		[ ${#done_steps[@]} -lt 4 ] || fail "$options: no end"
		left=$n
		case $(sed -n 's/^  step 1: //p' out) in
		*"'sudo adduser \$USER render', then log in again"*)
			done_steps+=(render)
			options=${options/=nobody/=first}
			options=${options/=video/=first} ;;
		'use sudo, or give '*)
			done_steps+=(rule)
			options="${options/=nobody/=video}--udev-rule " ;;
		'join the group '*)
			done_steps+=(group)
			options=${options/=nobody/=video} ;;
		'allow the module '*)
			done_steps+=(module)
			options+='--modprobe ' ;;
		'give the GPU more memory: '*)
			done_steps+=(memory)
			options=${options/--memory=16 /} ;;
		*)
			fail "$options: what now? $(cat out)" ;;
		esac
	done
	! grep -qxFe "$options" working 2>/dev/null || return 0
	hashes "$options"
	echo "$options" >>working
}

# play_all WAY USER SYSTEM...: on boards with these systems, with the kernel's
# driver (kms) and without it (no-kms)
play_all()
{
	! under_qemu || skip "texts do not depend on the processor"
	local board system
	for system in "${@:3}"; do
		board=pi3
		[ "$system" != bullseye ] || board=pi1
		play "--board=$board --system=$system --user=$2 --$1"
		echo "$1 $board $system $2 ${done_steps[*]}" >>played
	done
}

@test "with the kernel's driver an owner has one step at most, on any system" {
	play_all kms nobody buster bullseye bookworm32 bookworm64 trixie \
		dietpi fedora
	play_all kms root trixie
	play_all kms first trixie
	! grep -vE ' (nobody render|fedora nobody |root |first )$' played || false
	grep -qx 'kms pi3 trixie first ' played
}

@test "an owner who does what is said gets there by the firmware in two steps" {
	play_all no-kms nobody bullseye trixie dietpi
	play_all no-kms root trixie dietpi
	play_all no-kms video trixie dietpi
	grep -qx 'no-kms pi1 bullseye nobody group' played
	grep -qx 'no-kms pi3 dietpi nobody rule module' played
	grep -qx 'no-kms pi3 trixie root ' played
	grep -qx 'no-kms pi3 dietpi root module' played
	grep -qx 'no-kms pi3 trixie video rule' played
}

@test "gpu_mem=16 is a step, wherever the program can know of it" {
	! under_qemu || skip "texts do not depend on the processor"
	local options steps
	while IFS='|' read -r options steps; do
		play "$options --memory=16"
		[ "${done_steps[*]}" = "$steps" ] ||
			fail "$options: ${done_steps[*]}"
	done <<-'END'
	--board=pi1|memory
	--board=pi1 --no-vcsm|memory
	--board=pi3 --system=bookworm64 --user=video|memory
	--board=pi3 --system=trixie --user=nobody --no-kms|memory rule
	--board=pi3 --system=dietpi --user=video|rule memory module
	END
	refuses '--board=pi1 --memory=16' 'gpu_mem is 16 MiB'
}

# chooses "QPUEMU'S OPTIONS" THREADS ENGINE FILE...: what --device=auto takes.
# It looks at files for 100 ms, which are as long as they take: the clock stands.
chooses()
{
	[ -e "$PRELOAD" ] || skip "tests/support/preload.so is not built"
	FAULTS=still FAULTS_LOG=$PWD/faults LD_PRELOAD=$PRELOAD \
		on_pi "$1" --stats --threads="$2" "${@:4}" >out 2>err
	grep -q "stats: device: $3\$" err || fail "$1: $(cat err)"
	grep -Eq 'stats: qpu is .*: estimated for [0-9]+ files, [0-9.]+ s by' \
		err || fail "$1: $(cat err)"
}

@test "QPUs are used unasked where they save time, and not where they cannot" {
	local i
	for ((i = 0; i < 200; i++)); do
		truncate -s 100000 "many$i"
	done
	chooses --board=pi3 4 qpu many*
	chooses --board=pi3 4 cpu many1 many2 many3
	chooses --board=pi3 4 cpu -- file* many1?
	chooses '--board=pi1 --no-vcsm' 1 qpu many*
	on_pi '--board=pi3 --no-vcsm' --device=qpu --stats many1? >out 2>err
	grep -q 'stats: device: qpu$' err
}

@test "the choice follows what --benchmark has measured" {
	local node version rate i cache=$XDG_CACHE_HOME/qpu-sha256sum
	for ((i = 0; i < 200; i++)); do
		truncate -s 100000 "many$i"
	done
	mkdir -p "$cache"
	node=$(uname -n)
	version=$("$PROGRAM" --version | sed -n '1s/.* //p')
	for rate in 'qpu 1000000' 'cpu 9000000000000'; do
		echo "$node $version 2026-01-01 $rate" >"$cache/rates"
		chooses --board=pi3 4 cpu many*
	done
}
