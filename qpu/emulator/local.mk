# emulator: the machine in memory.
include qpu/debugger/local.mk
%C%_libemulator_a_SOURCES = \
	qpu/isa/counter.def \
	%D%/alu.h \
	%D%/base/memory.c %D%/base/memory.h \
	%D%/base/vpm.c %D%/base/vpm.h \
	%D%/cache.c %D%/cache.h \
	%D%/check.c \
	%D%/core.c %D%/core_avx512.c %D%/core_run.h \
	%D%/decode.c %D%/decode.h \
	%D%/base/dma.c \
	%D%/emulator.c %D%/emulator.h \
	%D%/message.c \
	%D%/base/float.c %D%/base/float.h \
	%D%/machine.h \
	%D%/pack.c \
	%D%/pipe.c %D%/pipe.h \
	%D%/port.c \
	%D%/qpu.c \
	%D%/race.c \
	%D%/registers.c \
	%D%/window.c \
	%D%/schedule.c \
	%D%/shader.c \
	%D%/stale.c \
	%D%/timed.c %D%/timed.h \
	%D%/base/timing.h \
	%D%/units.c
%C%_libemulator_a_CFLAGS = $(PIC_CFLAGS)
EXTRA_DIST += %D%/README.md

if WITH_QPU
noinst_LIBRARIES += %D%/libemulator.a qpu/debugger/libdebugger.a
EMULATOR = qpu/debugger/libdebugger.a %D%/libemulator.a qpu/isa/libisa.a src/base/libbase.a
endif
