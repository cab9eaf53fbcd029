# scheduler: the search for the kernel.
scheduler_libs = qpu/scheduler/libscheduler.a qpu/kernel/libkernel.a $(QPU_TOOLCHAIN) $(EMULATOR)
scheduler_tests = \
	%D%/test-graph \
	%D%/test-schedule \
	%D%/test-search \
	%D%/test-slot \
	%D%/test-solution
scheduler_suites = \
	%D%/qpusched.bats
noinst_HEADERS += \
	%D%/digest.h \
	%D%/small.h
EXTRA_DIST += $(scheduler_suites)
$(scheduler_tests): private ROOM_LIBS = $(scheduler_libs)
$(scheduler_tests): $(scheduler_libs)
EXTRA_PROGRAMS += $(scheduler_tests)
if WITH_QPU
check_PROGRAMS += $(scheduler_tests)
TESTS += $(scheduler_suites)
endif

