# qpu: the instruction set, its tools, and SHA-256 on the QPUs of a device.
# Each room has a fragment of its own.

include qpu/api/local.mk
include qpu/isa/local.mk
include qpu/validate/local.mk
include qpu/asm/local.mk
include qpu/opt/local.mk
include qpu/abi/local.mk

QPU_TOOLCHAIN = \
	%D%/api/libapi.a %D%/asm/libasm.a %D%/opt/libopt.a %D%/validate/libvalidate.a %D%/isa/libisa.a \
	src/base/libbase.a

if WITH_QPU
noinst_LIBRARIES += $(QPU_TOOLCHAIN) %D%/abi/libabi.a
QPU_LIBS += %D%/sha/libsha.a %D%/pi/libemulated.a %D%/ways/libways.a \
	%D%/pi/libpi.a %D%/abi/libabi.a %D%/validate/libvalidate.a
endif

# Programs to learn from.
examplesdir = $(docdir)/examples
examples_m4 = \
	%D%/examples/common.m4 \
	%D%/examples/fft.m4 \
	%D%/examples/heat.m4 \
	%D%/examples/hello.m4 \
	%D%/examples/matrix.m4
EXTRA_DIST += $(examples_m4)
if WITH_TOOLS
examples_DATA = $(examples_m4)
dist_doc_DATA += %D%/kernel/TUTORIAL.md
endif
