#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# drm-compare: do we accept the programs and jobs that the Linux kernel accepts?
#
#	tests/foreign/drm-compare.sh LINUX [PROGRAMS [SEED [FILE...]]]
#
# LINUX holds the kernel's sources; only files of drivers/gpu/drm/vc4 and
# include/uapi/drm are read, and nothing of them enters this tree.  See
# drm-compare.c and drm-jobs.c, which compares PROGRAMS jobs; it needs the libraries
# that `make` has built here.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
linux=${1:?usage: drm-compare.sh LINUX [PROGRAMS [SEED [FILE...]]]}
vc4=$linux/drivers/gpu/drm/vc4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$vc4"/vc4_{validate,render_cl,validate_shaders}.c \
	"$vc4"/vc4_{qpu_defines,packet,regs}.h "$scratch"
mkdir -p "$scratch"/{drm,linux,uapi/drm}
cp "$linux/include/uapi/drm/vc4_drm.h" "$scratch/uapi/drm"
echo '#include "uapi/drm/vc4_drm.h"' >"$scratch/vc4_drv.h"
touch "$scratch"/{config.h,drm/drm_print.h,uapi/drm/drm.h} \
	"$scratch"/linux/bit{field,ops,s}.h
compile=("${CC:-cc}" -std=gnu11 -O1 -g "-I$top" "-I$scratch")
for file in validate render_cl validate_shaders; do
	"${compile[@]}" -w -DDRM_KERNEL \
		-include "$top/tests/foreign/drm-kernel.h" \
		-c -o "$scratch/$file.o" "$scratch/vc4_$file.c"
done
ar rc "$scratch/kernel.a" "$scratch"/*.o
for program in drm-jobs drm-compare; do
	"${compile[@]}" -o "$scratch/$program" "$top/tests/foreign/$program.c" \
		"$scratch/kernel.a" qpu/ways/libways.a \
		qpu/pi/libpi.a qpu/validate/libvalidate.a \
		qpu/emulator/libemulator.a qpu/asm/libasm.a qpu/isa/libisa.a \
		src/base/libbase.a -lm -lpthread
done
"$scratch/drm-jobs" "${2:-100000}" "${3:-1}"
"$scratch/drm-compare" "${2:-100000}" "${3:-1}" "${@:4}"
