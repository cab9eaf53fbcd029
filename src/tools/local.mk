# tools: the programs for people who write QPU programs.
tool_arguments = %D%/arguments.c %D%/arguments.h
qpuasm_SOURCES = $(tool_arguments) %D%/qpuasm/main.c \
	%D%/hazard_report.c %D%/hazard_report.h
qpuasm_LDADD = $(QPU_TOOLCHAIN) $(EMULATOR_LIBS)
qpudis_SOURCES = $(tool_arguments) %D%/qpudis/main.c \
	%D%/hazard_report.c %D%/hazard_report.h
qpudis_LDADD = $(QPU_TOOLCHAIN) $(EMULATOR_LIBS)
qpurun_SOURCES = $(tool_arguments) %D%/qpurun/main.c \
	%D%/qpurun/image.c %D%/qpurun/image.h \
	%D%/qpurun/qpurun_options.c %D%/qpurun/qpurun_options.h
qpurun_LDADD = $(EMULATOR) $(EMULATOR_LIBS)
# All of qpuemu but its main, for tests to link.
%C%_qpuemu_libqpuemu_a_SOURCES = $(tool_arguments) \
	%D%/qpuemu/board_files.c %D%/qpuemu/board_files.h \
	%D%/qpuemu/child.c %D%/qpuemu/child.h \
	%D%/qpuemu/qpuemu_options.c %D%/qpuemu/qpuemu_options.h
qpuemu_SOURCES = %D%/qpuemu/main.c
qpuemu_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBDIR='"$(pkglibdir)"'
qpuemu_LDADD = %D%/qpuemu/libqpuemu.a $(PI) $(EMULATOR_LIBS)

tools_pages = man/qpuasm.1 man/qpudis.1 man/qpurun.1
EXTRA_DIST += $(tools_pages) man/qpuemu.1 man/qpu-programs.7 \
	man/qpu-setup.7
if WITH_TOOLS
bin_PROGRAMS += qpuasm qpudis qpurun
man1_MANS += $(tools_pages)
man7_MANS += man/qpu-programs.7 man/qpu-setup.7
endif
if WITH_QPUEMU
noinst_LIBRARIES += %D%/qpuemu/libqpuemu.a
bin_PROGRAMS += qpuemu
man1_MANS += man/qpuemu.1
endif
# The kernels are made by qpuasm, whether it is installed or not.
EXTRA_PROGRAMS += qpuasm
