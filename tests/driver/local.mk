# driver: the driver of a real Pi.
driver_tests = \
	%D%/test-pi-board \
	%D%/test-pi-board-texts \
	%D%/test-pi-details \
	%D%/test-pieces \
	%D%/test-claims-patience \
	%D%/test-claims-stops \
	%D%/test-counters \
	%D%/test-device-options \
	%D%/test-firmware \
	%D%/test-firmware-claims \
	%D%/test-mailbox \
	%D%/test-memory \
	%D%/test-memory-source \
	%D%/test-options \
	%D%/test-registers \
	%D%/test-soc \
	%D%/test-vcio \
	%D%/test-vcio-failures
driver_suites = \
	%D%/boards.bats \
	%D%/faults.bats \
	%D%/launches.bats \
	%D%/memory.bats \
	%D%/on-board.bats \
	%D%/others.bats \
	%D%/signals.bats
noinst_HEADERS += \
	%D%/firmware-double.h \
	%D%/pi-tree.h \
	%D%/vcio-double.h
EXTRA_DIST += $(driver_suites) \
	%D%/pi.bash
$(driver_tests): private ROOM_LIBS = $(ALL_LIBS)
$(driver_tests): $(ALL_LIBS)
EXTRA_PROGRAMS += $(driver_tests)
if WITH_QPU
check_PROGRAMS += $(driver_tests)
endif
if WITH_QPUEMU
TESTS += $(driver_suites)
endif

vcio_double = \
	$(wrap)pi_board_look,--wrap=firmware_open,--wrap=firmware_open_node \
	-Wl,--wrap=mailbox_call,--wrap=clock_ns,--wrap=mmap,--wrap=mmap64 \
	-Wl,--wrap=munmap,--wrap=calloc,--wrap=free,--wrap=pieces_take,--wrap=pieces_flush \
	-Wl,--wrap=pieces_refresh,--wrap=memory_give_up_cache
%C%_test_claims_patience_LDFLAGS = \
	$(wrap)ioctl,--wrap=clock_ns,--wrap=poll
%C%_test_claims_stops_LDFLAGS = $(wrap)ioctl
%C%_test_firmware_LDFLAGS = \
	$(wrap)open,--wrap=open64,--wrap=flock,--wrap=mailbox_call
%C%_test_firmware_claims_LDFLAGS = $(wrap)ioctl
%C%_test_mailbox_LDFLAGS = $(wrap)ioctl
%C%_test_memory_LDFLAGS = \
	$(wrap)ioctl,--wrap=mmap,--wrap=mmap64,--wrap=munmap
%C%_test_memory_source_LDFLAGS = \
	$(wrap)ioctl,--wrap=mmap,--wrap=mmap64,--wrap=munmap \
	-Wl,--wrap=firmware_open_node,--wrap=open,--wrap=open64,--wrap=read \
	-Wl,--wrap=close
%C%_test_pi_board_LDFLAGS = $(wrap)uname
%C%_test_pi_board_texts_LDFLAGS = $(wrap)uname,--wrap=read
%C%_test_pi_details_LDFLAGS = \
	$(wrap)pi_board_look,--wrap=pi_board_steps,--wrap=mailbox_call \
	-Wl,--wrap=firmware_open_node,--wrap=memory_cma_kib,--wrap=uname
%C%_test_pieces_LDFLAGS = \
	$(wrap)memory_take,--wrap=memory_give_back,--wrap=memory_flush \
	-Wl,--wrap=memory_refresh,--wrap=memory_wipe,--wrap=memory_close \
	-Wl,--wrap=claims_enter,--wrap=claims_leave,--wrap=clock_ns \
	-Wl,--wrap=malloc
%C%_test_registers_LDFLAGS = \
	$(wrap)sched_yield,--wrap=clock_ns,--wrap=memory_publish
%C%_test_vcio_LDFLAGS = $(vcio_double)
%C%_test_vcio_failures_LDFLAGS = $(vcio_double)

driver_programs = %D%/device-client
EXTRA_PROGRAMS += $(driver_programs)
$(driver_programs): private ROOM_LIBS = $(ALL_LIBS)
$(driver_programs): $(ALL_LIBS)
if WITH_QPUEMU
noinst_PROGRAMS += $(driver_programs)
endif
