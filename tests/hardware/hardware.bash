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

# check DEVICE [PREFIX...]: the report in `report`; the prefix is a command that
# runs it, as qpuemu
check()
{
	QPU_TESTS=quick QPU_HWCHECK=$HWCHECK QPU_SHA256SUM=$PROGRAM \
		timeout "$LIMIT" "${@:2}" bash \
		"$TOP/qpu/check/check-hardware.sh" "$1" report 2>err
}

# section TITLE: its lines
section()
{
	sed -n "/^== $1 ==\$/,/^\$/p" report | sed '1d; $d'
}
