# emulator: the machine, qpurun.
emulator_libs = qpu/kernel/libkernel.a $(QPU_TOOLCHAIN) $(EMULATOR)
emulator_tests = \
	%D%/test-machine \
	%D%/test-programs \
	%D%/test-shortage \
	%D%/test-stale \
	%D%/test-vpm \
	%D%/test-words
emulator_tool_tests = \
	%D%/test-qpurun
emulator_suites = \
	%D%/debugger.bats \
	%D%/examples.bats \
	%D%/qpurun.bats
noinst_HEADERS += \
	%D%/emu.h \
	%D%/reference.h
EXTRA_DIST += $(emulator_suites) %D%/machine.golden %D%/programs.golden \
	%D%/qpurun.golden
$(emulator_tests) $(emulator_tool_tests): private ROOM_LIBS = $(emulator_libs)
$(emulator_tests) $(emulator_tool_tests): $(emulator_libs)
EXTRA_PROGRAMS += $(emulator_tests) $(emulator_tool_tests)
if WITH_QPU
check_PROGRAMS += $(emulator_tests)
endif
if WITH_TOOLS
check_PROGRAMS += $(emulator_tool_tests)
TESTS += $(emulator_suites)
endif

%C%_test_qpurun_SOURCES = %D%/test-qpurun.c $(tool_arguments) \
	src/tools/qpurun/image.c \
	src/tools/qpurun/qpurun_options.c
