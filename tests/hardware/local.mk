# hardware: tests of what make check-hardware runs.
hardware_tests = %D%/test-hardware %D%/test-program %D%/test-reports
hardware_suites = %D%/hardware.bats %D%/on-board.bats
noinst_HEADERS += %D%/raw-words.h
EXTRA_DIST += $(hardware_suites) %D%/hardware.bash \
	%D%/program.golden %D%/reports.golden
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
%C%_test_program_SOURCES = %D%/test-program.c $(hwcheck_sources) \
	tests/ways/pi.c tests/ways/pi.h
%C%_test_reports_SOURCES = %D%/test-reports.c $(hwcheck_sources)
