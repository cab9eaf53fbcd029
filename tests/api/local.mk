# api: libqpu, by its public header.
api_libs = $(QPU_TOOLCHAIN) $(EMULATOR)
api_tests = %D%/test-qpu-machine %D%/test-qpu-program
noinst_HEADERS += %D%/assembled.h
$(api_tests): private ROOM_LIBS = $(api_libs)
$(api_tests): $(api_libs)
EXTRA_PROGRAMS += $(api_tests)
if WITH_QPU
check_PROGRAMS += $(api_tests)
endif
