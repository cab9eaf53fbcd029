# qpu: the instruction set, its tools, and SHA-256 on the QPUs of a device.
# The emulator, the kernels and the virtual board have fragments of their own.

QPU_TOOLCHAIN = \
	%D%/asm/libasm.a %D%/validate/libvalidate.a %D%/isa/libisa.a \
	src/base/libbase.a
%C%_isa_libisa_a_SOURCES = \
	%D%/isa/counter.def \
	%D%/isa/disasm.c %D%/isa/disasm.h \
	%D%/isa/isa.c %D%/isa/isa.def %D%/isa/isa.h \
	%D%/isa/linemap.c %D%/isa/linemap.h \
	%D%/isa/pack.c %D%/isa/pack.h \
	%D%/isa/rules.c %D%/isa/rules.def %D%/isa/rules.h \
	%D%/isa/use.c %D%/isa/use.h
%C%_isa_libisa_a_CFLAGS = $(PIC_CFLAGS)
%C%_validate_libvalidate_a_SOURCES = \
	%D%/validate/checks.h \
	%D%/validate/pair.c \
	%D%/validate/single.c \
	%D%/validate/validate.c %D%/validate/validate.h
%C%_asm_libasm_a_SOURCES = \
	%D%/asm/arena.c %D%/asm/arena.h \
	%D%/asm/asm.c %D%/asm/asm.h \
	%D%/asm/assembly.c %D%/asm/assembly.h \
	%D%/asm/block.c \
	%D%/asm/builtin.c %D%/asm/builtin.h \
	%D%/asm/data.c \
	%D%/asm/dialect.c %D%/asm/dialect.h \
	%D%/asm/directive.c %D%/asm/directive.h \
	%D%/asm/encode.c %D%/asm/encode.h \
	%D%/asm/expr.c %D%/asm/expr.h \
	%D%/asm/fit.c %D%/asm/fit.h \
	%D%/asm/inst.c %D%/asm/inst.h \
	%D%/asm/jump.c \
	%D%/asm/lex.c %D%/asm/lex.h \
	%D%/asm/diagnostic.c %D%/asm/diagnostic.h \
	%D%/asm/output.c %D%/asm/output.h \
	%D%/asm/procedure.c %D%/asm/procedure.h \
	%D%/asm/reg.c %D%/asm/reg.h \
	%D%/asm/result.c \
	%D%/asm/run.c %D%/asm/run.h \
	%D%/asm/source.c %D%/asm/source.h \
	%D%/asm/stmt.c %D%/asm/stmt.h \
	%D%/asm/suggest.c %D%/asm/suggest.h \
	%D%/asm/symbol.c %D%/asm/symbol.h \
	%D%/asm/table.c %D%/asm/table.h \
	%D%/asm/value.c %D%/asm/value.h

EXTRA_DIST += %D%/asm/README.md

# A device with QPUs: the numbers of kernel and firmware, its contract, the
# driver of the real one, the engine.
%C%_device_libdevice_a_SOURCES = \
	%D%/device/device.h \
	%D%/device/emulated_options.c %D%/device/emulated_options.h
%C%_device_libdevice_a_CFLAGS = $(PIC_CFLAGS)
%C%_abi_libabi_a_SOURCES = \
	%D%/abi/dma_heap.h \
	%D%/abi/mailbox.h \
	%D%/abi/soc.c %D%/abi/soc.h \
	%D%/abi/vcsm.h
%C%_abi_libabi_a_CFLAGS = $(PIC_CFLAGS)
%C%_driver_libdriver_a_SOURCES = \
	%D%/driver/barrier.c %D%/driver/barrier.h \
	%D%/driver/buffer.c %D%/driver/buffer.h \
	%D%/driver/buffers.c %D%/driver/buffers.h \
	%D%/driver/counters.c %D%/driver/counters.h \
	%D%/driver/firmware.c %D%/driver/firmware.h \
	%D%/driver/firmware_handles.c %D%/driver/firmware_handles.h \
	%D%/driver/pi_board.c %D%/driver/pi_board.h \
	%D%/driver/pi_details.c %D%/driver/pi_details.h \
	%D%/driver/registers.c %D%/driver/registers.h \
	%D%/driver/vcio.c %D%/driver/vcio.h \
	%D%/driver/vcio_options.c %D%/driver/vcio_options.h
%C%_engine_libengine_a_SOURCES = \
	%D%/engine/device_emu.c %D%/engine/device_emu.h \
	%D%/engine/engine_qpu.c %D%/engine/engine_qpu.h \
	%D%/engine/faults.c %D%/engine/faults.h \
	%D%/engine/figures.c %D%/engine/figures.h \
	%D%/engine/known_answer.c %D%/engine/known_answer.h \
	%D%/engine/launch.c %D%/engine/launch.h \
	%D%/engine/launch_memory.c %D%/engine/launch_memory.h \
	%D%/engine/launch_result.c \
	%D%/engine/runner.c %D%/engine/runner.h \
	%D%/engine/segment_plan.c %D%/engine/segment_plan.h

if WITH_QPU
noinst_LIBRARIES += $(QPU_TOOLCHAIN) \
	%D%/abi/libabi.a %D%/device/libdevice.a %D%/driver/libdriver.a \
	%D%/engine/libengine.a
QPU_LIBS += %D%/engine/libengine.a %D%/driver/libdriver.a \
	%D%/device/libdevice.a %D%/abi/libabi.a
endif

# Programs to learn from.
examplesdir = $(docdir)/examples
examples_m4 = \
	%D%/examples/common.m4 \
	%D%/examples/debug.m4 \
	%D%/examples/fft.m4 \
	%D%/examples/gcd.m4 \
	%D%/examples/heat.m4 \
	%D%/examples/hello.m4 \
	%D%/examples/matrix.m4 \
	%D%/examples/rotate.m4
EXTRA_DIST += $(examples_m4) %D%/driver/README.md %D%/engine/README.md
if WITH_TOOLS
examples_DATA = $(examples_m4)
dist_doc_DATA += %D%/kernel/TUTORIAL.md
endif
