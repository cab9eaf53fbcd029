# kernel: the programs for the QPUs.
kernel_libs = qpu/kernel/libkernel.a $(QPU_TOOLCHAIN) $(EMULATOR) $(CPU_LIBS)
kernel_tests = \
	%D%/test-kernels \
	%D%/test-speed
kernel_suites = \
	%D%/sources.bats \
	%D%/tutorial.bats
noinst_HEADERS += \
	%D%/rig.h
EXTRA_DIST += $(kernel_suites)
$(kernel_tests): private ROOM_LIBS = $(kernel_libs)
$(kernel_tests): $(kernel_libs)
EXTRA_PROGRAMS += $(kernel_tests)
if WITH_QPU
check_PROGRAMS += $(kernel_tests)
endif
if WITH_TOOLS
TESTS += $(kernel_suites)
endif
