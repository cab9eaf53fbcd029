# hardware: tests of what make check-hardware runs.
hardware_tests = %D%/test-hardware
hardware_suites = %D%/hardware.bats
EXTRA_DIST += $(hardware_suites) %D%/reports.golden
EXTRA_PROGRAMS += $(hardware_tests)
$(hardware_tests): private ROOM_LIBS = $(ALL_LIBS)
$(hardware_tests): $(ALL_LIBS)
if WITH_QPU
check_PROGRAMS += $(hardware_tests)
endif
if WITH_QPUEMU
TESTS += $(hardware_suites)
endif
%C%_test_hardware_SOURCES = %D%/test-hardware.c $(hwcheck_sources)
