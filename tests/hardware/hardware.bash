# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
#
# hardware: reports of make check-hardware, for the suites of this directory.

load ../support/common

HWCHECK=$BUILD/qpu/check/qpu-hwcheck
QPUEMU=$BUILD/qpuemu
# A report takes hundreds of launches.
LIMIT=300

setup()
{
	enter_scratch
	is_ours || skip "--device is an option of qpu-sha256sum"
}

# once NAME COMMAND...: the report of a command that succeeds, which is run only the
# first time that a case of this suite wants it
once()
{
	local kept=${BATS_FILE_TMPDIR-}/${1//[ \/]/_}
	if [ -n "${BATS_FILE_TMPDIR-}" ] && [ -e "$kept" ]; then
		cp "$kept"/* .
		return 0
	fi
	"${@:2}" || return
	[ -n "${BATS_FILE_TMPDIR-}" ] || return 0
	mkdir "$kept"
	cp report "$kept"
	[ ! -e raw ] || cp raw "$kept"
}

# check DEVICE: the report in `report`, in a world without a Raspberry Pi
check()
{
	once "check $1" really_check "$1"
}

really_check()
{
	QPU_TESTS=quick QPU_HWCHECK=$HWCHECK QPU_SHA256SUM=$PROGRAM \
		timeout "$LIMIT" bash \
		"$TOP/qpu/check/check-hardware.sh" \
		"$1" report 2>err
}

# verdicts: of the experiments
verdicts()
{
	grep -E '^ *[0-9]+ [^ ]+ +[^:]+:' report
}

# Registers are not shown by qpuemu on all machines.
has_registers()
{
	[[ $(uname -m) == @(x86_64|aarch64) ]]
}

# section TITLE: its lines
section()
{
	sed -n "/^== $1 ==\$/,/^\$/p" report | sed '1d; $d'
}
