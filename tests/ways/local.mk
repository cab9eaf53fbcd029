# driver: the driver of a real Pi.
driver_tests = \
	%D%/test-boards \
	%D%/test-buffers \
	%D%/test-details \
	%D%/test-device-options \
	%D%/test-firmware \
	%D%/test-held \
	%D%/test-keeper \
	%D%/test-soc \
	%D%/test-vcio
driver_suites = \
	%D%/board.bats \
	%D%/on-board.bats \
	%D%/signals.bats
EXTRA_DIST += $(driver_suites) \
	%D%/boards.golden \
	%D%/nodes.golden \
	%D%/pi.bash
DRIVER_LIBS = qpu/ways/libways.a qpu/ways/libdevice.a qpu/abi/libabi.a \
	src/base/libbase.a
$(driver_tests): private ROOM_LIBS = $(DRIVER_LIBS)
$(driver_tests): $(DRIVER_LIBS)
EXTRA_PROGRAMS += $(driver_tests)
if WITH_QPU
check_PROGRAMS += $(driver_tests)
endif
if WITH_QPUEMU
TESTS += $(driver_suites)
endif

# A Raspberry Pi at its nodes.
scripted_pi = %D%/pi.c %D%/pi.h
%C%_test_buffers_SOURCES = %D%/test-buffers.c $(scripted_pi)
%C%_test_details_SOURCES = %D%/test-details.c $(scripted_pi)
%C%_test_held_SOURCES = %D%/test-held.c $(scripted_pi)
%C%_test_vcio_SOURCES = %D%/test-vcio.c $(scripted_pi)
# drm: the driver over the kernel's driver vc4.
drm_tests = \
	%D%/test-nodes \
	%D%/test-render \
	%D%/test-tiles
$(drm_tests): private ROOM_LIBS = $(ALL_LIBS)
$(drm_tests): $(ALL_LIBS)
EXTRA_PROGRAMS += $(drm_tests)
if WITH_QPU
check_PROGRAMS += $(drm_tests)
endif
