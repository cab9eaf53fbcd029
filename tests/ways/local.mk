# ways: the ways to a Pi's QPUs, by the firmware and by the kernel's driver.
ways_tests = \
	%D%/test-boards \
	%D%/test-emulated \
	%D%/test-held \
	%D%/test-render \
	%D%/test-vcio
ways_suites = \
	%D%/board.bats \
	%D%/on-board.bats \
	%D%/signals.bats
EXTRA_DIST += $(ways_suites) \
	%D%/boards.golden \
	%D%/emulated.golden \
	%D%/pi.bash \
	%D%/vcio.golden
$(ways_tests): private ROOM_LIBS = $(ALL_LIBS)
$(ways_tests): $(ALL_LIBS)
EXTRA_PROGRAMS += $(ways_tests)
if WITH_QPU
check_PROGRAMS += $(ways_tests)
endif
if WITH_QPUEMU
TESTS += $(ways_suites)
endif

# Sessions with a device, and a Raspberry Pi at its nodes.
device_session = %D%/device.c %D%/device.h
scripted_pi = %D%/pi.c %D%/pi.h
%C%_test_held_SOURCES = %D%/test-held.c $(scripted_pi)
%C%_test_vcio_SOURCES = %D%/test-vcio.c $(device_session) $(scripted_pi)
%C%_test_emulated_SOURCES = %D%/test-emulated.c $(device_session)
