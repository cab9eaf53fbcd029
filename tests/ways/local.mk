# driver: the driver of a real Pi.
driver_room_tests = \
	%D%/test-boards \
	%D%/test-buffers \
	%D%/test-details \
	%D%/test-device-options \
	%D%/test-firmware \
	%D%/test-handles \
	%D%/test-keeper \
	%D%/test-memory-rates \
	%D%/test-patience \
	%D%/test-restart \
	%D%/test-soc \
	%D%/test-vcio
# It reads the names of the counters, which the emulator has.
driver_wide_tests = %D%/test-registers
driver_tests = $(driver_room_tests) $(driver_wide_tests)
driver_suites = \
	%D%/boards.bats \
	%D%/faults.bats \
	%D%/launches.bats \
	%D%/memory.bats \
	%D%/on-board.bats \
	%D%/others.bats \
	%D%/signals.bats
noinst_HEADERS += \
	%D%/firmware-double.h
EXTRA_DIST += $(driver_suites) \
	%D%/boards.golden \
	%D%/pi.bash
DRIVER_LIBS = qpu/ways/libways.a qpu/ways/libdevice.a qpu/abi/libabi.a \
	src/base/libbase.a
$(driver_room_tests): private ROOM_LIBS = $(DRIVER_LIBS)
$(driver_room_tests): $(DRIVER_LIBS)
$(driver_wide_tests): private ROOM_LIBS = $(ALL_LIBS)
$(driver_wide_tests): $(ALL_LIBS)
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
%C%_test_memory_rates_SOURCES = %D%/test-memory-rates.c $(scripted_pi)
%C%_test_registers_LDFLAGS = $(AM_LDFLAGS) $(wrap)memory_barrier
%C%_test_restart_SOURCES = %D%/test-restart.c $(scripted_pi)
%C%_test_vcio_SOURCES = %D%/test-vcio.c $(scripted_pi)
# drm: the driver over the kernel's driver vc4.
drm_tests = \
	%D%/test-nodes \
	%D%/test-render \
	%D%/test-tiles
EXTRA_DIST += \
	%D%/nodes.golden \
	%D%/stock.bats
$(drm_tests): private ROOM_LIBS = $(ALL_LIBS)
$(drm_tests): $(ALL_LIBS)
EXTRA_PROGRAMS += $(drm_tests)
if WITH_QPU
check_PROGRAMS += $(drm_tests)
endif
if WITH_QPUEMU
TESTS += %D%/stock.bats
endif
