# hardware: tests of what make check-hardware runs.
%C%_test_hardware_SOURCES = %D%/test-hardware.c $(hwcheck_sources)
%C%_test_turns_SOURCES = %D%/test-turns.c $(hwcheck_sources)
EXTRA_DIST += %D%/hardware.bats
EXTRA_PROGRAMS += %D%/test-hardware %D%/test-turns
if WITH_QPU
check_PROGRAMS += %D%/test-hardware %D%/test-turns
endif
if WITH_QPUEMU
TESTS += %D%/hardware.bats
endif
