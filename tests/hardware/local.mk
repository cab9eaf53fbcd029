# hardware: make check-hardware, what people with a Pi run once; its report
# is sent back.
%C%_qpu_hwcheck_SOURCES = %D%/hwcheck.c $(hwcheck_sources)
%C%_test_hardware_SOURCES = %D%/test-hardware.c $(hwcheck_sources)
%C%_test_turns_SOURCES = %D%/test-turns.c $(hwcheck_sources)
hwcheck_sources = \
	%D%/answers.c %D%/answers.h \
	%D%/ask.c %D%/ask.h \
	%D%/experiment.h \
	%D%/experiments_dma.c \
	%D%/experiments_flags.c \
	%D%/experiments_float.c \
	%D%/experiments_hazards.c \
	%D%/experiments_memory.c \
	%D%/experiments_pack.c \
	%D%/experiments_registers.c \
	%D%/experiments_shared.c \
	%D%/facts.c %D%/facts.h \
	%D%/hammer.c %D%/hammer.h \
	%D%/hang.c %D%/hang.h \
	%D%/loads.c %D%/loads.h \
	%D%/measure.c %D%/measure.h \
	%D%/rates.c %D%/rates.h \
	%D%/rig.c %D%/rig.h \
	%D%/settle.h \
	%D%/sweep.c %D%/sweep.h \
	%D%/tables.c \
	%D%/times.c %D%/times.h \
	%D%/turns.c %D%/turns.h \
	%D%/v3d.c %D%/v3d.h \
	%D%/timing.h %D%/timing_rows.c
EXTRA_DIST += %D%/README.md %D%/hardware.bats %D%/check-hardware.sh \
	%D%/qpureport
EXTRA_PROGRAMS += %D%/qpu-hwcheck %D%/test-hardware %D%/test-turns
if WITH_QPU
check_DATA += %D%/qpu-hwcheck$(EXEEXT)
check_PROGRAMS += %D%/test-hardware %D%/test-turns
endif
if WITH_QPUEMU
TESTS += %D%/hardware.bats
endif

DEVICE = qpu
check-hardware: qpu-sha256sum$(EXEEXT) %D%/qpu-hwcheck$(EXEEXT)
	@QPU_SHA256SUM='$(abs_builddir)/qpu-sha256sum$(EXEEXT)' \
	QPU_HWCHECK='$(abs_builddir)/%D%/qpu-hwcheck$(EXEEXT)' \
		bash $(srcdir)/%D%/check-hardware.sh '$(DEVICE)'
.PHONY: check-hardware
