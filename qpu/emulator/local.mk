# emulator: the machine in memory; trace: what it executes, as text; debugger:
# its commands.
%C%_libemulator_a_SOURCES = \
	qpu/isa/counter.def \
	%D%/alu_template.h \
	%D%/cache.c %D%/cache.h \
	%D%/check.c %D%/check.h \
	%D%/code.c \
	%D%/core.c %D%/core.h %D%/core_template.h \
	%D%/decode.c %D%/decode.h \
	%D%/dma.c %D%/dma.h \
	%D%/emulator.c %D%/emulator.h \
	%D%/finding.c %D%/finding.h \
	%D%/float.c %D%/float.h \
	%D%/machine.h \
	%D%/memory.c %D%/memory.h \
	%D%/pack.c %D%/pack.h \
	%D%/port.c %D%/port.h \
	%D%/qpu.c \
	%D%/registers.c %D%/registers.h \
	%D%/schedule.c %D%/schedule.h \
	%D%/stale.c %D%/stale.h \
	%D%/step.c %D%/step.h \
	%D%/timed.c %D%/timed.h \
	%D%/timing.c %D%/timing.h \
	%D%/tmu.h \
	%D%/units.c %D%/units.h \
	%D%/vector.h \
	%D%/view.c \
	%D%/vpm.c %D%/vpm.h
%C%_libemulator_a_CFLAGS = $(PIC_CFLAGS)
EXTRA_DIST += %D%/README.md
qpu_trace_libtrace_a_SOURCES = \
	qpu/trace/finding_text.c qpu/trace/finding_text.h \
	qpu/trace/profile.c qpu/trace/profile.h \
	qpu/trace/timeline.c qpu/trace/timeline.h \
	qpu/trace/trace.c qpu/trace/trace.h
qpu_trace_libtrace_a_CFLAGS = $(PIC_CFLAGS)
qpu_debugger_libdebugger_a_SOURCES = \
	qpu/debugger/breakpoints.c qpu/debugger/breakpoints.h \
	qpu/debugger/control.c qpu/debugger/control.h \
	qpu/debugger/debugger.c qpu/debugger/debugger.h \
	qpu/debugger/inspect.c qpu/debugger/inspect.h \
	qpu/debugger/line_input.c qpu/debugger/line_input.h \
	qpu/debugger/operand.c qpu/debugger/operand.h \
	qpu/debugger/session.c qpu/debugger/session.h \
	qpu/debugger/setup_word.c qpu/debugger/setup_word.h \
	qpu/debugger/show.c qpu/debugger/show.h \
	qpu/debugger/source_text.c qpu/debugger/source_text.h
qpu_debugger_libdebugger_a_CFLAGS = $(PIC_CFLAGS)

if WITH_QPU
noinst_LIBRARIES += %D%/libemulator.a qpu/trace/libtrace.a \
	qpu/debugger/libdebugger.a
EMULATOR = qpu/debugger/libdebugger.a qpu/trace/libtrace.a \
	%D%/libemulator.a qpu/isa/libisa.a src/base/libbase.a
endif
