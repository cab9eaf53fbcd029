# ways: the ways to a Pi's QPUs, by the firmware and by the kernel's driver.
ways_tests = \
	%D%/test-boards \
	%D%/test-emulated
ways_pi_tests = \
	%D%/test-cleanup \
	%D%/test-vcio
ways_suites = \
	%D%/board.bats \
	%D%/on-board.bats \
	%D%/signals.bats
EXTRA_DIST += $(ways_suites) \
	%D%/boards.golden \
	%D%/drm.golden \
	%D%/emulated.golden \
	%D%/pi.bash \
	%D%/vcio.golden
$(ways_tests) $(ways_pi_tests): private ROOM_LIBS = $(ALL_LIBS)
$(ways_tests) $(ways_pi_tests): $(ALL_LIBS)
EXTRA_PROGRAMS += $(ways_tests) $(ways_pi_tests)
if WITH_QPU
check_PROGRAMS += $(ways_tests)
endif
if WITH_QPUEMU
check_PROGRAMS += $(ways_pi_tests)
TESTS += $(ways_suites)
endif

# Sessions with a device, and what is asked of a virtual Raspberry Pi.
device_session = %D%/device.c %D%/device.h
virtual_pi = %D%/pi.c %D%/pi.h
%C%_test_cleanup_SOURCES = %D%/test-cleanup.c $(virtual_pi)
%C%_test_vcio_SOURCES = %D%/test-vcio.c $(device_session) $(virtual_pi)
%C%_test_emulated_SOURCES = %D%/test-emulated.c $(device_session)
