# virtual: qpuemu and its board.
virtual_tests = \
	%D%/test-calls \
	%D%/test-trap \
	%D%/test-trap-words
virtual_suites = \
	%D%/qpuemu-observe.bats \
	%D%/qpuemu-programs.bats \
	%D%/qpuemu.bats
noinst_HEADERS += \
	%D%/kernel-requests.h \
	%D%/trap-device.h
EXTRA_DIST += $(virtual_suites) \
	%D%/board-files.txt \
	%D%/board.golden \
	%D%/calls.golden \
	%D%/registers.golden \
	%D%/qpuemu.bash
virtual_libs = qpu/asm/libasm.a src/tools/qpuemu/libqpuemu.a $(PI) \
	qpu/virtual/mmio/libmmio.a src/base/libbase.a
$(virtual_tests): private ROOM_LIBS = $(virtual_libs)
$(virtual_tests): $(virtual_libs)
EXTRA_PROGRAMS += $(virtual_tests)
if WITH_QPUEMU
check_PROGRAMS += $(virtual_tests)
TESTS += $(virtual_suites)
endif

%C%_vcio_client_LDADD =
%C%_board_client_SOURCES = \
	%D%/board-client.c %D%/board-client.h \
	%D%/client_files.c %D%/client_firmware.c %D%/client_requests.c
%C%_board_client_LDADD = qpu/asm/libasm.a $(QPU_TOOLCHAIN) src/base/libbase.a -ldl -lm

# Programs as other people write them; the suites of qpuemu run them.
virtual_programs = %D%/board-client %D%/vcio-client
EXTRA_PROGRAMS += $(virtual_programs)
$(virtual_programs): private ROOM_LIBS = $(virtual_libs)
$(virtual_programs): $(virtual_libs)
if WITH_QPUEMU
noinst_PROGRAMS += $(virtual_programs)
endif
