#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# drm-compare: do we accept the programs that the Linux kernel accepts?
#
#	tests/foreign/drm-compare.sh LINUX [PROGRAMS [SEED [FILE...]]]
#
# LINUX holds the kernel's sources; only two files of drivers/gpu/drm/vc4 are
# read, and nothing of them enters this tree.  See drm-compare.c.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
linux=${1:?usage: drm-compare.sh LINUX [PROGRAMS [SEED [FILE...]]]}
vc4=$linux/drivers/gpu/drm/vc4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$vc4/vc4_validate_shaders.c" "$vc4/vc4_qpu_defines.h" "$scratch"
mkdir "$scratch/drm"
touch "$scratch/vc4_drv.h" "$scratch/config.h" "$scratch/drm/drm_print.h"
compile=("${CC:-cc}" -std=gnu11 -O1 -g "-I$top" "-I$scratch")
"${compile[@]}" -w -DDRM_KERNEL -include "$top/tests/foreign/drm-kernel.h" \
	-c -o "$scratch/kernel.o" "$scratch/vc4_validate_shaders.c"
"${compile[@]}" -o "$scratch/drm-compare" "$scratch/kernel.o" \
	"$top"/tests/foreign/drm-compare.c "$top"/qpu/validate/drm_rules.c \
	"$top"/qpu/isa/pack.c "$top"/qpu/isa/isa.c
"$scratch/drm-compare" "${2:-100000}" "${3:-1}" "${@:4}"
