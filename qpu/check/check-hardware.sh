#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# check-hardware [DEVICE [REPORT]]: make check-hardware for people with a Pi.
#
# The status is 0 for a whole report, also if the device cannot be used.
# Runs qpu-hwcheck and the program on DEVICE (qpu, if left out) and writes one
# text file to send back.  Nothing in it identifies the machine's owner: names of
# files are our own, and neither host nor user is read.  In the environment,
# from make: QPU_HWCHECK and QPU_SHA256SUM, the programs.  QPU_TESTS=quick
# makes fewer launches, hashes fewer files and leaves out the benchmark.
# QPU_CHECK_ROOT is for tests: /boot, /proc/cmdline and /sys are below it.
export LC_ALL=C
device=${1:-qpu}
report=${2:-qpu-hardware-report.txt}
root=${QPU_CHECK_ROOT-}
files=64
[ "${QPU_TESTS-}" != quick ] || files=16
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# program ARGUMENT...: by a name without a path, in a directory of its own
program()
{
	(cd "$scratch/files" && XDG_CACHE_HOME=$scratch/cache \
		bash -c 'exec -a qpu-sha256sum "$0" "$@"' \
		"$QPU_SHA256SUM" "$@")
}

# A program that was built without OpenSSL has no --verify.
verify=(--verify)
! "$QPU_SHA256SUM" --version | grep -q '^Built without:.*OpenSSL' || verify=()

# section TITLE: what follows is about; those who wait at a terminal see it
section()
{
	printf '\n== %s ==\n' "$*"
	[ ! -t 2 ] || echo "  $*" >&2
}

# show LABEL FILE: what a small file holds
show()
{
	[ -r "$2" ] && printf '%s: %s\n' "$1" "$(tr '\0\n' '  ' <"$2" |
		head -c 300)"
}

# The lines of config.txt, or of the tryboot.txt beside it, that say how the
# hardware is set up.  The older place is used where the newer one is not there.
describe_configuration()
{
	local folder=$root/boot/firmware file
	[ -r "$folder/config.txt" ] || folder=$root/boot
	for file in config.txt tryboot.txt; do
		[ -r "$folder/$file" ] && grep -E \
			"^[[:blank:]]*(\[|dtoverlay|gpu_|[a-z0-9_]*_freq|force_turbo|over_voltage|disable_l2cache|arm_64bit|start|cma)" \
			"$folder/$file" | sed "s/^/$file: /"
	done
	[ -r "$root/proc/cmdline" ] && tr ' ' '\n' <"$root/proc/cmdline" |
		grep '^cma=' | sed 's/^/Kernel command line: /'
	true
}

# Print what is visible without opening anything; this works on any machine.
describe_system()
{
	local node
	for node in /dev/vcio* /dev/vcsm-cma /dev/mem /dev/dma_heap/* \
		/dev/dri/*; do
		[ -e "$node" ] && stat -c 'Node %n: %A %a %u:%g %t,%T' "$node"
	done
	show 'Status of the V3D' /proc/device-tree/soc/v3d@7ec00000/status
	grep -E '^Cma(Total|Free):' /proc/meminfo
	for node in vc4 vc_sm_cma v3d; do
		[ ! -d /sys/module/$node ] || echo "Module: $node"
	done
	grep -hE 'vc.sm.cma' /etc/modprobe.d/* 2>/dev/null |
		sed 's/^/modprobe.d: /'
	grep -h v3d /sys/kernel/debug/clk/clk_summary 2>/dev/null |
		sed 's/^/Clock of the kernel: /'
	sed -n 's/^PRETTY_NAME=/System: /p' /etc/os-release 2>/dev/null
	dpkg-query -W -f 'Package ${Package}: ${Version}\n' \
		raspberrypi-sys-mods raspi-firmware raspberrypi-bootloader \
		2>/dev/null
	describe_configuration
}

# The kernel's alarm, for those who may not ask the firmware.
show_voltage()
{
	local file
	for file in "$root"/sys/class/hwmon/hwmon*/in0_lcrit_alarm; do
		show "Under-voltage alarm $1" "$file"
	done
	true
}

# All that the kernel says.  journalctl is for those who may not use dmesg; it
# has no times then, and no name of the machine.
kernel_log()
{
	dmesg 2>"$scratch/dmesg" ||
		journalctl -k -b -n 200 --no-pager -q -o cat 2>/dev/null
}

# Print kernel messages that may explain a failure, without addresses of the
# network.
show_kernel_messages()
{
	local about='vc.sm|raspberrypi-firmware|drivers/firmware|rpi_firmware'
	about+='|firmware transaction|vchiq|v3d|vc4|Resetting GPU|cma|mmc0'
	about+='|mmcblk'
	about+='|under-?volt|throttl|oops|WARNING:|BUG:|Unable to handle'
	about+='|Internal error|hung task|blocked for more'
	section 'Kernel messages'
	kernel_log >"$scratch/kernel"
	if [ ! -s "$scratch/kernel" ]; then
		echo "They cannot be read ($(tail -n 1 "$scratch/dmesg"));" \
			'with sudo they can.'
		return
	fi
	grep -iE "$about" "$scratch/kernel" | grep -v 'ommand line:' |
		sed -E 's/([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}/(address)/g' |
		tail -n 40 >"$scratch/about"
	if [ -s "$scratch/about" ]; then
		cat "$scratch/about"
	else
		echo 'None is about the GPU, its memory, the SD card or the' \
			'voltage.'
	fi
}

# Files of all lengths around blocks and pages, the same everywhere.
make_files()
{
	local i
	mkdir "$scratch/files"
	for ((i = 0; i < files; i++)); do
		yes "$i" | head -c $((i * i * 61 + i)) >"$scratch/files/$i"
	done
}

# hash_files [NAME]: one of them, or all
hash_files()
{
	local names=("$scratch"/files/*)
	names=("${names[@]##*/}")
	[ $# = 0 ] || names=("$@")
	program --device="$device" "${verify[@]}" --stats "${names[@]}" \
		>"$scratch/device" 2>"$scratch/stats"
	echo "status $?"
	cat "$scratch/stats"
	program --device=cpu "${names[@]}" >"$scratch/cpu"
	if cmp -s "$scratch/device" "$scratch/cpu"; then
		echo "${#names[@]} digests, the same as the CPU's"
	elif [ ! -s "$scratch/device" ]; then
		echo 'Digests: FAILED: there are none'
	else
		echo 'NOT the digests of the CPU'
		diff "$scratch/device" "$scratch/cpu" | head -n 20
	fi
}

# What the program does.  After a failure of the firmware's way it hashes one
# file, for which the engine starts the QPUs again by itself, or leaves them.
use_program()
{
	section 'qpu-sha256sum --list-devices=details'
	program --list-devices=details 2>&1
	case $1,$device in
	0,*)
		section "qpu-sha256sum --device=$device" "${verify[@]}" --stats
		hash_files
		section 'qpu-sha256sum --benchmark'
		if [ "${QPU_TESTS-}" = quick ]; then
			echo 'left out'
		else
			program --benchmark 2>&1
		fi ;;
	1,qpu*)
		section "qpu-sha256sum --device=$device" "${verify[@]}" \
			'--stats, one file'
		hash_files $((files - 1)) ;;
	1,* | 3,*)
		echo
		echo 'The device failed, and was not used any further.' ;;
	esac
}

# Print the report's lines about failures, the earliest first.
failures()
{
	grep -E -e '(^|[ :])FAILED(:| at )|(^|: )NO ANSWER: |^NOT the digests' \
		-e ': [1-9][0-9]* of [0-9]+ wrong$' \
		-e '^[^ ]+ cannot be used: ' \
		-e '^The firmware did not answer in time' "$report" |
		head -n 20
}

# The failures once more, for those who read the end of the report or see only
# the screen.
tell_failures()
{
	failures >"$scratch/failures"
	section 'Failures, the first one first' >>"$report"
	if [ -s "$scratch/failures" ]; then
		cat "$scratch/failures" >>"$report"
		cat "$scratch/failures" >&2
		grep -E '^(Date|Kernel|Firmware|System): ' "$report" >&2
	else
		echo None >>"$report"
	fi
	# An unexpected answer is not a failure, but worth a look.
	grep -E 'NOT as emulated|none of the answers we know' "$report" >&2
}

main()
{
	local status options=()
	make_files || exit 2
	echo "Asking $device.  This takes about two minutes on a Raspberry" \
		'Pi 3 and longer on a Pi 1 or Zero (estimated).  The parts of' \
		'the report:' >&2
	[ "${QPU_TESTS-}" != quick ] || options+=(-q)
	"$QPU_HWCHECK" "${options[@]}" "$device" >"$report"
	status=$?
	{
		section 'System'
		describe_system
		show_voltage now
		use_program "$status"
		show_voltage 'at the end'
		show_kernel_messages
	} >>"$report" || exit 2
	tell_failures
	# A report of the obstacles is what was asked for, so this is a success.
	if [ "$status" = 2 ]; then
		echo "$device cannot be used here." >&2
		! grep -qs raspberrypi /proc/device-tree/compatible ||
			echo 'What the report says about this machine is' \
				'worth sending.' >&2
		echo 'To see a report of the emulated device: make' \
			'check-hardware DEVICE=emulator:timed' >&2
		status=0
	fi
	[ "$status" != 3 ] || echo 'The firmware did not answer in time:' \
		'reboot now.  Until then it may mistake an answer of the QPUs' \
		'for one of the SD card.' >&2
	[ -z "${SUDO_UID-}" ] || chown "$SUDO_UID:${SUDO_GID-}" "$report"
	echo "The report is in $report; please attach it to an issue." >&2
	exit "$status"
}

main
